"""The caller: their settings."""

from ninja import Router

from memoryapp.api.auth import ApiRequest
from memoryapp.models import User
from memoryapp.schemas.people import MeChanges, MeOut

router = Router(tags=["me"])


@router.get("", response=MeOut, summary="Your settings")
def me(request: ApiRequest) -> MeOut:
    return MeOut.model_validate(request.user)


@router.patch("", response=MeOut, summary="Change your settings")
def me_edit(request: ApiRequest, data: MeChanges) -> MeOut:
    changes = data.given()
    user = User.objects.get(pk=request.user.pk)
    for field, value in changes.items():
        setattr(user, field, value)
    user.save(update_fields=list(changes))
    return MeOut.model_validate(user)
