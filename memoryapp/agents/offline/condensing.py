"""The summarizer's work without a language model: a summary by choosing sentences, a title."""

import re
from collections import Counter
from dataclasses import dataclass

from pydantic_ai.messages import ModelMessage, TextPart
from pydantic_ai.models import ModelRequestParameters

from memoryapp.agents.offline.language import sentences, stems
from memoryapp.agents.offline.reading import last_prompt, unescaped
from memoryapp.agents.offline.wording import is_own

SUMMARY_WORDS = 200
SENTENCE_WORDS = 40
TITLE_CHARS = 60

MESSAGE = re.compile(r'<message role="(?P<role>\w+)">(?P<body>.*?)</message>', re.DOTALL)
# What is chosen first, and up to how many words of the summary: what was chosen before may fill
# half of it, then each message of the user begins to count, and replies get what is left.
EARLIER, OPENING, USER, ASSISTANT = range(4)
LIMITS = {
    EARLIER: SUMMARY_WORDS // 2,
    OPENING: SUMMARY_WORDS,
    USER: SUMMARY_WORDS,
    ASSISTANT: SUMMARY_WORDS,
}


@dataclass(frozen=True)
class Sentence:
    text: str
    rank: int


def summary(messages: list[ModelMessage], parameters: ModelRequestParameters) -> TextPart:
    """The sentences that say most, in their order, in about 200 words.

    Within its rank a sentence says the more, the more often its words come up in all of them, and
    a question says less than any statement.
    """
    candidates = [
        sentence for role, body in _messages(messages) for sentence in _ranked(role, body)
    ]
    counts = Counter(stem for each in candidates for stem in stems(each.text))

    def worth(sentence: Sentence) -> float:
        words = stems(sentence.text)
        return sum(counts[word] for word in words) / (len(words) + 1)

    def place(sentence: Sentence) -> tuple[int, bool, float]:
        return sentence.rank, sentence.text.endswith("?"), -worth(sentence)

    chosen, num_words = set[str](), 0
    for sentence in sorted(candidates, key=place):
        length = len(sentence.text.split())
        if num_words + length <= LIMITS[sentence.rank] and sentence.text not in chosen:
            chosen.add(sentence.text)
            num_words += length
    lines = dict.fromkeys(each.text for each in candidates if each.text in chosen)
    return TextPart("\n".join(lines) or "…")


def title(messages: list[ModelMessage], parameters: ModelRequestParameters) -> TextPart:
    """The first words of what the user first said, at most 60 characters."""
    said = next((body for role, body in _messages(messages) if role == "user"), "")
    words = " ".join(said.split())
    if len(words) > TITLE_CHARS:
        head, _, _ = words[: TITLE_CHARS + 1].rpartition(" ")
        words = head or words[:TITLE_CHARS]
    return TextPart(words.rstrip(" .,;:") or "…")


def _messages(messages: list[ModelMessage]) -> list[tuple[str, str]]:
    return [
        (match["role"], unescaped(match["body"]))
        for match in MESSAGE.finditer(last_prompt(messages))
    ]


def _ranked(role: str, body: str) -> list[Sentence]:
    if role == "summary":
        return [Sentence(line, EARLIER) for line in body.splitlines() if line.strip()]
    if is_own(body):
        return []
    first, other = (OPENING, USER) if role == "user" else (ASSISTANT, ASSISTANT)
    return [
        Sentence(f"{role.capitalize()}: {_shortened(text)}", other if index else first)
        for index, text in enumerate(sentences(body))
    ]


def _shortened(sentence: str) -> str:
    words = sentence.split()
    return " ".join(words[:SENTENCE_WORDS]) + (" …" if len(words) > SENTENCE_WORDS else "")
