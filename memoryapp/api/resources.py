"""Resources: outside text that the talker and the caller can search."""

import json
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Status, UploadedFile
from ninja.errors import HttpError
from ninja.errors import ValidationError as ParameterError
from pydantic import ValidationError

from memoryapp import tasks
from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError
from memoryapp.api.paging import page
from memoryapp.api.params import Asked
from memoryapp.memory import resources
from memoryapp.models import Resource, User
from memoryapp.models.resources import NAME_MAX_CHARS
from memoryapp.schemas.fields import Page, Paging
from memoryapp.schemas.resources import (
    FoundOut,
    ResourceForm,
    ResourceOut,
    ResourceQuery,
)

router = Router(tags=["resources"])

AS_JSON = {
    "requestBody": {"content": {"application/json": {"schema": ResourceForm.model_json_schema()}}}
}


@router.get("", response=Page[ResourceOut], summary="List resources")
def resource_list(request: ApiRequest, asked: Asked[Paging]) -> Page[ResourceOut]:
    """Your own and those shared with everyone, newest first."""
    rows = Resource.objects.for_user(request.user).defer("body")
    return page(rows, asked, ResourceOut)


@router.post(
    "", response={201: ResourceOut}, openapi_extra=AS_JSON, summary="Add a file, a text or a page"
)
def resource_add(
    request: ApiRequest, form: Form[ResourceForm], file: File[UploadedFile | None] = None
) -> Status[ResourceOut]:
    """A PDF, DOCX or HTML file, or a text or Markdown in UTF-8, as `file` of a form; or the address
    of a page as `url`, of a form or as JSON. It is read in the background: look at `status`."""
    given = from_json(request) if request.content_type == "application/json" else form
    refuse_unknown(request)
    if given.shared and not request.user.is_staff:
        raise ApiError(403, "administrators_only", "Only administrators share with everyone.")
    if bool(given.url) == bool(file):
        raise ApiError(422, "invalid", "Send a file, or the url of a page, and not both.")
    resource = added(request.user, given, file)
    return Status(201, ResourceOut.model_validate(resource))


def added(user: User, given: ResourceForm, file: UploadedFile | None) -> Resource:
    if file is None:
        return resources.add_page(user=user, url=given.url, name=given.name, is_shared=given.shared)
    if (file.size or 0) > settings.RESOURCE_MAX_BYTES:
        limit = f"{settings.RESOURCE_MAX_BYTES:,} bytes"
        raise ApiError(413, "too_large", f"{limit} are the most. Add it in parts.")
    name = file.name or ""
    return resources.add(
        user=user,
        name=given.name or name[-NAME_MAX_CHARS:],
        body=file.read(),
        file_name=name,
        is_shared=given.shared,
    )


def from_json(request: ApiRequest) -> ResourceForm:
    try:
        return ResourceForm.model_validate(json.loads(request.body), strict=True, extra="forbid")
    except ValidationError as error:
        found = [{**each, "loc": ("body", "", *each["loc"])} for each in error.errors()]
        raise ParameterError(found) from error
    except ValueError as error:
        raise HttpError(400, "") from error


def refuse_unknown(request: ApiRequest) -> None:
    for name in [*request.POST, *request.FILES]:
        if name not in ("file", *ResourceForm.model_fields):
            raise ApiError(422, "invalid", f"There is no field {name!r} here.")


@router.get("/search", response=list[FoundOut], summary="Search resources")
def resource_search(request: ApiRequest, asked: Asked[ResourceQuery]) -> list[FoundOut]:
    """The passages that fit best, with where they stand."""
    found = resources.search(request.user, asked.q, limit=asked.limit)
    return [FoundOut.model_validate(passage) for passage in found]


@router.get("/{resource_id}", response=ResourceOut, summary="One resource")
def resource_detail(request: ApiRequest, resource_id: UUID) -> ResourceOut:
    resource = get_object_or_404(Resource.objects.for_user(request.user), pk=resource_id)
    return ResourceOut.model_validate(resource)


@router.post("/{resource_id}/retry", response=ResourceOut, summary="Read a resource again")
def resource_retry(request: ApiRequest, resource_id: UUID) -> ResourceOut:
    """One that failed, where it helps: from its address, or its text. A file that could not be read
    is not kept; send another."""
    rows = Resource.objects.owned_by(request.user)
    with transaction.atomic():
        if not resources.try_again(get_object_or_404(rows, pk=resource_id)):
            raise ApiError(409, "nothing_to_retry", "It hasn't failed, or its file isn't kept.")
        tasks.enqueue(tasks.read_resource, resource_id)
    return ResourceOut.model_validate(rows.get(pk=resource_id))


@router.delete("/{resource_id}", response={204: None}, summary="Delete a resource")
def resource_delete(request: ApiRequest, resource_id: UUID) -> Status[None]:
    """With its passages. What others share is not yours to delete."""
    get_object_or_404(Resource.objects.owned_by(request.user), pk=resource_id).delete()
    return Status(204, None)
