"""No request may bring more than is taken at its address, and from whoever sends it: the rest isn't
even put on disk."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from memoryapp.api.openai.shapes import error_of
from memoryapp.hanging_up import Application, Message, Receive, Send

Refusal = tuple[int, str, str]

TOO_LARGE = 413, "too_large", "The body is too large. Send less at once."
STRANGER = 401, "not_signed_in", "Only who is signed in, or has an API key, may send so much."


def limit_body(
    application: Application,
    max_bytes: int,
    max_bytes_at: Mapping[str, int],
    is_from_stranger: Callable[[Any], Awaitable[bool]],
) -> Application:
    """An ASGI application that answers 413 to a body of more than `max_bytes`, in any encoding, or
    of more than what is taken at some addresses; and 401 there, as soon as `max_bytes` have come,
    to whoever isn't known.

    Django's own limit looks at Content-Length, after it has received everything, and a chunked
    body has none.
    """

    async def limited(scope: Any, receive: Receive, send: Send) -> None:
        received, most = 0, max_bytes_at.get(scope["path"], max_bytes)
        refusal: Refusal | None = None

        async def count() -> Message:
            nonlocal received, refusal
            message = await receive()
            before, received = received, received + len(message.get("body", b""))
            if received > most:
                refusal = TOO_LARGE
            elif before <= max_bytes < received and await is_from_stranger(scope):
                refusal = STRANGER
            # To Django the client has left: it cleans up and says nothing more.
            return {"type": "http.disconnect"} if refusal else message

        await application(scope, count, send)
        if refusal:
            await refuse(send, scope["path"], *refusal)

    return limited


async def refuse(send: Send, path: str, status: int, code: str, sentence: str) -> None:
    told = {"detail": sentence, "code": code}
    if path.startswith("/v1/"):
        told = error_of(status, code, sentence)
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})
