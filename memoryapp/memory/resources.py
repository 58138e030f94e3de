"""Outside text: taken in, cut into passages, and searched."""

import math
import time
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from memoryapp.documents import reading
from memoryapp.documents.addresses import checked
from memoryapp.documents.document import (
    NO_TEXT,
    TEXT_MAX_CHARS,
    TOO_LONG,
    Unreadable,
    pages_of,
    storable,
)
from memoryapp.documents.kinds import HTML_NAMES, UNKNOWN, Kind, kind_of
from memoryapp.memory.embeddings import BATCH, EmbeddingUnavailable, fill, lacking
from memoryapp.memory.passages import split
from memoryapp.memory.recall.floors import floor
from memoryapp.memory.recall.lookup import understood
from memoryapp.memory.recall.scan import Mark, Source, scan
from memoryapp.models import Passage, Resource, ResourceFile, User
from memoryapp.models.resources import NAME_MAX_CHARS, RETRIABLE
from memoryapp.visible import visible

UNREAD = ("resource__body", "embedding", "tsv")  # much to load, and not what is shown
# A pass names its rows by UUID: a passage by the one whose value is its number.
PASSAGES = f"""
select key, {Mark.PASSAGE:d}, 0, false, key, created_at, config, tsv, embedding, embedding_model
from memoryapp_passage as passage join memoryapp_resource as resource on resource.id = resource_id,
    lateral (select lpad(to_hex(passage.id), 32, '0')::uuid as key) as named
where resource.user_id = %(user)s or resource.is_shared
"""


@dataclass(frozen=True)
class Found:
    """A passage that fits a question."""

    resource_id: str
    resource_name: str
    passage_id: int
    position: int
    page: int | None  # of a text that has pages, from 1
    text: str
    score: float

    @property
    def source(self) -> str:
        """What a reply names, for the talker."""
        return f"{self.resource_name}, page {self.page}" if self.page else self.resource_name


def add(
    *, user: User, name: str, body: str | bytes, file_name: str = "", is_shared: bool = False
) -> Resource:
    """A saved resource of this person, not read yet. `body` is text, or the bytes of a file.

    Raises ValidationError if there is no name or it is too long, if the body can't be read (see
    `readable`), and if somebody who is no administrator shares.
    """
    content, kind = readable(body, file_name)
    text = content.decode("utf-8-sig") if kind is Kind.TEXT else ""
    with transaction.atomic():
        resource = _save(user, name, is_shared, body=text)
        if not text:
            ResourceFile.objects.create(resource=resource, kind=kind, content=content)
    return resource


def add_page(*, user: User, url: str, name: str = "", is_shared: bool = False) -> Resource:
    """A saved resource of what is at an address, still to be fetched. Without a name it takes the
    title that is found there. Raises ValidationError as `add` does, and if it is no address."""
    url = address_of(url)
    return _save(user, name or without_name(url), is_shared, url=url)


def _save(user: User, name: str, is_shared: bool, **columns: str) -> Resource:
    name = visible(name)
    if not name:
        raise ValidationError(_("The resource needs a name."))
    if len(name) > NAME_MAX_CHARS:
        too_long = _("The name is too long: %(most)s characters are the most.")
        raise ValidationError(too_long % {"most": NAME_MAX_CHARS})
    if is_shared and not user.is_staff:
        raise ValidationError(_("Only an administrator can share a resource with everyone."))
    return Resource.objects.create(user=user, name=name, is_shared=is_shared, **columns)


def without_name(url: str) -> str:
    """What the resource of an address is called until its title is known."""
    return url[:NAME_MAX_CHARS]


def address_of(url: str) -> str:
    """An address as it is kept. Raises ValidationError if nothing can be fetched from it."""
    try:
        scheme = checked(url := url.strip()).scheme
    except Unreadable as problem:
        raise ValidationError(_(str(problem))) from problem
    return scheme + url[len(scheme) :]  # which telephones begin with a capital


def readable(body: str | bytes, file_name: str = "") -> tuple[bytes, Kind]:
    """The bytes of a text or a file, and of what kind they are.

    Raises ValidationError if they are larger than `RESOURCE_MAX_BYTES`, of no kind that can be
    read, or a text that is empty or too long. What is in a file is seen when it is read.
    """
    try:
        content = body.encode() if isinstance(body, str) else body
    except UnicodeError as error:
        raise ValidationError(_(UNKNOWN)) from error
    check_size(len(content))
    kind = kind_of(content, says_html=file_name.lower().endswith(HTML_NAMES))
    if kind is None:
        raise ValidationError(_(UNKNOWN))
    if isinstance(body, str):
        kind = Kind.TEXT  # whatever it begins with
    if kind is Kind.TEXT:
        _check_text(content.decode("utf-8-sig"))
    return content, kind


def check_size(num_bytes: int) -> None:
    """Raises ValidationError if that is more than a resource may be."""
    if num_bytes > settings.RESOURCE_MAX_BYTES:
        too_large = _("It is too large: %(most)s bytes are the most. Add it in parts.")
        most = number_format(settings.RESOURCE_MAX_BYTES, force_grouping=True)
        raise ValidationError(too_large % {"most": most})


def _check_text(text: str) -> None:
    if len(text) > TEXT_MAX_CHARS:
        raise ValidationError(_(TOO_LONG))
    if not visible(text):
        raise ValidationError(_(NO_TEXT))


def read(resource: Resource, *, seconds: float = math.inf) -> bool:
    """Cut the resource into passages and embed them, note progress and end on its row, and say
    whether that is all of it.

    No new batch is begun after `seconds`, and a document that takes long to be read raises
    TakesLong: it is for `read_at_leisure`. May run again at any time, or twice at once: passages
    that are as they should be stay, and those without a vector get theirs. Raises
    EmbeddingUnavailable, noted on the row too; until it is read again, its passages are found by
    their words.
    """
    end = time.monotonic() + seconds
    row = Resource.objects.filter(pk=resource.pk)
    row.update(status=Resource.Status.READING, error="")
    passages = Passage.objects.filter(resource=resource)
    try:
        take_in(resource, is_quick=seconds < math.inf)
        num_passages = cut(resource, passages)
    except Unreadable as problem:
        note_failure(resource, problem)
        return True
    unread = passages.filter(lacking()).order_by("position")
    try:
        while keys := list(unread.values_list("pk", flat=True)[:BATCH]):
            row.update(progress=100 - 100 * unread.count() // num_passages)
            if time.monotonic() > end:
                return False
            fill(passages.filter(pk__in=keys), lambda passage: passage.body)
    except EmbeddingUnavailable as error:
        note_failure(resource, error)
        raise
    row.update(status=Resource.Status.READY, progress=100)
    return True


def read_at_leisure(resource: Resource) -> bool:
    """Take in a document that takes long, and say whether there is a text to be cut now; else why
    there is none is noted on its row."""
    try:
        take_in(resource)
    except Unreadable as problem:
        note_failure(resource, problem)
        return False
    return True


def note_failure(resource: Resource, problem: Exception) -> None:
    row = Resource.objects.filter(pk=resource.pk)
    row.update(status=Resource.Status.FAILED, error=str(problem))


def take_in(resource: Resource, *, is_quick: bool = False) -> None:
    """Put the text of its file, or of the page at its address, into a resource that has none yet.

    The file is not kept: neither when it was read nor when it can't be. Raises Unreadable, and
    with `is_quick` TakesLong, which leaves the file.
    """
    row = Resource.objects.filter(pk=resource.pk)
    files = ResourceFile.objects.filter(resource=resource)
    file = files.first()
    if file is None and not row.filter(body="").exclude(url="").exists():
        return
    try:
        if file:
            document = reading.read_file(Kind(file.kind), bytes(file.content), is_quick=is_quick)
        else:
            document = reading.read_page(resource.url, is_quick=is_quick)
    except Unreadable:
        files.delete()
        raise
    with transaction.atomic():
        row.update(body=document.text)
        title = " ".join(storable(document.title).split())[:NAME_MAX_CHARS]
        if visible(title):
            row.filter(name=without_name(resource.url)).update(name=title)
        files.delete()


def try_again(resource: Resource) -> bool:
    """Whether a resource that failed is to be read again, because that may help."""
    row = Resource.objects.filter(RETRIABLE, pk=resource.pk)
    return bool(row.update(status=Resource.Status.READING, progress=0, error=""))


def cut(resource: Resource, passages: QuerySet[Passage]) -> int:
    """Write the resource's passages unless they are there, and say how many there are.

    A passage stands on one page. Raises Unreadable if there are none.
    """
    with transaction.atomic():
        rows = Resource.objects.select_for_update().filter(pk=resource.pk)
        body = rows.values_list("body", flat=True).first() or ""
        texts = [(page, text) for page, whole in pages_of(body) for text in split(whole)]
        if not texts:
            raise Unreadable(NO_TEXT)
        if list(passages.order_by("position").values_list("page", "body")) != texts:
            passages.delete()
            config = resource.user.search_config
            Passage.objects.bulk_create(
                Passage(resource=resource, position=position, page=page, body=text, config=config)
                for position, (page, text) in enumerate(texts)
            )
    return len(texts)


def search(user: User, question: str, limit: int = 5) -> list[Found]:
    """The passages this person may read that fit, best first, none under the floor."""
    if not question.strip():
        return []
    seen = scan(Source([PASSAGES], {"user": user.pk}), question=understood(user, question))
    best = seen.best(Mark.PASSAGE, limit=limit)
    fitting = [each for each in best if each.score >= floor()]
    readable = Passage.objects.for_user(user).select_related("resource").defer(*UNREAD)
    passages = readable.in_bulk([each.id.int for each in fitting])
    return [found(passages[each.id.int], each.score) for each in fitting if each.id.int in passages]


def found(passage: Passage, score: float) -> Found:
    return Found(
        resource_id=str(passage.resource_id),
        resource_name=passage.resource.name,
        passage_id=passage.pk,
        position=passage.position,
        page=passage.page,
        text=passage.body,
        score=round(score, 4),
    )
