import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memoryapp.evaluation import locomo
from memoryapp.models import Message, User

pytestmark = pytest.mark.django_db

GARDEN = {
    "sample_id": "garden",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Per",
        "session_1_date_time": "9:05 am on 3 March, 2024",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "I sowed radishes behind the shed."},
            {"speaker": "Per", "dia_id": "D1:2", "text": "My tram was late again."},
            {"speaker": "Ida", "dia_id": "D1:3", "text": "", "blip_caption": "a rusty gate"},
        ],
        "session_2": [
            {"speaker": "Per", "dia_id": "D2:1", "text": "I bought a violin at the flea market."},
            {"speaker": "Ida", "dia_id": "D2:2", "text": "Good morning to you."},
        ],
    },
    "qa": [
        {"question": "What did Ida sow?", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Per buy?", "evidence": ["D2:1 D1:2"], "category": 1},
        {"question": "Who sold the gate?", "evidence": ["D1:3"], "category": 5},
        {"question": "Nobody knows?", "evidence": ["D9:9"], "category": 4},
        {"question": "Nobody said?", "category": 9},
    ],
    "observation": {
        "session_2_observation": {"Per": [["Per owns a violin from the flea market.", "D2:1"]]}
    },
}
BOATS = {
    "conversation": {
        "speaker_a": "Kim",
        "speaker_b": "Lea",
        "session_1": [{"speaker": "Kim", "dia_id": "D1:1", "text": "My boat leaks at the stern."}],
    },
    "qa": [{"question": "Where does the boat leak?", "evidence": ["D1:1"], "category": 7}],
}


def printed(tmp_path, *samples, options=()):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(samples))
    call_command("evaluate_recall", str(path), *options, stdout=(out := StringIO()))
    return out.getvalue()


def cells(text, name):
    line = next(line for line in text.splitlines() if line.startswith(f"| {name} "))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_what_was_found_is_counted_for_each_category(tmp_path):
    text = printed(tmp_path, GARDEN, BOATS)
    assert cells(text, "all but adversarial")[:2] == ["3", "1.000"]
    assert cells(text, "one turn") == ["1", "1.000", "1.000", "1.000", "1.000"]
    assert cells(text, "several turns")[:2] == ["1", "1.000"]
    assert cells(text, "adversarial")[0] == "1"
    assert cells(text, "category 7")[0] == "1"
    assert "| time " not in text


def test_the_curve_of_the_floor_falls_and_rises(tmp_path):
    text = printed(tmp_path, GARDEN, BOATS)
    shares = re.findall(r"^\| \d\.\d\d +\| ([\d.]+)% +\| ([\d.]+)%", text, re.M)
    lost, false = zip(*shares, strict=True)
    assert list(lost) == sorted(lost, key=float)
    assert list(false) == sorted(false, key=float, reverse=True)
    assert float(lost[0]) < float(lost[-1])
    assert false[-1] == "0.0"


def test_one_conversation_has_no_questions_about_nothing(tmp_path):
    assert "needs a second conversation" in printed(tmp_path, GARDEN)


def test_evidence_in_facts_counts_for_what_a_reply_is_told(tmp_path, settings):
    assert re.search(r"within 1,000 tokens.*: [01]\.\d{3} of the", printed(tmp_path, GARDEN))
    settings.RECALL_TOKENS = 0
    assert ": 0.000 of the evidence, in 0 tokens on average" in printed(tmp_path, GARDEN)


def test_only_the_first_questions_are_asked_with_a_limit(tmp_path):
    text = printed(tmp_path, GARDEN, options=["--limit", "1"])
    assert cells(text, "all but adversarial")[0] == "1"


def test_measuring_leaves_nobody_behind(tmp_path):
    printed(tmp_path, GARDEN)
    assert not User.objects.exists()
    assert not Message.objects.exists()


def test_a_file_is_read_as_it_stands(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([GARDEN]))
    [garden] = locomo.read(tmp_path / "a.json")
    assert [turn.text for turn in garden.turns][2] == "a rusty gate"
    assert garden.turns[0].said_at.isoformat() == "2024-03-03T09:05:00+00:00"
    assert garden.turns[3].session == 2
    assert [question.evidence for question in garden.questions][1] == {"D2:1", "D1:2"}
    assert garden.observations[0].turns == ("D2:1",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "not in LoCoMo's form"),
        ('{"a": 1}', "not in LoCoMo's form"),
        ('[{"qa": []}]', "not in LoCoMo's form"),
        ("[]", "No question"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path, content, message):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(CommandError, match=message):
        call_command("evaluate_recall", str(tmp_path / "a.json"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"nowhere\.json can't be read"):
        call_command("evaluate_recall", str(tmp_path / "nowhere.json"))
