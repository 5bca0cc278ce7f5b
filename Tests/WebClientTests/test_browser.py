"""The web client in browsers that talk to each other over the gateway."""
import base64
import calendar
import http.server
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import browser
import first_steps
import reading
import sending
import zstandard
from axe_playwright_python.sync_playwright import Axe
from browser import FILES, expect
from playwright.sync_api import Error as PlaywrightError

axe = Axe()

# Folder of screenshots for people.
PICTURES = pathlib.Path(os.environ.get("WEB_CLIENT_PICTURES", browser.support.ROOT / ".build/web-client-pictures"))
ARGUMENTS = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--allow-loopback-in-peer-connection", *(["--disable-features=LocalNetworkAccessChecks"] if FILES else [])]


def picture(visitor, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    visitor.page.screenshot(path=PICTURES / f"{name}.png")


def first_start_to_first_message(chromium):
    with browser.NewGateway() as gateway:
        alice, bob = browser.Visitor(chromium, gateway, FILES), browser.Visitor(chromium, gateway, FILES)
        alice.open()
        expect(alice.page).to_have_title("SimpleX")
        expect(alice.page.get_by_label("Key")).to_be_visible()
        # On a machine that does other things too the best of some visits counts.
        paints = []
        for _ in range(4):
            alice.page.reload()
            expect(alice.page.get_by_label("Key")).to_be_visible()
            paints.append(gateway.until(lambda: alice.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime"), "it is painted"))
        print(f"first paint after {min(paints):.0f} ms")
        assert min(paints) < 1000, paints
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
        # The chat begins with whose it is.
        expect(bob.page.locator(".items > :first-child")).to_have_text(re.compile("^A?aliceContact$"))
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
        # A press on a command of a bot writes it into the field.
        bob.write("say /help or nothing")
        alice.page.get_by_role("button", name="/help").click()
        expect(alice.page.get_by_role("textbox", name="Message")).to_have_value("/help")
        alice.page.get_by_role("textbox", name="Message").fill("")
        # The focus stays when a message arrives.
        details = alice.page.get_by_role("button", name="Details of the chat")
        details.focus()
        bob.write("one more")
        expect(alice.page.locator("chat-item-view", has_text="one more")).to_be_visible()
        expect(details).to_be_focused()
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
        expired = gateway.call("POST", "/v1/keys", {"name": "short", "expiresIn": 1})
        gateway.until(lambda: time.time() > calendar.timegm(time.strptime(expired["record"]["expires"][:19], "%Y-%m-%dT%H:%M:%S")) + 1, "it has expired")
        for key in ("sxgw_wrong", expired["key"]):
            visitor.sign_in(key)
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
    with browser.support.Gateway("--no-file-relay") as gateway:
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
    with browser.support.Gateway("--no-file-relay") as gateway:
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
        expect(visitor.page.locator("chat-item-view", has_text="after")).to_be_in_viewport()
        expect(visitor.page.locator(".items")).to_contain_text("before")
        expect(visitor.page.get_by_text("Offline.")).to_be_hidden()
        visitor.write("here again")
        expect(visitor.page.locator("chat-item-view", has_text="here again").get_by_role("img", name="Delivered")).to_be_visible()
        assert visitor.page.evaluate("window.isTheSamePage")
        visitor.close()


def links_that_sign_in(chromium):
    with browser.support.Gateway("--no-file-relay") as gateway:
        def link(*more):
            arguments = ["web", "--url", gateway.url, "--data", str(gateway.folder / "data"), *more]
            return subprocess.run([browser.support.PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout.split()[-1]

        first, second, used = (browser.Visitor(chromium, gateway, FILES) for _ in range(3))
        address = link()
        first.page.goto(address)
        # The key of the link is not in the address of the page, and the history does not lead back to it.
        expect(first.page).to_have_url(f"{gateway.url}/app")
        first.page.get_by_role("button", name="Sign in").click()
        expect(first.page.get_by_role("heading", name="Choose a profile")).to_be_visible()
        used.awaits_outage = True
        used.page.goto(address)
        used.page.get_by_role("button", name="Sign in").click()
        expect(used.page.get_by_role("alert").last).to_contain_text("used already, or has expired")
        # Another link in the same tab changes only the fragment.
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
        second.page.get_by_role("button", name="Profile alice").click()
        second.page.get_by_role("button", name="Sign out all browsers").click()
        expect(second.page.get_by_label("Key")).to_be_visible()
        first.page.reload()
        expect(first.page.get_by_label("Key")).to_be_visible()
        # Only its own key stays: that of the file.
        gateway.until(lambda: [key["name"] for key in gateway.call("GET", "/v1/keys")["keys"]].count("Web client") == 0, "the keys are gone")
        first.close()
        second.close()


def scripts(chromium):
    """The served scripts are those of the source, without comments and long names."""
    source = browser.support.ROOT / "Sources/WebClient/client"
    with browser.NewGateway() as gateway:
        served = gateway.folder / "served"
        served.mkdir()
        page = urllib.request.urlopen(f"{gateway.url}/app").read().decode()
        for address in re.findall(r'href="(app/\w+/(\w+\.js))"', page):
            (served / address[1]).write_bytes(urllib.request.urlopen(f"{gateway.url}/{address[0]}").read())
        subprocess.run(["node", browser.FOLDER / "same-program.cjs", source, served], check=True, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})


def hidden_profiles_and_lock(chromium):
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        visitor.sign_in(place="#/1")
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Hide this profile").click()
        page.get_by_label("Password").fill("the hidden one")
        page.get_by_role("button", name="Hide this profile").click()
        # Alice was not the active one: now nobody sees her.
        expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
        page.get_by_role("button", name="Profile bob").click()
        page.get_by_role("button", name="Open a hidden profile").click()
        page.get_by_label("Password").fill("a wrong one")
        visitor.awaits_outage = True
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("alert").last).to_have_text("No profile has this password.")
        page.get_by_label("Password").fill("the hidden one")
        page.get_by_role("button", name="Open", exact=True).click()
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="bob", exact=True).click()
        page.get_by_role("button", name="Profile bob").click()
        assert "alice" not in page.get_by_role("dialog").inner_text()

        # One that has a number far from all others is found as well.
        for number in range(3, 12):
            gateway.call("POST", "/v1/users", {"profile": {"displayName": f"profile {number}", "fullName": ""}})
        gateway.call("POST", "/v1/users/2/activate", {})
        gateway.call("POST", "/v1/users/11/hide", {"viewPwd": "the far one"})
        for number in range(3, 11):
            gateway.call("DELETE", f"/v1/users/{number}")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Profile bob").click()
        page.get_by_role("button", name="Open a hidden profile").click()
        page.get_by_label("Password").fill("the far one")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.get_by_role("button", name="Profile profile 11")).to_be_visible()
        page.get_by_role("button", name="Profile profile 11").click()
        page.get_by_role("button", name="bob", exact=True).click()
        # A malformed address leads to the profiles.
        page.evaluate("location.hash = '#/%'")
        expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
        page.get_by_role("button", name="Profile bob").click()

        page.get_by_role("button", name="Set a password").click()
        page.get_by_label("From then on it opens the store").fill("opens the store")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Profile bob").click()
        page.get_by_role("button", name="Lock now").click()
        expect(page.get_by_role("heading", name="Locked")).to_be_visible()
        page.get_by_label("Password of the app").fill("wrong")
        page.get_by_role("button", name="Unlock").click()
        expect(page.get_by_role("alert").last).not_to_be_empty()
        page.get_by_label("Password of the app").fill("opens the store")
        # After a wrong one nothing is tried for a moment.
        unlock = page.get_by_role("button", name="Unlock")
        expect(page.get_by_role("button", name="Profile bob").or_(unlock)).to_be_visible()
        while unlock.is_visible():
            page.evaluate("document.querySelector('form button')?.click()")
            page.wait_for_timeout(500)
        expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
        visitor.close()


def say(gateway, user, place, *contents, query="", **more):
    return gateway.call("POST", f"/v1/users/{user}/chats/{place}/messages{query}", {"composedMessages": [{"msgContent": content, "mentions": {}} for content in contents], **more})["chatItems"]


def lines_in_sight(page):
    """The numbers of the lines that are in the window."""
    return page.evaluate("""() => {
        const { top, bottom } = document.querySelector("chat-view .scroller").getBoundingClientRect()
        const texts = [...document.querySelectorAll("chat-view msg-content-view")].filter(text => text.getBoundingClientRect().bottom > top && text.getBoundingClientRect().top < bottom)
        return texts.map(text => Number(/^(?:line|note) ([0-9]+)/.exec(text.textContent)?.[1] ?? -1))
    }""")


def search_and_jumps(chromium):
    with browser.support.Gateway("--no-file-relay") as gateway:
        for part in range(6):
            say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": f"line {part * 40 + line}" + (" needle" if part + line == 0 else "")} for line in range(40)])
        say(gateway, 2, f"direct/{gateway.alice}", {"type": "link", "text": "a link", "preview": {"uri": "https://example.org/", "title": "card", "description": "", "image": ""}})
        gateway.bob_says("the last one")
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        visitor.sign_in(place="#/1")
        page.get_by_role("link", name="the last one").click()
        # A chat with many unread items opens at the first of them; the first page is around it.
        expect(page.locator(".day.unread")).to_be_in_viewport()
        page.get_by_role("button", name="To the last message").click()
        expect(page.locator("chat-item-view", has_text="the last one")).to_be_in_viewport()
        # Visible items are read. The first of the others is led to, and it is where reading goes on.
        stats = lambda: next(chat["chatStats"] for chat in gateway.call("GET", "/v1/users/1/model")["model"]["chats"] if chat["chatInfo"]["type"] == "direct")
        before = {}

        def is_quiet():
            nonlocal before
            before, last = stats(), before
            return before == last or page.wait_for_timeout(1000)

        gateway.until(is_quiet, "what was in sight is read")
        first = before["minUnreadItemId"]
        assert 0 < before["unreadCount"] < 242, before
        page.get_by_role("button", name="To the first unread message").click()
        expect(page.locator(f"#item{first}")).to_be_in_viewport()
        expect(page.locator(f"#item{first}")).to_be_focused()
        # Between what is read at the beginning and what is read at the end there is nothing that was skipped.
        items = gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}?count=500")["chat"]["chatItems"]
        position = [item["meta"]["itemId"] for item in items].index(first)
        assert all(item["meta"]["itemStatus"]["type"] != "rcvNew" for item in items[:position])
        assert items[position]["meta"]["itemText"].startswith("line "), items[position]
        page.get_by_role("button", name="To the last message").click()
        expect(page.locator("chat-item-view", has_text="the last one")).to_be_in_viewport()
        page.get_by_role("button", name="Search messages").click()
        page.get_by_role("searchbox", name="Search messages").fill("needle")
        page.get_by_role("dialog").get_by_role("button", name="line 0 needle").click()
        expect(page.locator("chat-item-view.found", has_text="line 0 needle")).to_be_visible()
        expect(page.locator("chat-item-view", has_text="line 0 needle")).to_be_in_viewport()
        # From there on all is loaded, across the gap, without jumps.
        scroller = page.locator("chat-view .scroller")
        for line in range(20, 240, 20):
            row = page.locator("chat-item-view").get_by_text(f"line {line}", exact=True)

            def is_there():
                if row.count():
                    try:
                        row.scroll_into_view_if_needed(timeout=1000)
                        return True
                    except PlaywrightError:
                        # The list has replaced the row meanwhile.
                        return False
                scroller.evaluate("""(it, line) => {
                    const shown = [...it.querySelectorAll("chat-item-view")].map(row => Number(/line ([0-9]+)/.exec(row.textContent)?.[1] ?? line))
                    it.scrollBy(0, Math.min(...shown) > line ? -500 : 500)
                }""", line)
                page.wait_for_timeout(100)

            gateway.until(is_there, f"line {line} is there")
        numbers = page.locator("chat-item-view").evaluate_all("rows => rows.map(row => Number(row.dataset.itemId))")
        assert numbers == sorted(set(numbers)), numbers
        page.get_by_role("button", name="Search messages").click()
        page.get_by_role("button", name="🔗 Link").click()
        expect(page.locator(".profiles.found li")).to_have_count(1)
        page.get_by_role("searchbox", name="Search messages").fill("nowhere")
        expect(page.get_by_text("Nothing found.").last).to_be_visible()
        visitor.close()


def groups(chromium):
    with browser.support.Gateway("--no-file-relay") as gateway:
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
        alice = browser.Visitor(chromium, gateway, FILES, permissions=["clipboard-read", "clipboard-write"])
        page = alice.page
        alice.sign_in(place=f"#/1/group/{group}")

        def details():
            page.get_by_role("button", name="Details of the chat").click()

        page.get_by_role("button", name="Add a member").click()
        page.get_by_role("dialog").last.get_by_role("button", name="bob").click()
        invited = gateway.until(lambda: gateway.call("GET", "/v1/users/2/groups")["groups"], "bob is invited")[0]
        bobs = (invited.get("groupInfo") or invited)["groupId"]
        gateway.call("POST", f"/v1/users/2/groups/{bobs}/join")
        gateway.until(lambda: gateway.call("GET", f"/v1/users/2/groups/{bobs}/members")["group"]["members"][0]["memberStatus"] in ("connected", "complete"), "bob is in")
        alice.write("hello team")
        hello = page.locator("chat-item-view", has_text="hello team")
        expect(hello.get_by_role("img", name="Delivered")).to_be_visible()
        # The menu of a reaction names its authors.
        theirs = gateway.until(lambda: [i for i in gateway.call("GET", f"/v1/users/2/chats/group/{bobs}")["chat"]["chatItems"] if i["meta"]["itemText"] == "hello team"], "bob has it")[0]
        gateway.call("POST", f"/v1/users/2/chats/group/{bobs}/items/{theirs['meta']['itemId']}/reactions", {"add": True, "reaction": {"type": "emoji", "emoji": "🚀"}})
        react(alice, hello, "🚀")
        expect(hello.locator(".reactions")).to_have_text("🚀 2")
        hello.locator(".reactions button").click(button="right")
        expect(page.get_by_role("menuitem")).to_have_text(["bob", "you"])
        check(page, "who has reacted")
        page.get_by_role("menuitem", name="bob").click()
        expect(page.get_by_role("dialog", name="bob")).to_be_visible()
        page.keyboard.press("Escape")

        # The settings of the group, with the review of those who join.
        details()
        page.get_by_role("button", name="Edit the group").click()
        page.get_by_label("Name").first.fill("the team")
        page.get_by_label("Moderators let new members in").check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="the team")).to_be_visible()
        details()
        page.get_by_role("button", name="What is allowed").click()
        page.get_by_role("checkbox", name="Reactions").uncheck()
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/2/groups/{bobs}")["groupInfo"]["fullGroupPreferences"]["reactions"]["enable"] == "off", "bob knows")

        # A member gets another role.
        details()
        page.get_by_role("button", name="bob").last.click()
        page.get_by_role("button", name="Change the role").click()
        page.get_by_role("combobox", name="Role").select_option("moderator")
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/2/groups/{bobs}")["groupInfo"]["membership"]["memberRole"] == "moderator", "bob is a moderator")

        # Somebody joins by the link, and is let in after a conversation.
        # The browser itself reports the missing link.
        alice.awaits_outage = True
        page.get_by_role("button", name="Group link").click()
        page.get_by_role("button", name="Create address").click()
        link = page.locator("output.address").inner_text()
        page.get_by_role("button", name="Close").last.click()
        gateway.call("POST", "/v1/users", {"profile": {"displayName": "carol", "fullName": ""}})
        gateway.call("POST", "/v1/users/3/connections", {"connLink": link})
        gateway.until(lambda: [m for m in gateway.call("GET", f"/v1/users/1/groups/{group}/members")["group"]["members"] if m["memberStatus"] == "pending_review"], "carol waits")
        carols = gateway.until(lambda: gateway.call("GET", "/v1/users/3/groups")["groups"], "carol has the group")[0]
        carols = (carols.get("groupInfo") or carols)["groupId"]
        gateway.until(lambda: gateway.call("GET", f"/v1/users/3/groups/{carols}")["groupInfo"]["membership"]["memberStatus"] == "pending_review", "carol knows it")
        say(gateway, 3, f"group/{carols}", {"type": "text", "text": "please let me in"}, query="?scope=support")
        details()
        page.get_by_role("button", name="carol").last.click()
        page.get_by_role("button", name="Conversation with the moderators").click()
        expect(page.get_by_role("dialog")).to_contain_text("please let me in")
        page.get_by_role("dialog").get_by_role("textbox").fill("who are you?")
        page.get_by_role("button", name="Send").last.click()
        expect(page.get_by_role("dialog").locator("chat-item-view", has_text="who are you?")).to_be_visible()
        picture(alice, "support")
        # Actions on an item in the dialog show in the dialog; the list behind does not choose it.
        within, mine = page.get_by_role("dialog").last, page.get_by_role("dialog").locator("chat-item-view", has_text="who are you?")
        mine.hover()
        mine.get_by_role("button", name="Actions").click()
        assert "Select" not in within.get_by_role("menu").inner_text()
        within.get_by_role("menuitem", name="Copy").click()
        expect(within.get_by_text("Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == "who are you?"
        # Without a clipboard the old way works; a notice reports when that fails too.
        page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('none') } }")
        theirs = page.get_by_role("dialog").locator("chat-item-view", has_text="please let me in")
        act(alice, theirs, "Copy")
        gateway.until(lambda: page.evaluate("navigator.clipboard.readText()") == "please let me in", "it is copied")
        page.evaluate("() => { document.execCommand = () => false }")
        act(alice, theirs, "Copy")
        expect(within.get_by_text("The browser does not allow copying.")).to_be_visible()
        act(alice, mine, "Info")
        expect(page.get_by_role("dialog", name="Info")).to_be_visible()
        page.keyboard.press("Escape")
        act(alice, mine, "Delete for everyone")
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(mine).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(1)
        page.keyboard.press("Escape")
        details()
        page.get_by_role("button", name="carol").last.click()
        page.get_by_role("button", name="Let in").click()
        page.get_by_role("button", name="Let in").last.click()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/3/groups/{carols}")["groupInfo"]["membership"]["memberStatus"] == "connected", "carol is in")

        # A report.
        expect(page.get_by_role("dialog")).to_have_count(1)
        page.keyboard.press("Escape")
        alice.write("something to report")
        picture(alice, "group")
        theirs = gateway.until(lambda: [i for i in gateway.call("GET", f"/v1/users/3/chats/group/{carols}")["chat"]["chatItems"] if i["meta"]["itemText"] == "something to report"], "carol has it")[0]
        gateway.call("POST", f"/v1/users/3/groups/{carols}/items/{theirs['meta']['itemId']}/reports", {"reportReason": "spam", "reportText": "it is spam"})
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/chats/group/{group}?contentTag=report")["chat"]["chatItems"], "the report has come")
        expect(page.get_by_role("img", name="1 report")).to_be_visible()
        page.get_by_role("button", name="Reports", exact=True).click()
        expect(page.locator("chat-preview-view")).to_have_count(1)
        page.get_by_role("button", name="Reports", exact=True).click()
        details()
        page.get_by_role("button", name="Reports of members").click()
        expect(page.get_by_role("dialog")).to_contain_text("it is spam")
        act(alice, page.get_by_role("dialog").locator("chat-item-view", has_text="it is spam"), "Mark as dealt with")
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/chats/group/{group}?contentTag=report")["chat"]["chatItems"][0]["meta"].get("itemDeleted"), "it is dealt with alone")
        page.get_by_role("button", name="Mark all as dealt with").click()
        expect(page.get_by_role("img", name="1 report")).to_have_count(0)
        expect(page.get_by_role("button", name="Reports", exact=True)).to_have_count(0)
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/chats/group/{group}?contentTag=report")["chat"]["chatItems"][0]["meta"].get("itemDeleted"), "it is dealt with")

        # Block, and remove.
        details()
        page.get_by_role("button", name="carol").last.click()
        page.get_by_role("button", name="Block for all").click()
        expect(page.get_by_role("dialog")).to_contain_text("blocked")
        page.get_by_role("button", name="carol").last.click()
        page.get_by_role("button", name="Remove", exact=True).click()
        page.get_by_role("button", name="Remove", exact=True).last.click()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/3/groups/{carols}")["groupInfo"]["membership"]["memberStatus"] == "removed", "carol is removed")
        alice.close()


def contact_settings(chromium):
    with browser.support.Gateway("--no-file-relay") as gateway:
        alice = browser.Visitor(chromium, gateway, FILES)
        page = alice.page
        alice.sign_in(place=f"#/1/direct/{gateway.bob}")

        def action(name):
            page.get_by_role("button", name="Details of the chat").click()
            page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()

        action("Own name for it")
        page.get_by_label("Only you see it").fill("my friend")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="my friend")).to_be_visible()
        action("Tags")
        page.get_by_label("New tag").fill("close")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="close", exact=True).click()
        expect(page.get_by_role("link", name="my friend")).to_be_visible()
        expect(page.get_by_role("link", name="Private notes")).to_have_count(0)
        page.get_by_role("button", name="close", exact=True).click()
        action("What is allowed")
        page.get_by_label("Voice messages").select_option("no")
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: not gateway.call("GET", "/v1/users/2/contacts")["contacts"][0]["mergedPreferences"]["voice"]["enabled"]["forUser"], "bob knows")
        expect(page.get_by_role("button", name="Record a voice message")).to_be_hidden()
        action("Keep messages")
        page.get_by_role("combobox").select_option("604800")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Details of the chat").click()
        page.get_by_role("button", name="Show", exact=True).click()
        page.get_by_role("button", name="It is the same: verified").click()
        page.keyboard.press("Escape")
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"]["activeConn"].get("connectionCode"), "it is verified")
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Edit profile").click()
        page.get_by_label("About you").fill("here and there")
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: gateway.call("GET", "/v1/users/2/contacts")["contacts"][0]["profile"].get("shortDescr") == "here and there", "bob sees it")
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Keep messages").click()
        page.get_by_role("combobox").select_option("86400")
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: gateway.call("GET", "/v1/users/1/ttl")["chatItemTTL"] == 86400, "it is set")
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="What is allowed").click()
        page.get_by_label("Calls").select_option("no")
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: gateway.call("GET", "/v1/users/1")["user"]["fullPreferences"]["calls"]["allow"] == "no", "it is set")

        # A contact is deleted, at first without the conversation, and without a word.
        def delete(messages):
            page.get_by_role("button", name="Details of the chat").click()
            page.get_by_role("button", name="Delete contact").click()
            page.get_by_role("combobox", name="Messages").select_option(messages)
            page.get_by_label("Tell the contact").uncheck()
            check(page, "delete a contact")
            page.get_by_role("button", name="Delete", exact=True).click()
            expect(page.get_by_role("dialog")).to_have_count(0)

        contact = listed(page, "my friend")
        delete("stay here")
        contact.click()
        expect(page.locator(".foot")).to_have_text("You have deleted the connection.")
        delete("are deleted here")
        expect(page.locator("chat-preview-view")).to_have_count(1)
        assert gateway.call("GET", "/v1/users/1/contacts")["contacts"] == []
        alice.close()


def profile_settings(chromium):
    """The colours of the profile, which servers it uses, and how the gateway and calls use the network."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        alice = browser.Visitor(chromium, gateway, FILES)
        page = alice.page
        alice.sign_in(place=f"#/1/direct/{gateway.bob}")

        def settings(name):
            page.get_by_role("button", name="Profile alice").click()
            page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()

        def save():
            page.get_by_role("button", name="Save").click()
            expect(page.get_by_role("dialog")).to_have_count(0)

        pencil = page.get_by_role("button", name="New chat")
        settings("Colours")
        check(page, "colours")
        page.get_by_label("Accent").fill("#ffcc00")
        save()
        assert gateway.call("GET", "/v1/users/1")["user"]["uiThemes"] == {"light": {"mode": "light", "colors": {"accent": "#ffffcc00"}}}
        expect(pencil).to_have_css("background-color", "rgb(255, 204, 0)")
        # Its text stays readable.
        expect(pencil).to_have_css("color", "rgb(0, 0, 0)")
        settings("Colours")
        page.get_by_label("Light or dark").select_option("dark")
        save()
        expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")
        page.reload()
        expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")
        expect(pencil).to_have_css("background-color", "rgb(92, 176, 245)")
        # Colours of a chat are for the chat alone, and invalid colours are ignored.
        colors = {"background": "#ff102030", "sentMessage": "url(https://example.org/)", "accent": "red;color:red"}
        gateway.call("PUT", f"/v1/users/1/chats/direct/{gateway.bob}/themes", {"themes": {"dark": {"mode": "dark", "colors": colors}}})
        expect(page.locator("chat-view")).to_have_css("background-color", "rgb(16, 32, 48)")
        expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")
        page.get_by_role("button", name="Details of the chat").click()
        page.get_by_role("dialog").get_by_role("button", name="Colours").click()
        expect(page.get_by_label("Background")).to_have_value("#102030")
        page.get_by_label("Background").fill("#203040")
        save()
        expect(page.locator("chat-view")).to_have_css("background-color", "rgb(32, 48, 64)")
        assert gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"]["uiThemes"]["dark"]["colors"]["background"] == "#ff203040"
        assert "url" not in page.locator("chat-view").get_attribute("style") and "red" not in page.locator("chat-view").get_attribute("style")

        settings("Servers")
        field = page.get_by_label("Own servers")
        before, new = field.input_value(), "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@smp.example.org"
        field.fill(f"{before}\n{new}\nxftp://nothing")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("alert")).not_to_have_text("")
        alice.faults.clear()
        field.fill(f"{before}\n{new}")
        save()
        servers = lambda: [server["server"] for group in gateway.call("GET", "/v1/users/1/servers")["userServers"] for server in group["smpServers"] if not server["deleted"]]
        assert servers() == [before, new], servers()
        settings("Servers")
        field.fill(before)
        save()
        assert servers() == [before], servers()
        settings("Network")
        page.get_by_label("Messages by a relay").select_option("unknown")
        save()
        assert gateway.call("GET", "/v1/settings/network")["networkConfig"]["smpProxyMode"] == "unknown"
        settings("Calls")
        page.get_by_label("Always by a relay").uncheck()
        page.get_by_label("STUN and").fill("stun:stun.example.org:3478")
        save()
        stored = gateway.call("GET", "/v1/settings/app")["appSettings"]
        assert stored["webrtcPolicyRelay"] is False and stored["webrtcICEServers"] == ["stun:stun.example.org:3478"]
        alice.close()


def voice_and_files(chromium):
    """With the microphone and the camera that Chromium makes up."""
    with browser.support.Gateway("--file-relay-port", "0") as gateway:
        alice = browser.Visitor(chromium, gateway, FILES, permissions=["microphone", "camera"])
        bob = browser.Visitor(chromium, gateway, FILES)
        alice.sign_in(place=f"#/1/direct/{gateway.bob}")
        bob.sign_in(place=f"#/2/direct/{gateway.alice}")
        alice.page.evaluate("""() => {
            const { getUserMedia } = navigator.mediaDevices
            window.asked = 0
            navigator.mediaDevices.getUserMedia = (...given) => { asked++; return getUserMedia.apply(navigator.mediaDevices, given) }
        }""")
        # Two quick presses make one recording.
        alice.page.get_by_role("button", name="Record a voice message").evaluate("button => { button.click(); button.click() }")
        expect(alice.page.get_by_text("Recording 0:02")).to_be_visible()
        assert alice.page.evaluate("asked") == 1
        # A recording survives a failed upload.
        alice.awaits_outage = True
        alice.page.route("**/files?name=voice*", lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
        alice.page.get_by_role("button", name="Send", exact=True).click()
        waiting = alice.page.locator("queued-item-view")
        expect(waiting).to_contain_text("Voice message")
        expect(waiting).to_contain_text("The gateway is not ready yet.")
        # It can be had back, and sent again.
        waiting.get_by_role("button", name="Edit").click()
        expect(alice.page.locator(".about")).to_contain_text(re.compile("Recorded: 0:0[23]"))
        alice.page.get_by_role("button", name="Send", exact=True).click()
        expect(waiting).to_contain_text("The gateway is not ready yet.")
        alice.page.unroute("**/files?name=voice*")
        for visitor in (alice, bob):
            voice = visitor.page.locator("ci-voice-view")
            # Its waveform is drawn from what was recorded.
            expect(voice.locator(".wave path")).to_have_attribute("d", re.compile(r"^(M\d+\.5 [\d.]+V[\d.]+){48}$"))
            lines = re.findall(r"V([\d.]+)", voice.locator(".wave path").get_attribute("d"))
            # The microphone of the test beeps each second: a starved machine records few of the beeps.
            assert len(set(lines)) > 1, lines
            voice.get_by_role("button", name="Play").click()
            expect(voice.get_by_role("button", name="Pause").or_(voice.locator(".length", has_text=re.compile("0:0[1-9]"))).first).to_be_visible()
        # One that is not wanted leaves nothing.
        alice.page.get_by_role("button", name="Record a voice message").click()
        alice.page.get_by_role("button", name="Do not send it").click()
        expect(alice.page.get_by_text("Recording")).to_be_hidden()

        body = bytes(range(256)) * 400
        alice.page.locator("input[type=file]").set_input_files({"name": "data <b>.bin", "mimeType": "text/html", "buffer": body})
        alice.write("a file")
        file = bob.page.locator("ci-file-view")
        expect(file).to_contain_text("data _b_.bin")
        file.get_by_role("button", name="Receive").click()
        with bob.page.expect_download() as download:
            file.get_by_role("button", name="Save").click()
        assert pathlib.Path(download.value.path()).read_bytes() == body
        # A picture goes by drop; it is small enough to be received by itself.
        transfer = alice.page.evaluate_handle("""base64 => {
            const transfer = new DataTransfer()
            transfer.items.add(new File([Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))], "p.png", { type: "image/png" }))
            return transfer
        }""", PICTURE.split(",")[1])
        alice.page.dispatch_event("chat-view .items", "drop", {"dataTransfer": transfer})
        alice.write("")
        expect(bob.page.locator("ci-image-view button.picture img")).to_be_visible()
        bob.page.locator("ci-image-view button.picture").click()
        picture_shown = bob.page.locator("dialog.media img")
        expect(picture_shown).to_be_visible()
        # To other programs of the system, where it takes files.
        bob.page.keyboard.press("Escape")
        bob.page.evaluate("() => { Object.defineProperty(navigator, 'share', { value: async ({ files: [file] }) => { window.shared = [file.name, file.type, file.size] } }) }")
        bob.page.locator("ci-image-view button.picture").click()
        bob.page.get_by_role("button", name="Share").click()
        name, kind, size = gateway.until(lambda: bob.page.evaluate("window.shared"), "it is shared")
        assert name.endswith(".jpg") and kind == "image/jpeg" and size > 100, (name, kind, size)
        bob.page.get_by_role("button", name="Whole size").click()
        expect(picture_shown).to_have_class("picture whole")
        bob.page.keyboard.press("Escape")
        # One that moves goes as it is.
        moving = base64.b64decode("R0lGODlhAgACAPAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAAAgACAAACAoRRACH5BAAKAAAALAAAAAACAAIAAAICjFMAOw==")
        alice.page.locator("input[type=file]").set_input_files({"name": "moving.gif", "mimeType": "image/gif", "buffer": moving})
        alice.write("it moves")
        moves = bob.page.locator("animated-image-view")
        expect(moves.locator("img")).to_be_visible()
        moves.get_by_role("button", name="Pause").click()
        expect(moves.locator("canvas")).to_have_js_property("width", 2)
        expect(moves.locator("img")).to_have_count(0)
        moves.get_by_role("button", name="Show larger").click()
        expect(bob.page.locator("dialog.media img")).to_be_visible()
        bob.page.keyboard.press("Escape")
        # For who wants nothing to move it stands still.
        bob.page.emulate_media(reduced_motion="reduce")
        bob.page.reload()
        expect(moves.get_by_role("button", name="Play")).to_be_visible()
        bob.page.emulate_media(reduced_motion="no-preference")
        item = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"][-1]
        request = urllib.request.Request(f"{gateway.url}/v1/users/2/files/{item['file']['fileId']}/content", headers={"Authorization": f"Bearer {gateway.key}"})
        assert urllib.request.urlopen(request).read() == moving

        # A pasted video has its first picture in the message.
        alice.page.evaluate("""async () => {
            const canvas = document.createElement("canvas"), drawing = canvas.getContext("2d"), parts = []
            canvas.width = 320
            canvas.height = 200
            const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm" })
            recorder.ondataavailable = event => parts.push(event.data)
            recorder.start()
            for (let frame = 0; frame < 20; frame++) {
                drawing.fillStyle = `rgb(${frame * 10}, 100, 200)`
                drawing.fillRect(0, 0, 320, 200)
                await new Promise(next => setTimeout(next, 50))
            }
            await new Promise(done => { recorder.onstop = done; recorder.stop() })
            const clipboardData = new DataTransfer()
            clipboardData.items.add(new File(parts, "film.webm", { type: "video/webm" }))
            document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
        }""")
        alice.write("a film")
        film = bob.page.locator("ci-video-view")
        expect(film.locator("img.picture")).to_have_js_property("naturalWidth", 300)
        # Two quick presses show it once.
        film.get_by_role("button", name="Play").evaluate("button => { button.click(); button.click() }")
        expect(bob.page.locator("dialog.media video")).to_have_js_property("videoWidth", 320)
        expect(bob.page.locator("dialog.media")).to_have_count(1)
        bob.page.keyboard.press("Escape")

        # A code before the camera: what reads it is the browser's, and is made up too where there is none.
        alice.page.evaluate("() => { window.BarcodeDetector = class { async detect(film) { return film.videoWidth ? [{ rawValue: 'https://example.org/a#read' }] : [] } } }")
        alice.page.get_by_role("button", name="New chat").click()
        alice.page.get_by_role("button", name="Connect by a link").click()
        alice.page.get_by_role("button", name="Scan a QR code").click()
        expect(alice.page.get_by_role("textbox", name="Link")).to_have_value("https://example.org/a#read")
        alice.close()
        bob.close()


def media(visitor, kind):
    """Waits until pictures or sound of the other side come in, which they only do when both sides have the key; answers the statistics."""
    return visitor.gateway.until(lambda: visitor.page.evaluate("""async kind => {
        const reports = [...(await connections.at(-1)?.getStats())?.values() ?? []].filter(report => report.type == "inbound-rtp" && report.kind == kind)
        return reports.find(report => kind == "video" ? report.framesDecoded > 10 : report.totalAudioEnergy > 0) ?? null
    }""", kind), f"{kind} comes in")


def two_tabs(chromium):
    """Two pages of one profile agree at once, in one browser and in two."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        first = browser.Visitor(chromium, gateway, FILES)
        first.sign_in(place="#/1")
        expect(first.page.get_by_role("link", name="bob")).to_be_visible()
        tab = first.context.new_page()
        tab.on("pageerror", lambda error: first.faults.append(str(error)))
        # A key that was not kept is of one tab.
        tab.goto(f"{gateway.url}/app#/1")
        tab.get_by_label("Key").fill(gateway.key)
        tab.get_by_role("button", name="Sign in").click()
        other = browser.Visitor(chromium, gateway, FILES)
        other.sign_in(place="#/1")
        gateway.bob_says("for all of them")
        pages = (first.page, tab, other.page)
        for page in pages:
            expect(page.get_by_role("img", name="1 unread")).to_be_visible()
        # The pages share read marks, messages, drafts and settings.
        first.page.bring_to_front()
        first.page.get_by_role("link", name="bob").click()
        for page in pages:
            expect(page.get_by_role("img", name="1 unread")).to_have_count(0)
        tab.get_by_role("link", name="bob").click()
        tab.get_by_role("textbox", name="Message").fill("from the second tab")
        tab.get_by_role("textbox", name="Message").press("Enter")
        expect(first.page.locator("chat-item-view", has_text="from the second tab")).to_be_visible()
        expect(other.page.get_by_role("link", name="bob")).to_contain_text("from the second tab")
        first.page.get_by_role("textbox", name="Message").fill("not sent yet")
        expect(other.page.get_by_role("link", name="bob")).to_contain_text("not sent yet")
        other.page.get_by_role("link", name="bob").click()
        expect(other.page.get_by_role("textbox", name="Message")).to_have_value("not sent yet")
        other.page.get_by_role("button", name="Details of the chat").click()
        other.page.get_by_role("dialog").get_by_role("button", name="Mute", exact=True).click()
        for page in pages:
            expect(page.get_by_role("img", name="Muted")).to_be_visible()
        first.close()
        other.close()


def odd_answers(chromium):
    """Answers that are cut, that are none, and a clock that is wrong by years: the page says so, and goes on."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        gateway.bob_says("before")
        visitor = browser.Visitor(chromium, gateway, FILES)
        visitor.awaits_outage = True
        page, cut = visitor.page, []
        page.clock.install(time="2031-05-04T12:00:00Z")

        def half(route):
            answer = route.fetch()
            cut.append(route.request.url)
            route.fulfill(status=answer.status, headers={"content-type": "application/json"}, body=answer.body()[: len(answer.body()) // 2])

        page.route("**/v1/users/1/model", half, times=2)
        page.route("**/sessions/*/chat", half, times=1)
        visitor.sign_in(place="#/1")
        gateway.until(lambda: page.clock.run_for(1000) or page.get_by_role("link", name="bob").count(), "the model is there")
        assert len(cut) == 2, cut
        page.get_by_role("link", name="bob").click()
        expect(page.locator("chat-item-view", has_text="before")).to_be_visible()
        # A day of long ago, by this clock.
        expect(page.locator(".day").first).to_contain_text(str(time.gmtime().tm_year))
        page.route("**/messages", half, times=1)
        visitor.write("sent, and the answer lost")
        sent = page.locator("chat-item-view", has_text="the answer lost")
        gateway.until(lambda: page.clock.run_for(1000) or sent.count(), "it is sent")
        page.route("**/profile", lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>"), times=1)
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Edit profile").click()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("alert")).to_contain_text("502")
        page.keyboard.press("Escape")
        gateway.until(lambda: page.clock.run_for(1000) or sent.get_by_role("img", name="Delivered").count(), "it is delivered")
        # Once, though its answer was lost.
        theirs = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"]
        assert [item["meta"]["itemText"] for item in theirs].count("sent, and the answer lost") == 1
        visitor.close()


def calls(chromium):
    """Two browsers call each other, with the microphones and cameras that Chromium makes up."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        # Directly: there is no relay of media here.
        gateway.call("PUT", "/v1/settings/app", {"webrtcPolicyRelay": False, "webrtcICEServers": []})
        alice, bob, other = (browser.Visitor(chromium, gateway, FILES, permissions=["microphone", "camera"]) for _ in range(3))
        for visitor, place in ((alice, f"#/1/direct/{gateway.bob}"), (bob, f"#/2/direct/{gateway.alice}"), (other, "#/2")):
            visitor.page.add_init_script("""
                window.connections = []
                window.RTCPeerConnection = class extends RTCPeerConnection { constructor(...given) { super(...given); connections.push(this) } }
            """)
            visitor.sign_in(place=place)

        alice.page.get_by_role("button", name="Video call").click()
        for visitor in (bob, other):
            expect(visitor.page.get_by_role("alert", name="alice calls")).to_contain_text("Video call, end-to-end encrypted")
        picture(bob, "call-rings")
        bob.page.get_by_role("alert", name="alice calls").get_by_role("button", name="Accept").click()
        # Whoever takes it first has it.
        expect(other.page.get_by_role("alert", name="alice calls")).to_have_count(0)
        for visitor in (alice, bob):
            expect(visitor.page.get_by_role("region", name="Call")).to_contain_text("connected, end-to-end encrypted")
            media(visitor, "video")
            media(visitor, "audio")
            expect(visitor.page.locator("call-view video.camera:not(.dark)")).to_be_visible()
            assert visitor.page.locator("call-view video.camera").evaluate("film => film.videoWidth") > 0
        check(alice.page, "call")
        picture(alice, "call")
        alice.page.get_by_role("button", name="Smaller or larger").click()
        alice.write("while we talk")
        expect(bob.page.locator("chat-item-view", has_text="while we talk")).to_be_visible()
        expect(bob.page.locator("ci-call-item-view", has_text="in progress")).to_be_visible()

        # A camera that is off, and on again.
        alice.page.get_by_role("button", name="Camera", exact=True).click()
        expect(bob.page.locator("call-view video.camera.dark")).to_be_attached()
        alice.page.get_by_role("button", name="Camera", exact=True).click()
        expect(bob.page.locator("call-view video.camera:not(.dark)")).to_be_visible()
        bob.page.get_by_role("button", name="End the call").click()
        for visitor in (alice, bob):
            expect(visitor.page.get_by_role("region", name="Call")).to_have_count(0)
            expect(visitor.page.locator("ci-call-item-view", has_text="ended")).to_be_visible()
            assert visitor.page.evaluate("connections.every(connection => connection.connectionState == 'closed')")

        # By sound alone, and a camera later; it ends with the page.
        bob.page.get_by_role("button", name="Audio call").click()
        alice.page.get_by_role("alert", name="bob calls").get_by_role("button", name="Accept").click()
        for visitor in (alice, bob):
            media(visitor, "audio")
        assert not alice.page.locator("call-view video.own").is_visible()
        bob.page.get_by_role("button", name="Camera", exact=True).click()
        media(alice, "video")
        bob.page.close()
        expect(alice.page.get_by_role("region", name="Call")).to_have_count(0)

        # One that is not wanted, and one that has ended before it was taken. The browser reports that the end of what has ended is refused.
        alice.awaits_outage = True
        other.page.evaluate(f"location.hash = '#/2/direct/{gateway.alice}'")
        alice.page.get_by_role("button", name="Audio call").click()
        other.page.get_by_role("alert", name="alice calls").get_by_role("button", name="Reject").click()
        expect(other.page.get_by_role("alert", name="alice calls")).to_have_count(0)
        expect(other.page.locator("ci-call-item-view", has_text="declined")).to_be_visible()
        alice.page.get_by_role("button", name="End the call").click()
        alice.page.get_by_role("button", name="Audio call").click()
        expect(other.page.get_by_role("alert", name="alice calls")).to_be_visible()
        expect(other.page.locator("ci-call-item-view").get_by_role("button", name="Accept")).to_be_visible()
        alice.page.get_by_role("button", name="End the call").click()
        expect(other.page.get_by_role("alert", name="alice calls")).to_have_count(0)

        # A peer's description may be malformed.
        for session in ("", "Q===", "%%%", "x" * 4000, "N4IgLgngDgpiBcID2AzFMBOIA0IDOAJlAiAG4C8ADADobUB2IAvkA==="):
            gateway.call("POST", f"/v1/users/2/contacts/{gateway.alice}/call", {"callType": {"media": "audio", "capabilities": {"encryption": True}}})
            alice.page.get_by_role("alert", name="bob calls").get_by_role("button", name="Accept").click()
            gateway.until(lambda: gateway.call("GET", "/v1/users/2/model")["model"]["activeCalls"].get(f"@{gateway.alice}", {}).get("callState") == "offerReceived", "bob has the offer")
            gateway.call("POST", f"/v1/users/2/contacts/{gateway.alice}/call/answer", {"answer": {"rtcSession": session, "rtcIceCandidates": session}})
            expect(alice.page.get_by_role("region", name="Call")).to_have_count(0)
            gateway.until(lambda: not gateway.call("GET", "/v1/users/2/model")["model"]["activeCalls"], "it has ended for bob")
        alice.close()
        other.close()
        assert not bob.faults, bob.faults


RECORDINGS = browser.support.ROOT / "Tests/Fixtures/transcripts"
TIME = "2026-11-23T12:00:00.000000000Z"
META = {"itemId": 1, "itemTs": TIME, "itemText": "as the gateway says it", "itemStatus": {"type": "rcvRead"}, "createdAt": TIME, "updatedAt": TIME}


def made_up(content, **meta):
    return {"chatDir": {"type": "directRcv"}, "meta": {**META, **meta}, "content": content, "reactions": []}


def text_of(text, **meta):
    return made_up({"type": "rcvMsgContent", "msgContent": {"type": "text", "text": text}}, **meta)


# Items that the recordings lack.
OTHERS = {
    "rcvDecryptionError": made_up({"type": "rcvDecryptionError", "msgDecryptError": "ratchetHeader", "msgCount": 1}), "rcvDeleted": made_up({"type": "rcvDeleted", "deleteMode": "broadcast"}),
    "invalidJSON": made_up({"type": "invalidJSON", "json": "{<b>"}), "newerKind": made_up({"type": "newerKind", "html": "<b>"}), "rcvMsgContent:emoji": text_of("👍🏽👨‍👩‍👧"),
    **{kind: {**item, "chatDir": {"type": "groupRcv", "groupMember": {"groupMemberId": 2, "memberRole": "owner", "memberProfile": {"displayName": "carol", "fullName": ""}}}} for kind, item in {
        "rcvMsgContent:emoji:member": text_of("👍"), "rcvDeleted:member": made_up({"type": "rcvDeleted", "deleteMode": "broadcast"}), "rcvMsgContent:text:deleted:member": text_of("gone", itemDeleted={"type": "deleted"}),
        "rcvIntegrityError:member": made_up({"type": "rcvIntegrityError", "msgError": {"type": "msgSkipped", "fromMsgId": 1, "toMsgId": 2}}),
        "rcvDecryptionError:member": made_up({"type": "rcvDecryptionError", "msgDecryptError": "ratchetHeader", "msgCount": 1}), "invalidJSON:member": made_up({"type": "invalidJSON", "json": "{<b>"}),
    }.items()},
    "rcvMsgContent:forwarded": text_of("from elsewhere", itemForwarded={"type": "contact", "chatName": "@bob", "msgDir": "rcv"}),
    "rcvMsgContent:chat": made_up({"type": "rcvMsgContent", "msgContent": {"type": "chat", "text": "", "chatLink": {"type": "contact", "connLink": "https://example.org/a#x", "profile": {"displayName": "carol", "fullName": ""}}}}),
}
RENDERERS = {
    "sndMsgContent": "FramedItemView", "rcvMsgContent": "FramedItemView", "rcvDeleted": "DeletedItemView", "sndModerated": "DeletedItemView", "rcvModerated": "DeletedItemView", "rcvBlocked": "DeletedItemView",
    "sndCall": "CICallItemView", "rcvCall": "CICallItemView", "rcvIntegrityError": "IntegrityErrorItemView", "rcvDecryptionError": "CIRcvDecryptionError", "sndGroupInvitation": "CIGroupInvitationView",
    "rcvGroupInvitation": "CIGroupInvitationView", "sndGroupEvent": "CIEventView", "rcvGroupEvent": "CIEventView", "rcvDirectEvent": "CIEventView", "sndChatFeature": "CIChatFeatureView", "rcvChatFeature": "CIChatFeatureView",
    "sndGroupFeature": "CIChatFeatureView", "rcvGroupFeature": "CIChatFeatureView", "sndChatPreference": "CIFeaturePreferenceView", "rcvChatPreference": "CIFeaturePreferenceView", "invalidJSON": "CIInvalidJSONView",
    "newerKind": "CIUnknownItemView", "rcvMsgContent:emoji": "EmojiItemView", "rcvGroupEvent:memberCreatedContact": "CIMemberCreatedContactView", "sndGroupE2EEInfo": "CIEventView", "rcvGroupE2EEInfo": "CIEventView",
    "rcvDirectE2EEInfo": "CIEventView", "chatBanner": "ChatBannerView",
}
BUBBLES = {"FramedItemView", "EmojiItemView", "CIVoiceView", "DeletedItemView", "MarkedDeletedItemView", "IntegrityErrorItemView", "CIRcvDecryptionError", "CIInvalidJSONView"}
PARTS = {"image": "ci-image-view", "video": "ci-video-view", "voice": "framed-ci-voice-view", "file": "ci-file-view", "link": "ci-link-view", "chat": "chat-link-view", "quoted": "quote-view", "text": "msg-content-view"}


def kind_of(item):
    """Kind of an item with its special features, as one name."""
    content, meta = item["content"], item["meta"]
    kind = [content["type"]]
    if "msgContent" in content:
        kind += [content["msgContent"]["type"], *[name for name, key in {"timed": "itemTimed", "live": "itemLive", "edited": "itemEdited", "forwarded": "itemForwarded"}.items() if meta.get(key)]]
        kind += [name for name, key in {"quoted": "quotedItem", "reactions": "reactions", "formats": "formattedText"}.items() if item.get(key)]
        kind += [meta["itemDeleted"]["type"]] if meta.get("itemDeleted") else []
        kind += [item["file"]["fileStatus"]["type"]] if item.get("file") else []
    for name, value in content.items():
        if name.endswith("Event") and isinstance(value, dict):
            kind.append(value.get("type", ""))
    if "status" in content:
        kind.append(content["status"])
    return ":".join(kind + (["channel"] if item["chatDir"]["type"] == "channelRcv" else []))


def recorded_items():
    """One of each kind, the shortest, from the recordings of the original."""
    found = {}

    def look(value):
        if isinstance(value, dict):
            if "chatDir" in value and "itemId" in value.get("meta", {}) and "type" in value.get("content", {}):
                kind = kind_of(value)
                if kind not in found or len(json.dumps(value)) < len(json.dumps(found[kind])):
                    found[kind] = value
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    for line in recorded("*"):
        look(line)
    return found


def recorded(name):
    for file in sorted(RECORDINGS.glob(f"{name}.jsonl.zst")):
        with file.open("rb") as packed:
            yield from (json.loads(line) for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8"))


def parts(value):
    """All objects in what was recorded."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(inner)


DRAW = """async items => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { ChatItemView, renderer } = await import(`${files}items/ChatItemView.js`), { make } = await import(`${files}elements/base.js`)
    const context = { type: "group", place: "group/1", query: "", chatId: 1, name: "team", about: ["the whole team", "who we are"], kind: "group", isGroup: true, isWritable: true, role: "owner", allows: { reactions: true }, goTo() {}, select() {} }
    document.querySelector(".items")?.remove()
    document.querySelector(".page").hidden = true
    const list = document.body.appendChild(document.createElement("div"))
    list.className = "items"
    return items.map(item => {
        const row = make(ChatItemView)
        list.append(row)
        row.show(item, true, true, context, null)
        return [renderer(item).name, row.innerText, row.firstElementChild.closest("chat-item-view").innerHTML]
    })
}"""


MENU = """async cases => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { itemMenu } = await import(`${files}items/itemMenu.js`)
    return cases.map(({ item, context }) => {
        itemMenu(item, { select() {}, query: "", ...context }, { x: 10, y: 10 })
        const box = document.querySelector(".menu"), names = [...box.querySelectorAll("[role=menuitem]")].map(entry => entry.textContent)
        const reactions = box.querySelectorAll("[role=menuitemcheckbox]").length
        box.remove()
        return [names, reactions]
    })
}"""
ALWAYS = ["Info", "Select", "Delete for me"]


def menus(chromium):
    """Which actions an item has, by each of the conditions."""
    direct = {"type": "direct", "isWritable": True, "role": None, "allows": {"reactions": True, "reports": True}}
    group = {**direct, "type": "group", "isGroup": True}
    file = {"fileId": 1, "fileName": "a", "fileSize": 1, "fileStatus": {"type": "rcvComplete"}}
    by = lambda role: {"chatDir": {"type": "groupRcv", "groupMember": {"groupMemberId": 2, "memberRole": role}}}
    received, own = text_of("hello"), {**text_of("hello", editable=True, deletable=True), "chatDir": {"type": "directSnd"}}
    own["content"] = {**own["content"], "type": "sndMsgContent"}
    cases = {
        "received": (received, direct, ["Reply", "Forward", "Copy", *ALWAYS], 8),
        "own": (own, direct, ["Reply", "Forward", "Copy", "Edit", *ALWAYS, "Delete for everyone"], 8),
        "own, too old to change": ({**own, "meta": {**own["meta"], "editable": False, "deletable": False}}, direct, ["Reply", "Forward", "Copy", *ALWAYS], 8),
        "live": (text_of("hel", itemLive=True), direct, ["Copy", *ALWAYS], 0),
        "deleted": (text_of("", itemDeleted={"type": "deleted"}), direct, ALWAYS, 0),
        "event": (made_up({"type": "rcvDirectEvent"}), direct, ["Info", "Delete for me"], 0),
        "file that is here": ({**made_up({"type": "rcvMsgContent", "msgContent": {"type": "file", "text": ""}}), "file": file}, direct, ["Reply", "Forward", "Save", *ALWAYS], 8),
        "file that is not": ({**made_up({"type": "rcvMsgContent", "msgContent": {"type": "file", "text": ""}}), "file": {**file, "fileStatus": {"type": "rcvInvitation"}}}, direct, ["Reply", "Forward", *ALWAYS], 8),
        "no reactions, and nothing can be written": (own, {**direct, "isWritable": False, "allows": {}}, ["Forward", "Copy", *ALWAYS, "Delete for everyone"], 0),
        "file that comes": ({**made_up({"type": "rcvMsgContent", "msgContent": {"type": "file", "text": ""}}), "file": {**file, "fileStatus": {"type": "rcvTransfer", "rcvProgress": 1, "rcvTotal": 2}}}, direct, ["Reply", "Forward", "Info", "Select", "Stop the transfer", "Delete for me"], 8),
        "report": ({**made_up({"type": "rcvMsgContent", "msgContent": {"type": "report", "text": "", "reason": "spam"}}), **by("member")}, {**group, "role": "moderator"}, ["Reply", "Info", "Select", "Mark as dealt with", "Delete as a moderator", "Delete for me"], 8),
        "notes": (own, {**direct, "type": "local"}, ["Forward", "Copy", "Edit", *ALWAYS], 0),
        "member of a group": ({**received, **by("member")}, {**group, "role": "member"}, ["Reply", "Forward", "Copy", "Info", "Select", "Report to the moderators", "Delete for me"], 8),
        "moderator": ({**received, **by("member")}, {**group, "role": "moderator"}, ["Reply", "Forward", "Copy", "Info", "Select", "Delete as a moderator", "Delete for me"], 8),
        "moderator, of an owner": ({**received, **by("owner")}, {**group, "role": "moderator"}, ["Reply", "Forward", "Copy", *ALWAYS], 8),
        "of a channel": ({**received, "chatDir": {"type": "channelRcv"}}, {**group, "role": "owner"}, ["Reply", "Forward", "Copy", *ALWAYS], 8),
    }
    with browser.NewGateway() as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        visitor.sign_in()
        expect(visitor.page.get_by_label("Name")).to_be_visible()
        shown = visitor.page.evaluate(MENU, [{"item": item, "context": context} for item, context, _, _ in cases.values()])
        for (name, (_, _, entries, reactions)), found in zip(cases.items(), shown):
            assert found == [entries, reactions], (name, found)
        # A key that only reads gets no actions that change something.
        key = gateway.call("POST", "/v1/keys", {"name": "reader", "scopes": ["read"]})["key"]
        reader = browser.Visitor(chromium, gateway, FILES)
        reader.open()
        reader.page.get_by_label("Key").fill(key)
        reader.page.get_by_role("button", name="Sign in").click()
        expect(reader.page.get_by_role("button", name="Sign out")).to_be_visible()
        assert reader.page.evaluate(MENU, [{"item": own, "context": direct}]) == [[["Copy", "Info"], 0]]
        reader.close()
        visitor.close()


def with_leaves(value, leaf, key=""):
    """The same with another leaf for each text; what says of which kind something is stays."""
    if isinstance(value, dict):
        return {name: with_leaves(inner, leaf, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_leaves(inner, leaf, key) for inner in value]
    return leaf if isinstance(value, str) and key != "type" else value


CUT = """async whole => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(whole), letter => letter.charCodeAt(0))])), canvas = document.createElement("canvas")
    return [...document.querySelectorAll("body > .items > chat-item-view")].map(row => {
        const { x, y, width, height } = row.getBoundingClientRect()
        Object.assign(canvas, { width, height: Math.max(1, height) })
        canvas.getContext("2d").drawImage(picture, -x - scrollX, -y - scrollY)
        return canvas.toDataURL().split(",")[1]
    })
}"""


def keep_rows(visitor, kinds):
    """A picture of each item, cut out of one of all."""
    folder = PICTURES / "renderers"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    visitor.page.evaluate("document.documentElement.style.height = document.body.style.height = 'auto'")
    whole = visitor.page.screenshot(full_page=True)
    (PICTURES / "renderers.png").write_bytes(whole)
    rows = visitor.page.evaluate(CUT, base64.b64encode(whole).decode())
    assert len(rows) == len(kinds)
    for kind, row in zip(kinds, rows):
        (folder / f"{kind.replace(':', '-')}.png").write_bytes(base64.b64decode(row))


def renderers(chromium):
    items = {**recorded_items(), **OTHERS}
    kinds = {kind.split(":")[0] for kind in items}
    assert len(items) > 100 and not kinds - {kind.split(":")[0] for kind in RENDERERS}, kinds
    with browser.NewGateway() as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES, viewport={"width": 900, "height": 1200})
        visitor.awaits_outage = True
        visitor.sign_in()
        expect(visitor.page.get_by_label("Name")).to_be_visible()
        for (kind, item), (renderer, text, html) in zip(items.items(), visitor.page.evaluate(DRAW, list(items.values()))):
            wanted = RENDERERS.get(kind) or RENDERERS.get(":".join(kind.split(":")[:2])) or RENDERERS[kind.split(":")[0]]
            if item["meta"].get("itemDeleted") and "msgContent" in item["content"]:
                wanted = "MarkedDeletedItemView"
            elif kind.split(":")[1:2] == ["voice"] and not item["content"]["msgContent"]["text"] and not {"quoted", "forwarded"} & set(kind.split(":")):
                wanted = "CIVoiceView"
            assert renderer == wanted, (kind, renderer)
            assert text.strip(), kind
            if renderer in ("FramedItemView", "CIVoiceView"):
                for part, element in PARTS.items():
                    isThere = part in kind.split(":") and (part != "text" or item["content"]["msgContent"]["text"])
                    assert not isThere or f"<{element}" in html, (kind, element)
                assert "ci-meta-view" in html, kind
            if renderer == "ChatBannerView":
                assert [line for line in text.split("\n") if line] == ["T", "team", "the whole team", "who we are", "Group"] and "button" not in html, (text, html)
            # Each kind of item of a member has the name above it.
            if item["chatDir"].get("groupMember") and renderer in BUBBLES:
                assert re.search(r'class="plain sender[^>]*><bdi', html), (kind, html)
            if renderer == "FramedItemView":
                # Only files in transfer have a progress bar.
                assert ("<progress" in html) == bool({"sndTransfer", "rcvTransfer"} & set(kind.split(":"))), kind
        keep_rows(visitor, list(items))
        # A kind is no name of what each object has.
        assert visitor.page.evaluate("""async kinds => {
            const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
            const { eventName } = await import(`${files}model/texts.js`), { words } = await import(`${files}model/words.js`)
            return kinds.map(type => [eventName({ chatDir: {}, content: { type } }), words.kind[type], words.role[type]])
        }""", ["constructor", "toString", "__proto__"]) == [["", None, None]] * 3
        # The same with hostile texts in each field, and with fields of other types: nothing comes of it, and each row is there.
        for leaf in [*HOSTILE, None, 7, {}, [[]]]:
            rows = visitor.page.evaluate(DRAW, [with_leaves(item, leaf) for item in items.values()])
            assert len(rows) == len(items)
            assert visitor.page.evaluate("window.hit") is None
            assert visitor.page.locator(FORBIDDEN).count() == 0, leaf
        visitor.close()


def channels(chromium):
    """Recorded channels appear right: for a subscriber, for the owner, and for a user who opens the link."""
    found = [part for line in recorded("channel-*") for part in parts(line)]
    chats = [part for part in found if part.get("chatInfo", {}).get("groupInfo", {}).get("useRelays") and isinstance(part.get("chatItems"), list)]
    role = lambda chat: chat["chatInfo"]["groupInfo"]["membership"]["memberRole"]
    longest = lambda wanted: max((chat for chat in chats if role(chat) == wanted), key=lambda chat: len(chat["chatItems"]))
    answers = {kind: [part for part in found if part.get("type") == kind] for kind in ("groupMembers", "groupRelays", "connectionPlan", "newPreparedChat", "startedConnectionToGroup")}
    members = max((answer for answer in answers["groupMembers"] if answer["group"]["groupInfo"].get("useRelays")), key=lambda answer: len(answer["group"]["members"]))
    relays = {relay["relayStatus"]: {**relay, "groupRelayId": index} for index, relay in enumerate(relay for answer in answers["groupRelays"] for relay in answer["groupRelays"])}
    plan = next(answer for answer in answers["connectionPlan"] if answer["connectionPlan"].get("groupLinkPlan", {}).get("groupSLinkInfo_", {}).get("direct") is False)
    assert "active" in relays and len(relays) > 1
    with browser.NewGateway() as gateway:
        gateway.call("POST", "/v1/users", {"profile": {"displayName": "alice", "fullName": ""}})
        for wanted in ("observer", "owner", "link"):
            chat = answers["newPreparedChat"][0]["chat"] if wanted == "link" else longest(wanted)
            group = chat["chatInfo"]["groupInfo"]
            group["chatTags"] = []
            name = group["groupProfile"]["displayName"]
            visitor = browser.Visitor(chromium, gateway, FILES)
            # The gateway itself does not have this group.
            visitor.awaits_outage = True
            page, asked = visitor.page, []

            def model(route):
                answer = route.fetch().json()
                stats = {"unreadCount": 0, "unreadMentions": 0, "reportsCount": 0, "minUnreadItemId": 0, "unreadChat": False}
                shown = [] if wanted == "link" and not asked else [{**chat, "id": f"#{group['groupId']}", "chatItems": chat["chatItems"][-1:], "chatStats": stats, "created": group["createdAt"]}]
                answer["model"]["chats"] = [*shown, *answer["model"]["chats"]]
                route.fulfill(json=answer)

            def session(route):
                answer = gateway.call("GET", route.request.url.removeprefix(gateway.url).rsplit("/", 1)[0])
                answer["session"] |= {"chatId": f"#{group['groupId']}", "chatInfo": chat["chatInfo"]}
                answer["session"]["im"] |= {"reversedChatItems": chat["chatItems"][::-1], "lastItemsLoaded": True, "newestLoaded": True}
                route.fulfill(json=answer)

            def answered(route, answer):
                asked.append((route.request.url.rsplit("/", 1)[1], route.request.post_data_json))
                route.fulfill(json=answer)

            page.route("**/v1/users/1/model", model)
            page.route("**/sessions/*/chat", session)
            page.route("**/sessions/*/members", lambda route: route.fulfill(json={}))
            page.route("**/groups/*/members", lambda route: route.fulfill(json=members))
            page.route("**/groups/*/relays", lambda route: route.fulfill(json={**answers["groupRelays"][0], "groupRelays": list(relays.values())}))
            page.route("**/connections/plan", lambda route: answered(route, plan))
            page.route("**/groups/prepared", lambda route: answered(route, answers["newPreparedChat"][0]))
            page.route("**/groups/*/connect", lambda route: answered(route, answers["startedConnectionToGroup"][0]))
            page.route("**/messages", lambda route: answered(route, {}))
            if wanted == "link":
                visitor.sign_in(place="#/1")
                page.get_by_role("button", name="New chat").click()
                page.get_by_role("button", name="Connect by a link").click()
                page.get_by_role("textbox", name="Link").fill(plan["connectionPlan"]["groupLinkPlan"]["groupSLinkData_"]["groupProfile"]["publicGroup"]["groupLink"])
                page.get_by_role("button", name="Connect", exact=True).click()
                page.wait_for_url(f"**/app#/1/group/{group['groupId']}")
                assert asked[1][1]["directLink"] is False and asked[1][1]["groupShortLinkData"] == plan["connectionPlan"]["groupLinkPlan"]["groupSLinkData_"], asked
                page.reload()
                expect(page.locator(".foot")).to_contain_text(group["groupProfile"]["shortDescr"])
                picture(visitor, "channel-link")
                page.get_by_role("button", name="Join", exact=True).click()
                gateway.until(lambda: asked[-1] == ("connect", {"incognito": False}), "it is joined")
                visitor.close()
                continue
            visitor.sign_in(place=f"#/1/group/{group['groupId']}")
            expect(page.locator("chat-view header")).to_contain_text(re.compile(r"\d+ subscriber"))
            if wanted == "observer":
                expect(page.locator("chat-item-view", has_text="NOT end-to-end encrypted")).to_be_attached()
            if wanted == "observer":
                assert page.locator(".sender", has_text=name).filter(has_text="channel").count() > 0
                expect(page.locator(".foot")).to_have_text("You can read here, and not write.")
            else:
                visitor.write("for all")
                gateway.until(lambda: asked and asked[-1][1]["sendAsGroup"], "it is sent as the channel")
            picture(visitor, f"channel-{wanted}")
            page.get_by_role("button", name="Details of the chat").click()
            box = page.get_by_role("dialog")
            for gone in ("Reports of members", "Write to the moderators", "What is allowed", "Add a member"):
                expect(box.get_by_role("button", name=gone)).to_have_count(0)
            # The only owner can but delete it.
            expect(box.get_by_role("button", name="Leave channel")).to_have_count(0 if wanted == "owner" else 1)
            expect(box.get_by_role("button", name="Delete channel")).to_have_count(1 if wanted == "owner" else 0)
            expect(box.get_by_role("button", name="Edit the channel")).to_have_count(1 if wanted == "owner" else 0)
            picture(visitor, f"channel-info-{wanted}")
            box.get_by_role("button", name="Chat relays").click()
            if wanted == "owner":
                for status in relays:
                    expect(page.locator(f".dot.{status}")).to_have_count(1)
            else:
                expect(box.locator("li")).to_have_count(1)
            check(page, f"relays: {wanted}")
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Details of the chat").click()
            box.get_by_role("button", name="Owners", exact=wanted == "observer").click()
            expect(box.get_by_role("heading", name="Subscribers")).to_have_count(1 if wanted == "owner" else 0)
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Details of the chat").click()
            box.get_by_role("button", name="Channel link").click()
            expect(box.locator("output.address")).to_have_text(group["groupProfile"]["publicGroup"]["groupLink"])
            visitor.close()


def own_channel(chromium):
    """A channel is made in the page of one gateway, and served by the chat relay of another one; a page reads it."""
    with browser.NewGateway() as serving, browser.support.Gateway("--no-file-relay") as gateway:
        for name in ("first relay", "second relay"):
            serving.call("POST", "/v1/users", {"profile": {"displayName": name, "fullName": ""}, "userChatRelay": True})
        first, second = (serving.call("POST", f"/v1/users/{user}/address", {})["connLinkContact"]["connShortLink"] for user in (1, 2))
        alice, bob = browser.Visitor(chromium, gateway, FILES), browser.Visitor(chromium, gateway, FILES)
        page, box = alice.page, alice.page.get_by_role("dialog").last
        alice.sign_in(place="#/1")
        page.get_by_role("button", name="New chat").click()
        page.get_by_role("button", name="New channel").click()
        page.get_by_label("Name", exact=True).fill("the news")
        page.get_by_label("Welcome message").fill("Welcome, <b>reader</b>")
        # Only what is a chat relay is taken for one.
        alice.awaits_outage = True
        page.get_by_label("Another chat relay").fill("https://example.org/r#nothing")
        page.get_by_role("button", name="Create channel").click()
        expect(page.get_by_role("alert")).not_to_be_empty()
        page.get_by_label("Another chat relay").fill(first)
        check(page, "new channel")
        picture(alice, "channel-new")
        page.get_by_role("button", name="Create channel").click()
        expect(page.get_by_alt_text("QR code of the link")).to_be_visible(timeout=60_000)
        link = page.locator("output.address").inner_text()
        picture(alice, "channel-made")
        page.keyboard.press("Escape")
        expect(page.get_by_role("heading", name="the news")).to_be_visible()

        def details(name):
            page.get_by_role("button", name="Details of the chat").click()
            page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()

        # The relay is ready, and a second one is added.
        details("Chat relays")
        expect(page.locator(".dot.active")).to_have_count(1, timeout=60_000)
        page.get_by_role("button", name="Add relays").click()
        page.get_by_label("Another chat relay").fill(second)
        page.get_by_role("button", name="Add relays").last.click()
        expect(page.locator(".dot.active")).to_have_count(2, timeout=60_000)
        picture(alice, "channel-relays")
        page.keyboard.press("Escape")
        alice.write("before anybody")
        expect(page.locator("chat-item-view", has_text="before anybody").get_by_role("img", name="Delivered")).to_be_visible()

        bob.sign_in(place="#/2")
        bob.page.get_by_role("button", name="New chat").click()
        bob.page.get_by_role("button", name="Connect by a link").click()
        bob.page.get_by_role("textbox", name="Link").fill(link)
        bob.page.get_by_role("button", name="Connect", exact=True).click()
        bob.page.get_by_role("button", name="Join", exact=True).click()
        posts = bob.page.locator("chat-item-view")
        expect(posts.filter(has_text="before anybody")).to_have_count(1, timeout=60_000)
        expect(bob.page.locator(".foot")).to_have_text("You can read here, and not write.")
        alice.write("the *first* post")
        expect(posts.filter(has_text="the first post").locator("strong")).to_have_text("first")
        expect(posts.locator(".sender").first).to_contain_text("the news")
        react(bob, posts.filter(has_text="the first post"), "🚀")
        expect(page.locator("chat-item-view", has_text="the first post").locator(".reactions")).to_contain_text("🚀")
        act(alice, page.locator("chat-item-view", has_text="the first post"), "Edit")
        alice.write("the first post, edited")
        expect(posts.filter(has_text="edited")).to_have_count(1)
        expect(page.locator("chat-view header")).to_contain_text("2 subscribers")
        picture(alice, "channel-own")
        picture(bob, "channel-read")

        # A subscriber who may write does so in his own name.
        details("Owners and subscribers")
        check(page, "subscribers")
        box.get_by_role("button", name="bob").click()
        page.get_by_role("button", name="Change the role").click()
        page.get_by_role("combobox", name="Role").select_option("member")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog")).to_have_count(1)
        page.keyboard.press("Escape")
        bob.write("a comment of mine")
        comment = page.locator("chat-item-view", has_text="a comment of mine")
        expect(comment.locator(".sender")).to_contain_text("bob")
        # The name above a message leads to the channel or to the author, also by keys.
        bob.page.locator(".sender").first.press("Enter")
        expect(bob.page.get_by_role("dialog", name="the news")).to_contain_text("Welcome, <b>reader</b>")
        bob.page.keyboard.press("Escape")
        comment.get_by_role("button", name="About bob").click()
        expect(page.get_by_role("dialog", name="bob")).to_contain_text("member")
        page.keyboard.press("Escape")
        details("Edit the channel")
        expect(page.get_by_label("Moderators let new members in")).to_have_count(0)
        page.get_by_label("Name", exact=True).fill("the newest")
        page.get_by_role("button", name="Save").click()
        expect(bob.page.get_by_role("heading", name="the newest")).to_be_visible()

        # One that is not used any more is not offered for other channels.
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Servers", exact=True).click()
        page.get_by_label("Chat relay second relay").uncheck()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="New chat").click()
        page.get_by_role("button", name="New channel").click()
        expect(page.get_by_label("first relay")).to_be_checked()
        expect(page.get_by_label("second relay")).to_have_count(0)
        page.keyboard.press("Escape")

        # One relay is enough.
        details("Chat relays")
        page.get_by_role("button", name="Remove second relay").click()
        page.get_by_role("button", name="Remove", exact=True).click()
        expect(page.locator(".dot")).to_have_count(1)
        page.keyboard.press("Escape")
        alice.write("by one relay")
        expect(posts.filter(has_text="by one relay")).to_have_count(1)

        details("Owners and subscribers")
        box.get_by_role("button", name="bob").click()
        page.get_by_role("button", name="Remove", exact=True).click()
        expect(page.get_by_role("dialog").last).to_contain_text("The subscriber leaves the channel")
        page.get_by_role("button", name="Remove", exact=True).last.click()
        expect(bob.page.locator(".foot")).to_have_text("You are not in this channel.")
        expect(page.get_by_role("dialog")).to_have_count(1)
        page.keyboard.press("Escape")
        details("Delete channel")
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("link", name="the newest")).to_have_count(0)
        alice.close()
        bob.close()


class Site(http.server.BaseHTTPRequestHandler):
    """A page of somebody else, with a picture."""

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


def link_cards(chromium):
    """Cards are made of links only where somebody has asked for it, by the gateway, if it was started so."""
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{site.server_port}/article"
    with browser.support.Gateway("--no-file-relay", "--link-previews", "--link-preview-allow", "127.0.0.1") as gateway, browser.support.Gateway("--no-file-relay") as silent:
        alice, bob = browser.Visitor(chromium, gateway, FILES), browser.Visitor(chromium, gateway, FILES)
        page, box = alice.page, alice.page.get_by_role("textbox", name="Message")
        alice.sign_in(place=f"#/1/direct/{gateway.bob}")
        bob.sign_in(place=f"#/2/direct/{gateway.alice}")

        def make_cards(page):
            page.get_by_role("button", name="Profile alice").click()
            page.get_by_role("button", name="Make cards of links").click()
            expect(page.get_by_role("dialog")).to_contain_text("learn the address of the gateway")
            page.get_by_role("button", name="Make cards of links").last.click()

        # Off by default: the draft is saved when the text has rested, and nothing is asked for.
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
        # One that is not wanted is left out, and asked for no more.
        box.fill(f"once more: {address}")
        page.get_by_role("button", name="Send no card").click()
        box.press("Enter")
        expect(bob.page.locator("chat-item-view", has_text="once more")).to_be_visible()
        expect(card).to_have_count(1)
        alice.close()
        bob.close()

        other = browser.Visitor(chromium, silent, FILES)
        other.awaits_outage = True
        other.sign_in(place=f"#/1/direct/{silent.bob}")
        expect(other.page.get_by_role("textbox", name="Message")).to_be_visible()
        make_cards(other.page)
        other.page.get_by_role("textbox", name="Message").fill(address)
        expect(other.page.get_by_text("started without --link-previews")).to_be_visible()
        other.write(address)
        expect(other.page.locator("chat-item-view", has_text=address)).to_be_visible()
        assert len(Site.asked) == 4, Site.asked
        other.close()
    site.shutdown()


def listed(page, name):
    """The entry of a chat in the list, by its own name."""
    return page.locator("chat-preview-view", has=page.locator(".name", has_text=name)).get_by_role("link")


def selection_and_info(chromium):
    """Chosen items are forwarded or deleted; an item shows its versions and its delivery, and a quote leads to its item."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
        say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": f"line {number}"} for number in range(60)])
        gateway.bob_says("the last one")
        alice = browser.Visitor(chromium, gateway, FILES, permissions=["clipboard-read", "clipboard-write"])
        page, item = alice.page, lambda text: alice.page.locator("chat-item-view", has=alice.page.locator("framed-item-view > msg-content-view").filter(has_text=re.compile(f"^{text}$")))
        alice.sign_in(place=f"#/1/direct/{gateway.bob}")
        page.get_by_role("button", name="To the last message").click()
        expect(item("the last one")).to_be_in_viewport()

        # Several are chosen by pressing their boxes, and forwarded in their order.
        act(alice, item("line 57"), "Select")
        expect(page.get_by_role("heading", name="1 selected")).to_be_visible()
        item("line 55").locator("msg-content-view").click(force=True)
        expect(item("line 55").get_by_role("checkbox")).to_be_checked()
        item("line 59").get_by_role("checkbox").check()
        item("line 59").get_by_role("checkbox").uncheck()
        expect(page.get_by_role("heading", name="2 selected")).to_be_visible()
        picture(alice, "selection")
        page.get_by_role("button", name="Forward", exact=True).click()
        page.get_by_role("searchbox", name="Search chats").last.fill("tea")
        page.get_by_role("dialog").get_by_role("button", name="team").click()
        page.wait_for_url(f"**/app#/1/group/{group}")
        rows = page.locator("framed-item-view")
        expect(rows).to_have_count(2)
        assert [re.search(r"line \d+", text)[0] for text in rows.all_inner_texts()] == ["line 55", "line 57"]
        expect(rows.first).to_contain_text("Forwarded")
        # A forwarded item names its origin, and leads there.
        act(alice, page.locator("chat-item-view", has_text="line 57"), "Info")
        expect(page.get_by_role("dialog")).to_contain_text(re.compile("from\\s*bob"))
        page.get_by_role("dialog").get_by_role("button", name="Open").click()
        expect(page).to_have_url(f"{gateway.url}/app#/1/direct/{gateway.bob}")
        expect(item("line 57")).to_be_in_viewport()
        expect(item("line 57")).to_be_focused()

        expect(item("the last one")).to_be_in_viewport()
        act(alice, item("line 58"), "Select")
        item("line 59").get_by_role("checkbox").check()
        # An item stays chosen after the page has unloaded it.
        page.evaluate("""async () => {
            const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
            const { app } = await import(`${files}model/app.js`)
            let session = app.session
            const without = im => ({ ...im, reversedChatItems: im.reversedChatItems.filter(item => item.meta.itemText != "line 58") })
            // Whatever changes meanwhile, as what is read does.
            Object.defineProperty(app, "session", { set(now) { session = now }, get: () => session && { ...session, im: without(session.im) } })
            app.emit("session")
        }""")
        expect(item("line 58")).to_have_count(0)
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("Delete 2 messages?")
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(item("line 59")).to_have_count(0)
        assert not {"line 58", "line 59"} & {it["meta"]["itemText"] for it in gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}?count=100")["chat"]["chatItems"]}
        expect(page.get_by_role("heading", name="bob")).to_be_visible()
        act(alice, item("line 57"), "Select")
        page.keyboard.press("Escape")
        expect(page.get_by_role("checkbox")).to_have_count(0)
        act(alice, item("line 57"), "Copy")
        expect(page.get_by_text("Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == "line 57"

        # Own ones can be deleted for everyone, if all that are chosen can.
        for text in ("own one", "own two"):
            alice.write(text)
            expect(item(text).get_by_role("img", name="Delivered")).to_be_visible()
        act(alice, item("own one"), "Select")
        item("own two").click()
        item("line 57").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("Others keep it.")
        page.keyboard.press("Escape")
        item("line 57").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("menuitem", name="Delete for everyone").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        theirs = lambda: [item for item in gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"] if item["meta"]["itemText"].startswith("own")]
        gateway.until(lambda: all(it["meta"].get("itemDeleted") for it in theirs()), "they are deleted for bob too")
        expect(page.get_by_role("checkbox")).to_have_count(0)

        # A quote leads to its item, which is far away.
        page.get_by_role("button", name="Search messages").click()
        page.get_by_role("searchbox", name="Search messages").fill("line 3")
        page.get_by_role("dialog").get_by_role("button", name=re.compile("line 3$")).click()
        act(alice, item("line 3"), "Reply")
        expect(page.locator(".about")).to_contain_text("line 3")
        alice.write("an answer")
        expect(item("an answer")).to_be_in_viewport()
        item("an answer").get_by_role("button", name="Show the message that is quoted").click()
        expect(item("line 3")).to_be_in_viewport()
        expect(item("line 3")).to_be_focused()
        page.get_by_role("button", name="To the last message").click()

        # All versions of what was edited.
        alice.write("version *one*")
        act(alice, item("version one"), "Edit")
        alice.write("version two")
        edited = page.locator("chat-item-view", has_text="version two")
        expect(edited.get_by_role("img", name="Edited")).to_be_visible()
        act(alice, edited, "Info")
        versions = page.get_by_role("dialog").locator("ol.versions li")
        expect(versions).to_have_count(2)
        expect(versions.filter(has_text="version one").locator("strong")).to_have_text("one")
        check(page, "info")
        page.keyboard.press("Escape")
        alice.close()


def members_and_mentions(chromium):
    """A mention is seen in the list, moderators delete for all, and a message tells for each member how far it got."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
        gateway.call("POST", f"/v1/users/1/groups/{group}/members", {"contactId": gateway.bob, "memberRole": "member"})
        bobs = gateway.until(lambda: gateway.call("GET", "/v1/users/2/groups")["groups"], "bob is invited")[0]
        bobs = (bobs.get("groupInfo") or bobs)["groupId"]
        alice, bob = browser.Visitor(chromium, gateway, FILES), browser.Visitor(chromium, gateway, FILES)
        bob.sign_in(place=f"#/2/group/{bobs}")
        # An invitation is accepted in the chat.
        bob.page.get_by_role("button", name="Join", exact=True).click()
        alice.sign_in(place="#/1")
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/groups/{group}/members")["group"]["members"][0]["memberStatus"] in ("connected", "complete"), "bob is in")
        expect(bob.page.get_by_role("textbox", name="Message")).to_be_visible()
        # The settings of a group are one line, until somebody wants them all.
        settings = bob.page.locator("ci-chat-feature-view:visible")
        expect(settings).to_have_count(1)
        bob.page.get_by_role("button", name=re.compile(r"^[0-9]+ more settings$")).click()
        expect(settings.filter(has_text="Recent history")).to_be_visible()
        expect(bob.page.get_by_role("button", name="more settings")).to_have_count(0)
        # The items of a group are in the order of the relay's whole seconds: a message of the second of "bob connected" is before that event, and the next one after it.
        connected = int(time.time())
        gateway.until(lambda: int(time.time()) > connected, "the second in which bob connected is over")
        box = bob.page.get_by_role("textbox", name="Message")
        box.press_sequentially("hello @alice, and others")
        gateway.until(lambda: bob.page.evaluate(DOCUMENTS)["session"]["membersLoaded"], "the members are known")
        box.press("Enter")
        expect(listed(alice.page, "team").get_by_role("img", name="1 mention")).to_be_visible()
        picture(alice, "mention")
        listed(alice.page, "team").click()
        said = alice.page.locator("chat-item-view", has_text="hello @alice")
        expect(said.locator(".mention")).to_have_text("@alice")
        expect(said.locator(".sender")).to_contain_text("bob")
        expect(alice.page.get_by_role("img", name="1 mention")).to_have_count(0)
        bob.write("and one more")
        again = alice.page.locator("chat-item-view", has_text="and one more")
        expect(again).to_be_visible()
        # The first of several messages of one sender has the name, and the last has the picture.
        expect(again.locator(".sender")).to_have_count(0)
        expect(again.locator("profile-image")).to_have_count(1)
        expect(said.locator("profile-image")).to_have_count(0)

        act(alice, again, "Delete as a moderator")
        alice.page.get_by_role("button", name="Delete", exact=True).click()
        expect(bob.page.locator("chat-item-view", has_text="eleted by")).to_be_visible()
        alice.write("for all members")
        own = alice.page.locator("chat-item-view", has_text="for all members")
        expect(own.get_by_role("img", name="Delivered")).to_be_visible()
        act(alice, own, "Info")
        expect(alice.page.get_by_role("dialog").locator("ul.versions li")).to_contain_text("bob")
        expect(alice.page.get_by_role("dialog").get_by_role("img", name="Delivered")).to_be_visible()
        alice.page.keyboard.press("Escape")

        # Disappearing messages and live messages.
        gateway.call("PUT", f"/v1/users/1/contacts/{gateway.bob}/preferences", {"preferences": {"timedMessages": {"allow": "yes", "ttl": 3600}}})
        gateway.call("PUT", f"/v1/users/2/contacts/{gateway.alice}/preferences", {"preferences": {"timedMessages": {"allow": "yes", "ttl": 3600}}})
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"]["mergedPreferences"]["timedMessages"]["enabled"]["forUser"], "both allow it")
        listed(alice.page, "bob").click()
        say(gateway, 2, f"direct/{gateway.alice}", {"type": "text", "text": "gone in a moment"}, ttl=6)
        gone = alice.page.locator("chat-item-view", has_text="gone in a moment")
        expect(gone.get_by_role("img", name="Disappears after a time")).to_be_visible()
        seconds = []
        gateway.until(lambda: ((found := re.findall(r"(\d)s", " ".join(gone.all_inner_texts()))) and seconds.append(int(found[-1]))) or len(set(seconds)) > 2, "its seconds run down")
        assert seconds == sorted(seconds, reverse=True), seconds
        expect(gone).to_have_count(0)
        live = say(gateway, 2, f"direct/{gateway.alice}", {"type": "text", "text": "I am wri"}, live=True)[0]["chatItem"]["meta"]["itemId"]
        line = alice.page.locator("chat-item-view", has_text="I am wri")
        expect(line).to_contain_text("LIVE")
        gateway.call("PATCH", f"/v1/users/2/chats/direct/{gateway.alice}/items/{live}", {"updatedMessage": {"msgContent": {"type": "text", "text": "I am writing it all"}, "mentions": {}}})
        expect(line).to_contain_text("writing it all")
        expect(line).not_to_contain_text("LIVE")
        alice.close()
        bob.close()


def chat_list(chromium):
    """Search, filters, favourites on top, muted ones, and the way through the list by keys."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        for name in ("anvil", "birch", "cedar"):
            gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": name, "fullName": f"The {name}"}})
        gateway.bob_says("news")
        visitor = browser.Visitor(chromium, gateway, FILES)
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
        page.get_by_role("button", name="Details of the chat").click()
        page.get_by_role("dialog").get_by_role("button", name="Favourite", exact=True).click()
        expect(page.get_by_role("img", name="Favourite")).to_be_visible()
        page.get_by_role("button", name="Favourites").click()
        gateway.until(lambda: names() == ["anvil"], "the favourite is shown")
        page.get_by_role("button", name="Favourites").click()
        # A tag shows its unread count; frequent actions need no open chat.
        tag = gateway.call("POST", "/v1/users/1/tags", {"text": "friends", "emoji": "🌳"})["userTags"][0]["chatTagId"]
        gateway.call("PUT", f"/v1/users/1/chats/direct/{gateway.bob}/tags", {"tagIds": [tag]})
        chip = page.get_by_role("button", name="🌳 friends")
        expect(chip.get_by_role("img", name="1 unread")).to_be_visible()
        for entry, sign, count in (("Mark as read", "1 unread", 0), ("Mark as unread", "marked unread", 1), ("Mark as read", "marked unread", 0), ("Mute", "Muted", 1), ("Unmute", "Muted", 0)):
            listed(page, "bob").click(button="right")
            check(page, "menu of a chat")
            page.get_by_role("menuitem", name=entry, exact=True).click()
            expect(page.locator("chat-list-view .rows").get_by_role("img", name=sign)).to_have_count(count)
        expect(chip.get_by_role("img")).to_have_count(0)
        listed(page, "Private notes").click(button="right")
        expect(page.get_by_role("menuitem")).to_have_text(["Mark as unread"])
        page.keyboard.press("Escape")
        # By keys alone: up and down, and into the chat.
        listed(page, "bob").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        wanted = names()[2]
        expect(listed(page, wanted)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=wanted)).to_be_visible()
        visitor.close()


def tab_to(page, name, most=60):
    """Goes on by the tab key until something of this name has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        shown = page.evaluate("""() => {
            const it = document.activeElement
            return [it.getAttribute("aria-label"), it.labels?.[0]?.textContent, it.textContent, it.getAttribute("placeholder")].filter(Boolean).join(" ")
        }""")
        if name in shown:
            return
    raise AssertionError(f"The tab key does not lead to {name}")


def keyboard_alone(chromium):
    """From the key to a message, a reaction and an answer, without a mouse; what is closed gives the focus back."""
    with browser.NewGateway() as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        page, keys = visitor.page, visitor.page.keyboard
        visitor.open()
        expect(page.get_by_label("Key")).to_be_focused()
        keys.type(gateway.key)
        keys.press("Enter")
        expect(page.get_by_label("Name")).to_be_focused()
        keys.type("alice")
        keys.press("Enter")
        expect(page.get_by_role("link", name="Private notes")).to_be_visible()
        tab_to(page, "New chat")
        keys.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        keys.press("Escape")
        expect(page.get_by_role("button", name="New chat")).to_be_focused()
        tab_to(page, "Private notes")
        keys.press("Enter")
        expect(page.get_by_role("textbox", name="Message")).to_be_focused()
        keys.type("by keys alone")
        keys.press("Enter")
        row = page.locator("chat-item-view", has_text="by keys alone")
        expect(row).to_be_visible()
        expect(page.get_by_role("textbox", name="Message")).to_have_value("")
        # The key ArrowUp edits the last message, and Escape ends the edit.
        keys.press("ArrowUp")
        expect(page.locator(".about")).to_contain_text("Editing")
        keys.press("Escape")
        expect(page.locator(".about")).to_be_empty()
        keys.press("Shift+Tab")
        keys.press("Shift+Tab")
        tab_to(page, "Actions")
        keys.press("Enter")
        expect(page.get_by_role("menu")).to_be_visible()
        keys.press("End")
        expect(page.get_by_role("menuitem", name="Delete for me")).to_be_focused()
        keys.press("Escape")
        expect(row.get_by_role("button", name="Actions")).to_be_focused()
        keys.press("Enter")
        keys.press("End")
        keys.press("Enter")
        expect(page.get_by_role("dialog")).to_contain_text("Delete 1 message?")
        expect(page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True)).to_be_focused()
        keys.press("Enter")
        expect(row).to_have_count(0)
        visitor.close()


def changed_profiles(chromium):
    """Content and drafts of one profile do not appear in another profile that is opened after it."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        visitor.awaits_outage = True
        page, asked = visitor.page, []

        def refuse(route):
            asked.append((route.request.url, route.request.post_data_json["itemIds"]))
            route.fulfill(status=503, json={"code": "unavailable"})

        page.route("**/items/read", refuse)
        gateway.bob_says("for alice alone")
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(page.locator("chat-item-view", has_text="for alice alone")).to_be_visible()
        gateway.until(lambda: asked or page.wait_for_timeout(50), "it is read")
        page.get_by_role("textbox", name="Message").fill("a draft of alice")
        page.evaluate(f"location.hash = '#/2/direct/{gateway.alice}'")
        expect(page.get_by_role("heading", name="alice")).to_be_visible()
        expect(page.get_by_role("textbox", name="Message")).to_have_value("")
        asked.clear()
        for _ in range(3):
            page.evaluate("dispatchEvent(new Event('focus')); document.dispatchEvent(new Event('visibilitychange'))")
            page.wait_for_timeout(700)
        assert not asked, asked
        drafts = lambda user: [draft["message"] for draft in gateway.call("GET", f"/v1/users/{user}/model")["model"]["drafts"].values()]
        assert drafts(1) == ["a draft of alice"] and drafts(2) == [], (drafts(1), drafts(2))
        # A dialog of the one is not left open over the other.
        page.get_by_role("button", name="Details of the chat").click()
        page.evaluate(f"location.hash = '#/1/direct/{gateway.bob}'")
        expect(page.get_by_role("textbox", name="Message")).to_have_value("a draft of alice")
        expect(page.get_by_role("dialog")).to_have_count(0)
        visitor.close()


def media_by_itself(chromium):
    """Pictures, videos and voice messages are received when they are seen, up to the sizes of the apps, unless the settings of the app say no."""
    with browser.support.Gateway("--file-relay-port", "0") as gateway:
        def send(kind, size, name):
            request = urllib.request.Request(f"{gateway.url}/v1/users/1/files?name={name.replace(' ', '-')}", data=b"\xff\xd8\xff" + os.urandom(size - 3), headers={"Authorization": f"Bearer {gateway.key}", "Content-Type": "application/octet-stream"}, method="POST")
            source = json.loads(urllib.request.urlopen(request).read())["fileSource"]
            content = {"type": kind, "text": name, **({"image": PICTURE} if kind != "voice" else {}), **({"duration": 3} if kind != "image" else {})}
            gateway.call("POST", f"/v1/users/1/chats/direct/{gateway.bob}/messages", {"composedMessages": [{"msgContent": content, "mentions": {}, "fileSource": source}]})

        send("voice", 20_000, "far above")
        say(gateway, 1, f"direct/{gateway.bob}", *[{"type": "text", "text": f"line {line}"} for line in range(60)])
        sizes = {"image": (500_000, 530_000), "video": (1_000_000, 1_100_000), "voice": (500_000, 530_000)}
        for kind, (small, large) in sizes.items():
            send(kind, small, f"small {kind}")
            send(kind, large, f"large {kind}")
        files = lambda: {item["content"]["msgContent"]["text"]: item["file"]["fileStatus"]["type"] for item in gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}?count=100")["chat"]["chatItems"] if item.get("file")}
        gateway.until(lambda: len(files()) == 7, "bob has them all")
        # A chat without unread items opens at the end.
        gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/read")
        bob = browser.Visitor(chromium, gateway, FILES)
        # The browser reports that it cannot decode the bytes.
        bob.awaits_outage = True
        page = bob.page
        # With the setting off, no file is received by itself.
        gateway.call("PUT", "/v1/settings/app", {"privacyAcceptImages": False})
        bob.sign_in(place=f"#/2/direct/{gateway.alice}")
        expect(page.locator("chat-item-view", has_text="large voice")).to_be_in_viewport()
        page.wait_for_timeout(1500)
        assert set(files().values()) == {"rcvInvitation"}, files()
        page.get_by_role("button", name="Profile bob").click()
        page.get_by_role("button", name="Media").click()
        page.get_by_label("Receive small pictures").check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.reload()
        expect(page.locator("chat-item-view", has_text="large voice")).to_be_visible()
        while not page.locator("chat-item-view", has_text="small image").evaluate("it => it.getBoundingClientRect().top > 100"):
            page.locator("chat-view .scroller").evaluate("it => it.scrollBy(0, -200)")
            page.wait_for_timeout(200)
        gateway.until(lambda: all(files()[f"small {kind}"] == "rcvComplete" for kind in sizes), "the small ones are here")
        assert {name for name, status in files().items() if status == "rcvInvitation"} == {"far above", "large image", "large video", "large voice"}, files()
        for _ in range(10):
            page.locator("chat-view .scroller").evaluate("it => it.scrollTo(0, 0)")
            page.wait_for_timeout(200)
        gateway.until(lambda: files()["far above"] == "rcvComplete", "that above is here when it is seen")
        bob.close()


# Names of files to play, with other bytes.
NO_MEDIA = {
    "page.mp4": b"<!doctype html><script>window.hit=1</script>", "picture.mp4": b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.hit=1'/>", "code.m4a": b"window.hit = 1", "list.m4a": b"#EXTM3U\nhttp://example.org/x.ts",
    "picture.m4a": base64.b64decode(PICTURE.split(",")[1]), "archive.webm": b"PK\x03\x04" + bytes(60), "nothing.ogg": b"\0",
}


def media_by_bytes(chromium):
    """A file without bytes of video or sound gets no element that plays, whatever its name, and can be saved."""
    with browser.support.Gateway("--file-relay-port", "0") as gateway:
        for name, content in NO_MEDIA.items():
            request = urllib.request.Request(f"{gateway.url}/v1/users/1/files?name={name}", data=content, headers={"Authorization": f"Bearer {gateway.key}", "Content-Type": "application/octet-stream"}, method="POST")
            source = json.loads(urllib.request.urlopen(request).read())["fileSource"]
            described = {"type": "video", "image": PICTURE, "duration": 3, "text": name} if name.endswith(("mp4", "webm")) else {"type": "voice", "duration": 3, "text": name}
            gateway.call("POST", f"/v1/users/1/chats/direct/{gateway.bob}/messages", {"composedMessages": [{"msgContent": described, "mentions": {}, "fileSource": source}]})
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        # The page must not make an audio element either.
        page.add_init_script("window.Audio = class { constructor(address) { window.hit = address } }")
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        for name in NO_MEDIA:
            row = page.locator("chat-item-view", has_text=name)
            row.get_by_role("button", name="Play").click()
            notice = page.locator(".notices p", has_text="The browser cannot play this.")
            expect(notice).to_have_count(1)
            notice.evaluate("it => it.remove()")
        assert page.locator("chat-view video, audio, dialog").count() == 0
        assert page.evaluate("window.hit") is None
        with page.expect_download() as download:
            act(visitor, page.locator("chat-item-view", has_text="page.mp4"), "Save")
        assert pathlib.Path(download.value.path()).read_bytes() == NO_MEDIA["page.mp4"]
        visitor.close()


def composing(chromium):
    """Mentions are chosen from a list, messages go for a time, or are read while they are written."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        gateway.call("PUT", "/v1/users/2/profile", {"profile": {"displayName": "Bob de Vries", "fullName": ""}})
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
        gateway.call("POST", f"/v1/users/1/groups/{group}/members", {"contactId": gateway.bob, "memberRole": "member"})
        bobs = gateway.until(lambda: gateway.call("GET", "/v1/users/2/groups")["groups"], "bob is invited")[0]
        gateway.call("POST", f"/v1/users/2/groups/{(bobs.get('groupInfo') or bobs)['groupId']}/join")
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/groups/{group}/members")["group"]["members"][0]["memberStatus"] in ("connected", "complete"), "bob is in")
        # An alias for a contact goes to nobody.
        gateway.call("PUT", f"/v1/users/1/contacts/{gateway.bob}/alias", {"localAlias": "grumpy"})
        alice, bob = browser.Visitor(chromium, gateway, FILES), browser.Visitor(chromium, gateway, FILES)
        bob.sign_in(place="#/2")
        alice.sign_in(place=f"#/1/group/{group}")
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
        # A name that only begins so is another one.
        box.fill("@'Bob de Vriesland' is nobody")
        box.press("Enter")
        expect(page.locator("chat-item-view", has_text="is nobody")).to_be_visible()
        expect(listed(bob.page, "team").get_by_role("img", name="2 unread")).to_be_visible()
        expect(listed(bob.page, "team").get_by_role("img", name="1 mention")).to_be_visible()

        for user, other in ((1, gateway.bob), (2, gateway.alice)):
            gateway.call("PUT", f"/v1/users/{user}/contacts/{other}/preferences", {"preferences": {"timedMessages": {"allow": "yes"}}})
        page.evaluate(f"location.hash = '#/1/direct/{gateway.bob}'")
        listed(bob.page, "alice").click()
        box.fill("gone after a minute")
        page.get_by_role("button", name="Other ways to send").click()
        page.get_by_role("menuitem", name="Disappears after a minute").click()
        expect(bob.page.locator("chat-item-view", has_text="gone after a minute").get_by_role("img", name="Disappears after a time")).to_be_visible()
        sent = gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}")["chat"]["chatItems"][-1]
        assert sent["meta"]["itemTimed"]["ttl"] == 60, sent["meta"]
        # The next one is as all are.
        alice.write("for ever")
        expect(page.locator("chat-item-view", has_text="for ever")).to_be_visible()
        assert "itemTimed" not in gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}")["chat"]["chatItems"][-1]["meta"]

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
        # Another chat ends the live message.
        box.fill("cut")
        page.get_by_role("button", name="Other ways to send").click()
        page.get_by_role("menuitem", name="Live message").click()
        expect(bob.page.locator("chat-item-view", has_text="cut")).to_contain_text("LIVE")
        listed(page, "team").click()
        expect(bob.page.locator("chat-item-view", has_text="cut")).not_to_contain_text("LIVE")
        alice.close()
        bob.close()


def invitations(chromium):
    """An invitation to a group is accepted or not, a member is known by its name and its picture, and only mentions are notified of if that is wanted."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        bob, alice = browser.Visitor(chromium, gateway, FILES), browser.Visitor(chromium, gateway, FILES)
        groups = [gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": name, "fullName": ""}})["groupInfo"]["groupId"] for name in ("unwanted", "wanted")]
        for group in groups:
            gateway.call("POST", f"/v1/users/1/groups/{group}/members", {"contactId": gateway.bob, "memberRole": "member"})
        bob.sign_in(place=f"#/2/direct/{gateway.alice}")
        page, cards = bob.page, bob.page.locator("ci-group-invitation-view")
        expect(cards).to_have_count(2)
        cards.filter(has_text="unwanted").get_by_role("button", name="Reject").click()
        expect(listed(page, "unwanted")).to_have_count(0)
        expect(cards.filter(has_text="unwanted")).to_contain_text("rejected")
        listed(page, "wanted").click()
        expect(page.locator(".foot").get_by_role("button", name="Reject")).to_be_visible()
        page.locator(".foot").get_by_role("button", name="Join").click()
        alice.sign_in(place=f"#/1/group/{groups[1]}")
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/1/groups/{groups[1]}/members")["group"]["members"][0]["memberStatus"] in ("connected", "complete"), "bob is in")
        bob.write("here I am")
        row = alice.page.locator("chat-item-view", has_text="here I am")
        row.locator(".sender").click()
        expect(alice.page.get_by_role("dialog", name="bob").get_by_role("button", name="Write to the member")).to_be_visible()
        alice.page.keyboard.press("Escape")
        row.get_by_role("button", name="About bob").click()
        expect(alice.page.get_by_role("dialog", name="bob")).to_be_visible()
        alice.page.keyboard.press("Escape")

        stored = lambda: gateway.call("GET", f"/v1/users/1/groups/{groups[1]}")["groupInfo"]["chatSettings"]

        def details(name):
            alice.page.get_by_role("button", name="Details of the chat").click()
            alice.page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()

        # Whose code was compared is marked in the list.
        member = f"/v1/users/1/groups/{groups[1]}/members/{gateway.call('GET', f'/v1/users/1/groups/{groups[1]}/members')['group']['members'][0]['groupMemberId']}"
        gateway.call("POST", f"{member}/verify", {"connectionCode": gateway.call("GET", f"{member}/code")["connectionCode"]})
        alice.page.get_by_role("button", name="Details of the chat").click()
        expect(alice.page.get_by_role("dialog").locator("li", has_text="bob").get_by_role("img", name="verified")).to_be_visible()
        alice.page.keyboard.press("Escape")
        details("Notify only of mentions")
        gateway.until(lambda: stored()["enableNtfs"] == "mentions", "it is set")
        expect(alice.page.get_by_role("dialog")).to_have_count(0)
        details("Receipts")
        alice.page.get_by_role("combobox").select_option("do not send")
        alice.page.get_by_role("button", name="Save").click()
        gateway.until(lambda: stored().get("sendRcpts") is False and stored()["enableNtfs"] == "mentions", "that is set too")
        expect(alice.page.get_by_role("dialog")).to_have_count(0)
        details("Unmute")
        gateway.until(lambda: stored()["enableNtfs"] == "all", "it is set back")
        alice.page.get_by_role("button", name="Profile alice").click()
        before = gateway.call("GET", "/v1/users/1")["user"]["sendRcptsSmallGroups"]
        alice.page.get_by_role("button", name="Send no receipts to groups" if before else "Send receipts to small groups").click()
        gateway.until(lambda: gateway.call("GET", "/v1/users/1")["user"]["sendRcptsSmallGroups"] != before, "it is set")
        alice.close()
        bob.close()


def store_settings(chromium):
    """The gateway is stopped and started, its database copied, and its passphrase changed."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        alice = browser.Visitor(chromium, gateway, FILES)
        alice.awaits_outage = True
        page = alice.page
        alice.sign_in(place="#/1")

        def database():
            page.get_by_role("button", name="Profile alice").click()
            page.get_by_role("button", name="Database", exact=True).click()

        database()
        expect(page.get_by_role("button", name="Change the passphrase")).to_be_disabled()
        check(page, "database")
        archive, none = gateway.folder / "copy.zip", gateway.folder / "none.zip"
        none.write_text("no archive")
        for _ in range(2):
            page.get_by_role("button", name="Export", exact=True).click()
            with page.expect_download() as download:
                page.get_by_role("button", name="Export", exact=True).last.click()
            expect(page.get_by_text("Saved.").last).to_be_visible()
            download.value.save_as(archive)
        assert archive.stat().st_size > 10_000 and download.value.suggested_filename == "simplex.zip"
        page.get_by_role("button", name="Stop", exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).last.click()
        expect(page.get_by_role("dialog")).to_contain_text("The gateway is stopped")
        page.get_by_role("button", name="Change the passphrase").click()
        page.get_by_label("Present passphrase").fill("wrong")
        page.get_by_label("New passphrase").fill("a new one")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("alert").last).not_to_be_empty()
        alice.faults.clear()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(page.locator(".offline")).to_contain_text("The gateway is stopped")
        database()
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("It sends and receives.")
        page.keyboard.press("Escape")
        expect(page.locator(".offline")).to_be_hidden()
        # State of the network, and of a contact's queue.
        for info, banner in (({"networkType": "none", "online": False}, "The gateway has no network."), ({"networkType": "ethernet", "online": True}, "")):
            gateway.call("PUT", "/v1/settings/network-info", info)
            expect(page.locator(".offline")).to_have_text(banner)
        listed(page, "bob").click()
        expect(page.get_by_role("heading", name="bob")).to_be_visible()
        for status, words in (("pending", "connecting to the relay"), ("noSub", "not connected to the relay"), ("active", "")):
            for attempt in range(20):
                page.evaluate(SUBSCRIBED, status)
                try:
                    expect(page.locator("chat-view header small")).to_have_text(words, timeout=1_000)
                    break
                except AssertionError:
                    # An event of the gateway has changed the status meanwhile.
                    assert attempt < 19
        # An import replaces the profiles; a file that is no archive changes nothing.
        gateway.call("POST", "/v1/users", {"profile": {"displayName": "after the copy", "fullName": ""}})
        database()
        expect(page.get_by_role("button", name="Import", exact=True)).to_be_disabled()
        page.get_by_role("button", name="Stop", exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).last.click()
        for path in (none, archive):
            page.get_by_role("button", name="Import", exact=True).click()
            page.get_by_label("File", exact=True).set_input_files(path)
            page.get_by_role("button", name="Import", exact=True).last.click()
            expect(page.get_by_role("dialog").last).to_contain_text("All profiles here are deleted")
            check(page, "import")
            page.get_by_role("button", name="Import", exact=True).last.click()
            if path != archive:
                expect(page.get_by_role("alert").last).not_to_be_empty()
                page.keyboard.press("Escape")
        expect(page.get_by_role("heading", name="Choose a profile")).to_be_visible()
        expect(page.get_by_text("Imported.")).to_be_visible()
        alice.faults.clear()
        names = lambda: [entry["user"]["profile"]["displayName"] for entry in gateway.call("GET", "/v1/users")["users"]]
        assert sorted(names()) == ["alice", "bob"] and gateway.call("GET", "/v1/core")["type"] == "chatRunning"
        assert gateway.call("GET", "/v1/database/archives") == {"archives": []}
        page.get_by_role("button", name="alice", exact=True).click()
        # After its end there is another beginning.
        database()
        page.get_by_role("button", name="Stop", exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).last.click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("dialog").last).to_contain_text("All profiles are deleted")
        page.get_by_role("button", name="Delete", exact=True).last.click()
        expect(page.get_by_role("heading", name="Your first profile")).to_be_visible()
        assert names() == []
        page.get_by_label("Name").fill("new")
        page.get_by_role("button", name="Create profile").click()
        expect(page.get_by_role("button", name="Profile new")).to_be_visible()
        alice.faults.clear()
        alice.close()


SUBSCRIBED = """async type => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { app } = await import(`${files}model/app.js`)
    app.session = { ...app.session, chatSubStatus: { type } }
    app.emit("session")
}"""


def address_and_requests(chromium):
    """Many people can ask by one's address: some are let in, others not. The code of the address is that of the link."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        alice = browser.Visitor(chromium, gateway, FILES)
        # The browser itself reports the missing address.
        alice.awaits_outage = True
        page = alice.page
        alice.sign_in(place="#/1")
        page.get_by_role("button", name="New chat").click()
        page.get_by_role("button", name="My address").click()
        page.get_by_role("button", name="Create address").click()
        expect(page.get_by_alt_text("QR code of the link")).to_have_js_property("complete", True)
        link = page.locator("output.address").inner_text()
        page.keyboard.press("Escape")
        for user, name in ((3, "carol"), (4, "dave")):
            gateway.call("POST", "/v1/users", {"profile": {"displayName": name, "fullName": "", "shortDescr": f"{name} <i>asks"}})
            gateway.call("POST", f"/v1/users/{user}/connections", {"connLink": link})
        listed(page, "dave").click()
        expect(page.locator(".foot")).to_contain_text("wants to connect with you")
        page.get_by_role("button", name="Reject").click()
        expect(listed(page, "dave")).to_have_count(0)
        listed(page, "carol").click()
        page.get_by_role("button", name="Accept").click()
        expect(page.get_by_role("textbox", name="Message")).to_be_visible(timeout=60_000)
        alice.write("welcome")
        expect(page.locator("chat-item-view", has_text="welcome").get_by_role("img", name="Delivered")).to_be_visible(timeout=60_000)
        # Shown again it is the same, until it is deleted.
        page.get_by_role("button", name="New chat").click()
        page.get_by_role("button", name="My address").click()
        expect(page.locator("output.address")).to_have_text(link)
        # The settings decide about contact requests.
        page.get_by_role("button", name="Settings", exact=True).click()
        page.get_by_label("Accept all who ask").check()
        page.get_by_label("Message of welcome").fill("welcome to all")
        page.get_by_label("Contacts see the address").check()
        page.get_by_role("button", name="Save").click()
        settings = lambda: gateway.call("GET", "/v1/users/1/address")["contactLink"]["addressSettings"]
        gateway.until(lambda: settings().get("autoReply", {}).get("text") == "welcome to all" and settings()["autoAccept"] == {"acceptIncognito": False}, "it is set")
        gateway.until(lambda: gateway.call("GET", "/v1/users/1")["user"]["profile"].get("contactLink"), "contacts see it")
        page.get_by_role("button", name="Delete address").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        gateway.until(lambda: gateway.call("GET", "/v1/users/3/contacts")["contacts"], "carol has alice still")
        alice.close()


def another_device(chromium):
    """A desktop that is linked to the gateway as to a phone uses the same profile: what either does is in the other at once."""
    with browser.support.Gateway("--no-file-relay") as gateway, browser.NewGateway() as desktop:
        gateway.call("POST", "/v1/users/1/activate", {})
        visitor = browser.Visitor(chromium, gateway, FILES, permissions=["camera"])
        page = visitor.page
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        link = desktop.call("POST", "/v1/remote-hosts", {"address": {"address": "127.0.0.1", "interface": "lo"}})["invitation"]
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Linked devices").click()
        page.get_by_label("Link of the desktop").fill(link)
        page.get_by_role("button", name="Connect", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("Does the desktop show the same code?")
        code = gateway.call("GET", "/v1/remote-control/session")["sessionState"]["sessionCode"]
        expect(page.locator("output.address")).to_have_text(code)
        check(page, "linked devices")
        page.get_by_role("button", name="It is the same").click()
        expect(page.get_by_role("dialog")).to_contain_text("connected to")
        picture(visitor, "devices")
        page.keyboard.press("Escape")
        far = "/v1/remote-hosts/1/users/1"
        gateway.until(lambda: desktop.call("GET", "/v1/remote-hosts/1/session").get("sessionState", {}).get("type") == "connected", "the desktop is connected")
        chat = f"{far}/chats/direct/{gateway.bob}"
        theirs = lambda: [item["meta"]["itemText"] for item in desktop.call("GET", chat)["chat"]["chatItems"]]

        said = desktop.call("POST", f"{chat}/messages", {"composedMessages": [{"msgContent": {"type": "text", "text": "from the desktop"}, "mentions": {}}]})["chatItems"][0]["chatItem"]["meta"]["itemId"]
        mine = page.locator(f"#item{said}")
        expect(mine).to_contain_text("from the desktop")
        expect(mine.get_by_role("img", name="Delivered")).to_be_visible()
        desktop.call("PATCH", f"{chat}/items/{said}", {"updatedMessage": {"msgContent": {"type": "text", "text": "changed on the desktop"}, "mentions": {}}})
        expect(mine).to_contain_text("changed on the desktop")
        desktop.call("DELETE", f"{chat}/items", {"itemIds": [said], "mode": "internal"})
        expect(mine).to_have_count(0)
        visitor.write("from the page")
        gateway.until(lambda: "from the page" in theirs(), "the desktop has it")
        gateway.bob_says("for both")
        expect(page.locator("chat-item-view", has_text="for both")).to_be_visible()
        gateway.until(lambda: "for both" in theirs(), "the desktop has that too")
        # Read marks of the page reach the desktop; a chat that the desktop mutes is muted on the page.
        unread = lambda: next(chat["chatStats"]["unreadCount"] for chat in desktop.call("GET", f"{far}/chats")["chats"] if chat["chatInfo"]["type"] == "direct")
        gateway.until(lambda: unread() == 0, "it is read")
        desktop.call("PUT", f"{chat}/settings", {"enableNtfs": "none", "favorite": False})
        expect(page.get_by_role("img", name="Muted")).to_be_visible()

        def devices():
            page.get_by_role("button", name="Profile alice").click()
            page.get_by_role("button", name="Linked devices").click()

        # The desktop ends it, and it is said why there is no session; then it announces itself in the network, and is found and confirmed. The page sets the name of this gateway, which the desktop shows.
        desktop.call("DELETE", "/v1/remote-hosts/1/session")
        devices()
        expect(page.get_by_text("The desktop has ended the session.")).to_be_visible()
        page.get_by_role("button", name="Name of this gateway").click()
        page.get_by_role("textbox", name="Name of this gateway").fill("in the kitchen")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Look for a known desktop").click()
        expect(page.get_by_role("dialog")).to_contain_text("looking for")
        desktop.call("POST", "/v1/remote-hosts", {"remoteHostId": 1, "multicast": True})
        expect(page.get_by_role("dialog")).to_contain_text("found:", timeout=60_000)
        picture(visitor, "device-found")
        check(page, "a desktop that was found")
        page.get_by_role("button", name="Connect", exact=True).click()
        page.get_by_role("button", name="It is the same").click()
        expect(page.get_by_role("dialog")).to_contain_text("connected to")
        gateway.until(lambda: [host["hostDeviceName"] for host in desktop.call("GET", "/v1/remote-hosts")["remoteHosts"]] == ["in the kitchen"], "the desktop has the name")
        page.get_by_role("button", name="Disconnect").click()
        # A code is read as well as pasted.
        page.evaluate("() => { window.BarcodeDetector = class { async detect() { return [{ rawValue: 'xrcp:/read' }] } } }")
        page.keyboard.press("Escape")
        devices()
        page.get_by_role("button", name="Scan a QR code").click()
        expect(page.get_by_label("Link of the desktop")).to_have_value("xrcp:/read")
        visitor.close()


def installable(chromium):
    """The browser finds all that it needs of an application: the manifest without errors, its pictures, and an address that is the page."""
    with browser.NewGateway() as gateway:
        visitor = browser.Visitor(chromium, gateway)
        visitor.open()
        expect(visitor.page.get_by_label("Key")).to_be_visible()
        tools = visitor.context.new_cdp_session(visitor.page)
        found = tools.send("Page.getAppManifest")
        assert found["errors"] == [], found
        manifest, base = json.loads(found["data"]), found["url"]
        assert manifest["display"] == "standalone" and manifest["name"]
        for name in ("start_url", "scope", "id"):
            assert urllib.parse.urljoin(base, manifest[name]) == f"{gateway.url}/app"
        for icon in manifest["icons"]:
            size = visitor.page.evaluate("""async address => { const image = new Image(); image.src = address; await image.decode(); return [image.naturalWidth, image.naturalHeight] }""",
                                         urllib.parse.urljoin(base, icon["src"]))
            assert size[0] == size[1] > 0, (icon, size)
        purposes = {purpose for icon in manifest["icons"] for purpose in icon["purpose"].split()}
        assert purposes == {"any", "maskable"}, purposes
        # With a slash, as people write it.
        visitor.page.goto(f"{gateway.url}/app/#/1")
        expect(visitor.page).to_have_url(f"{gateway.url}/app#/1")
        expect(visitor.page.get_by_label("Key")).to_be_visible()
        visitor.close()


DOCUMENTS = """async () => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { app } = await import(`${files}model/app.js`)
    return { model: app.model, session: app.session, sessionId: app.sessionId }
}"""


def random_steps(chromium):
    """The model of the page, by patches, equals that of the gateway after a thousand steps of two people."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        random.seed(18)
        chats = {1: f"direct/{gateway.bob}", 2: f"direct/{gateway.alice}"}
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
        visitor = browser.Visitor(chromium, gateway, FILES)
        visitor.sign_in(place=f"#/1/{chats[1]}")
        expect(visitor.page.get_by_role("textbox", name="Message")).to_be_visible()
        sent = {1: [], 2: []}

        def step():
            user = random.choice((1, 2))
            path, own = f"/v1/users/{user}/chats/{chats[user]}", sent[user]
            what = random.choice(["say", "say", "say", "edit", "delete", "react", "settings", "draft", "tag", "group", "unread", "alias"])
            if what == "say" or (what in ("edit", "delete", "react") and not own):
                own.append(say(gateway, user, chats[user], {"type": "text", "text": f"text {random.random()} / ~ \u202e"})[0]["chatItem"]["meta"]["itemId"])
            elif what == "edit":
                gateway.call("PATCH", f"{path}/items/{random.choice(own)}", {"updatedMessage": {"msgContent": {"type": "text", "text": f"edited {random.random()}"}, "mentions": {}}})
            elif what == "delete":
                gateway.call("DELETE", f"{path}/items", {"itemIds": [own.pop(random.randrange(len(own)))], "mode": random.choice(["broadcast", "internal"])})
            elif what == "react":
                gateway.call("POST", f"{path}/items/{random.choice(own)}/reactions", {"add": True, "reaction": {"type": "emoji", "emoji": random.choice("👍🚀")}})
            elif what == "settings":
                gateway.call("PUT", f"{path}/settings", {"enableNtfs": random.choice(["all", "none"]), "favorite": random.random() < 0.5})
            elif what == "draft":
                gateway.call("PUT", f"/v1/users/1/model/drafts/group/{group}", {"message": f"draft {random.random()}"})
            elif what == "tag":
                gateway.call("POST", "/v1/users/1/tags", {"text": f"tag {random.random()}"})
            elif what == "group":
                say(gateway, 1, f"group/{group}", {"type": "text", "text": f"to the group {random.random()}"})
            elif what == "unread":
                gateway.call("PUT", f"{path}/unread", {"unreadChat": random.random() < 0.5})
            else:
                gateway.call("PUT", f"/v1/users/1/contacts/{gateway.bob}/alias", {"localAlias": f"alias {random.random()}"})

        for _ in range(1000):
            try:
                step()
            except urllib.error.HTTPError as refused:
                # A second reaction of the same kind, or an item that the other one has deleted.
                assert refused.code in (400, 404, 409, 422), (refused.code, refused.read())

        def agree():
            page = visitor.page.evaluate(DOCUMENTS)
            model = gateway.call("GET", "/v1/users/1/model")
            session = gateway.call("GET", f"/v1/users/1/sessions/{page['sessionId']}")["session"]
            return (page["model"], page["session"]) == (dict(model["model"]), session)

        gateway.until(agree, "the page and the gateway agree")
        visitor.close()


def used(tools):
    """The memory of the page in bytes, and its nodes, when what nothing refers to is gone."""
    tools.send("HeapProfiler.collectGarbage")
    return tools.send("Runtime.getHeapUsage")["usedSize"], tools.send("Memory.getDOMCounters")["nodes"]


def much(chromium):
    """Ten thousand chats, and a chat with thousands of items: what the page keeps does not grow. WEB_CLIENT_ITEMS says how many."""
    count = int(os.environ.get("WEB_CLIENT_ITEMS", "2000"))
    with browser.support.Gateway("--no-file-relay") as gateway:
        folder = gateway.call("GET", "/v1/users/1/model")["model"]["chats"]
        notes = next(chat["chatInfo"]["noteFolder"]["noteFolderId"] for chat in folder if chat["chatInfo"]["type"] == "local")
        for start in range(0, count, 100):
            gateway.call("POST", f"/v1/users/1/notes/{notes}/items", {"composedMessages": [{"msgContent": {"type": "text", "text": f"note {start + line}"}, "mentions": {}} for line in range(100)]})
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        visitor.sign_in(place=f"#/1/local/{notes}")
        expect(page.locator("chat-item-view", has_text=f"note {count - 1}")).to_be_in_viewport()
        scroller, rows = page.locator("chat-view .scroller"), page.locator("chat-item-view")
        tools = visitor.context.new_cdp_session(page)

        def scroll_to(goal, step):
            wanted, most = page.locator("chat-item-view").get_by_text(f"note {goal}", exact=True), 0

            def arrives():
                nonlocal most
                scroller.evaluate("(it, step) => it.scrollBy(0, step)", step)
                most = max(most, rows.count())
                return wanted.count() or page.wait_for_timeout(20)

            gateway.until(arrives, f"note {goal} is there", seconds=30 + count / 20)
            assert most < 500, most

        # One page up, so that what is measured at first has all that a chat needs.
        scroll_to(count - 200, -3000)
        first = used(tools)
        scroll_to(0, -3000)
        at_begin = used(tools)
        scroll_to(count - 1, 3000)
        numbers = rows.evaluate_all("rows => rows.map(row => Number(row.dataset.itemId))")
        assert numbers == sorted(set(numbers)), numbers
        # Far away and back, with gaps between what is loaded.
        for jump in range(20):
            goal = (jump * 7919 * 37) % count
            page.evaluate("id => document.querySelector('chat-view').goTo(id)", numbers[-1] - (count - 1 - goal))
            gateway.until(lambda: goal in lines_in_sight(page), f"note {goal} is in sight")
            scroller.evaluate("it => it.scrollBy(0, -400)")
        # Also when the answer takes its time.
        line = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
        tools.send("Network.enable")
        tools.send("Network.emulateNetworkConditions", {**line, "latency": 300})
        page.get_by_role("button", name="To the last message").click()
        gateway.until(lambda: count - 1 in lines_in_sight(page), "the end is in sight")
        tools.send("Network.emulateNetworkConditions", {**line, "latency": 0})
        last = used(tools)
        print(f"{count} items: {first[0] / 1e6:.1f} MB, at the beginning {at_begin[0] / 1e6:.1f} MB, after jumps {last[0] / 1e6:.1f} MB; nodes {first[1]}, {at_begin[1]}, {last[1]}")
        for now in (at_begin, last):
            assert now[0] < first[0] * 1.5 + 3e6 and now[1] < first[1] * 1.5 + 6000, (first, at_begin, last)

        page.evaluate("""async () => {
            const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
            const { app } = await import(`${files}model/app.js`)
            const chats = Array.from({ length: 10_000 }, (_, index) => ({ ...app.model.chats[0], id: `#${index}`, chatInfo: { ...app.model.chats.find(chat => chat.chatInfo.type == "local").chatInfo } }))
            app.model = { ...app.model, chats }
            app.emit("model")
        }""")
        chats = page.locator("chat-list-view .scroller")
        for _ in range(20):
            chats.evaluate("it => it.scrollBy(0, it.scrollHeight / 20)")
            assert page.locator("chat-preview-view").count() < 60
        expect(page.locator("chat-preview-view[aria-posinset='10000']")).to_be_visible()
        visitor.close()


def memory(chromium):
    """Traffic in an open chat: the page's memory does not grow. WEB_CLIENT_MINUTES says for how long."""
    minutes = float(os.environ.get("WEB_CLIENT_MINUTES", "0.2"))
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(visitor.page.get_by_role("textbox", name="Message")).to_be_visible()
        tools = visitor.context.new_cdp_session(visitor.page)
        number = 0

        def traffic(seconds):
            nonlocal number
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": f"message {number + line}"} for line in range(20)])
                number += 20
            expect(visitor.page.locator("chat-item-view", has_text=f"message {number - 1}").last).to_be_visible(timeout=60_000)
            return used(tools)

        # Caches are full after the first half.
        first = traffic(minutes * 60 / 2)
        second = traffic(minutes * 60 / 2)
        assert second[0] < first[0] * 1.3 + 3e6 and second[1] < first[1] * 1.5 + 5000, (first, second, number)
        print(f"{number} messages: {first[0] / 1e6:.1f} MB, then {second[0] / 1e6:.1f} MB; {first[1]} nodes, then {second[1]}")
        visitor.close()


def accessible(chromium):
    """Nothing serious is found by axe, in both schemes, and nothing is out of the window: narrow, and from right to left."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": text} for text in ("hello", "*bold* and https://example.org", "שלום עולם", "👍")])
        say(gateway, 1, f"direct/{gateway.bob}", {"type": "text", "text": "an answer"})
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
        for name, options in {"light": {}, "dark": {"color_scheme": "dark"}, "narrow": {"viewport": {"width": 360, "height": 640}}}.items():
            visitor = browser.Visitor(chromium, gateway, FILES, **options)
            page = visitor.page
            visitor.open()
            check(page, f"{name}: sign in")
            visitor.sign_in(place="#/1")
            expect(page.get_by_role("link", name="team")).to_be_visible()
            check(page, f"{name}: chats")
            page.get_by_role("button", name="Profile alice").click()
            check(page, f"{name}: profile")
            page.get_by_role("button", name="Edit profile").click()
            check(page, f"{name}: form")
            page.keyboard.press("Escape")
            page.get_by_role("button", name="New chat").click()
            check(page, f"{name}: new chat")
            page.keyboard.press("Escape")
            page.get_by_role("link", name="bob").click()
            expect(page.get_by_text("an answer").last).to_be_visible()
            check(page, f"{name}: chat")
            picture(visitor, f"chat-{name}")
            page.get_by_role("button", name="Details of the chat").click()
            check(page, f"{name}: contact")
            page.keyboard.press("Escape")
            row = page.locator("chat-item-view", has_text="an answer")
            row.hover()
            row.get_by_role("button", name="Actions").click()
            check(page, f"{name}: menu")
            page.keyboard.press("Escape")
            page.evaluate(f"location.hash = '#/1/group/{group}'")
            page.get_by_role("button", name="Details of the chat").click()
            check(page, f"{name}: group")
            page.keyboard.press("Escape")
            page.evaluate("document.documentElement.dir = 'rtl'")
            check(page, f"{name}: from right to left")
            page.evaluate(f"location.hash = '#/1/direct/{gateway.bob}'")
            expect(page.get_by_text("an answer").last).to_be_visible()
            picture(visitor, f"right-to-left-{name}")
            width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert width <= 0, (name, width)
            visitor.close()


def check(page, where):
    response = axe.run(page).response
    assert len(response["passes"]) > 5, where
    found = [it for it in response["violations"] if it["impact"] in ("serious", "critical")]
    assert not found, (where, [(it["id"], [node["html"][:200] for node in it["nodes"]]) for it in found])


BROWSER_KEYS = {"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "BTBZMqHH6r4Tts7J_aSIgg"}


def notifications(chromium):
    """The push service is made up; what comes from it is given to the worker by the browser."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        # The worker is one of the program's files: it is not put in place of those.
        visitor = browser.Visitor(chromium, gateway)
        visitor.context.grant_permissions(["notifications"], origin=gateway.url)
        page = visitor.page
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        page.evaluate("""keys => {
            PushManager.prototype.subscribe = async options => {
                window.asked = options
                return { toJSON: () => ({ endpoint: "https://push.example.org/send/1", expirationTime: null, keys }) }
            }
        }""", BROWSER_KEYS)
        tools, found = visitor.context.new_cdp_session(page), []
        tools.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
        tools.send("ServiceWorker.enable")
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Notify me while the page is closed").click()
        expect(page.get_by_text("Saved.")).to_be_visible()
        assert page.evaluate("window.asked.applicationServerKey") == gateway.call("GET", "/v1/push-subscriptions/key")["publicKey"]
        assert [it["name"] for it in gateway.call("GET", "/v1/push-subscriptions")["subscriptions"]] == ["Web client"]
        assert page.evaluate("navigator.serviceWorker.getRegistration('/app').then(it => it.scope)") == f"{gateway.url}/app"
        assert page.evaluate("(() => { try { trustedTypes.createPolicy('other', {}) } catch { return 'refused' } })()") == "refused"
        visitor.faults.clear()
        note = {"id": "1", "userId": 1, "type": "newChatItems", "chat": f"direct/{gateway.bob}", "itemId": 7, "title": "<b>bob", "text": "are you there?"}
        gateway.until(lambda: found or page.wait_for_timeout(50), "the worker is known")
        # This browser has no place to show them: what the worker asks for is looked at.
        worker = gateway.until(lambda: visitor.context.service_workers or page.wait_for_timeout(50), "the worker runs")[0]
        worker.evaluate("() => { self.shown = []; self.registration.showNotification = async (...what) => { self.shown.push(what) } }")
        tools.send("ServiceWorker.deliverPushMessage", {"origin": gateway.url, "registrationId": found[-1]["registrationId"], "data": json.dumps(note)})
        shown = gateway.until(lambda: worker.evaluate("() => self.shown"), "it is shown", seconds=20)
        assert [shown[0][0], shown[0][1]["body"], shown[0][1]["data"]] == ["<b>bob", "are you there?", f"1/direct/{gateway.bob}/7"], shown
        # A signed-out browser gets no more notifications.
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Sign out", exact=True).click()
        gateway.until(lambda: page.evaluate("navigator.serviceWorker.getRegistration('/app').then(it => !it)"), "the worker is gone")
        visitor.close()


TESTS = [
    first_start_to_first_message, scripts, keys, hostile_strings, killed_and_started, links_that_sign_in,
    hidden_profiles_and_lock, search_and_jumps, selection_and_info, members_and_mentions, chat_list,
    keyboard_alone, link_cards, another_device, installable, address_and_requests, changed_profiles,
    media_by_itself, media_by_bytes, composing, invitations, store_settings, groups, contact_settings,
    profile_settings, two_tabs, odd_answers, voice_and_files, calls, renderers, menus, channels, own_channel,
    random_steps, much, memory, accessible, notifications, *sending.TESTS, *reading.TESTS, *first_steps.TESTS,
]

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
