"""Sentences that are kept in English, each read in the language of whoever reads it."""

import re

from django.utils.translation import gettext

from memoryapp import tasks
from memoryapp.agents import failures, llm
from memoryapp.documents import document, fetching
from memoryapp.memory import embeddings, forgetting, review

# Those with something put in, which the catalogue has with braces in its place.
TEMPLATES = (
    review.SENSITIVE,
    forgetting.REMOVED,
    tasks.EXTRACTOR_FAILED,
    failures.NOT_SET_UP,
    embeddings.NO_ANSWER,
    embeddings.UNUSABLE,
    embeddings.UNUSABLE_HERE,
    embeddings.MISCOUNTED,
    document.TOO_SLOW,
    fetching.UNKNOWN_HOST,
    fetching.PRIVATE,
    fetching.NO_ANSWER,
    fetching.NOT_SAFE,
    fetching.ANSWERED,
    fetching.TOO_LARGE,
    llm.ON_THIS_MACHINE,
    llm.IN_THIS_NETWORK,
)
PATTERNS = {
    template: re.compile("(.*)".join(map(re.escape, template.split("{}"))), re.DOTALL)
    for template in TEMPLATES
}


def localized(sentence: str) -> str:
    """A kept sentence, and what was put into it, in the active language; else as it is."""
    if not sentence:
        return ""  # gettext answers it with the catalogue's header
    for template, pattern in PATTERNS.items():
        if found := pattern.fullmatch(sentence):
            return gettext(template).format(*map(localized, found.groups()))
    return gettext(sentence)
