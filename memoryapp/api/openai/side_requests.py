"""What chat programs ask for themselves, beside what their user says: titles, tags, questions to
go on with. None of it is the user's word, so none of it is to be remembered or listed."""

import re

# The beginnings that these programs use unless somebody has rewritten them.
BEGINNINGS = (
    "### Task:.*<chat_history>",  # Open WebUI
    "Provide a concise, 5-word-or-less title",  # LibreChat
    r"Analyze this conversation and provide:\s+1\.",  # LibreChat
    r"Given the following\.\.\. please reply with a title",  # Continue
    "Based on the chat history, give this conversation a name",  # Chatbox
)
IS_ONE = re.compile("|".join(BEGINNINGS), re.DOTALL)


def is_side_request(question: str) -> bool:
    return IS_ONE.match(question) is not None
