"""Messages: say something, stop or repeat a reply, find a message, and what went into a reply."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect, reswap, trigger_client_event

from memoryapp import branches, fragments, replies, tasks, turns
from memoryapp.bus import chat_group, publish
from memoryapp.forms import MessageForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.ids import as_uuid
from memoryapp.memory import marks
from memoryapp.models import Chat, Fact, Message, User
from memoryapp.receipts import sent_prompt
from memoryapp.views import here, render_dialog, render_page
from memoryapp.views.chats import own_chat, render_chat

Role = Message.Role


def own_message(user: User, message_id: uuid.UUID, *roles: str) -> Message:
    """Their message with this id; a 404 also for one that has none of the roles named."""
    messages = Message.objects.for_user(user).select_related("chat__user", "user", "parent")
    message: Message = get_object_or_404(messages, pk=message_id, role__in=roles or Role.values)
    return message


@login_required
@require_POST
def message_create(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    chat = own_chat(request.user, chat_id)
    form = MessageForm(request.POST)
    if not form.is_valid():
        return _refuse(request, chat, form.sentence, 422)
    body, message_id = form.cleaned_data["body"], form.cleaned_data["id"]
    begin = partial(turns.open_turn, chat=chat, body=body, id=message_id)
    return _answered(request, chat, begin, _render_turn)


def _render_turn(request: HtmxHttpRequest, turn: turns.Turn) -> HttpResponse:
    chat = turn.reply.chat
    if not request.htmx:
        return redirect(f"{reverse('chat-detail', args=[chat.pk])}#message-{turn.reply.pk}")
    context = fragments.turn(chat, [turn.user_message, turn.reply])
    return render(
        request, "chats/_turn.html", {**context, "message_id": uuid.uuid4(), "here": here(request)}
    )


def _answered(
    request: HtmxHttpRequest,
    chat: Chat,
    begin: Callable[[], turns.Turn],
    show: Callable[[HtmxHttpRequest, turns.Turn], HttpResponse],
) -> HttpResponse:
    """Begin a turn, have its reply written and show it; or say why it can't begin."""
    try:
        turn = begin()
    except turns.ReplyStreaming as error:
        return _refuse(request, chat, str(error), 409)
    except ValidationError as error:
        return _refuse(request, chat, " ".join(error.messages), 422)
    if turn.is_new:
        async_to_sync(replies.start)(turn)
    return show(request, turn)


def _refuse(request: HtmxHttpRequest, chat: Chat, sentence: str, status: int) -> HttpResponse:
    if not request.htmx:
        body = request.POST.get("body", "")
        return render_chat(request, chat, body=body, sentence=sentence, status=status)
    context = {"sentence": sentence, "oob": True}
    return reswap(render(request, "chats/_composer_error.html", context, status=status), "none")


def _read_again() -> HttpResponse:
    """Have the page load its thread anew: a branch is shown that it doesn't have."""
    return trigger_client_event(HttpResponse(status=204), "stale")


@login_required
@require_POST
def message_stop(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Stop a reply; what it says so far is kept, and the socket brings the end of it."""
    message = own_message(request.user, message_id)
    async_to_sync(replies.stop)(message.pk)
    return HttpResponse(status=204) if request.htmx else redirect("chat-detail", message.chat_id)


@login_required
@require_POST
def message_regenerate(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Answer again, perhaps without some of the facts, and those that this reply did without."""
    message = own_message(request.user, message_id)
    without = [id for id in map(as_uuid, request.POST.getlist("without")) if id]
    facts = Fact.objects.for_user(request.user).filter(pk__in=without)
    if ids := [str(fact.pk) for fact in facts]:
        ids += message.receipt.get("without", [])
    reopen = partial(branches.reopen, message=message, without=ids)
    return _answered(request, message.chat, reopen, _render_version)


@login_required
@require_POST
def message_continue(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Go on with a reply that ended too early."""
    message = own_message(request.user, message_id)
    resume = partial(branches.resume, message=message)
    return _answered(request, message.chat, resume, _render_version)


def _render_version(request: HtmxHttpRequest, turn: turns.Turn) -> HttpResponse:
    """Another version of a reply, which begins to stream."""
    if not request.htmx:
        return redirect("chat-detail", turn.reply.chat_id)
    context: dict[str, Any] = {"entry": fragments.entry(turn.reply), "streaming": turn.reply}
    return render(request, "chats/_again.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def message_edit(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Ask differently: a version of this message that begins a branch of its own."""
    message = own_message(request.user, message_id, Role.USER)
    if request.method == "GET":
        context = {"message": message, "id": uuid.uuid4()}
        return render_dialog(request, "chats/_edit.html", context, title=_("Edit and ask again"))
    form = MessageForm(request.POST)
    if not form.is_valid():
        return _refuse(request, message.chat, form.sentence, 422)
    body, id = form.cleaned_data["body"], form.cleaned_data["id"]
    begin = partial(
        turns.open_turn, chat=message.chat, body=body, id=id, fork=True, parent=message.parent
    )
    return _answered(request, message.chat, begin, _show_branch)


def _show_branch(request: HtmxHttpRequest, turn: turns.Turn) -> HttpResponse:
    return _read_again() if request.htmx else redirect("message-detail", turn.user_message.pk)


@login_required
@require_POST
def message_redo(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Write a summary again, in the background; the socket brings it."""
    summary = own_message(request.user, message_id, Role.SUMMARY)
    tasks.enqueue(tasks.redo_summary, summary.pk)
    if not request.htmx:
        return redirect("message-detail", summary.pk)
    context = {**fragments.condensed(summary), "is_redoing": True}
    return render(request, "chats/_summary.html", context)


@login_required
@require_POST
def message_show(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Show this version of a message and what followed it."""
    message = own_message(request.user, message_id, Role.USER, Role.ASSISTANT)
    try:
        branches.switch_to(message)
    except turns.ReplyStreaming as error:
        return _refuse(request, message.chat, str(error), 409)
    event = {"type": "chat.changed", "what": "branch", "message": str(message.pk)}
    publish(chat_group(message.chat_id), event)
    later = fragments.shown(message.chat).filter(created_at__gt=message.created_at)
    if not request.htmx:
        return redirect("message-detail", message.pk)
    if later.count() >= fragments.PAGE_OF_MESSAGES:
        return HttpResponseClientRedirect(reverse("message-detail", args=[message.pk]))
    return _read_again()


@login_required
@require_POST
def message_mark(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Say whether a memory on the receipt of this reply was of use."""
    message = own_message(request.user, message_id)
    memory_id = as_uuid(request.POST.get("memory", ""))
    is_useful = request.POST.get("is_useful") == "yes"
    if not memory_id or not marks.mark(reply=message, memory_id=memory_id, is_useful=is_useful):
        raise Http404
    if not request.htmx:
        return redirect("message-detail", message.pk)
    entry = fragments.entry(message)
    memories = [*entry.used, *entry.near_misses]
    marked = next(memory for memory in memories if memory["id"] == str(memory_id))
    return render(request, "chats/_chip.html", {"entry": entry, "memory": marked})


@login_required
@require_GET
def message_detail(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """Lead to a message where it stands in its chat; for htmx, the message itself."""
    message = own_message(request.user, message_id)
    if request.htmx:
        return render(request, "chats/_message.html", {"entry": fragments.entry(message)})
    address = reverse("chat-detail", args=[message.chat_id])
    later = fragments.shown(message.chat).filter(created_at__gt=message.created_at)
    following = list(later[: fragments.PAGE_OF_MESSAGES])
    if len(following) == fragments.PAGE_OF_MESSAGES:
        address += f"?before={following[fragments.PAGE_OF_MESSAGES // 2].pk}"
    return redirect(f"{address}#message-{message.pk}")


@login_required
@require_GET
def message_receipt(request: HtmxHttpRequest, message_id: uuid.UUID) -> HttpResponse:
    """What went into a reply, with the exact prompt; for htmx, as it unfolds under the reply."""
    message = own_message(request.user, message_id)
    context = {
        "entry": fragments.entry(message),
        "message": message,
        "receipt": message.receipt,
    }
    if request.htmx:
        return render(request, "chats/_receipt_body.html", context)
    context |= {"prompt": sent_prompt(message), "title": _("What went into this reply")}
    return render_page(request, "chats/receipt.html", context)
