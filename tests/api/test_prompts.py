import pytest
from django.contrib.auth.models import Permission

from memoryapp.models import Prompt
from tests.api.callers import told
from tests.factories import make_prompt

pytestmark = pytest.mark.django_db
SHORT = {"key": "length", "value": "Answer in one sentence."}


def values(response):
    return [prompt["value"] for prompt in told(response, 200)["items"]]


@pytest.fixture
def administrator(ada):
    ada.is_staff = True
    ada.save()
    ada.user_permissions.add(Permission.objects.get(codename="change_prompt"))
    return ada


def test_prompt_list_has_the_callers_own_prompts(ada, ben, as_ada):
    make_prompt(ada, "length", "Short")
    make_prompt(ada, "tone", "Dry", status="paused")
    make_prompt(ben, "length", "Long")
    make_prompt(None, "language", "English")
    assert values(as_ada("GET", "/prompts")) == ["Dry", "Short"]
    assert values(as_ada("GET", "/prompts?status=active")) == ["Short"]


def test_administrators_see_the_global_prompts_as_well(administrator, as_ada):
    make_prompt(None, "language", "English")
    (prompt,) = told(as_ada("GET", "/prompts"), 200)["items"]
    assert prompt["is_global"]


def test_an_added_prompt_belongs_to_the_caller(ada, as_ada):
    added = told(as_ada("POST", "/prompts", SHORT), 201)
    assert (added["value"], added["origin"], added["is_global"]) == (SHORT["value"], "api", False)
    assert Prompt.objects.get().user == ada


def test_administrators_add_global_prompts(administrator, as_ada):
    assert told(as_ada("POST", "/prompts", {**SHORT, "is_global": True}), 201)["is_global"]
    assert Prompt.objects.get().user is None


def test_nobody_else_adds_global_prompts(as_ada):
    error = told(as_ada("POST", "/prompts", {**SHORT, "is_global": True}), 403)
    assert error["code"] == "administrators_only"
    assert not Prompt.objects.exists()


@pytest.mark.parametrize("changes", [{"value": ""}, {"key": 7}, {"kind": "fact"}, {"value": "\0"}])
def test_prompt_add_refuses_bad_input(as_ada, changes):
    told(as_ada("POST", "/prompts", {**SHORT, **changes}), 422)
    assert not Prompt.objects.exists()


def test_prompt_edit_supersedes_the_value(ada, as_ada):
    prompt = make_prompt(ada, "length", "Short")
    changed = told(as_ada("PATCH", f"/prompts/{prompt.pk}", {"value": "Long"}), 200)
    assert changed["id"] != str(prompt.pk)
    assert values(as_ada("GET", "/prompts")) == ["Long"]


def test_administrators_edit_and_forget_global_prompts(administrator, as_ada):
    prompt = make_prompt(None, "tone", "Dry")
    changed = told(as_ada("PATCH", f"/prompts/{prompt.pk}", {"value": "Warm"}), 200)
    assert changed["is_global"]
    assert told(as_ada("DELETE", f"/prompts/{changed['id']}"), 200) == {"forgotten": 1}
    assert not Prompt.objects.exists()


def test_a_global_prompt_does_not_exist_for_anybody_else(as_ada):
    prompt = make_prompt(None, "tone", "Dry")
    told(as_ada("PATCH", f"/prompts/{prompt.pk}", {"value": "Warm"}), 404)
    told(as_ada("DELETE", f"/prompts/{prompt.pk}"), 404)
    assert Prompt.objects.get().value == "Dry"


def test_a_forgotten_prompt_is_gone(ada, as_ada):
    prompt = make_prompt(ada, "length", "Short")
    assert told(as_ada("DELETE", f"/prompts/{prompt.pk}"), 200) == {"forgotten": 1}
    assert not Prompt.objects.exists()
