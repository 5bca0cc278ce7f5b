"""Tests of scheduled messages and broadcasts in the page."""

import datetime

from browser import expect
from steps import HOSTILE, check, keep_notices, picture, setting


def opened(visit, gateway):
    visitor = visit()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    box = visitor.page.get_by_role("textbox", name="Message", exact=True)
    expect(box).to_be_visible()
    return visitor, visitor.page, box


def waiting(gateway):
    listed = gateway.call("GET", "/v1/users/1/scheduled-messages")["scheduledMessages"]
    return [it for it in listed if it["state"] == "waiting"]


def act_on(page, text, name):
    """Chooses an entry in the menu of a scheduled message."""
    page.locator("li.scheduled", has_text=text).get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name=name, exact=True).click()


def test_messages_are_scheduled_changed_and_cancelled(visit, gateway):
    visitor, page, box = opened(visit, gateway)
    keep_notices(page)
    loaded = []
    page.on("request", lambda request: loaded.append(request.url))
    bar = page.get_by_role("button", name="scheduled message")
    expect(bar).to_have_count(0)
    # The right mouse button opens the menu of the button that sends. A preset sets the time.
    box.fill("in an hour")
    page.get_by_role("button", name="Send", exact=True).click(button="right")
    page.get_by_role("menuitem", name="Send later").click()
    dialog = page.get_by_role("dialog", name="Send later")
    expect(dialog.get_by_role("button", name="In one hour")).to_be_focused()
    check(page, "send later")
    picture(visitor, "send-later")
    assert any(url.endswith("planned/ScheduledView.js") for url in loaded)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.locator(".notices p")).to_contain_text("It is sent:")
    expect(box).to_have_value("")
    expect(page.get_by_role("button", name="1 scheduled message")).to_be_visible()
    assert [it["composedMessages"][0]["msgContent"]["text"] for it in waiting(gateway)] == ["in an hour"]
    # The keyboard opens the menu too. The user enters another time.
    box.fill(HOSTILE[0])
    page.get_by_role("button", name="Other ways to send").press("Enter")
    page.keyboard.press("Enter")
    day = datetime.date.today() + datetime.timedelta(days=20)
    dialog.get_by_label("Date and time").fill(f"{day}T10:30")
    dialog.get_by_role("button", name="Schedule").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="2 scheduled messages")).to_be_visible()
    at = [it["sendAt"] for it in waiting(gateway)]
    assert any(time.startswith(f"{day}T") for time in at), at
    # The list of scheduled messages can be changed.
    bar.click()
    rows = page.get_by_role("dialog", name="Scheduled messages").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text(HOSTILE[0])
    check(page, "scheduled messages")
    picture(visitor, "scheduled-messages")
    act_on(page, HOSTILE[0], "Change time")
    change = page.get_by_role("dialog", name="Change time")
    expect(change.get_by_label("Date and time")).to_have_value(f"{day}T10:30")
    change.get_by_label("Date and time").fill(f"{day}T11:45")
    change.get_by_role("button", name="Save").click()
    expect(rows.nth(1)).to_contain_text("11:45")
    act_on(page, HOSTILE[0], "Edit")
    page.get_by_role("dialog", name="Edit").get_by_role("textbox").fill("another text")
    page.get_by_role("button", name="Save").click()
    expect(rows.nth(1)).to_contain_text("another text")
    texts = lambda: sorted(it["composedMessages"][0]["msgContent"]["text"] for it in waiting(gateway))
    gateway.until(lambda: texts() == ["another text", "in an hour"], "the text is changed")
    act_on(page, "another text", "Delete")
    page.get_by_role("dialog", name="Delete scheduled message").get_by_role("button", name="Delete").click()
    expect(rows).to_have_count(1)
    gateway.until(lambda: texts() == ["in an hour"], "the message is deleted")
    # A refused change is undone, with its reason.
    visitor.awaits_outage = True
    refused = {"status": 409, "json": {"code": "conflict", "detail": "It does not wait any more."}}
    page.route("**/scheduled-messages/*", lambda route: route.fulfill(**refused), times=1)
    act_on(page, "in an hour", "Send now")
    expect(page.get_by_text("It does not wait any more.")).to_be_visible()
    expect(rows).to_have_count(1)
    act_on(page, "in an hour", "Send now")
    expect(page.get_by_text("No message waits to be sent.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("chat-item-view", has_text="in an hour")).to_be_visible()
    expect(bar).to_have_count(0)
    assert page.evaluate("window.hit") is None


def test_a_refused_time_keeps_the_text_in_the_field(visit, gateway):
    visitor, page, box = opened(visit, gateway)
    visitor.awaits_outage = True
    box.fill("stays here")
    page.get_by_role("button", name="Other ways to send").click()
    page.get_by_role("menuitem", name="Send later").click()
    refused = {"status": 400, "json": {"code": "badRequest", "detail": "The time is past."}}
    page.route("**/scheduled-messages", lambda route: route.fulfill(**refused), times=1)
    page.get_by_role("button", name="Tomorrow morning").click()
    expect(page.get_by_role("alert").filter(has_text="The time is past.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_have_value("stays here")


def test_a_file_is_scheduled_and_shown_by_its_name(visit, gateway):
    _, page, box = opened(visit, gateway)
    box.fill("the plan")
    page.locator("input[type=file]").set_input_files({"name": "a.bin", "mimeType": "text/plain", "buffer": b"a"})
    page.get_by_role("button", name="Other ways to send").click()
    page.get_by_role("menuitem", name="Send later").click()
    page.get_by_role("button", name="In one hour").click()
    expect(page.get_by_role("dialog", name="Send later")).to_have_count(0)
    expect(box).to_have_value("")
    (message,) = [it for it in waiting(gateway) if it["composedMessages"][0].get("fileSource")]
    assert message["composedMessages"][0]["msgContent"] == {"type": "file", "text": "the plan"}
    page.get_by_role("button", name="scheduled message").click()
    expect(page.locator("li.scheduled", has_text="the plan")).to_contain_text("📎 a")
    act_on(page, "the plan", "Delete")
    page.get_by_role("dialog", name="Delete scheduled message").get_by_role("button", name="Delete").click()
    expect(page.locator("li.scheduled", has_text="the plan")).to_have_count(0)


def test_messages_of_another_device_are_shown_until_they_are_sent(visit, gateway):
    to = {"chatType": "direct", "chatId": gateway.bob}
    time = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    path = "/v1/users/1/scheduled-messages"
    schedule = lambda text: gateway.call("POST", path, {"to": to, "text": text, "sendAt": time})["scheduledId"]
    first = schedule("from afar")
    visitor = visit()
    page = visitor.page
    page.clock.install()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    bar = lambda count: page.get_by_role("button", name=f"{count} scheduled message")
    expect(bar(1)).to_be_visible()
    # The page reads the list every minute while it is visible, since the gateway sends no events about the list.
    second = schedule("while the page is open")
    page.clock.fast_forward(61_000)
    expect(bar(2)).to_be_visible()
    # A hidden page does not read the list. It reads the list when it is visible again.
    page.evaluate("""() => {
        window.isHidden = true
        Object.defineProperty(document, "hidden", { get: () => window.isHidden })
    }""")
    gateway.call("DELETE", f"{path}/{second}")
    asked = []
    page.on("request", lambda request: "scheduled-messages" in request.url and asked.append(request.url))
    page.clock.fast_forward(181_000)
    page.wait_for_timeout(500)
    assert not asked
    page.evaluate("""() => {
        window.isHidden = false
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
    }""")
    expect(bar(1)).to_be_visible()
    # Without a time, the gateway sends the message at once.
    gateway.call("PATCH", f"{path}/{first}", {"sendAt": None})
    expect(page.locator("chat-item-view", has_text="from afar")).to_be_visible()
    states = lambda: [it["state"] for it in gateway.call("GET", path)["scheduledMessages"]]
    gateway.until(lambda: set(states()) <= {"sent"}, "the gateway has noted that the message is sent")
    page.clock.fast_forward(61_000)
    expect(page.get_by_role("button", name="scheduled message")).to_have_count(0)


def test_a_broadcast_reaches_all_contacts(visit, gateway):
    visitor, page, _ = opened(visit, gateway)
    setting(page, "Scheduled messages").click()
    expect(page.get_by_role("dialog", name="Scheduled messages")).to_contain_text("No message waits to be sent.")
    page.keyboard.press("Escape")
    page.locator(".place .row", has=page.get_by_text("Scheduled messages")).wait_for()
    page.get_by_role("searchbox", name="Search settings").fill("Broadcasts")
    page.locator(".place .row", has=page.get_by_text("Broadcasts", exact=True)).click()
    page.get_by_role("button", name="New broadcast").click()
    form = page.get_by_role("dialog", name="New broadcast")
    form.get_by_role("textbox", name="Message").fill("for everybody")
    form.get_by_role("button", name="Send").click()
    row = page.locator("li.scheduled")
    expect(row).to_contain_text("1 of 1 sent")
    expect(row).to_contain_text("finished")
    check(page, "broadcasts")
    picture(visitor, "broadcasts")
    texts = lambda: gateway.texts(2, f"direct/{gateway.alice}")
    gateway.until(lambda: "for everybody" in texts(), "bob has it")
