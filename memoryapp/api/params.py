"""Parameters of an address, taken strictly: a misspelt filter is refused, never ignored."""

from typing import Annotated, Any, TypeVar

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.params.models import Query, QueryModel

from memoryapp.api.errors import ApiError

T = TypeVar("T")


class StrictQueryModel(QueryModel):
    @classmethod
    def get_request_data(
        cls, request: HttpRequest, api: NinjaAPI, path_params: dict[str, Any]
    ) -> dict[str, Any] | None:
        known = getattr(cls, "__ninja_flatten_map__")  # noqa: B009 (set by Ninja on each subclass)
        for name in request.GET:
            if name not in known:
                raise ApiError(
                    422,
                    "invalid",
                    f"There is no parameter {name!r} here, only {', '.join(sorted(known))}.",
                )
        data: dict[str, Any] | None = super().get_request_data(request, api, path_params)
        return data


class StrictQuery(Query):  # type: ignore[misc]
    _model = StrictQueryModel

    @classmethod
    def _param_source(cls) -> str:
        return "query"


Asked = Annotated[T, StrictQuery(...)]
