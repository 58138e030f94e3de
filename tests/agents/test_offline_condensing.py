"""The offline responder's summaries and titles, through the summarizer's own agents."""

from memoryapp.agents import llm, summarizer
from memoryapp.agents.offline.wording import ENGLISH
from memoryapp.agents.talker import Said

OFFLINE = llm.Choice("offline", is_offline=True, is_local=True)


async def summarize(*messages):
    return (await summarizer.summarize(messages, choice=OFFLINE)).output


async def title(*messages):
    return (await summarizer.title(messages, choice=OFFLINE)).output


async def test_a_short_chat_is_kept_sentence_by_sentence_with_who_said_it():
    summary = await summarize(
        Said("user", "I moved to Vienna. It is <nice> here."),
        Said("assistant", "How do you like the coffee?"),
    )
    assert summary == (
        "User: I moved to Vienna.\nUser: It is <nice> here.\nAssistant: How do you like the coffee?"
    )


async def test_a_long_chat_is_condensed_to_what_it_is_about():
    small_talk = [Said("assistant", f"Alright, number {i} was remarked upon.") for i in range(60)]
    summary = await summarize(
        Said("user", "The Odoo article is about Odoo stock rules."), *small_talk
    )
    assert "User: The Odoo article is about Odoo stock rules." in summary
    assert len(summary.split()) <= 200


async def test_an_earlier_summary_is_folded_in():
    long = [Said("user", f"Note {i}. " + "And more was said then. " * 20) for i in range(20)]
    summary = await summarize(Said("summary", "User: I moved to Vienna."), *long)
    assert summary.startswith("User: I moved to Vienna.\n")
    assert len(summary.split()) <= 200


async def test_a_full_summary_leaves_room_for_what_is_new():
    earlier = "\n".join(f"User: Old thing {i} about plans and plans." for i in range(25))
    summary = await summarize(Said("summary", earlier), Said("user", "I moved to Vienna."))
    assert summary.endswith("User: I moved to Vienna.")
    assert "User: Old thing 0" in summary


async def test_what_was_stated_outlasts_many_questions():
    asked = [Said("user", f"What about the mill's floor {i} of the mill?") for i in range(60)]
    stated = Said("user", "Josef built its wheel in 1887.")
    summary = await summarize(asked[0], stated, *asked[1:])
    assert "User: Josef built its wheel in 1887." in summary
    again = await summarize(Said("summary", summary), *asked)
    assert "User: Josef built its wheel in 1887." in again


async def test_the_same_messages_give_the_same_summary():
    messages = [Said("user", f"Point {i} is about plan {i % 7}. " * 5) for i in range(50)]
    assert await summarize(*messages) == await summarize(*messages)


async def test_what_the_responder_says_of_itself_is_left_out():
    summary = await summarize(
        Said("user", "I moved to Vienna."),
        Said("assistant", f"{ENGLISH.introduction}\n\n{ENGLISH.statement}"),
    )
    assert summary == "User: I moved to Vienna."


async def test_only_the_responders_own_words_leave_something_all_the_same():
    assert await summarize(Said("assistant", ENGLISH.greeting))


async def test_a_title_is_the_first_words_of_the_user_cut_between_words():
    first = "Which of our clusters runs in the region that we left for the cheaper one in May?"
    named = await title(Said("assistant", "Hello."), Said("user", first))
    assert named == "Which of our clusters runs in the region that we left for"
    assert len(named) <= 60


async def test_a_short_message_is_its_own_title():
    assert await title(Said("user", "Moving to\nVienna.")) == "Moving to Vienna"


async def test_one_endless_word_is_cut():
    assert len(await title(Said("user", "x" * 200))) <= 60
