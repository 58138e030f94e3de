"""What makes a row searchable: its vector, stamped with its model, and its words."""

from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from pgvector.django import HalfVectorField

SEARCH_CONFIGS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


def search_config(language: str) -> str:
    """PostgreSQL's text search configuration for a language code; `simple` for one it lacks."""
    return SEARCH_CONFIGS.get(language.split("-")[0].lower(), "simple")


class RegConfigField(models.CharField[str, str]):
    """The text search configuration of a row.

    The type is regconfig and not text, because only to_tsvector(regconfig, text) is immutable
    and so allowed in a generated column.
    """

    def db_type(self, connection: object) -> str:
        return "regconfig"

    def get_placeholder(self, value: object, compiler: object, connection: object) -> str:
        return "%s::regconfig"


class Searchable(models.Model):
    """A row that can be found by meaning (`embedding`) and by words (`tsv`).

    The row is the truth: an embedding may be missing, and a task fills it again. Vectors have no
    fixed size, so that another embedding model is a matter of rows and not of a migration; half
    precision gives the same order in half the space.
    """

    embedding = HalfVectorField(null=True, editable=False)
    embedding_model = models.CharField(max_length=100, blank=True, editable=False)
    config = RegConfigField(max_length=63, default="english", editable=False)

    class Meta:
        abstract = True


class SearchText(models.Func):
    """A text as words are taken from it: see the function in the migration that creates it."""

    function = "search_text"
    output_field = models.TextField()


class Asks(models.Func):
    """Whether a text asks something near its end, in any script: what follows may be the answer.

    Further up a long text asks only itself.
    """

    template = "(right(%(expressions)s, 200) ~ '[?？؟]')"
    output_field = models.BooleanField()


def words_of(*fields: str) -> models.GeneratedField:
    """A generated tsvector over the named text fields, by the row's own configuration."""
    return models.GeneratedField(
        expression=SearchVector(*map(SearchText, fields), config=models.F("config")),
        output_field=SearchVectorField(),
        db_persist=True,
    )
