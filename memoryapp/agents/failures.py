"""What went wrong with a language model: a sentence of what happened, why, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic_ai import exceptions as errors


class AgentFailed(Exception):
    """An agent's model couldn't do its work. The message is for its owner."""


class EmptyReply(Exception):
    """The model ended its reply without a word."""


class EndlessReply(Exception):
    """The model wrote on and on."""


# What a model or its server may do wrong, and what another model may do better.
MODEL_FAILURES = (errors.AgentRunError, errors.UserError, EmptyReply, EndlessReply, TimeoutError)

TRY_AGAIN = "Try again, or choose another model."
# The first kind that an error is of names it, so the narrower ones come first. An error's own
# text is never repeated: it may hold a key or what somebody wrote.
Kinds = type[Exception] | tuple[type[Exception], ...]
SENTENCES: tuple[tuple[Kinds, str], ...] = (
    (
        EmptyReply,
        "The model sent an empty reply, as small models sometimes do when a chat is long. "
        f"{TRY_AGAIN}",
    ),
    (
        EndlessReply,
        "The model wrote on and on, so the reply was ended. What had come is kept. Ask for less at "
        "once, or choose another model.",
    ),
    (
        errors.ModelAuthenticationError,
        "The provider refused the key for this model: it is wrong, has expired, or may not use the "
        "model. Check the provider's API key in the settings.",
    ),
    (
        errors.ModelNotFoundError,
        "The provider doesn't know this model. Check its name in the settings; a model of Ollama "
        "must be pulled first (ollama pull NAME).",
    ),
    (
        errors.ModelContextWindowExceededError,
        "The chat is too long for this model. Lower SUMMARY_TRIGGER_TOKENS, so that older messages "
        "are condensed earlier, or choose a model with a larger context.",
    ),
    (
        errors.ModelQuotaExceededError,
        "The account at the provider has no credit left. Top it up, or choose another model.",
    ),
    (
        errors.ModelRateLimitError,
        "The provider takes no more requests for the moment. Wait a minute and try again.",
    ),
    (
        (errors.ModelTimeoutError, errors.ModelRequestTimeout, TimeoutError),
        "The model didn't answer in time. It may still be loading or be busy. Wait a minute and "
        "try again, or choose a smaller model.",
    ),
    (
        errors.ModelConnectionError,
        "The connection to the model couldn't be made or broke off. Check that its server runs and "
        "that its address in the settings is right, then try again.",
    ),
    (
        errors.ModelUnavailableError,
        "The model is not available for the moment, most likely because it is busy. Wait a minute "
        "and try again.",
    ),
    (
        errors.ModelServerError,
        f"The model's server failed while it answered. {TRY_AGAIN}",
    ),
    (
        errors.ModelRequestRejectedError,
        "The provider refused the request. The model may not be able to use tools, or the chat may "
        "hold something that it doesn't take. Choose another model.",
    ),
    (
        errors.ContentFilterError,
        "The provider's content filter held the reply back. Say it in other words and try again.",
    ),
    (
        errors.UsageLimitExceeded,
        "The reply was ended because the model called its tools again and again. Ask for less at "
        "once, or choose another model.",
    ),
    (
        errors.OutputTokenLimitExceeded,
        "The model reached the end of what it may write before it had an answer. Ask for less at "
        "once, or choose another model.",
    ),
    (
        errors.UnexpectedModelBehavior,
        "The model answered in a way that can't be used: it called a tool that doesn't exist, or "
        f"didn't keep to the form it was asked for. {TRY_AGAIN}",
    ),
    (
        errors.ModelAPIError,
        f"The model's server sent something that isn't an answer. {TRY_AGAIN}",
    ),
)
CUT_OFF = (
    "The connection to the model broke off before the reply was complete. What had come is kept. "
    "Try again; if it happens often, look into the log of the model's server."
)
CHECK_SETTINGS = "Check TALKER_MODEL and the provider's API key in the settings."
UNKNOWN = (
    "Something went wrong in memoryapp itself. Try again; the server's log says more, and an "
    "administrator can read it."
)


def explain(error: Exception) -> str:
    """Why an agent failed, as its owner reads it: what happened, why, and what to do."""
    if isinstance(error, AgentFailed):
        return str(error)
    if isinstance(error, errors.UserError):
        # Written for whoever sets the model up: it names settings, never their values.
        return f"The model is not set up: {error.message.rstrip('.')}. {CHECK_SETTINGS}"
    if isinstance(error, errors.ModelConnectionError) and error.phase == "read":
        return CUT_OFF
    return next((words for kind, words in SENTENCES if isinstance(error, kind)), UNKNOWN)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what a model did wrong into AgentFailed, whose traceback holds nobody's words.

    An error of memoryapp itself stays as it is: its traceback is needed.
    """
    try:
        yield
    except (errors.AgentRunError, errors.UserError, TimeoutError, EmptyReply) as error:
        raise AgentFailed(explain(error)) from None
