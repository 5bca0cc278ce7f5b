"""Tests of channels and their chat relays."""

import re

import browser
import pytest
from browser import expect
from groups import Channel, use_relay
from recordings import parts, recorded
from steps import act, check, close_dialogs, picture, react, save, setting


@pytest.mark.gateway(is_new=True)
def test_recorded_channels_are_shown_correctly(visit, gateway):
    """Recorded channels are shown correctly to a subscriber, to the owner, and to a user who opens the link."""
    found = [part for line in recorded("channel-*") for part in parts(line)]
    chats = [
        part
        for part in found
        if part.get("chatInfo", {}).get("groupInfo", {}).get("useRelays") and isinstance(part.get("chatItems"), list)
    ]
    role = lambda chat: chat["chatInfo"]["groupInfo"]["membership"]["memberRole"]
    longest = lambda wanted: max(
        (chat for chat in chats if role(chat) == wanted), key=lambda chat: len(chat["chatItems"])
    )
    answers = {
        kind: [part for part in found if part.get("type") == kind]
        for kind in ("groupMembers", "groupRelays", "connectionPlan", "newPreparedChat", "startedConnectionToGroup")
    }
    members = max(
        (answer for answer in answers["groupMembers"] if answer["group"]["groupInfo"].get("useRelays")),
        key=lambda answer: len(answer["group"]["members"]),
    )
    relays = {
        relay["relayStatus"]: {**relay, "groupRelayId": index}
        for index, relay in enumerate(relay for answer in answers["groupRelays"] for relay in answer["groupRelays"])
    }
    plan = next(
        answer
        for answer in answers["connectionPlan"]
        if answer["connectionPlan"].get("groupLinkPlan", {}).get("groupSLinkInfo_", {}).get("direct") is False
    )
    assert "active" in relays and len(relays) > 1
    gateway.call("POST", "/v1/users", {"profile": {"displayName": "alice", "fullName": ""}})
    for wanted in ("observer", "owner", "link"):
        chat = answers["newPreparedChat"][0]["chat"] if wanted == "link" else longest(wanted)
        group = chat["chatInfo"]["groupInfo"]
        group["chatTags"] = []
        name = group["groupProfile"]["displayName"]
        visitor = visit()
        # The gateway itself does not have this group, so it refuses requests about the group. The browser's messages
        # about them are no faults.
        visitor.awaits_outage = True
        page, asked = visitor.page, []

        def model(route):
            answer = route.fetch().json()
            stats = {
                "unreadCount": 0,
                "unreadMentions": 0,
                "reportsCount": 0,
                "minUnreadItemId": 0,
                "unreadChat": False,
            }
            shown = (
                []
                if wanted == "link" and not asked
                else [
                    {
                        **chat,
                        "id": f"#{group['groupId']}",
                        "chatItems": chat["chatItems"][-1:],
                        "chatStats": stats,
                        "createdAt": group["createdAt"],
                    }
                ]
            )
            answer["model"]["chats"] = [*shown, *answer["model"]["chats"]]
            route.fulfill(json=answer)

        def session(route):
            answer = gateway.call("GET", route.request.url.removeprefix(gateway.url).rsplit("/", 1)[0])
            answer["session"] |= {"chatId": f"#{group['groupId']}", "chatInfo": chat["chatInfo"]}
            answer["session"]["im"] |= {
                "reversedChatItems": chat["chatItems"][::-1],
                "lastItemsLoaded": True,
                "newestLoaded": True,
            }
            route.fulfill(json=answer)

        def answered(route, answer):
            asked.append((route.request.url.rsplit("/", 1)[1], route.request.post_data_json))
            route.fulfill(json=answer)

        page.route("**/v1/users/1/model", model)
        page.route("**/sessions/*/chat", session)
        page.route("**/sessions/*/members", lambda route: route.fulfill(json={}))
        page.route("**/groups/*/members", lambda route: route.fulfill(json=members))
        page.route(
            "**/groups/*/relays",
            lambda route: route.fulfill(json={**answers["groupRelays"][0], "groupRelays": list(relays.values())}),
        )
        page.route("**/connections/plan", lambda route: answered(route, plan))
        page.route("**/groups/prepared", lambda route: answered(route, answers["newPreparedChat"][0]))
        page.route("**/groups/*/connect", lambda route: answered(route, answers["startedConnectionToGroup"][0]))
        page.route("**/chats/*/*/messages", lambda route: answered(route, {}))
        if wanted == "link":
            visitor.sign_in(place="#/1")
            page.get_by_role("button", name="New chat").click()
            page.get_by_role("button", name="Paste link / Scan").click()
            page.get_by_role("textbox", name="Link").fill(
                plan["connectionPlan"]["groupLinkPlan"]["groupSLinkData_"]["groupProfile"]["publicGroup"]["groupLink"]
            )
            page.get_by_role("button", name="Continue").click()
            expect(page.get_by_role("dialog").locator(".profile")).to_contain_text(name)
            page.get_by_role("button", name="Open channel").click()
            page.wait_for_url(f"**/app#/1/group/{group['groupId']}")
            assert (
                asked[1][1]["directLink"] is False
                and asked[1][1]["groupShortLinkData"] == plan["connectionPlan"]["groupLinkPlan"]["groupSLinkData_"]
            ), asked
            page.reload()
            expect(page.locator(".foot")).to_contain_text(group["groupProfile"]["shortDescr"])
            picture(visitor, "channel-link")
            page.get_by_role("button", name="Join", exact=True).click()
            gateway.until(lambda: ("connect", {"incognito": False}) in asked, "it is joined")
            visitor.close()
            continue
        visitor.sign_in(place=f"#/1/group/{group['groupId']}")
        expect(page.locator("chat-view header")).to_contain_text(re.compile(r"\d+ subscriber"))
        if wanted == "observer":
            expect(page.locator("chat-item-view", has_text="NOT end-to-end encrypted")).to_be_attached()
        if wanted == "observer":
            expect(page.locator(".sender", has_text=name).filter(has_text="channel").first).to_be_attached()
            expect(page.locator(".foot")).to_have_text("You can read here, and not write.")
        else:
            visitor.write("for all")
            gateway.until(lambda: asked, "it is sent")
            assert [body["sendAsGroup"] for _, body in asked] == [True], asked
        picture(visitor, f"channel-{wanted}")
        page.get_by_role("button", name="Details of the chat").click()
        box = page.locator(".panel")
        for gone in ("Member reports", "Chat with admins", "Chat preferences", "Invite members"):
            expect(box.get_by_role("button", name=gone)).to_have_count(0)
        # The only owner can delete the channel, but not leave it.
        expect(box.get_by_role("button", name="Leave channel")).to_have_count(0 if wanted == "owner" else 1)
        expect(box.get_by_role("button", name="Delete channel")).to_have_count(1 if wanted == "owner" else 0)
        expect(box.get_by_role("button", name="Edit channel profile")).to_have_count(1 if wanted == "owner" else 0)
        picture(visitor, f"channel-info-{wanted}")
        box.get_by_role("button", name="Chat relays").click()
        if wanted == "owner":
            for status in relays:
                expect(page.locator(f".dot.{status}")).to_have_count(1)
        else:
            expect(page.get_by_role("dialog", name="Chat relays").locator("li")).to_have_count(1)
        check(page, f"relays: {wanted}")
        page.keyboard.press("Escape")
        box.get_by_role("button", name="Owners" if wanted == "observer" else "Subscribers").click()
        lists = page.get_by_role("dialog", name="Members")
        expect(lists.get_by_role("heading", name="Subscribers")).to_have_count(1 if wanted == "owner" else 0)
        page.keyboard.press("Escape")
        box.get_by_role("button", name="Channel link").click()
        expect(page.locator("output.address")).to_have_text(group["groupProfile"]["publicGroup"]["groupLink"])


@pytest.fixture(scope="module")
def relays():
    """Returns the addresses of two chat relays, which another gateway serves."""
    with browser.NewGateway() as serving:

        def served(name):
            relay = {"profile": {"displayName": name, "fullName": ""}, "userChatRelay": True}
            user = serving.call("POST", "/v1/users", relay)["user"]["userId"]
            return serving.call("POST", f"/v1/users/{user}/address", {})["connLinkContact"]["connShortLink"]

        yield [served(name) for name in ("first relay", "second relay")]


@pytest.fixture
def unread(gateway, relays):
    """Makes a channel of alice with one chat relay and without subscribers."""
    return Channel(gateway, relays[:1])


@pytest.fixture
def channel(unread):
    """Makes a channel of alice with one chat relay, and with bob as its subscriber."""
    return unread.add_bob()


@pytest.fixture
def enter(visit):
    """Returns a function that opens a channel as one person."""

    def enter(channel, user):
        visitor = visit()
        visitor.sign_in(place=f"#/{user}/{channel.place(user)}")
        expect(visitor.page.get_by_role("button", name="Details of the chat")).to_be_visible()
        return visitor, visitor.page, visitor.page.locator("chat-item-view")

    return enter


def press_in_details(page, name):
    page.get_by_role("button", name="Details of the chat").click()
    page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()


def open_new_channel(page):
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Create channel").click()


def open_subscriber(page):
    press_in_details(page, "Subscribers")
    page.get_by_role("dialog").last.get_by_role("button", name="bob").click()


def test_a_channel_is_created_in_the_page(visit, gateway, relays):
    alice = visit()
    page = alice.page
    alice.sign_in(place="#/1")
    open_new_channel(page)
    page.get_by_label("Name", exact=True).fill("the news")
    page.get_by_label("Welcome message").fill("Welcome, <b>reader</b>")
    # An address that does not belong to a chat relay is refused.
    alice.awaits_outage = True
    page.get_by_label("Another chat relay").fill("https://example.org/r#nothing")
    page.get_by_role("button", name="Create channel").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    page.get_by_label("Another chat relay").fill(relays[0])
    check(page, "new channel")
    picture(alice, "channel-new")
    page.get_by_role("button", name="Create channel").click()
    expect(page.get_by_alt_text("QR code of the link")).to_be_visible(timeout=60_000)
    expect(page.locator("output.address")).not_to_be_empty()
    picture(alice, "channel-made")
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="the news")).to_be_visible()
    # Waits until the relay serves the channel.
    press_in_details(page, "Chat relays")
    expect(page.locator(".dot.active")).to_have_count(1, timeout=60_000)


def test_a_second_relay_is_added_to_a_channel(enter, unread, relays):
    alice, page, _ = enter(unread, 1)
    press_in_details(page, "Chat relays")
    page.get_by_role("button", name="Add relays").click()
    page.get_by_label("Another chat relay").fill(relays[1])
    page.get_by_role("button", name="Add relays").last.click()
    expect(page.locator(".dot.active")).to_have_count(2, timeout=60_000)
    picture(alice, "channel-relays")


def test_a_reader_who_joins_by_the_link_gets_earlier_posts(visit, enter, unread):
    alice, page, posts = enter(unread, 1)
    alice.write("before anybody")
    post = posts.filter(has_text="before anybody")
    expect(post.get_by_role("img", name="Delivered")).to_be_visible()
    bob = visit()
    bob.sign_in(place="#/2")
    bob.page.get_by_role("button", name="New chat").click()
    bob.page.get_by_role("button", name="Paste link / Scan").click()
    bob.page.get_by_role("textbox", name="Link").fill(unread.link)
    bob.page.get_by_role("button", name="Continue").click()
    bob.page.get_by_role("button", name="Open channel").click()
    bob.page.get_by_role("button", name="Join", exact=True).click()
    read = bob.page.locator("chat-item-view", has_text="before anybody")
    expect(read).to_have_count(1, timeout=60_000)
    expect(bob.page.locator(".foot")).to_have_text("You can read here, and not write.")
    expect(page.locator("chat-view header")).to_contain_text("2 subscribers")
    picture(alice, "channel-own")


def test_a_post_has_its_format_and_the_name_of_the_channel(enter, channel):
    alice, (bob, page, posts) = enter(channel, 1)[0], enter(channel, 2)
    alice.write("the *first* post")
    expect(posts.filter(has_text="the first post").locator("strong")).to_have_text("first")
    expect(posts.locator(".sender").first).to_contain_text("the news")
    picture(bob, "channel-read")
    # The name above a message opens the details of the channel, also with the keyboard.
    page.locator(".sender").first.press("Enter")
    expect(page.get_by_role("dialog", name="the news")).to_contain_text("Welcome, <b>reader</b>")


def test_the_owner_sees_reactions_and_readers_see_edits(enter, channel):
    (alice, _, own), (bob, _, read) = enter(channel, 1), enter(channel, 2)
    alice.write("the first post")
    post = own.filter(has_text="the first post")
    react(bob, read.filter(has_text="the first post"), "🚀")
    expect(post.locator(".reactions")).to_contain_text("🚀")
    act(alice, post, "Edit")
    alice.write("the first post, edited")
    expect(read.filter(has_text="edited")).to_have_count(1)


def test_a_message_of_a_subscriber_has_the_name_of_the_subscriber(enter, channel):
    (_, page, posts), bob = enter(channel, 1), enter(channel, 2)[0]
    press_in_details(page, "Subscribers")
    check(page, "subscribers")
    page.get_by_role("dialog").last.get_by_role("button", name="bob").click()
    page.get_by_role("button", name="Change role").click()
    page.get_by_role("combobox", name="Role").select_option("member")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_have_count(2)
    close_dialogs(page)
    bob.write("a comment of mine")
    comment = posts.filter(has_text="a comment of mine")
    expect(comment.locator(".sender")).to_contain_text("bob")
    comment.get_by_role("button", name="About bob").click()
    expect(page.get_by_role("dialog", name="bob")).to_contain_text("member")


def test_readers_see_the_new_name_of_a_channel(enter, channel):
    page, theirs = enter(channel, 1)[1], enter(channel, 2)[1]
    press_in_details(page, "Edit channel profile")
    # Relays admit the subscribers, so there is no setting for a review.
    expect(page.get_by_label("Review members")).to_have_count(0)
    page.get_by_label("Name", exact=True).fill("the newest")
    page.get_by_role("button", name="Save").click()
    expect(theirs.get_by_role("heading", name="the newest")).to_be_visible()


def test_the_web_page_of_a_channel_is_edited_and_shown(enter, gateway, channel):
    (_, page, _), theirs = enter(channel, 1), enter(channel, 2)[1]
    access = lambda user: channel.info(user)["groupProfile"]["publicGroup"].get("publicGroupAccess")
    press_in_details(page, "Channel webpage")
    form = page.get_by_role("dialog", name="Channel webpage")
    check(page, "web page of a channel")
    # An address of another kind is refused.
    form.get_by_label("Enter webpage URL").fill("javascript:alert(1)")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_have_text("A web address begins with https://")
    form.get_by_label("Enter webpage URL").fill("https://news.example/page")
    form.get_by_label("Allow anyone to embed").check()
    form.get_by_role("button", name="Save").click()
    wanted = {"groupWebPage": "https://news.example/page", "domainWebPage": False, "allowEmbedding": True}
    gateway.until(lambda: access(1) == access(2) == wanted, "the subscriber has it")
    expect(page.locator(".panel").get_by_role("link", name="https://news.example/page")).to_be_visible()
    theirs.get_by_role("button", name="Details of the chat").click()
    expect(theirs.locator(".panel").get_by_role("link", name="https://news.example/page")).to_be_visible()
    expect(theirs.locator(".panel").get_by_role("button", name="Channel webpage")).to_have_count(0)
    # The form has the stored values, and an empty address removes the page.
    page.locator(".panel").get_by_role("button", name="Channel webpage").click()
    expect(form.get_by_label("Allow anyone to embed")).to_be_checked()
    form.get_by_label("Enter webpage URL").fill("")
    form.get_by_role("button", name="Save").click()
    expect(theirs.locator(".panel").get_by_role("link")).to_have_count(0)
    gateway.until(lambda: "groupWebPage" not in access(1), "the page is removed")
    assert access(1)["allowEmbedding"]


def test_a_web_page_with_an_unsafe_address_is_no_link(enter, gateway, unread):
    unsafe = {"groupWebPage": "javascript:window.hit=1", "domainWebPage": False, "allowEmbedding": False}
    gateway.call("PATCH", unread.path(1), {"access": unsafe})
    page = enter(unread, 1)[1]
    page.get_by_role("button", name="Details of the chat").click()
    expect(page.locator(".panel").get_by_text("javascript:window.hit=1")).to_be_visible()
    expect(page.locator(".panel").get_by_role("link")).to_have_count(0)


def test_a_disabled_chat_relay_is_not_offered_for_channels(visit, gateway, relays):
    for address in relays:
        use_relay(gateway, address)
    alice = visit()
    page = alice.page
    alice.sign_in(place="#/1")
    setting(page, "Servers").click()
    page.get_by_label("Chat relay second relay").uncheck()
    save(page)
    open_new_channel(page)
    expect(page.get_by_label("first relay")).to_be_checked()
    expect(page.get_by_label("second relay")).to_have_count(0)


def test_posts_arrive_after_one_of_two_relays_is_removed(enter, gateway, relays):
    channel = Channel(gateway, relays).add_bob()
    (alice, page, _), posts = enter(channel, 1), enter(channel, 2)[2]
    press_in_details(page, "Chat relays")
    page.get_by_role("button", name="Remove second relay").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator(".dot")).to_have_count(1)
    page.keyboard.press("Escape")
    alice.write("by one relay")
    expect(posts.filter(has_text="by one relay")).to_have_count(1)


def test_a_removed_subscriber_sees_the_removal(enter, channel):
    page, theirs = enter(channel, 1)[1], enter(channel, 2)[1]
    open_subscriber(page)
    page.get_by_role("button", name="Remove member").click()
    expect(page.get_by_role("dialog").last).to_contain_text("The subscriber leaves the channel")
    page.get_by_role("button", name="Remove", exact=True).last.click()
    expect(theirs.locator(".foot")).to_have_text("You are not in this channel.")
    expect(page.get_by_role("dialog")).to_have_count(2)


def test_a_deleted_channel_is_removed_from_the_list(enter, unread):
    page = enter(unread, 1)[1]
    press_in_details(page, "Delete channel")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("link", name="the news")).to_have_count(0)


def test_the_gateway_serves_a_channel_without_other_chat_relays(visit, gateway):
    """The gateway serves the channels of several profiles if the user has no other chat relays."""
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place="#/1")
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Create channel").click()
    box = page.get_by_role("dialog")
    box.get_by_label("Name", exact=True).fill("news")
    expect(box).to_contain_text("this gateway serves the channel")
    box.get_by_role("button", name="Create channel").click()
    expect(page.get_by_role("heading", name="Channel link")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Profile alice")).to_have_count(1)
    users = [it["user"] for it in gateway.call("GET", "/v1/users")["users"]]
    # The new profile does not become the active one.
    assert [user["userId"] for user in users if user["activeUser"]] == [2], users
    page.get_by_role("button", name="Close").click()
    page.evaluate("location.hash = '#/2'")
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Create channel").click()
    box.get_by_label("Name", exact=True).fill("more news")
    box.get_by_role("button", name="Create channel").click()
    expect(page.get_by_role("heading", name="Channel link")).to_be_visible(timeout=60_000)
    users = [it["user"] for it in gateway.call("GET", "/v1/users")["users"]]
    assert [user["userChatRelay"] for user in users].count(True) == 1, users
