"""The memory page: facts, the persona, open tasks, how memory does, and its log."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from memoryapp.forms import FactFilter
from memoryapp.http import HtmxHttpRequest
from memoryapp.memory import condition, log, recall
from memoryapp.memory.recall.floors import floor
from memoryapp.models import Fact, Prompt, User
from memoryapp.models.memory import Status
from memoryapp.views import page_of, render_page
from memoryapp.views.rows import own_rows

# At most so many facts are found by their meaning, and so many because they hold the very words.
NEAR_MOST, LITERAL_MOST = 30, 1000


@login_required
@require_GET
def memory_facts(request: HtmxHttpRequest) -> HttpResponse:
    form = FactFilter(request.user, request.GET)
    asked = form.asked
    known = Fact.objects.for_user(request.user).exclude(status=Status.PENDING)
    counts = dict(known.current().order_by().values_list("kind").annotate(Count("pk")))
    facts = form.narrow(known).with_source()
    query = asked["q"]
    rows = _found(request.user, query, asked["kind"], facts) if query else facts
    context = {
        "rows": page_of(request, rows),
        "form": form,
        "asked": asked,
        "query": query,
        "kinds": [(name, counts.get(name, 0)) for name in Fact.Kind.values],
        "num_all": sum(counts.values()),
        "tables": "facts",
        "has_export": True,
    }
    if request.htmx:
        return render(request, "memory/_facts.html", context)
    return render_page(request, "memory/facts.html", context)


def _found(user: User, query: str, kind: str, facts: QuerySet[Any]) -> list[Fact]:
    """Facts by meaning and words, best first, then those that hold the very words."""
    near = recall.search(user, query, limit=NEAR_MOST, kind=kind, min_score=floor())
    ranked = [memory.id for memory in near]
    by_id = {str(fact.pk): fact for fact in facts.filter(pk__in=ranked)}
    literal = facts.filter(Q(value__icontains=query) | Q(key__icontains=query))
    by_id |= {str(fact.pk): fact for fact in literal[:LITERAL_MOST]}
    order = {id: rank for rank, id in enumerate(ranked)}
    return sorted(by_id.values(), key=lambda fact: order.get(str(fact.pk), NEAR_MOST))


@login_required
@require_GET
def memory_persona(request: HtmxHttpRequest) -> HttpResponse:
    everyones = Prompt.objects.filter(user=None).in_use().order_by("key")
    own = own_rows(request.user, "prompts").current().exclude(status=Status.PENDING)
    context = {"rows": own, "everyones": everyones, "tables": "prompts"}
    return render_page(request, "memory/persona.html", context)


@login_required
@require_GET
def memory_tasks(request: HtmxHttpRequest) -> HttpResponse:
    context = {
        "rows": page_of(request, condition.open_tasks(request.user)),
        "now": timezone.now(),
        "tables": "facts",
        "kind": Fact.Kind.TASK,
    }
    return render_page(request, "memory/tasks.html", context)


@login_required
@require_GET
def memory_condition(request: HtmxHttpRequest) -> HttpResponse:
    context = {
        "cost": condition.cost(request.user),
        "tokens_most": settings.RECALL_TOKENS,
        "conflicts": condition.conflicts(request.user),
        "near_duplicates": condition.near_duplicates(request.user),
        "never_used": condition.never_used(request.user),
        "stale": condition.stale(request.user),
        "days_unused": condition.UNUSED_FOR.days,
        "row_tables": "facts",
    }
    return render_page(request, "memory/condition.html", context)


@login_required
@require_GET
def memory_log(request: HtmxHttpRequest) -> HttpResponse:
    """What imported chats proposed is listed by itself."""
    is_of_imports = request.GET.get("from") == "import"
    page = page_of(request, log.entries(request.user, of_imports=is_of_imports))
    context = {
        "events": page,
        "undoable": log.undoable(request.user, page),
        "is_of_imports": is_of_imports,
        "has_imported": log.has_imported(request.user),
    }
    return render_page(request, "memory/log.html", context)
