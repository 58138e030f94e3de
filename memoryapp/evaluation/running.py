"""Runs scenarios with throw-away people, in transactions that are rolled back."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import override_settings
from pydantic_ai import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memoryapp import tasks, turns
from memoryapp.agents import llm
from memoryapp.agents.failures import AgentFailed
from memoryapp.evaluation.checks import Checks, audit, folded
from memoryapp.evaluation.extractors import Scripted
from memoryapp.evaluation.people import Person, Row, says
from memoryapp.evaluation.places import answer, asked
from memoryapp.evaluation.rates import Rates
from memoryapp.evaluation.scenarios import Ask, Do, Expect, Say, Scenario, Step
from memoryapp.memory import ledger
from memoryapp.models import Message, User

MARKER = "Quillfeather"  # a word of the neighbour's, who says all that the person says
FILLER = "And so the day went on much like any other, with rain in the afternoon. "


async def repeat_all(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The worst summarizer there is: it leaves nothing out."""
    return ModelResponse(parts=[TextPart(str(getattr(messages[0].parts[-1], "content", "")))])


def evaluate(
    scenarios: Iterable[Scenario],
    *,
    model: str = "",
    memory_on: bool = True,
    tell: Callable[[str], None] = lambda title: None,
) -> Rates:
    """The rates over all scenarios, which leave nothing behind in the database.

    The extractor is the scripted one that misbehaves, or the real `model` of this name. With
    memory off it is the control: what was never learned can't be lost, stale or leaked, so
    these checks must tell the difference. Raises ScenarioError.
    """
    rates = Rates()
    for scenario in scenarios:
        tell(scenario.title)
        scripted = None if model else Scripted()
        with extracting(scripted, model), transaction.atomic():
            try:
                Run(scenario, rates, scripted, memory_on).go()
            finally:
                transaction.set_rollback(True)
    return rates


@contextmanager
def extracting(scripted: Scripted | None, model: str) -> Iterator[None]:
    models: dict[llm.Agent, Model] = {"summarizer": FunctionModel(repeat_all)}
    if scripted is not None:
        models["extractor"] = scripted.model
    with llm.override(models), override_settings(**({"EXTRACTOR_MODEL": model} if model else {})):
        yield


class Run:
    """One scenario with its two people."""

    def __init__(
        self, scenario: Scenario, rates: Rates, scripted: Scripted | None, memory_on: bool
    ) -> None:
        self.scenario = scenario
        self.rates = rates
        self.scripted = scripted
        self.memory_on = memory_on
        self.checks = Checks(rates, scenario.title)
        self.people = {name: self._person(name) for name in ("ada", "ben")}
        self.are_both_busy = any(step.who == "ben" for step in scenario.steps)
        self.last_said = "What do you know about me?"
        self.taught_now: set[str] = set()  # keys that the next delivery may change

    def _person(self, name: str) -> Person:
        user = User.objects.create(
            username=f"evaluation-{name}-{uuid4().hex}",
            language=self.scenario.language,
            timezone=self.scenario.timezone,
            memory_on=self.memory_on,
        )
        return Person(user)

    def go(self) -> None:
        for step in self.scenario.steps:
            self._take(step)
        ada, ben = self.people["ada"], self.people["ben"]
        self._embed()
        self.checks.kept_apart(ada, ben, MARKER, self.last_said[:300], self.are_both_busy)
        if self.scripted is not None:
            for person in (ada, ben):
                self._audit(person)
            for bad in self.scripted.proposed:
                self.rates.tallies[bad.rate].checked += 1

    def _audit(self, person: Person) -> None:
        assert self.scripted is not None
        rates = {folded(bad.operation["value"]): bad.rate for bad in self.scripted.proposed}
        for (rate, what), count in audit(person, rates).items():
            for _ in range(count):
                self.checks.that(rate, False, f"{what!r} was stored")

    def _take(self, step: Step) -> None:
        person = self.people[step.who]
        if isinstance(step, Say):
            self._say(person, step)
        elif isinstance(step, Do):
            self._do(person, step)
        elif isinstance(step, Ask):
            self._embed()
            chat = person.chats[step.chat] if step.chat else None
            self.checks.asked(step, asked(person, step.ask, chat))
        elif isinstance(step, Expect):
            self._embed()
            # Only the scripted extractor fails when it is told to.
            scripted_only = {} if self.scripted else {"told_of_failure": False}
            self.checks.expected(person, step.expect.model_copy(update=scripted_only))

    def _say(self, person: Person, step: Say) -> None:
        if step.chat:
            person.enter(step.chat)
        for number in range(1, step.times + 1):
            body = step.say.replace("{n}", str(number)) + filler(step.filler)
            answer(
                turns.open_turn(chat=person.chat, body=body.strip()),
                step.reply.replace("{n}", str(number)),
            )
            self.last_said = step.say
            self._teach(person, step, body.strip())
            if not step.later:
                self._deliver(person)
            self._background(person)
        if not self.are_both_busy:
            self._echo_by_neighbour(step)

    def _teach(self, person: Person, step: Say, body: str) -> None:
        person.lessons += step.learns
        for lesson in step.learns:
            self.taught_now |= {lesson.key, lesson.replaces}
        if self.scripted is None:
            self._all(step.meanwhile)
            return
        self.scripted.lessons[body] = list(step.learns)
        self.scripted.answers, self.scripted.flood = step.answers, step.flood
        if step.meanwhile or step.takes_back:
            self.taught_now |= {row.key for row in person.in_use()}
        if step.meanwhile:
            work = partial(self._all, step.meanwhile)
            self.scripted.meanwhile = partial(on_connection, connections[DEFAULT_DB_ALIAS], work)

    def _all(self, actions: list[Do]) -> None:
        for action in actions:
            self._do(self.people[action.who], action)

    def _echo_by_neighbour(self, step: Say) -> None:
        """The neighbour says the same with a word of their own, so that they would be found first
        wherever an owner is forgotten."""
        ben = self.people["ben"]
        ben.enter("echo").add_message("user", f"{step.say} {MARKER}")
        ben.chat.add_message("assistant", f"{step.reply} {MARKER}")
        ben.enter("")
        for lesson in step.learns:
            if lesson.value and self.memory_on:
                with suppress(ValidationError):  # a secret, which nobody can have kept
                    ledger.remember(
                        user=ben.user,
                        table=lesson.table,
                        key=f"echo_{lesson.key}",
                        value=f"{lesson.value} {MARKER}",
                        actor="ben",
                        origin="user",
                    )

    def _do(self, person: Person, step: Do) -> None:
        if step.do == "deliver":
            self._deliver(person)
        elif step.do == "deliver again":
            Message.objects.for_user(person.user).update(is_extracted=False)
            self._deliver(person)
        elif step.do == "condense":
            with override_settings(SUMMARY_TRIGGER_MESSAGES=2, SUMMARY_KEEP_MESSAGES=2):
                self._background(person)
        else:
            self._act(person, step)

    def _act(self, person: Person, step: Do) -> None:
        if step.do == "forget" and self.scripted is not None:
            values = [row.value for row in person.in_use() if says(row.text, step.what)]
            self.scripted.forgotten += values
        kept = self.memory_on and step.do not in ("memory off", "memory on")
        if step.do == "memory on" and not self.memory_on:
            return
        if not person.does(step) and kept and self.scripted is not None:
            self.checks.that("lost", False, f"there is nothing to {step.do}: {step.what!r}")

    def _deliver(self, person: Person) -> None:
        """Let the worker learn; what the extractor fails at is tried again, as the queue does."""
        before = {as_known(row) for row in person.in_use()}
        for chat in list(person.chats.values()):
            try:
                tasks.extract(str(chat.pk))
            except AgentFailed as error:
                if self.scripted is None:
                    self.checks.that("lost", False, f"the extractor failed: {error}")
                    continue
                self.scripted.answers = "json"
                tasks.extract(str(chat.pk))
        self.checks.ever_known |= {row.text for row in person.rows()}
        if self.scripted is not None:
            after = {as_known(row) for row in person.in_use()}
            for known in before:
                is_there = known in after or known[2] in self.taught_now
                self.checks.that("lost", is_there, f"{known} is gone and nothing was said of it")
        self.taught_now = set()

    def _background(self, person: Person) -> None:
        for chat in list(person.chats.values()):
            tasks.summarize(str(chat.pk))

    def _embed(self) -> None:
        for person in self.people.values():
            tasks.embed_facts(str(person.user.pk))
            for chat in person.chats.values():
                tasks.embed_messages(str(chat.pk))


def on_connection(lent: BaseDatabaseWrapper, work: Callable[[], None]) -> None:
    """Do the work in this thread and within the transaction of another one, which waits for it."""
    own = connections[DEFAULT_DB_ALIAS]
    lent.inc_thread_sharing()
    connections[DEFAULT_DB_ALIAS] = lent
    try:
        work()
    finally:
        connections[DEFAULT_DB_ALIAS] = own
        lent.dec_thread_sharing()


def as_known(row: Row) -> tuple[str, str, str, str]:
    return row.table, *row.place, row.value


def filler(chars: int) -> str:
    return f" {FILLER * (chars // len(FILLER) + 1)}"[: chars + 1] if chars else ""
