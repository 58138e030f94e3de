import numpy as np
import pytest

from memoryapp.memory.recall.ranking import (
    ANSWER,
    DATE_BONUS,
    LENT,
    LENT_WITHIN,
    NAMED_BONUS,
    OWN_BONUS,
    WORDS_WEIGHT,
    Rows,
    Speaker,
    score,
)

HOUR = 3600.0
NOBODY, OWN, OTHER = Speaker.NOBODY, Speaker.OWN, Speaker.OTHER


def rows(
    hits,
    *,
    cosine=None,
    length=None,
    group=None,
    at=None,
    speaker=None,
    asks=None,
    source=None,
):
    count = len(hits)
    keys = np.arange(count)
    return Rows(
        cosine=np.zeros(count) if cosine is None else np.array(cosine),
        hits=np.array(hits, dtype=bool).T,
        length=np.full(count, 10) if length is None else np.array(length),
        group=np.zeros(count, int) if group is None else np.array(group),
        at=np.arange(count, dtype=float) if at is None else np.array(at),
        speaker=np.full(count, NOBODY) if speaker is None else np.array(speaker),
        asks=np.zeros(count, bool) if asks is None else np.array(asks),
        id=keys,
        source=keys if source is None else np.array(source),
    )


def words_of(*args, **kwargs):
    return score(rows(*args, **kwargs)).words.tolist()


def test_a_row_with_every_word_has_them_all_and_a_row_alone_without_any_has_none():
    assert words_of([[1, 1], [0, 0]], group=[1, 2]) == pytest.approx([1, 0])


def test_neighbours_count_less_the_further_they_are():
    hits = [[0]] * 9
    hits[4] = [1]
    assert words_of(hits) == pytest.approx([0.1, 0.1, 0.4, 0.4, 1, 0.6, 0.6, 0.1, 0.1])


def test_neighbours_are_sought_by_time_whatever_the_order_of_the_rows():
    assert words_of([[1], [0], [0]], at=[5.0, 4.0, 6.0]) == pytest.approx([1, 0.4, 0.6])


def test_nothing_reaches_another_chat_or_across_a_long_silence():
    assert words_of([[1], [0], [0]], group=[1, 2, 2]) == pytest.approx([1, 0, 0])
    assert words_of([[1], [0], [0]], at=[0, 5 * HOUR, 5 * HOUR + 1]) == pytest.approx([1, 0, 0])


def test_a_rare_word_weighs_more_than_a_common_one():
    hits = [[0, 1]] + [[1, 0]] * 30 + [[0, 0]] * 169
    rare, common = words_of(hits, group=range(200))[:2]
    weight = [np.log(1 + (200 - n + 0.5) / (n + 0.5)) for n in (30, 1)]
    assert [common, rare] == pytest.approx([weight[0] / sum(weight), weight[1] / sum(weight)])


def test_words_that_no_row_has_lower_the_share_of_those_found():
    assert words_of([[1, 0]], group=[1])[0] < words_of([[1]], group=[1])[0] == 1


def test_in_a_single_row_each_word_of_the_question_weighs_about_the_same():
    assert words_of([[1, 0]], group=[1])[0] == pytest.approx(0.5, abs=0.1)


def test_a_long_row_is_damped():
    short, long = words_of([[1], [1]], length=[25, 250], group=[1, 2])
    assert (short, long) == pytest.approx((1, 1 / (0.6 + 0.4 * 10)))


def test_parts_of_one_message_share_its_words_and_its_neighbours():
    found = words_of([[1, 0], [0, 1], [0, 0]], at=[0, 0, 1])
    # Half of the question each, .6 of the other half; what follows has .6 of both.
    assert found == pytest.approx([0.8, 0.8, 0.6])


def test_a_message_in_parts_counts_once_towards_how_common_a_word_is():
    in_parts = words_of([[1, 0]] * 60 + [[0, 1]], at=[0] * 60 + [1], group=[1] * 60 + [2])
    whole = words_of([[1, 0], [0, 1]], group=[1, 2])
    assert in_parts[0] == pytest.approx(whole[0])


def scores_of(*args, named=NOBODY, spans=(), **kwargs):
    return score(rows(*args, **kwargs), named=named, spans=spans).score.tolist()


def test_what_the_person_said_themselves_is_preferred():
    speaker = [OWN, OTHER, NOBODY]
    expected = [WORDS_WEIGHT + OWN_BONUS, WORDS_WEIGHT, WORDS_WEIGHT]
    assert scores_of([[1]] * 3, group=[1, 2, 3], speaker=speaker) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("named", "bonus"),
    [
        (OWN, [NAMED_BONUS, 0]),
        (OTHER, [0, NAMED_BONUS]),
        (Speaker.BOTH, [0, 0]),
    ],
)
def test_what_the_one_who_is_named_said_is_preferred(named, bonus):
    found = scores_of([[0]] * 2, group=[1, 2], speaker=[OWN, OTHER], named=named)
    assert found == pytest.approx(bonus)


def test_what_answers_the_other_side_shares_in_what_was_asked():
    conversation = {
        "cosine": [0.8, 0.1, 0.1],
        "speaker": [OTHER, OWN, OTHER],
        "asks": [True, False, False],
        "named": Speaker.BOTH,
    }
    answered = [0.8, 0.1 + ANSWER * 0.8, 0.1]
    assert scores_of([[0]] * 3, **conversation) == pytest.approx(answered)
    conversation["asks"] = [False] * 3
    assert scores_of([[0]] * 3, **conversation) == pytest.approx(conversation["cosine"])


def test_nothing_is_an_answer_after_a_long_silence_or_to_oneself():
    asked = {"cosine": [0.8, 0.1], "asks": [True, False], "named": Speaker.BOTH}
    late = scores_of([[0]] * 2, speaker=[OTHER, OWN], at=[0, 5 * HOUR], **asked)
    alone = scores_of([[0]] * 2, speaker=[OWN, OWN], **asked)
    assert late == alone == pytest.approx([0.8, 0.1])


def test_a_fact_lends_to_the_turn_that_taught_it_and_to_its_session():
    lesson = {
        "cosine": [0.1, 0.1, 0.1, 0.9],
        "group": [1, 1, 2, 3],
        "speaker": [OWN, OTHER, OWN, NOBODY],
        "named": Speaker.BOTH,
    }
    taught, beside, elsewhere, fact = scores_of([[0]] * 4, source=[0, 1, 2, 0], **lesson)
    assert (taught, beside) == pytest.approx((0.1 + 2 * LENT * 0.5, 0.1 + LENT * 0.5))
    assert (elsewhere, fact) == pytest.approx((0.1, 0.9))


def test_of_what_a_fact_lends_counts_what_is_near_the_best():
    lessons = {
        "cosine": [0.1, 0.1, 0.9, 0.9 - LENT_WITHIN + 0.1],
        "group": [1, 2, 3, 4],
        "speaker": [OTHER, OTHER, NOBODY, NOBODY],
    }
    best, other, *_ = scores_of([[0]] * 4, source=[0, 1, 0, 1], **lessons)
    assert (best, other) == pytest.approx((0.1 + 2 * LENT * LENT_WITHIN, 0.1 + 2 * LENT * 0.1))
    lessons["cosine"][3] = 0.9 - LENT_WITHIN - 0.1
    assert scores_of([[0]] * 4, source=[0, 1, 0, 1], **lessons)[1] == pytest.approx(0.1)


def test_a_fact_lends_nothing_if_its_turn_is_not_there():
    found = scores_of(
        [[0]] * 2, cosine=[0.1, 0.9], group=[1, 2], speaker=[OTHER, NOBODY], source=[0, 77]
    )
    assert found == pytest.approx([0.1, 0.9])


def test_turns_of_a_time_that_is_named_are_preferred_and_facts_are_not():
    found = scores_of(
        [[0]] * 3,
        group=[1, 2, 3],
        at=[5.0, 20.0, 5.0],
        speaker=[OTHER, OTHER, NOBODY],
        spans=[(0.0, 10.0)],
    )
    assert found == pytest.approx([DATE_BONUS, 0, 0])


def test_a_row_without_a_vector_is_scored_by_its_words():
    assert score(rows([[1]], cosine=[np.nan])).score == pytest.approx([WORDS_WEIGHT])


def test_a_question_without_words_is_scored_by_meaning():
    found = score(rows(np.zeros((2, 0)), cosine=[0.1, 0.4]))
    assert found.score == pytest.approx([0.1, 0.4])


def test_no_rows_have_no_scores():
    assert score(rows(np.zeros((0, 3)))).score.tolist() == []
