"""Tests of keys, links and passwords that open the page."""

import calendar
import subprocess
import time

import browser
import pytest
from browser import expect
from steps import save, setting


@pytest.mark.gateway(is_new=True)
def test_invalid_and_deleted_keys_are_refused(visit, gateway):
    visitor = visit()
    # The browser itself reports refused requests. These reports are no faults.
    visitor.awaits_outage = True
    expired = gateway.call("POST", "/v1/keys", {"name": "short", "expiresIn": 1})
    gateway.until(
        lambda: (
            time.time() > calendar.timegm(time.strptime(expired["record"]["expiresAt"][:19], "%Y-%m-%dT%H:%M:%S")) + 1
        ),
        "it has expired",
    )
    for key in ("sxgw_wrong", expired["key"]):
        visitor.sign_in(key)
        expect(visitor.page.get_by_role("alert").last).to_contain_text("This key is not valid")
    made = gateway.call("POST", "/v1/keys", {"name": "page"})
    gateway.call("POST", "/v1/users", {"profile": {"displayName": "alice", "fullName": ""}})
    visitor.sign_in(made["key"])
    expect(visitor.page.get_by_role("button", name="Profile alice")).to_be_visible()
    assert visitor.page.evaluate("localStorage.length") == 0
    gateway.call("DELETE", f"/v1/keys/{made['record']['keyId']}")
    expect(visitor.page.get_by_role("alert").first).to_contain_text("This device was signed out")
    assert visitor.page.evaluate("sessionStorage.length") == 0
    visitor.sign_in()
    visitor.page.get_by_role("button", name="Profile alice").click()
    visitor.page.get_by_role("button", name="Sign out", exact=True).click()
    expect(visitor.page.get_by_label("Key")).to_be_visible()
    visitor.page.reload()
    expect(visitor.page.get_by_label("Key")).to_be_visible()


def test_a_link_signs_in_once(visit, gateway):
    def link(*more):
        arguments = ["web", "--url", gateway.url, "--data", str(gateway.folder / "data"), *more]
        return subprocess.run(
            [browser.support.PROGRAM, *arguments], check=True, capture_output=True, text=True
        ).stdout.split()[-1]

    first, second, used = (visit() for _ in range(3))
    address = link()
    first.page.goto(address)
    # The address of the page does not contain the key of the link, and the history does not lead back to the link.
    expect(first.page).to_have_url(f"{gateway.url}/app")
    first.page.get_by_role("button", name="Sign in").click()
    expect(first.page.get_by_role("heading", name="Choose a profile")).to_be_visible()
    used.awaits_outage = True
    used.page.goto(address)
    used.page.get_by_role("button", name="Sign in").click()
    expect(used.page.get_by_role("alert").last).to_contain_text("used already, or has expired")
    # Another link in the same tab changes only the fragment of the address.
    used.page.goto(link())
    expect(used.page.get_by_role("alert")).to_have_count(0)
    used.page.get_by_role("button", name="Sign in").click()
    expect(used.page.get_by_role("heading", name="Choose a profile")).to_be_visible()
    used.close()
    second.page.goto(link())
    second.page.get_by_label("Keep me signed in").check()
    second.page.get_by_role("button", name="Sign in").click()
    second.page.get_by_role("button", name="alice").click()
    expect(second.page.get_by_role("button", name="Profile alice")).to_be_visible()
    first.awaits_outage = second.awaits_outage = True
    setting(second.page, "Sign out all browsers").click()
    second.page.get_by_role("button", name="Sign out", exact=True).last.click()
    expect(second.page.get_by_label("Key")).to_be_visible()
    first.page.reload()
    expect(first.page.get_by_label("Key")).to_be_visible()
    # After signing out everywhere, only the key of the file remains.
    gateway.until(
        lambda: [key["name"] for key in gateway.call("GET", "/v1/keys")["keys"]].count("Web client") == 0,
        "the keys are gone",
    )


def test_hidden_profiles_open_by_their_passwords(visit, gateway):
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place="#/1")
    page.get_by_role("button", name="Profile alice").click()
    page.get_by_role("button", name="Hide profile").click()
    page.get_by_label("Password").fill("the hidden one")
    page.get_by_role("button", name="Hide profile").last.click()
    # Alice is hidden and is no longer the active profile, so the page opens the other profile.
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
    page.get_by_role("button", name="Profile bob").click()
    page.get_by_role("button", name="Open hidden profile").click()
    page.get_by_label("Password").fill("a wrong one")
    visitor.awaits_outage = True
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("alert").last).to_have_text("No profile has this password.")
    page.get_by_label("Password").fill("the hidden one")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="Profile alice").click()
    page.get_by_role("button", name="bob", exact=True).click()
    page.get_by_role("button", name="Profile bob").click()
    expect(page.get_by_role("button", name="Open hidden profile")).to_be_visible()
    assert "alice" not in page.get_by_role("dialog").inner_text()

    # A hidden profile is found even if its id is much larger than the ids of other profiles.
    for number in range(3, 12):
        gateway.call("POST", "/v1/users", {"profile": {"displayName": f"profile {number}", "fullName": ""}})
    gateway.call("POST", "/v1/users/2/activate", {})
    gateway.call("POST", "/v1/users/11/hide", {"viewPwd": "the far one"})
    for number in range(3, 11):
        gateway.call("DELETE", f"/v1/users/{number}")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Profile bob").click()
    page.get_by_role("button", name="Open hidden profile").click()
    page.get_by_label("Password").fill("the far one")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("button", name="Profile profile 11")).to_be_visible()
    page.get_by_role("button", name="Profile profile 11").click()
    page.get_by_role("button", name="bob", exact=True).click()
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
    # A malformed address leads to the choice of profiles.
    page.evaluate("location.hash = '#/%'")
    expect(page).to_have_url(f"{gateway.url}/app#/2")
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()


def test_a_locked_store_opens_by_its_password(visit, gateway):
    visitor = visit()
    page = visitor.page
    visitor.awaits_outage = True
    visitor.sign_in(place="#/2")
    setting(page, "Set a password").click()
    page.get_by_label("From then on it opens the store").fill("opens the store")
    save(page)
    setting(page, "Lock now").click()
    expect(page.get_by_role("heading", name="Locked")).to_be_visible()
    page.get_by_label("Password of the app").fill("wrong")
    page.get_by_role("button", name="Unlock").click()
    expect(page.get_by_role("alert").last).not_to_be_empty()
    page.get_by_label("Password of the app").fill("opens the store")
    # After a wrong password, the gateway refuses further attempts for a moment, so the test repeats the attempt.
    unlock = page.get_by_role("button", name="Unlock")
    expect(page.get_by_role("button", name="Profile bob").or_(unlock)).to_be_visible()
    while unlock.is_visible():
        page.evaluate("document.querySelector('form button')?.click()")
        page.wait_for_timeout(500)
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()


def test_a_browser_that_signed_in_by_a_link_stays_signed_in(visit, gateway):
    """A browser that signs in by a link stays signed in, in other tabs too."""
    arguments = ["web", "--url", gateway.url, "--data", str(gateway.folder / "data")]
    program = [browser.support.PROGRAM, *arguments]
    output = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    visitor = visit()
    page = visitor.page
    page.goto(output.split()[-1])
    expect(page.get_by_label("Keep me signed in")).to_be_checked()
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Choose a profile")).to_be_visible()
    visitor.context.set_default_timeout(browser.LIMIT)
    tab = visitor.context.new_page()
    tab.goto(f"{gateway.url}/app")
    expect(tab.get_by_role("heading", name="Choose a profile")).to_be_visible()
    # A typed key is kept only if the user requests it.
    other = visit()
    other.open()
    expect(other.page.get_by_label("Keep me signed in")).not_to_be_checked()


def test_a_hidden_page_does_not_check_its_key(visit, gateway):
    """While no profile is open, the page checks its key every five seconds, but only while the page is visible."""
    visitor = visit()
    page = visitor.page
    page.clock.install()
    visitor.sign_in()
    expect(page.get_by_role("heading", name="Choose a profile")).to_be_visible()
    checks = []
    page.on("request", lambda request: checks.append(request.url) if request.url.endswith("/whoami") else None)
    gateway.until(lambda: page.clock.run_for(1000) or len(checks) > 1, "the visible page checks its key")
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.clock.run_for(6_000)
    count = len(checks)
    page.clock.run_for(30_000)
    assert len(checks) == count
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    gateway.until(lambda: page.wait_for_timeout(20) or len(checks) > count, "the page checks its key again")
