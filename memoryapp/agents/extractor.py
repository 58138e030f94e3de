"""The extractor: what the user said, as operations on what is known about them.

It is sent one JSON document as its only user message:

    {"now": "Friday 2026-08-21 14:05", "timezone": "Europe/Vienna",
     "known": [{"row": 1, "table": "fact", "kind": "fact", "key": "city", "value": "Berlin",
                "subject": ""}],
     "messages": [{"number": 1, "role": "user", "source": true,
                   "said_at": "Friday 2026-08-21 14:05", "body": "I moved to Vienna."},
                  {"number": 2, "role": "assistant", "source": false,
                   "said_at": "Friday 2026-08-21 14:05", "body": "How do you like it?"}]}

and answers with an object that has one field, `operations`, a list (maybe empty) of

    {"action": "add" | "update" | "retract", "table": "fact" | "prompt",
     "kind": "identity" | "preference" | "project" | "task" | "fact",
     "key": "city", "value": "Vienna", "subject": "", "quote": "I moved to Vienna",
     "replaces": 1 | null, "valid_from": null, "due_at": "2026-08-28T09:00", "expires_at": null}

Times are ISO 8601 in the time zone of the document; `replaces` is a `row` of `known`.
"""
