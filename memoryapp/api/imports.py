"""Import: an export of this or another program, taken in."""

import shutil
from tempfile import SpooledTemporaryFile

from django.core.exceptions import ValidationError
from ninja import File, Router, UploadedFile

from memoryapp import importing
from memoryapp.api.auth import ApiRequest
from memoryapp.api.errors import ApiError
from memoryapp.schemas.people import ImportOut

router = Router(tags=["me"])

IN_MEMORY_BYTES = 1_000_000


@router.post("", response=ImportOut, summary="Take in an export")
def take_in(request: ApiRequest, file: File[UploadedFile | None] = None) -> importing.Report:
    """A JSON file, or a ZIP of such files, as `file` of a form or as the body itself: what
    memoryapp, ChatGPT, Claude, Open WebUI, LibreChat or Khoj exports. Chats are taken in, facts and
    prompts wait in the inbox. The same again changes nothing; `skipped` says what was left out."""
    if file is not None:
        _check_size(file.size or 0)
        return importing.take_in(request.user, file, file.name or "")
    with SpooledTemporaryFile(IN_MEMORY_BYTES) as body:
        shutil.copyfileobj(request, body)
        _check_size(body.tell())
        return importing.take_in(request.user, body)


def _check_size(size: int) -> None:
    try:
        importing.check_size(size)
    except ValidationError as error:
        raise ApiError(413, "too_large", " ".join(error.messages)) from error
