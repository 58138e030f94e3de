import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from memoryapp.memory import ledger
from memoryapp.memory.operations import Operation
from memoryapp.models import Fact, Forgotten, MemoryEvent, Message, Prompt
from tests.factories import remember


def change(row):
    return reverse(f"admin:memoryapp_{row._meta.model_name}_change", args=[row.pk])


def act(client, action, *rows):
    changelist = reverse(f"admin:memoryapp_{rows[0]._meta.model_name}_changelist")
    chosen = [str(row.pk) for row in rows]
    return client.post(changelist, {"action": action, "_selected_action": chosen, "post": "yes"})


def form(row, **changes):
    """What the browser would send back for `row`, with changes."""
    fields = {"key": row.key, "value": row.value, "status": row.status}
    if isinstance(row, Fact):
        fields["kind"] = row.kind
    for name in ("is_pinned", "local_only"):
        if getattr(row, name):
            fields[name] = "on"
    return {**fields, **changes}


@pytest.fixture
def employer(ada):
    return remember(ada, "employer", "Initech")


def test_editing_a_fact_supersedes_it_and_is_in_its_owners_log(admin_page, ada, employer):
    response = admin_page.post(change(employer), form(employer, value="Globex"))

    assert response.status_code == 302
    current = Fact.objects.for_user(ada).current().get()
    assert (current.value, current.origin, current.actor) == ("Globex", "admin", "root")
    assert current.replaces == employer
    event = MemoryEvent.objects.for_user(ada).first()
    assert (event.action, event.before, event.after) == ("changed", "Initech", "Globex")
    assert event.actor == "root"


def test_editing_a_flag_makes_no_new_version(admin_page, ada, employer):
    admin_page.post(change(employer), form(employer, is_pinned="on", status="paused"))

    row = Fact.objects.for_user(ada).get()
    assert (row.pk, row.is_pinned, row.status) == (employer.pk, True, "paused")
    assert MemoryEvent.objects.for_user(ada).first().actor == "root"


def test_saving_an_unchanged_value_of_several_lines_changes_nothing(admin_page, ada):
    prompt = remember(ada, "tone", "Short.\nFriendly.", table="prompt")
    num_events = MemoryEvent.objects.count()

    admin_page.post(change(prompt), form(prompt, value="Short.\r\nFriendly."))

    assert Prompt.objects.for_user(ada).get().value == "Short.\nFriendly."
    assert MemoryEvent.objects.count() == num_events


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"key": "city"}, "already something under"),
        ({"value": ""}, "This field is required"),
        ({"value": "a\0b"}, "Null characters are not allowed"),
        ({"value": "long" * 1000}, "at most 2000 characters"),
        ({"kind": "rumour"}, "not one of the available choices"),
        ({"status": "pending"}, "not one of the available choices"),
    ],
)
def test_a_bad_edit_is_an_error_of_the_form(admin_page, ada, employer, changes, said):
    remember(ada, "city", "Vienna")
    num_events = MemoryEvent.objects.count()

    response = admin_page.post(change(employer), form(employer, **changes))

    assert response.status_code == 200
    assert said in str(response.context["errors"])
    assert Fact.objects.get(pk=employer.pk).value == "Initech"
    assert MemoryEvent.objects.count() == num_events


def test_a_bad_edit_shows_again_what_was_typed(admin_page, ada, employer):
    remember(ada, "city", "Vienna")
    typed = form(employer, key="city", value="Graz")
    assert "Graz" in admin_page.post(change(employer), typed).content.decode()


def test_adding_a_fact_goes_through_the_ledger(admin_page, ada):
    fields = {"user": ada.pk, "key": "city", "value": "Vienna", "kind": "identity"}
    response = admin_page.post(
        reverse("admin:memoryapp_fact_add"), {**fields, "status": "active", "subject": ""}
    )

    assert response.status_code == 302
    fact = Fact.objects.for_user(ada).get()
    assert (fact.value, fact.kind, fact.origin, fact.actor) == (
        "Vienna", "identity", "admin", "root",
    )  # fmt: skip
    assert MemoryEvent.objects.for_user(ada).get().action == "added"


def test_adding_a_key_that_is_there_supersedes_its_value(admin_page, ada, employer):
    fields = {"user": ada.pk, "key": "employer", "value": "Globex", "kind": "fact"}
    admin_page.post(reverse("admin:memoryapp_fact_add"), {**fields, "status": "active"})
    assert Fact.objects.for_user(ada).current().get().replaces == employer


def test_a_prompt_without_a_user_is_everyones(admin_page):
    fields = {"user": "", "key": "tone", "value": "Be brief.", "status": "active"}
    admin_page.post(reverse("admin:memoryapp_prompt_add"), fields)
    assert Prompt.objects.get().user is None


def test_a_persons_prompt_can_be_edited(admin_page, ada):
    prompt = remember(ada, "format", "Answer in bullet points.", table="prompt")
    admin_page.post(change(prompt), form(prompt, value="Answer in one paragraph."))
    assert Prompt.objects.for_user(ada).current().get().value == "Answer in one paragraph."


def test_a_closed_version_is_only_read(admin_page, ada, employer):
    remember(ada, "employer", "Globex")
    page = admin_page.get(change(employer)).content.decode()
    assert "Globex" in page
    assert 'name="value"' not in page
    admin_page.post(change(employer), form(employer, value="Hooli"))
    assert Fact.objects.for_user(ada).current().get().value == "Globex"


def test_what_waits_is_not_decided_here(admin_page, ada):
    pending = remember(ada, "diagnosis", "Asthma", status="pending")
    assert admin_page.get(change(pending)).status_code == 200
    assert admin_page.post(change(pending), form(pending, status="active")).status_code == 403
    act(admin_page, "retract", pending)
    assert Fact.objects.for_user(ada).waiting().get() == pending


def test_deleting_a_fact_forgets_it(admin_page, ada, employer):
    remember(ada, "employer", "Globex")
    current = Fact.objects.for_user(ada).current().get()

    admin_page.post(reverse("admin:memoryapp_fact_delete", args=[current.pk]), {"post": "yes"})

    assert not Fact.objects.exists()
    assert Forgotten.objects.filter(user=ada).count() == 2
    events = MemoryEvent.objects.for_user(ada)
    assert events.first().action == "forgotten"
    assert events.first().actor == "root"
    assert not events.filter(after="Globex").exists()


def test_the_selected_facts_are_forgotten_together(admin_page, ada, employer):
    city = remember(ada, "city", "Vienna")
    act(admin_page, "delete_selected", employer, city)
    assert not Fact.objects.exists()
    assert Forgotten.objects.filter(user=ada).count() == 2


def test_forgetting_asks_first(admin_page, employer):
    page = admin_page.get(reverse("admin:memoryapp_fact_delete", args=[employer.pk]))
    assert "This can't be undone" in page.content.decode()
    assert Fact.objects.exists()


def test_the_administrators_log_holds_no_word_of_a_memory(admin_page, ada, employer):
    admin_page.post(change(employer), form(employer, value="Globex"))
    current = Fact.objects.for_user(ada).current().get()
    admin_page.post(reverse("admin:memoryapp_fact_delete", args=[current.pk]), {"post": "yes"})
    assert not LogEntry.objects.exists()


def test_history_leads_to_the_owners_log_of_the_key(admin_page, ada, employer):
    remember(ada, "city", "Vienna")
    page = reverse("admin:memoryapp_fact_history", args=[employer.pk])
    log = admin_page.get(page, follow=True).context["cl"]
    assert [event.key for event in log.result_list] == ["employer"]


def test_history_of_a_global_prompt_leaves_out_peoples_own(admin_page, ada):
    prompt = remember(None, "tone", "Be brief.", table="prompt")
    remember(ada, "tone", "Be chatty.", table="prompt")
    page = reverse("admin:memoryapp_prompt_history", args=[prompt.pk])
    log = admin_page.get(page, follow=True).context["cl"]
    assert [event.after for event in log.result_list] == ["Be brief."]


def test_a_closed_version_can_be_restored(admin_page, ada, employer):
    remember(ada, "employer", "Globex")
    act(admin_page, "restore", employer)
    assert Fact.objects.for_user(ada).current().get().value == "Initech"
    assert MemoryEvent.objects.for_user(ada).first().actor == "root"


def test_a_current_fact_can_be_closed(admin_page, ada, employer):
    act(admin_page, "retract", employer)
    assert not Fact.objects.for_user(ada).current().exists()
    assert Fact.objects.for_user(ada).get().value == "Initech"


def test_a_fact_shows_its_versions_and_no_others(admin_page, ada, ben, employer):
    current = remember(ada, "employer", "Globex")
    remember(ben, "employer", "Hooli")
    shown = admin_page.get(change(current)).context["versions"]
    assert [version.value for version in shown] == ["Globex", "Initech"]


def test_a_fact_links_to_the_message_that_taught_it(admin_page, ada, chat):
    message = chat.add_message(Message.Role.USER, "I live in Graz.")
    operation = Operation("add", "fact", "city", "Graz", "I live in Graz")
    ledger.apply(user=ada, operations=[operation], messages=[message], model="offline")
    fact = Fact.objects.get()
    assert change(message) in admin_page.get(change(fact)).content.decode()


@pytest.mark.parametrize(("holds", "values"), [("now", ["Globex"]), ("before", ["Initech"])])
def test_facts_are_filtered_by_whether_they_hold(admin_page, ada, employer, holds, values):
    remember(ada, "employer", "Globex")
    page = admin_page.get(reverse("admin:memoryapp_fact_changelist"), {"holds": holds})
    assert [fact.value for fact in page.context["cl"].result_list] == values


@pytest.mark.parametrize(("persona", "values"), [("global", ["Brief."]), ("own", ["Chatty."])])
def test_prompts_are_filtered_by_whose_they_are(admin_page, ada, persona, values):
    remember(None, "tone", "Brief.", table="prompt")
    remember(ada, "tone", "Chatty.", table="prompt")
    page = admin_page.get(reverse("admin:memoryapp_prompt_changelist"), {"persona": persona})
    assert [prompt.value for prompt in page.context["cl"].result_list] == values


@pytest.mark.parametrize("table", ["memoryevent", "forgotten"])
def test_the_log_can_be_neither_written_nor_deleted(admin_page, rows, table):
    assert admin_page.get(reverse(f"admin:memoryapp_{table}_add")).status_code == 403
    row = {"memoryevent": MemoryEvent, "forgotten": Forgotten}[table].objects.first()
    assert admin_page.post(change(row), {"key": "other"}).status_code == 403
    delete = reverse(f"admin:memoryapp_{table}_delete", args=[row.pk])
    assert admin_page.post(delete, {"post": "yes"}).status_code == 403
