"""The tools that models of other programs are given."""

from collections.abc import Sequence

from django.shortcuts import get_object_or_404

from memoryapp.agents.fences import fence, item, one_line
from memoryapp.agents.talker import MEMORY_NOTE, turn_line
from memoryapp.api.mcp.calls import Answer, tool
from memoryapp.memory import forgetting, ledger, resources
from memoryapp.memory import recall as recalling
from memoryapp.memory.operations import Operation
from memoryapp.memory.recall import lookup
from memoryapp.memory.recall.withheld import Withheld
from memoryapp.models import ApiKey, Chat, Fact
from memoryapp.models.memory import said_in_one_line
from memoryapp.schemas import mcp
from memoryapp.schemas.memory import Forgotten

NOTHING_FOUND = "Nothing found."
# Nobody can tell where the model runs that asks, so it gets nothing that is for local ones only.
WITHHELD = Withheld(local_only=True)


@tool("Recall what fits", takes=mcp.Recall, gives=mcp.Recalled)
def recall(key: ApiKey, asked: mcp.Recall) -> Answer:
    """What is known of the person that fits a question: facts about them, and what they and the
    assistant said in earlier chats. Call it before you answer what may depend on it."""
    found = recalling.recall(
        key.user,
        Chat(user=key.user),
        asked.query,
        asked=lookup.understood(key.user, asked.query),
        withheld=WITHHELD,
    )
    data = mcp.Recalled(
        facts=[mcp.FactTold.model_validate(memory) for memory in found.memories],
        turns=[mcp.TurnTold.model_validate(memory) for memory in found.turns],
    )
    facts = titled("Facts:", fact_lines(data.facts))
    turns = titled("Earlier turns:", [turn_line(memory) for memory in found.turns])
    return Answer(fenced("memory", [*facts, *turns]), data)


@tool("List facts", takes=mcp.Listing, gives=mcp.Facts)
def list_facts(key: ApiKey, asked: mcp.Listing) -> Answer:
    """All that is known of the person, newest first, or all of one kind."""
    facts = Fact.objects.for_user(key.user).in_use().filter(local_only=False)
    if asked.kind:
        facts = facts.filter(kind=asked.kind)
    rows = facts.order_by("-recorded_at", "id")[asked.offset : asked.offset + asked.limit]
    told = [
        mcp.FactTold(id=row.pk, kind=row.kind, text=said_in_one_line(*row.place, row.value))
        for row in rows
    ]
    return Answer(fenced("memory", fact_lines(told)), mcp.Facts(facts=told, count=facts.count()))


@tool("Search earlier chats", takes=mcp.Search, gives=mcp.Turns)
def search_archive(key: ApiKey, asked: mcp.Search) -> Answer:
    """What was said in the person's earlier chats with the assistant, by meaning and by words. Use
    it when recall didn't bring up what you look for."""
    found = recalling.search_archive(key.user, asked.query, limit=asked.limit, withheld=WITHHELD)
    turns = [mcp.TurnTold.model_validate(memory) for memory in found]
    return Answer(fenced("memory", list(map(turn_line, found))), mcp.Turns(turns=turns))


@tool("Search resources", takes=mcp.Search, gives=mcp.Passages, needs_memory=False)
def search_resources(key: ApiKey, asked: mcp.Search) -> Answer:
    """Passages of the person's documents, by meaning and by words. Name the document that you take
    something from."""
    found = resources.search(key.user, asked.query, limit=asked.limit)
    passages = [mcp.PassageTold.model_validate(passage) for passage in found]
    lines = [item(f"{passage.source}: {passage.text}") for passage in found]
    return Answer(fenced("resources", lines), mcp.Passages(passages=passages))


# Not destructive: what it takes the place of stays in the history, and can be restored.
@tool("Remember a fact", takes=mcp.Telling, gives=mcp.Remembered, scope="write")
def remember(key: ApiKey, asked: mcp.Telling) -> Answer:
    """Keep one lasting fact about the person that they told you themselves or asked you to keep.
    Never keep guesses, passwords, or what stands in pages and documents. What is delicate waits
    until the person has decided on it."""
    told = ledger.tell(
        user=key.user,
        operation=Operation("add", "fact", quote="", **asked.model_dump()),
        actor=actor(key),
    )
    if told.row is None:
        outcome, text = "unchanged", told.reason
    elif told.reason:
        outcome, text = "waits", f"It waits for the person's decision. {told.reason}"
    else:
        outcome, text = "remembered", f"Remembered (id: {told.row.pk})."
    id = told.row.pk if told.row else None
    return Answer(text, mcp.Remembered(outcome=outcome, id=id, reason=told.reason))


@tool(
    "Forget a fact",
    takes=mcp.Forgetting,
    gives=Forgotten,
    scope="write",
    is_destructive=True,
    needs_memory=False,
)
def forget(key: ApiKey, asked: mcp.Forgetting) -> Answer:
    """Remove a fact for good, with all its earlier values and wherever else it was kept. This can't
    be undone: call it only if the person asks for it."""
    fact = get_object_or_404(Fact.objects.for_user(key.user), pk=asked.id)
    rows = Fact.objects.for_user(key.user).filter(pk=fact.pk)
    report = forgetting.forget(rows=rows, actor=actor(key))
    return Answer("Forgotten.", Forgotten(forgotten=report.memories))


def actor(key: ApiKey) -> str:
    """Who changes a memory, as the log names it."""
    return f"{key.name} (MCP)"


def fact_lines(facts: Sequence[mcp.FactTold]) -> list[str]:
    return [f"- [{fact.kind}] {one_line(fact.text)} (id: {fact.id})" for fact in facts]


def titled(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *lines] if lines else []


def fenced(tag: str, lines: Sequence[str]) -> str:
    return fence(tag, MEMORY_NOTE, *lines) if lines else NOTHING_FOUND


TOOLS = {
    each.name: each
    for each in (recall, list_facts, search_archive, search_resources, remember, forget)
}
