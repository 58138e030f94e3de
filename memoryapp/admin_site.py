"""The admin site: its name, its door and the order of its index.

It stands outside of the package `admin`, which registers its pages on this site as it is imported.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from allauth.account.decorators import secure_admin_login
from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.utils import translation
from django.utils.decorators import method_decorator

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
SECTIONS = {
    "Memory": ["Fact", "Prompt", "MemoryEvent", "Forgotten", "MemoryMark", "RecallFloor"],
    "Chats": ["Chat", "Message"],
    "Resources": ["Resource", "Passage"],
    "People": ["User", "Authenticator", "UserSession", "SocialAccount", "Group", "ApiKey", "Usage"],
    "Background work": ["Failure", "OrmQ", "Success"],
}


class Site(AdminSite):
    site_header = "memoryapp"
    site_title = "memoryapp"
    index_title = "How it's going"
    index_template = "admin/memoryapp/index.html"

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """In English, whatever the administrator's language: the tables' own names are English."""
        shown = super().admin_view(view, cacheable)

        @wraps(shown)
        def in_english(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            with translation.override("en"):
                response = shown(request, *args, **kwargs)
                if isinstance(response, SimpleTemplateResponse):
                    response.render()
            response.headers["Content-Language"] = "en"
            return response

        return cast(View, in_english)

    # One door for everybody, so that its limit on wrong passwords holds here too.
    login = method_decorator(secure_admin_login)(AdminSite.login)

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """How it goes, above the tables."""
        from memoryapp.admin import home  # its models are not there yet when the site is made

        return super().index(request, {**home.context(), **(extra_context or {})})

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """The tables by what they are about; those that no section names come last."""
        apps = super().get_app_list(request, app_label)
        if app_label is not None:
            return apps
        tables = {table["object_name"]: (app, table) for app in apps for table in app["models"]}
        sections = []
        for name, names in SECTIONS.items():
            found = [tables.pop(table) for table in names if table in tables]
            if found:
                app = found[0][0]
                sections.append({**app, "name": name, "models": [table for _, table in found]})
        rest = [table for _, table in tables.values()]
        if rest:
            sections.append({**next(iter(tables.values()))[0], "name": "Other", "models": rest})
        return sections
