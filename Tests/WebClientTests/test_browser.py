"""The web client in browsers that talk to each other over the gateway."""
import os
import pathlib
import subprocess
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
        expect(visitor.page.locator(".items")).to_contain_text("after")
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


def say(gateway, user, place, *contents, query=""):
    return gateway.call("POST", f"/v1/users/{user}/chats/{place}/messages{query}", {"composedMessages": [{"msgContent": content, "mentions": {}} for content in contents]})["chatItems"]


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
        # Where there is much to read, it begins where reading was left; the first page is around that.
        expect(page.locator(".day.unread")).to_be_in_viewport()
        page.get_by_role("button", name="To the last message").click()
        expect(page.locator("chat-item-view", has_text="the last one")).to_be_in_viewport()
        page.get_by_role("button", name="To the first unread message").click()
        expect(page.locator("chat-item-view", has_text="line ").first).to_be_in_viewport()
        page.get_by_role("button", name="To the last message").click()
        expect(page.locator("chat-item-view", has_text="the last one")).to_be_in_viewport()
        page.get_by_role("button", name="Search messages").click()
        page.get_by_role("searchbox", name="Search messages").fill("needle")
        page.get_by_role("dialog").get_by_role("button", name="line 0 needle").click()
        expect(page.locator("chat-item-view.found")).to_contain_text("line 0 needle")
        expect(page.locator("chat-item-view", has_text="line 0 needle")).to_be_in_viewport()
        # From there on all is loaded, across the gap, without jumps.
        scroller = page.locator("chat-view .scroller")
        for line in range(0, 240, 20):
            row = page.locator("chat-item-view").get_by_text(f"line {line}", exact=True)
            gateway.until(lambda: row.count() and (row.scroll_into_view_if_needed() or True) or scroller.evaluate("it => it.scrollBy(0, 2000)") or page.wait_for_timeout(100), f"line {line} is there") if line else None
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
        alice = browser.Visitor(chromium, gateway, FILES)
        page = alice.page
        alice.sign_in(place=f"#/1/group/{group}")

        def details():
            page.get_by_role("button", name="Details of the chat").click()

        details()
        page.get_by_role("button", name="Add a member").click()
        page.get_by_role("dialog").last.get_by_role("button", name="bob").click()
        invited = gateway.until(lambda: gateway.call("GET", "/v1/users/2/groups")["groups"], "bob is invited")[0]
        bobs = (invited.get("groupInfo") or invited)["groupId"]
        gateway.call("POST", f"/v1/users/2/groups/{bobs}/join")
        page.keyboard.press("Escape")
        alice.write("hello team")
        expect(page.locator("chat-item-view", has_text="hello team").get_by_role("img", name="Delivered")).to_be_visible()

        # The settings of the group, with the review of those who join.
        details()
        page.get_by_role("button", name="Edit the group").click()
        page.get_by_label("Name").first.fill("the team")
        page.get_by_label("Moderators let new members in").check()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("heading", name="the team")).to_be_visible()
        details()
        page.get_by_role("button", name="What is allowed").click()
        page.get_by_label("Reactions").uncheck()
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/2/groups/{bobs}")["groupInfo"]["fullGroupPreferences"]["reactions"]["enable"] == "off", "bob knows")

        # A member gets another role.
        details()
        page.get_by_role("button", name="bob").last.click()
        page.get_by_role("button", name="Change the role").click()
        page.get_by_label("Role").select_option("moderator")
        page.get_by_role("button", name="Save").click()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/2/groups/{bobs}")["groupInfo"]["membership"]["memberRole"] == "moderator", "bob is a moderator")

        # Somebody joins by the link, and is let in after a conversation.
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
        page.keyboard.press("Escape")
        details()
        page.get_by_role("button", name="carol").last.click()
        page.get_by_role("button", name="Let in").click()
        page.get_by_role("button", name="Let in").last.click()
        gateway.until(lambda: gateway.call("GET", f"/v1/users/3/groups/{carols}")["groupInfo"]["membership"]["memberStatus"] == "connected", "carol is in")

        # A report.
        page.keyboard.press("Escape")
        alice.write("something to report")
        theirs = gateway.until(lambda: [i for i in gateway.call("GET", f"/v1/users/3/chats/group/{carols}")["chat"]["chatItems"] if i["meta"]["itemText"] == "something to report"], "carol has it")[0]
        gateway.call("POST", f"/v1/users/3/groups/{carols}/items/{theirs['meta']['itemId']}/reports", {"reportReason": "spam", "reportText": "it is spam"})
        expect(page.get_by_role("img", name="1 report").or_(page.get_by_label("1 report"))).to_be_visible()
        details()
        page.get_by_role("button", name="Reports of members").click()
        expect(page.get_by_role("dialog")).to_contain_text("it is spam")
        page.get_by_role("button", name="Mark all as dealt with").click()
        expect(page.get_by_label("1 report")).to_have_count(0)

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
        alice.close()


TESTS = [first_start_to_first_message, keys, hostile_strings, killed_and_started, links_that_sign_in, hidden_profiles_and_lock, search_and_jumps, contact_settings]

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
