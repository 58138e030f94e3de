"""An administrator, and at least one row in every table the admin shows."""

from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group
from django_q.models import OrmQ, Task
from django_q.tasks import async_task

from memoryapp.memory import forgetting
from memoryapp.models import (
    ApiKey,
    Chat,
    Fact,
    MemoryMark,
    Message,
    Passage,
    RecallFloor,
    Resource,
    Usage,
    User,
)
from tests.factories import failed_task, remember
from tests.pages import client_of


@pytest.fixture
def administrator(db):
    return User.objects.create_superuser("root", password="a-long-password")


@pytest.fixture
def admin_page(administrator, client):
    client.force_login(administrator)
    client.get("/healthz")  # which notes the visit
    return client


@pytest.fixture
def condensed_chat(ada):
    """A chat with a turn that was condensed, one that wasn't, and a reply that was set aside."""
    chat = Chat.objects.create(user=ada, title="Infrastructure")
    question = chat.add_message(Message.Role.USER, "We deploy with Terraform.")
    reply = chat.add_message(Message.Role.ASSISTANT, "Noted.")
    summary = chat.add_message(Message.Role.SUMMARY, "They deploy with Terraform.")
    chat.messages.filter(pk__in=[question.pk, reply.pk]).update(evicted_by=summary)
    later = chat.add_message(Message.Role.USER, "Which tool was it?")
    aside = chat.add_message(Message.Role.ASSISTANT, "No idea.")
    chat.fork_at(later)
    chat.messages.filter(pk=aside.pk).update(status=Message.Status.STOPPED)
    answer = chat.add_message(Message.Role.ASSISTANT, "Terraform.")
    receipt = {
        "memories": [{"id": str(uuid4()), "text": "iac: Terraform", "reason": "meaning"}],
        "turns": [{"id": str(uuid4()), "text": "We deploy with Terraform.", "reason": "words"}],
    }
    chat.messages.filter(pk=answer.pk).update(receipt=receipt)
    return chat


@pytest.fixture
def handbook(ada):
    resource = Resource.objects.create(
        user=ada, name="Handbook", body="One. Two.", status=Resource.Status.READY
    )
    Passage.objects.create(resource=resource, position=0, body="Ask before deploying.")
    return resource


@pytest.fixture
def rows(ada, condensed_chat, handbook, settings):
    """One row at least of every table; tests/admin/test_admin_pages.py notices a missing one."""
    Group.objects.create(name="editors")
    Authenticator.objects.create(user=ada, type=Authenticator.Type.TOTP, data={})
    SocialAccount.objects.create(user=ada, provider="https://login.example.org", uid="1")
    ApiKey.make(user=ada, name="laptop")
    client_of(ada).get("/healthz")
    Usage.objects.create(user=ada, chat=condensed_chat, agent="talker", model="offline")
    remember(ada, "employer", "Initech")
    remember(ada, "employer", "Globex")
    remember(ada, "tone", "Short sentences.", table="prompt")
    remember(None, "language", "Answer in the user's language.", table="prompt")
    remember(ada, "secret", "Rosebud")
    forgetting.forget(rows=Fact.objects.filter(key="secret"), actor="ada")
    MemoryMark.objects.create(
        user=ada, message=condensed_chat.archive.last(), memory_id=uuid4(), is_turn=False,
        is_useful=True, score=0.5, embedding_model="minilm",
    )  # fmt: skip
    RecallFloor.objects.create(embedding_model="minilm", floor=0.4, num_marks=30)
    failed_task()
    failed_task(id="s" * 32)
    Task.objects.filter(id="s" * 32).update(success=True)
    async_task("memoryapp.tasks.title", str(condensed_chat.pk))
    assert OrmQ.objects.exists()
