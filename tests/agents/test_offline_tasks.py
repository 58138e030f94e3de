"""What the offline responder learns as tasks: reminders, and what has to be done by a day."""

from datetime import datetime

import pytest

from memoryapp.memory.language.support import is_supported
from memoryapp.memory.operations import quote_start
from tests.agents.learning import VIENNA, learn


@pytest.mark.parametrize(
    ("body", "value", "due_at"),
    [
        (
            "I prefer tea. Also remind me to ship the Odoo article on Friday.",
            "ship the Odoo article",
            (2026, 8, 21, 9),
        ),
        (
            "Remind me tomorrow at 5 pm to call my mother and my sister",
            "call my mother and my sister",
            (2026, 8, 20, 17),
        ),
        ("Don't forget to pay rent by 1 December", "pay rent", (2026, 12, 1, 9)),
        ("Remember that the parcel arrives tomorrow", "the parcel arrives", (2026, 8, 20, 9)),
        ("Remind me to buy milk", "buy milk", None),
        (
            "Erinnere mich bitte daran, am Montag um 10 Uhr den Arzt anzurufen.",
            "den Arzt anzurufen",
            (2026, 8, 24, 10),
        ),
        ("Erinnere mich in 3 Tagen an die Miete", "die Miete", (2026, 8, 22, 9)),
        (
            "I have an appointment with the dentist on 3 December at 10.",
            "appointment with the dentist",
            (2026, 12, 3, 10),
        ),
        ("I need to call the plumber by Friday.", "call the plumber", (2026, 8, 21, 9)),
        (
            "Ich muss bis Freitag die Steuererklärung abgeben.",
            "die Steuererklärung abgeben",
            (2026, 8, 21, 9),
        ),
        (
            "Ich habe am 3. Dezember um 10 Uhr einen Termin beim Zahnarzt.",
            "Termin beim Zahnarzt",
            (2026, 12, 3, 10),
        ),
    ],
)
async def test_what_is_to_be_done_becomes_a_task_with_its_date(body, value, due_at):
    *_, task = await learn(body)
    when = due_at and datetime(*due_at, tzinfo=VIENNA)
    assert (task.kind, task.value, task.due_at) == ("task", value, when)
    assert is_supported(task)
    assert quote_start(body, task.quote) is not None
