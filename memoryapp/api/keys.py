"""API keys: list, make, revoke."""

from datetime import datetime
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Router, Status

from memoryapp.api.auth import ApiRequest, check_scope
from memoryapp.api.errors import ApiError
from memoryapp.api.paging import page
from memoryapp.api.params import Asked
from memoryapp.models import ApiKey
from memoryapp.schemas.fields import Page, Paging
from memoryapp.schemas.people import KeyOut, MadeKey, NewKey

router = Router(tags=["me"])


@router.get("", response=Page[KeyOut], summary="List keys")
def key_list(request: ApiRequest, asked: Asked[Paging]) -> Page[KeyOut]:
    return page(ApiKey.objects.for_user(request.user), asked, KeyOut)


@router.post("", response={201: MadeKey}, summary="Make a key")
def key_add(request: ApiRequest, data: NewKey) -> Status[MadeKey]:
    """The key is in this answer only. One made with a key can't outlive it or do more."""
    if isinstance(request.auth, ApiKey):
        for scope in data.scopes:
            check_scope(request.auth, scope)
    key, secret = ApiKey.make(
        user=request.user,
        name=data.name,
        scopes=tuple(dict.fromkeys(data.scopes)),
        expires_at=checked_expiry(request, data.expires_at),
    )
    return Status(201, MadeKey(**KeyOut.model_validate(key).model_dump(), key=secret))


def checked_expiry(request: ApiRequest, wanted: datetime | None) -> datetime | None:
    limit = request.auth.expires_at if isinstance(request.auth, ApiKey) else None
    if wanted is None:
        return limit
    if wanted <= timezone.now():
        raise ApiError(422, "invalid", "expires_at: a key can't expire in the past.")
    if limit is not None and wanted > limit:
        raise ApiError(422, "invalid", "expires_at: a key can't outlive the one that makes it.")
    return wanted


@router.delete("/{key_id}", response={204: None}, summary="Revoke a key")
def key_delete(request: ApiRequest, key_id: UUID) -> Status[None]:
    get_object_or_404(ApiKey.objects.for_user(request.user), pk=key_id).delete()
    return Status(204, None)
