"""The memory page: all facts, the persona, and the log of every change."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryapp.http import HtmxHttpRequest
from memoryapp.memory import recall
from memoryapp.models import Fact, MemoryEvent, Prompt, User
from memoryapp.models.memory import Status
from memoryapp.views import render_page
from memoryapp.views.rows import own_rows

PAGE_OF_ROWS = 50
FOUND_MOST = 30


@login_required
@require_GET
def memory_facts(request: HtmxHttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip()[:500]
    kind = request.GET.get("kind", "")
    kind = kind if kind in Fact.Kind.values else ""
    facts = own_rows(request.user, "facts").current().exclude(status=Status.PENDING)
    counts = dict(facts.order_by().values_list("kind").annotate(Count("pk")))
    if kind:
        facts = facts.filter(kind=kind)
    rows = _found(request.user, query, kind, facts) if query else facts
    context = {
        "rows": Paginator(rows, PAGE_OF_ROWS).get_page(request.GET.get("page")),
        "query": query,
        "kind": kind,
        "kinds": [(name, counts.get(name, 0)) for name in Fact.Kind.values],
        "num_all": sum(counts.values()),
        "tables": "facts",
    }
    if request.htmx:
        return render(request, "memory/_facts.html", context)
    return render_page(request, "memory/facts.html", context)


def _found(user: User, query: str, kind: str, facts: QuerySet[Any]) -> list[Fact]:
    """Facts by meaning and words, best first, then those that hold the very words."""
    near = recall.search(user, query, limit=FOUND_MOST, kind=kind, min_score=settings.RECALL_FLOOR)
    ranked = [memory.id for memory in near]
    by_id = {str(fact.pk): fact for fact in facts.filter(pk__in=ranked)}
    literal = facts.filter(Q(value__icontains=query) | Q(key__icontains=query))
    by_id |= {str(fact.pk): fact for fact in literal[:FOUND_MOST]}
    order = {id: rank for rank, id in enumerate(ranked)}
    return sorted(by_id.values(), key=lambda fact: order.get(str(fact.pk), FOUND_MOST))


@login_required
@require_GET
def memory_persona(request: HtmxHttpRequest) -> HttpResponse:
    everyones = Prompt.objects.filter(user=None).in_use().order_by("key")
    own = own_rows(request.user, "prompts").current().exclude(status=Status.PENDING)
    context = {"rows": own, "everyones": everyones, "tables": "prompts"}
    return render_page(request, "memory/persona.html", context)


@login_required
@require_GET
def memory_inbox(request: HtmxHttpRequest) -> HttpResponse:
    """What doesn't take effect before the person has decided, oldest first."""
    waiting = [
        (tables, row)
        for tables in ("facts", "prompts")
        for row in own_rows(request.user, tables).current().filter(status=Status.PENDING)
    ]
    waiting.sort(key=lambda pair: pair[1].recorded_at)
    return render_page(request, "memory/inbox.html", {"waiting": waiting})


@login_required
@require_GET
def memory_log(request: HtmxHttpRequest) -> HttpResponse:
    events = MemoryEvent.objects.for_user(request.user).select_related("message")
    page = Paginator(events, PAGE_OF_ROWS).get_page(request.GET.get("page"))
    return render_page(request, "memory/log.html", {"events": page})
