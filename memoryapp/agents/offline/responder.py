"""A pydantic-ai model that asks nobody: it gives what the rules of this package say."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from memoryapp.agents.offline import answers, condensing, learning
from memoryapp.tokens import num_tokens

NAME = "offline"
# Slow enough to be seen to stream: a second for a reply, however long it is.
MOST_PIECES = 100
SECONDS_PER_PIECE = 0.01

Part = TextPart | ToolCallPart
Rules = Callable[[list[ModelMessage], ModelRequestParameters], Part]

RULES: dict[str, Rules] = {
    "talker": answers.reply,
    "extractor": learning.operations,
    "summarizer": condensing.summary,
    "title": condensing.title,
}


@cache
def model(agent: Literal["talker", "extractor", "summarizer", "title"]) -> Model:
    """The model that does one agent's work without any language model.

    Deterministic, makes no requests, reports estimated tokens. It understands the prompts of
    this project's agents and no others.
    """
    return OfflineModel(RULES[agent])


class OfflineModel(Model):
    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def system(self) -> str:
        return NAME

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        part = self._rules(messages, parameters)
        return ModelResponse(
            parts=[part],
            model_name=NAME,
            provider_name=NAME,
            usage=RequestUsage(
                input_tokens=_read(messages, parameters), output_tokens=_written(part)
            ),
        )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        yield OfflineStream(
            parameters, self._rules(messages, parameters), _read(messages, parameters)
        )


@dataclass
class OfflineStream(StreamedResponse):
    """One part of a response, word by word."""

    part: Part
    num_read: int
    timestamp_: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        self._usage = RequestUsage(input_tokens=self.num_read, output_tokens=_written(self.part))
        if isinstance(self.part, ToolCallPart):
            yield self._parts_manager.handle_tool_call_part(
                vendor_part_id=0,
                tool_name=self.part.tool_name,
                args=self.part.args,
                tool_call_id=self.part.tool_call_id,
            )
            return
        for piece in _pieces(self.part.content):
            if self.cancelled:
                return
            for event in self._parts_manager.handle_text_delta(vendor_part_id=0, content=piece):
                yield event
            await asyncio.sleep(SECONDS_PER_PIECE)

    async def close_stream(self) -> None:
        """Nothing is open: the loop over the pieces looks at `cancelled`."""

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def provider_name(self) -> str:
        return NAME

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return self.timestamp_


def _pieces(text: str) -> Iterator[str]:
    """The words of `text`, several together when there are many."""
    words = re.findall(r"\s*\S+\s*", text)
    size = -(-len(words) // MOST_PIECES)
    return ("".join(words[i : i + size]) for i in range(0, len(words), size or 1))


def _read(messages: list[ModelMessage], parameters: ModelRequestParameters) -> int:
    """About how many tokens a language model would have read."""
    parts = [part for message in messages for part in message.parts]
    texts = [
        getattr(part, "content", "") for part in (*(parameters.instruction_parts or ()), *parts)
    ]
    return sum(num_tokens(str(text)) for text in texts)


def _written(part: Part) -> int:
    text = part.content if isinstance(part, TextPart) else part.args_as_json_str()
    return num_tokens(text)
