"""The extractors that are tried: the scripted one, which misbehaves, or a real model."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from pydantic_ai import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.profiles import ModelProfile

from memoryapp.agents.extractor import Learned
from memoryapp.evaluation import misbehaviour
from memoryapp.evaluation.misbehaviour import Bad, Reading
from memoryapp.evaluation.scenarios import Answer, Lesson
from memoryapp.memory.operations import quote_start

NOW = "%A %Y-%m-%d %H:%M"  # as the extractor is told the time
PIECE_CHARS = 2000  # a longer message may come in pieces


class Scripted:
    """Answers as a language model would, with what a scenario teaches and what is wrong."""

    def __init__(self) -> None:
        self.lessons: dict[str, list[Lesson]] = {}  # by the message that teaches them
        self.forgotten: list[str] = []
        self.answers: Answer = "json"
        self.flood = 0
        self.meanwhile: Callable[[], None] | None = None
        self.proposed: list[Bad] = []
        self.model = FunctionModel(
            self._respond, profile=ModelProfile(supports_json_schema_output=True)
        )

    async def _respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        document = json.loads(str(getattr(messages[0].parts[-1], "content", "")))
        if self.meanwhile is not None:
            work, self.meanwhile = self.meanwhile, None
            await sync_to_async(work, thread_sensitive=False)()
        return ModelResponse(parts=[TextPart(self._answer(document))])

    def _answer(self, document: dict[str, Any]) -> str:
        answer = json.dumps({"operations": self._operations(document)})
        return {
            "json": answer,
            "prose": "Sure! I have noted what you told me.",
            "schema": json.dumps(Learned.model_json_schema()),
            "thinking": f"<think>The user told me something.</think>{answer}",
            "empty": "",
            "cut": answer[: len(answer) // 2],
            "wrong types": json.dumps({"operations": "none"}),
        }[self.answers]

    def _operations(self, document: dict[str, Any]) -> list[dict[str, Any]]:
        said = [each["body"] for each in document["messages"] if each["source"]]
        good = [lesson for body in said for lesson in self._lessons_of(body)]
        heard = [each["body"] for each in document["messages"] if not each["source"]]
        reading = Reading(said, heard, document["known"], good, self.forgotten)
        bad = [*misbehaviour.proposals(reading), *misbehaviour.flood(reading, self.flood)]
        again = list(misbehaviour.wordings(reading))
        self.proposed += [*bad, *again]
        return [
            *(each.operation for each in bad),
            *misbehaviour.deletions(reading),
            *(written(lesson, document) for lesson in good),
            *(each.operation for each in again),
            *misbehaviour.old_texts(reading),
            *misbehaviour.deletions(reading),
            *(each.operation for each in bad),
        ]

    def _lessons_of(self, body: str) -> list[Lesson]:
        return [
            lesson
            for whole, lessons in self.lessons.items()
            if body == whole or (len(body) > PIECE_CHARS and body in whole)
            for lesson in lessons
            if quote_start(body, lesson.quote) is not None
        ]


def written(lesson: Lesson, document: dict[str, Any]) -> dict[str, Any]:
    """The operation of a lesson, in the words of the extractor's answer."""
    now = datetime.strptime(document["now"], NOW)  # noqa: DTZ007 (local, as the extractor has it)
    rows = {row["key"]: row["row"] for row in document["known"]}
    fields = lesson.model_dump(exclude={"due_in", "expires_in", "replaces"})
    fields["replaces"] = rows.get(lesson.replaces)
    if lesson.due_in is not None:
        fields["due_at"] = f"{now + timedelta(days=lesson.due_in):%Y-%m-%d}T09:00"
    if lesson.expires_in is not None:
        fields["expires_at"] = f"{now + timedelta(days=lesson.expires_in):%Y-%m-%dT%H:%M}"
    return fields
