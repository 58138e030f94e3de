"""Values looked for in many texts: which of what a person has says one of them."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

from memoryapp.memory.language.wording import (
    STEM_CHARS,
    content,
    flat,
    is_telling,
    repeats,
    unmarked,
)


class Traces:
    """Whether a text says one of these values, as `repeats` tells it of each.

    Values that say nothing by themselves are left out. Most texts lack some part of each value,
    which is seen at once, so thousands of values are looked for in thousands of texts in seconds.
    """

    def __init__(self, values: Iterable[str]) -> None:
        parts = {value: parts_of(value) for value in set(values) if is_telling(value)}
        number = Counter(part for each in parts.values() for part in each)
        self._by_rarest: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        for value, each in parts.items():
            rarest, *others = sorted(each, key=number.__getitem__) or [""]
            self._by_rarest[rarest].append((value, others))
        self._lengths = set(map(len, self._by_rarest))

    def said_in(self, text: str) -> bool:
        whole = loose(text)
        return any(
            repeats(text, value)
            for rarest in self._met(whole)
            for value, others in self._by_rarest[rarest]
            if all(part in whole for part in others)
        )

    def _met(self, whole: str) -> Iterable[str]:
        """The rarest parts that are in a text: each sought in it, or if they are more than it has
        characters, all of its own stretches among them."""
        if len(self._by_rarest) < len(whole):
            return [part for part in self._by_rarest if part in whole]
        stretches = {whole[at : at + n] for n in self._lengths for at in range(len(whole) + 1)}
        return self._by_rarest.keys() & stretches


def parts_of(value: str) -> set[str]:
    """What stands in each text that repeats `value`, once both are `loose`."""
    # "not" may stand for the end of "don't".
    return {part for stem in content(value) - {"not"} if (part := part_of(stem))}


def part_of(stem: str) -> str:
    """The beginning of a stem, as far as forms of its word have it."""
    return loose(stem)[:STEM_CHARS]


def loose(text: str) -> str:
    return unicodedata.normalize("NFKD", flat(unmarked(text)))
