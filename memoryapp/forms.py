"""What a person fills in: each form checks its input and says what is wrong in a sentence."""

import uuid
from datetime import datetime, time, timedelta
from typing import Any, cast
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryapp import importing
from memoryapp.documents.addresses import URL_MAX_CHARS
from memoryapp.memory import resources
from memoryapp.models import Chat, Fact, Prompt, Resource, User
from memoryapp.models.accounts import KEY_NAME_MAX_CHARS
from memoryapp.models.memory import KEY_MAX_CHARS, VALUE_MAX_CHARS, RememberedQuerySet, as_key
from memoryapp.models.resources import NAME_MAX_CHARS
from memoryapp.visible import visible

RESOURCE_FILES = ".pdf,.docx,.html,.htm,.md,.markdown,.txt,text/*"  # what a dialog offers first


class MessageForm(forms.Form):
    """The composer. What a body may hold is the turn's to say; the id makes a send idempotent."""

    id = forms.UUIDField(required=False)
    body = forms.CharField(required=False, strip=False)
    memory_on = forms.BooleanField(required=False)

    def clean_id(self) -> uuid.UUID:
        return self.cleaned_data["id"] or uuid.uuid4()

    @property
    def sentence(self) -> str:
        """What is wrong, in one line."""
        return " ".join(str(error) for errors in self.errors.values() for error in errors)


class TextField(forms.CharField):
    """A text in which something can be seen; otherwise it counts as not given."""

    def to_python(self, value: Any) -> str:
        return visible(super().to_python(value) or "")


class ChatTitleForm(forms.ModelForm[Chat]):
    class Meta:
        model = Chat
        fields = ("title",)
        field_classes = {"title": TextField}
        labels = {"title": gettext_lazy("Title")}


class SwitchInput(forms.CheckboxInput):
    """A checkbox that reads as a switch."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        return super().get_context(name, value, {**(attrs or {}), "role": "switch"})


class MinuteField(forms.DateTimeField):
    """A moment to the minute, in the person's time zone; its seconds are not shown."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def prepare_value(self, value: Any) -> Any:
        shown = super().prepare_value(value)
        return shown.replace(second=0, microsecond=0) if isinstance(shown, datetime) else shown


class EndOfDayField(forms.DateField):
    """A day that is stored as its last moment, in the person's time zone."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def prepare_value(self, value: Any) -> Any:
        return timezone.localtime(value).date() if isinstance(value, datetime) else value

    def to_python(self, value: Any) -> Any:
        day = super().to_python(value)
        return day and timezone.make_aware(datetime.combine(day, time(23, 59, 59)))


CHATS_TO_CHOOSE = 100  # the newest; an older one is found from its own page


class FactFilter(forms.Form):
    """Which facts the memory page lists. A value that makes no sense counts as not given."""

    q = forms.CharField(required=False, max_length=500)
    kind = forms.ChoiceField(
        required=False, choices=[("", gettext_lazy("All")), *Fact.Kind.choices]
    )
    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        required=False,
        choices=[
            ("", gettext_lazy("Known now")),
            ("active", gettext_lazy("In use")),
            ("paused", gettext_lazy("Paused")),
            ("closed", gettext_lazy("Superseded or expired")),
        ],
    )
    chat = forms.ModelChoiceField(
        Chat.objects.none(),
        label=gettext_lazy("From which chat"),
        required=False,
        empty_label=gettext_lazy("From any chat"),
    )
    days = forms.ChoiceField(
        label=gettext_lazy("Since when"),
        required=False,
        choices=[
            ("", gettext_lazy("Any time")),
            (7, gettext_lazy("Last 7 days")),
            (30, gettext_lazy("Last 30 days")),
            (365, gettext_lazy("Last 12 months")),
        ],
    )

    def __init__(self, user: User, data: QueryDict) -> None:
        super().__init__(data)
        taught = Fact.objects.for_user(user).values("source_message__chat")
        chats = Chat.objects.for_user(user).filter(pk__in=taught)
        for name in ("status", "chat", "days"):  # these have no label that can be seen
            self.fields[name].widget.attrs["aria-label"] = self.fields[name].label
        chats = chats.newest_first()
        field = cast(forms.ModelChoiceField[Chat], self.fields["chat"])
        field.queryset = chats
        self.full_clean()
        nothing = {"q": "", "kind": "", "status": "", "chat": None, "days": ""}
        self.asked: dict[str, Any] = nothing | self.cleaned_data
        named = dict(chats.values_list("pk", "title")[:CHATS_TO_CHOOSE])
        if asked := self.asked["chat"]:
            named[asked.pk] = asked.title
        field.choices = [("", str(field.empty_label)), *named.items()]

    def narrow(self, facts: RememberedQuerySet[Any]) -> RememberedQuerySet[Any]:
        """Those of these facts that were asked for, by all but the words."""
        asked = self.asked
        if asked["status"] == "closed":
            facts = facts.filter(Q(valid_to__isnull=False) | Q(expires_at__lte=timezone.now()))
        else:
            facts = facts.current()
            facts = facts.filter(status=asked["status"]) if asked["status"] else facts
        if asked["kind"]:
            facts = facts.filter(kind=asked["kind"])
        if asked["chat"]:
            facts = facts.filter(source_message__chat=asked["chat"])
        if asked["days"]:
            since = timezone.now() - timedelta(days=int(asked["days"]))
            facts = facts.filter(recorded_at__gte=since)
        return facts


class FactForm(forms.Form):
    key = TextField(
        label=gettext_lazy("About"),
        max_length=KEY_MAX_CHARS,
        widget=forms.TextInput(attrs={"dir": "auto", "placeholder": gettext_lazy("Employer")}),
    )
    value = TextField(
        label=gettext_lazy("What I should know"),
        max_length=VALUE_MAX_CHARS,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"), choices=Fact.Kind.choices, initial=Fact.Kind.FACT
    )
    due_at = MinuteField(label=gettext_lazy("Due"), required=False)
    expires_at = EndOfDayField(label=gettext_lazy("Use until"), required=False)
    is_pinned = forms.BooleanField(
        label=gettext_lazy("Always use"), required=False, widget=SwitchInput
    )
    local_only = forms.BooleanField(
        label=gettext_lazy("Local models only"), required=False, widget=SwitchInput
    )

    def clean_key(self) -> str:
        return as_key(self.cleaned_data["key"])

    def clean_expires_at(self) -> datetime | None:
        moment: datetime | None = self.cleaned_data["expires_at"]
        if moment is not None and moment <= timezone.now():
            raise ValidationError(_("This day is over. Choose a later one, or none."))
        return moment


class PromptForm(forms.Form):
    key = TextField(
        label=gettext_lazy("About"),
        max_length=KEY_MAX_CHARS,
        widget=forms.TextInput(attrs={"dir": "auto", "placeholder": gettext_lazy("Length")}),
    )
    value = TextField(
        label=gettext_lazy("How I should answer"),
        max_length=VALUE_MAX_CHARS,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )

    def clean_key(self) -> str:
        return as_key(self.cleaned_data["key"])


def memory_form(table: str, row: Fact | Prompt | None = None, data: Any = None) -> forms.Form:
    """The form of a fact or a prompt, filled from `row` if there is one."""
    form = FactForm if table == "fact" else PromptForm
    if row is None:
        return form(data, prefix="new")
    initial = {name: getattr(row, name) for name in form.base_fields}
    initial["key"] = row.key.replace("_", " ")
    filled = form(data, initial=initial, prefix=str(row.pk))
    send_back_what_is_shown(filled)
    return filled


def send_back_what_is_shown(form: forms.BaseForm) -> None:
    """Have `changed_data` be what its reader changed, and not what others have changed since."""
    for field in form.fields.values():
        field.show_hidden_initial = True


class ConfirmForm(forms.Form):
    """What can't be undone is confirmed by typing a word."""

    word = forms.CharField(widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, word: str, data: Any = None) -> None:
        super().__init__(data)
        self.expected = word
        self.fields["word"].label = _("Type “%(word)s” to confirm") % {"word": word}

    def clean_word(self) -> str:
        word: str = self.cleaned_data["word"]
        if word.strip().casefold() != self.expected.casefold():
            raise ValidationError(
                _("Nothing was removed: type “%(word)s” to confirm.") % {"word": self.expected}
            )
        return word


class ResourceForm(forms.Form):
    """A file, the address of a page, or pasted text; a name for it if one likes."""

    file = forms.FileField(
        label=gettext_lazy("A file"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": RESOURCE_FILES}),
    )
    name = TextField(label=gettext_lazy("Name"), required=False, max_length=NAME_MAX_CHARS)
    url = TextField(
        label=gettext_lazy("or the address of a page"),
        required=False,
        max_length=URL_MAX_CHARS,
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )
    body = TextField(
        label=gettext_lazy("or pasted text"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )
    is_shared = forms.BooleanField(
        label=gettext_lazy("Share with everyone"), required=False, widget=SwitchInput
    )

    def clean_file(self) -> UploadedFile[bytes] | None:
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file:
            resources.check_size(file.size or 0)
            resources.readable(file.read(), file.name or "")
        return file

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        return resources.address_of(url) if url else ""

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"]
        if body:
            resources.readable(body)
        return body

    def clean(self) -> dict[str, Any]:
        given = [name for name in ("file", "url", "body") if self.cleaned_data.get(name)]
        if not given and not self.errors:
            nothing = _("Choose a file, type the address of a page, or paste some text.")
            raise ValidationError({"file": nothing})
        if len(given) > 1:
            several = _("Add one thing at a time: a file, a page or a text.")
            raise ValidationError({given[-1]: several})
        return self.cleaned_data

    def add(self, user: User) -> Resource:
        """What is filled in here; a file goes by its name, a text by its first line."""
        filled, file, file_name = self.cleaned_data, self.cleaned_data["file"], ""
        name, body = filled["name"], filled["body"]
        is_shared = filled["is_shared"] and user.is_staff
        if url := filled["url"]:
            return resources.add_page(user=user, url=url, name=name, is_shared=is_shared)
        if file:
            file.seek(0)
            body, file_name = file.read(), file.name
        name = name or file_name[:NAME_MAX_CHARS] or body[:60].split("\n")[0]
        return resources.add(
            user=user, name=name, body=body, file_name=file_name, is_shared=is_shared
        )


class ImportForm(forms.Form):
    """An export of this or another program."""

    file = forms.FileField(
        label=gettext_lazy("The file, JSON or ZIP"),
        widget=forms.ClearableFileInput(attrs={"accept": ".json,.zip"}),
    )

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        importing.check_size(file.size or 0)
        return file


class ProfileForm(forms.ModelForm[User]):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = self.instance.language  # may be one that the pages don't have
        self.fields["language"] = forms.ChoiceField(
            label=_("Language"), choices={own: own} | dict(settings.LANGUAGES)
        )

    class Meta:
        model = User
        fields = ("first_name", "timezone", "language")
        field_classes = {"first_name": TextField}
        labels = {
            "first_name": gettext_lazy("What I call you"),
            "timezone": gettext_lazy("Time zone"),
        }
        widgets = {
            "first_name": forms.TextInput(attrs={"autocomplete": "given-name"}),
            "timezone": forms.TextInput(attrs={"list": "zones", "autocomplete": "off"}),
        }

    @property
    def zones(self) -> list[str]:
        return sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC")


class MemoryPolicyForm(forms.ModelForm[User]):
    review = forms.ChoiceField(
        label=gettext_lazy("Before something is remembered"),
        choices=[
            (User.Review.RISKY, gettext_lazy("Ask me about sensitive and risky things")),
            (User.Review.ALWAYS, gettext_lazy("Ask me each time")),
            (User.Review.NEVER, gettext_lazy("Never ask; what could do harm is refused")),
        ],
        widget=forms.RadioSelect,
    )

    class Meta:
        model = User
        fields = ("memory_on", "review", "notify_learned", "local_models_only")
        labels = {
            "memory_on": gettext_lazy("Remember what I say"),
            "notify_learned": gettext_lazy("Show a notice when something is learned"),
            "local_models_only": gettext_lazy("New memories are for local models only"),
        }
        widgets = {
            "memory_on": SwitchInput,
            "notify_learned": SwitchInput,
            "local_models_only": SwitchInput,
        }


class ApiKeyForm(forms.Form):
    name = TextField(label=gettext_lazy("Name of a new key"), max_length=KEY_NAME_MAX_CHARS)
