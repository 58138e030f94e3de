import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from pydantic_ai import (
    Agent,
    AgentRunResultEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    models,
)
from pydantic_ai.exceptions import AgentRunError, ModelConnectionError

from memoryapp.agents import llm, streaming
from memoryapp.agents.llm import Choice
from tests.agents.model_server import chunk

DONE = b"data: [DONE]\n\n"


class Server:
    """Answers each POST with the next of `replies`, one piece each `pause` seconds."""

    def __init__(self, *replies, pause=0.0, is_cut_off=False, kind="text/event-stream"):
        self.replies, self.pause, self.is_cut_off, self.kind = replies, pause, is_cut_off, kind
        self.num_asked = 0
        self.is_left = asyncio.Event()
        self.answering = set()

    async def answer(self, reader, writer):
        self.answering.add(asyncio.current_task())
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line[15:])
            for line in head.split(b"\r\n")
            if line[:15].lower() == b"content-length:"
        )
        await reader.readexactly(length)
        pieces = self.replies[min(self.num_asked, len(self.replies) - 1)]
        self.num_asked += 1
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {self.kind}\r\n".encode())
        writer.write(b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        try:
            for piece in pieces:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
                await asyncio.sleep(self.pause)
            if not self.is_cut_off:
                writer.write(b"0\r\n\r\n")
        except ConnectionError:
            self.is_left.set()
        writer.close()


@asynccontextmanager
async def serving(server):
    listener = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    async with listener:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
        await asyncio.gather(*server.answering)


@pytest.fixture(autouse=True)
def addresses(monkeypatch):
    """Set where the model is; requests to it are allowed, for it is in this process."""

    def at(url):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url.removesuffix("/v1"))
        llm._model.cache_clear()

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    with models.override_allow_model_requests(True):
        yield at


def model(kind="openai-chat"):
    return llm.build(Choice(f"{kind}:small", is_offline=False, is_local=True), "talker")


async def pieces_and_result(kind):
    """The pieces of text, and how the run ended: output and usage, or the kind of its error."""
    agent, said = Agent(model(kind)), []

    @agent.tool_plain
    def look(what: str) -> str:
        return f"{what} is here"

    try:
        async with agent.run_stream_events("Why?") as events:
            async for event in events:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    said.append(event.part.content)
                if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    said.append(event.delta.content_delta)
                if isinstance(event, AgentRunResultEvent):
                    result = event.result
    except AgentRunError as error:
        return said, (type(error), "".join(said))
    return said, (result.output, result.usage, [m.parts for m in result.all_messages()[1::2]])


def event(data):
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def called(name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    return chunk(delta={"tool_calls": [call]})


def usage():
    tokens = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return chunk_with(choices=[], usage=tokens)


def chunk_with(**fields):
    data = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "small", **fields}
    return f"data: {json.dumps(data)}\n\n".encode()


def says(*texts):
    return [chunk(delta={"content": text}) for text in texts]


def thinks(*texts, name="reasoning_content", **also):
    return [chunk(delta={name: text, **also}) for text in texts]


def ends(reason="stop"):
    return [chunk(finish_reason=reason), usage(), DONE]


RESPONSE = {
    "id": "r1", "object": "response", "created_at": 1, "model": "small", "output": [],
    "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "in_progress",
}  # fmt: skip


def responses(*texts, thought=()):
    where = {"item_id": "m1", "output_index": 0, "content_index": 0}
    item = {"id": "m1", "type": "message", "role": "assistant", "status": "in_progress"}
    spent = {
        "input_tokens": 7, "output_tokens": 3, "total_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    said = {"type": "output_text", "text": "".join(texts), "annotations": []}
    whole = {**item, "status": "completed", "content": [said]}
    done = {**RESPONSE, "status": "completed", "usage": spent, "output": [whole]}
    deltas = [
        {"type": "response.output_text.delta", "delta": text, "logprobs": [], **where}
        for text in texts
    ]
    events = [
        {"type": "response.created", "response": RESPONSE},
        *(thoughts(thought) if thought else ()),
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", "part": {**said, "text": ""}, **where},
        *deltas,
        {"type": "response.output_text.done", "text": "".join(texts), "logprobs": [], **where},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": done},
    ]
    return [event({**data, "sequence_number": number}) for number, data in enumerate(events)]


def thoughts(texts):
    where = {"item_id": "t1", "output_index": 0, "summary_index": 0}
    item = {"id": "t1", "type": "reasoning", "summary": []}
    part = {"type": "summary_text", "text": ""}
    deltas = [
        {"type": "response.reasoning_summary_text.delta", "delta": text, **where} for text in texts
    ]
    whole = {**item, "summary": [{**part, "text": "".join(texts)}]}
    return [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.reasoning_summary_part.added", "part": part, **where},
        *deltas,
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
    ]


def anthropic(*texts, thought=()):
    message = {
        "id": "m1", "type": "message", "role": "assistant", "model": "small", "content": [],
        "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 1},
    }  # fmt: skip
    begin = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text", "text": ""},
    }
    stopped = {"stop_reason": "end_turn", "stop_sequence": None}
    thinking = {"type": "thinking", "thinking": "", "signature": ""}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        for text in texts
    ]
    return [
        event({"type": "message_start", "message": message}),
        *([event({**begin, "content_block": thinking})] if thought else ()),
        *(
            event({**deltas[0], "delta": {"type": "thinking_delta", "thinking": text}})
            for text in thought
        ),
        *([event({"type": "content_block_stop", "index": 0})] if thought else ()),
        event(begin),
        b'event: ping\ndata: {"type": "ping"}\n\n',
        *map(event, deltas),
        event({"type": "content_block_stop", "index": 0}),
        event({"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 3}}),
        event({"type": "message_stop"}),
    ]


WORDS = [f"w{number} " for number in range(40)]
LAST = chunk(delta={"content": "end"}, finish_reason="stop")
CHAT, CUT_OFF = "openai-chat", {"is_cut_off": True}
STREAMS = {
    "chat": (CHAT, [[*says(*WORDS), *ends()]], {}),
    "responses": ("openai-responses", [responses(*WORDS)], {}),
    "anthropic": ("anthropic", [anthropic(*WORDS)], {}),
    "ends of lines": (CHAT, [[e.replace(b"\n", b"\r\n") for e in (*says(*WORDS), *ends())]], {}),
    "comments": (CHAT, [[b": ping\n\n", *says("a"), b": ping\n\n", *says("b", "c"), *ends()]], {}),
    "thinking": (CHAT, [[*says("<th", "ink>Hm", "</think>", "So", " be"), *ends()]], {}),
    "reasoning": (CHAT, [[*thinks("H", "m", "m"), *says("So", "!"), *ends()]], {}),
    "reasoning beside nothing": (
        CHAT,
        [[*thinks("H", "m", "m", name="reasoning", content=""), *says("So", "!"), *ends()]],
        {},
    ),
    "responses' reasoning": ("openai-responses", [responses(*WORDS, thought=WORDS)], {}),
    "anthropic's thinking": ("anthropic", [anthropic(*WORDS, thought=WORDS)], {}),
    "a tool": (
        CHAT,
        [
            [*says("Let ", "me ", "look"), called("look", {"what": "it"}), *ends("tool_calls")],
            [*says("It ", "is ", "here"), *ends()],
        ],
        {},
    ),
    "unknown tool": (CHAT, [[called("guess", {}), *ends("tool_calls")]], {}),
    "no end of line": (CHAT, [[*says(*WORDS), DONE.rstrip()]], {}),
    "an end with words": (CHAT, [[*says(*WORDS), LAST]], {}),
    "no [DONE]": (CHAT, [[*says(*WORDS), chunk(finish_reason="stop")]], {}),
    "length": (CHAT, [[*says(*WORDS), *ends("length")]], {}),
    "nothing": (CHAT, [[*ends()]], {}),
    "no bytes": (CHAT, [[]], {}),
    "garbage": (CHAT, [[*says("a", "b"), b"data: {]\n\n", *says("c")]], {}),
    "an error inside": (CHAT, [[*says("a", "b"), b'data: {"error": {"message": "no"}}\n\n']], {}),
    "cut off": (CHAT, [says(*WORDS)], CUT_OFF),
    "cut off in an event": (CHAT, [[*says(*WORDS), b'data: {"choices": [{"del']], CUT_OFF),
    "not a stream": (CHAT, [[b"Hello, ", b"you"]], {"kind": "text/plain"}),
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("pause", [0, 0.004])
async def test_a_stream_in_beats_says_the_same_as_one_as_it_comes(
    name, pause, addresses, monkeypatch
):
    kind, replies, how = STREAMS[name]
    monkeypatch.setattr(llm, "WHILE_WAITING", {"max_retries": 0})
    ended = []
    for kinds in (streaming.KINDS, ()):
        monkeypatch.setattr(streaming, "KINDS", kinds)
        async with serving(Server(*replies, pause=pause, **how)) as url:
            addresses(url)
            ended.append((await pieces_and_result(kind))[1])
    assert same(ended[0]) == same(ended[1])


def same(ended):
    """What two equal runs have in common: all but the times and the tool's own ids."""
    return [repr(part).split("timestamp")[0] for part in ended]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (CHAT, says(*WORDS)),
        (CHAT, [*says(*WORDS), b'data: {"choices": [{"del']),
        ("openai-responses", responses(*WORDS)[:-3]),
        ("anthropic", anthropic(*WORDS)[:-3]),
    ],
)
async def test_a_stream_that_is_closed_before_its_end_has_broken_off(kind, said, addresses):
    async with serving(Server(said)) as url:
        addresses(url)
        pieces, (error, _) = await pieces_and_result(kind)
    assert ("".join(pieces), error) == ("".join(WORDS), ModelConnectionError)


@pytest.mark.parametrize("kind", [CHAT, "openai-responses", "anthropic"])
async def test_what_comes_between_two_beats_is_one_piece(kind, addresses):
    stream = next(replies[0] for other, replies, _ in STREAMS.values() if other == kind)
    async with serving(Server(stream, pause=0.002)) as url:
        addresses(url)
        pieces, (output, *_) = await pieces_and_result(kind)
    assert output == "".join(WORDS)
    assert 2 <= len(pieces) < 12


async def test_the_first_piece_does_not_wait_for_a_beat(addresses, monkeypatch):
    monkeypatch.setattr(streaming, "SHORTEST_BEAT", 3600)
    monkeypatch.setattr(streaming, "LONGEST_BEAT", 3600)
    async with serving(Server([*says("At once", " and", " then"), *ends()], pause=0.05)) as url:
        addresses(url)
        async with asyncio.timeout(20), Agent(model()).run_stream_events("Why?") as events:
            await anext(aiter(events))


async def test_the_first_words_do_not_wait_where_a_stream_begins_without_any(
    addresses, monkeypatch
):
    monkeypatch.setattr(streaming, "SHORTEST_BEAT", 3600)
    monkeypatch.setattr(streaming, "LONGEST_BEAT", 3600)
    begins = [chunk(delta={"role": "assistant", "content": ""}), chunk()]
    async with serving(Server([*begins, *says("Now", " then"), *ends()], pause=0.05)) as url:
        addresses(url)
        async with asyncio.timeout(20), Agent(model()).run_stream_events("Why?") as events:
            async for event in events:
                if isinstance(event, PartStartEvent):
                    break


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_what_is_thought_is_joined_too(name):
    events = [*thinks("H", "m", name=name, content=""), *thinks("", "", name=name, content="So")]
    sent = list(streaming.joined(e.removesuffix(b"\n\n") for e in events))
    assert [json.loads(event[6:])["choices"][0]["delta"] for event in sent] == [
        {name: "Hm", "content": ""},
        {name: "", "content": "SoSo"},
    ]


async def test_the_end_does_not_wait_for_a_beat(addresses, monkeypatch):
    monkeypatch.setattr(streaming, "SHORTEST_BEAT", 3600)
    monkeypatch.setattr(streaming, "LONGEST_BEAT", 3600)
    async with serving(Server([*says(*WORDS), *ends()], pause=0.001)) as url:
        addresses(url)
        async with asyncio.timeout(20):
            await pieces_and_result(CHAT)


async def test_leaving_a_stream_closes_the_connection_at_once(addresses):
    server = Server(says(*WORDS * 100), pause=0.01)
    async with serving(server) as url:
        addresses(url)
        async with Agent(model()).run_stream_events("Why?") as events:
            await anext(aiter(events))
        await asyncio.wait_for(server.is_left.wait(), 1)
    assert not streaming._open


def test_more_streams_beat_more_slowly_within_bounds(monkeypatch):
    beats = []
    for num_open in (1, 50, 100, 10_000):
        monkeypatch.setattr(streaming, "_open", range(num_open))
        beats.append(streaming.beat())
    assert beats == [streaming.SHORTEST_BEAT, 0.1, 0.2, streaming.LONGEST_BEAT]


def test_halves_of_a_character_are_joined():
    halves = [
        b'data: {"choices": [{"delta": {"content": "%s"}}]}' % h for h in (rb"\ud83d", rb"\ude00")
    ]
    [whole] = streaming.joined(halves)
    assert json.loads(whole[6:])["choices"][0]["delta"]["content"] == "😀"


def test_only_neighbours_that_say_the_same_otherwise_are_joined():
    other = chunk(delta={"content": "c", "refusal": None})
    events = [*says("a", "b"), other, *says("d"), *ends()]
    sent = list(streaming.joined(e.removesuffix(b"\n\n") for e in events))
    assert json.loads(sent[0][6:]) == json.loads(chunk(delta={"content": "ab"})[6:])
    assert sent[1:] == events[2:]
