"""Tasks that wait for a model, many of them at once in one process of the worker.

Such a task is a generator that yields each answer it waits for. Whoever runs one also takes others
of its kind that wait in the queue. While models think nothing is held but advisory locks, and
what is done before and after is done in the task's own thread, over its one connection.
"""

from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import Future
from functools import wraps
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from django_q.models import OrmQ

from memoryapp import queue
from memoryapp.locks import Busy
from memoryapp.models import Chat

if TYPE_CHECKING:
    from memoryapp.agents.llm import Configured

Result = TypeVar("Result")
Steps = Generator[Future[Any], None, Result]


def together(agent: "Configured") -> Callable[[Callable[..., Steps[None]]], Callable[..., None]]:
    """Make a task of steps that ask this agent.

    Each call ends as if it had been run by itself: those that were taken along are settled in the
    queue at once, and an error of the one that was asked for is raised when all have ended.
    """

    def decorate(steps: Callable[..., Steps[None]]) -> Callable[..., None]:
        @wraps(steps)
        def task(*call: str) -> None:
            from memoryapp.agents import asking

            taken = queue.take(task, call, most=asking.num_at_once(agent) - 1)
            error = None
            for each, outcome in _ended({one: steps(*one) for one in (call, *taken)}):
                if each == call:
                    error = outcome
                if each in taken:
                    _settle(taken[each], outcome)
            if isinstance(error, Busy):
                queue.enqueue(task, *call, due=queue.in_a_moment())
            elif error is not None:
                raise error

        return task

    return decorate


def _settle(rows: Sequence[OrmQ], outcome: Exception | None) -> None:
    if outcome is None:
        queue.done(rows)
    elif isinstance(outcome, Busy):
        queue.put_back(rows)
    else:
        queue.failed(rows, outcome)


def _ended(works: dict[queue.Call, Steps[None]]) -> Iterator[tuple[queue.Call, Exception | None]]:
    """Each as it ends, with what went wrong. None waits for the answer of another."""
    ready, waiting = deque(works), dict[Future[Any], queue.Call]()
    answered = SimpleQueue[Future[Any]]()
    try:
        while ready or waiting:
            call = ready.popleft() if ready else waiting.pop(answered.get())
            try:
                asked = next(works[call])
            except (StopIteration, Chat.DoesNotExist):  # deleted meanwhile: nothing is left to do
                yield call, None
            except Exception as error:  # noqa: BLE001 - whoever looks into the queue is told
                yield call, error
            else:
                waiting[asked] = call
                asked.add_done_callback(answered.put)
    finally:  # early, as when the queue's time for a task is over
        for asked in waiting:
            asked.cancel()
        for work in works.values():
            work.close()


def answer(
    agent: "Configured", work: Callable[..., Coroutine[Any, Any, Result]], *arguments: Any
) -> Steps[Result]:
    """The step in which an agent is asked, and what it answers; see `asking.begin`."""
    from memoryapp.agents import asking

    asked = asking.begin(agent, work, *arguments)
    yield asked
    return asked.result()
