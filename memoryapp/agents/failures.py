"""What went wrong with a language model: a sentence of what happened, why, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext_noop
from pydantic_ai import exceptions as errors


class AgentFailed(Exception):
    """An agent's model couldn't do its work. The message is for its owner."""


class EmptyReply(Exception):
    """The model ended its reply without a word."""


class EndlessReply(Exception):
    """The model wrote on and on."""


class WebPage(Exception):
    """Where a model should be, something answered with a page for people."""


class NoStream(Exception):
    """The model's server was asked for a stream, and sent something else."""


# What a model or its server may do wrong, and what another model may do better.
MODEL_FAILURES = (
    errors.AgentRunError,
    errors.UserError,
    EmptyReply,
    EndlessReply,
    WebPage,
    NoStream,
    TimeoutError,
)

# The first kind that an error is of names it, so the narrower ones come first. An error's own
# text is never repeated: it may hold a key or what somebody wrote.
Kinds = type[Exception] | tuple[type[Exception], ...]
SENTENCES: tuple[tuple[Kinds, str], ...] = (
    (
        EmptyReply,
        gettext_noop(
            "The model sent an empty reply, as small models sometimes do when a chat is long. Try "
            "again, or choose another model."
        ),
    ),
    (
        EndlessReply,
        gettext_noop(
            "The model wrote on and on, so the reply was ended. What had come is kept. Ask for "
            "less at once, or choose another model."
        ),
    ),
    (
        WebPage,
        gettext_noop(
            "A web page came where the model's answer should be: its address leads to something "
            "else, or the network wants a sign-in first. Check the address in the settings and "
            "the server's network, then try again."
        ),
    ),
    (
        errors.ModelAuthenticationError,
        gettext_noop(
            "The provider refused the key for this model: it is wrong, has expired, or may not "
            "use the model. Check the provider's API key in the settings."
        ),
    ),
    (
        errors.ModelNotFoundError,
        gettext_noop(
            "The provider doesn't know this model. Check its name in the settings; a model of "
            "Ollama must be pulled first (ollama pull NAME)."
        ),
    ),
    (
        errors.ModelContextWindowExceededError,
        gettext_noop(
            "The chat is too long for this model. Lower SUMMARY_TRIGGER_TOKENS, so that older "
            "messages are condensed earlier, or choose a model with a larger context."
        ),
    ),
    (
        errors.ModelQuotaExceededError,
        gettext_noop(
            "The account at the provider has no credit left. Top it up, or choose another model."
        ),
    ),
    (
        errors.ModelRateLimitError,
        gettext_noop(
            "The provider takes no more requests for the moment. Wait a minute and try again."
        ),
    ),
    (
        (errors.ModelTimeoutError, errors.ModelRequestTimeout, TimeoutError),
        gettext_noop(
            "The model didn't answer in time. It may still be loading or be busy. Wait a minute "
            "and try again, or choose a smaller model."
        ),
    ),
    (
        errors.ModelConnectionError,
        gettext_noop(
            "The connection to the model couldn't be made or broke off. Check that its server "
            "runs and that its address in the settings is right, then try again."
        ),
    ),
    (
        errors.ModelUnavailableError,
        gettext_noop(
            "The model is not available for the moment, most likely because it is busy. Wait a "
            "minute and try again."
        ),
    ),
    (
        errors.ModelServerError,
        gettext_noop(
            "The model's server failed while it answered. Try again, or choose another model."
        ),
    ),
    (
        errors.ModelRequestRejectedError,
        gettext_noop(
            "The provider refused the request. The model may not be able to use tools, or the "
            "chat may hold something that it doesn't take. Choose another model."
        ),
    ),
    (
        errors.ContentFilterError,
        gettext_noop(
            "The provider's content filter held the reply back. Say it in other words and try "
            "again."
        ),
    ),
    (
        errors.UsageLimitExceeded,
        gettext_noop(
            "The reply was ended because the model called its tools again and again. Ask for less "
            "at once, or choose another model."
        ),
    ),
    (
        errors.OutputTokenLimitExceeded,
        gettext_noop(
            "The model reached the end of what it may write before it had an answer. Ask for less "
            "at once, or choose another model."
        ),
    ),
    (
        errors.UnexpectedModelBehavior,
        gettext_noop(
            "The model answered in a way that can't be used: it called a tool that doesn't exist, "
            "or didn't keep to the form it was asked for. Try again, or choose another model."
        ),
    ),
    (
        (errors.ModelAPIError, NoStream),
        gettext_noop(
            "The model's server sent something that isn't an answer. Try again, or choose another "
            "model."
        ),
    ),
)
CUT_OFF = gettext_noop(
    "The connection to the model broke off before the reply was complete. What had come is kept. "
    "Try again; if it happens often, look into the log of the model's server."
)
NOT_SET_UP = gettext_noop(
    "The model is not set up: {}. Check TALKER_MODEL and the provider's API key in the settings."
)
UNKNOWN = gettext_noop(
    "Something went wrong in memoryapp itself. Try again; the server's log says more, and an "
    "administrator can read it."
)


def explain(error: Exception) -> str:
    """Why an agent failed, as its owner reads it: what happened, why, and what to do."""
    if isinstance(error, AgentFailed):
        return str(error)
    if isinstance(error, errors.UserError):
        # Written for whoever sets the model up: it names settings, never their values.
        return NOT_SET_UP.format(error.message.rstrip("."))
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
    except MODEL_FAILURES as error:
        raise AgentFailed(explain(error)) from None
