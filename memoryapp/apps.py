"""The application: its name, its signals and its checks."""

from django.apps import AppConfig


class MemoryappConfig(AppConfig):
    name = "memoryapp"
    verbose_name = "memoryapp"

    def ready(self) -> None:
        from memoryapp import checks  # noqa: F401
