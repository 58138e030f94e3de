"""How each program writes its chats down: ChatGPT, Claude, Open WebUI, LibreChat, Khoj and
memoryapp itself.

A format is known by a key that only its chats have. Each reader takes what it knows and lets the
rest be, since such files gain and lose fields; what is no text (tools, thoughts, system messages)
stays outside.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from memoryapp.importing.records import ChatRecord, MessageRecord, chat, message
from memoryapp.memory.operations import storable
from memoryapp.models import Chat, Message

Data = dict[str, Any]
Reader = Callable[[Data], ChatRecord]

ROLES = {"user": "user", "human": "user", "you": "user", "assistant": "assistant"}
ROLES |= {"model": "assistant", "ai": "assistant", "khoj": "assistant"}
# ChatGPT puts its citations between characters of the private use area.
CITATION = re.compile("\ue200[^\ue201]*\ue201")
# Open WebUI keeps a model's thoughts and its tool calls within the text.
DETAILS = re.compile(r'<details type="(?:reasoning|tool_calls)".*?</details>\s*', re.DOTALL)
OWN = "memoryapp"
STATUSES = {"complete", "stopped", "failed", "interrupted"}
FLAGS = ("is_recallable", "is_on_record")


class Unknown(Exception):
    """No program that is known here wrote this."""


def read(record: Any) -> ChatRecord:
    """The chat that `record` holds. Raises Unknown."""
    if isinstance(record, dict):
        reader = next((READERS[key] for key in READERS if key in record), None)
        if reader is not None:
            try:
                return reader(record)
            except (LookupError, AttributeError, TypeError, ValueError, RecursionError) as error:
                raise Unknown from error
    raise Unknown


def chatgpt(record: Data) -> ChatRecord:
    return chat(
        "ChatGPT",
        record.get("conversation_id") or record.get("id") or digest(record),
        record.get("title"),
        record.get("create_time"),
        [_chatgpt_message(id, node) for id, node in record["mapping"].items()],
        record.get("current_node"),
        is_archived=record.get("is_archived") is True,
    )


def _chatgpt_message(id: str, node: Data) -> MessageRecord:
    said = node.get("message") or {}
    content, about = said.get("content") or {}, said.get("metadata") or {}
    is_text = content.get("content_type") in ("text", "multimodal_text")
    is_to_person = said.get("recipient") in (None, "all")
    is_shown = is_text and is_to_person and not about.get("is_visually_hidden_from_conversation")
    body = text_of(content.get("parts")) if is_shown else ""
    role = ROLES.get(text_of((said.get("author") or {}).get("role")), "")
    return message(id, node.get("parent"), role, CITATION.sub("", body), said.get("create_time"))


def claude(record: Data) -> ChatRecord:
    said, before = [], None
    for each in record["chat_messages"]:
        parent = each.get("parent_message_uuid") or before
        body = text_of(each.get("content")) or text_of(each.get("text"))
        files = [*(each.get("attachments") or ()), *(each.get("files") or ())]
        body = "\n\n".join([body, *(f"[{file.get('file_name', 'file')}]" for file in files)])
        role = ROLES.get(text_of(each.get("sender")), "")
        said.append(message(each["uuid"], parent, role, body, each.get("created_at")))
        before = each["uuid"]
    return chat("Claude", record["uuid"], record.get("name"), record.get("created_at"), said)


def open_webui(record: Data) -> ChatRecord:
    kept = record["chat"]
    history = kept["history"]
    said = [
        message(
            id,
            each.get("parentId"),
            ROLES.get(text_of(each.get("role")), ""),
            DETAILS.sub("", text_of(each.get("content"))),
            each.get("timestamp"),
        )
        for id, each in history["messages"].items()
    ]
    return chat(
        "Open WebUI",
        record.get("id") or digest(record),
        record.get("title") or kept.get("title"),
        record.get("created_at") or kept.get("timestamp"),
        said,
        history.get("currentId"),
        is_archived=record.get("archived") is True,
        is_pinned=record.get("pinned") is True,
    )


def librechat(record: Data) -> ChatRecord:
    said = [
        message(
            each["messageId"],
            each.get("parentMessageId"),
            "user" if each.get("isCreatedByUser") else "assistant",
            text_of(each.get("text")) or text_of(each.get("content")),
            each.get("createdAt"),
        )
        for each in _unfolded(record["messages"])
    ]
    began_at = record.get("createdAt") or (said[0].said_at and said[0].said_at.isoformat())
    return chat("LibreChat", record["conversationId"], record.get("title"), began_at, said)


def _unfolded(messages: Iterable[Data]) -> Iterator[Data]:
    """Messages that may hold those that follow them, one after the other."""
    waiting = list(messages)[::-1]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += (each.get("children") or [])[::-1]


def khoj(record: Data) -> ChatRecord:
    said = [
        message(
            number,
            number - 1 or None,
            ROLES.get(text_of(each.get("by")), ""),
            text_of(each.get("message")),
            each.get("created"),
        )
        for number, each in enumerate(record["conversation_log"]["chat"], 1)
    ]
    id = record.get("id") or record.get("slug") or digest(record)
    return chat("Khoj", id, record.get("title"), record.get("created_at"), said)


def memoryapp(record: Data) -> ChatRecord:
    said = [_own_message(each) for each in record["messages"]]
    shown = [each["id"] for each in record["messages"] if each.get("is_active", True)]
    spoken = {each.id for each in said if each.role != Message.Role.SUMMARY}
    source = record.get("title_source")
    return chat(
        OWN,
        record["id"],
        record.get("title"),
        record.get("created_at"),
        said,
        next((id for id in reversed(shown) if id in spoken), None),
        is_archived=record.get("is_archived") is True,
        is_pinned=record.get("is_pinned") is True,
        memory_on=record.get("memory_on") is not False,
        title_source=source if source in Chat.TitleSource.values else Chat.TitleSource.MANUAL,
    )


def _own_message(each: Data) -> MessageRecord:
    columns: Data = {name: each.get(name) is not False for name in FLAGS}
    columns["evicted_by"] = each.get("evicted_by")
    columns["failure"] = storable(text_of(each.get("failure")))
    columns["is_active"] = each.get("is_active") is not False
    status = each.get("status")
    columns["status"] = status if status in STATUSES else Message.Status.INTERRUPTED
    if (each.get("receipt") or {}).get("is_offline"):
        columns["receipt"] = {"is_offline": True}
    role = each["role"] if each["role"] in Message.Role.values else ""
    return message(
        each["id"], each.get("parent"), role, text_of(each["body"]), each["created_at"], **columns
    )


# The key that only chats of a format have, those that others may have too at the end.
READERS: dict[str, Reader] = {
    "mapping": chatgpt,
    "chat_messages": claude,
    "conversation_log": khoj,
    "conversationId": librechat,
    "chat": open_webui,
    "messages": memoryapp,
}


def text_of(content: Any) -> str:
    """The text of what a file says somebody said: a text, or a list of parts of several kinds."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("value"))
    if isinstance(content, list):
        return "\n\n".join(text for part in content if (text := text_of(part)))
    return ""


def digest(record: Data) -> str:
    """What a chat without an id is known by, in a later export too."""
    began_at = record.get("create_time") or record.get("created_at") or ""
    return hashlib.sha256(f"{began_at} {record.get('title')}".encode()).hexdigest()
