"""The web client in browsers that talk to each other over the gateway."""
import os
import pathlib
import sys

import browser
from browser import expect

# Files of a folder in place of those in the program.
FILES = pathlib.Path(os.environ["WEB_CLIENT_FILES"]) if "WEB_CLIENT_FILES" in os.environ else None
PICTURES = pathlib.Path(os.environ.get("WEB_CLIENT_PICTURES", "/nonexistent"))
ARGUMENTS = ["--disable-features=LocalNetworkAccessChecks"] if FILES else []


def picture(visitor, name):
    if PICTURES.is_dir():
        visitor.page.screenshot(path=PICTURES / f"{name}.png")


def first_start_to_first_message(chromium):
    with browser.NewGateway() as gateway:
        alice, bob = browser.Visitor(chromium, gateway, FILES), browser.Visitor(chromium, gateway, FILES)
        alice.open()
        expect(alice.page).to_have_title("SimpleX")
        alice.sign_in()
        alice.page.get_by_label("Name").fill("alice")
        picture(alice, "first-start")
        alice.page.get_by_role("button", name="Create profile").click()
        expect(alice.page.get_by_role("link", name="Private notes")).to_be_visible()

        bob.sign_in()
        bob.page.get_by_role("button", name="Profile alice").click()
        bob.page.get_by_role("button", name="New profile").click()
        bob.page.get_by_label("Name").fill("bob")
        bob.page.get_by_role("button", name="Create profile").click()
        expect(bob.page.get_by_role("button", name="Profile bob")).to_be_visible()

        alice.page.get_by_role("button", name="New chat").click()
        alice.page.get_by_role("button", name="Invite someone").click()
        expect(alice.page.get_by_alt_text("QR code of the link")).to_be_visible()
        picture(alice, "invitation")
        link = alice.page.locator("output.address").inner_text()
        alice.page.get_by_role("button", name="Close").click()

        bob.page.get_by_role("button", name="New chat").click()
        bob.page.get_by_role("button", name="Connect by a link").click()
        bob.page.get_by_role("textbox", name="Link").fill("https://example.org/")
        bob.page.get_by_role("button", name="Connect", exact=True).click()
        expect(bob.page.get_by_role("alert")).to_have_text("This is no SimpleX link.")
        bob.page.get_by_role("textbox", name="Link").fill(link)
        bob.page.get_by_role("button", name="Connect", exact=True).click()

        bob.page.get_by_role("link", name="alice").click()
        alice.page.get_by_role("link", name="bob").click()
        alice.write("hello *bob*")
        received = bob.page.locator("chat-item-view", has_text="hello bob").first
        expect(received.locator("strong")).to_have_text("bob")
        sent = alice.page.locator("chat-item-view", has_text="hello bob").first
        expect(sent.get_by_role("img", name="Delivered")).to_be_visible()

        act(bob, received, "Reply")
        bob.write("hello alice")
        expect(alice.page.locator("quote-view")).to_contain_text("hello bob")
        react(bob, received, "👍")
        expect(sent.locator(".reactions")).to_contain_text("👍")
        act(alice, sent, "Edit")
        alice.write("hello bob, edited")
        expect(bob.page.locator("framed-item-view", has_text="edited").get_by_role("img", name="Edited")).to_be_visible()
        alice.write("to be deleted")
        gone = bob.page.locator("chat-item-view", has_text="to be deleted")
        expect(gone).to_be_visible()
        act(alice, alice.page.locator("chat-item-view", has_text="to be deleted"), "Delete for everyone")
        alice.page.get_by_role("button", name="Delete", exact=True).click()
        expect(bob.page.locator("marked-deleted-item-view, deleted-item-view")).to_be_visible()
        picture(alice, "first-chat")
        alice.close()
        bob.close()


def act(visitor, item, name):
    item.hover()
    item.get_by_role("button", name="Actions").click()
    visitor.page.get_by_role("menuitem", name=name, exact=True).click()


def react(visitor, item, emoji):
    item.hover()
    item.get_by_role("button", name="Actions").click()
    visitor.page.get_by_role("menuitemcheckbox", name=f"React with {emoji}").click()


def keys(chromium):
    with browser.NewGateway() as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        # The browser itself reports what is refused.
        visitor.awaits_outage = True
        visitor.sign_in("sxgw_wrong")
        expect(visitor.page.get_by_role("alert").last).to_contain_text("This key is not valid")
        made = gateway.call("POST", "/v1/keys", {"name": "page"})
        gateway.call("POST", "/v1/users", {"profile": {"displayName": "alice", "fullName": ""}})
        visitor.sign_in(made["key"])
        expect(visitor.page.get_by_role("button", name="Profile alice")).to_be_visible()
        assert visitor.page.evaluate("localStorage.length") == 0
        gateway.call("DELETE", f"/v1/keys/{made['record']['keyId']}")
        expect(visitor.page.get_by_role("alert").first).to_contain_text("The gateway takes this key no longer")
        assert visitor.page.evaluate("sessionStorage.length") == 0
        visitor.sign_in()
        visitor.page.get_by_role("button", name="Profile alice").click()
        visitor.page.get_by_role("button", name="Sign out", exact=True).click()
        expect(visitor.page.get_by_label("Key")).to_be_visible()
        visitor.page.reload()
        expect(visitor.page.get_by_label("Key")).to_be_visible()
        visitor.close()


HOSTILE = [
    "<img src=x onerror=window.hit=1>", "<script>window.hit=1</script>", "\"><svg onload=window.hit=1>", "javascript:window.hit=1", "<a href='javascript:window.hit=1'>x</a>",
    "{{constructor.constructor('window.hit=1')()}}", "${window.hit=1}", "</textarea><iframe srcdoc='<script>parent.hit=1</script>'>", "&lt;b&gt;", "__proto__", "\u202eevil\u2066",
    "data:text/html,<script>window.hit=1</script>", "<style>*{display:none}</style>",
]
PICTURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGNg4JVSN3FkYBdR1LP2AAAJhAGxrQ27vwAAAABJRU5ErkJggg=="
# Elements that no message makes.
FORBIDDEN = "script:not([src$='/main.js']), iframe, object, embed, style, base, meta[http-equiv], form[action], [onerror], [onload], a[href^='javascript' i], a[href^='data' i]"


def hostile_strings(chromium):
    with browser.support.Gateway() as gateway:
        card = {"uri": "javascript:window.hit=1", "title": HOSTILE[0], "description": HOSTILE[1], "image": "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9J3dpbmRvdy5oaXQ9MScvPg=="}
        contents = [{"type": "text", "text": text} for text in HOSTILE]
        contents += [
            {"type": "link", "text": HOSTILE[2], "preview": card}, {"type": "link", "text": "card", "preview": {**card, "uri": "https://example.org/"}},
            {"type": "image", "text": HOSTILE[0], "image": "data:text/html;base64,PHNjcmlwdD53aW5kb3cuaGl0PTE8L3NjcmlwdD4="}, {"type": "image", "text": "", "image": "javascript:window.hit=1"},
            {"type": "file", "text": HOSTILE[1]}, *[{"type": "image", "text": "", "image": PICTURE}] * 3, {"type": "newer", "text": HOSTILE[0], "html": HOSTILE[1]}, {"type": "text", "text": "[https://bank.example](javascript:window.hit=1) `<b>` #<i>#"},
        ]
        for content in contents:
            gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/messages", {"composedMessages": [{"msgContent": content, "mentions": {}}]})
        gateway.call("PUT", "/v1/users/2/profile", {"profile": {"displayName": "b <b onclick=hit=1>", "fullName": HOSTILE[0], "shortDescr": HOSTILE[1], "image": "javascript:window.hit=1"}})
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "a <u>group", "fullName": HOSTILE[0], "description": HOSTILE[2], "image": "data:image/svg+xml,<svg/>"}})
        gateway.bob_says("the last one")

        visitor = browser.Visitor(chromium, gateway, FILES)
        visitor.sign_in(place="#/1")
        visitor.page.get_by_role("link", name="the last one").click()
        expect(visitor.page.locator("chat-item-view", has_text="the last one")).to_be_visible()
        # All that came is read from its first item on; what is drawn later, as pictures are, moves nothing away from the end.
        expect(visitor.page.locator(".day.unread")).to_be_visible()
        visitor.page.get_by_role("button", name="To the last message").click()
        expect(visitor.page.locator("img.picture")).to_have_count(3)
        expect(visitor.page.locator("chat-item-view", has_text="the last one")).to_be_in_viewport()
        shown = visitor.page.locator(".items").inner_text()
        for text in HOSTILE:
            assert text in shown, text
        assert "kind that this page does not know" in shown
        picture(visitor, "hostile")
        visitor.page.get_by_role("button", name="Details of the chat").click()
        expect(visitor.page.get_by_role("dialog")).to_contain_text(HOSTILE[0])
        visitor.page.keyboard.press("Escape")
        visitor.page.get_by_role("link", name="a <u>group").click()
        expect(visitor.page.get_by_role("heading", name="a <u>group")).to_be_visible()
        assert visitor.page.evaluate("window.hit") is None
        assert visitor.page.locator(FORBIDDEN).count() == 0
        assert group["groupInfo"]["groupId"]
        visitor.close()


def killed_and_started(chromium):
    with browser.support.Gateway() as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        for _ in range(4):
            gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/messages", {"composedMessages": [{"msgContent": {"type": "image", "text": "", "image": PICTURE}, "mentions": {}}]})
        gateway.bob_says("below the pictures")
        visitor.sign_in(place="#/1")
        visitor.page.get_by_role("link", name="below the pictures").click()
        expect(visitor.page.get_by_role("textbox", name="Message")).to_be_visible()
        expect(visitor.page.locator("img.picture")).to_have_count(4)
        expect(visitor.page.locator("chat-item-view", has_text="below the pictures")).to_be_in_viewport()
        gateway.bob_says("before")
        expect(visitor.page.locator(".items")).to_contain_text("before")
        visitor.page.evaluate("window.isTheSamePage = true")
        visitor.awaits_outage = True
        gateway.process.kill()
        gateway.process.wait(30)
        expect(visitor.page.get_by_text("Offline.")).to_be_visible()
        gateway.start()
        gateway.bob_says("after")
        expect(visitor.page.locator(".items")).to_contain_text("after")
        expect(visitor.page.locator(".items")).to_contain_text("before")
        expect(visitor.page.get_by_text("Offline.")).to_be_hidden()
        visitor.write("here again")
        expect(visitor.page.locator("chat-item-view", has_text="here again").get_by_role("img", name="Delivered")).to_be_visible()
        assert visitor.page.evaluate("window.isTheSamePage")
        visitor.close()


TESTS = [first_start_to_first_message, keys, hostile_strings, killed_and_started]

if __name__ == "__main__":
    passed = 0
    with browser.chromium(*ARGUMENTS) as chromium:
        for test in TESTS:
            if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
                continue
            try:
                test(chromium)
            except BaseException:
                for context in chromium.contexts:
                    for page in context.pages:
                        print(page.url, page.locator("body").inner_text(), sep="\n")
                        picture(type("Visitor", (), {"page": page}), "failed")
                raise
            passed += 1
            print("passed:", test.__name__)
    print(f"{passed} passed, 0 failed")
