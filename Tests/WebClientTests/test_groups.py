"""Tests of groups and their members."""

import re
import time

import pytest
from browser import expect
from groups import CONNECTED, Group
from steps import DOCUMENTS, act, check, close_dialogs, keep_notices, listed, picture, react, row_in_details, setting


@pytest.fixture
def team(gateway):
    """Makes a group with alice as its owner and bob as a member."""
    return Group(gateway).add_bob()


@pytest.fixture
def reviewed(gateway):
    """Makes a group of alice in which carol waits for the moderators' review."""
    group = Group(gateway, memberAdmission={"review": "all"}).add_carol()
    group.say(3, "please let me in", query="?scope=support")
    return group


@pytest.fixture
def enter(visit):
    """Returns a function that opens a group as alice."""

    def enter(group):
        alice = visit(permissions=["clipboard-read", "clipboard-write"])
        alice.sign_in(place=f"#/1/{group.place(1)}")
        expect(alice.page.get_by_role("textbox", name="Message")).to_be_visible()
        return alice

    return enter


def press_in_details(page, name):
    page.get_by_role("button", name="Details of the chat").click()
    page.get_by_role("dialog").get_by_role("button", name=name).last.click()


def deleted(item):
    return "itemDeleted" in item["meta"]


def open_conversation(alice):
    """Opens the conversation of carol with the moderators, and replies to her there."""
    page, box = alice.page, alice.page.get_by_role("dialog", name="carol")
    press_in_details(page, "carol")
    page.get_by_role("button", name="Chat with member").click()
    expect(box).to_contain_text("please let me in")
    box.get_by_role("textbox").fill("who are you?")
    page.get_by_role("button", name="Send").last.click()
    answer = box.locator("chat-item-view", has_text="who are you?")
    expect(answer).to_be_visible()
    return box, answer


def test_a_member_who_is_invited_in_the_page_gets_messages(enter, gateway):
    group = Group(gateway)
    alice = enter(group)
    alice.page.get_by_role("button", name="Invite members").click()
    alice.page.get_by_role("dialog").last.get_by_role("button", name="bob").click()
    group.join(2)
    alice.write("hello team")
    hello = alice.page.locator("chat-item-view", has_text="hello team")
    expect(hello.get_by_role("img", name="Delivered")).to_be_visible()
    group.received(2, "hello team")
    picture(alice, "group")


def test_the_menu_of_a_reaction_names_its_authors(enter, gateway, team):
    team.say(1, "hello team")
    theirs = f"/v1/users/2/chats/{team.place(2)}/messages/{team.received(2, 'hello team')}"
    gateway.call("POST", f"{theirs}/reactions", {"add": True, "reaction": {"type": "emoji", "emoji": "🚀"}})
    alice = enter(team)
    page, hello = alice.page, alice.page.locator("chat-item-view", has_text="hello team")
    react(alice, hello, "🚀")
    expect(hello.locator(".reactions")).to_have_text("🚀 2")
    # The page shows its own reaction before the gateway has it.
    counts = lambda: [it["totalReacted"] for item in team.items(1) for it in item.get("reactions", [])]
    gateway.until(lambda: counts() == [2], "the gateway has both reactions")
    hello.locator(".reactions button").click(button="right")
    expect(page.get_by_role("menuitem")).to_have_text(["bob", "you"])
    check(page, "who has reacted")
    page.get_by_role("menuitem", name="bob").click()
    expect(page.get_by_role("dialog", name="bob")).to_be_visible()


def test_the_name_and_the_review_setting_of_a_group_are_changed(enter, gateway):
    group = Group(gateway)
    page = enter(group).page
    press_in_details(page, "Edit group profile")
    page.get_by_label("Name").first.fill("the team")
    page.get_by_label("Review members").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".panel").get_by_role("heading", name="the team")).to_be_visible()
    assert group.info(1)["groupProfile"]["memberAdmission"] == {"review": "all"}


def test_members_get_a_changed_preference_of_the_group(enter, gateway, team):
    page = enter(team).page
    press_in_details(page, "Group preferences")
    page.get_by_role("checkbox", name="Message reactions").uncheck()
    page.get_by_role("button", name="Save").click()
    rule = lambda: team.info(2)["fullGroupPreferences"]["reactions"]["enable"]
    gateway.until(lambda: rule() == "off", "bob knows")


def test_a_member_gets_another_role(enter, gateway, team):
    page = enter(team).page
    press_in_details(page, "bob")
    page.get_by_role("button", name="Change role").click()
    page.get_by_role("combobox", name="Role").select_option("moderator")
    page.get_by_role("button", name="Save").click()
    gateway.until(lambda: team.info(2)["membership"]["memberRole"] == "moderator", "bob is a moderator")


def test_a_newcomer_who_joins_by_the_link_waits_for_the_review(enter, gateway):
    group = Group(gateway, memberAdmission={"review": "all"})
    alice = enter(group)
    # The browser reports the answer 404 for the missing link.
    alice.awaits_outage = True
    press_in_details(alice.page, "Group link")
    alice.page.get_by_role("button", name="Create address").click()
    group.add_carol(link=alice.page.locator("output.address").inner_text())


def test_the_list_and_the_details_count_support_chats_that_wait(enter, gateway, reviewed):
    alice = enter(reviewed)
    page, entry = alice.page, listed(alice.page, "team")
    waiting = re.compile("^Chat with admins: 1 unread$")
    expect(entry.get_by_role("img", name=waiting)).to_have_text("? 1")
    row = row_in_details(page, "Chats with members")
    expect(row.get_by_role("img", name=waiting)).to_be_visible()
    picture(alice, "support-waits")
    row.click()
    chats = page.get_by_role("dialog", name="Chats with members")
    expect(chats.locator("li")).to_have_count(1)
    chats.get_by_role("button", name="carol").click()
    box = page.get_by_role("dialog", name="carol")
    expect(box).to_contain_text("please let me in")
    box.get_by_role("textbox").fill("who are you?")
    box.get_by_role("button", name="Send").click()
    expect(box.locator("chat-item-view", has_text="who are you?")).to_be_visible()
    check(page, "a support chat")
    while page.locator("dialog:modal").count():
        page.keyboard.press("Escape")
    carol = next(it for it in reviewed.members(1) if it["memberStatus"] == "pending_review")["groupMemberId"]
    gateway.call("POST", f"{reviewed.path(1)}/members/{carol}/accept", {"memberRole": "member"})
    expect(entry.get_by_role("img", name=waiting)).to_have_count(0)
    expect(row.get_by_role("img", name=waiting)).to_have_count(0)


def test_the_role_of_people_who_join_by_the_link_is_changed(enter, gateway):
    group = Group(gateway)
    path = f"{group.path(1)}/link"
    gateway.call("POST", path, {"memberRole": "member"})
    page = enter(group).page
    press_in_details(page, "Group link")
    role = page.get_by_role("combobox", name="Role of new members")
    expect(role).to_have_value("member")
    role.select_option("observer")
    gateway.until(lambda: gateway.call("GET", path)["groupLink"]["acceptMemberRole"] == "observer", "the role is set")
    check(page, "the link of a group")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).last.click()
    expect(role).to_have_count(0)


def test_a_moderator_replies_to_a_newcomer(enter, reviewed):
    alice = enter(reviewed)
    open_conversation(alice)
    picture(alice, "support")


def test_actions_in_a_conversation_keep_its_dialog_open(enter, reviewed):
    alice = enter(reviewed)
    page, (box, answer) = alice.page, open_conversation(alice)
    keep_notices(page)
    answer.hover()
    answer.get_by_role("button", name="Actions").click()
    expect(box.get_by_role("menu")).to_be_visible()
    # Items of the dialog cannot be selected, since the selection belongs to the list behind the dialog.
    expect(box.get_by_role("menuitem", name="Select")).to_have_count(0)
    box.get_by_role("menuitem", name="Copy").click()
    expect(box.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "who are you?"
    act(alice, answer, "Info")
    expect(page.get_by_role("dialog", name="Info")).to_be_visible()
    page.keyboard.press("Escape")
    act(alice, answer, "Delete for everyone")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(answer).to_have_count(0)
    expect(box).to_have_count(1)


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_support_chat_has_replies_files_and_edits(enter, gateway, reviewed):
    """Moderators reply, send files and edit in a support chat. Nothing of this is in the chat of the group."""
    alice = enter(reviewed)
    page, (box, answer) = alice.page, open_conversation(alice)
    field = box.get_by_role("textbox", name="Message")
    act(alice, box.locator("chat-item-view", has_text="please let me in"), "Reply")
    expect(field).to_be_focused()
    expect(box.locator(".about")).to_contain_text("please let me in")
    # Escape ends the reply, and not the dialog.
    page.keyboard.press("Escape")
    expect(box.locator(".about")).not_to_contain_text("please let me in")
    act(alice, box.locator("chat-item-view", has_text="please let me in"), "Reply")
    box.locator("input[type=file]").set_input_files(
        {"name": "rules.txt", "mimeType": "text/plain", "buffer": b"be kind"}
    )
    expect(box.get_by_role("list", name="Attached files")).to_contain_text("rules.txt")
    field.fill("read the rules")
    picture(alice, "support-composer")
    check(page, "the composer of a support chat")
    field.press("Enter")
    ours = lambda user: reviewed.items(user, f"?scope=support{':' + str(carol) if user == 1 else ''}")
    carol = next(it for it in reviewed.members(1) if it["memberStatus"] == "pending_review")["groupMemberId"]
    with_file = lambda user: [it for it in ours(user) if it.get("file")]
    gateway.until(lambda: with_file(3) or page.wait_for_timeout(50), "carol has the file")
    item = with_file(3)[0]
    assert item["file"]["fileName"] == "rules.txt" and item["content"]["msgContent"]["text"] == "read the rules"
    assert item["quotedItem"]["content"]["text"] == "please let me in"
    expect(box.locator("ci-file-view")).to_contain_text("rules.txt")
    act(alice, answer, "Edit")
    expect(field).to_have_value("who are you?")
    field.fill("who are you, please?")
    field.press("Enter")
    texts = lambda user: [it["content"].get("msgContent", {}).get("text") for it in ours(user)]
    gateway.until(lambda: "who are you, please?" in texts(3) or page.wait_for_timeout(50), "carol has the new text")
    assert not [it for it in reviewed.items(1) if it.get("file") or it["content"]["type"] == "sndMsgContent"]
    # A message that was not sent is there again when the dialog is opened again, with its file and its reply.
    act(alice, box.locator("chat-item-view", has_text="please let me in").first, "Reply")
    box.locator("input[type=file]").set_input_files(
        {"name": "more.txt", "mimeType": "text/plain", "buffer": b"be quick"}
    )
    field.fill("not sent")

    def open_again():
        box.get_by_role("button", name="Close").click()
        page.locator(".panel").get_by_role("button", name="carol").last.click()
        page.get_by_role("button", name="Chat with member").click()

    open_again()
    expect(field).to_have_value("not sent")
    expect(box.get_by_role("list", name="Attached files")).to_contain_text("more.txt")
    expect(box.locator(".about")).to_contain_text("please let me in")
    # An edit that was not sent is an edit again when the dialog is opened again.
    act(alice, box.locator("chat-item-view", has_text="who are you, please?"), "Edit")
    field.fill("who is there?")
    open_again()
    expect(field).to_have_value("who is there?")
    expect(box.locator(".about")).to_contain_text("Editing")
    # The edit can be sent when its message is loaded.
    expect(box.locator(".about")).to_contain_text("who are you, please?")
    field.press("Enter")
    gateway.until(lambda: "who is there?" in texts(3) or page.wait_for_timeout(50), "carol has the second edit")
    assert "who are you, please?" not in texts(3)


def test_an_open_support_chat_follows_preferences_and_rights(visit, enter, gateway, reviewed):
    """An open support chat takes no files after the group forbids files, and no text of a removed member."""
    alice = enter(reviewed)
    theirs, carol = open_conversation(alice)[0], visit()
    carol.sign_in(place=f"#/3/{reviewed.place(3)}")
    press_in_details(carol.page, "Chat with admins")
    own = carol.page.get_by_role("dialog", name="Chat with admins")
    attach = theirs.get_by_role("button", name="Attach files")
    expect(attach).to_be_visible()
    expect(own.get_by_role("textbox", name="Message")).to_be_visible()
    gateway.call("PATCH", reviewed.path(1), {"profile": {"groupPreferences": {"files": {"enable": "off"}}}})
    expect(attach).to_be_hidden()
    member = next(it["groupMemberId"] for it in reviewed.members(1) if it["memberStatus"] == "pending_review")
    gateway.call("DELETE", f"{reviewed.path(1)}/members?memberIds={member}")
    expect(own.get_by_role("textbox", name="Message")).to_be_hidden()


def test_text_is_copied_without_the_clipboard_api_or_the_failure_is_shown(enter, gateway, reviewed):
    alice = enter(reviewed)
    page, box = alice.page, open_conversation(alice)[0]
    keep_notices(page)
    theirs = box.locator("chat-item-view", has_text="please let me in")
    page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('none') } }")
    act(alice, theirs, "Copy")
    copied = lambda: page.evaluate("navigator.clipboard.readText()")
    gateway.until(lambda: copied() == "please let me in", "it is copied")
    page.evaluate("() => { document.execCommand = () => false }")
    act(alice, theirs, "Copy")
    expect(box.get_by_text("The browser does not allow copying.")).to_be_visible()


def test_an_accepted_newcomer_becomes_a_member(enter, gateway, reviewed):
    page = enter(reviewed).page
    press_in_details(page, "carol")
    page.get_by_role("button", name="Accept member").click()
    page.get_by_role("button", name="Accept member").last.click()
    gateway.until(lambda: reviewed.own_status(3) == "connected", "carol is in")
    # The dialog about the group stays open.
    expect(page.get_by_role("dialog")).to_have_count(1)


@pytest.fixture
def reported(gateway, team):
    """Makes a group in which bob has reported a message of alice."""
    team.say(1, "something to report")
    report = {"reportReason": "spam", "reportText": "it is spam"}
    gateway.call("POST", f"{team.path(2)}/messages/{team.received(2, 'something to report')}/reports", report)
    gateway.until(lambda: team.items(1, "?contentType=report"), "the report has come")
    return team


def open_reports(alice):
    expect(alice.page.get_by_role("img", name="1 report")).to_be_visible()
    press_in_details(alice.page, "Member reports")
    box = alice.page.get_by_role("dialog", name="Member reports")
    expect(box).to_contain_text("it is spam")
    return box


def test_the_list_of_reports_has_no_waiting_messages(enter, reported):
    alice = enter(reported)
    page, path = alice.page, "**/chats/group/*/messages"
    page.route(path, lambda route: route.fulfill(status=400, json={"code": "chatError", "detail": "It is too long."}))
    # The browser reports the refusal of the message, which is no fault.
    alice.awaits_outage = True
    alice.write("for the group")
    expect(page.locator("chat-view queued-item-view")).to_contain_text("It is too long.")
    box = open_reports(alice)
    expect(box.locator("chat-item-view")).to_have_count(1)
    expect(box.locator("queued-item-view")).to_have_count(0)


def is_report_archived(group):
    return group.items(1, "?contentType=report")[0]["meta"].get("itemDeleted")


def test_the_filter_for_reports_shows_only_groups_with_reports(enter, reported):
    page = enter(reported).page
    expect(page.get_by_role("img", name="1 report")).to_be_visible()
    # The list has the notes, bob, and the group.
    expect(page.locator("chat-preview-view")).to_have_count(3)
    page.get_by_role("button", name="Reports", exact=True).click()
    expect(page.locator("chat-preview-view")).to_have_count(1)
    page.get_by_role("button", name="Reports", exact=True).click()
    expect(page.locator("chat-preview-view")).to_have_count(3)


def test_one_report_is_archived(enter, gateway, reported):
    alice = enter(reported)
    report = open_reports(alice).locator("chat-item-view", has_text="it is spam")
    act(alice, report, "Archive report")
    gateway.until(lambda: is_report_archived(reported), "it is dealt with")


def test_all_reports_are_archived_together(enter, gateway, reported):
    alice = enter(reported)
    open_reports(alice).get_by_role("button", name="Archive reports").click()
    expect(alice.page.get_by_role("img", name="1 report")).to_have_count(0)
    expect(alice.page.get_by_role("button", name="Reports", exact=True)).to_have_count(0)
    gateway.until(lambda: is_report_archived(reported), "it is dealt with")


def test_a_blocked_member_is_marked_as_blocked(enter, team):
    page = enter(team).page
    press_in_details(page, "bob")
    page.get_by_role("button", name="Block for all").click()
    page.get_by_role("button", name="Block", exact=True).click()
    expect(page.locator(".panel").get_by_role("button", name="bob")).to_contain_text("blocked")


def test_a_removed_member_has_the_status_removed(enter, gateway, team):
    page = enter(team).page
    team.say(2, "to stay or not")
    team.received(1, "to stay or not")
    press_in_details(page, "bob")
    page.get_by_role("button", name="Remove member").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    gateway.until(lambda: team.own_status(2) == "removed", "bob is removed")
    # The messages of the removed member stay.
    assert team.received(1, "to stay or not")


def test_a_member_is_removed_together_with_the_messages(enter, gateway, team):
    page = enter(team).page
    team.say(2, "to stay or not")
    message = page.locator("chat-item-view", has_text="to stay or not")
    expect(message).to_be_visible()
    press_in_details(page, "bob")
    page.get_by_role("button", name="Remove member").click()
    check(page, "removal of a member")
    page.get_by_role("button", name="Remove and delete messages").click()
    gateway.until(lambda: team.own_status(2) == "removed", "bob is removed")
    expect(message).to_have_count(0)
    for user in (1, 2):
        gateway.until(
            lambda: (
                "to stay or not" not in [item["meta"]["itemText"] for item in team.items(user) if not deleted(item)]
            ),
            f"profile {user} has no message",
        )


def test_mentions_moderation_and_receipts_of_members_are_shown(visit, gateway):
    """A mention is marked in the list, moderators delete messages for all, and a message shows its delivery to each
    member.
    """
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})[
        "groupInfo"
    ]["groupId"]
    gateway.call("POST", f"/v1/users/1/groups/{group}/members", {"contactId": gateway.bob, "memberRole": "member"})
    bobs = gateway.until(lambda: gateway.call("GET", "/v1/users/2/groups")["groups"], "bob is invited")[0]
    bobs = (bobs.get("groupInfo") or bobs)["groupId"]
    alice, bob = visit(), visit()
    bob.sign_in(place=f"#/2/group/{bobs}")
    # An invitation can be accepted in the chat.
    bob.page.get_by_role("button", name="Join", exact=True).click()
    alice.sign_in(place="#/1")
    gateway.until(
        lambda: (
            gateway.call("GET", f"/v1/users/1/groups/{group}/members")["group"]["members"][0]["memberStatus"]
            in ("connected", "complete")
        ),
        "bob is in",
    )
    expect(bob.page.get_by_role("textbox", name="Message")).to_be_visible()
    # The settings of a group are folded into one line until the user opens them.
    settings = bob.page.locator("ci-chat-feature-view:visible")
    expect(settings).to_have_count(1)
    bob.page.get_by_role("button", name=re.compile(r"^[0-9]+ more settings$")).click()
    expect(settings.filter(has_text="Visible history")).to_be_visible()
    expect(bob.page.get_by_role("button", name="more settings")).to_have_count(0)
    # Items of a group are ordered by the relay's whole seconds. A message in the same second as "bob connected" would
    # be before that event, so the test waits for the next second.
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
    # If a sender has written several messages, the first has the name, and the last has the picture.
    expect(again.locator(".sender")).to_have_count(0)
    expect(again.locator("profile-image")).to_have_count(1)
    expect(said.locator("profile-image")).to_have_count(0)

    act(alice, again, "Moderate")
    alice.page.get_by_role("button", name="Delete", exact=True).click()
    expect(bob.page.locator("chat-item-view", has_text="eleted by")).to_be_visible()
    alice.write("for all members")
    own = alice.page.locator("chat-item-view", has_text="for all members")
    expect(own.get_by_role("img", name="Delivered")).to_be_visible()
    act(alice, own, "Info")
    expect(alice.page.get_by_role("dialog").locator("ul.versions li")).to_contain_text("bob")
    expect(alice.page.get_by_role("dialog").get_by_role("img", name="Delivered")).to_be_visible()
    alice.page.keyboard.press("Escape")


def test_group_invitations_are_accepted_automatically(visit, gateway):
    bob = visit()
    page = bob.page
    bob.sign_in(place="#/2")
    accepts = lambda: gateway.call("GET", "/v1/users/2")["user"].get("autoAcceptGroupInvitations")
    switch = setting(page, "Auto-accept group invitations").get_by_role("switch")
    expect(switch).not_to_be_checked()
    switch.check()
    gateway.until(accepts, "the profile accepts invitations")
    close_dialogs(page)
    team = Group(gateway)
    gateway.call("POST", f"{team.path(1)}/members", {"contactId": gateway.bob, "memberRole": "member"})
    gateway.until(
        lambda: [it["memberStatus"] for it in team.members(1) if it["memberStatus"] in CONNECTED], "bob joins"
    )
    expect(listed(page, "team")).to_be_visible()
    # The settings show that invitations are accepted. The switch also ends this.
    switch = setting(page, "Auto-accept group invitations").get_by_role("switch")
    expect(switch).to_be_checked()
    switch.uncheck()
    gateway.until(lambda: not accepts(), "the profile accepts no invitations")


def test_group_invitations_are_accepted_and_rejected(visit, gateway):
    """A group invitation is accepted or rejected, members have their name and picture, and a setting limits
    notifications to mentions.
    """
    bob, alice = visit(), visit()
    groups = [
        gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": name, "fullName": ""}})[
            "groupInfo"
        ]["groupId"]
        for name in ("unwanted", "wanted")
    ]
    for group in groups:
        gateway.call("POST", f"/v1/users/1/groups/{group}/members", {"contactId": gateway.bob, "memberRole": "member"})
    bob.sign_in(place=f"#/2/direct/{gateway.alice}")
    page, cards = bob.page, bob.page.locator("ci-group-invitation-view")
    expect(cards).to_have_count(2)
    cards.filter(has_text="unwanted").get_by_role("button", name="Reject").click()
    page.get_by_role("dialog").get_by_role("button", name="Reject").click()
    expect(listed(page, "unwanted")).to_have_count(0)
    expect(cards.filter(has_text="unwanted")).to_contain_text("rejected")
    listed(page, "wanted").click()
    expect(page.locator(".foot").get_by_role("button", name="Reject")).to_be_visible()
    page.locator(".foot").get_by_role("button", name="Join").click()
    alice.sign_in(place=f"#/1/group/{groups[1]}")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    gateway.until(
        lambda: (
            gateway.call("GET", f"/v1/users/1/groups/{groups[1]}/members")["group"]["members"][0]["memberStatus"]
            in ("connected", "complete")
        ),
        "bob is in",
    )
    bob.write("here I am")
    row = alice.page.locator("chat-item-view", has_text="here I am")
    row.locator(".sender").click()
    expect(
        alice.page.get_by_role("dialog", name="bob").get_by_role("button", name="Send direct message")
    ).to_be_visible()
    alice.page.keyboard.press("Escape")
    row.get_by_role("button", name="About bob").click()
    expect(alice.page.get_by_role("dialog", name="bob")).to_be_visible()
    alice.page.keyboard.press("Escape")

    stored = lambda: gateway.call("GET", f"/v1/users/1/groups/{groups[1]}")["groupInfo"]["chatSettings"]

    def is_known(wanted):
        """Waits until the page has the setting."""
        shown = lambda: alice.page.evaluate(DOCUMENTS)["session"]["chatInfo"]["groupInfo"]["chatSettings"]
        listed = lambda: [
            chat["chatInfo"]["groupInfo"]["chatSettings"]
            for chat in alice.page.evaluate(DOCUMENTS)["model"]["chats"]
            if chat["id"] == f"#{groups[1]}"
        ]
        gateway.until(lambda: [it["enableNtfs"] for it in (shown(), *listed())] == [wanted] * 2, "the page knows it")

    # A member whose security code was compared is marked in the list.
    member = f"/v1/users/1/groups/{groups[1]}/members/{gateway.call('GET', f'/v1/users/1/groups/{groups[1]}/members')['group']['members'][0]['groupMemberId']}"
    gateway.call(
        "POST", f"{member}/verify", {"connectionCode": gateway.call("GET", f"{member}/code")["connectionCode"]}
    )
    alice.page.get_by_role("button", name="Details of the chat").click()
    expect(
        alice.page.get_by_role("dialog").locator("li", has_text="bob").get_by_role("img", name="verified")
    ).to_be_visible()
    alice.page.keyboard.press("Escape")
    row_in_details(alice.page, "Only mentions").get_by_role("switch").check()
    gateway.until(lambda: stored()["enableNtfs"] == "mentions", "it is set")
    is_known("mentions")
    row_in_details(alice.page, "Send receipts").get_by_role("combobox").select_option("false")
    gateway.until(
        lambda: stored().get("sendRcpts") is False and stored()["enableNtfs"] == "mentions", "that is set too"
    )
    row_in_details(alice.page, "Unmute").click()
    gateway.until(lambda: stored()["enableNtfs"] == "all", "it is set back")
    close_dialogs(alice.page)
    before = gateway.call("GET", "/v1/users/1")["user"]["sendRcptsSmallGroups"]
    setting(alice.page, "Small groups (max 20)").get_by_role("switch").set_checked(not before)
    gateway.until(lambda: gateway.call("GET", "/v1/users/1")["user"]["sendRcptsSmallGroups"] != before, "it is set")
