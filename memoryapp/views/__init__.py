"""Pages and fragments: function views, one module per noun."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.shortcuts import render

from memoryapp import fragments
from memoryapp.http import HtmxHttpRequest

CHATS_IN_SIDE = 100
PAGE_OF_ROWS = 50


def page_of(request: HtmxHttpRequest, rows: Any, number: int | None = None) -> Page[Any]:
    """The page of a list with this number, or that the address names; the nearest one there is."""
    return Paginator(rows, PAGE_OF_ROWS).get_page(number or request.GET.get("page"))


def here(request: HtmxHttpRequest) -> str:
    """The address of the page that a request comes from, or asks for."""
    return request.htmx.current_url_abs_path or request.path


def render_page(
    request: HtmxHttpRequest, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A whole page: the template with the side list beside it."""
    side = {
        **side_list(request),
        **fragments.known(request.user),
        "here": request.path,
    }
    return render(request, template, {**side, **context}, status=status)


def render_dialog(
    request: HtmxHttpRequest,
    fragment: str,
    context: dict[str, Any],
    *,
    title: str,
    status: int = 200,
) -> HttpResponse:
    """A form for the page's dialog; without htmx, a page of its own."""
    context = {**context, "title": title}
    if request.htmx:
        return render(request, fragment, context, status=status)
    return render_page(request, "dialog.html", {**context, "fragment": fragment}, status=status)


def side_list(request: HtmxHttpRequest) -> dict[str, Any]:
    """What stands beside each page: the newest chats."""
    chats = list(fragments.chat_list(request.user)[:CHATS_IN_SIDE])
    # The page's socket tells of its own chat only, so the list looks again while another answers.
    others = (chat for chat in chats if str(chat.pk) not in here(request))
    is_answering = any(chat.is_answering for chat in others)  # type: ignore[attr-defined]
    return {"chats": chats, "is_answering": is_answering, "here": here(request)}
