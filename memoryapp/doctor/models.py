"""Which model each agent uses, and whether it can do what it is there for, by asking it."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from django.conf import settings
from django.utils import timezone

from memoryapp.agents import extractor, llm, servers, summarizer, talker
from memoryapp.agents.asking import begin
from memoryapp.agents.failures import AgentFailed
from memoryapp.doctor.findings import Finding, ok, problem, warning
from memoryapp.receipts import nothing_found

SECONDS = 60  # a model on this machine may have to be loaded first
SERVER_SECONDS = 3
LESSON = "My name is Ada and I live in Graz."
# Beside history and recall: instructions, tools, the question and its answer.
REST_TOKENS = 2000


async def talk(*, choice: llm.Choice) -> None:
    """Have one word streamed, with all that belongs to a reply."""
    nothing = talker.Context(
        persona=(),
        memories=(),
        turns=(),
        history=(),
        now=timezone.now(),
        search_resources=nothing_found,
        search_archive=nothing_found,
    )
    async for _ in talker.stream("Are you ready? Answer in one word.", nothing, choice=choice):
        pass


async def learn(*, choice: llm.Choice) -> None:
    """Have the extractor find what anybody would."""
    heard = [extractor.Heard(1, "user", LESSON, timezone.now())]
    run = await extractor.extract(heard, [], choice=choice)
    if not run.output:
        raise AgentFailed(
            f"It found nothing to remember in “{LESSON}”. It may be too small to learn from what"
            " people say: choose another model, with EXTRACTOR_MODEL."
        )


async def condense(*, choice: llm.Choice) -> None:
    said = [talker.Said("user", LESSON), talker.Said("assistant", "Welcome, Ada.")]
    await summarizer.summarize(said, choice=choice)


QUESTIONS: dict[llm.Configured, Callable[..., Awaitable[None]]] = {
    "talker": talk,
    "extractor": learn,
    "summarizer": condense,
}


def agent(name: llm.Configured, *, asks: bool) -> Iterator[Finding]:
    """The model of an agent and, with `asks`, how it answers."""
    choice = llm.choose(name)
    told = f"{choice.name} ({why(name, choice)})"
    if choice.is_offline and name == "talker" and settings.TALKER_MODEL == llm.AUTO:
        yield warning(
            "No model is connected, so the built-in offline responder answers: name one in"
            " TALKER_MODEL, set a provider's key or OPENAI_BASE_URL, or start Ollama."
        )
    elif choice.is_offline or not asks:
        yield ok(f"{told}.")
    else:
        yield from asked(name, choice, told)


def fallback(*, asks: bool) -> Iterator[Finding]:
    """The model that answers when the talker's doesn't."""
    choice = llm.fallback(llm.choose("talker"))
    if choice is None or choice.is_offline or not asks:
        yield ok(f"{choice.name} (FALLBACK_MODEL)." if choice else "None is set.")
    else:
        yield from asked("talker", choice, f"{choice.name} (FALLBACK_MODEL)")


def asked(name: llm.Configured, choice: llm.Choice, told: str) -> Iterator[Finding]:
    async def in_time(*, choice: llm.Choice) -> None:
        async with asyncio.timeout(SECONDS):
            await QUESTIONS[name](choice=choice)

    started = time.monotonic()
    try:
        begin(name, in_time, choice=choice).result()
    except AgentFailed as error:
        yield problem(f"{told}: {error}{others(choice)}")
        return
    took = f"{told}, answered in {time.monotonic() - started:.1f} s."
    # The others are sent no more at once than fits into any (llm.LOCAL_BYTES).
    tokens = window(choice) if name == "talker" else None
    needed = settings.SUMMARY_TRIGGER_TOKENS + settings.RECALL_TOKENS + REST_TOKENS
    if tokens is None or tokens >= needed:
        yield ok(took)
    else:
        yield warning(
            f"{took} But its server gives it {tokens:,} tokens, and a chat may take {needed:,}:"
            " what is over is cut off, or the reply fails. Give it more (OLLAMA_CONTEXT_LENGTH for"
            " Ollama, --ctx-size for llama.cpp), or lower SUMMARY_TRIGGER_TOKENS."
        )


def window(choice: llm.Choice) -> int | None:
    """The context of a local model, in tokens, if its server tells."""
    if not choice.is_local:
        return None
    return servers.context_tokens(model=choice.name.partition(":")[2], **server_of(choice))


def others(choice: llm.Choice) -> str:
    """What a local server has in the place of a model that it lacks."""
    names = servers.models(**server_of(choice)) if choice.is_local else []
    is_there = choice.name.partition(":")[2] in names
    return f" The server has {', '.join(names)}." if names and not is_there else ""


def server_of(choice: llm.Choice) -> dict[str, Any]:
    """How the server of a local model is asked about itself."""
    is_ours = choice.name.partition(":")[0] in llm.OPENAI_KINDS
    key = os.environ.get("OPENAI_API_KEY", "") if is_ours else ""
    return {"base_url": llm.address(choice.name), "seconds": SERVER_SECONDS, "key": key}


def why(name: llm.Configured, choice: llm.Choice) -> str:
    """By what the model was chosen."""
    own = f"{name.upper()}_MODEL"
    if getattr(settings, own) != llm.AUTO:
        return own
    if settings.TALKER_MODEL != llm.AUTO:
        return "TALKER_MODEL"
    kind = choice.name.partition(":")[0]
    found = {"openai-chat": "OPENAI_BASE_URL", "ollama": "an Ollama answers", "offline": "no other"}
    keys = {model: variable for variable, model in llm.PROVIDERS if os.environ.get(variable)}
    return f"auto: {keys.get(choice.name) or found.get(kind, kind)}"
