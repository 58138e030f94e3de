"""Through a provider and back, and a device that is asked for a code, in a real browser."""

import re
import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import expect

from tests.browser.test_accessible import findings
from tests.oidc_provider import CLIENT, SECRET, OIDCProvider


def code_of(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


@pytest.fixture
def provider(server, settings):
    with OIDCProvider() as provider:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT = provider.issuer, f"{CLIENT}:{SECRET}"
        settings.SIGNUP, settings.SITE_URL = "oidc", server
        yield provider


def test_a_provider_lets_somebody_in_whom_nobody_has_seen_before(browse, ada, provider):
    stranger = browse(ada)
    stranger.context.clear_cookies()
    page = stranger.open("/memory/")
    page.get_by_role("link", name=re.compile("Sign in with 127.0.0.1")).click()
    expect(page).to_have_url(re.compile("/memory/$"))
    page.goto("/settings/")
    expect(page.get_by_text("Signed in as cleo.")).to_be_visible()
    expect(page.get_by_label("What I call you")).to_have_value("Cleo")


def test_a_device_is_set_up_and_asked_for(browse, ada, provider):
    person = browse(
        ada,
        bypass_csp=True,  # for axe's own script
        reduced_motion="reduce",
    )
    page = person.open("/settings/")
    found = {}

    def look(name):
        found[name] = findings(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name

    page.get_by_role("link", name="Ask for a code, too").click()
    look("password")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("button", name="Go on").click()
    assert page.get_by_role("img", name="QR code").evaluate("image => image.naturalWidth") > 0
    secret = page.locator("code").inner_text()
    label, key = (page.locator(each).bounding_box() for each in ("#totp-secret-label", "code"))
    assert label["y"] + label["height"] <= key["y"]
    look("set up")
    page.get_by_label("code").last.fill("000000")
    page.get_by_role("button", name="Ask for it from now on").click()
    expect(page.get_by_role("alert")).to_contain_text("That isn't the code")
    look("wrong code")
    page.get_by_label("code").last.fill(
        format_hotp_value(hotp_value(secret, int(time.time()) // 30))
    )
    page.get_by_role("button", name="Ask for it from now on").click()
    codes = page.locator("pre").inner_text().split()
    look("recovery codes")
    page.get_by_role("link", name="Back to the settings").click()
    expect(page.get_by_text("You sign in with a code, too, from now on.")).to_be_visible()
    look("settings")
    for name in ("New recovery codes", "Ask for no code any more"):
        page.get_by_role("link", name=name).click()
        look(name)
        page.get_by_role("link", name="Back to the settings").click()

    person.context.clear_cookies()
    page.goto("/memory/")
    look("sign in")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("button", name="Sign in").click()
    look("code")
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile("/memory/$"))
    assert {name: each for name, each in found.items() if each} == {}


def test_a_provider_that_is_away_is_told_of_on_the_page(browse, ada, provider):
    stranger = browse(ada, bypass_csp=True)
    stranger.context.clear_cookies()
    provider.stop()
    page = stranger.open("/accounts/login/")
    stranger.errors.clear()
    page.get_by_role("link", name=re.compile("Sign in with")).click()
    expect(page.get_by_role("alert")).to_contain_text("doesn't answer. Try again in a while.")
    assert findings(page) == []
    page.get_by_role("link", name="Sign in").click()
    expect(page.get_by_label("Username")).to_be_visible()
    stranger.errors.clear()  # the browser's note of the 403
