"""Small exports, each written down as its program does it."""

import io
import json
import zipfile

from memoryapp import importing


def taken_in(user, data, name="export.json"):
    """The report on `data`, which is JSON already if it is bytes."""
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    return importing.take_in(user, io.BytesIO(body), name)


def zipped(**files):
    """A ZIP with each of these as a JSON file."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.json", json.dumps(data))
    return body.getvalue()


def node(id, parent, role, *parts, at=1700000000.5, **message):
    content = {"content_type": "text", "parts": list(parts)}
    said = {"author": {"role": role}, "content": content, "create_time": at, **message}
    return {"id": id, "parent": parent, "children": [], "message": said}


def chatgpt(*nodes, end="a2", **fields):
    """A question, a search that stays outside, an answer around it, and the question reworded."""
    root = {"id": "root", "parent": None, "children": ["q1"], "message": None}
    nodes = nodes or (
        node("hidden", "root", "system", "You are helpful."),
        node("q1", "hidden", "user", "Where is Graz?", at=1700000000.5),
        node("a1", "q1", "assistant", "In Austria.", at=1700000010),
        node("q2", "a1", "user", "And Linz?", at=1700000020),
        node("look", "q2", "assistant", "Let me look.", at=1700000021),
        node("tool", "look", "assistant", "linz", at=1700000022, recipient="web.search"),
        node("found", "tool", "tool", "Linz, Austria", at=1700000023),
        node("a2", "found", "assistant", "There, too.\ue200cite\ue202turn0\ue201", at=1700000024),
        node("q2b", "a1", "user", "And Bonn?", at=1700000030),
        node("a2b", "q2b", "assistant", "In Germany.", at=1700000031),
    )
    mapping = {each["id"]: each for each in (root, *nodes)}
    return {
        "title": "Cities",
        "create_time": 1700000000,
        "mapping": mapping,
        "current_node": end,
        "conversation_id": "6f1",
        **fields,
    }


CLAUDE = {
    "uuid": "c1",
    "name": "Cities",
    "created_at": "2024-05-01T10:00:00.000000Z",
    "chat_messages": [
        {
            "uuid": "m1",
            "text": "Where is Graz?",
            "content": [{"type": "text", "text": "Where is Graz?"}],
            "sender": "human",
            "created_at": "2024-05-01T10:00:01.000000Z",
            "attachments": [{"file_name": "map.pdf", "extracted_content": "..."}],
        },
        {
            "uuid": "m2",
            "text": "",
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": "Austria."},
            ],
            "sender": "assistant",
            "created_at": "2024-05-01T10:00:05.000000Z",
        },
    ],
}
OPEN_WEBUI = {
    "id": "w1",
    "title": "Cities",
    "created_at": 1714557600,
    "archived": True,
    "chat": {
        "history": {
            "currentId": "b",
            "messages": {
                "a": {"id": "a", "parentId": None, "role": "user", "content": "Where is Graz?",
                      "timestamp": 1714557600},
                "b": {"id": "b", "parentId": "a", "role": "assistant", "timestamp": 1714557605,
                      "content": '<details type="reasoning" done="true">Hm.</details>\nAustria.'},
            },
        },
    },
}  # fmt: skip
LIBRECHAT = {
    "conversationId": "l1",
    "title": "Cities",
    "recursive": True,
    "messages": [
        {
            "messageId": "a",
            "parentMessageId": "00000000-0000-0000-0000-000000000000",
            "isCreatedByUser": True,
            "text": "Where is Graz?",
            "createdAt": "2024-05-01T10:00:00.000Z",
            "children": [
                {
                    "messageId": "b",
                    "parentMessageId": "a",
                    "isCreatedByUser": False,
                    "text": "",
                    "content": [
                        {"type": "think", "think": "Hm."},
                        {"type": "text", "text": "Austria."},
                    ],
                    "createdAt": "2024-05-01T10:00:05.000Z",
                }
            ],
        }
    ],
}
KHOJ = {
    "title": "Cities",
    "created_at": "2024-05-01T10:00:00Z",
    "conversation_log": {
        "chat": [
            {"by": "you", "message": "Where is Graz?", "created": "2024-05-01 10:00:00"},
            {"by": "khoj", "message": "Austria.", "created": "2024-05-01 10:00:05"},
        ]
    },
}
