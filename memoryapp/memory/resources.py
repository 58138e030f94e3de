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
from django.utils.translation import gettext_noop

from memoryapp.memory.embeddings import BATCH, EmbeddingUnavailable, fill, lacking
from memoryapp.memory.floors import floor
from memoryapp.memory.lookup import understood
from memoryapp.memory.passages import split
from memoryapp.memory.scan import Mark, Source, scan
from memoryapp.models import Passage, Resource, User
from memoryapp.models.resources import NAME_MAX_CHARS
from memoryapp.visible import visible

UNREAD = ("resource__body", "embedding", "tsv")  # much to load, and not what is shown
# A pass names its rows by UUID: a passage by the one whose value is its number.
PASSAGES = f"""
select key, {Mark.PASSAGE:d}, 0, false, key, created_at, config, tsv, embedding, embedding_model
from memoryapp_passage as passage join memoryapp_resource as resource on resource.id = resource_id,
    lateral (select lpad(to_hex(passage.id), 32, '0')::uuid as key) as named
where resource.user_id = %(user)s or resource.is_shared
"""
NO_TEXT = gettext_noop("There is no text in it.")


@dataclass(frozen=True)
class Found:
    """A passage that fits a question."""

    resource_id: str
    resource_name: str
    passage_id: int
    position: int
    text: str
    score: float


def add(*, user: User, name: str, body: str | bytes, is_shared: bool = False) -> Resource:
    """A saved resource of this person, not read yet. `body` is text, or a file's bytes.

    Raises ValidationError if there is no name or it is too long, if the body is empty, not text
    or longer than `RESOURCE_MAX_BYTES`, and if somebody who is no administrator shares.
    """
    name = visible(name)
    if not name:
        raise ValidationError(_("The resource needs a name."))
    if len(name) > NAME_MAX_CHARS:
        too_long = _("The name is too long: %(most)s characters are the most.")
        raise ValidationError(too_long % {"most": NAME_MAX_CHARS})
    if is_shared and not user.is_staff:
        raise ValidationError(_("Only an administrator can share a resource with everyone."))
    return Resource.objects.create(user=user, name=name, body=text_of(body), is_shared=is_shared)


def text_of(body: str | bytes) -> str:
    """`body` as the text of a resource. Raises ValidationError if it can't be one."""
    not_text = ValidationError(_("This is not text in UTF-8. Save it as plain text or Markdown."))
    try:
        content = body.encode() if isinstance(body, str) else body
        text = content.decode("utf-8-sig")
    except UnicodeError as error:
        raise not_text from error
    if "\0" in text:
        raise not_text
    if len(content) > settings.RESOURCE_MAX_BYTES:
        too_long = _("The text is too long: %(most)s bytes are the most. Add it in parts.")
        most = number_format(settings.RESOURCE_MAX_BYTES, force_grouping=True)
        raise ValidationError(too_long % {"most": most})
    if not visible(text):
        raise ValidationError(_(NO_TEXT))
    return text


def read(resource: Resource, *, seconds: float = math.inf) -> bool:
    """Cut the resource into passages and embed them, note progress and end on its row, and say
    whether that is all of it.

    No new batch is begun after `seconds`. May run again at any time, or twice at once: passages
    that are as they should be stay, and those without a vector get theirs. Raises
    EmbeddingUnavailable, noted on the row too; until it is read again, its passages are found by
    their words.
    """
    end = time.monotonic() + seconds
    row = Resource.objects.filter(pk=resource.pk)
    row.update(status=Resource.Status.READING, error="")
    passages = Passage.objects.filter(resource=resource)
    num_passages = cut(resource, passages)
    if not num_passages:
        row.update(status=Resource.Status.FAILED, error=NO_TEXT)
        return True
    unread = passages.filter(lacking()).order_by("position")
    try:
        while keys := list(unread.values_list("pk", flat=True)[:BATCH]):
            row.update(progress=100 - 100 * unread.count() // num_passages)
            if time.monotonic() > end:
                return False
            fill(passages.filter(pk__in=keys), lambda passage: passage.body)
    except EmbeddingUnavailable as error:
        row.update(status=Resource.Status.FAILED, error=str(error))
        raise
    row.update(status=Resource.Status.READY, progress=100)
    return True


def cut(resource: Resource, passages: QuerySet[Passage]) -> int:
    """Write the resource's passages unless they are there, and say how many there are."""
    with transaction.atomic():
        body = Resource.objects.select_for_update().get(pk=resource.pk).body
        texts = split(body)
        if list(passages.order_by("position").values_list("body", flat=True)) != texts:
            passages.delete()
            config = resource.user.search_config
            Passage.objects.bulk_create(
                Passage(resource=resource, position=position, body=text, config=config)
                for position, text in enumerate(texts)
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
        text=passage.body,
        score=round(score, 4),
    )
