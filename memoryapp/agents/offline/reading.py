"""What a prompt of this project's agents holds, taken apart again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import TypeVar

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from memoryapp.agents.continuing import GO_ON

P = TypeVar("P", UserPromptPart, ToolReturnPart)

# The lines of the memory block, and the answer of a search, as `talker` writes them.
FACT = re.compile(r"- \[(?P<kind>\w+)(?P<due>, due)?\] (?P<text>.+)")
TURN = re.compile(
    r"- \[(?P<said>[^\]]*)\] (?P<text>.+?)(?: \((?P<changes>(?:since then|no longer so): .+)\))?$",
    re.MULTILINE,
)
OFF = re.compile(r"^Memory is not used in this chat\.$", re.MULTILINE)
SUMMARY = re.compile(r"\s*<summary>.*?</summary>", re.DOTALL)
FOUND = re.compile(r"<found>\n- (.*)\n</found>", re.DOTALL)


@dataclass(frozen=True)
class Fact:
    kind: str
    text: str
    is_due: bool = False


@dataclass(frozen=True)
class Question:
    """One request to the talker: what the person wrote, and what it may draw on."""

    body: str
    facts: tuple[Fact, ...]
    turns: tuple[tuple[str, str], ...]  # when, by whom, and what has changed since; the words
    persona: str
    is_first: bool  # in its chat
    tools: frozenset[str]
    found: dict[str, tuple[str, ...]]  # by the tools called for it so far, "source: text" each
    begun: str  # what there is of the reply already
    replied: str  # all earlier replies of the chat
    memory_on: bool


def last_prompt(messages: Sequence[ModelMessage]) -> str:
    """The text of the last user message."""
    prompts = _parts(messages, UserPromptPart)
    return prompts[-1].content if prompts and isinstance(prompts[-1].content, str) else ""


def question(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> Question:
    """The last question, with what tools found since then."""
    start = max(i for i, message in enumerate(messages) if _parts([message], UserPromptPart))
    asked, begun = last_prompt(messages), ""
    earlier, since = messages[:start], messages[start:]
    if asked == GO_ON:
        *earlier, question, reply = earlier
        asked, begun = last_prompt([question]), _said(reply)
    memory, _, body = asked.partition("</memory>")
    summary = SUMMARY.match(body)
    facts, _, turns = memory.partition("\nEarlier turns:\n")
    instructions = "\n\n".join(part.content for part in parameters.instruction_parts or ())
    return Question(
        body=body[summary.end() if summary else 0 :].strip(),
        facts=tuple(
            Fact(match["kind"], unescaped(match["text"]), bool(match["due"]))
            for match in FACT.finditer(facts)
        ),
        turns=tuple(
            ("; ".join(filter(None, match.group("said", "changes"))), unescaped(match["text"]))
            for match in TURN.finditer(turns)
        ),
        persona=instructions.partition("\n\n")[2],
        is_first=not (summary or any(map(_is_reply_or_summary, earlier))),
        tools=frozenset(tool.name for tool in parameters.function_tools),
        found={
            part.tool_name: _found(part.model_response_str())
            for part in _parts(since, ToolReturnPart)
        },
        begun=begun,
        replied="\n".join(_said(each) for each in earlier if isinstance(each, ModelResponse)),
        memory_on=not OFF.search(memory),
    )


def _said(reply: ModelMessage) -> str:
    return "".join(part.content for part in reply.parts if isinstance(part, TextPart))


def _parts(messages: Sequence[ModelMessage], kind: type[P]) -> list[P]:
    return [
        part
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, kind)
    ]


def _is_reply_or_summary(message: ModelMessage) -> bool:
    prompts = _parts([message], UserPromptPart)
    return isinstance(message, ModelResponse) or any(
        SUMMARY.match(str(part.content)) for part in prompts
    )


def _found(result: str) -> tuple[str, ...]:
    """The texts that a search tool returned; none when it found nothing."""
    match = FOUND.fullmatch(result.strip())
    texts = match[1].split("\n- ") if match else []
    return tuple(unescaped(dedent(f"  {text}")).strip() for text in texts)


def unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">")
