"""Finding what of a person's memory fits a question, for a reply or for who looks outright."""

from memoryapp.memory.recall.recalling import arecall, begin, prepare, recall, understand
from memoryapp.memory.recall.searching import search, search_archive, search_facts, search_turns

__all__ = [
    "arecall",
    "begin",
    "prepare",
    "recall",
    "search",
    "search_archive",
    "search_facts",
    "search_turns",
    "understand",
]
