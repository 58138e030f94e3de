"""A request in OpenAI's protocol: what of it is obeyed, and what can't be done and is refused.

What is not named here, such as `user`, `store` or `tool_choice`, changes nothing that can be seen
and is ignored.
"""

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, field_validator
from pydantic_ai.settings import ModelSettings

from memoryapp.agents.talker import Said, Wishes
from memoryapp.schemas.fields import storable
from memoryapp.visible import visible

MOST_MESSAGES = 2000
NO_TOOLS = "a program's own tools can't be called here; switch them off"
# By field, what may be given because it asks for what is done anyway, and why nothing else may.
ONLY: dict[str, tuple[tuple[Any, ...], str]] = {
    "n": ((None, 1), "there is one choice for each request; ask again for another"),
    "tools": ((None, []), NO_TOOLS),
    "functions": ((None, []), NO_TOOLS),
    "response_format": ((None, {"type": "text"}), "a reply is text; no other form can be promised"),
    "logprobs": ((None, False), "there are no probabilities to give"),
    "modalities": ((None, ["text"]), "a reply is text"),
    "audio": ((None,), "a reply is text"),
}
SETTINGS = ("temperature", "top_p", "seed", "presence_penalty", "frequency_penalty")


def text_of(content: Any) -> str:
    """The text of a message, which may come in parts."""
    if content is None:
        return ""
    texts = [content]
    if isinstance(content, list):
        texts = [
            part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
            for part in content
        ]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("only text can be read, no images, sounds, files or calls of tools")
    return visible("\n\n".join(texts))


Text = Annotated[str, BeforeValidator(text_of), AfterValidator(storable)]
Number = Annotated[float, Field(allow_inf_nan=False)]
NumTokens = Annotated[int, Field(ge=1, le=10**7)]
Stop = Annotated[str, Field(min_length=1, max_length=200)]


class AskedMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant"]
    content: Text = ""


class StreamOptions(BaseModel):
    include_usage: bool | None = None


class Completion(BaseModel):
    model: str
    messages: list[AskedMessage] = Field(min_length=1, max_length=MOST_MESSAGES)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    metadata: dict[str, Any] | None = None
    max_tokens: NumTokens | None = None
    max_completion_tokens: NumTokens | None = None
    stop: Stop | Annotated[list[Stop], Field(max_length=4)] | None = None
    temperature: Annotated[Number, Field(ge=0, le=2)] | None = None
    top_p: Annotated[Number, Field(ge=0, le=1)] | None = None
    presence_penalty: Annotated[Number, Field(ge=-2, le=2)] | None = None
    frequency_penalty: Annotated[Number, Field(ge=-2, le=2)] | None = None
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None
    n: Any = None
    tools: Any = None
    functions: Any = None
    response_format: Any = None
    logprobs: Any = None
    modalities: Any = None
    audio: Any = None

    @field_validator(*ONLY)
    @classmethod
    def done_anyway(cls, value: Any, info: Any) -> Any:
        accepted, why_not = ONLY[info.field_name]
        if value not in accepted:
            raise ValueError(why_not)
        return value

    @field_validator("messages")
    @classmethod
    def ends_with_a_question(cls, messages: list[AskedMessage]) -> list[AskedMessage]:
        if messages[-1].role != "user" or not messages[-1].content:
            raise ValueError("the last one must be the user's, with a text to answer")
        return messages

    @property
    def question(self) -> str:
        return self.messages[-1].content

    @property
    def said(self) -> list[Said]:
        """What was said before the question, as the program has it."""
        return [
            Said(each.role, each.content)
            for each in self.messages[:-1]
            if each.role in ("user", "assistant") and each.content
        ]

    @property
    def most_tokens(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens

    @property
    def wishes(self) -> Wishes:
        """What the program asks of this one reply; its system messages are its instructions."""
        added = [each.content for each in self.messages if each.role in ("system", "developer")]
        wanted: dict[str, Any] = {name: getattr(self, name) for name in SETTINGS}
        wanted["max_tokens"] = self.most_tokens
        wanted["stop_sequences"] = [self.stop] if isinstance(self.stop, str) else self.stop
        given = {name: value for name, value in wanted.items() if value not in (None, [])}
        return Wishes("\n\n".join(filter(None, added)), cast(ModelSettings, given))
