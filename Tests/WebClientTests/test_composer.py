"""Tests of the field for a message."""

import base64
import http.server
import json
import struct
import threading
import urllib.request
import zlib

import browser
import pytest
from browser import expect
from groups import Group
from steps import PICTURE, check, close_dialogs, keep_notices, listed, picture, setting


class Site(http.server.BaseHTTPRequestHandler):
    """A web site of another party: a page with a picture."""

    asked = []

    def do_GET(self):
        Site.asked.append(self.path)
        page = b"<title>x</title><meta property='og:title' content='An &lt;b&gt;article'><meta property='og:description' content='What it is about'><meta property='og:image' content='/p.png'>"
        body = base64.b64decode(PICTURE.split(",")[1]) if self.path == "/p.png" else page
        self.send_response(200)
        self.send_header("Content-Type", "image/png" if self.path == "/p.png" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.gateway("--no-file-relay", "--link-previews", "--link-preview-allow", "127.0.0.1")
def test_link_previews_need_the_consent_of_gateway_and_user(visit, gateway):
    """The gateway makes previews of links only if it was started with `--link-previews` and the user has enabled
    previews.
    """
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{site.server_port}/article"
    with browser.support.Gateway("--no-file-relay") as silent:
        alice, bob = visit(), visit()
        page, box = alice.page, alice.page.get_by_role("textbox", name="Message")
        alice.sign_in(place=f"#/1/direct/{gateway.bob}")
        bob.sign_in(place=f"#/2/direct/{gateway.alice}")

        def make_cards(page):
            setting(page, "Send link previews").get_by_role("switch").click()
            expect(page.get_by_role("dialog").last).to_contain_text("learn the address of the gateway")
            page.get_by_role("button", name="Allow").click()
            close_dialogs(page)

        # By default no preview is requested. The draft is saved when the user has stopped typing.
        box.fill(f"look: {address}.")
        gateway.until(lambda: gateway.call("GET", "/v1/users/1/model")["model"]["drafts"], "the draft is kept")
        alice.write(f"look: {address}.")
        expect(bob.page.locator("chat-item-view", has_text="look:")).to_be_visible()
        assert not Site.asked, Site.asked
        make_cards(page)
        box.fill(f"read this: {address}.")
        expect(page.locator(".about")).to_contain_text("An <b>article")
        picture(alice, "link-card")
        box.press("Enter")
        card = bob.page.locator("ci-link-view")
        expect(card.locator(".title")).to_have_text("An <b>article")
        expect(card.locator(".description")).to_have_text("What it is about")
        expect(card.locator(".host")).to_have_text(f"127.0.0.1:{site.server_port}")
        expect(card.locator("img")).to_have_js_property("naturalWidth", 2)
        assert Site.asked == ["/article", "/p.png"], Site.asked
        # A removed preview is not sent, and not requested again.
        box.fill(f"once more: {address}")
        page.get_by_role("button", name="Send no card").click()
        box.press("Enter")
        expect(bob.page.locator("chat-item-view", has_text="once more")).to_be_visible()
        expect(card).to_have_count(1)
        alice.close()
        bob.close()

        other = visit(silent)
        other.awaits_outage = True
        other.sign_in(place=f"#/1/direct/{silent.bob}")
        expect(other.page.get_by_role("textbox", name="Message")).to_be_visible()
        make_cards(other.page)
        keep_notices(other.page)
        other.page.get_by_role("textbox", name="Message").fill(address)
        expect(other.page.get_by_text("started without --link-previews")).to_be_visible()
        other.write(address)
        expect(other.page.locator("chat-item-view", has_text=address)).to_be_visible()
        assert len(Site.asked) == 4, Site.asked
        other.close()
    site.shutdown()


def test_mentions_are_chosen_from_a_list(visit, gateway):
    gateway.call("PUT", "/v1/users/2/profile", {"profile": {"displayName": "Bob de Vries", "fullName": ""}})
    group = Group(gateway).add_bob()
    # No other user sees an alias of a contact, so a mention must use the name in the profile.
    gateway.call("PATCH", f"/v1/users/1/contacts/{gateway.bob}", {"alias": "grumpy"})
    alice, bob = visit(), visit()
    bob.sign_in(place="#/2")
    alice.sign_in(place=f"#/1/{group.place(1)}")
    page, box = alice.page, alice.page.get_by_role("textbox", name="Message")
    box.press_sequentially("hello @vr")
    expect(page.get_by_role("option", name="Bob de Vries")).to_have_attribute("aria-selected", "true")
    check(page, "mentions")
    picture(alice, "mentions")
    box.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    box.press("Backspace")
    box.press("Enter")
    expect(box).to_have_value("hello @'Bob de Vries' ")
    box.press_sequentially("and all")
    box.press("Enter")
    expect(page.locator("chat-item-view", has_text="and all").locator(".mention")).to_have_text("@Bob de Vries")
    expect(listed(bob.page, "team").get_by_role("img", name="1 mention")).to_be_visible()
    # A longer name that begins in the same way is another name.
    box.fill("@'Bob de Vriesland' is nobody")
    box.press("Enter")
    expect(page.locator("chat-item-view", has_text="is nobody")).to_be_visible()
    expect(listed(bob.page, "team").get_by_role("img", name="2 unread")).to_be_visible()
    expect(listed(bob.page, "team").get_by_role("img", name="1 mention")).to_be_visible()


def two_people(visit, gateway):
    """Opens the chat of alice and bob in two browsers. Returns both browsers and the field of alice."""
    alice, bob = visit(), visit()
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    bob.sign_in(place=f"#/2/direct/{gateway.alice}")
    box = alice.page.get_by_role("textbox", name="Message")
    expect(box).to_be_visible()
    expect(bob.page.get_by_role("textbox", name="Message")).to_be_visible()
    return alice, bob, box


def test_a_message_is_sent_as_a_disappearing_message(visit, gateway):
    for user, other in ((1, gateway.bob), (2, gateway.alice)):
        gateway.call(
            "PATCH",
            f"/v1/users/{user}/contacts/{other}",
            {"preferences": {"timedMessages": {"allow": "yes"}}},
        )

    def are_allowed():
        contact = gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"]
        return all(contact["mergedPreferences"]["timedMessages"]["enabled"].values())

    gateway.until(are_allowed, "alice knows that bob allows it")
    alice, bob, box = two_people(visit, gateway)
    page = alice.page
    box.fill("gone after a minute")
    page.get_by_role("button", name="Other ways to send").click()
    page.get_by_role("menuitem", name="Disappears after 1 minute").click()
    expect(
        bob.page.locator("chat-item-view", has_text="gone after a minute").get_by_role(
            "img", name="Disappears after a time"
        )
    ).to_be_visible()
    sent = gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}")["chat"]["chatItems"][-1]
    assert sent["meta"]["itemTimed"]["ttl"] == 60, sent["meta"]
    # The next message does not disappear.
    alice.write("for ever")
    expect(page.locator("chat-item-view.sent", has_text="for ever")).to_be_visible()
    assert (
        "itemTimed"
        not in gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}")["chat"]["chatItems"][-1]["meta"]
    )


def test_a_live_message_is_shown_while_it_is_written(visit, gateway):
    alice, bob, box = two_people(visit, gateway)
    page = alice.page
    box.fill("I am")
    page.get_by_role("button", name="Other ways to send").click()
    page.get_by_role("menuitem", name="Live message").click()
    theirs = bob.page.locator("chat-item-view", has_text="I am")
    expect(theirs).to_contain_text("LIVE")
    box.press_sequentially(" still writing")
    expect(theirs).to_contain_text("I am still writing")
    expect(theirs).to_contain_text("LIVE")
    picture(alice, "live")
    box.press_sequentially(", and done")
    box.press("Enter")
    expect(theirs).to_contain_text("I am still writing, and done")
    expect(theirs).not_to_contain_text("LIVE")
    expect(box).to_have_value("")
    # Opening another chat ends the live message.
    box.fill("cut")
    page.get_by_role("button", name="Other ways to send").click()
    page.get_by_role("menuitem", name="Live message").click()
    expect(bob.page.locator("chat-item-view", has_text="cut")).to_contain_text("LIVE")
    listed(page, "Private notes").click()
    expect(bob.page.locator("chat-item-view", has_text="cut")).not_to_contain_text("LIVE")


# Presses the Enter key with a key code. Input methods handle the key code 229.
ENTER = """keyCode => {
    const event = new KeyboardEvent("keydown", { key: "Enter", keyCode, bubbles: true })
    document.activeElement.dispatchEvent(event)
}"""


def test_the_enter_key_of_an_input_method_does_not_send_the_message(visit, gateway):
    """The key that ends a composition of Safari's input methods does not send the message."""
    visitor = visit()
    page, box = visitor.page, visitor.page.get_by_role("textbox", name="Message")
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    box.fill("日本")
    page.evaluate(ENTER, 229)
    expect(box).to_have_value("日本")
    page.evaluate(ENTER, 13)
    expect(box).to_have_value("")
    expect(page.locator("chat-item-view", has_text="日本")).to_be_visible()


def test_the_enter_key_of_an_input_method_opens_no_search_result(visit, gateway):
    """The key that ends a composition of an input method opens no chat that was found, and inserts no emoji."""
    visitor = visit()
    page, box = visitor.page, visitor.page.get_by_role("textbox", name="Message")
    visitor.sign_in(place="#/1")
    page.get_by_role("searchbox", name="Search").fill("bob")
    page.evaluate(ENTER, 229)
    expect(page.get_by_text("Choose a chat")).to_be_visible()
    page.evaluate(ENTER, 13)
    expect(box).to_be_visible()
    page.get_by_role("button", name="Emojis", exact=True).click()
    search = page.get_by_role("searchbox", name="Search emojis")
    search.fill("rocket")
    expect(page.get_by_role("dialog", name="Emojis").get_by_role("button", name="🚀").first).to_be_visible()
    page.evaluate(ENTER, 229)
    expect(search).to_be_visible()
    expect(box).to_have_value("")
    page.evaluate(ENTER, 13)
    expect(box).to_have_value("🚀")


def png(width, height):
    """Returns a picture in one colour. Few bytes describe even many pixels."""
    rows = zlib.compressobj()
    line = bytes(1 + (width + 7) // 8)
    body = b"".join(rows.compress(line * min(1000, height - top)) for top in range(0, height, 1000)) + rows.flush()
    part = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", body) + part(b"IEND", b"")


def file(name, body, kind="image/png"):
    return {"name": name, "mimeType": kind, "buffer": body}


@pytest.mark.gateway("--file-relay-port", "0")
def test_attached_files_have_previews(visit, gateway):
    """Attached files are shown before they are sent. The text of the message is the caption of the last file."""
    alice, bob, box = two_people(visit, gateway)
    page = alice.page
    tray = page.get_by_role("list", name="Attached files")
    files = [file("wide.png", png(300, 100)), file("tall <b>.png", png(100, 300)), file("report.pdf", b"x" * 5000, "")]
    page.locator("input[type=file]").set_input_files(files)
    expect(tray.get_by_role("listitem")).to_have_count(3)
    expect(tray.locator("canvas")).to_have_count(2)
    expect(tray.get_by_role("listitem").last).to_contain_text("report.pdf")
    expect(tray.get_by_role("listitem").last).to_contain_text("4.9 kB")
    expect(box).to_have_attribute("placeholder", "Caption")
    check(page, "attached files")
    picture(alice, "attached")
    page.get_by_role("button", name="Do not send report.pdf").click()
    expect(tray.get_by_role("listitem")).to_have_count(2)
    # The focus stays in the list.
    expect(page.get_by_role("button", name="Do not send tall <b>.png")).to_be_focused()
    # A removed file can be attached again.
    page.locator("input[type=file]").set_input_files(files[2])
    expect(tray.get_by_role("listitem")).to_have_count(3)
    page.get_by_role("button", name="Do not send report.pdf").click()
    alice.write("two pictures")
    expect(tray).to_have_count(0)
    expect(box).to_have_attribute("placeholder", "Message")
    expect(bob.page.locator("ci-image-view")).to_have_count(2)
    items = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"][-2:]
    assert [item["content"]["msgContent"]["text"] for item in items] == ["", "two pictures"], items
    # Files of a chat that was left are not attached in the next chat.
    page.locator("input[type=file]").set_input_files(files)
    expect(tray.get_by_role("listitem")).to_have_count(3)
    listed(page, "Private notes").click()
    expect(tray).to_have_count(0)


@pytest.mark.gateway("--file-relay-port", "0")
def test_too_many_files_are_refused_and_too_large_pictures_are_sent_as_files(visit, gateway):
    """The page reports omitted files, and sends a picture with too many pixels as a file, without a preview."""
    alice, bob, box = two_people(visit, gateway)
    page = alice.page
    tray, over = page.get_by_role("list", name="Attached files"), page.locator(".dropping")
    drag = """([event, count]) => {
        const dataTransfer = new DataTransfer()
        for (let number = 0; number < count; number++) dataTransfer.items.add(new File(["x"], `file ${number}.txt`))
        const options = { dataTransfer, bubbles: true, cancelable: true }
        return document.querySelector("chat-view .items").dispatchEvent(new DragEvent(event, options))
    }"""
    keep_notices(page)
    # The page handles the event, so that the browser does not open the file.
    assert page.evaluate(drag, ["dragover", 500]) is False
    expect(over).to_have_text("Drop the files to attach them")
    page.evaluate(drag, ["dragleave", 500])
    expect(over).to_have_count(0)
    page.evaluate(drag, ["dragover", 500])
    assert page.evaluate(drag, ["drop", 500]) is False
    expect(over).to_have_count(0)
    expect(page.locator(".notices")).to_contain_text("A message takes 10 files at most. 490 files are left out.")
    expect(tray.get_by_role("listitem")).to_have_count(10)
    for _ in range(10):
        tray.get_by_role("button").first.click()
    expect(tray).to_have_count(0)
    expect(box).to_be_focused()
    # A file beside the chat is not opened by the browser either.
    beside = """() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(["x"], "page.html"))
        return document.querySelector("nav").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
    }"""
    assert page.evaluate(beside) is False
    pictures = [file("long.png", png(30_000, 20)), file("huge.png", png(30_000, 30_000))]
    page.locator("input[type=file]").set_input_files(pictures)
    expect(tray.get_by_role("listitem")).to_have_count(2)
    expect(tray.get_by_role("listitem").last).to_contain_text("sent as a file: it has more than 64 million pixels")
    expect(tray.locator("canvas")).to_have_count(1)
    alice.write("here they are")
    expect(bob.page.locator("ci-file-view")).to_contain_text("huge.png")
    expect(bob.page.locator("ci-image-view")).to_have_count(1)


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_received_picture_of_too_many_pixels_is_not_drawn(visit, gateway):
    """A peer's picture with too many pixels is not drawn, and the page says that it cannot be shown."""
    request = urllib.request.Request(
        f"{gateway.url}/v1/users/2/files?name=huge.png",
        data=png(30_000, 30_000),
        headers={"Authorization": f"Bearer {gateway.key}", "Content-Type": "application/octet-stream"},
        method="POST",
    )
    source = json.loads(urllib.request.urlopen(request).read())["fileSource"]
    content = {"type": "image", "text": "", "image": PICTURE}
    gateway.call(
        "POST",
        f"/v1/users/2/chats/direct/{gateway.alice}/messages",
        {"composedMessages": [{"msgContent": content, "mentions": {}, "fileSource": source}]},
    )
    visitor = visit()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    shown = visitor.page.locator("ci-image-view")
    expect(shown).to_contain_text("This picture cannot be shown here.")
    expect(shown.locator("button.picture")).to_have_count(0)


def test_emojis_are_found_by_words_and_recent_emojis_come_first(visit, gateway):
    """Emojis are found by words with the keyboard alone, and recently used emojis come first."""
    alice, bob, box = two_people(visit, gateway)
    page = alice.page
    box.fill("well ")
    page.get_by_role("button", name="Emojis", exact=True).click()
    picker = page.get_by_role("dialog", name="Emojis")
    search = picker.get_by_role("searchbox", name="Search emojis")
    expect(search).to_be_focused()
    expect(picker.get_by_role("group", name="Smileys")).to_be_visible()
    check(page, "emojis")
    picture(alice, "emojis")
    assert picker.locator(".emojiGrid button").count() > 500
    page.keyboard.type("thumbs up")
    expect(picker.locator(".emojiGrid button")).to_have_count(1)
    page.keyboard.press("Enter")
    search.fill("rocket")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    search.fill("no such thing")
    expect(picker.get_by_role("status")).to_have_text("No emoji has such a name.")
    page.keyboard.press("Escape")
    expect(picker).to_be_hidden()
    expect(box).to_be_focused()
    expect(box).to_have_value("well 👍🚀")
    # The arrow keys move between rows and within a row.
    page.get_by_role("button", name="Emojis", exact=True).click()
    recent = picker.get_by_role("group", name="Used last").get_by_role("button")
    expect(recent).to_have_count(2)
    page.keyboard.press("ArrowDown")
    expect(recent.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(recent.last).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(picker.get_by_role("group", name="Smileys").get_by_role("button").nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    box.press("Enter")
    expect(bob.page.locator("chat-item-view", has_text="well 👍🚀")).to_be_visible()
    # The list also works if the storage of the browser cannot be used.
    page.evaluate("""() => {
        const { getItem } = Storage.prototype
        Storage.prototype.setItem = () => { throw new DOMException("refused") }
        Storage.prototype.getItem = function (name) {
            if (name.endsWith("emojis")) throw new DOMException("refused")
            return getItem.call(this, name)
        }
    }""")
    page.get_by_role("button", name="Emojis", exact=True).click()
    search.fill("clapping")
    page.keyboard.press("Enter")
    expect(box).to_have_value("👏")
