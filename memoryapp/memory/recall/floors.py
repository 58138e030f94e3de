"""The least score that is worth a reply's attention, as `manage.py calibrate` found it."""

import time
from functools import lru_cache

from django.conf import settings

from memoryapp.memory.embeddings import model_name
from memoryapp.models import RecallFloor

SECONDS = 60  # until a process hears of a new floor


def floor() -> float:
    """The floor of the embedding model in use, else RECALL_FLOOR."""
    found = calibrated(int(time.monotonic() // SECONDS))
    return float(settings.RECALL_FLOOR) if found is None else found


@lru_cache(maxsize=1)
def calibrated(minute: int) -> float | None:
    stored = RecallFloor.objects.filter(embedding_model=model_name())
    return stored.values_list("floor", flat=True).first()


def keep(level: float, *, num_marks: int) -> None:
    """Recall goes by this floor from now on: here at once, elsewhere within a minute."""
    RecallFloor.objects.update_or_create(
        embedding_model=model_name(), defaults={"floor": level, "num_marks": num_marks}
    )
    calibrated.cache_clear()
