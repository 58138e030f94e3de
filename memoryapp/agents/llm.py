"""Which language model each agent uses."""

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar, cast
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.utils.translation import gettext_noop
from httpx2 import AsyncClient
from pydantic_ai import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from memoryapp.agents import offline, sending, streaming
from memoryapp.agents.failures import MODEL_FAILURES as MODEL_FAILURES
from memoryapp.agents.failures import explain as explain
from memoryapp.agents.servers import first_model, is_here, is_near

T = TypeVar("T")
Configured = Literal["talker", "extractor", "summarizer"]
Agent = Configured | Literal["title"]

AUTO, OFFLINE = "auto", "offline"
OFFLINE_RESPONDER = gettext_noop("Offline responder")
ON_THIS_MACHINE = gettext_noop("{}, on this machine")
IN_THIS_NETWORK = gettext_noop("{}, in this network")
# The newest small model of each provider: it answers quickly and a day of chat costs cents.
# Whoever wants another one names it in TALKER_MODEL.
PROVIDERS = (
    ("OPENAI_API_KEY", "openai:gpt-6-luna"),
    ("ANTHROPIC_API_KEY", "anthropic:claude-haiku-5-5"),
    ("GOOGLE_API_KEY", "google:gemini-3.8-flash"),
    ("GEMINI_API_KEY", "google:gemini-3.8-flash"),
)
OPENAI_KINDS = ("openai", "openai-chat", "openai-responses")
# How long a server may take to list its models. An Ollama is only guessed to be there.
SET_SERVER_SECONDS, GUESSED_SERVER_SECONDS = 3, 0.3

# A server that is there accepts a connection within pydantic-ai's 5 seconds. A small machine can
# take a minute and more to read a long prompt before its first token; after two minutes of
# silence nothing comes any more. No reply that somebody waits for takes longer than ten.
WHILE_WAITING = ModelSettings(
    timeout=120, first_event_timeout=120, request_timeout=600, max_retries=2
)
# The queue kills a task after 150 seconds (Q_CLUSTER), so what it calls must give up before.
BACKGROUND_SECONDS = 140
# Noting, condensing and naming need no thinking, which takes minutes on a small machine.
IN_BACKGROUND = ModelSettings(timeout=120, request_timeout=120, max_retries=1, thinking=False)
# In UTF-8 bytes, of which about four make a token in any script. Ollama drops what is over its
# 4,096 tokens, answer and all, without a word; hosted models take 100,000 and more.
LOCAL_BYTES, HOSTED_BYTES = 8_000, 48_000


@dataclass(frozen=True)
class Choice:
    """The model that an agent uses now."""

    name: str  # as pydantic-ai knows it, such as "ollama:qwen3:8b", or "offline"
    is_offline: bool
    is_local: bool  # what it is told stays on this machine or in its own network


@dataclass(frozen=True)
class Run(Generic[T]):
    """What an agent answered and what that took; `cost` in US dollars, None when not known."""

    output: T
    model: str
    input_tokens: int
    output_tokens: int
    milliseconds: int
    cost: Decimal | None


def settings_while_waiting(choice: Choice) -> ModelSettings:
    """Settings for an agent that somebody waits for.

    A refused connection, a busy server and a 429, whose own delay is kept, are tried again before
    the first word, unless another model can answer at once.
    """
    return {**WHILE_WAITING, "max_retries": 0} if fallback(choice) else WHILE_WAITING


def background_settings(choice: Choice, *, most_tokens: int) -> ModelSettings:
    """Settings for an agent in the background whose answer has at most `most_tokens`.

    A small local model is kept from playing with chance, and from never coming to an end.
    """
    if not choice.is_local:
        return IN_BACKGROUND
    return {**IN_BACKGROUND, "temperature": 0, "max_tokens": most_tokens}


def portion_bytes(choice: Choice) -> int:
    """How many bytes of messages one call may be sent."""
    return LOCAL_BYTES if choice.is_local and not choice.is_offline else HOSTED_BYTES


def finished(output: T, choice: Choice, usage: RunUsage, started: float) -> Run[T]:
    """The run that began at `started` on the monotonic clock and ends now."""
    return Run(
        output=output,
        model=choice.name,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        milliseconds=round(1000 * (time.monotonic() - started)),
        cost=usage.cost,
    )


_overrides: dict[Agent, Model] = {}


@contextmanager
def override(models: Mapping[Agent, Model]) -> Iterator[None]:
    """Within this context the named agents use these models, in every thread. For tests."""
    before = dict(_overrides)
    _overrides.update(models)
    try:
        yield
    finally:
        _overrides.clear()
        _overrides.update(before)


def choose(agent: Configured) -> Choice:
    """The model of an agent: what its setting names, or what `auto` finds.

    For the talker `auto` is the server at OPENAI_BASE_URL, else a provider whose key is set, else
    an Ollama that answers, else the offline responder. For the agents in the background it is
    what the talker uses. May ask a server for its models: call it from a thread.
    """
    if agent in _overrides:
        return Choice(f"test:{agent}", is_offline=False, is_local=True)
    name = _name_of(agent)
    return _choice(_found() if name == AUTO else name)


def _name_of(agent: Configured) -> str:
    name: str = getattr(settings, f"{agent.upper()}_MODEL")
    return str(settings.TALKER_MODEL) if name == AUTO else name


async def achoose(agent: Configured) -> Choice:
    """As `choose`, off the event loop when a server may have to be asked."""
    if agent in _overrides or _name_of(agent) != AUTO:
        return choose(agent)
    return await sync_to_async(choose, thread_sensitive=False)(agent)


def fallback(choice: Choice) -> Choice | None:
    """The model that answers when `choice` fails before its first word, if one is set."""
    name = settings.FALLBACK_MODEL
    return _choice(name) if name and name != choice.name else None


def _choice(name: str) -> Choice:
    return Choice(name, is_offline=name == OFFLINE, is_local=_is_local(name))


def _found() -> str:
    base_url = os.environ.get("OPENAI_BASE_URL", "")
    if base_url and urlsplit(base_url).hostname != "api.openai.com":
        # Chosen even when it doesn't answer: somebody set it, so its silence is an error to be
        # told and no reason to answer with less.
        key = os.environ.get("OPENAI_API_KEY", "")
        model = first_model(base_url, seconds=SET_SERVER_SECONDS, key=key)
        return f"openai-chat:{model or 'default'}"
    for variable, name in PROVIDERS:
        if os.environ.get(variable):
            return name
    model = first_model(settings.OLLAMA_BASE_URL, seconds=GUESSED_SERVER_SECONDS)
    return f"ollama:{model}" if model else OFFLINE


def _is_local(name: str) -> bool:
    # Ollama passes models of this name on to its cloud.
    return name == OFFLINE or (is_near(address(name)) and not name.endswith("-cloud"))


def address(name: str) -> str:
    """Where the model of this name is asked, as far as a setting says so."""
    kind = name.partition(":")[0]
    if kind == "ollama":
        return str(settings.OLLAMA_BASE_URL)
    return os.environ.get("OPENAI_BASE_URL", "") if kind in OPENAI_KINDS else ""


def label(choice: Choice) -> str:
    """How the page names a model: "gpt-6-luna", or "qwen3:8b, on this machine"."""
    if choice.is_offline:
        return OFFLINE_RESPONDER
    model = choice.name.partition(":")[2] or choice.name
    if not choice.is_local:
        return model
    return (ON_THIS_MACHINE if is_here(address(choice.name)) else IN_THIS_NETWORK).format(model)


def prepare() -> None:
    """Load what the talker's model needs. That takes a second, and only the first time."""
    choice = choose("talker")
    if not choice.is_offline:
        with suppress(UserError):  # whoever asks it something is told
            _model("talker", choice.name, address(choice.name), None)


def build(choice: Choice, agent: Agent) -> Model:
    """The pydantic-ai model of a choice, for the running event loop.

    Raises UserError, with what to do, for a bad name.
    """
    if agent in _overrides:
        return _overrides[agent]
    if choice.is_offline:
        return offline.model(agent)
    client = streaming.client(is_streamed=agent == "talker")
    return _model(agent, choice.name, address(choice.name), client)


# One for each agent: a provider that makes its own client closes it when the agent is done.
@lru_cache(maxsize=16)
def _model(agent: Agent, name: str, base_url: str, client: AsyncClient | None) -> Model:
    def provider(kind: str) -> Provider[Any]:
        arguments: dict[str, Any] = {"base_url": base_url} if kind == "ollama" else {}
        if client and kind in streaming.KINDS:
            arguments["http_client"] = client
        if not arguments:
            return infer_provider(kind)
        make: Any = infer_provider_class(kind)
        return cast(Provider[Any], make(**arguments))

    if name.partition(":")[0] in OPENAI_KINDS:
        sending.send_as_it_is()
    try:
        return infer_model(name, provider)
    except (ValueError, ImportError, UserError) as error:
        # What follows in pydantic-ai's sentences is for those who write code with it.
        reason = re.split(r" or pass it|, you can use", str(error))[0]
        raise UserError(f"{name} can't be used here: {reason}") from error
