"""Groups and their members."""
import re
import time

from browser import expect
from steps import DOCUMENTS, act, check, listed, picture, react, say


def test_a_group_is_led(visit, gateway):
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
    alice = visit(permissions=["clipboard-read", "clipboard-write"])
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


def test_mentions_moderation_and_receipts_of_members_are_shown(visit, gateway):
    """A mention is seen in the list, moderators delete for all, and a message tells for each member how far it got."""
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"]["groupId"]
    gateway.call("POST", f"/v1/users/1/groups/{group}/members", {"contactId": gateway.bob, "memberRole": "member"})
    bobs = gateway.until(lambda: gateway.call("GET", "/v1/users/2/groups")["groups"], "bob is invited")[0]
    bobs = (bobs.get("groupInfo") or bobs)["groupId"]
    alice, bob = visit(), visit()
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


def test_invitations_are_accepted_and_rejected(visit, gateway):
    """An invitation to a group is accepted or not, a member is known by its name and its picture, and only mentions are notified of if that is wanted."""
    bob, alice = visit(), visit()
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
