import json
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from pydantic_ai.exceptions import UnexpectedModelBehavior

from memoryapp.agents import llm
from memoryapp.agents.extractor import (
    CONTEXT_BYTES,
    KNOWN_VALUE_BYTES,
    Heard,
    Known,
    documents,
    extract,
)
from memoryapp.agents.llm import Choice
from memoryapp.memory.operations import Operation
from tests.fakes import Script, learns, operation

VIENNA = ZoneInfo("Europe/Vienna")
FRIDAY = datetime(2026, 8, 21, 14, 5, tzinfo=VIENNA)
CITY = Known(7, "id-of-city", "fact", "identity", "city", "Berlin", "")


def heard(body, role="user", number=1):
    return Heard(number, role, body, FRIDAY)


async def learned(model, messages, known=(), choice=None):
    with llm.override({"extractor": model}):
        return await extract(messages, known, choice=choice or llm.choose("extractor"))


def bodies(document):
    return [message["body"] for message in json.loads(document)["messages"]]


async def test_the_extractor_is_sent_one_json_document():
    model = learns()

    await learned(model, [heard("I moved.", number=3), heard("Oh?", "assistant", 4)], [CITY])

    time = "Friday 2026-08-21 14:05"
    assert json.loads(model.sent) == {
        "now": time,
        "timezone": "Europe/Vienna",
        "known": [
            {
                "row": 7,
                "table": "fact",
                "kind": "identity",
                "key": "city",
                "value": "Berlin",
                "subject": "",
            }
        ],
        "messages": [
            {"number": 3, "role": "user", "source": True, "said_at": time, "body": "I moved."},
            {"number": 4, "role": "assistant", "source": False, "said_at": time, "body": "Oh?"},
        ],
    }


async def test_what_the_model_finds_comes_back_as_operations():
    model = learns(
        operation(
            "City",
            " Vienna ",
            "moved to Vienna",
            action="update",
            kind="identity",
            replaces=7,
            valid_from="2026-08-01T00:00",
            due_at="2026-08-28T09:00:00+00:00",
        )
    )

    run = await learned(model, [heard("I moved to Vienna.")], [CITY])

    assert run.output == [
        Operation(
            action="update",
            table="fact",
            key="city",
            value="Vienna",
            quote="moved to Vienna",
            kind="identity",
            replaces="id-of-city",
            valid_from=datetime(2026, 8, 1, tzinfo=VIENNA),
            due_at=datetime.fromisoformat("2026-08-28T09:00:00+00:00"),
        )
    ]
    assert run.input_tokens > 0


async def test_a_row_that_is_not_known_replaces_nothing():
    run = await learned(learns(operation("city", "Graz", "Graz", replaces=99)), [heard("Graz")])

    assert run.output[0].replaces == ""


@pytest.mark.parametrize(("subject", "about"), [(" The user", ""), ("Me", ""), ("Mia", "Mia")])
async def test_the_user_is_no_subject(subject, about):
    model = learns(operation("city", "Graz", "Graz", subject=subject))

    run = await learned(model, [heard("Graz")])

    assert run.output[0].subject == about


async def test_a_model_that_is_not_local_answers_through_a_tool():
    hosted = Choice("hosted", is_offline=False, is_local=False)

    run = await learned(learns(operation("city", "Graz", "Graz")), [heard("Graz")], choice=hosted)

    assert [operation.value for operation in run.output] == ["Graz"]


async def test_an_answer_of_the_wrong_form_is_asked_for_again():
    wrong = {"operations": [{"action": "remember", "text": "Graz"}]}
    right = {"operations": [operation("city", "Graz", "Graz")]}
    model = Script([wrong], ["Sure! I noted it."], [right])

    run = await learned(model, [heard("I live in Graz")])

    assert len(run.output) == 1
    assert len(model.requests) == 3


async def test_of_an_answer_without_end_the_beginning_counts():
    proposals = [operation(f"city_{n}", "Graz", "Graz") for n in range(10_000)]

    run = await learned(learns(*proposals), [heard("I live in Graz")])

    assert [found.key for found in run.output] == [f"city_{n}" for n in range(100)]


@pytest.mark.parametrize("answer", [[1, 2], "Graz", None, {"operations": "none"}])
async def test_json_of_the_wrong_type_is_asked_for_again_and_then_an_error(answer):
    with pytest.raises(UnexpectedModelBehavior):
        await learned(Script([json.dumps(answer)]), [heard("I live in Graz")])


async def test_a_model_that_never_keeps_to_the_form_is_an_error():
    with pytest.raises(UnexpectedModelBehavior) as caught:
        await learned(Script(["Sure! I noted it."]), [heard("I live in Graz")])

    assert "didn't keep to the form" in llm.explain(caught.value)


async def test_when_the_user_said_nothing_no_model_is_asked():
    model = learns(operation("city", "Graz", "Graz"))

    run = await learned(model, [heard("You live in Graz.", "assistant")])

    assert run.output == []
    assert model.requests == []


async def test_a_long_message_is_read_to_its_end_in_several_calls():
    model = learns(operation("city", "Graz", "Graz"))
    words = "word " * 5000

    run = await learned(model, [heard(words)])

    read = "".join(body for request in model.requests for body in bodies(texts_of(request)))
    assert read == words
    assert len(model.requests) == len(run.output) == 5


def texts_of(request):
    return request[-1].parts[-1].content


def test_no_document_is_larger_than_allowed():
    long = [heard("word " * 100, number=1), heard("长" * 300, number=2), heard("so", number=3)]

    parts = list(documents(long, [CITY], most=400))

    assert all(len("".join(bodies(part)).encode()) <= 400 for part in parts)
    assert "".join(body for part in parts for body in bodies(part)) == "".join(
        message.body for message in long
    )


def test_of_a_long_answer_only_the_beginning_is_context():
    answer, thanks = heard("word " * 1000, "assistant", 1), heard("Yes, that.", "user", 2)

    (document,) = documents([answer, thanks], [], most=8000)

    context, source = bodies(document)
    assert context.startswith("word word")
    assert len(context) < CONTEXT_BYTES + 10
    assert source == "Yes, that."


def test_of_a_long_known_value_only_the_beginning_is_sent():
    row = Known(1, "1", "fact", "fact", "note", "x" * 5000, "")

    (document,) = documents([heard("Hi")], [row], most=8000)

    [known] = json.loads(document)["known"]
    assert known["value"] == "x" * KNOWN_VALUE_BYTES + " …"


def test_letters_of_any_script_are_sent_as_they_are():
    (document,) = documents([heard("我住在维也纳")], [], most=8000)

    assert "我住在维也纳" in document
