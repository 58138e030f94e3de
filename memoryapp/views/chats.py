"""Chats: a new one, one with its messages, the list, and what its menu does."""

import uuid
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from memoryapp import chat_search, fragments, replies, transcripts, turns
from memoryapp.agents import llm
from memoryapp.forms import ChatTitleForm, MessageForm
from memoryapp.http import HtmxHttpRequest
from memoryapp.ids import as_uuid
from memoryapp.memory import scopes
from memoryapp.models import Chat, Message, User
from memoryapp.views import here, page_of, render_dialog, render_page, side_list

QUERY_MAX_CHARS = 200


def own_chat(user: User, chat_id: uuid.UUID) -> Chat:
    return get_object_or_404(Chat.objects.for_user(user).select_related("user"), pk=chat_id)


def composer(chat: Chat, *, action: str, **context: Any) -> dict[str, Any]:
    """What the composer needs, with a fresh id so that a repeated send is the same turn."""
    choice = llm.choose("talker")
    return {
        "chat": chat,
        "action": action,
        "message_id": uuid.uuid4(),
        "model_label": llm.label(choice),
        "is_offline": choice.is_offline,
        **context,
    }


@login_required
@require_http_methods(["GET", "POST"])
def chat_new(request: HtmxHttpRequest) -> HttpResponse:
    if request.method == "POST":
        return _begin(request)
    return _render_new(request)


def _render_new(
    request: HtmxHttpRequest, body: str = "", sentence: str = "", status: int = 200
) -> HttpResponse:
    chat = Chat(user=request.user)
    context = composer(chat, action=reverse("chat-new"), body=body, sentence=sentence)
    context |= {"greeting": _greeting(), "sayings": _sayings()}
    return render_page(request, "chats/new.html", context, status=status)


def _greeting() -> str:
    hour = timezone.localtime().hour
    if 5 <= hour < 11:
        return _("Good morning")
    return _("Hello") if 11 <= hour < 18 else _("Good evening")


def _sayings() -> list[str]:
    return [
        _("We deploy with Terraform, and the cutover is on Friday. Help me plan it."),
        _("Please answer in short bullet points from now on."),
        _("What do you know about me?"),
    ]


def _begin(request: HtmxHttpRequest) -> HttpResponse:
    """Make a chat out of its first message."""
    form = MessageForm(request.POST)
    if not form.is_valid():
        return _refuse_first(request, form, form.sentence)
    message_id, body = form.cleaned_data["id"], form.cleaned_data["body"]
    sent = Message.objects.for_user(request.user).filter(pk=message_id)
    if not sent.exists():
        memory_on = form.cleaned_data["memory_on"] or not request.user.memory_on
        try:
            with transaction.atomic():
                chat = Chat.objects.create(user=request.user, memory_on=memory_on)
                turn = turns.open_turn(chat=chat, body=body, id=message_id)
        except turns.TooManyReplies as error:
            return _refuse_first(request, form, str(error))
        except ValidationError as error:
            if not sent.exists():  # else it was sent twice at the same moment
                return _refuse_first(request, form, " ".join(error.messages))
        else:
            async_to_sync(replies.start)(turn)
    address = reverse("chat-detail", args=[sent.get().chat_id])
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _refuse_first(request: HtmxHttpRequest, form: MessageForm, sentence: str) -> HttpResponse:
    if request.htmx:
        context = {"sentence": sentence, "oob": True}
        return render(request, "chats/_composer_error.html", context, status=422)
    return _render_new(request, form.data.get("body", ""), sentence, status=422)


@login_required
@require_GET
def chat_detail(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    chat = own_chat(request.user, chat_id)
    return render_chat(request, chat)


def render_chat(
    request: HtmxHttpRequest, chat: Chat, body: str = "", sentence: str = "", status: int = 200
) -> HttpResponse:
    """The chat with its newest messages, or with those before the message named in the query."""
    before: Message | None = None
    if "before" in request.GET:
        before = get_object_or_404(chat.messages, pk=as_uuid(request.GET["before"]))
    stamp = fragments.stamp(chat)  # first: what happens after it makes the page read again
    thread = fragments.thread(chat, before)
    if request.htmx and before is not None:
        return render(request, "chats/_messages.html", {"thread": thread, "chat": chat})
    if before is None:
        chat.see()
    newest = [entry.message for entry in thread.entries if entry.message.role == "assistant"]
    context = composer(
        chat,
        action=reverse("message-create", args=[chat.pk]),
        switch_url=reverse("chat-memory", args=[chat.pk]),
        body=body,
        sentence=sentence,
        thread=thread,
        socket=f"/ws/chats/{chat.pk}/" if before is None else "",
        streaming=newest[-1] if newest and newest[-1].status == "streaming" else None,
        stamp=stamp,
        listed=fragments.listed(chat)["chat"] if request.htmx else None,
        drawer=fragments.drawer(chat, newest[-1] if newest else None),
        drawer_state="closed" if request.COOKIES.get("drawer") == "closed" else "open",
    )
    return render_page(request, "chats/detail.html", context, status=status)


@login_required
@require_GET
def chat_list(request: HtmxHttpRequest) -> HttpResponse:
    """All chats, or those that were archived; with words, the ones that have to do with them."""
    query = request.GET.get("q", "").strip()[:QUERY_MAX_CHARS].replace("\0", "")
    is_archived = "archived" in request.GET
    if request.htmx and not query:
        return render(request, "chats/_list.html", side_list(request))
    context: dict[str, Any] = {"query": query, "is_archived": is_archived}
    if query:
        context["found"] = chat_search.search(request.user, query, is_archived=is_archived)
    else:
        chats = fragments.chat_list(request.user, is_archived=is_archived)
        context["page"] = page_of(request, chats)
        context["found"] = [chat_search.Found(chat) for chat in context["page"]]
    if request.htmx:
        return render(request, "chats/_found.html", {**context, "here": here(request)})
    return render_page(request, "chats/index.html", context)


@login_required
@require_GET
def chat_menu(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    return render(request, "chats/_menu.html", {"chat": own_chat(request.user, chat_id)})


@login_required
@require_POST
def chat_pin(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    return _switch(request, own_chat(request.user, chat_id), "is_pinned")


@login_required
@require_POST
def chat_archive(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    """Take a chat out of the list, or back into it. Memory and search know it all the same."""
    return _switch(request, own_chat(request.user, chat_id), "is_archived")


def _switch(request: HtmxHttpRequest, chat: Chat, flag: str) -> HttpResponse:
    setattr(chat, flag, not getattr(chat, flag))
    chat.save(update_fields=[flag])
    if request.htmx:
        return render(request, "chats/_list.html", side_list(request))
    return redirect("chat-detail", chat.pk)


@login_required
@require_GET
def chat_export(request: HtmxHttpRequest, chat_id: uuid.UUID, kind: str) -> HttpResponse:
    """The chat as a file: its branch as Markdown, or all of it as JSON."""
    chat = own_chat(request.user, chat_id)
    if kind not in transcripts.KINDS:
        raise Http404
    content_type, write = transcripts.KINDS[kind]
    name = f"{slugify(chat.title) or 'chat'}.{kind}"
    return HttpResponse(
        write(chat),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@login_required
@require_POST
def chat_memory(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    chat = own_chat(request.user, chat_id)
    chat.memory_on = "memory_on" in request.POST
    chat.save(update_fields=["memory_on"])
    return HttpResponse(status=204) if request.htmx else redirect("chat-detail", chat.pk)


@login_required
@require_http_methods(["GET", "POST"])
def chat_rename(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    chat = own_chat(request.user, chat_id)
    form = ChatTitleForm(request.POST if request.method == "POST" else None, instance=chat)
    if form.is_valid():
        chat.title_source = Chat.TitleSource.MANUAL
        chat.save(update_fields=["title", "title_source"])
        address = reverse("chat-detail", args=[chat.pk])
        if request.htmx:
            context = {**side_list(request), "chat": chat, "is_here": here(request) == address}
            return render(request, "chats/_renamed.html", context)
        return redirect(address)
    chat.refresh_from_db(fields=["title"])
    return render_dialog(
        request,
        "chats/_rename.html",
        {"chat": chat, "form": form},
        title=_("Rename this chat"),
        status=422 if form.errors else 200,
    )


@login_required
@require_http_methods(["GET", "POST"])
def chat_delete(request: HtmxHttpRequest, chat_id: uuid.UUID) -> HttpResponse:
    chat = own_chat(request.user, chat_id)
    taught = scopes.taught_by(chat)
    if request.method == "POST":
        with transaction.atomic():
            if "forget" in request.POST:
                scopes.forget(taught, actor=request.user.username)
            chat.delete()
        return HttpResponseClientRedirect("/") if request.htmx else redirect("chat-new")
    context = {
        "chat": chat,
        "num_messages": chat.messages.spoken().count(),
        "num_taught": sum(rows.filter(valid_to=None).count() for rows in taught),
    }
    return render_dialog(request, "chats/_delete.html", context, title=_("Delete this chat"))
