"""Takes in a file: chats become chats, what it says of a person waits for their decision."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memoryapp.importing import chats, formats, memories
from memoryapp.importing.files import Record, Unreadable, records
from memoryapp.memory import forgotten
from memoryapp.models import User
from memoryapp.models.chats import imported

UNKNOWN = gettext_noop(
    "There is nothing in it that I know. I know what memoryapp, ChatGPT, Claude, Open WebUI, "
    "LibreChat and Khoj export as JSON."
)
NO_CHAT = gettext_noop("This isn't a chat as any program writes it that I know.")
NAMED_MOST = 5
NAME_CHARS = 80


@dataclass
class Report:
    """What became of a file: what was taken in, and why something was not."""

    chats: int = 0
    messages: int = 0
    waiting: int = 0  # facts and prompts, in the inbox
    left_out: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # by reason
    trouble: str = ""  # why the file wasn't read to its end
    _told: set[tuple[str, str]] = field(default_factory=set)  # names with their reasons

    def leave_out(self, name: str, reason: str, *, once: bool = False) -> None:
        if not (once and (name, reason) in self._told):
            self.left_out[reason].append(name[:NAME_CHARS])
            self._told.add((name, reason))

    @property
    def skipped(self) -> list[dict[str, Any]]:
        """For each reason how many were left out, and the names of the first of them."""
        return [
            {"reason": reason, "count": len(names), "names": names[:NAMED_MOST]}
            for reason, names in self.left_out.items()
        ]


def take_in(user: User, file: IO[bytes], name: str = "") -> Report:
    """Import a JSON file, or a ZIP of such files, that memoryapp, ChatGPT, Claude, Open WebUI,
    LibreChat or Khoj has exported.

    What is here already stays as it is, so the same file may come again. Each chat is written by
    itself: where a file breaks off, `trouble` says so, and what stood before it is here. Raises
    Unreadable when nothing in it is known.
    """
    taking = _Taking(user)
    try:
        for record in records(file, name):
            taking.take(record)
    except Unreadable as error:
        if not taking.has_found:
            raise
        taking.report.trouble = " ".join(error.messages)
    if not taking.has_found:
        raise Unreadable(_(UNKNOWN))
    if taking.report.chats:
        imported.send(sender=User, instance=user)
    return taking.report


class _Taking:
    """One file being taken in."""

    def __init__(self, user: User) -> None:
        self.report = Report()
        self.has_found = False
        self._user = user
        self._is_forgotten = forgotten.teller(user)
        self._sources: dict[str, UUID] = {}  # of messages, by their ids in the file

    def take(self, record: Record) -> None:
        taken: Callable[[Any], None] = self._chat if record.what == "chat" else self._memory
        try:
            taken(record)
            self.has_found = True
        except formats.Unknown:
            self.report.leave_out(record.file, _(NO_CHAT), once=True)

    def _chat(self, record: Record) -> None:
        chat = formats.read(record.data)
        ids = chats.Ids(self._user, chat)
        added = chats.store(self._user, chat, ids, self._is_forgotten)
        self.report.messages += added
        self.report.chats += bool(added)
        if not added:
            reason = _("It is here already.") if chat.messages else _("There is no text in it.")
            self.report.leave_out(chat.title, reason)
        if chat.source == formats.OWN:
            self._sources |= {each.id: ids.message(each.id) for each in chat.messages}

    def _memory(self, record: Record) -> None:
        memory = memories.read(record.what, record.data, self._sources)
        if reason := memories.propose(self._user, memory):
            self.report.leave_out(f"{memory.operation.key}: {memory.operation.value}", reason)
        else:
            self.report.waiting += 1
