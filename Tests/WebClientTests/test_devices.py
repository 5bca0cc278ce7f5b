"""Tests of the page about signed-in devices: their list, signing out, and the link for another device."""

import re
import time

import pytest
from browser import expect
from steps import DOCUMENTS, HOSTILE, check, listed, picture

SECRET = re.compile(r"sxgw_[A-Za-z0-9_-]{43}")


def devices(page):
    """Opens the page about devices in the settings."""
    page.get_by_role("button", name=re.compile("^Profile ")).click()
    page.get_by_role("button", name="Signed-in devices", exact=True).click()
    # The row appears when the gateway has listed the keys.
    expect(page.locator(".place .row").first).to_be_visible()


def link(visitor):
    """Presses the row for another device, and returns the link that the button copies."""
    page = visitor.page
    page.get_by_role("button", name="Link a device").click()
    box = page.get_by_role("dialog", name="Link a device")
    expect(box.get_by_role("img", name="QR code of the link")).to_be_visible()
    page.evaluate("window.copied = ''")
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text }")
    box.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_function("window.copied")
    return page.evaluate("copied")


def sign_in_by_link(visitor, address):
    """Signs in by a link, and opens the profile of Alice."""
    visitor.page.goto(address)
    visitor.page.get_by_role("button", name="Sign in").click()
    expect(visitor.page.get_by_role("heading", name="Choose a profile")).to_be_visible()
    expect(visitor.page).to_have_url(f"{visitor.gateway.url}/app")
    visitor.page.get_by_role("button", name="alice").click()
    expect(visitor.page.get_by_role("button", name="Profile alice")).to_be_visible()


def requested(page):
    """Returns a list that gets the addresses of all later requests of a page."""
    asked = []
    page.on("request", lambda request: "scheduled-messages" not in request.url and asked.append(request.url))
    return asked


def wait_for_session(gateway, page):
    """Waits until the page has its session, after which it sends no request by itself."""
    gateway.until(lambda: page.evaluate(DOCUMENTS)["session"], "the page has its session")


def keys_of_links(gateway):
    """Returns the keys that links made."""
    return [key for key in gateway.call("GET", "/v1/keys")["keys"] if key["name"].startswith("Web client")]


def test_a_device_is_linked_by_a_code_and_signed_out(visit, gateway):
    """The link signs in one device once, with the same rights. This device is listed, and is signed out with the reason
    as soon as its key is deleted."""
    first, other, third = visit(), visit(), visit()
    page = first.page
    requests = []
    first.context.on("request", lambda request: requests.append(request.url))
    first.sign_in(place="#/1")
    devices(page)
    expect(page.locator(".place")).to_contain_text("This key was typed in")
    expect(page.locator(".place")).to_contain_text("No other browser is signed in by a link.")
    address = link(first)
    assert address.startswith(f"{gateway.url}/app#ticket=sxgw_")
    box = page.get_by_role("dialog", name="Link a device")
    # The gateway of the tests is at an address of its own machine, so the dialog warns the user.
    expect(box).to_contain_text("so no phone can use the code")
    expect(box.get_by_role("timer")).to_contain_text(re.compile("It works for another [0-2]:[0-9][0-9]"))
    check(page, "the dialog with the code")
    picture(first, "devices-code")

    other.context.on("request", lambda request: requests.append(request.url))
    sign_in_by_link(other, address)
    expect(box.get_by_role("status").first).to_contain_text("Chrome, Linux is signed in.")
    expect(box.get_by_role("img")).to_have_count(0)
    picture(first, "devices-linked")
    box.get_by_role("button", name="Close").last.click()
    # The secret is in no address that the browsers have requested.
    assert not [url for url in requests if SECRET.search(url)]
    assert not SECRET.search(gateway.log())

    (key,) = keys_of_links(gateway)
    assert key["scopes"] == ["admin"]
    assert key["expiresAt"]
    assert key["name"] == "Web client (Chrome, Linux)"
    # The link works once.
    third.awaits_outage = True
    third.page.goto(address)
    third.page.get_by_role("button", name="Sign in").click()
    expect(third.page.get_by_role("alert").last).to_contain_text("was used already, or has expired")

    expect(page.locator(".place")).to_contain_text("Address: 127.0.0.1")
    check(page, "the list of devices")
    picture(first, "devices-list")
    other.awaits_outage = True
    page.get_by_role("button", name="Sign out Chrome, Linux").click()
    sure = page.get_by_role("dialog").last
    expect(sure).to_contain_text("signed out at once")
    assert sure.get_by_role("button", name="Sign out", exact=True).get_attribute("class") == "danger"
    wait_for_session(gateway, other.page)
    asked = requested(other.page)
    sure.get_by_role("button", name="Sign out", exact=True).click()
    expect(other.page.get_by_role("alert").first).to_contain_text("This device was signed out")
    # The gateway has ended the WebSocket of the device. The device requests only a ticket for another WebSocket.
    assert set(asked) == {f"{gateway.url}/v1/events/tickets"}, asked
    expect(other.page.get_by_label("Key")).to_be_visible()
    assert other.page.evaluate("sessionStorage.length + localStorage.length") == 0
    expect(page.locator(".place")).to_contain_text("No other browser is signed in by a link.")
    assert keys_of_links(gateway) == []


def test_a_device_that_signs_in_while_the_dialog_closes_is_listed(visit, gateway):
    """The gateway refuses to withdraw a link that was used before the page knew of it, and the list has the device."""
    first, other = visit(), visit()
    page, held = first.page, []
    first.awaits_outage = True
    first.sign_in(place="#/1")
    devices(page)
    address = link(first)
    # The test holds back all answers about the key until the dialog is closed.
    page.route("**/v1/keys/*", lambda route: held.append(route) if route.request.method == "GET" else route.fallback())
    gateway.until(lambda: held or page.wait_for_timeout(50), "the page asks for the state of the key")
    sign_in_by_link(other, address)
    page.get_by_role("dialog", name="Link a device").get_by_role("button", name="Close").first.click()
    expect(page.get_by_role("button", name="Sign out Chrome, Linux")).to_be_visible()
    assert len(keys_of_links(gateway)) == 1
    for route in held:
        route.fallback()


def test_all_other_devices_are_signed_out(visit, gateway):
    """The other devices are signed out. This device and the keys of programs stay valid."""
    program = gateway.call("POST", "/v1/keys", {"name": "program"})["record"]["keyId"]
    first, *others = (visit() for _ in range(3))
    first.sign_in(place="#/1")
    devices(first.page)
    for other in others:
        sign_in_by_link(other, link(first))
        other.awaits_outage = True
        box = first.page.get_by_role("dialog", name="Link a device")
        # The dialog must not be closed earlier: it would try to withdraw the link, and the browser would report the
        # refusal.
        expect(box.get_by_role("status").first).to_contain_text("is signed in.")
        box.get_by_role("button", name="Close").last.click()
        expect(first.page.get_by_role("dialog")).to_have_count(1)
    expect(first.page.locator(".place .row button")).to_have_count(2)
    first.page.get_by_role("button", name="Sign out all other devices").click()
    first.page.get_by_role("dialog").last.get_by_role("button", name="Sign out", exact=True).click()
    for other in others:
        expect(other.page.get_by_role("alert").first).to_contain_text("This device was signed out")
    expect(first.page.locator(".place")).to_contain_text("No other browser is signed in by a link.")
    assert program in [key["keyId"] for key in gateway.call("GET", "/v1/keys")["keys"]]
    first.page.reload()
    expect(first.page.get_by_role("button", name="Profile alice")).to_be_visible()


def test_an_unused_code_expires(visit, gateway):
    """A closed dialog withdraws its link, and a code that is not used in time is replaced by a button for a new code."""
    visitor = visit()
    page = visitor.page
    # The browser itself reports that the key is gone. This report is no fault.
    visitor.awaits_outage = True
    # A clock that is wrong by a day changes nothing.
    page.clock.install(time=time.time() + 86_400)
    visitor.sign_in(place="#/1")
    devices(page)
    link(visitor)
    box = page.get_by_role("dialog", name="Link a device")
    assert len(keys_of_links(gateway)) == 1
    box.get_by_role("button", name="Close").first.click()
    gateway.until(lambda: keys_of_links(gateway) == [] or page.wait_for_timeout(50), "the link is withdrawn")

    link(visitor)
    # The timer also counts the time between the making of the code and this line, so a range of values is correct.
    page.clock.fast_forward(80_000)
    expect(box.get_by_role("timer")).to_contain_text(re.compile("It works for another 0:[0-4][0-9]"))
    page.clock.fast_forward(45_000)
    expect(box.get_by_role("img")).to_have_count(0)
    gateway.call("DELETE", f"/v1/keys/{keys_of_links(gateway)[0]['keyId']}")
    page.clock.fast_forward(2_000)
    expect(box.get_by_role("status").first).to_contain_text("was not used in time")
    picture(visitor, "devices-expired")
    box.get_by_role("button", name="New code").click()
    expect(box.get_by_role("img", name="QR code of the link")).to_be_visible()


def test_a_link_survives_a_network_outage(visit, gateway):
    """During an outage the dialog says that the page is offline. After the outage it shows that the other device has
    signed in."""
    first, other = visit(), visit()
    first.sign_in(place="#/1")
    devices(first.page)
    address = link(first)
    box = first.page.get_by_role("dialog", name="Link a device")
    first.awaits_outage = True
    first.context.set_offline(True)
    expect(box.get_by_role("status").first).to_contain_text("Offline")
    sign_in_by_link(other, address)
    expect(box.get_by_role("img", name="QR code of the link")).to_be_visible()
    first.context.set_offline(False)
    expect(box.get_by_role("status").first).to_contain_text("is signed in.")


def test_a_key_that_may_not_manage_keys_shows_no_button_for_links(visit, gateway):
    key = gateway.call("POST", "/v1/keys", {"name": "<b>guest</b>", "scopes": ["read", "write", "events"]})["key"]
    visitor = visit()
    visitor.sign_in(key, place="#/1")
    devices(visitor.page)
    expect(visitor.page.locator(".place")).to_contain_text("may not manage keys")
    expect(visitor.page.locator(".place")).to_contain_text("<b>guest</b>")
    expect(visitor.page.get_by_role("button", name="Link a device")).to_have_count(0)


def test_a_linked_device_gets_no_additional_rights(visit, gateway):
    """A device whose key is bound to a profile and expires links a device with the same profile and an expiry that is
    not later."""
    bound = {"name": "bound", "scopes": ["admin"], "userId": 1, "expiresIn": 3600}
    made_by_test = gateway.call("POST", "/v1/keys", bound)
    first, other = visit(), visit()
    first.sign_in(made_by_test["key"], place="#/1")
    devices(first.page)
    other.page.goto(link(first))
    other.page.get_by_role("button", name="Sign in").click()
    expect(other.page.get_by_role("button", name="Profile alice")).to_be_visible()
    (key,) = keys_of_links(gateway)
    assert (key["userId"], key["scopes"]) == (1, ["admin"])
    assert key["expiresAt"] <= made_by_test["record"]["expiresAt"]


def test_a_device_without_an_open_profile_is_signed_out(visit, gateway):
    first, other = visit(), visit()
    first.sign_in(place="#/1")
    devices(first.page)
    other.page.goto(link(first))
    other.page.get_by_role("button", name="Sign in").click()
    expect(other.page.get_by_role("heading", name="Choose a profile")).to_be_visible()
    # The open dialog of the first device also requests the deleted key, so both browsers report a refusal, which is no
    # fault.
    first.awaits_outage = other.awaits_outage = True
    gateway.call("DELETE", f"/v1/keys/{keys_of_links(gateway)[0]['keyId']}")
    expect(other.page.get_by_role("alert").first).to_contain_text("This device was signed out")


def test_hostile_names_of_devices_are_shown_as_text(visit, gateway):
    for name in HOSTILE:
        if "\u202e" not in name:
            gateway.call("POST", "/v1/keys", {"name": f"Web client ({name})"[:100]})
    visitor = visit()
    visitor.sign_in(place="#/1")
    devices(visitor.page)
    expect(visitor.page.locator(".place .row button")).to_have_count(len(HOSTILE) - 1)
    assert visitor.page.evaluate("window.hit") is None


@pytest.mark.parametrize("where", ["dark", "narrow", "ar"])
def test_the_page_about_devices_fits_into_its_window(visit, gateway, where):
    """The list and the QR code fit into a dark, a narrow and a right-to-left page."""
    gateway.call("POST", "/v1/keys", {"name": "Web client (Firefox, Android)"})
    gateway.call("POST", "/v1/keys", {"name": "Web client (Safari, iPhone)", "expiresIn": 86_400})
    options = {
        "dark": {"color_scheme": "dark"},
        "narrow": {"viewport": {"width": 320, "height": 640}},
        "ar": {"viewport": {"width": 390, "height": 800}},
    }[where]
    visitor = visit(**options)
    page = visitor.page
    if where == "ar":
        page.add_init_script("localStorage['simplex-gateway.language'] = 'ar'")
    visitor.open("#/1")
    page.locator("input[name=key]").or_(page.locator("form input[type=password]")).first.fill(gateway.key)
    page.locator("form button[type=submit]").click()
    page.locator("button.who").click()
    page.locator(".pages nav .row").filter(has=page.locator("path[d^='M7 3h10v18']")).click()
    expect(page.locator(".place .row button")).to_have_count(2)
    picture(visitor, f"devices-{where}-list")
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    page.locator(".place .row").first.click()
    expect(page.locator("dialog img.qr")).to_be_visible()
    picture(visitor, f"devices-{where}-code")
    check(page, where)


def open_chat_on_two_pages(visit, gateway):
    """Returns two pages with the chat with Bob, and their fields."""
    pages = [visit(), visit()]
    for visitor in pages:
        visitor.awaits_outage = True
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    fields = [visitor.page.get_by_role("textbox", name="Message") for visitor in pages]
    for field in fields:
        expect(field).to_be_visible()
    return *pages, *fields


def drafts(gateway):
    return [draft["message"] for draft in gateway.call("GET", "/v1/users/1/model")["model"]["drafts"].values()]


def wait_for_drafts(gateway, page, expected):
    """Waits until the gateway has these drafts, and the page knows it."""
    known = lambda: [draft["message"] for draft in page.evaluate(DOCUMENTS)["model"]["drafts"].values()]
    gateway.until(lambda: drafts(gateway) == known() == expected, f"the drafts are {expected}")


def test_two_devices_that_write_at_once_lose_no_text(visit, gateway):
    """The user who is typing keeps the text in the field. The other device's text is shown, and can be inserted."""
    first, other, field, copy = open_chat_on_two_pages(visit, gateway)
    field.fill("from the desk")
    wait_for_drafts(gateway, first.page, ["from the desk"])
    # The field of the other page has the focus, so the draft of the first page does not replace its text.
    copy.fill("on the way")
    wait_for_drafts(gateway, other.page, ["on the way"])
    expect(copy).to_have_value("on the way")
    note = other.page.locator(".about", has_text="Written on another device: from the desk")
    expect(note).to_be_visible()
    check(other.page, "a replaced draft")
    picture(other, "devices-drafts")
    # The first device continues its text, and then writes another text. After the next save on the second device, its
    # note shows all these texts.
    for written, continued in (
        ("from the desk, with care", "on the way home"),
        ("quite another text", "on the way home soon"),
    ):
        field.fill(written)
        wait_for_drafts(gateway, first.page, [written])
        copy.fill(continued)
        wait_for_drafts(gateway, other.page, [continued])
    expect(note).to_contain_text(re.compile("device: from the desk, with care\\s+quite another text"))
    note.get_by_role("button", name="Insert").click()
    both = "on the way home soon\nfrom the desk, with care\nquite another text"
    expect(copy).to_have_value(both)
    expect(note).to_have_count(0)
    wait_for_drafts(gateway, other.page, [both])
    # The first field shows the stored draft when the user leaves the field.
    field.blur()
    expect(field).to_have_value(both)
    # A sent message ends the draft on both devices.
    field.press("Enter")
    copy.blur()
    expect(copy).to_have_value("")
    wait_for_drafts(gateway, first.page, [])


def test_a_draft_saved_after_an_outage_keeps_a_newer_draft(visit, gateway):
    """A draft from an outage does not replace the draft that the other device has written meanwhile."""
    first, other, field, copy = open_chat_on_two_pages(visit, gateway)
    first.context.set_offline(True)
    field.fill("without a line")
    # When the user leaves the field, saving the draft fails.
    field.blur()
    copy.fill("meanwhile")
    copy.blur()
    wait_for_drafts(gateway, other.page, ["meanwhile"])
    first.context.set_offline(False)
    both = "without a line\nmeanwhile"
    wait_for_drafts(gateway, first.page, [both])
    for shown in (field, copy):
        expect(shown).to_have_value(both)


def test_a_sent_message_keeps_the_draft_of_the_other_device(visit, gateway):
    first, other, field, copy = open_chat_on_two_pages(visit, gateway)
    copy.blur()
    field.fill("one")
    expect(copy).to_have_value("one")
    copy.fill("one and two")
    copy.blur()
    wait_for_drafts(gateway, other.page, ["one and two"])
    # The first page still shows the old text, since its field has the focus.
    expect(field).to_have_value("one")
    # The gateway refuses to delete the newer draft, so the page reads this draft.
    with first.page.expect_response(lambda answer: "/model/drafts/" in answer.url and answer.ok):
        field.press("Enter")
    expect(first.page.locator("chat-item-view.sent", has_text="one")).to_be_visible()
    assert drafts(gateway) == ["one and two"]
    field.blur()
    expect(field).to_have_value("one and two")


def test_read_marks_are_the_same_on_two_devices_at_once(visit, gateway):
    """A chat that is read on one device has no unread messages on the other device. A mark that the user sets is also
    the same on both."""
    first, other = visit(), visit()
    for visitor in (first, other):
        visitor.sign_in(place="#/1")
        expect(listed(visitor.page, "bob")).to_be_visible()
    for number in range(3):
        gateway.bob_says(f"news {number}")
    for visitor in (first, other):
        expect(listed(visitor.page, "bob").locator(".badge")).to_have_text("3")
    wait_for_session(gateway, other.page)
    asked = requested(other.page)
    listed(first.page, "bob").click()
    for visitor in (first, other):
        expect(listed(visitor.page, "bob").locator(".badge")).to_have_count(0)
    # The other page gets the marks over its WebSocket, without a request.
    assert asked == []
    # A mark that the user sets or removes on either device appears on the other device.
    first.page.evaluate("location.hash = '#/1'")
    expect(first.page.get_by_text("Choose a chat")).to_be_visible()
    mark(other, "Mark unread")
    for visitor in (first, other):
        expect(listed(visitor.page, "bob").locator(".badge")).to_have_count(1)
    mark(first, "Mark read")
    for visitor in (first, other):
        expect(listed(visitor.page, "bob").locator(".badge")).to_have_count(0)


def mark(visitor, name):
    listed(visitor.page, "bob").click(button="right")
    visitor.page.get_by_role("menuitem", name=name, exact=True).click()


def test_a_deleted_text_deletes_its_draft_after_a_lost_answer(visit, gateway):
    """The gateway stores a draft, and its answer is lost. When the user deletes the text, the stored draft is deleted
    too."""
    visitor = visit()
    visitor.awaits_outage = True
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    page, held = visitor.page, []

    def fetch_without_answer(route):
        route.fetch()
        held.append(route)

    page.route("**/model/drafts/**", fetch_without_answer, times=1)
    field = page.get_by_role("textbox", name="Message")
    field.fill("without an answer")
    wait_for_drafts(gateway, page, ["without an answer"])
    gateway.until(lambda: held or page.wait_for_timeout(50), "the answer is held")
    field.fill("")
    field.blur()
    held[0].abort()
    wait_for_drafts(gateway, page, [])
