"""What follows a saved row, mostly tasks. No logic: signals say when, the tasks say whether."""

from collections.abc import Collection
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from memoryapp import tasks
from memoryapp.bus import chat_group, person_group, publish
from memoryapp.models import Chat, Fact, MemoryEvent, Message, Resource, User
from memoryapp.models.chats import branch_switched, imported, learning_wanted


@receiver(post_save, sender=Message)
def message_saved(instance: Message, **kwargs: Any) -> None:
    if instance.is_finished_reply:
        for task in (tasks.title, tasks.summarize, tasks.embed_messages):
            tasks.enqueue(task, instance.chat_id)
        tasks.enqueue(tasks.note_use, instance.pk)
        tasks.enqueue(tasks.extract, instance.chat_id, due=tasks.next_lesson())


@receiver(branch_switched, sender=Chat)
def chat_switched(instance: Chat, **kwargs: Any) -> None:
    for task in (tasks.extract, tasks.summarize):
        tasks.enqueue(task, instance.pk)


@receiver(imported, sender=User)
def chats_imported(instance: User, **kwargs: Any) -> None:
    tasks.enqueue(tasks.embed_missing)


@receiver(learning_wanted, sender=User)
def learning_from_imports_wanted(instance: User, **kwargs: Any) -> None:
    tasks.enqueue(tasks.extract_imported, instance.pk)


@receiver(post_delete, sender=Chat)
def chat_deleted(instance: Chat, **kwargs: Any) -> None:
    publish(chat_group(instance.pk), {"type": "chat.deleted"})


@receiver(post_save, sender=Fact)
def fact_saved(instance: Fact, created: bool, **kwargs: Any) -> None:
    if created and instance.embedding is None:
        tasks.enqueue(tasks.embed_facts, instance.user_id)


@receiver(post_save, sender=MemoryEvent)
def memory_event_saved(instance: MemoryEvent, **kwargs: Any) -> None:
    if instance.action == MemoryEvent.Action.FORGOTTEN:
        tasks.enqueue(tasks.condense_again, instance.user_id)


@receiver(post_save, sender=Resource)
def resource_saved(instance: Resource, created: bool, **kwargs: Any) -> None:
    if created:
        tasks.enqueue(tasks.read_resource, instance.pk)


@receiver(post_save, sender=User)
def person_saved(
    instance: User, created: bool, update_fields: Collection[str] | None, **kwargs: Any
) -> None:
    """With another password the sessions are over that were begun with the one before."""
    if not created and (update_fields is None or "password" in update_fields):
        publish(person_group(instance.pk), {"type": "session.ended"})


@receiver(post_delete, sender=UserSession)
def session_removed(instance: UserSession, **kwargs: Any) -> None:
    """Whoever is no longer listed, from the admin too, is signed out."""
    Session.objects.filter(session_key=instance.session_key).delete()


@receiver(post_delete, sender=Session)
def session_ended(instance: Session, **kwargs: Any) -> None:
    if user_id := instance.get_decoded().get(SESSION_KEY):
        publish(person_group(user_id), {"type": "session.ended"})


@receiver(post_delete, sender=Authenticator)
def authenticator_removed(instance: Authenticator, **kwargs: Any) -> None:
    """Whoever has no device any more, by the admin too, needs no codes in its place."""
    if instance.type == Authenticator.Type.TOTP:
        Authenticator.objects.filter(user_id=instance.user_id).delete()
