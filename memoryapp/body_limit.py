"""No request may bring more than is taken at its address: the rest isn't even put on disk."""

import json
from collections.abc import Mapping
from typing import Any

from memoryapp.api.openai.shapes import error_of
from memoryapp.hanging_up import Application, Message, Receive, Send

CODE, SENTENCE = "too_large", "The body is too large. Send less at once."


def limit_body(
    application: Application, max_bytes: int, max_bytes_at: Mapping[str, int]
) -> Application:
    """An ASGI application that answers 413 to a body of more than `max_bytes`, in any encoding, or
    of more than what is taken at some addresses.

    Django's own limit looks at Content-Length, after it has received everything, and a chunked
    body has none.
    """

    async def limited(scope: Any, receive: Receive, send: Send) -> None:
        received, most = 0, max_bytes_at.get(scope["path"], max_bytes)

        async def count() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            # To Django the client has left: it cleans up and says nothing more.
            return message if received <= most else {"type": "http.disconnect"}

        await application(scope, count, send)
        if received > most:
            await refuse(send, scope["path"])

    return limited


async def refuse(send: Send, path: str) -> None:
    told = {"detail": SENTENCE, "code": CODE}
    if path.startswith("/v1/"):
        told = error_of(413, CODE, SENTENCE)
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})
