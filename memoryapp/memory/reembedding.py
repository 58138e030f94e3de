"""Another embedding model in the place of the one in use, with no moment in between.

The new vectors are made beside the old ones, which stay in use until all are there. Then each row
changes the one for the other, in one transaction, so that the way back is the same way.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.db import connection, models, transaction
from django.db.models import QuerySet

from memoryapp.memory.embeddings import BATCH, embed_documents, model_name
from memoryapp.memory.indexing import current_facts, findable, text_of
from memoryapp.models import (
    EmbeddingChoice,
    FactSpare,
    MessagePart,
    MessagePartSpare,
    MessageSpare,
    Passage,
    PassageSpare,
)

Tell = Callable[[int, int], None]

# The rows with a spare vector of the model %(new)s get it, and what they had becomes the spare.
# All parts of one statement see the rows as they were before it.
SWAP = """
with old as (
    select id, embedding, embedding_model from {table} where embedding is not null
), moved as (
    update {table} set embedding = spare.embedding, embedding_model = spare.embedding_model
    from {spare} as spare where spare.row_id = {table}.id and spare.embedding_model = %(new)s
)
update {spare} set embedding = old.embedding, embedding_model = old.embedding_model
from old where row_id = old.id and {spare}.embedding_model = %(new)s
"""


class Table(NamedTuple):
    rows: QuerySet[Any]
    spare: type[Any]  # one of SpareVector
    text: Callable[[Any], str]

    def behind(self, model: str) -> QuerySet[Any]:
        """The rows that have no vector of this model, in neither place."""
        rows = self.rows.exclude(embedding__isnull=False, embedding_model=model)
        return rows.exclude(spare__embedding_model=model)


def tables() -> Sequence[Table]:
    return (
        Table(current_facts(), FactSpare, lambda fact: fact.text),
        Table(findable(), MessageSpare, lambda message: message.body),
        Table(MessagePart.objects.with_text(), MessagePartSpare, text_of),
        Table(Passage.objects.all(), PassageSpare, lambda passage: passage.body),
    )


def prepare(model: str, tell: Tell) -> None:
    """Make the vectors of this model for all rows, beside those in use.

    `tell` hears how many of how many are done. What an interrupted run made is not made again.
    Raises EmbeddingUnavailable.
    """
    total = sum(table.behind(model).count() for table in tables())
    done = 0
    for table in tables():
        last: Any = None
        # By their order, so that a row that can't have a vector isn't tried for ever.
        while batch := list(after(table.behind(model), last)[:BATCH]):
            last = batch[-1].pk
            add(table, batch, model)
            done += len(batch)
            tell(done, max(done, total))


def after(rows: QuerySet[Any], last: Any) -> QuerySet[Any]:
    rows = rows.order_by("pk")
    return rows if last is None else rows.filter(pk__gt=last)


def add(table: Table, batch: Sequence[models.Model], model: str) -> None:
    """Give spare vectors to the batch, but for what was changed or forgotten meanwhile."""
    texts = {row.pk: text for row in batch if (text := table.text(row)).strip()}
    vectors = dict(zip(texts, embed_documents(list(texts.values()), model=model), strict=True))
    with transaction.atomic():
        unchanged = table.rows.filter(pk__in=texts).select_for_update(of=("self",))
        table.spare._default_manager.bulk_create(
            [
                table.spare(row_id=row.pk, embedding=vectors[row.pk], embedding_model=model)
                for row in unchanged
                if table.text(row) == texts[row.pk]
            ],
            update_conflicts=True,
            unique_fields=["row"],
            update_fields=["embedding", "embedding_model"],
        )


def switch(model: str) -> None:
    """From now on this model is in use; what was in use becomes the spare."""
    with transaction.atomic():
        previous = model_name()
        with connection.cursor() as cursor:
            for table in tables():
                names = {
                    "table": table.rows.model._meta.db_table,
                    "spare": table.spare._meta.db_table,
                }
                cursor.execute(SWAP.format(**names), {"new": model})
        EmbeddingChoice.objects.update_or_create(
            pk=1, defaults={"model": model, "previous": previous}
        )


def previous_model() -> str:
    """What was in use before the last switch; empty if there was none."""
    return EmbeddingChoice.objects.values_list("previous", flat=True).first() or ""
