"""Messages found by the words of a search, whatever language each of them is in."""

from django.contrib.postgres.search import SearchConfig, SearchQuery
from django.db.models import Func, IntegerField, Q, Value
from django.db.models.lookups import Exact

from memoryapp.models.fields import SEARCH_CONFIGS, SearchText, search_config

CONFIGS = [SearchConfig(name) for name in sorted({*SEARCH_CONFIGS.values(), search_config("")})]


class NumNodes(Func):
    """How many words and operators a text search query has: none if its words are all ignored."""

    function = "numnode"
    output_field = IntegerField()


def says(word: str) -> Q:
    """Messages with this word, as the language of each takes it; one that it ignores is in all."""
    text = SearchText(Value(word))
    found = Q()
    for config in CONFIGS:
        query = SearchQuery(text, config=config)
        found |= Q(config=config) & (Q(tsv=query) | Q(Exact(NumNodes(query), 0)))
    return found
