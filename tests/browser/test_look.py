"""Math, light and dark, marks in the list, and what a page may run."""

import pytest
from playwright.sync_api import expect

from memoryapp.models import Message
from tests.browser.thread import box, is_finished
from tests.factories import make_chat

pytestmark = pytest.mark.django_db(transaction=True)
BACKGROUND = "getComputedStyle(document.documentElement).backgroundColor"


def test_math_is_set_and_what_is_no_tex_stays_as_it_is(browse, ada):
    hard = r"\int_0^1 \frac{\sqrt{a}}{\color{red} b} \begin{pmatrix} \boxed{1} \end{pmatrix}"
    umlauts = "It is $größe^2 = b^2$"
    chat = make_chat(ada, "Pythagoras?", f"{umlauts} and $\\nope{{$.\n\n$$\n{hard}\n$$")
    page = browse(ada).open(f"/chats/{chat.pk}/")
    expect(page.locator(".math .katex")).to_have_count(2)
    expect(page.locator(".math .katex-display")).to_have_count(1)
    expect(page.locator(".message--assistant")).to_contain_text("\\nope{")


def test_a_page_without_math_loads_no_typesetter(browse, ada, chat):
    person, asked = browse(ada), []
    person.context.on("request", lambda request: asked.append(request.url))
    person.open(f"/chats/{chat.pk}/").wait_for_load_state("networkidle")
    assert [url for url in asked if "katex" in url] == []


def test_what_was_chosen_for_a_person_stands_under_a_title_that_can_be_read(browse, admin_user):
    page = browse(admin_user).open(f"/admin/memoryapp/user/{admin_user.pk}/change/")
    for title in page.locator(".selector-chosen-title").all():
        colour = title.evaluate("title => getComputedStyle(title).color")
        expect(title.locator("label")).to_have_css("color", colour)


def test_the_look_is_chosen_and_kept(browse, ada):
    page = browse(ada, color_scheme="light").open("/")
    light = page.evaluate(BACKGROUND)
    page.get_by_label("Look").select_option("dark")
    assert page.evaluate(BACKGROUND) != light
    page.reload()
    assert page.evaluate(BACKGROUND) != light
    page.get_by_label("Look").select_option("as the system")
    assert page.evaluate(BACKGROUND) == light


def test_a_button_that_waits_can_be_read_under_the_pointer_too(browse, ada):
    page = browse(ada, reduced_motion="reduce").open("/import/")
    button = page.get_by_role("button", name="Import", exact=True)
    button.evaluate("button => { button.disabled = true; }")
    colour = button.evaluate("button => getComputedStyle(button).backgroundColor")
    button.hover(force=True)
    assert button.evaluate("button => button.matches(':hover')")
    assert button.evaluate("button => getComputedStyle(button).backgroundColor") == colour


def test_one_line_parts_the_tabs_from_what_is_listed(browse, ada):
    listed = browse(ada).open("/memory/tasks/").locator(".tabs + .ledger")
    assert listed.evaluate("list => getComputedStyle(list).borderTopWidth") == "0px"


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_choice_of_the_look_stands_in_one_line(browse, ada, language):
    ada.language = language
    ada.save()
    words = browse(ada).open("/").locator(".theme > span")
    assert words.evaluate(
        "words => words.offsetHeight < 1.9 * parseFloat(getComputedStyle(words).fontSize)"
    )


def test_the_list_notices_that_another_chat_has_answered(browse, ada, chat):
    Message.objects.filter(chat=chat, role="assistant").update(status="streaming")
    page = browse(ada).open("/")
    expect(page.locator(".dot--answering")).to_be_visible()
    chat.messages.get(role="assistant").finish("complete")
    expect(page.locator(".dot--answering")).to_have_count(0)
    expect(page.locator(".chats .dot")).to_be_visible()


def test_a_reply_that_is_watched_is_not_unread(browse, ada, chat):
    page = browse(ada).open(f"/chats/{chat.pk}/")
    box(page).fill("And now?")
    page.keyboard.press("Enter")
    expect(page.locator(".message")).to_have_count(4)
    is_finished(page)
    page.goto("/")
    expect(page.locator(".chats__item")).to_be_visible()
    expect(page.locator(".chats .dot")).to_have_count(0)


def test_a_breach_of_the_content_policy_would_fail_any_of_these_tests(browse, ada):
    person = browse(ada)
    page = person.open("/")
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
    }""")
    assert page.evaluate("window.ran") is None
    assert "Content Security Policy" in " ".join(person.errors)
    person.errors.clear()
