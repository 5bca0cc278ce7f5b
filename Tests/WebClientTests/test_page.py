"""Tests of the page as a whole: its files, hostile texts, outages, and agreement with the gateway."""

import json
import os
import random
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import browser
import pytest
from browser import expect
from steps import DOCUMENTS, FORBIDDEN, HOSTILE, PICTURE, keep_notices, picture, say, setting


def test_hostile_texts_are_shown_as_plain_text(visit, gateway):
    card = {
        "uri": "javascript:window.hit=1",
        "title": HOSTILE[0],
        "description": HOSTILE[1],
        "image": "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9J3dpbmRvdy5oaXQ9MScvPg==",
    }
    contents = [{"type": "text", "text": text} for text in HOSTILE]
    contents += [
        {"type": "link", "text": HOSTILE[2], "preview": card},
        {"type": "link", "text": "card", "preview": {**card, "uri": "https://example.org/"}},
        {
            "type": "image",
            "text": HOSTILE[0],
            "image": "data:text/html;base64,PHNjcmlwdD53aW5kb3cuaGl0PTE8L3NjcmlwdD4=",
        },
        {"type": "image", "text": "", "image": "javascript:window.hit=1"},
        {"type": "file", "text": HOSTILE[1]},
        *[{"type": "image", "text": "", "image": PICTURE}] * 3,
        {"type": "newer", "text": HOSTILE[0], "html": HOSTILE[1]},
        {"type": "text", "text": "[https://bank.example](javascript:window.hit=1) `<b>` #<i>#"},
    ]
    chat = f"/v1/users/2/chats/direct/{gateway.alice}/messages"
    for content in contents:
        # The gateway refuses new messages whose preview is no picture. A peer can still send one as a change of a
        # message, so the test changes a message.
        is_picture = content["type"] != "image" or content["image"].startswith("data:image/")
        first = content if is_picture else {"type": "text", "text": "before the change"}
        sent = gateway.call("POST", chat, {"composedMessages": [{"msgContent": first, "mentions": {}}]})
        if not is_picture:
            place = f"{chat}/{sent['chatItems'][0]['chatItem']['meta']['itemId']}"
            gateway.call("PATCH", place, {"updatedMessage": {"msgContent": content, "mentions": {}}})
    gateway.call(
        "PUT",
        "/v1/users/2/profile",
        {
            "profile": {
                "displayName": "b <b onclick=hit=1>",
                "fullName": HOSTILE[0],
                "shortDescr": HOSTILE[1],
                "image": "javascript:window.hit=1",
            }
        },
    )
    group = gateway.call(
        "POST",
        "/v1/users/1/groups",
        {
            "groupProfile": {
                "displayName": "a <u>group",
                "fullName": HOSTILE[0],
                "description": HOSTILE[2],
                "image": "data:image/svg+xml,<svg/>",
            }
        },
    )
    gateway.bob_says("the last one")

    visitor = visit()
    visitor.sign_in(place="#/1")
    visitor.page.get_by_role("link", name="the last one").click()
    expect(visitor.page.locator("chat-item-view", has_text="the last one")).to_be_visible()
    # All received items are shown from the first unread item on. Pictures that are drawn later do not move the view
    # from the end.
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


def test_the_page_continues_after_a_kill_of_the_gateway(visit, gateway):
    visitor = visit()
    for _ in range(4):
        gateway.call(
            "POST",
            f"/v1/users/2/chats/direct/{gateway.alice}/messages",
            {"composedMessages": [{"msgContent": {"type": "image", "text": "", "image": PICTURE}, "mentions": {}}]},
        )
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
    expect(
        visitor.page.locator("chat-item-view", has_text="here again").get_by_role("img", name="Delivered")
    ).to_be_visible()
    assert visitor.page.evaluate("window.isTheSamePage")


@pytest.mark.gateway(is_new=True)
def test_served_scripts_equal_their_sources(gateway):
    """The served scripts are the source files without comments."""
    source = browser.support.ROOT / "Sources/WebClient/client"
    served = gateway.folder / "served"
    page = urllib.request.urlopen(f"{gateway.url}/app").read().decode()
    folder = re.search(r'src="(app/\w+)/main\.js"', page)[1]
    for script in source.rglob("*.js"):
        name = script.relative_to(source)
        (served / name).parent.mkdir(parents=True, exist_ok=True)
        (served / name).write_bytes(urllib.request.urlopen(f"{gateway.url}/{folder}/{name}").read())
    command = ["node", browser.FOLDER / "same-program.cjs", source, served]
    subprocess.run(command, check=True, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})


def test_parts_of_the_page_load_when_they_are_opened(visit, gateway):
    """The page loads a part when the user opens the part. If loading fails, the page shows the failure, and the next
    attempt succeeds."""
    visitor = visit()
    visitor.awaits_outage = True
    page, loaded = visitor.page, []
    page.on("request", lambda request: loaded.append(request.url.split("/app/")[-1].partition("/")[2]))
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    assert "chats/ChatView.js" in loaded
    assert not {"settings/SettingsPages.js", "calls/calls.js", "chats/ChatInfoView.js"} & set(loaded)
    keep_notices(page)
    profile, notice = page.get_by_role("button", name="Profile alice"), page.locator(".notices p")
    # The first module arrives, and a module that it imports does not.
    page.route("**/settings/DevicesView.js", lambda route: route.abort(), times=1)
    profile.click()
    expect(notice.filter(has_text="could not be loaded")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    profile.click()
    expect(page.get_by_role("dialog", name="Your settings")).to_be_visible()
    page.keyboard.press("Escape")
    # A gateway of another version does not have the file.
    page.route("**/chats/ChatInfoView.js", lambda route: route.fulfill(status=404), times=1)
    page.get_by_role("button", name="Details of the chat").click()
    expect(notice.filter(has_text="The gateway was updated.")).to_be_visible()
    page.get_by_role("button", name="Details of the chat").click()
    expect(page.locator(".panel")).to_be_visible()


def test_parts_of_the_composer_load_when_they_are_used(visit, gateway):
    visitor = visit()
    visitor.awaits_outage = True
    page = visitor.page
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    keep_notices(page)
    emojis = page.get_by_role("button", name="Emojis")
    page.route("**/composer/emojis.js", lambda route: route.abort(), times=1)
    emojis.click()
    expect(page.locator(".notices p").filter(has_text="could not be loaded")).to_be_visible()
    emojis.click()
    expect(page.get_by_role("dialog", name="Emojis")).to_be_visible()


def test_a_tab_follows_the_profile_and_the_open_chat_over_one_websocket(visit, gateway):
    visitor = visit()
    sockets = []

    def note(socket):
        sockets.append(socket)

    visitor.page.on("websocket", note)
    visitor.sign_in(place="#/1")
    visitor.page.get_by_role("link", name="bob").click()
    gateway.bob_says("over one socket")
    expect(visitor.page.locator(".items")).to_contain_text("over one socket")
    expect(visitor.page.get_by_role("link", name="over one socket")).to_be_visible()
    # After a network outage, the page opens another WebSocket.
    visitor.awaits_outage = True
    for is_offline in (True, False):
        visitor.context.set_offline(is_offline)
    gateway.bob_says("over another")
    expect(visitor.page.locator(".items")).to_contain_text("over another")
    assert {urllib.parse.urlparse(socket.url).path for socket in sockets} == {"/v1/changes/ws"}
    # The browser may report the end of the first WebSocket after the messages of the second one, so the test waits.
    is_open = lambda: [socket for socket in sockets if not socket.is_closed()]
    gateway.until(lambda: len(is_open()) == 1, "the first WebSocket has ended")


def test_all_pages_of_a_profile_show_the_same_state(visit, gateway):
    """All pages of a profile show a change immediately, in ten tabs of one browser and in a second browser."""
    first = visit()
    first.sign_in(place="#/1")
    expect(first.page.get_by_role("link", name="bob")).to_be_visible()
    first.context.set_default_timeout(browser.LIMIT)
    tabs = [first.context.new_page() for _ in range(9)]
    for tab in tabs:
        tab.on("pageerror", lambda error: first.faults.append(str(error)))
        # Each tab needs the key, since the user does not stay signed in.
        tab.goto(f"{gateway.url}/app#/1")
        tab.get_by_label("Key").fill(gateway.key)
        tab.get_by_role("button", name="Sign in").click()
    other = visit()
    other.sign_in(place="#/1")
    gateway.bob_says("for all of them")
    pages = (first.page, *tabs, other.page)
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


def test_the_page_continues_after_truncated_answers_and_with_a_wrong_clock(visit, gateway):
    """The page reports truncated and invalid answers, and then works again. It also works with a clock that is wrong by
    years.
    """
    gateway.bob_says("before")
    visitor = visit()
    visitor.awaits_outage = True
    page, cut = visitor.page, []
    page.clock.install(time="2031-05-04T12:00:00Z")

    def truncate(pattern, count):
        """Truncates the first answers. The route stays: Playwright continues requests under way when it removes the
        last route.
        """
        left = list(range(count))

        def answer(route):
            if not left:
                return route.continue_()
            left.pop()
            whole = route.fetch()
            cut.append(route.request.url)
            body = whole.body()
            route.fulfill(
                status=whole.status, headers={"content-type": "application/json"}, body=body[: len(body) // 2]
            )

        page.route(pattern, answer)

    truncate("**/v1/users/1/model", 2)
    truncate("**/sessions/*/chat", 1)
    visitor.sign_in(place="#/1")
    gateway.until(
        lambda: page.clock.run_for(1000) or page.get_by_role("link", name="bob").count(), "the model is there"
    )
    assert len(cut) == 2, cut
    page.get_by_role("link", name="bob").click()
    expect(page.locator("chat-item-view", has_text="before")).to_be_visible()
    # By the wrong clock of the page, the messages are years old, so their day is shown with its year.
    expect(page.locator(".day").first).to_contain_text(str(time.gmtime().tm_year))
    truncate("**/chats/*/*/messages", 1)
    visitor.write("sent, and the answer lost")
    sent = page.locator("chat-item-view", has_text="the answer lost")
    gateway.until(lambda: page.clock.run_for(1000) or sent.count(), "it is sent")
    page.route(
        "**/profile",
        lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>"),
        times=1,
    )
    page.get_by_role("button", name="Profile alice").click()
    page.get_by_role("button", name="Your current profile").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("502")
    page.keyboard.press("Escape")
    gateway.until(
        lambda: page.clock.run_for(1000) or sent.get_by_role("img", name="Delivered").count(), "it is delivered"
    )
    # The message was sent once, although its answer was lost.
    theirs = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"]
    assert [item["meta"]["itemText"] for item in theirs].count("sent, and the answer lost") == 1


def test_content_of_one_profile_is_not_shown_in_another_profile(visit, gateway):
    """Content and drafts of one profile do not appear in another profile that is opened after it."""
    visitor = visit()
    visitor.awaits_outage = True
    page, asked = visitor.page, []

    def refuse(route):
        asked.append((route.request.url, route.request.post_data_json["itemIds"]))
        route.fulfill(status=503, json={"code": "unavailable"})

    page.route("**/messages/read", refuse)
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
    drafts = lambda user: [
        draft["message"] for draft in gateway.call("GET", f"/v1/users/{user}/model")["model"]["drafts"].values()
    ]
    gateway.until(lambda: drafts(1) == ["a draft of alice"], "the draft is kept")
    assert drafts(2) == [], drafts(2)
    # A dialog of the first profile is closed when the other profile is opened.
    page.get_by_role("button", name="Details of the chat").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.evaluate(f"location.hash = '#/1/direct/{gateway.bob}'")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("a draft of alice")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.gateway(is_new=True)
def test_the_page_is_installable(visit, gateway):
    """The browser finds what an installable application needs: a valid manifest, its pictures, and the address of the
    page.
    """
    visitor = visit(files=None)
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
        size = visitor.page.evaluate(
            """async address => { const image = new Image(); image.src = address; await image.decode(); return [image.naturalWidth, image.naturalHeight] }""",
            urllib.parse.urljoin(base, icon["src"]),
        )
        assert size[0] == size[1] > 0, (icon, size)
    purposes = {purpose for icon in manifest["icons"] for purpose in icon["purpose"].split()}
    assert purposes == {"any", "maskable"}, purposes
    # The address with a slash before the fragment also opens the page.
    visitor.page.goto(f"{gateway.url}/app/#/1")
    expect(visitor.page).to_have_url(f"{gateway.url}/app#/1")
    expect(visitor.page.get_by_label("Key")).to_be_visible()


def test_the_model_of_the_page_equals_the_model_of_the_gateway(visit, gateway):
    """The page's model, updated by patches, equals the gateway's model after a thousand steps of two people."""
    random.seed(18)
    chats = {1: f"direct/{gateway.bob}", 2: f"direct/{gateway.alice}"}
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})[
        "groupInfo"
    ]["groupId"]
    visitor = visit()
    visitor.sign_in(place=f"#/1/{chats[1]}")
    expect(visitor.page.get_by_role("textbox", name="Message")).to_be_visible()
    sent = {1: [], 2: []}

    def step():
        user = random.choice((1, 2))
        path, own = f"/v1/users/{user}/chats/{chats[user]}", sent[user]
        what = random.choice(
            ["say", "say", "say", "edit", "delete", "react", "settings", "draft", "tag", "group", "unread", "alias"]
        )
        if what == "say" or (what in ("edit", "delete", "react") and not own):
            own.append(
                say(gateway, user, chats[user], {"type": "text", "text": f"text {random.random()} / ~ \u202e"})[0][
                    "chatItem"
                ]["meta"]["itemId"]
            )
        elif what == "edit":
            gateway.call(
                "PATCH",
                f"{path}/messages/{random.choice(own)}",
                {
                    "updatedMessage": {
                        "msgContent": {"type": "text", "text": f"edited {random.random()}"},
                        "mentions": {},
                    }
                },
            )
        elif what == "delete":
            gateway.call(
                "DELETE",
                f"{path}/messages?itemIds={own.pop(random.randrange(len(own)))}"
                f"&mode={random.choice(['broadcast', 'internal'])}",
            )
        elif what == "react":
            gateway.call(
                "POST",
                f"{path}/messages/{random.choice(own)}/reactions",
                {"add": True, "reaction": {"type": "emoji", "emoji": random.choice("👍🚀")}},
            )
        elif what == "settings":
            gateway.call(
                "PATCH",
                path,
                {"settings": {"enableNtfs": random.choice(["all", "none"]), "favorite": random.random() < 0.5}},
            )
        elif what == "draft":
            gateway.call("PUT", f"/v1/users/1/model/drafts/group/{group}", {"message": f"draft {random.random()}"})
        elif what == "tag":
            gateway.call("POST", "/v1/users/1/tags", {"text": f"tag {random.random()}"})
        elif what == "group":
            say(gateway, 1, f"group/{group}", {"type": "text", "text": f"to the group {random.random()}"})
        elif what == "unread":
            gateway.call("PATCH", path, {"unread": random.random() < 0.5})
        else:
            gateway.call("PATCH", f"/v1/users/1/contacts/{gateway.bob}", {"alias": f"alias {random.random()}"})

    for _ in range(1000):
        try:
            step()
        except urllib.error.HTTPError as refused:
            # The gateway refuses a second equal reaction, and a change of an item that the other person has deleted.
            assert refused.code in (400, 404, 409, 422), (refused.code, refused.read())

    def agree():
        page = visitor.page.evaluate(DOCUMENTS)
        model = gateway.call("GET", "/v1/users/1/model")
        session = gateway.call("GET", f"/v1/users/1/sessions/{page['sessionId']}")["session"]
        return (page["model"], page["session"]) == (dict(model["model"]), session)

    gateway.until(agree, "the page and the gateway agree")


REFUSED = """for (const kind of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, kind, { get() { throw new DOMException("refused", "SecurityError") } })
"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"


@pytest.mark.parametrize("storage", [REFUSED, FULL], ids=["refused", "full"])
def test_without_storage_the_page_warns_and_can_be_used(visit, gateway, storage):
    visitor = visit()
    page = visitor.page
    page.add_init_script(storage)
    visitor.open(f"#/1/direct/{gateway.bob}")
    keep_notices(page)
    page.get_by_label("Key").fill(gateway.key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("This browser stores nothing for the page.")).to_be_visible()
    visitor.write("sent without storage")
    expect(page.locator("chat-item-view", has_text="sent without storage")).to_be_visible()
    expect(page.locator("queued-item-view")).to_have_count(0)
    # A choice lasts until the page is loaded again.
    setting(page, "Color mode").get_by_role("combobox").select_option("dark")
    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    page.reload()
    expect(page.get_by_label("Key")).to_be_visible()
