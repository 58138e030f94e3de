"""The application: its name, its signals, its checks, and its admin site."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class MemoryappConfig(AppConfig):
    name = "memoryapp"
    verbose_name = "memoryapp"

    def ready(self) -> None:
        from memoryapp import checks, signals  # noqa: F401


class AdminConfig(DjangoAdminConfig):
    default_site = "memoryapp.admin_site.Site"
