import numpy as np
import pytest

from memoryapp.memory.ranking import OWN_BONUS, WORDS_WEIGHT, Rows, score

HOUR = 3600.0


def rows(hits, *, cosine=None, length=None, group=None, at=None, is_own=None):
    count = len(hits)
    return Rows(
        cosine=np.zeros(count) if cosine is None else np.array(cosine),
        hits=np.array(hits, dtype=bool),
        length=np.full(count, 10) if length is None else np.array(length),
        group=np.zeros(count, int) if group is None else np.array(group),
        at=np.arange(count, dtype=float) if at is None else np.array(at),
        is_own=np.zeros(count, bool) if is_own is None else np.array(is_own),
    )


def words_of(*args, **kwargs):
    return score(rows(*args, **kwargs)).words.tolist()


def test_a_row_with_every_word_has_them_all_and_a_row_alone_without_any_has_none():
    assert words_of([[1, 1], [0, 0]], group=[1, 2]) == pytest.approx([1, 0])


def test_neighbours_count_less_the_further_they_are():
    hits = [[0]] * 9
    hits[4] = [1]
    assert words_of(hits) == pytest.approx([0.2, 0.2, 0.4, 0.4, 1, 0.6, 0.6, 0.2, 0.2])


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


def test_the_score_adds_meaning_words_and_whose_words_they_are():
    found = score(rows([[1], [1]], cosine=[0.5, 0.5], group=[1, 2], is_own=[False, True]))
    assert found.score == pytest.approx([0.5 + WORDS_WEIGHT, 0.5 + WORDS_WEIGHT + OWN_BONUS])


def test_a_row_without_a_vector_is_scored_by_its_words():
    assert score(rows([[1]], cosine=[np.nan])).score == pytest.approx([WORDS_WEIGHT])


def test_a_question_without_words_is_scored_by_meaning():
    found = score(rows(np.zeros((2, 0)), cosine=[0.1, 0.4]))
    assert found.score == pytest.approx([0.1, 0.4])


def test_no_rows_have_no_scores():
    assert score(rows(np.zeros((0, 3)))).score.tolist() == []
