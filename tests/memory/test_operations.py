import pytest

from memoryapp.memory.operations import is_question, quote_start


@pytest.mark.parametrize(
    ("body", "quote", "start"),
    [
        ("I live in Vienna now.", "I live in Vienna", 0),
        ("Hm. I live in\n Vienna now.", "i LIVE in vienna", 4),
        ("She said “I’m done”.", '"I\'m done"', 10),
        ("Ich heiße Jürgen", "heisse Ju\u0308rgen", 4),
        ("我住在维也纳。", "住在维也纳", 1),
        ("اسمي ليلى وأعيش في تونس", "أعيش في تونس", 11),
        ("ｆｕｌｌ width", "full width", 0),
        ("An airplane, a plane", "plane", 15),
    ],
)
def test_a_quote_is_found_however_it_is_spelled(body, quote, start):
    assert quote_start(body, quote) == start


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("I live in Vienna now.", "I live in Berlin"),
        ("Call Arnau later", "rna"),
        ("I like cats", ""),
        ("I like cats", "."),
        ("a, b", "a"),
    ],
)
def test_a_quote_that_was_not_said_is_refused(body, quote):
    assert quote_start(body, quote) is None


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("What tools do I use for deployments?", "What tools do I use for deployments?"),
        ("What tools do I use for deployments?", "tools do I use for deployments"),
        ("Hello. Do I live in Graz?", "I live in Graz"),
        ("Hello. Do I live in Graz?", "I live in Graz."),
        ("我住在维也纳吗？", "我住在维也纳吗"),
        ("我住在维也纳吗", "我住在维也纳"),
        ("do i live in Graz", "live in Graz"),
        ("where do we meet", "we meet"),
        ("wo wohne ich eigentlich", "wohne ich"),
    ],
)
def test_a_question_teaches_nothing(body, quote):
    assert is_question(body, quote)


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("I live in Graz, what's the weather?", "I live in Graz"),
        ("I live in Graz. What's the weather?", "I live in Graz"),
        ("I live in Graz", "I live in Graz"),
        ("I live in Graz; do you?", "I live in Graz"),
        ("I live in Graz. Right?", "I live in Graz."),
        ("Can you remember that I live in Graz?", "I live in Graz"),
        ("Kannst du dir merken, dass ich in Graz wohne?", "ich in Graz wohne"),
        ("When I was a child we lived in Graz", "we lived in Graz"),
    ],
)
def test_a_statement_beside_a_question_counts(body, quote):
    assert not is_question(body, quote)
