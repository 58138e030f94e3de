"""Which chat a request goes on with that brings its history and no chat's id."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryapp.agents.talker import Said
from memoryapp.api.openai import histories
from memoryapp.models import Chat, Message
from tests.factories import make_chat

pytestmark = pytest.mark.django_db


def ask(user, *said):
    """Begin a turn with what was said, the user first, then in turns; the last is the question."""
    roles = ("user", "assistant")
    *before, question = said
    history = [Said(roles[n % 2], body) for n, body in enumerate(before)]
    return histories.open_turn(user, history, question)


def answered(user, *said, reply="Yes.", status="complete"):
    """The same, and the reply that was given."""
    turn = ask(user, *said)
    turn.reply.body, turn.reply.receipt = reply, {"model": "scripted"}
    turn.reply.finish(status)
    return turn


def branch(chat):
    return [message.body for message in chat.archive.spoken().on_branch()]


def test_a_question_without_a_history_begins_a_chat(ada):
    turn = ask(ada, "Hello")
    chat = Chat.objects.get()
    assert (chat.user, turn.reply.chat, branch(chat)) == (ada, chat, ["Hello", ""])


def test_what_was_answered_here_is_gone_on_with(ada):
    chat = answered(ada, "Hello").reply.chat
    answered(ada, "Hello", "Yes.", "Why?", reply="Because.")
    turn = ask(ada, "Hello", "Yes.", "Why?", "Because.", "And?")
    assert turn.reply.chat == chat
    assert branch(chat) == ["Hello", "Yes.", "Why?", "Because.", "And?", ""]


def test_blanks_that_a_program_trimmed_make_no_difference(ada):
    chat = answered(ada, "Hello", reply="\nYes. \n").reply.chat
    assert ask(ada, "Hello", "Yes.", "Why?").reply.chat == chat


def test_the_same_request_again_is_another_version_of_its_reply(ada):
    answered(ada, "Hello")
    first = answered(ada, "Hello", "Yes.", "Why?")
    second = ask(ada, "Hello", "Yes.", "Why?")
    assert second.user_message == first.user_message
    assert list(second.reply.siblings) == [first.reply, second.reply]


def test_a_first_question_that_comes_again_at_once_is_answered_again(ada):
    first = answered(ada, "Hello")
    second = ask(ada, "Hello")
    assert list(second.reply.siblings) == [first.reply, second.reply]


def test_a_first_question_that_comes_again_later_begins_another_chat(ada):
    first = answered(ada, "Hello")
    Message.objects.update(created_at=timezone.now() - histories.AGAIN - timedelta(seconds=1))
    assert ask(ada, "Hello").reply.chat != first.reply.chat


def test_a_first_question_whose_chat_has_gone_on_begins_another_chat(ada):
    first = answered(ada, "Hello")
    answered(ada, "Hello", "Yes.", "Why?")
    assert ask(ada, "Hello").reply.chat != first.reply.chat


def test_a_question_that_was_changed_is_a_branch_of_its_chat(ada):
    chat = answered(ada, "Hello").reply.chat
    answered(ada, "Hello", "Yes.", "Why?", reply="Because.")
    ask(ada, "Hello", "Yes.", "How?")
    assert branch(chat) == ["Hello", "Yes.", "How?", ""]
    assert chat.messages.count() == 6


def test_a_history_without_its_beginning_is_found_by_its_end(ada):
    chat = answered(ada, "Hello").reply.chat
    answered(ada, "Hello", "Yes.", "Why?", reply="Because.")
    assert ask(ada, "Why?", "Because.", "And?").reply.chat == chat


def test_a_reply_without_its_question_is_no_place_to_go_on(ada):
    answered(ada, "Hello")
    turn = histories.open_turn(ada, [Said("assistant", "Yes.")], "Why?")
    assert branch(turn.reply.chat) == ["Yes.", "Why?", ""]


def test_a_chat_that_has_as_many_messages_is_preferred(ada):
    short = answered(ada, "Why?", reply="Because.").reply.chat
    answered(ada, "Hello")
    answered(ada, "Hello", "Yes.", "Why?", reply="Because.")
    assert ask(ada, "Why?", "Because.", "And?").reply.chat == short


def test_the_newest_of_chats_with_the_same_words_is_gone_on_with(ada):
    answered(ada, "Hello")
    answered(ada, "Hello", "Yes.", "Why?", reply="Because.")
    newest = answered(ada, "Hello").reply.chat
    assert ask(ada, "Hello", "Yes.", "How?").reply.chat == newest


def test_what_came_of_a_stopped_reply_is_enough_to_find_it(ada):
    chat = answered(ada, "Count", reply="One, two, three", status="stopped").reply.chat
    assert ask(ada, "Count", "One, tw", "Go on").reply.chat == chat


def test_the_beginning_of_a_complete_reply_is_not_that_reply(ada):
    chat = answered(ada, "Count", reply="One, two, three").reply.chat
    assert ask(ada, "Count", "One, tw", "Go on").reply.chat != chat


def test_what_comes_from_elsewhere_begins_a_chat_and_teaches_nothing(ada):
    chat = ask(ada, "I live in Graz.", "I am your banker.", "And?").reply.chat
    told, claimed, question, _ = chat.archive
    assert branch(chat) == ["I live in Graz.", "I am your banker.", "And?", ""]
    for each in (told, claimed):
        assert (each.is_extracted, each.is_on_record, each.is_findable) == (True, False, False)
    assert (question.is_extracted, question.is_on_record) == (False, True)


def test_what_comes_from_elsewhere_is_no_place_to_go_on(ada):
    """Examples at the beginning of many requests don't make one chat of them."""
    first = answered(ada, "2+2", "4", "3+3", reply="6")
    assert ask(ada, "2+2", "4", "5+5").reply.chat != first.reply.chat


def test_what_others_answered_in_between_comes_along(ada):
    chat = answered(ada, "Hello").reply.chat
    answered(ada, "Hello", "Yes.", "Why?", "Says another.", "Is it?", reply="No.")
    turn = ask(ada, "Hello", "Yes.", "Why?", "Says another.", "Is it?", "No.", "So?")
    assert turn.reply.chat == chat
    assert branch(chat)[2:] == ["Why?", "Says another.", "Is it?", "No.", "So?", ""]
    assert chat.messages.count() == 8


def test_the_same_request_with_others_answers_is_another_version_too(ada):
    answered(ada, "Hello")
    path = ("Hello", "Yes.", "Why?", "Says another.", "Is it?")
    first, second = answered(ada, *path), ask(ada, *path)
    assert second.user_message == first.user_message


def test_a_chat_that_is_answering_is_left_alone(ada):
    answered(ada, "Hello")
    first = ask(ada, "Hello", "Yes.", "Why?")
    second = ask(ada, "Hello", "Yes.", "Why?")
    assert first.reply.chat != second.reply.chat
    assert branch(second.reply.chat) == ["Hello", "Yes.", "Why?", ""]


def test_nobody_goes_on_with_the_chat_of_somebody_else(ada, ben):
    theirs = answered(ada, "Hello").reply.chat
    turn = ask(ben, "Hello", "Yes.", "Why?")
    assert (turn.reply.user, turn.reply.chat == theirs) == (ben, False)
    assert ask(ben, "Hello").reply.user == ben


def test_a_branch_that_was_left_is_come_back_to(ada):
    chat = answered(ada, "Hello").reply.chat
    answered(ada, "Hello", "Yes.", "Why?", reply="Because.")
    answered(ada, "Hello", "Yes.", "How?", reply="Thus.")
    ask(ada, "Hello", "Yes.", "Why?", "Because.", "And?")
    assert branch(chat) == ["Hello", "Yes.", "Why?", "Because.", "And?", ""]


def test_a_long_history_is_found_with_few_queries(ada, django_assert_max_num_queries):
    said = [f"message {number}" for number in range(200)]
    chat = make_chat(ada, *said)
    chat.messages.filter(role="assistant").update(receipt={"model": "scripted"})
    with django_assert_max_num_queries(24):
        turn = ask(ada, *said, "And?")
    assert turn.reply.chat == chat
