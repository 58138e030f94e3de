import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from memoryapp.admin import chats
from memoryapp.memory import ledger
from memoryapp.memory.operations import Operation
from memoryapp.models import Chat, Message
from tests.factories import make_chat
from tests.pages import client_of


def page_of(row):
    return reverse(f"admin:memoryapp_{row._meta.model_name}_change", args=[row.pk])


def test_a_chat_is_shown_with_its_archive(admin_page, condensed_chat):
    page = admin_page.get(page_of(condensed_chat))

    bodies = [entry.message.body for entry in page.context["archive"]]
    assert bodies == list(condensed_chat.archive.values_list("body", flat=True))
    for message in condensed_chat.archive:
        assert f'id="message-{message.pk}"' in page.content.decode()


def test_an_archive_marks_what_was_condensed_set_aside_and_stopped(admin_page, condensed_chat):
    html = admin_page.get(page_of(condensed_chat)).content.decode()
    summary = condensed_chat.archive.get(role=Message.Role.SUMMARY)
    assert html.count(f'href="#message-{summary.pk}"') == 2
    assert html.count("Not on the branch that is shown") == 1
    assert "Stopped" in html


def test_an_archive_counts_what_a_reply_used_as_the_chat_itself_does(
    admin_page, ada, condensed_chat
):
    html = admin_page.get(page_of(condensed_chat)).content.decode()
    chat = client_of(ada).get(reverse("chat-detail", args=[condensed_chat.pk])).content.decode()
    assert "Receipt: 2 memories used" in html
    assert "Used 2 memories" in chat


def test_an_archive_escapes_what_was_said(admin_page, chat):
    chat.add_message(Message.Role.USER, "<script>alert(1)</script>")
    assert "<script>alert" not in admin_page.get(page_of(chat)).content.decode()


def test_a_long_archive_shows_its_end(admin_page, condensed_chat, monkeypatch):
    monkeypatch.setattr(chats, "ARCHIVE_MESSAGES", 2)
    page = admin_page.get(page_of(condensed_chat))
    shown = [entry.message.body for entry in page.context["archive"]]
    assert shown == ["No idea.", "Terraform."]
    assert "4 earlier" in page.content.decode()


def test_a_name_given_here_is_one_made_by_hand(admin_page, chat):
    admin_page.post(page_of(chat), {"title": "Greetings", "memory_on": "on"})
    chat.refresh_from_db()
    assert (chat.title, chat.title_source) == ("Greetings", Chat.TitleSource.MANUAL)


def test_memory_can_be_switched_off_for_a_chat_and_its_title_stays_automatic(admin_page, chat):
    admin_page.post(page_of(chat), {"title": chat.title})
    chat.refresh_from_db()
    assert (chat.memory_on, chat.title_source) == (False, Chat.TitleSource.DEFAULT)


@pytest.mark.parametrize("title", [" ", "\u200b"])
def test_an_empty_title_is_an_error_of_the_form(admin_page, chat, title):
    response = admin_page.post(page_of(chat), {"title": title})
    assert "This field is required" in str(response.context["errors"])
    chat.refresh_from_db()
    assert chat.title == "New chat"


def test_deleting_a_chat_counts_its_messages_and_logs_no_title(admin_page, condensed_chat):
    delete = reverse("admin:memoryapp_chat_delete", args=[condensed_chat.pk])
    assert "Messages: 6" in admin_page.get(delete).content.decode()

    admin_page.post(delete, {"post": "yes"})

    assert not Message.objects.exists()
    assert LogEntry.objects.get().object_repr == f"Chat {condensed_chat.pk}"


def test_the_list_counts_each_chats_messages(admin_page, condensed_chat, ben):
    Chat.objects.create(user=ben)
    listed = admin_page.get(reverse("admin:memoryapp_chat_changelist")).context["cl"].result_list
    assert {chat.title: chat.num_messages for chat in listed} == {
        "Infrastructure": 6,
        "New chat": 0,
    }


def test_a_search_finds_each_chat_once_by_its_words_wherever_they_stand(admin_page, ada, ben):
    chat = make_chat(ada, "Leeks?", "Leeks and dill.", "More leeks.", title="Supper")
    make_chat(ben, "Leeks?", "Braise them.", title="Lunch")
    found = admin_page.get("/admin/memoryapp/chat/", {"q": "supper leeks ada"})
    assert list(found.context["cl"].result_list) == [chat]
    assert (
        not admin_page.get("/admin/memoryapp/chat/", {"q": "supper braise"})
        .context["cl"]
        .result_list
    )


def test_a_search_takes_words_as_the_language_of_each_message_does(admin_page, ada, ben):
    ben.language = "de"
    german, english = make_chat(ben, "Zwei Häuser am See"), make_chat(ada, "It houses two of us")
    page = admin_page.get(reverse("admin:memoryapp_message_changelist"), {"q": "Haus"})
    assert [message.chat for message in page.context["cl"].result_list] == [german]
    page = admin_page.get(reverse("admin:memoryapp_chat_changelist"), {"q": "house"})
    assert [chat.pk for chat in page.context["cl"].result_list] == [english.pk]


@pytest.mark.parametrize("page", ["change", "delete"])
def test_messages_are_only_read(admin_page, condensed_chat, page):
    message = condensed_chat.archive.first()
    address = reverse(f"admin:memoryapp_message_{page}", args=[message.pk])
    assert admin_page.post(address, {"body": "Never said.", "post": "yes"}).status_code == 403
    assert condensed_chat.archive.first().body == "We deploy with Terraform."


def test_a_message_shows_its_receipt(admin_page, condensed_chat):
    answer = condensed_chat.archive.last()
    html = admin_page.get(page_of(answer)).content.decode()
    assert "&quot;text&quot;: &quot;iac: Terraform&quot;" in html


def test_a_message_links_to_its_chat_its_parent_and_what_it_taught(admin_page, ada, condensed_chat):
    question, reply = condensed_chat.archive[:2]
    operation = Operation("add", "fact", "iac", "Terraform", "deploy with Terraform")
    ledger.apply(user=ada, operations=[operation], messages=[question], model="offline")

    html = admin_page.get(page_of(question)).content.decode()

    assert page_of(ada.facts.get()) in html
    assert page_of(condensed_chat) in html
    assert page_of(question) in admin_page.get(page_of(reply)).content.decode()
