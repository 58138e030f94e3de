"""What is sent to OpenAI-compatible servers, without a search that finds nothing.

OpenAI's client looks through every message, by all types that a message may have, for fields that
are called otherwise on the wire. Chat completions have none, and with 40 messages that takes 7 of
the 11 ms of work before a reply's first word (`tests/agents/test_sending.py` holds them equal).
"""

from collections.abc import Mapping


def send_as_it_is() -> None:
    """From now on chat completions are sent as pydantic-ai puts them together."""
    from openai.resources.chat.completions import completions

    vars(completions)["async_maybe_transform"] = as_it_is


async def as_it_is(body: Mapping[str, object], expected_type: object) -> dict[str, object]:
    from openai._utils import is_given

    return {name: value for name, value in body.items() if is_given(value)}
