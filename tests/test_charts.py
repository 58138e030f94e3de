from datetime import date, timedelta

from memoryapp import charts

TODAY = date(2026, 3, 1)


def test_the_highest_bar_fills_the_height_and_days_without_numbers_are_empty():
    numbers = [(TODAY, 30), (TODAY, 20), (TODAY - timedelta(days=2), 25)]
    chart = charts.by_day(numbers, TODAY, 4)
    assert [bar.number for bar in chart.bars] == [0, 25, 0, 50]
    assert [bar.height for bar in chart.bars] == [0, 50, 0, 100]
    assert [bar.y for bar in chart.bars] == [100, 50, 100, 0]
    assert (chart.first.day, chart.last.day) == (date(2026, 2, 26), TODAY)
    assert (chart.total, chart.highest.day) == (75, TODAY)


def test_bars_stand_side_by_side_within_the_drawing():
    bars = charts.by_day([], TODAY, 14).bars
    ends = [bar.x + bar.width for bar in bars]
    assert all(end < following.x for end, following in zip(ends, bars[1:], strict=False))
    assert bars[0].x >= 0
    assert ends[-1] <= 100
