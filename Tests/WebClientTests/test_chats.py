"""Tests of the chat list, and of reading a chat."""

import json
import re
import time

import pytest
from browser import expect
from groups import Group
from playwright.sync_api import Error as PlaywrightError
from steps import (
    DOCUMENTS,
    HOSTILE,
    PICTURE,
    check,
    close_dialogs,
    keep_notices,
    listed,
    picture,
    row_in_details,
    save,
    say,
    setting,
    visible_line_numbers,
    wait_for_items,
)


def test_reading_searching_and_jumping_skip_no_message(visit, gateway):
    for part in range(6):
        say(
            gateway,
            2,
            f"direct/{gateway.alice}",
            *[
                {"type": "text", "text": f"line {part * 40 + line}" + (" needle" if part + line == 0 else "")}
                for line in range(40)
            ],
        )
    say(
        gateway,
        2,
        f"direct/{gateway.alice}",
        {
            "type": "link",
            "text": "a link",
            "preview": {"uri": "https://example.org/", "title": "card", "description": "", "image": ""},
        },
    )
    gateway.bob_says("the last one")
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place="#/1")
    page.get_by_role("link", name="the last one").click()
    # A chat with many unread items opens at the first of them, with a page of items around it.
    expect(page.locator(".day.unread")).to_be_in_viewport()
    page.get_by_role("button", name="To the last message").click()
    expect(page.locator("chat-item-view", has_text="the last one")).to_be_in_viewport()
    # Visible items are marked as read. A button leads to the first of the other unread items, where the user continues.
    stats = lambda: next(
        chat["chatStats"]
        for chat in gateway.call("GET", "/v1/users/1/model")["model"]["chats"]
        if chat["chatInfo"]["type"] == "direct"
    )
    stored = lambda: gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}?limit=500")["chat"]["chatItems"]
    # The statistics that the page shows, with the items that it has marked as read and not reported yet.
    shown = f"async () => (await ({DOCUMENTS})()).model.chats.find(it => it.chatInfo.type == 'direct').chatStats"
    before = {}

    def is_visible_part_read():
        nonlocal before
        page.wait_for_timeout(1000)
        unread = {it["meta"]["itemText"] for it in stored() if it["meta"]["itemStatus"]["type"] == "rcvNew"}
        before, last = stats(), before
        is_read = not unread & {f"line {line}" for line in visible_line_numbers(page)}
        return is_read and before == last == page.evaluate(shown)

    gateway.until(is_visible_part_read, "what was in sight is read")
    first = before["minUnreadItemId"]
    assert 0 < before["unreadCount"] < 242, before
    page.get_by_role("button", name="To the first unread message").click()
    expect(page.locator(f"#item{first}")).to_be_in_viewport()
    expect(page.locator(f"#item{first}")).to_be_focused()
    # No item between the items read at the beginning and at the end was skipped.
    items = stored()
    position = [item["meta"]["itemId"] for item in items].index(first)
    assert all(item["meta"]["itemStatus"]["type"] != "rcvNew" for item in items[:position])
    assert items[position]["meta"]["itemText"].startswith("line "), items[position]
    page.get_by_role("button", name="To the last message").click()
    expect(page.locator("chat-item-view", has_text="the last one")).to_be_in_viewport()
    page.get_by_role("button", name="Search messages").click()
    page.get_by_role("searchbox", name="Search messages").fill("needle")
    # The mark of a found item disappears after a moment, so the page records it.
    page.evaluate("""() => {
        window.found = ""
        const note = changes => { window.found += changes.map(it => it.target.matches(".found") ? it.target.textContent : "") }
        new MutationObserver(note).observe(document.body, { subtree: true, attributeFilter: ["class"] })
    }""")
    page.get_by_role("dialog").get_by_role("button", name="line 0 needle").click()
    gateway.until(lambda: "line 0 needle" in page.evaluate("window.found"), "the found item is marked")
    expect(page.locator("chat-item-view", has_text="line 0 needle")).to_be_in_viewport()
    # The steps begin at this item: scrolling must load all items across the gap, without jumps.
    scroller = page.locator("chat-view .scroller")
    for line in range(20, 240, 20):
        row = page.locator("chat-item-view").get_by_text(f"line {line}", exact=True)

        def is_there():
            if row.count():
                try:
                    row.scroll_into_view_if_needed(timeout=1000)
                    return True
                except PlaywrightError:
                    # The list has replaced the row meanwhile, so the test looks for it again.
                    return False
            scroller.evaluate(
                """(it, line) => {
                const shown = [...it.querySelectorAll("chat-item-view")].map(row => Number(/line ([0-9]+)/.exec(row.textContent)?.[1] ?? line))
                it.scrollBy(0, Math.min(...shown) > line ? -500 : 500)
            }""",
                line,
            )
            page.wait_for_timeout(100)

        gateway.until(is_there, f"line {line} is there")
    numbers = page.locator("chat-item-view").evaluate_all("rows => rows.map(row => Number(row.dataset.itemId))")
    assert numbers == sorted(set(numbers)), numbers
    page.get_by_role("button", name="Search messages").click()
    page.get_by_role("button", name="🔗 Link").click()
    expect(page.locator(".profiles.found li")).to_have_count(1)
    page.get_by_role("searchbox", name="Search messages").fill("nowhere")
    expect(page.get_by_text("Nothing found.").last).to_be_visible()


def test_details_of_a_contact_can_be_changed(visit, gateway):
    alice = visit()
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")

    row_in_details(page, "Set contact name").click()
    page.get_by_label("Only you see it").fill("my friend")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("chat-view").get_by_role("heading", name="my friend")).to_be_visible()
    # The panel shows the new name.
    expect(page.locator(".panel").get_by_role("heading", name="my friend")).to_be_visible()
    row_in_details(page, "Add to list").click()
    page.get_by_label("New list").fill("close")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="close", exact=True).click()
    expect(page.get_by_role("link", name="my friend")).to_be_visible()
    expect(page.get_by_role("link", name="Private notes")).to_have_count(0)
    page.get_by_role("button", name="close", exact=True).click()
    row_in_details(page, "Contact preferences").click()
    page.get_by_label("Voice messages").select_option("no")
    page.get_by_role("button", name="Save").click()
    gateway.until(
        lambda: (
            not gateway.call("GET", "/v1/users/2/contacts")["contacts"][0]["mergedPreferences"]["voice"]["enabled"][
                "forUser"
            ]
        ),
        "bob knows",
    )
    expect(page.get_by_role("button", name="Record voice message")).to_be_hidden()
    row_in_details(page, "Delete messages after").get_by_role("combobox").select_option("604800")
    row_in_details(page, "Verify security code").click()
    page.get_by_role("button", name="Mark verified").click()
    expect(page.locator(".panel").get_by_role("button", name="View security code")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    contact = lambda: gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"]
    gateway.until(lambda: contact()["chatItemTTL"] == 604800, "the time is set")
    gateway.until(lambda: contact()["activeConn"].get("connectionCode"), "it is verified")


def test_a_picture_in_the_details_leads_to_its_message(visit, gateway):
    """On a narrow window, the details cover the chat, and a picture in the details leads to its message."""
    content = {"type": "image", "image": PICTURE, "text": "a picture"}
    say(gateway, 2, f"direct/{gateway.alice}", content)
    gateway.until(lambda: "a picture" in gateway.texts(1, f"direct/{gateway.bob}"), "alice has the picture")
    say(gateway, 1, f"direct/{gateway.bob}", *[{"type": "text", "text": f"line {line}"} for line in range(60)])
    alice = visit(viewport={"width": 380, "height": 760})
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    details = page.get_by_role("button", name="Details of the chat")
    details.click()
    panel = page.locator(".panel")
    expect(panel.get_by_text("bob")).to_have_count(1)
    assert panel.bounding_box()["width"] == 380
    check(page, "details")
    panel.locator(".pictures button").click()
    expect(panel).to_have_count(0)
    expect(page.locator("chat-item-view", has_text="a picture")).to_be_in_viewport()
    row_in_details(page, "Images").click()
    expect(page.locator(".profiles.found li")).to_have_count(1)
    close_dialogs(page)
    # The panel shows changes, and is closed with its chat.
    row_in_details(page, "Mute").click()
    expect(panel.get_by_role("button", name="Unmute")).to_be_visible()
    page.evaluate("location.hash = '#/1'")
    expect(panel).to_have_count(0)


def test_the_title_counts_unread_messages_of_the_open_profile_only(visit, gateway):
    gateway.bob_says("for alice")
    say(gateway, 1, f"direct/{gateway.bob}", *[{"type": "text", "text": f"line {line}"} for line in range(2)])
    alice = visit()
    alice.sign_in(place="#/1")
    expect(alice.page).to_have_title("(1) SimpleX")
    expect(alice.page.get_by_role("img", name="2 unread in other profiles")).to_be_visible()


def test_the_search_of_the_side_bar_finds_messages_and_accepts_links(visit, gateway):
    """The search finds messages of all chats, opens a found message, and offers to connect by a link."""
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "needlework", "fullName": ""}})[
        "groupInfo"
    ]["groupId"]
    say(gateway, 1, f"group/{group}", {"type": "text", "text": "<b>NEEDLE</b> in the group"})
    long = "a long message " * 9 + "with a needle at its end"
    say(gateway, 2, f"direct/{gateway.alice}", {"type": "text", "text": long})
    say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": f"line {line}"} for line in range(80)])
    gateway.until(lambda: "line 79" in gateway.texts(1, f"direct/{gateway.bob}"), "alice has all messages")
    visitor = visit()
    page, asked = visitor.page, []
    page.on("request", lambda request: asked.append(request.url))
    visitor.sign_in(place="#/1")
    search, hits = page.get_by_role("searchbox", name="Search chats and messages"), page.locator(".hits li")
    search.fill("needle")
    expect(hits).to_have_count(2)
    of_bob, of_group = hits.filter(has_text="bob"), hits.filter(has_text="needlework")
    expect(of_bob.locator("mark")).to_have_text("needle")
    expect(of_bob.locator(".preview")).to_contain_text("…")
    expect(of_group.locator(".preview mark")).to_have_text("NEEDLE")
    expect(of_group.locator(".preview")).to_have_text("you: <b>NEEDLE</b> in the group")
    expect(page.locator("chat-preview-view mark")).to_have_text("needle")
    check(page, "found messages")
    # The filter of chats also applies to found messages. If it includes none of the newest messages, older messages are
    # read.
    chip = page.get_by_role("button", name="Groups", exact=True)
    chip.click()
    expect(hits).to_have_count(1)
    expect(of_group).to_be_visible()
    search.fill("e")
    expect(of_group).to_be_visible()
    expect(of_bob).to_have_count(0)
    search.fill("needle")
    chip.click()
    expect(hits).to_have_count(2)
    picture(visitor, "found-messages")
    of_bob.get_by_role("link").click()
    expect(page.locator("chat-item-view", has_text="with a needle at its end")).to_be_in_viewport()
    # A failed search shows its reason, and the next search succeeds.
    visitor.awaits_outage = True
    page.route("**/v1/users/1/messages?*", lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
    search.fill("line 7")
    expect(page.locator(".others")).to_contain_text("The gateway is not ready yet.")
    page.unroute("**/v1/users/1/messages?*")
    search.fill("line 70")
    expect(hits).to_have_count(1)
    search.fill("nowhere")
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    # The enter key opens the first result.
    search.fill("line 42")
    expect(hits).to_have_count(1)
    search.press("Enter")
    expect(page.locator("chat-item-view").get_by_text("line 42", exact=True)).to_be_in_viewport()
    # A link is not searched. It opens the dialog that connects.
    link = gateway.call("POST", "/v1/users/2/connections/invitations", {})["connLinkInvitation"]["connShortLink"]
    asked.clear()
    search.fill(f"  {link} ")
    page.get_by_role("button", name="Connect by this link").click()
    expect(page.get_by_role("dialog").locator(".profile")).to_contain_text("bob")
    expect(search).to_have_value("")
    page.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert not any("search=" in url for url in asked), asked
    expect(listed(page, "bob")).to_have_count(2)


@pytest.mark.gateway(is_new=True)
def test_empty_lists_show_an_illustration(visit, gateway):
    gateway.call("POST", "/v1/users", {"profile": {"displayName": "alice", "fullName": ""}})
    visitor = visit()
    page = visitor.page
    visitor.open()
    expect(page.locator("main.gate img.logo")).to_be_visible()
    assert page.locator("img.logo").evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    visitor.sign_in(place="#/1")
    expect(page.locator("main .hint img.logo")).to_be_visible()
    empty = page.locator("chat-list-view .empty:visible")
    expect(empty).to_contain_text("No chats yet.")
    expect(empty.locator("svg.illustration")).to_be_visible()
    picture(visitor, "no-chats")
    page.get_by_role("searchbox", name="Search chats").fill("nowhere")
    expect(empty).to_have_text("Nothing found.")
    expect(empty.locator("svg.illustration")).to_be_visible()
    page.get_by_role("searchbox", name="Search chats").fill("")
    page.get_by_role("link", name="Private notes").click()
    expect(page.locator("chat-view .empty")).to_have_text("No messages yet.")
    expect(page.locator("chat-view .empty svg.illustration")).to_be_visible()
    check(page, "empty parts")


def test_a_notice_does_not_cover_the_message_field(visit, gateway):
    alice = visit()
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    field = page.get_by_role("textbox", name="Message")
    expect(field).to_be_visible()

    def refuse(route):
        if route.request.method == "PATCH":
            return route.fulfill(status=400, json={"code": "chatError", "detail": "It is not ready yet."})
        return route.continue_()

    page.route(f"**/chats/direct/{gateway.bob}", refuse)
    alice.awaits_outage = True
    keep_notices(page)
    row_in_details(page, "Mute").click()
    notice = page.locator(".notices p", has_text="not ready yet").bounding_box()
    box = page.locator(".foot").bounding_box()
    assert notice["y"] >= box["y"] + box["height"], (notice, box)


def test_a_profile_and_its_preferences_can_be_changed(visit, gateway):
    alice = visit()
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    setting(page, "Your current profile").click()
    page.get_by_label("About you").fill("here and there")
    save(page)
    gateway.until(
        lambda: (
            gateway.call("GET", "/v1/users/2/contacts")["contacts"][0]["profile"].get("shortDescr") == "here and there"
        ),
        "bob sees it",
    )
    setting(page, "Delete messages after").get_by_role("combobox").select_option("86400")
    gateway.until(lambda: gateway.call("GET", "/v1/users/1/ttl")["chatItemTTL"] == 86400, "it is set")
    close_dialogs(page)
    setting(page, "Chat preferences").click()
    page.get_by_label("Audio/video calls").select_option("no")
    page.get_by_role("button", name="Save").click()
    gateway.until(
        lambda: gateway.call("GET", "/v1/users/1")["user"]["fullPreferences"]["calls"]["allow"] == "no", "it is set"
    )


def test_a_contact_is_deleted_without_and_with_the_conversation(visit, gateway):
    # For the contrast of a name behind the dialog, axe would use a button of the dialog as the background. So the test
    # hides the name behind messages.
    lines = [{"type": "text", "text": f"line {line}"} for line in range(20)]
    say(gateway, 1, f"direct/{gateway.bob}", *lines)
    alice = visit()
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")

    def delete(messages):
        row_in_details(page, "Delete contact").click()
        page.get_by_role("combobox", name="Messages", exact=True).select_option(messages)
        page.get_by_label("Tell the contact").uncheck()
        check(page, "delete a contact")
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("dialog")).to_have_count(0)

    contact = listed(page, "bob")
    delete("stay here")
    contact.click()
    expect(page.locator(".foot")).to_have_text("You have deleted the connection.")
    delete("are deleted here")
    expect(page.locator("chat-preview-view")).to_have_count(1)
    gateway.until(lambda: gateway.call("GET", "/v1/users/1/contacts")["contacts"] == [], "the contact is deleted")


def test_the_chat_list_is_searched_filtered_and_used_with_the_keyboard(visit, gateway):
    """The list is searched and filtered, also by tags and favourites. The arrow keys lead to other chats."""
    for name in ("anvil", "birch", "cedar"):
        gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": name, "fullName": f"The {name}"}})
    gateway.bob_says("news")
    visitor = visit()
    page, chats = visitor.page, visitor.page.locator("chat-preview-view .name")
    visitor.sign_in(place="#/1")
    names = lambda: [name.split("\n")[0].strip("★🔕 ") for name in chats.all_inner_texts()]
    gateway.until(lambda: names() == ["bob", "cedar", "birch", "anvil", "Private notes"], "the list is there")
    page.get_by_role("searchbox", name="Search chats").fill("the BIR")
    gateway.until(lambda: names() == ["birch"], "one is found")
    page.get_by_role("searchbox", name="Search chats").fill("nobody")
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    page.get_by_role("searchbox", name="Search chats").fill("")
    page.get_by_role("button", name="Unread").click()
    gateway.until(lambda: names() == ["bob"], "the unread one is shown")
    page.get_by_role("button", name="Unread").click()
    page.get_by_role("button", name="Groups").click()
    gateway.until(lambda: names() == ["cedar", "birch", "anvil"], "the groups are shown")
    page.get_by_role("button", name="Groups").click()
    listed(page, "anvil").click()
    row_in_details(page, "Favorite").click()
    expect(page.get_by_role("img", name="Favorite")).to_be_visible()
    page.get_by_role("button", name="Favorites").click()
    gateway.until(lambda: names() == ["anvil"], "the favourite is shown")
    page.get_by_role("button", name="Favorites").click()
    # A tag shows its unread count. Frequent actions work without opening the chat.
    tag = gateway.call("POST", "/v1/users/1/tags", {"text": "friends", "emoji": "🌳"})["userTags"][0]["chatTagId"]
    gateway.call("PATCH", f"/v1/users/1/chats/direct/{gateway.bob}", {"tagIds": [tag]})
    chip = page.get_by_role("button", name="🌳 friends")
    expect(chip.get_by_role("img", name="1 unread")).to_be_visible()
    for entry, sign, count in (
        ("Mark read", "1 unread", 0),
        ("Mark unread", "marked unread", 1),
        ("Mark read", "marked unread", 0),
        ("Mute", "Muted", 1),
        ("Unmute", "Muted", 0),
    ):
        listed(page, "bob").click(button="right")
        check(page, "menu of a chat")
        page.get_by_role("menuitem", name=entry, exact=True).click()
        expect(page.locator("chat-list-view .rows").get_by_role("img", name=sign)).to_have_count(count)
    expect(chip.get_by_role("img")).to_have_count(0)
    listed(page, "Private notes").click(button="right")
    expect(page.get_by_role("menuitem")).to_have_text(["Mark unread"])
    page.keyboard.press("Escape")
    # The arrow keys move through the list, and Enter opens a chat.
    listed(page, "bob").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    wanted = names()[2]
    expect(listed(page, wanted)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=wanted)).to_be_visible()


def test_a_chat_opens_at_its_first_unread_message(visit, gateway):
    """A chat opens at its first unread item, whichever of its two documents arrives first."""
    contents = [{"msgContent": {"type": "text", "text": f"line {line}"}, "mentions": {}} for line in range(140)]
    gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/messages", {"composedMessages": contents[:70]})
    gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/messages", {"composedMessages": contents[70:]})
    gateway.bob_says("the last one")
    # The list of profiles shows the numbers of unread messages at the time of its request.
    gateway.until(lambda: "the last one" in gateway.texts(1, f"direct/{gateway.bob}"), "alice has all messages")
    visitor = visit()
    page = visitor.page
    visitor.sign_in()
    expect(page.get_by_role("img", name="141 unread")).to_be_visible()
    # The page would mark visible messages as read. The test answers these requests itself, so that all messages stay
    # unread for the next steps.
    page.route("**/messages/read", lambda route: route.fulfill(json={"type": "cmdOk"}))
    for late in ("**/v1/users/1/model", "**/v1/users/1/sessions", None):
        if late:
            page.route(late, lambda route: (page.wait_for_timeout(700), route.fallback()), times=1)
        page.goto(f"{gateway.url}/app#/1/direct/{gateway.bob}")
        page.reload()
        expect(page.locator(".day.unread")).to_be_in_viewport()
        expect(page.locator("chat-item-view", has_text="line 0")).to_be_in_viewport()


def test_an_unused_invitation_and_a_missing_chat_have_no_search(visit, gateway):
    made = gateway.call("POST", "/v1/users/1/connections/invitations", {})["connection"]
    alice = visit()
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    search = page.get_by_role("button", name="Search messages")
    expect(search).to_be_visible()
    # The browser reports the answer 404 for the missing chat.
    alice.awaits_outage = True
    places = {f"connection/{made['pccConnId']}": "Your invitation waits", "direct/999": "This chat is not here"}
    for place, note in places.items():
        page.evaluate("place => { location.hash = `#/1/${place}` }", place)
        expect(page.locator(".foot")).to_contain_text(note)
        expect(search).to_have_count(0)
        page.keyboard.press("Control+Shift+F")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_notice_vanishes_after_six_seconds(visit, gateway):
    visitor = visit()
    page = visitor.page
    page.clock.install()
    visitor.sign_in(place="#/1")
    expect(listed(page, "bob")).to_be_visible()
    page.clock.pause_at(time.time() + 60)
    page.evaluate("""async () => {
        const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
        const { say } = await import(`${files}elements/dialogs.js`)
        say("it works")
    }""")
    notice = page.locator(".notices p", has_text="it works")
    page.clock.fast_forward(5_900)
    expect(notice).to_be_visible()
    page.clock.fast_forward(200)
    expect(notice).to_have_count(0)


def test_a_press_opens_the_chat_although_the_list_changes_meanwhile(visit, gateway):
    visitor = visit()
    page = visitor.page
    page.clock.install()
    visitor.sign_in(place="#/1")
    chat = listed(page, "bob")
    note = {"msgContent": {"type": "text", "text": "a note"}, "mentions": {}}
    gateway.call("POST", "/v1/users/1/chats/local/1/messages", {"composedMessages": [note]})
    expect(listed(page, "Private notes")).to_contain_text("a note")
    chat.hover()
    # The clock of the page is stopped, so that the time limit of a press does not depend on the speed of the machine.
    page.clock.pause_at(time.time() + 60)
    page.mouse.down()
    gateway.bob_says("meanwhile")
    newest = f"async () => (await ({DOCUMENTS})()).model.chats[0].chatItems[0].meta.itemText"
    gateway.until(lambda: page.evaluate(newest) == "meanwhile" or page.wait_for_timeout(50), "the page has the message")
    expect(chat).not_to_contain_text("meanwhile")
    page.mouse.up()
    page.clock.resume()
    expect(page.get_by_role("heading", name="bob")).to_be_visible()
    expect(chat).to_contain_text("meanwhile")


# A script that shows events of members in the open chat, as the session would have them.
JOIN = """async names => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { app } = await import(`${files}model/app.js`)
    const [newest] = app.session.im.reversedChatItems
    const joined = names.map((displayName, index) => ({
        chatDir: {
            type: "groupRcv",
            groupMember: { groupMemberId: 900 + index, memberRole: "member", memberProfile: { displayName } },
        },
        meta: {
            ...newest.meta, itemId: newest.meta.itemId + 1 + index, itemText: "connected",
            itemStatus: { type: "rcvRead" },
        },
        content: { type: "rcvGroupEvent", rcvGroupEvent: { type: "memberConnected" } }, reactions: [],
    })).reverse()
    // A change of the session, such as a read mark, keeps the events.
    let session = app.session
    const having = im => ({ ...im, reversedChatItems: [...joined, ...im.reversedChatItems] })
    Object.defineProperty(app, "session", {
        set(now) { session = now }, get: () => session && { ...session, im: having(session.im) },
    })
    app.emit("session")
}"""


def test_deleted_messages_and_new_members_are_folded_into_rows(visit, gateway):
    """Consecutive items of the same kind are folded into a row that the user can open. Folded items count as read."""
    chat = f"direct/{gateway.alice}"
    sent = [say(gateway, 2, chat, {"type": "text", "text": f"spam {number}"})[0] for number in range(3)]
    gateway.bob_says("still here")
    ids = ",".join(str(it["chatItem"]["meta"]["itemId"]) for it in sent)
    gateway.call("DELETE", f"/v1/users/2/chats/{chat}/messages?itemIds={ids}&mode=broadcast")
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    row = page.get_by_role("button", name="3 deleted messages")
    expect(row).to_be_visible()
    expect(page.get_by_text("marked as deleted").locator("visible=true")).to_have_count(0)
    expect(page.get_by_role("img", name="unread")).to_have_count(0)
    row.press("Enter")
    expect(page.locator("marked-deleted-item-view:visible")).to_have_count(3)
    expect(page.locator("chat-item-view:focus")).to_contain_text("marked as deleted")
    expect(row).to_have_count(0)
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})
    page.evaluate(f"location.hash = '#/1/group/{group['groupInfo']['groupId']}'")
    expect(page.get_by_role("heading", name="team")).to_be_visible()
    wait_for_items(gateway, page)
    page.evaluate(JOIN, ["anna", HOSTILE[10], HOSTILE[0], "dora", "__proto__"])
    row = page.get_by_role("button", name=re.compile("anna.* and 3 members.* joined"))
    expect(row).to_be_visible()
    assert "\u202e" not in row.inner_text()
    row.click()
    expect(page.locator("ci-event-view:visible", has_text=HOSTILE[0])).to_be_visible()
    assert page.evaluate("window.hit") is None


def test_gaps_between_loaded_items_load_during_scrolling(visit, gateway):
    """A gap between loaded items is filled when the user scrolls to the gap, without a press."""
    notes = next(
        chat["chatInfo"]["noteFolder"]["noteFolderId"]
        for chat in gateway.call("GET", "/v1/users/1/model")["model"]["chats"]
        if chat["chatInfo"]["type"] == "local"
    )
    made = []
    for start in range(0, 500, 100):
        contents = [{"type": "text", "text": f"note {start + line}"} for line in range(100)]
        made += say(gateway, 1, f"local/{notes}", *contents)
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place=f"#/1/local/{notes}")
    expect(page.locator("chat-item-view").get_by_text("note 499", exact=True)).to_be_in_viewport()
    wait_for_items(gateway, page)
    page.evaluate("id => document.querySelector('chat-view').goTo(id)", made[20]["chatItem"]["meta"]["itemId"])
    expect(page.locator("chat-item-view").get_by_text("note 20", exact=True)).to_be_in_viewport()
    gap = page.locator("[data-gap]").last
    expect(gap).to_be_attached()
    seen = set()

    def arrives():
        page.locator("chat-view .scroller").evaluate("it => it.scrollBy(0, 300)")
        page.wait_for_timeout(50)
        seen.update(visible_line_numbers(page))
        return 499 in seen

    gateway.until(arrives, "the end is in sight", seconds=240)
    assert set(range(30, 500)) <= seen, sorted(set(range(30, 500)) - seen)


def test_badges_of_supporters_are_shown_beside_names(visit, gateway):
    """The badge of a contact is in the list and in the header, and the badge of a member in the group."""
    group = Group(gateway, "team").add_bob()
    group.say(2, "from a member", query="")
    group.received(1, "from a member")
    badge = {"badge": {"badgeType": "legend", "badgeExtra": ""}, "status": "active"}
    visitor = visit()
    page = visitor.page

    def with_badge(value):
        if isinstance(value, list):
            return [with_badge(each) for each in value]
        if not isinstance(value, dict):
            return value
        more = {"localBadge": badge} if value.get("displayName") == "bob" and "fullName" in value else {}
        return {name: with_badge(each) for name, each in value.items()} | more

    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, json=with_badge(response.json()))

    for path in ("**/v1/users/1/model", "**/sessions/*/chat", "**/groups/*/members"):
        page.route(path, answer)

    def follow(socket):
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(json.dumps(with_badge(json.loads(message)))))

    page.route_web_socket("**/v1/changes/**", follow)
    visitor.sign_in(place=f"#/1/{group.place(1)}")
    preview = page.locator("chat-preview-view", has=page.locator(".name", has_text="bob"))
    expect(preview.get_by_role("img", name="Legend")).to_be_visible()
    sender = page.locator("chat-item-view", has_text="from a member").get_by_role("button", name="bob")
    expect(sender.get_by_role("img", name="Legend")).to_be_visible()
    page.get_by_role("button", name="Details of the chat").click()
    expect(page.locator(".members li", has_text="bob").get_by_role("img", name="Legend")).to_be_visible()
    check(page, "badges of members")
    picture(visitor, "badges")
    # Groups have no badges.
    expect(page.locator("chat-view header").get_by_role("img", name="Legend")).to_have_count(0)
    page.get_by_role("button", name="Close", exact=True).click()
    for status, name in {
        "expired": "Legend · expired",
        "failed": "Legend · could not be verified",
        "unknownKey": "Legend · not verified",
    }.items():
        badge["status"] = status
        page.reload()
        expect(preview.get_by_role("img", name=name)).to_be_visible()
    preview.get_by_role("link").click()
    expect(page.locator("chat-view header").get_by_role("img", name="Legend · not verified")).to_be_visible()
    badge["status"] = "expiredOld"
    page.reload()
    expect(page.locator("chat-view header h2")).to_contain_text("bob")
    expect(page.get_by_role("img", name="Legend")).to_have_count(0)
