"""A temporary chat: its page, and keeping it after all."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from memoryapp import temporary
from memoryapp.fragments import Thread
from memoryapp.http import HtmxHttpRequest
from memoryapp.models import Chat
from memoryapp.views import render_page
from memoryapp.views.chats import composer


@login_required
@require_GET
def chat_temporary(request: HtmxHttpRequest) -> HttpResponse:
    return _render_page(request)


def _render_page(request: HtmxHttpRequest, sentence: str = "", status: int = 200) -> HttpResponse:
    context = composer(
        Chat(user=request.user),
        action="",
        sentence=sentence,
        is_temporary=True,
        is_empty=True,
        socket="/ws/temporary/",
        thread=Thread(entries=(), has_older=False, num_condensed=0),
    )
    return render_page(request, "chats/temporary.html", context, status=status)


@login_required
@require_POST
def chat_keep(request: HtmxHttpRequest) -> HttpResponse:
    """Make an ordinary chat of what the page holds."""
    try:
        chat = temporary.keep(temporary.unpacked(request.user, request.POST.getlist("said")))
    except ValidationError as error:
        sentence = " ".join(error.messages)
        if not request.htmx:
            return _render_page(request, sentence, status=422)
        context = {"sentence": sentence, "oob": True}
        return render(request, "chats/_composer_error.html", context, status=422)
    address = reverse("chat-detail", args=[chat.pk])
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
