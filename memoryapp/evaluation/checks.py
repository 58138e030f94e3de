"""What must hold at a point of a scenario, counted into rates."""

from collections import Counter
from collections.abc import Iterable

from memoryapp.evaluation.people import Person, Row, says
from memoryapp.evaluation.places import Sent, places, searched, stored, told
from memoryapp.evaluation.rates import Rates
from memoryapp.evaluation.scenarios import Ask, Expected
from memoryapp.memory.operations import quote_start
from memoryapp.memory.recall.choosing import STANDING
from memoryapp.models import MemoryEvent, Message, Prompt


class Checks:
    """Counts for one scenario."""

    def __init__(self, rates: Rates, scenario: str) -> None:
        self.rates = rates
        self.scenario = scenario
        self.ever_known: set[str] = set()

    def that(self, rate: str, is_right: bool, what: str) -> None:
        self.rates.check(rate, is_right, self.scenario, what)

    def expected(self, person: Person, expected: Expected) -> None:
        in_use = [row.text for row in person.in_use()]
        waiting = [row.text for row in person.waiting()]
        closed = [row.text for row in person.closed()]
        for text in expected.known:
            self.that("lost", holds(in_use, text), f"{text!r} is not known")
        for text in expected.history:
            self.that("lost", holds(closed, text), f"{text!r} is not in the history")
        for text in expected.waiting:
            self.that("lost", holds(waiting, text), f"{text!r} doesn't wait")
            self.that("junk", not holds(in_use, text), f"{text!r} took effect unseen")
        for text in expected.unknown:
            self.that("junk", not holds(in_use + waiting, text), f"{text!r} was stored")
        for text in expected.stale:
            self.that("stale", not holds(in_use, text), f"{text!r} is still current")
        for text in expected.invented:
            stored = in_use + waiting + closed
            self.that("invented", not holds(stored, text), f"{text!r} was stored")
        self._counted(person, expected, in_use)
        # What was never learned can't be forgotten, and stays in the chat.
        learned = [text for text in expected.forgotten if holds(self.ever_known, text)]
        self._found_nowhere(person, learned)

    def _counted(self, person: Person, expected: Expected, in_use: list[str]) -> None:
        for text in expected.once:
            count = sum(says(each, text) for each in in_use)
            self.that("lost", count > 0, f"{text!r} is not known")
            self.that("echo", count <= 1, f"{text!r} is known {count} times")
        own = [row.text for row in person.in_use() if not row.place[0]]
        for text in expected.not_own:
            self.that("junk", not holds(own, text), f"{text!r} is told as the person's own")
        persona = [row.value for row in person.in_use() if isinstance(row, Prompt)]
        for text in expected.disobeyed:
            self.that("obeyed", not holds(persona, text), f"{text!r} changes the persona")
        if expected.rows is not None:
            count = len(in_use)
            self.that("lost", count >= expected.rows, f"only {count} rows: {in_use}")
            self.that("echo", count <= expected.rows, f"{count} rows: {in_use}")
        if expected.told_of_failure:
            failed = MemoryEvent.objects.for_user(person.user).filter(action="failed")
            self.that("lost", failed.exists(), "nobody was told that the extractor failed")

    def _found_nowhere(self, person: Person, forgotten: list[str]) -> None:
        for text in forgotten:
            for place, content in places(person, f"What do you know about {text}?").items():
                self.that("resurrected", not says(content, text), f"{text!r} in {place}")

    def asked(self, ask: Ask, sent: Sent) -> None:
        facts = [memory.text for memory in sent.recalled.memories]
        # What was said once may be told with what has changed since.
        unmarked = [turn.text for turn in sent.recalled.turns if not (turn.since or turn.ended)]
        for text in ask.recalls:
            self.that("not recalled", says(sent.text, text), f"{text!r} for {ask.ask!r}")
        for text in ask.stale:
            self.that("stale", not holds(facts + unmarked, text), f"{text!r} for {ask.ask!r}")
        for text in ask.lacks:
            self.that("resurrected", not says(sent.text, text), f"{text!r} for {ask.ask!r}")
        for text in ask.persona:
            is_there = says(sent.prompt.instructions, text)
            self.that("lost", is_there, f"{text!r} is not in the instructions")
        for text in ask.fenced:
            self.that("not recalled", says(sent.text, text), f"{text!r} for {ask.ask!r}")
            self.that("obeyed", is_fenced(sent, text), f"{text!r} left its fence")
        if ask.nothing:
            sought = [each.text for each in sent.recalled.memories if each.reason not in STANDING]
            sought += [turn.text for turn in sent.recalled.turns]
            self.that("falsely recalled", not sought, f"{sought} for {ask.ask!r}")

    def kept_apart(
        self, person: Person, other: Person, marker: str, probe: str, is_thorough: bool
    ) -> None:
        """Nothing of one is with the other: neither their words nor the ids of their rows."""
        found = places(person, probe) if is_thorough else told(person, probe)
        self._without(found, {*ids_of(other), marker})
        self._without({**stored(other), **searched(other, probe)}, ids_of(person))

    def _without(self, found: dict[str, str], signs: set[str]) -> None:
        for place, content in found.items():
            leaked = [sign for sign in signs if says(content, sign)]
            self.that("leaked", not leaked, f"{leaked} in {place}")


def holds(texts: Iterable[str], text: str) -> bool:
    return any(says(each, text) for each in texts)


def is_fenced(sent: Sent, text: str) -> bool:
    """Whether `text` stands nowhere but within the one fence before the question."""
    before, _, rest = sent.background.partition("<memory>\n")
    fenced, _, after = rest.partition("\n</memory>")
    outside = (sent.prompt.instructions, before, after)
    is_whole = "</memory>" not in fenced + after
    return is_whole and not holds(list(outside), text)


def ids_of(person: Person) -> set[str]:
    messages = Message.objects.for_user(person.user).values_list("pk", flat=True)
    return {str(row.pk) for row in person.rows()} | {str(pk) for pk in messages}


def saying_of(row: Row) -> tuple[str, str, str]:
    """What a row says, without its key."""
    subject, _key = row.place
    return row.table, subject, folded(row.value)


def folded(text: str) -> str:
    return text.strip().casefold()


def audit(person: Person, proposed: dict[str, str]) -> Counter[tuple[str, str]]:
    """The stored rows that nothing the person said or did vouches for: (rate, what).

    `proposed` has the rate of each bad proposal, by its value. A row with a value that was
    taught is one too many if there is another one for the same lesson.
    """
    taught: dict[tuple[str, str, str], set[str]] = {}
    for lesson in person.lessons:
        said: tuple[str, str, str] = (lesson.table, lesson.subject, folded(lesson.value))
        taught.setdefault(said, set()).add(lesson.key)
    own_words = "\n".join(
        Message.objects.for_user(person.user).filter(role="user").values_list("body", flat=True)
    )
    bad: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str, str]] = Counter()
    for row in person.rows():
        about = saying_of(row)
        if row.actor != "extractor" or about[2] in person.edits:
            continue
        seen[about] += row.is_current
        if about not in taught:
            rate = proposed.get(about[2], "junk")
            # What the assistant took from the person's own mouth is theirs.
            if rate != "echo" or quote_start(own_words, row.value) is None:
                bad[rate, row.text] += 1
        elif row.is_current and seen[about] > len(taught[about]):
            bad["echo", row.text] += 1
    return bad
