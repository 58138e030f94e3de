"""What is done once a request is over, however it ended: answered, or given up by its client.

A client may go at any instant, before the first byte of its answer, too, when nothing of the
answer has been begun that could clean up behind itself.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]

NAME = "memoryapp.over"


@dataclass
class Over:
    """Whether a request is over, and what is to be done then."""

    is_over: bool = False
    waiting: list[Callable[[], object]] = field(default_factory=list)

    def then(self, act: Callable[[], object]) -> None:
        if self.is_over:
            act()
        else:
            self.waiting.append(act)

    def come(self) -> None:
        self.is_over = True
        while self.waiting:
            self.waiting.pop()()


def tell_when_over(application: Application) -> Application:
    """An ASGI application whose requests know `when_over`."""

    async def told(scope: Any, receive: Receive, send: Send) -> None:
        over = Over()
        try:
            await application({**scope, NAME: over}, receive, send)
        finally:
            over.come()

    return told


def when_over(request: HttpRequest, act: Callable[[], object]) -> None:
    """Do `act` in the event loop once this request is over; at once if it is. Never, where no
    server could notice that its client has gone."""
    over: Over | None = getattr(request, "scope", {}).get(NAME)
    if over is not None:
        over.then(act)
