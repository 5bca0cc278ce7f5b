"""Tests of edits of messages, and of drafts of edits, over slow networks."""

from browser import expect
from sending import Held, bob_gets, item, opened, queued, received, refuse
from steps import draft_an_edit, keep_notices, text_of, wait_for_items


def test_a_draft_of_an_edit_waits_for_its_message(visit, gateway):
    """The text of an edit never becomes a new message, although the chat is drawn before its items arrive."""
    visitor, page, box = opened(visit, gateway)
    visitor.write("first wording")
    expect(item(page, "first wording")).to_be_visible()
    box.press("ArrowUp")
    box.fill("second wording")
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    wait_for_items(gateway, page)
    held = Held(page, "**/sessions/*/chat")
    page.get_by_role("link", name="bob").click()
    expect(item(page, "first wording")).to_be_visible()
    expect(box).to_have_count(0)
    held.release()
    expect(box).to_have_value("second wording")
    box.press("Enter")
    bob_gets(page, gateway, ["second wording"])


def test_an_edit_begins_when_the_items_of_an_opened_chat_arrive(visit, gateway):
    """A key that begins an edit works before the items arrive. The typed text follows the text of the message."""
    visitor, page, box = opened(visit, gateway)
    visitor.write("first wording")
    bob_gets(page, gateway, ["first wording"])
    gateway.bob_says("an answer")
    expect(item(page, "an answer")).to_be_visible()
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    wait_for_items(gateway, page)
    held = Held(page, "**/sessions/*/chat")
    page.get_by_role("link", name="bob").click()
    expect(item(page, "an answer")).to_be_visible()
    expect(box).to_be_focused()
    drafts = []
    page.on("request", lambda it: it.method == "PUT" and "/drafts/" in it.url and drafts.append(it.post_data_json))
    page.keyboard.press("ArrowUp")
    # A screen reader says that the edit has begun.
    expect(page.locator(".about").get_by_role("status")).to_contain_text("Editing")
    page.keyboard.type(", chang")
    # Input methods and pasting insert text without keys.
    page.keyboard.insert_text("edd")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    expect(queued(page)).to_have_count(0)
    # The text is not kept as the draft of a new message.
    box.blur()
    box.focus()
    held.release()
    expect(box).to_have_value("first wording, changed")
    box.blur()
    gateway.until(lambda: drafts or page.wait_for_timeout(50), "the draft is kept")
    assert all("editingItemId" in draft for draft in drafts), drafts
    box.press("Enter")
    bob_gets(page, gateway, ["first wording, changed"])
    expect(item(page, "first wording, changed")).to_have_count(1)
    # The chat list has the newest message, so the edit of this message begins at once.
    visitor.write("the newest")
    expect(item(page, "the newest")).to_be_visible()
    bob_gets(page, gateway, ["first wording, changed", "the newest"])
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    wait_for_items(gateway, page)
    held = Held(page, "**/sessions/*/chat")
    page.get_by_role("link", name="bob").click()
    expect(page.get_by_role("heading", name="bob")).to_be_visible()
    box.press("ArrowUp")
    expect(box).to_have_value("the newest")
    # Escape ends the wait for an item too.
    box.press("Escape")
    gateway.bob_says("another answer")
    expect(item(page, "another answer")).to_be_visible()
    box.press("ArrowUp")
    expect(page.locator(".about")).to_contain_text("Editing")
    box.press("Escape")
    expect(page.locator(".about")).not_to_contain_text("Editing")
    held.release()
    wait_for_items(gateway, page)
    visitor.write("a new message")
    bob_gets(page, gateway, ["first wording, changed", "the newest", "a new message"])


def test_a_draft_of_an_edit_reads_a_message_that_is_not_loaded(visit, gateway):
    """The text of an edit stays an edit, although its message is above the items that the page has loaded."""
    place = f"direct/{gateway.bob}"
    texts, (first, second, *_), _ = draft_an_edit(gateway, place)
    visitor = visit()
    page = visitor.page
    held = Held(page, "**/chats/direct/*?around=*")
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    box = page.get_by_role("textbox", name="Message")
    expect(box).to_have_value("changed")
    box.press("Enter")
    expect(page.locator(".about")).to_contain_text("Editing")
    held.release()
    expect(page.locator(".about")).to_contain_text("message 0")
    # The draft is deleted, so that this deletion does not meet the next draft.
    with page.expect_response(lambda it: it.request.method == "DELETE" and "/drafts/" in it.url):
        box.press("Enter")
    is_changed = lambda: text_of(gateway, place, first) == "changed"
    gateway.until(lambda: is_changed() or page.wait_for_timeout(50), "the message is changed")
    # The text of the edit did not become a message of its own: bob has only the original texts.
    bob_gets(page, gateway, texts[-100:])
    # The message to which a draft replies is read too.
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    draft = {"message": "an answer", "quotedItemId": second}
    gateway.call("PUT", f"/v1/users/1/model/drafts/direct/{gateway.bob}", draft)
    expect(page.get_by_role("link", name="bob")).to_contain_text("an answer")
    page.get_by_role("link", name="bob").click()
    expect(page.locator(".about")).to_contain_text("message 1")
    box.press("Enter")
    gateway.until(lambda: "an answer" in received(gateway) or page.wait_for_timeout(50), "bob has the answer")
    bobs = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}?limit=1")["chat"]["chatItems"]
    assert bobs[-1]["quotedItem"]["content"]["text"] == "message 1"


def test_a_refused_edit_stays_an_edit_of_a_message_that_is_not_loaded(visit, gateway):
    """A refused edit waits for its message when it is edited again, and drops the text of another edit."""
    place = f"direct/{gateway.bob}"
    texts, (first, *_), draft = draft_an_edit(gateway, place)
    _, page, box = opened(visit, gateway)
    about = page.locator(".about")
    expect(about).to_contain_text("message 0")
    page.route("**/messages/*", refuse, times=1)
    box.press("Enter")
    expect(queued(page, "changed").get_by_role("alert")).to_have_text("It is too long.")
    box.press("ArrowUp")
    expect(box).to_have_value("message 119")
    held = Held(page, "**/chats/direct/*?around=*")
    queued(page, "changed").get_by_role("button", name="Edit").click()
    expect(box).to_have_value("changed")
    box.press("Enter")
    expect(about).to_contain_text("Editing")
    # The draft that is saved meanwhile is the draft of an edit.
    drafts = lambda: list(gateway.call("GET", "/v1/users/1/model")["model"]["drafts"].values())
    gateway.until(lambda: draft in drafts() or page.wait_for_timeout(50), "the draft is kept")
    held.release()
    expect(about).to_contain_text("message 0")
    expect(box).to_have_value("changed")
    box.press("Enter")
    expect(queued(page)).to_have_count(0)
    bob_gets(page, gateway, texts[-100:])
    is_changed = lambda: text_of(gateway, place, first) == "changed"
    gateway.until(lambda: is_changed() or page.wait_for_timeout(50), "the message is changed")


def test_an_edit_of_one_chat_does_not_wait_for_the_message_of_another(visit, gateway):
    """While the message of a draft is being read in one chat, the edit in another chat begins."""
    draft_an_edit(gateway, "local/1", "notes", "changed notes")
    draft_an_edit(gateway, f"direct/{gateway.bob}", "text", "changed text")
    visitor = visit()
    page = visitor.page
    held = Held(page, "**/chats/local/*?around=*")
    visitor.sign_in(place="#/1/local/1")
    box = page.get_by_role("textbox", name="Message")
    expect(box).to_have_value("changed notes")
    gateway.until(lambda: held.requests or page.wait_for_timeout(50), "the message of the notes is being read")
    page.get_by_role("link", name="bob").click()
    expect(page.locator(".about")).to_contain_text("text 0")
    expect(box).to_have_value("changed text")
    page.get_by_role("link", name="Private notes").click()
    held.release()
    expect(page.locator(".about")).to_contain_text("notes 0")
    expect(box).to_have_value("changed notes")


def test_an_edit_requests_an_unreadable_message_only_three_times(visit, gateway):
    """After three errors of the gateway, the message of an edit is not read again, and its text is not sent."""
    draft_an_edit(gateway, f"direct/{gateway.bob}")
    visitor, asked = visit(), []
    page = visitor.page
    visitor.awaits_outage = True

    def fail(route):
        asked.append(route.request.url)
        route.fulfill(status=500, json={"code": "internal", "detail": "It cannot be read."})

    page.route("**/chats/direct/*?around=*", fail)
    visitor.sign_in(place="#/1")
    expect(page.get_by_role("button", name="Profile alice")).to_be_visible()
    keep_notices(page)
    page.get_by_role("link", name="bob").click()
    box = page.get_by_role("textbox", name="Message")
    expect(box).to_have_value("changed")
    for number in range(6):
        gateway.bob_says(f"answer {number}")
        expect(item(page, f"answer {number}")).to_be_visible()
        gateway.until(lambda: len(asked) > min(number, 2), "the page asks again")
        if number == 2:
            expect(page.get_by_text("It cannot be read.")).to_have_count(1)
    assert len(asked) == 3, asked
    # The browser reports the errors too. These reports are expected.
    assert all("status of 500" in fault for fault in visitor.faults), visitor.faults
    visitor.faults.clear()
    box.press("Enter")
    expect(page.locator(".about")).to_contain_text("Editing")
    expect(queued(page)).to_have_count(0)


def test_the_text_of_an_edit_of_a_deleted_message_is_kept_with_a_notice(visit, gateway):
    """A notice says that the message is deleted, before its text can become a new message."""
    path = f"/v1/users/1/chats/direct/{gateway.bob}/messages"
    messages = [{"msgContent": {"type": "text", "text": "first wording"}, "mentions": {}}]
    sent = gateway.call("POST", path, {"composedMessages": messages})["chatItems"]
    first = sent[0]["chatItem"]["meta"]["itemId"]
    draft = {"message": "second wording", "editingItemId": first}
    gateway.call("PUT", f"/v1/users/1/model/drafts/direct/{gateway.bob}", draft)
    gateway.call("DELETE", f"{path}?itemIds={first}&mode=internal")
    visitor = visit()
    page = visitor.page
    # The browser may report that there is no such message. This report is no fault.
    visitor.awaits_outage = True
    visitor.sign_in(place="#/1")
    expect(page.get_by_role("button", name="Profile alice")).to_be_visible()
    keep_notices(page)
    page.get_by_role("link", name="bob").click()
    box = page.get_by_role("textbox", name="Message")
    expect(page.get_by_text("The edited message was deleted.")).to_be_visible()
    expect(box).to_have_value("second wording")
    expect(page.locator(".about")).not_to_contain_text("Editing")
