"""Import: an export of this or another program taken in, and learned from if that is wanted."""

import shutil
from collections.abc import Callable
from tempfile import SpooledTemporaryFile

from django.core.exceptions import ValidationError
from ninja import File, Router, UploadedFile

from memoryapp import imported, importing
from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError
from memoryapp.api.params import Asked
from memoryapp.models import User
from memoryapp.schemas.people import ImportOut, ImportQuery, LearningOut

router = Router(tags=["me"])

IN_MEMORY_BYTES = 1_000_000


@router.post("", response=ImportOut, summary="Take in an export")
def take_in(
    request: ApiRequest, asked: Asked[ImportQuery], file: File[UploadedFile | None] = None
) -> importing.Report:
    """A JSON file, or a ZIP of such files, as `file` of a form or as the body itself: what
    memoryapp, ChatGPT, Claude, Open WebUI, LibreChat or Khoj exports. Chats are taken in, facts and
    prompts wait in the inbox. The same again changes nothing; `skipped` says what was left out.
    With `learn` the chats are learned from, as by `POST /import/learning`."""
    if asked.learn:
        imported.check_wanted(request.user)
    report = _taken_in(request, file)
    if asked.learn:
        imported.start(request.user)
    return report


def _taken_in(request: ApiRequest, file: UploadedFile | None) -> importing.Report:
    if file is not None:
        _check_size(file.size or 0)
        return importing.take_in(request.user, file, file.name or "")
    with SpooledTemporaryFile(IN_MEMORY_BYTES) as body:
        shutil.copyfileobj(request, body)
        _check_size(body.tell())
        return importing.take_in(request.user, body)


@router.get("/learning", response=LearningOut, summary="How far learning from imported chats is")
def learning(request: ApiRequest) -> imported.Progress:
    """`questions` is about how many questions to the model are left, begun or not."""
    return imported.progress(request.user)


@router.post("/learning", response=LearningOut, summary="Learn from imported chats")
def learning_start(request: ApiRequest) -> imported.Progress:
    """From what you said in the chats that you imported, and that wasn't read yet. What is found
    waits in the inbox, whatever you have set. After a failure it is tried again."""
    return _learning(request.user, imported.start)


@router.delete("/learning", response=LearningOut, summary="Stop learning from imported chats")
def learning_stop(request: ApiRequest) -> imported.Progress:
    """The rest stays unread."""
    return _learning(request.user, imported.stop)


def _learning(user: User, act: Callable[[User], None]) -> imported.Progress:
    act(user)
    return imported.progress(user)


def _check_size(size: int) -> None:
    try:
        importing.check_size(size)
    except ValidationError as error:
        raise ApiError(413, "too_large", " ".join(error.messages)) from error
