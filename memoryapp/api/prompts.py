"""Prompts: the persona, how the assistant should answer."""

from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Router, Status

from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError
from memoryapp.api.facts import columns, told
from memoryapp.api.paging import page
from memoryapp.api.params import Asked
from memoryapp.memory import forgetting, ledger
from memoryapp.models import Prompt, User
from memoryapp.models.memory import Origin
from memoryapp.schemas.fields import Page
from memoryapp.schemas.memory import Forgotten, NewPrompt, PromptChanges, PromptFilter, PromptOut

router = Router(tags=["memory"])


def shapes_everyone(user: User) -> bool:
    return user.is_staff and user.has_perm("memoryapp.change_prompt")


def prompts_of(user: User) -> QuerySet[Prompt]:
    """The prompts this person may change: their own, and an administrator the global ones."""
    prompts: QuerySet[Prompt] = Prompt.objects.for_user(user)
    return prompts | Prompt.objects.filter(user=None) if shapes_everyone(user) else prompts


@router.get("", response=Page[PromptOut], summary="List prompts")
def prompt_list(request: ApiRequest, asked: Asked[PromptFilter]) -> Page[PromptOut]:
    """The caller's current ones, newest first; administrators see the global ones as well."""
    prompts = prompts_of(request.user) & Prompt.objects.current()
    if asked.status:
        prompts = prompts.filter(status=asked.status)
    return page(prompts.order_by("-recorded_at", "id"), asked, PromptOut)


@router.post("", response={201: PromptOut}, summary="Say how to answer")
def prompt_add(request: ApiRequest, data: NewPrompt) -> Status[PromptOut]:
    """A different current value of the key is superseded; the same value changes nothing."""
    if data.is_global and not shapes_everyone(request.user):
        raise ApiError(403, "administrators_only", "Only administrators write global prompts.")
    prompt = ledger.remember(
        user=None if data.is_global else request.user,
        table="prompt",
        actor=request.user.username,
        origin=Origin.API,
        **columns(data.model_dump(exclude_unset=True, exclude={"is_global"})),
    )
    return Status(201, PromptOut.model_validate(prompt))


@router.patch("/{prompt_id}", response=PromptOut, summary="Change a prompt")
def prompt_edit(request: ApiRequest, prompt_id: UUID, data: PromptChanges) -> PromptOut:
    """A new key or value supersedes it, and the answer is the new row; the rest stays in place."""
    prompt = get_object_or_404(prompts_of(request.user), pk=prompt_id)
    changed = ledger.edit(
        row=prompt, actor=request.user.username, origin=Origin.API, **columns(data.given())
    )
    return PromptOut.model_validate(changed)


@router.delete("/{prompt_id}", response=Forgotten, summary="Forget a prompt")
def prompt_forget(request: ApiRequest, prompt_id: UUID) -> Forgotten:
    prompt = get_object_or_404(prompts_of(request.user), pk=prompt_id)
    rows = Prompt.objects.filter(pk=prompt.pk)
    return told(forgetting.forget(rows=rows, actor=request.user.username))
