"""A queue of thousands: a worker that was away comes back to it."""

import time

from tests.faults.product import kill
from tests.processes import manage, wait_until

PEOPLE = 400  # with a finished reply each, which five tasks follow
# At once, for the worker is started again when tasks wait and nobody takes them.
TALK = f"""
from django.db import transaction
from memoryapp.models import Chat, User
with transaction.atomic():
    for n in range({PEOPLE}):
        chat = Chat.objects.create(user=User.objects.create(username=str(n)))
        chat.add_message("user", "My bicycle is green.")
        chat.add_message("assistant", "Noted.")
"""


def test_two_thousand_tasks_are_done_once_and_keep_nobody_waiting(up, note):
    resting = [up.worker, *up.worker.children(recursive=True)]
    for process in resting:
        process.suspend()
    assert manage("shell", "-c", TALK, **up.environment).returncode == 0
    waiting = up.num_waiting()
    assert waiting >= 5 * PEOPLE
    for process in resting:
        process.resume()
    begun_at = time.monotonic()
    wait_until(lambda: up.num_waiting() < waiting - 200, 120)
    question = up.say(up.make_chat(), "Are you there? [[words=2]]")
    asked_at = time.monotonic()
    wait_until(lambda: question.text, 30)
    note("seconds until a question was answered meanwhile", time.monotonic() - asked_at)
    wait_until(lambda: up.num_waiting() < waiting / 2, 600)
    kill(up.worker)
    wait_until(lambda: up.num_waiting() == 0, 600)
    note("tasks a second", waiting / (time.monotonic() - begun_at))
    assert up.learned() == {"bicycle": (PEOPLE, PEOPLE)}  # one a person: a second can't be current
    untitled = "select count(*) from memoryapp_chat where title_source = 'default'"
    assert up.value(untitled) == 0
    unread = "select count(*) from memoryapp_message where not is_extracted or embedding is null"
    assert up.value(unread) == 0
    failed = "select count(*) from django_q_task where not success"
    assert up.value(failed) == 0
