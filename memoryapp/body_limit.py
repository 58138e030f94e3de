"""No request may bring more than the largest upload: what is longer isn't even put on disk."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]

TOO_LARGE = {"detail": "The body is too large. Send less at once.", "code": "too_large"}


def limit_body(application: Application, max_bytes: int) -> Application:
    """An ASGI application that answers 413 to a body of more than `max_bytes`, in any encoding.

    Django's own limit looks at Content-Length, after it has received everything, and a chunked
    body has none.
    """

    async def limited(scope: Any, receive: Receive, send: Send) -> None:
        received = 0

        async def count() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            # To Django the client has left: it cleans up and says nothing more.
            return message if received <= max_bytes else {"type": "http.disconnect"}

        await application(scope, count, send)
        if received > max_bytes:
            await refuse(send)

    return limited


async def refuse(send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(TOO_LARGE).encode()})
