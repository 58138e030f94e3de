"""Resources: outside text that the talker and the caller can search."""

from uuid import UUID

from django.conf import settings
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Status, UploadedFile

from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError
from memoryapp.api.paging import page
from memoryapp.api.params import Asked
from memoryapp.memory import resources
from memoryapp.models import Resource
from memoryapp.models.resources import NAME_MAX_CHARS
from memoryapp.schemas.fields import Page, Paging
from memoryapp.schemas.resources import (
    FoundOut,
    ResourceForm,
    ResourceOut,
    ResourceQuery,
)

router = Router(tags=["resources"])


@router.get("", response=Page[ResourceOut], summary="List resources")
def resource_list(request: ApiRequest, asked: Asked[Paging]) -> Page[ResourceOut]:
    """Your own and those shared with everyone, newest first."""
    rows = Resource.objects.for_user(request.user).defer("body")
    return page(rows, asked, ResourceOut)


@router.post("", response={201: ResourceOut}, summary="Add a text")
def resource_add(
    request: ApiRequest, form: Form[ResourceForm], file: File[UploadedFile]
) -> Status[ResourceOut]:
    """A text or Markdown file in UTF-8. It is read in the background: look at `status`."""
    refuse_unknown(request)
    if form.shared and not request.user.is_staff:
        raise ApiError(403, "administrators_only", "Only administrators share with everyone.")
    if (file.size or 0) > settings.RESOURCE_MAX_BYTES:
        limit = f"{settings.RESOURCE_MAX_BYTES:,} bytes"
        raise ApiError(413, "too_large", f"{limit} are the most. Add the text in parts.")
    resource = resources.add(
        user=request.user,
        name=form.name or (file.name or "")[-NAME_MAX_CHARS:],
        body=file.read(),
        is_shared=form.shared,
    )
    return Status(201, ResourceOut.model_validate(resource))


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


@router.delete("/{resource_id}", response={204: None}, summary="Delete a resource")
def resource_delete(request: ApiRequest, resource_id: UUID) -> Status[None]:
    """With its passages. What others share is not yours to delete."""
    get_object_or_404(Resource.objects.owned_by(request.user), pk=resource_id).delete()
    return Status(204, None)
