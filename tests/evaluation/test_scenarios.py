"""The scenarios that come along, with the extractor that misbehaves in every known way."""

from pathlib import Path

import pytest

from memoryapp.evaluation.running import evaluate
from memoryapp.evaluation.scenarios import ScenarioError, read, read_file

FOLDER = Path(__file__).parent.parent / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.django_db
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_goes_wrong_in_any_scenario(path):
    rates = evaluate(read_file(path))
    assert rates.failures == []
    assert any(tally.checked for tally in rates.tallies.values())


def test_there_are_scenarios_of_every_kind_and_language():
    scenarios = read(FOLDER)
    assert len(scenarios) == len({scenario.title for scenario in scenarios}) >= 60
    assert {scenario.language for scenario in scenarios} >= {"en", "de", "zh-hans", "ar"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: A", "steps: Field required"),
        ("title: A\nsteps: []", "steps: List should have at least 1 item"),
        ("title: A\nsteps: [{shout: hello}]", "steps.0: Unable to extract tag"),
        ("title: A\nsteps: [{say: hello, loud: true}]", "steps.0.say.loud: Extra inputs"),
        ("title: A\nsteps: [{do: dance}]", "steps.0.do.do: Input should be"),
        ("a: [", "bad.yaml is not YAML"),
        ("- 1", "bad.yaml, scenario 1: it: Input should be"),
    ],
)
def test_a_scenario_that_cannot_be_read_says_where(tmp_path, text, message):
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(ScenarioError) as error:
        read(tmp_path)
    assert message in str(error.value)


def test_a_folder_without_scenarios_is_an_error(tmp_path):
    with pytest.raises(ScenarioError, match="no scenario"):
        read(tmp_path)
