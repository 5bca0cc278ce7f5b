"""Tests of the migration of all profiles by a link, in both directions."""

import re
import urllib.parse

import browser
import pytest
from browser import expect
from steps import check, keep_notices, listed, picture

PASSPHRASE = "a passphrase for the way"
SEND = "Migrate to another device"
RECEIVE = "Migrate from another device"

# The gateway of such a test has a file relay, which the other gateway can reach.
with_file_relay = pytest.mark.gateway("--file-relay-port", "0")


@pytest.fixture
def other():
    """A gateway without profiles."""
    with browser.NewGateway() as gateway:
        yield gateway


def database(page):
    """Opens the page about the database in the settings."""
    page.get_by_role("button", name=re.compile("^Profile ")).click()
    page.get_by_role("button", name="Database passphrase & export", exact=True).click()


def begin(page):
    """Fills the form, confirms that the chat stops, and returns the dialog."""
    page.get_by_role("button", name=SEND, exact=True).click()
    box = page.get_by_role("dialog", name=SEND).last
    box.get_by_label("Passphrase of the migration").fill(PASSPHRASE)
    box.get_by_role("button", name="Make link", exact=True).click()
    page.get_by_role("dialog").last.get_by_role("button", name="Make link", exact=True).click()
    return box


def copied(page, box):
    """Returns the link that the button copies."""
    expect(box.get_by_role("img", name="QR code of the link")).to_be_visible()
    page.evaluate("window.copied = ''")
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text }")
    box.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_function("window.copied")
    return page.evaluate("copied")


def receive(page, link, passphrase=PASSPHRASE):
    """Opens the dialog on the first page of a new gateway, if it is not open, and sends its form."""
    box = page.get_by_role("dialog", name=RECEIVE)
    if not box.count():
        page.get_by_role("button", name=RECEIVE, exact=True).click()
    box.get_by_role("textbox", name="Link").fill(link)
    box.get_by_label("Passphrase of the migration").fill(passphrase)
    box.get_by_role("button", name=RECEIVE, exact=True).click()
    return box


def names(gateway):
    return sorted(entry["user"]["profile"]["displayName"] for entry in gateway.call("GET", "/v1/users")["users"])


def state(gateway):
    return gateway.call("GET", "/v1/database/migration")["state"]


@with_file_relay
def test_all_profiles_migrate_to_another_gateway(visit, gateway, other):
    """The link is shown, also after a reload. The other gateway has all profiles, and then this one has none."""
    first, second = visit(), visit(other)
    first.awaits_outage = second.awaits_outage = True
    page = first.page
    first.sign_in(place="#/1")
    database(page)
    link = copied(page, begin(page))
    assert link.startswith("simplex:/file#/?desc=")
    assert state(gateway) == "ready"
    box = page.get_by_role("dialog", name=SEND)
    expect(box).to_contain_text("Do not use the profiles on two devices")
    check(page, "the dialog with the link")
    picture(first, "migration-link")

    page.reload()
    database(page)
    page.get_by_role("button", name="Continue migration", exact=True).click()
    assert copied(page, box) == link

    second.sign_in()
    expect(second.page.get_by_role("heading", name="Your first profile")).to_be_visible()
    picture(second, "migration-first-page")
    keep_notices(second.page)
    receive(second.page, link)
    # The profile that was active is opened.
    expect(second.page.get_by_role("button", name="Profile bob")).to_be_visible()
    expect(second.page.get_by_text("Now finish the migration on the other device.")).to_be_visible()
    assert names(other) == ["alice", "bob"]
    assert PASSPHRASE not in gateway.log() + other.log()

    box.get_by_role("button", name="Finish migration", exact=True).click()
    page.get_by_role("dialog").last.get_by_role("button", name="Finish migration", exact=True).click()
    expect(page.get_by_role("heading", name="Your first profile")).to_be_visible()
    assert names(gateway) == [] and state(gateway) == "none"
    # The contacts are there, and messages arrive.
    listed(second.page, "alice").click()
    second.write("sent from the other device")
    sent = second.page.locator("chat-item-view", has_text="sent from the other device")
    expect(sent.get_by_role("img", name="Delivered")).to_be_visible()


@with_file_relay
def test_a_cancelled_migration_starts_the_chat_again(visit, gateway, other):
    """The chat runs again after the user has cancelled the migration. The other device says that the link is no longer
    valid."""
    first, second = visit(), visit(other)
    first.awaits_outage = second.awaits_outage = True
    page = first.page
    first.sign_in(place="#/1")
    database(page)
    box = begin(page)
    link = copied(page, box)
    keep_notices(page)
    box.get_by_role("button", name="Cancel migration", exact=True).click()
    page.get_by_role("dialog").last.get_by_role("button", name="Cancel migration", exact=True).click()
    expect(page.get_by_text("All profiles are still here.")).to_be_visible()
    expect(page.get_by_role("button", name=SEND, exact=True)).to_be_visible()
    assert state(gateway) == "none" and gateway.call("GET", "/v1/core")["type"] == "chatRunning"

    second.sign_in()
    box = receive(second.page, link)
    expect(box.get_by_role("alert")).to_contain_text("no longer valid")
    picture(second, "migration-invalid")
    # The fields keep their contents, so that a mistake can be corrected.
    expect(box.get_by_role("textbox", name="Link")).to_have_value(link)


@with_file_relay
def test_wrong_entries_of_a_migration_can_be_corrected(visit, gateway, other):
    """A cut link and a wrong passphrase are refused, and the proxy of a link is a choice of the user."""
    made = gateway.call("POST", "/v1/database/migration", {"passphrase": PASSPHRASE, "format": "gateway"})
    link = made["link"].split("&data=")[0]
    data = urllib.parse.quote('{"networkConfig":{"socksProxy":":9050"}}', safe="")
    visitor = visit(other)
    visitor.awaits_outage = True
    page = visitor.page
    visitor.sign_in()
    box = receive(page, link[: len(link) // 2])
    expect(box.get_by_role("alert")).to_contain_text("incomplete")
    receive(page, link, "another passphrase")
    expect(box.get_by_role("alert")).not_to_be_empty()
    assert names(other) == []
    receive(page, f"{link}&data={data}")
    expect(box).to_contain_text("The other device uses a SOCKS proxy.")
    check(page, "the choice of the proxy")
    picture(visitor, "migration-proxy")
    expect(box.get_by_role("combobox")).to_have_value("no")
    box.get_by_role("button", name=RECEIVE, exact=True).click()
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
    network = other.call("GET", "/v1/settings/network")["networkConfig"]
    assert not network.get("socksProxy")


@pytest.mark.gateway("--no-file-relay")
def test_a_failed_migration_shows_the_reason(visit, gateway):
    """Without a file server, there is no link: the reason is in the dialog, and the chat goes on."""
    visitor = visit()
    visitor.awaits_outage = True
    page = visitor.page
    visitor.sign_in(place="#/1")
    database(page)
    box = begin(page)
    expect(box.get_by_role("alert")).not_to_be_empty()
    expect(box.get_by_label("Passphrase of the migration")).to_have_value(PASSPHRASE)
    assert state(gateway) == "none" and gateway.call("GET", "/v1/core")["type"] == "chatRunning"


# Nothing listens at this port.
ABSENT = "xftp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@127.0.0.1:9"


@pytest.mark.gateway("--no-file-relay", "--xftp-server", ABSENT)
def test_a_running_migration_is_followed_and_cancelled(visit, gateway):
    """A closed dialog shows the progress again when it is opened, and the user can cancel the work."""
    visitor = visit()
    visitor.awaits_outage = True
    page = visitor.page
    visitor.sign_in(place="#/1")
    database(page)
    box = begin(page)
    expect(box.get_by_role("progressbar")).to_be_visible()
    box.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Continue migration", exact=True).click()
    expect(box.get_by_role("progressbar")).to_be_visible()
    picture(visitor, "migration-progress")
    keep_notices(page)
    box.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("All profiles are still here.").first).to_be_visible()
    expect(box.get_by_label("Passphrase of the migration")).to_be_visible()
    gateway.until(
        lambda: state(gateway) == "none" and gateway.call("GET", "/v1/core")["type"] == "chatRunning",
        "the chat runs again",
    )


@with_file_relay
@pytest.mark.parametrize("where", ["dark", "narrow", "ar"])
def test_the_dialogs_of_a_migration_fit(visit, gateway, where):
    """The form and the code fit in a dark, a narrow and a right-to-left page."""
    options = {
        "dark": {"color_scheme": "dark"},
        "narrow": {"viewport": {"width": 320, "height": 640}},
        "ar": {"viewport": {"width": 390, "height": 800}},
    }[where]
    visitor = visit(**options)
    visitor.awaits_outage = True
    page = visitor.page
    if where == "ar":
        page.add_init_script("localStorage['simplex-gateway.language'] = 'ar'")
    visitor.open("#/1")
    page.locator("form input[type=password]").first.fill(gateway.key)
    page.locator("form button[type=submit]").click()
    page.locator("button.who").click()
    page.locator(".pages nav .row").filter(has=page.locator("path[d^='M12 4c-9']")).click()
    page.locator(".place section").nth(3).locator(".row").click()
    box = page.locator("dialog").last
    expect(box.locator("form")).to_be_visible()
    picture(visitor, f"migration-{where}-form")
    check(page, where)
    box.locator("input[type=password]").fill(PASSPHRASE)
    box.locator("button[type=submit]").click()
    page.locator("dialog footer button").last.click()
    expect(page.locator("dialog img.qr")).to_be_visible()
    picture(visitor, f"migration-{where}-code")
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    check(page, where)
