"""The summarizer's work without a language model: a summary by choosing sentences, a title."""

import re
from collections import Counter
from dataclasses import dataclass

from pydantic_ai.messages import ModelMessage, TextPart
from pydantic_ai.models import ModelRequestParameters

from memoryapp.agents.offline.language import sentences, stems
from memoryapp.agents.offline.reading import last_prompt, unescaped

SUMMARY_WORDS = 200
SENTENCE_WORDS = 40
TITLE_CHARS = 60

MESSAGE = re.compile(r'<message role="(?P<role>\w+)">(?P<body>.*?)</message>', re.DOTALL)
# What the user said first counts as much as what was chosen before; replies fill what is left.
EARLIER, OPENING, USER, ASSISTANT = 3.0, 2.0, 1.0, 0.3


@dataclass(frozen=True)
class Sentence:
    text: str
    weight: float


def summary(messages: list[ModelMessage], parameters: ModelRequestParameters) -> TextPart:
    """The sentences that say most, in their order, in about 200 words.

    A sentence says the more, the more often its words come up. An earlier summary is folded in.
    """
    candidates = [
        sentence for role, body in _messages(messages) for sentence in _weighed(role, body)
    ]
    counts = Counter(stem for each in candidates for stem in stems(each.text))

    def worth(sentence: Sentence) -> float:
        words = stems(sentence.text)
        return sentence.weight * sum(counts[word] for word in words) / (len(words) + 1)

    chosen, left = set[str](), SUMMARY_WORDS
    for sentence in sorted(candidates, key=worth, reverse=True):
        length = len(sentence.text.split())
        if length <= left and sentence.text not in chosen:
            chosen.add(sentence.text)
            left -= length
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


def _weighed(role: str, body: str) -> list[Sentence]:
    if role == "summary":
        return [Sentence(line, EARLIER) for line in body.splitlines() if line.strip()]
    weights = [OPENING if role == "user" else ASSISTANT]
    texts = sentences(body)
    weights += [USER if role == "user" else ASSISTANT] * len(texts)
    return [
        Sentence(f"{role.capitalize()}: {_shortened(text)}", weight)
        for text, weight in zip(texts, weights, strict=False)
    ]


def _shortened(sentence: str) -> str:
    words = sentence.split()
    return " ".join(words[:SENTENCE_WORDS]) + (" …" if len(words) > SENTENCE_WORDS else "")
