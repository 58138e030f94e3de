"""Facts: what is known about the caller, with its history."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Router, Status

from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError
from memoryapp.api.paging import page
from memoryapp.api.params import Asked
from memoryapp.memory import forgetting, ledger, scopes
from memoryapp.models import Chat, Fact, User
from memoryapp.models.memory import Origin
from memoryapp.schemas.fields import Page, Paging
from memoryapp.schemas.memory import (
    FactChanges,
    FactFilter,
    FactOut,
    Forgotten,
    NewFact,
    Scope,
)

router = Router(tags=["memory"])


def columns(fields: dict[str, Any]) -> dict[str, Any]:
    """Columns of a fact or prompt from fields of the API."""
    return {{"pinned": "is_pinned"}.get(name, name): value for name, value in fields.items()}


def told(report: forgetting.Report) -> Forgotten:
    return Forgotten(forgotten=report.memories)


@router.get("", response=Page[FactOut], summary="List facts")
def fact_list(request: ApiRequest, asked: Asked[FactFilter]) -> Page[FactOut]:
    """The current ones, newest first; with `as_of` those that were true then."""
    facts = Fact.objects.for_user(request.user)
    facts = facts.as_of(asked.as_of) if asked.as_of else facts.current()
    if asked.chat_id:
        chat = get_object_or_404(Chat.objects.for_user(request.user), pk=asked.chat_id)
        facts = facts.filter(source_message__chat=chat)
    if asked.kind:
        facts = facts.filter(kind=asked.kind)
    if asked.status:
        facts = facts.filter(status=asked.status)
    return page(facts.order_by("-recorded_at", "id"), asked, FactOut)


@router.post("", response={201: FactOut}, summary="Tell a fact")
def fact_add(request: ApiRequest, data: NewFact) -> Status[FactOut]:
    """A different current value of the key is superseded; the same value changes nothing."""
    fact = ledger.remember(
        user=request.user,
        table="fact",
        actor=request.user.username,
        origin=Origin.API,
        **columns(data.model_dump(exclude_unset=True)),
    )
    return Status(201, FactOut.model_validate(fact))


@router.delete("", response=Forgotten, summary="Forget what a chat taught, a kind, or everything")
def fact_forget_many(request: ApiRequest, asked: Asked[Scope]) -> Forgotten:
    """Facts and prompts alike, with every version. Say one of `chat_id`, `kind`, `all=true`."""
    if [asked.all, asked.kind is not None, asked.chat_id is not None].count(True) != 1:
        raise ApiError(
            422, "no_scope", "Say one thing to forget: chat_id=<id>, kind=<kind> or all=true."
        )
    return told(scopes.forget(scope(asked, request.user), actor=request.user.username))


def scope(asked: Scope, user: User) -> list[scopes.Rows]:
    if asked.all:
        return scopes.known_about(user)
    if asked.kind:
        return scopes.of_kind(user, asked.kind)
    return scopes.taught_by(get_object_or_404(Chat.objects.for_user(user), pk=asked.chat_id))


@router.get("/{fact_id}", response=FactOut, summary="One fact")
def fact_detail(request: ApiRequest, fact_id: UUID) -> FactOut:
    fact = get_object_or_404(Fact.objects.for_user(request.user), pk=fact_id)
    return FactOut.model_validate(fact)


@router.patch("/{fact_id}", response=FactOut, summary="Change a fact")
def fact_edit(request: ApiRequest, fact_id: UUID, data: FactChanges) -> FactOut:
    """A new key or value supersedes it, and the answer is the new row; the rest stays in place."""
    fact = get_object_or_404(Fact.objects.for_user(request.user), pk=fact_id)
    changed = ledger.edit(
        row=fact, actor=request.user.username, origin=Origin.API, **columns(data.given())
    )
    return FactOut.model_validate(changed)


@router.delete("/{fact_id}", response=Forgotten, summary="Forget a fact")
def fact_forget(request: ApiRequest, fact_id: UUID) -> Forgotten:
    """With all its versions; the same value is not learned again."""
    fact = get_object_or_404(Fact.objects.for_user(request.user), pk=fact_id)
    rows = Fact.objects.for_user(request.user).filter(pk=fact.pk)
    return told(forgetting.forget(rows=rows, actor=request.user.username))


@router.get("/{fact_id}/history", response=Page[FactOut], summary="A fact's versions")
def fact_history(request: ApiRequest, fact_id: UUID, asked: Asked[Paging]) -> Page[FactOut]:
    """All that was ever stored under its key, newest first."""
    fact = get_object_or_404(Fact.objects.for_user(request.user), pk=fact_id)
    return page(Fact.objects.for_user(request.user).versions_of(fact), asked, FactOut)


@router.post("/{fact_id}/restore", response=FactOut, summary="Make a closed version current again")
def fact_restore(request: ApiRequest, fact_id: UUID) -> FactOut:
    fact = get_object_or_404(Fact.objects.for_user(request.user), pk=fact_id)
    return FactOut.model_validate(ledger.restore(row=fact, actor=request.user.username))
