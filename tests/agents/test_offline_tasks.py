"""What the offline responder learns as tasks: reminders, and what has to be done by a day."""

from datetime import datetime

import pytest

from memoryapp.memory.operations import quote_start
from memoryapp.memory.support import is_supported
from tests.agents.learning import VIENNA, learn


@pytest.mark.parametrize(
    ("body", "value", "due_at"),
    [
        (
            "I prefer tea. Also remind me to ship the Odoo article on Friday.",
            "ship the Odoo article",
            datetime(2026, 8, 21, 9, tzinfo=VIENNA),
        ),
        (
            "Remind me tomorrow at 5 pm to call my mother and my sister",
            "call my mother and my sister",
            datetime(2026, 8, 20, 17, tzinfo=VIENNA),
        ),
        (
            "Don't forget to pay rent by 1 December",
            "pay rent",
            datetime(2026, 12, 1, 9, tzinfo=VIENNA),
        ),
        (
            "Remember that the parcel arrives tomorrow",
            "the parcel arrives",
            datetime(2026, 8, 20, 9, tzinfo=VIENNA),
        ),
        ("Remind me to buy milk", "buy milk", None),
        (
            "Erinnere mich bitte daran, am Montag um 10 Uhr den Arzt anzurufen.",
            "den Arzt anzurufen",
            datetime(2026, 8, 24, 10, tzinfo=VIENNA),
        ),
        (
            "Erinnere mich in 3 Tagen an die Miete",
            "die Miete",
            datetime(2026, 8, 22, 9, tzinfo=VIENNA),
        ),
    ],
)
async def test_a_reminder_becomes_a_task_with_its_date(body, value, due_at):
    *_, task = await learn(body)
    assert (task.kind, task.value, task.due_at) == ("task", value, due_at)


@pytest.mark.parametrize(
    ("body", "value", "due_at"),
    [
        (
            "I have an appointment with the dentist on 3 December at 10.",
            "appointment with the dentist",
            datetime(2026, 12, 3, 10, tzinfo=VIENNA),
        ),
        (
            "I need to call the plumber by Friday.",
            "call the plumber",
            datetime(2026, 8, 21, 9, tzinfo=VIENNA),
        ),
        (
            "Ich muss bis Freitag die Steuererklärung abgeben.",
            "die Steuererklärung abgeben",
            datetime(2026, 8, 21, 9, tzinfo=VIENNA),
        ),
        (
            "Ich habe am 3. Dezember um 10 Uhr einen Termin beim Zahnarzt.",
            "Termin beim Zahnarzt",
            datetime(2026, 12, 3, 10, tzinfo=VIENNA),
        ),
    ],
)
async def test_what_has_to_be_done_by_a_day_becomes_a_task(body, value, due_at):
    [task] = await learn(body)
    assert (task.kind, task.value, task.due_at) == ("task", value, due_at)
    assert is_supported(task)
    assert quote_start(body, task.quote) is not None
