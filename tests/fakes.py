"""Scripted language models: they say what a test wants, and keep what they were sent."""

import asyncio
import json
from typing import Any

from pydantic_ai import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


class Script(FunctionModel):
    """A model that gives `responses` one after the other, and then the last again and again.

    A response is a list of parts: text, a call of a tool, a dict (the structured output) or an
    error to raise. `pause` is in seconds, before each part of a streamed response.
    """

    def __init__(self, *responses, pause=0):
        self.responses = responses
        self.pause = pause
        self.requests = []
        super().__init__(function=self._respond, stream_function=self._stream)

    @property
    def sent(self):
        """The text of the last user message."""
        return self.requests[-1][-1].parts[-1].content

    @property
    def instructions(self):
        return self.requests[-1][-1].instructions

    def _next(self, messages, info):
        parts = self.responses[min(len(self.requests), len(self.responses) - 1)]
        self.requests.append(list(messages))
        self.settings_sent = info.model_settings
        for part in parts:
            if isinstance(part, Exception):
                raise part
            yield _output(part, info) if isinstance(part, dict) else part

    async def _respond(self, messages, info):
        parts = self._next(messages, info)
        return ModelResponse(
            parts=[TextPart(part) if isinstance(part, str) else part for part in parts]
        )

    async def _stream(self, messages, info):
        for index, part in enumerate(self._next(messages, info)):
            await asyncio.sleep(self.pause)
            if isinstance(part, str):
                yield part
            else:
                arguments = part.args_as_json_str()
                yield {index: DeltaToolCall(part.tool_name, arguments, tool_call_id=f"c{index}")}


class Held(Script):
    """A talker that says as many pieces as it may, one each `pause`, and the others later."""

    def __init__(self, *pieces, may_say=1, pause=0):
        super().__init__(pieces, pause=pause)
        self.text = "".join(pieces)
        self.may_say = may_say

    def go_on(self, may_say=float("inf")):
        self.may_say = may_say

    async def _stream(self, messages, info):
        num_said = 0
        async for piece in super()._stream(messages, info):
            while num_said >= self.may_say:
                await asyncio.sleep(0.01)
            yield piece
            num_said += 1


def says(*pieces: str, pause: float = 0) -> Script:
    """A talker, summarizer or titler that says this, piece by piece."""
    return Script(pieces, pause=pause)


def calls(tool: str, **arguments: Any) -> ToolCallPart:
    return ToolCallPart(tool, arguments)


def _output(answer, info):
    """`answer` in the form that was asked for: a call of the output tool, or JSON."""
    if info.output_tools:
        return calls(info.output_tools[0].name, **answer)
    return json.dumps(answer)


def learns(*operations: dict[str, Any]) -> Script:
    """An extractor that finds these operations in whatever it reads."""
    return Script([{"operations": list(operations)}])


def operation(key: str, value: str, quote: str, **others: Any) -> dict[str, Any]:
    """An operation as an extractor writes it: a new fact, unless `others` say otherwise."""
    return {
        "action": "add",
        "table": "fact",
        "kind": "fact",
        "subject": "",
        **{"key": key, "value": value, "quote": quote},
        **others,
    }


def texts(messages: list[Any]) -> list[tuple[str, str]]:
    """Who said what in a request, without the instructions."""
    return [
        ("user" if isinstance(message, ModelRequest) else "assistant", str(part.content))
        for message in messages
        for part in message.parts
        if isinstance(part, UserPromptPart | TextPart)
    ]
