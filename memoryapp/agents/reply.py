"""The text of a reply, as it grows out of what a model is heard to do."""

import re

from pydantic_ai import (
    AgentRunResultEvent,
    AgentStreamEvent,
    FunctionToolCallEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPartDelta,
)

from memoryapp.agents.thinking import Spoken

# Far more than the longest answer that today's models give; a loop has no end.
REPLY_MAX_CHARS = 400_000
HEARD_MAX_CHARS = 1_000_000  # with what isn't shown: blanks at first, thinking, tools' arguments
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # and nothing to be seen


class Reply:
    """What the model has said so far, over all the responses that it takes."""

    def __init__(self) -> None:
        self.text = ""
        self.is_calling_tool = False
        self._num_heard = 0
        self._response = Spoken()
        self._is_new_response = True

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()

    @property
    def is_endless(self) -> bool:
        return len(self.text) > REPLY_MAX_CHARS or self._num_heard > HEARD_MAX_CHARS

    @property
    def is_missing(self) -> bool:
        """Whether the model had its say, and said nothing: it wasn't in the middle of a call."""
        return self.is_empty and not self.is_calling_tool

    def hear(self, event: AgentStreamEvent | AgentRunResultEvent[str]) -> str:
        """What `event` adds to the text."""
        length = len(self.text)
        self._num_heard += _num_chars(event)
        self.is_calling_tool = isinstance(event, FunctionToolCallEvent)
        if isinstance(event, AgentRunResultEvent) or _begins_response(event):
            self._say(self._response.end())
            self._response, self._is_new_response = Spoken(), True
        self._say(self._response.hear(_text(event)))
        return self.text[length:REPLY_MAX_CHARS]

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._is_new_response and not self.is_empty:
            self.text += "\n\n"
        self.text += text
        self._is_new_response = False


def _begins_response(event: AgentStreamEvent) -> bool:
    return isinstance(event, PartStartEvent) and event.index == 0


def _text(event: AgentStreamEvent | AgentRunResultEvent[str]) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return UNSTORABLE.sub("", event.part.content)
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return UNSTORABLE.sub("", event.delta.content_delta)
    return ""


def _num_chars(event: AgentStreamEvent | AgentRunResultEvent[str]) -> int:
    match event:
        case PartStartEvent(part=TextPart(content=text) | ThinkingPart(content=text)):
            return len(text)
        case PartDeltaEvent(
            delta=TextPartDelta(content_delta=str() as text)
            | ThinkingPartDelta(content_delta=str() as text)
            | ToolCallPartDelta(args_delta=str() as text)
        ):
            return len(text)
    return 0
