"""Tests of the items of chats: their views, their menu, their selection."""

import base64
import re
import shutil

import pytest
from browser import expect
from groups import Group
from recordings import recorded_items
from steps import FORBIDDEN, HOSTILE, PICTURE, PICTURES, act, check, keep_notices, picture, say

TIME = "2026-11-23T12:00:00.000000000Z"

META = {
    "itemId": 1,
    "itemTs": TIME,
    "itemText": "as the gateway says it",
    "itemStatus": {"type": "rcvRead"},
    "createdAt": TIME,
    "updatedAt": TIME,
}


def invented_item(content, **meta):
    return {"chatDir": {"type": "directRcv"}, "meta": {**META, **meta}, "content": content, "reactions": []}


def text_of(text, **meta):
    return invented_item({"type": "rcvMsgContent", "msgContent": {"type": "text", "text": text}}, **meta)


# Items of kinds that the recordings do not contain.
OTHERS = {
    "rcvDecryptionError": invented_item(
        {"type": "rcvDecryptionError", "msgDecryptError": "ratchetHeader", "msgCount": 1}
    ),
    "rcvDeleted": invented_item({"type": "rcvDeleted", "deleteMode": "broadcast"}),
    "invalidJSON": invented_item({"type": "invalidJSON", "json": "{<b>"}),
    "newerKind": invented_item({"type": "newerKind", "html": "<b>"}),
    "rcvMsgContent:emoji": text_of("👍🏽👨‍👩‍👧"),
    **{
        kind: {
            **item,
            "chatDir": {
                "type": "groupRcv",
                "groupMember": {
                    "groupMemberId": 2,
                    "memberRole": "owner",
                    "memberProfile": {"displayName": "carol", "fullName": ""},
                },
            },
        }
        for kind, item in {
            "rcvMsgContent:emoji:member": text_of("👍"),
            "rcvDeleted:member": invented_item({"type": "rcvDeleted", "deleteMode": "broadcast"}),
            "rcvMsgContent:text:deleted:member": text_of("gone", itemDeleted={"type": "deleted"}),
            "rcvIntegrityError:member": invented_item(
                {"type": "rcvIntegrityError", "msgError": {"type": "msgSkipped", "fromMsgId": 1, "toMsgId": 2}}
            ),
            "rcvDecryptionError:member": invented_item(
                {"type": "rcvDecryptionError", "msgDecryptError": "ratchetHeader", "msgCount": 1}
            ),
            "invalidJSON:member": invented_item({"type": "invalidJSON", "json": "{<b>"}),
        }.items()
    },
    "rcvMsgContent:forwarded": text_of(
        "from elsewhere", itemForwarded={"type": "contact", "chatName": "@bob", "msgDir": "rcv"}
    ),
    "rcvMsgContent:chat": invented_item(
        {
            "type": "rcvMsgContent",
            "msgContent": {
                "type": "chat",
                "text": "",
                "chatLink": {
                    "type": "contact",
                    "connLink": "https://example.org/a#x",
                    "profile": {"displayName": "carol", "fullName": ""},
                },
            },
        }
    ),
}

RENDERERS = {
    "sndMsgContent": "FramedItemView",
    "rcvMsgContent": "FramedItemView",
    "rcvDeleted": "DeletedItemView",
    "sndModerated": "DeletedItemView",
    "rcvModerated": "DeletedItemView",
    "rcvBlocked": "DeletedItemView",
    "sndCall": "CICallItemView",
    "rcvCall": "CICallItemView",
    "rcvIntegrityError": "IntegrityErrorItemView",
    "rcvDecryptionError": "CIRcvDecryptionError",
    "sndGroupInvitation": "CIGroupInvitationView",
    "rcvGroupInvitation": "CIGroupInvitationView",
    "sndGroupEvent": "CIEventView",
    "rcvGroupEvent": "CIEventView",
    "rcvDirectEvent": "CIEventView",
    "sndChatFeature": "CIChatFeatureView",
    "rcvChatFeature": "CIChatFeatureView",
    "sndGroupFeature": "CIChatFeatureView",
    "rcvGroupFeature": "CIChatFeatureView",
    "sndChatPreference": "CIFeaturePreferenceView",
    "rcvChatPreference": "CIFeaturePreferenceView",
    "invalidJSON": "CIInvalidJSONView",
    "newerKind": "CIUnknownItemView",
    "rcvMsgContent:emoji": "EmojiItemView",
    "rcvGroupEvent:memberCreatedContact": "CIMemberCreatedContactView",
    "sndGroupE2EEInfo": "CIEventView",
    "rcvGroupE2EEInfo": "CIEventView",
    "rcvDirectE2EEInfo": "CIEventView",
    "chatBanner": "ChatBannerView",
}

BUBBLES = {
    "FramedItemView",
    "EmojiItemView",
    "CIVoiceView",
    "DeletedItemView",
    "MarkedDeletedItemView",
    "IntegrityErrorItemView",
    "CIRcvDecryptionError",
    "CIInvalidJSONView",
}

PARTS = {
    "image": "ci-image-view",
    "video": "ci-video-view",
    "voice": "framed-ci-voice-view",
    "file": "ci-file-view",
    "link": "ci-link-view",
    "chat": "chat-link-view",
    "quoted": "quote-view",
    "text": "msg-content-view",
}

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


@pytest.mark.gateway(is_new=True)
def test_the_menu_has_the_actions_that_conditions_allow(visit, gateway):
    """The menu of an item has the actions whose conditions are met. Each condition is tested."""
    direct = {"type": "direct", "isWritable": True, "role": None, "allows": {"reactions": True, "reports": True}}
    group = {**direct, "type": "group", "isGroup": True}
    file = {
        "fileId": 1,
        "fileName": "a",
        "fileSize": 1,
        "fileSource": {"filePath": "a"},
        "fileStatus": {"type": "rcvComplete"},
    }
    by = lambda role: {"chatDir": {"type": "groupRcv", "groupMember": {"groupMemberId": 2, "memberRole": role}}}
    received, own = (
        text_of("hello"),
        {**text_of("hello", editable=True, deletable=True), "chatDir": {"type": "directSnd"}},
    )
    own["content"] = {**own["content"], "type": "sndMsgContent"}
    cases = {
        "received": (received, direct, ["Reply", "Forward", "Copy", *ALWAYS], 8),
        "own": (own, direct, ["Reply", "Forward", "Copy", "Edit", *ALWAYS, "Delete for everyone"], 8),
        "own, too old to change": (
            {**own, "meta": {**own["meta"], "editable": False, "deletable": False}},
            direct,
            ["Reply", "Forward", "Copy", *ALWAYS],
            8,
        ),
        "live": (text_of("hel", itemLive=True), direct, ["Copy", *ALWAYS], 0),
        "deleted": (text_of("", itemDeleted={"type": "deleted"}), direct, ALWAYS, 0),
        "event": (invented_item({"type": "rcvDirectEvent"}), direct, ["Info", "Delete for me"], 0),
        "file that is here": (
            {**invented_item({"type": "rcvMsgContent", "msgContent": {"type": "file", "text": ""}}), "file": file},
            direct,
            ["Reply", "Forward", "Save", *ALWAYS],
            8,
        ),
        "file that is not": (
            {
                **invented_item({"type": "rcvMsgContent", "msgContent": {"type": "file", "text": ""}}),
                "file": {**file, "fileStatus": {"type": "rcvInvitation"}},
            },
            direct,
            ["Reply", "Forward", *ALWAYS],
            8,
        ),
        "no reactions, and nothing can be written": (
            own,
            {**direct, "isWritable": False, "allows": {}},
            ["Forward", "Copy", *ALWAYS, "Delete for everyone"],
            0,
        ),
        "file that comes": (
            {
                **invented_item({"type": "rcvMsgContent", "msgContent": {"type": "file", "text": ""}}),
                "file": {**file, "fileStatus": {"type": "rcvTransfer", "rcvProgress": 1, "rcvTotal": 2}},
            },
            direct,
            ["Reply", "Forward", "Info", "Select", "Stop the transfer", "Delete for me"],
            8,
        ),
        "report": (
            {
                **invented_item(
                    {"type": "rcvMsgContent", "msgContent": {"type": "report", "text": "", "reason": "spam"}}
                ),
                **by("member"),
            },
            {**group, "role": "moderator"},
            ["Reply", "Info", "Select", "Archive report", "Moderate", "Delete for me"],
            8,
        ),
        "notes": (own, {**direct, "type": "local"}, ["Forward", "Copy", "Edit", *ALWAYS], 0),
        "member of a group": (
            {**received, **by("member")},
            {**group, "role": "member"},
            ["Reply", "Forward", "Copy", "Info", "Select", "Report", "Delete for me"],
            8,
        ),
        "moderator": (
            {**received, **by("member")},
            {**group, "role": "moderator"},
            ["Reply", "Forward", "Copy", "Info", "Select", "Moderate", "Delete for me"],
            8,
        ),
        "moderator, of an owner": (
            {**received, **by("owner")},
            {**group, "role": "moderator"},
            ["Reply", "Forward", "Copy", *ALWAYS],
            8,
        ),
        "of a channel": (
            {**received, "chatDir": {"type": "channelRcv"}},
            {**group, "role": "owner"},
            ["Reply", "Forward", "Copy", *ALWAYS],
            8,
        ),
    }
    visitor = visit()
    visitor.sign_in()
    expect(visitor.page.get_by_label("Name")).to_be_visible()
    shown = visitor.page.evaluate(MENU, [{"item": item, "context": context} for item, context, _, _ in cases.values()])
    for (name, (_, _, entries, reactions)), found in zip(cases.items(), shown):
        assert found == [entries, reactions], (name, found)
    # With a key that may only read, the menu has no actions that change data.
    key = gateway.call("POST", "/v1/keys", {"name": "reader", "scopes": ["read"]})["key"]
    reader = visit()
    reader.open()
    reader.page.get_by_label("Key").fill(key)
    reader.page.get_by_role("button", name="Sign in").click()
    expect(reader.page.get_by_role("button", name="Sign out")).to_be_visible()
    assert reader.page.evaluate(MENU, [{"item": own, "context": direct}]) == [[["Copy", "Info"], 0]]


@pytest.mark.gateway(is_new=True)
def test_a_file_shows_its_state(visit, gateway):
    """A file shows the state of its transfer while the gateway has its contents, and that its contents are deleted."""
    source, sending = {"filePath": "a"}, {"type": "sndTransfer", "sndProgress": 1, "sndTotal": 2}
    cases = [
        (sending, source, "5 bytes · sending"),
        ({"type": "sndError"}, source, "5 bytes · could not be sent"),
        ({"type": "sndWarning"}, source, "5 bytes · waiting"),
        ({"type": "sndComplete"}, source, "5 bytes"),
        ({"type": "rcvComplete"}, source, "5 bytes"),
        ({"type": "rcvInvitation"}, None, "5 bytes · not received yet"),
        ({"type": "sndComplete"}, None, "5 bytes · The file is gone."),
    ]
    content = {"type": "sndMsgContent", "msgContent": {"type": "file", "text": ""}}
    file = {"fileId": 1, "fileName": "a.txt", "fileSize": 5}
    items = [
        {**invented_item(content), "file": {**file, "fileStatus": status, "fileSource": place}}
        for status, place, _ in cases
    ]
    visitor = visit()
    visitor.sign_in()
    expect(visitor.page.get_by_label("Name")).to_be_visible()
    visitor.page.evaluate(DRAW, items)
    states = visitor.page.locator("ci-file-view small")
    expect(states).to_have_text([state for _, _, state in cases])


def with_leaves(value, leaf, key=""):
    """Returns the value with another leaf in place of each text, except for texts that name a kind."""
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
    """Stores a picture of each item, cut out of one screenshot."""
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


@pytest.mark.gateway(is_new=True)
def test_each_recorded_kind_of_item_has_its_view(visit, gateway):
    items = {**recorded_items(), **OTHERS}
    kinds = {kind.split(":")[0] for kind in items}
    assert len(items) > 100 and not kinds - {kind.split(":")[0] for kind in RENDERERS}, kinds
    visitor = visit(viewport={"width": 900, "height": 1200})
    visitor.awaits_outage = True
    visitor.sign_in()
    expect(visitor.page.get_by_label("Name")).to_be_visible()
    for (kind, item), (renderer, text, html) in zip(items.items(), visitor.page.evaluate(DRAW, list(items.values()))):
        wanted = RENDERERS.get(kind) or RENDERERS.get(":".join(kind.split(":")[:2])) or RENDERERS[kind.split(":")[0]]
        if item["meta"].get("itemDeleted") and "msgContent" in item["content"]:
            wanted = "MarkedDeletedItemView"
        elif (
            kind.split(":")[1:2] == ["voice"]
            and not item["content"]["msgContent"]["text"]
            and not {"quoted", "forwarded"} & set(kind.split(":"))
        ):
            wanted = "CIVoiceView"
        assert renderer == wanted, (kind, renderer)
        assert text.strip(), kind
        if renderer in ("FramedItemView", "CIVoiceView"):
            for part, element in PARTS.items():
                isThere = part in kind.split(":") and (part != "text" or item["content"]["msgContent"]["text"])
                assert not isThere or f"<{element}" in html, (kind, element)
            assert "ci-meta-view" in html, kind
        if renderer == "ChatBannerView":
            assert [line for line in text.split("\n") if line] == [
                "T",
                "team",
                "the whole team",
                "who we are",
                "Group",
            ] and "button" not in html, (text, html)
        # An item of a member has the member's name above it.
        if item["chatDir"].get("groupMember") and renderer in BUBBLES:
            assert re.search(r'class="plain sender[^>]*><bdi', html), (kind, html)
        if renderer == "FramedItemView":
            # Only a file that is being transferred has a progress bar.
            assert ("<progress" in html) == bool({"sndTransfer", "rcvTransfer"} & set(kind.split(":"))), kind
    keep_rows(visitor, list(items))
    # A kind with the name of an inherited property has no text.
    assert (
        visitor.page.evaluate(
            """async kinds => {
        const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
        const { eventName } = await import(`${files}model/texts.js`), { words } = await import(`${files}model/words.js`)
        return kinds.map(type => [eventName({ chatDir: {}, content: { type } }), words.kind[type], words.role[type]])
    }""",
            ["constructor", "toString", "__proto__"],
        )
        == [["", None, None]] * 3
    )
    # The type of a badge is a text of the peer, so only known types are shown.
    lines = visitor.page.evaluate(
        """async types => {
        const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
        const { later } = await import(`${files}elements/later.js`), line = document.createElement("p")
        const { fillBadge } = await later("../chats/badgeLine.js", "badges")()
        return types.map(badgeType => {
            fillBadge(line, { badge: { badgeType }, status: "failed" })
            return line.textContent
        })
    }""",
        ["legend", "Verified admin", "constructor"],
    )
    assert lines == [f"{name} · could not be verified" for name in ("Legend", "Other badge", "Other badge")]
    # Hostile texts and values of other types in each field have no effect, and each item still has its row.
    for leaf in [*HOSTILE, None, 7, {}, [[]]]:
        rows = visitor.page.evaluate(DRAW, [with_leaves(item, leaf) for item in items.values()])
        assert len(rows) == len(items)
        assert visitor.page.evaluate("window.hit") is None
        assert visitor.page.locator(FORBIDDEN).count() == 0, leaf


def test_selected_items_are_forwarded_and_deleted(visit, gateway):
    """Selected items are forwarded or deleted. An item shows its versions and its delivery, and a quote leads to its
    item.
    """
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})[
        "groupInfo"
    ]["groupId"]
    say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": f"line {number}"} for number in range(60)])
    gateway.bob_says("the last one")
    place = f"direct/{gateway.bob}"
    gateway.until(lambda: gateway.texts(1, place)[-1] == "the last one", "alice has them all")
    alice = visit(permissions=["clipboard-read", "clipboard-write"])
    page, item = (
        alice.page,
        lambda text: alice.page.locator(
            "chat-item-view",
            has=alice.page.locator("framed-item-view > msg-content-view").filter(has_text=re.compile(f"^{text}$")),
        ),
    )
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    page.get_by_role("button", name="To the last message").click()
    expect(item("the last one")).to_be_in_viewport()
    keep_notices(page)

    # Several items are selected with their checkboxes, and forwarded in their order.
    act(alice, item("line 57"), "Select")
    expect(page.get_by_role("heading", name="1 selected")).to_be_visible()
    item("line 55").locator("msg-content-view").click(force=True)
    expect(item("line 55").get_by_role("checkbox")).to_be_checked()
    item("line 59").get_by_role("checkbox").check()
    item("line 59").get_by_role("checkbox").uncheck()
    expect(page.get_by_role("heading", name="2 selected")).to_be_visible()
    picture(alice, "selection")
    page.get_by_role("button", name="Forward", exact=True).click()
    page.get_by_role("dialog").get_by_role("searchbox", name="Search chats").fill("tea")
    page.get_by_role("dialog").get_by_role("button", name="team").click()
    page.wait_for_url(f"**/app#/1/group/{group}")
    rows = page.locator("framed-item-view")
    expect(rows).to_have_text([re.compile("line 55"), re.compile("line 57")])
    expect(rows.first).to_contain_text("Forwarded")
    # A forwarded item shows its origin, with a button that opens the original item.
    act(alice, page.locator("chat-item-view", has_text="line 57"), "Info")
    expect(page.get_by_role("dialog")).to_contain_text(re.compile("from\\s*bob"))
    page.get_by_role("dialog").get_by_role("button", name="Open").click()
    expect(page).to_have_url(f"{gateway.url}/app#/1/direct/{gateway.bob}")
    expect(item("line 57")).to_be_in_viewport()
    expect(item("line 57")).to_be_focused()

    expect(item("the last one")).to_be_in_viewport()
    act(alice, item("line 58"), "Select")
    item("line 59").get_by_role("checkbox").check()
    # An item stays selected after the page has unloaded it.
    page.evaluate("""async () => {
        const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
        const { app } = await import(`${files}model/app.js`)
        let session = app.session
        const without = im => ({ ...im, reversedChatItems: im.reversedChatItems.filter(item => item.meta.itemText != "line 58") })
        // The page loses the item again at each change of the session, such as a read mark.
        Object.defineProperty(app, "session", { set(now) { session = now }, get: () => session && { ...session, im: without(session.im) } })
        app.emit("session")
    }""")
    expect(item("line 58")).to_have_count(0)
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Delete 2 messages?")
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(item("line 59")).to_have_count(0)
    # The page hides the messages before the gateway has deleted them.
    left = lambda: {
        it["meta"]["itemText"]
        for it in gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}?limit=100")["chat"]["chatItems"]
    }
    gateway.until(lambda: not {"line 58", "line 59"} & left(), "both messages are deleted")
    expect(page.get_by_role("heading", name="bob")).to_be_visible()
    act(alice, item("line 57"), "Select")
    page.keyboard.press("Escape")
    expect(page.get_by_role("checkbox")).to_have_count(0)
    act(alice, item("line 57"), "Copy")
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "line 57"

    # The user's own items can be deleted for everyone, if all selected items can.
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
    theirs = lambda: [
        item
        for item in gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"]
        if item["meta"]["itemText"].startswith("own")
    ]
    gateway.until(lambda: all(it["meta"].get("itemDeleted") for it in theirs()), "they are deleted for bob too")
    expect(page.get_by_role("checkbox")).to_have_count(0)

    # A quote leads to its item, which is far away in the chat.
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

    # The details of an edited item contain all its versions.
    alice.write("version *one*")
    act(alice, item("version one"), "Edit")
    alice.write("version two")
    edited = page.locator("chat-item-view", has_text="version two")
    expect(edited.get_by_role("img", name="Edited")).to_be_visible()
    # The page shows the edit before the gateway has it.
    gateway.until(lambda: "version two" in gateway.texts(1, f"direct/{gateway.bob}"), "the gateway has the edit")
    act(alice, edited, "Info")
    versions = page.get_by_role("dialog").locator("ol.versions li")
    expect(versions).to_have_count(2)
    expect(versions.filter(has_text="version one").locator("strong")).to_have_text("one")
    check(page, "info")
    page.keyboard.press("Escape")


# Returns a picture with this many pixels on its sides as a data address.
DRAWN = """([width, height]) => {
    const canvas = Object.assign(document.createElement("canvas"), { width, height })
    canvas.getContext("2d").fillRect(0, 0, width, height)
    return canvas.toDataURL("image/png")
}"""


def test_the_space_of_a_picture_is_reserved_before_the_picture_is_drawn(visit, gateway):
    """The page reserves the space of a picture, so that later items do not move when the picture is drawn. A picture
    with too many pixels is not drawn.
    """
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    shown = """async image => {
        const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
        const { preview } = await import(`${files}items/ImageView.js`), picture = preview(image, "a picture")
        document.querySelector(".items").append(picture)
        const { width, height } = picture.getBoundingClientRect()
        return [picture.complete, Math.round(width), Math.round(height)]
    }"""
    shapes = {
        (2, 2): (48, 48),
        (60, 90): (60, 90),
        (300, 200): (320, 213),
        (200, 300): (235, 352),
        (300, 300): (320, 320),
    }
    for size, wanted in shapes.items():
        image = page.evaluate(DRAWN, size)
        assert page.evaluate(shown, image) == [False, *wanted], size
    huge = base64.b64decode(page.evaluate(DRAWN, (8, 8)).split(",")[1])
    huge = huge[:16] + (30_000).to_bytes(4, "big") * 2 + huge[24:]
    assert page.evaluate(shown, "data:image/png;base64," + base64.b64encode(huge).decode())[0] is None


def test_the_end_of_a_chat_stays_visible_when_pictures_are_redrawn(visit, gateway):
    """The view stays at the end of the chat when pictures near the end are drawn again with other heights."""
    say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": f"line {line}"} for line in range(60)])
    newest = lambda: gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}")["chat"]["chatItems"][-1]
    gateway.until(lambda: newest()["meta"]["itemText"] == "line 59", "alice has them all")
    # A chat without unread items opens at the end.
    gateway.call("POST", f"/v1/users/1/chats/direct/{gateway.bob}/read")
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    last = page.locator("chat-item-view", has_text="line 59")
    expect(last).to_be_in_viewport()
    page.evaluate("""async () => {
        const scroller = document.querySelector("chat-view .scroller")
        const rows = [...document.querySelectorAll("chat-item-view")].slice(-6, -1)
        for (const row of rows) row.style.display = "none"
        // The browser moves the view to the shorter list.
        scroller.scrollTop
        for (const row of rows) { row.style.display = ""; row.style.minHeight = "120px" }
        await new Promise(done => setTimeout(done, 300))
    }""")
    expect(last).to_be_in_viewport()
    # The user can leave the end.
    page.locator("chat-view .scroller").hover()
    page.mouse.wheel(0, -600)
    expect(page.get_by_role("button", name="To the last message")).to_be_visible()


def test_received_disappearing_and_live_messages_are_shown(visit, gateway):
    """The remaining time of a disappearing message decreases, and a live message is shown while it is written."""
    gateway.call(
        "PATCH",
        f"/v1/users/1/contacts/{gateway.bob}",
        {"preferences": {"timedMessages": {"allow": "yes", "ttl": 3600}}},
    )
    gateway.call(
        "PATCH",
        f"/v1/users/2/contacts/{gateway.alice}",
        {"preferences": {"timedMessages": {"allow": "yes", "ttl": 3600}}},
    )
    for user, contact in ((1, gateway.bob), (2, gateway.alice)):
        preferences = lambda: gateway.call("GET", f"/v1/users/{user}/contacts/{contact}")["contact"][
            "mergedPreferences"
        ]
        gateway.until(lambda: preferences()["timedMessages"]["enabled"]["forUser"], f"profile {user} knows both")
    alice = visit()
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(alice.page.get_by_role("textbox", name="Message")).to_be_visible()
    say(gateway, 2, f"direct/{gateway.alice}", {"type": "text", "text": "gone in a moment"}, ttl=40)
    gone = alice.page.locator("chat-item-view", has_text="gone in a moment")
    expect(gone.get_by_role("img", name="Disappears after a time")).to_be_visible()
    seconds = []
    gateway.until(
        lambda: (
            ((found := re.findall(r"(\d+)s", " ".join(gone.all_inner_texts()))) and seconds.append(int(found[-1])))
            or len(set(seconds)) > 2
        ),
        "its seconds run down",
    )
    assert seconds == sorted(seconds, reverse=True), seconds
    expect(gone).to_have_count(0, timeout=80_000)
    live = say(gateway, 2, f"direct/{gateway.alice}", {"type": "text", "text": "I am wri"}, live=True)[0]["chatItem"][
        "meta"
    ]["itemId"]
    line = alice.page.locator("chat-item-view", has_text="I am wri")
    expect(line).to_contain_text("LIVE")
    gateway.call(
        "PATCH",
        f"/v1/users/2/chats/direct/{gateway.alice}/messages/{live}",
        {"updatedMessage": {"msgContent": {"type": "text", "text": "I am writing it all"}, "mentions": {}}},
    )
    expect(line).to_contain_text("writing it all")
    expect(line).not_to_contain_text("LIVE")


def test_a_large_window_is_filled_without_scrolling(visit, gateway):
    """If all loaded items are visible, older items are loaded until the window is full."""
    for first in (0, 60, 120):
        lines = [{"type": "text", "text": f"line {line}"} for line in range(first, first + 60)]
        say(gateway, 1, f"direct/{gateway.bob}", *lines)
    visitor = visit(viewport={"width": 1200, "height": 9_000})
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(visitor.page.locator("chat-item-view", has_text="line 179")).to_be_visible()
    expect(visitor.page.get_by_text("line 0", exact=True)).to_be_visible()


def test_the_time_is_in_the_last_line_of_a_text(visit, gateway):
    for text in ("short", "two\nlines", "a longer text with a line break by its length " * 3):
        gateway.bob_says(text)
    visitor = visit()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(visitor.page.locator("framed-item-view")).to_have_count(3)
    below = visitor.page.evaluate("""() => [...document.querySelectorAll("framed-item-view")].map(bubble => {
        const text = bubble.querySelector("msg-content-view").getBoundingClientRect()
        return bubble.querySelector("ci-meta-view").getBoundingClientRect().top - text.bottom
    })""")
    assert below[0] < 0 and below[1] < 0, below


def test_consecutive_pictures_of_one_person_are_shown_as_an_album(visit, gateway):
    """Consecutive pictures of one person are shown together. Each picture has its own menu."""
    group = Group(gateway).add_bob()
    image = lambda text="": {"type": "image", "text": text, "image": PICTURE}
    say(gateway, 2, group.place(2), {"type": "text", "text": "before"}, image(), image())
    gateway.until(lambda: sum("msgContent" in item["content"] for item in group.items(1)) >= 3, "alice has them")
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place=f"#/1/{group.place(1)}")
    album = page.locator("album-view")
    expect(album.get_by_role("listitem")).to_have_count(2)
    page.evaluate("window.first = document.querySelector('album-view chat-item-view')")
    # A later picture joins the album. The views of the other pictures stay. A text ends the album.
    say(gateway, 2, group.place(2), image("the last one"), image(), {"type": "text", "text": "after"})
    expect(page.locator("chat-item-view", has_text="after")).to_be_visible()
    expect(album).to_have_count(1)
    expect(album.get_by_role("listitem")).to_have_count(3)
    expect(album).to_contain_text("the last one")
    assert page.evaluate("window.first.isConnected")
    check(page, "album")
    picture(visitor, "album")
    # An own picture is another album.
    say(gateway, 1, group.place(1), image(), image())
    expect(album).to_have_count(2)
    # The colour of a person's name is that of the person's picture.
    colours = page.evaluate("""() => ["profile-image", ".sender"].map(part =>
        [...document.querySelector(`.received ${part}`).classList].find(name => name.startsWith("hue")))""")
    assert colours[0] and colours[0] == colours[1], colours
    # Each picture is deleted by its own menu. A single picture is no album.
    act(visitor, album.last.get_by_role("listitem").first, "Delete for me")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(album).to_have_count(1)


def test_a_name_in_a_message_is_a_link(visit, gateway):
    """A press on a SimpleX name asks the gateway who is behind the name."""
    alice = visit()
    # No relay of the test resolves names, so the gateway refuses these requests. The browser's messages about them are
    # no faults.
    alice.awaits_outage = True
    say(gateway, 1, f"direct/{gateway.bob}", {"type": "text", "text": "ask @alice.simplex, or #news"})
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    for name in ("@alice.simplex", "#news"):
        with alice.page.expect_request("**/connections/plan") as asked:
            alice.page.get_by_role("button", name=name, exact=True).click()
        assert asked.value.post_data_json == {"connLink": name}
