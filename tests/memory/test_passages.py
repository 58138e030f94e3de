import random

import pytest

from memoryapp.memory.passages import PASSAGE_TOKENS, split
from memoryapp.tokens import num_tokens

PARAGRAPH = "The harbour is quiet in winter. Ships come on Tuesdays and leave before dawn. " * 5
CODE = "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(30)) + "\n```"


def without_space(text):
    return "".join(text.split())


def noise(seed):
    chance = random.Random(seed)
    parts = [
        "# Title\n",
        "\n\n",
        "word ",
        "A sentence. ",
        "```\n",
        "~~~\n",
        "東京。",
        "x" * 900,
        "\t",
    ]
    return "".join(chance.choice(parts) for _ in range(400))


@pytest.mark.parametrize("body", [PARAGRAPH * 20, CODE * 9, "😀" * 5000, *map(noise, range(20))])
def test_split_loses_no_character_and_keeps_passages_short(body):
    passages = split(body)
    assert without_space("".join(passages)) == without_space(body)
    assert max(map(num_tokens, passages)) <= PASSAGE_TOKENS * 1.5


def test_a_short_text_is_one_passage_letter_for_letter():
    assert split("\n  indented\n\n\tcode\n") == ["  indented\n\n\tcode"]


@pytest.mark.parametrize("body", ["", " \n\t\n "])
def test_a_blank_text_has_no_passages(body):
    assert split(body) == []


def test_passages_end_where_paragraphs_end():
    passages = split("\n\n".join([PARAGRAPH.strip()] * 6))
    assert all(passage.endswith("dawn.") for passage in passages)
    assert len(passages) == 3


def test_a_long_paragraph_is_cut_between_sentences():
    passages = split(PARAGRAPH * 10)
    assert len(passages) > 3
    assert all(passage.endswith(".") for passage in passages)


def test_a_heading_stays_with_what_follows_it():
    body = "\n\n".join(
        f"# Part {number}\n\n## About {number}\n\n{PARAGRAPH}" for number in range(9)
    )
    for passage in split(body):
        assert not passage.splitlines()[-1].startswith("#")
    assert split(body)[0].startswith("# Part 0\n\n## About 0\n\nThe harbour")


def test_code_between_fences_is_not_cut_when_it_fits():
    body = "\n\n".join([PARAGRAPH, CODE] * 5)
    assert [passage.count("```") % 2 for passage in split(body)] == [0] * len(split(body))


def test_a_heading_inside_code_is_code():
    body = f"{PARAGRAPH}\n\n```sh\n# not a heading\nmake run\n```\n"
    assert any("```sh\n# not a heading\nmake run\n```" in passage for passage in split(body))


def test_code_that_does_not_fit_is_cut_between_lines():
    passages = split("```\n" + "\n".join(f"line {n} of a long file" for n in range(200)) + "\n```")
    assert len(passages) > 3
    assert all(passage.endswith(("file", "```")) for passage in passages)


def test_a_text_of_nothing_but_headings_is_cut_too():
    passages = split("# A heading without a text\n" * 300)
    assert max(map(num_tokens, passages)) <= PASSAGE_TOKENS
