"""What a person said elsewhere over the years, imported and read as the queue would have it."""

from datetime import UTC, datetime, timedelta

from memoryapp import imported, tasks
from memoryapp.agents import llm
from memoryapp.models import Chat, Fact
from tests.importing import exports
from tests.importing.exports import taken_in


def at(year):
    return datetime(year, 5, 1, tzinfo=UTC)


def bring(user, *said, year=2023, id="chat"):
    """Import a chat of this year in which the person says this, each of it answered."""
    nodes, before = [], "root"
    for number, body in enumerate(said):
        moment = (at(year) + timedelta(minutes=number)).timestamp()
        nodes.append(exports.node(f"q{number}", before, "user", body, at=moment))
        nodes.append(exports.node(f"a{number}", f"q{number}", "assistant", "I see.", at=moment + 9))
        before = f"a{number}"
    taken_in(user, [exports.chatgpt(*nodes, end=before, conversation_id=id)])
    return Chat.objects.for_user(user).latest("last_message_at")


def read_all(user, model):
    """All that this person imported, read as the queue would have it read."""
    imported.start(user)
    with llm.override({"extractor": model}):
        read_on(user)


def read_on(user):
    for _ in range(50):
        tasks.extract_imported(str(user.pk))
        user.refresh_from_db()
        if not user.learns_imports:
            return
    raise AssertionError("It comes to no end.")


def waiting(user):
    return {fact.key: fact.value for fact in Fact.objects.for_user(user).waiting()}
