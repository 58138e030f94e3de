"""One page of a list of rows."""

from typing import TypeVar

from django.db.models import Model, QuerySet

from memoryapp.schemas.fields import Page, Paging, Shown

S = TypeVar("S", bound=Shown)
M = TypeVar("M", bound=Model)


def page(rows: QuerySet[M], asked: Paging, shown: type[S]) -> Page[S]:
    return Page[shown](  # type: ignore[valid-type]
        items=[shown.model_validate(row) for row in cut(rows, asked)], count=rows.count()
    )


def cut(rows: QuerySet[M], asked: Paging) -> QuerySet[M]:
    return rows[asked.offset : asked.offset + asked.limit]
