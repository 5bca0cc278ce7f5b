"""Tests of the first steps of new users: names, links, new contacts."""

import re

import pytest
from browser import expect
from steps import act, check, keep_notices, listed, picture, react, save


@pytest.mark.gateway(is_new=True)
def test_two_new_users_connect_and_exchange_messages(visit, gateway):
    alice, bob = visit(), visit()
    alice.open()
    expect(alice.page).to_have_title("SimpleX")
    expect(alice.page.get_by_label("Key")).to_be_visible()
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"

    def painted(path):
        alice.page.goto(gateway.url + path)
        return gateway.until(lambda: alice.page.evaluate(paint), f"{path} is painted")

    # The machine may be busy with other work. So the fastest of several visits counts, and the limit depends on the
    # time that the machine needs for a page of one line.
    gateway.until(lambda: painted("/app") < max(1000, 20 * painted("/livez")), "it is painted within a second")
    alice.sign_in()
    alice.page.get_by_label("Name").fill("alice")
    picture(alice, "first-start")
    alice.page.get_by_role("button", name="Create profile").click()
    expect(alice.page.get_by_role("link", name="Private notes")).to_be_visible()

    bob.sign_in()
    bob.page.get_by_role("button", name="Profile alice").click()
    bob.page.get_by_role("button", name="Add profile").click()
    bob.page.get_by_label("Name").fill("bob")
    bob.page.get_by_role("button", name="Create profile").click()
    expect(bob.page.get_by_role("button", name="Profile bob")).to_be_visible()

    alice.page.get_by_role("button", name="New chat").click()
    alice.page.get_by_role("button", name="Create 1-time link").click()
    expect(alice.page.get_by_alt_text("QR code of the link")).to_be_visible()
    picture(alice, "invitation")
    link = alice.page.locator("output.address").inner_text()
    alice.page.get_by_role("button", name="Close").click()

    bob.page.get_by_role("button", name="New chat").click()
    bob.page.get_by_role("button", name="Paste link / Scan").click()
    bob.page.get_by_role("textbox", name="Link").fill("https://example.org/")
    bob.page.get_by_role("button", name="Continue").click()
    expect(bob.page.get_by_role("alert")).to_have_text("This is no SimpleX link.")
    bob.page.get_by_role("textbox", name="Link").fill(link)
    bob.page.get_by_role("button", name="Continue").click()
    # The dialog names the owner of the link, before anything is sent.
    expect(bob.page.get_by_role("dialog").locator(".profile")).to_have_text("AaliceContact")
    picture(bob, "connect")
    bob.page.get_by_role("button", name="Connect", exact=True).click()
    expect(bob.page.locator("chat-view header")).to_contain_text("alice")
    alice.page.get_by_role("link", name="bob").click()
    # The page offers a first message, which the user sends or changes.
    greeting = alice.page.get_by_role("button", name="Write “Hello bob!” into the field")
    picture(alice, "greeting")
    greeting.click()
    expect(alice.page.get_by_role("textbox", name="Message")).to_have_value("Hello bob!")
    expect(greeting).to_be_hidden()
    assert alice.page.locator("msg-content-view").count() == 0
    alice.write("hello *bob*")
    expect(bob.page.get_by_role("button", name="Write “Hello alice!” into the field")).to_be_hidden()
    received = bob.page.locator("chat-item-view", has_text="hello bob").first
    expect(received.locator("strong")).to_have_text("bob")
    # The chat begins with the name of the contact.
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
    # Pressing a command of a bot writes the command into the field.
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


def test_a_business_address_opens_a_group_for_each_customer(visit, gateway):
    link = gateway.call("POST", "/v1/users/1/address", {})["connLinkContact"]["connFullLink"]
    settings = lambda: gateway.call("GET", "/v1/users/1/address")["contactLink"]["addressSettings"]
    alice = visit()
    page = alice.page
    alice.sign_in(place="#/1")

    def open_settings():
        page.get_by_role("button", name="New chat").click()
        page.get_by_role("button", name="SimpleX address").click()
        page.get_by_role("button", name="Address settings", exact=True).click()

    open_settings()
    business, accept = page.get_by_label("Business address"), page.get_by_label("Auto-accept")
    expect(accept).to_be_enabled()
    # A business address accepts each request, so the user cannot change this setting.
    business.check()
    expect(accept).to_be_checked()
    expect(accept).to_be_disabled()
    expect(page.get_by_label("Accept incognito")).to_be_disabled()
    check(page, "address settings")
    save(page)
    assert settings() == {"businessAddress": True, "autoAccept": {"acceptIncognito": False}}
    gateway.call("POST", "/v1/users", {"profile": {"displayName": "carol", "fullName": ""}})
    gateway.call("POST", "/v1/users/3/connections", {"connLink": link})
    groups = lambda: gateway.call("GET", "/v1/users/1/groups")["groups"]
    gateway.until(lambda: [group for group in groups() if "businessChat" in group], "the request opens a group")
    expect(listed(page, "carol")).to_be_visible()
    # The form has the stored value.
    open_settings()
    expect(business).to_be_checked()
    expect(accept).to_be_disabled()
    business.uncheck()
    expect(accept).to_be_enabled()
    save(page)
    assert settings() == {"businessAddress": False, "autoAccept": {"acceptIncognito": False}}


def test_contact_requests_to_an_address_are_accepted_and_rejected(visit, gateway):
    """Requests to an address are accepted or rejected. The QR code of the address contains its link."""
    alice = visit()
    # The browser reports the answer 404 for the missing address.
    alice.awaits_outage = True
    page = alice.page
    alice.sign_in(place="#/1")
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="SimpleX address").click()
    page.get_by_role("button", name="Create address").click()
    expect(page.get_by_alt_text("QR code of the link")).to_have_js_property("complete", True)
    link = page.locator("output.address").inner_text()
    page.keyboard.press("Escape")
    for user, name in ((3, "carol"), (4, "dave")):
        gateway.call(
            "POST", "/v1/users", {"profile": {"displayName": name, "fullName": "", "shortDescr": f"{name} <i>asks"}}
        )
        gateway.call("POST", f"/v1/users/{user}/connections", {"connLink": link})
    listed(page, "dave").click()
    expect(page.locator(".foot")).to_contain_text("wants to connect with you")
    page.get_by_role("button", name="Reject").click()
    page.get_by_role("dialog").get_by_role("button", name="Reject").click()
    expect(listed(page, "dave")).to_have_count(0)
    listed(page, "carol").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible(timeout=60_000)
    alice.write("welcome")
    expect(page.locator("chat-item-view", has_text="welcome").get_by_role("img", name="Delivered")).to_be_visible(
        timeout=60_000
    )
    # The address stays the same until it is deleted.
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="SimpleX address").click()
    expect(page.locator("output.address")).to_have_text(link)
    # The settings determine how contact requests are handled.
    page.get_by_role("button", name="Address settings", exact=True).click()
    page.get_by_label("Auto-accept").check()
    page.get_by_label("Welcome message").fill("welcome to all")
    page.get_by_label("Share with SimpleX contacts").check()
    page.get_by_role("button", name="Save").click()
    settings = lambda: gateway.call("GET", "/v1/users/1/address")["contactLink"]["addressSettings"]
    gateway.until(
        lambda: (
            settings().get("autoReply", {}).get("text") == "welcome to all"
            and settings()["autoAccept"] == {"acceptIncognito": False}
        ),
        "it is set",
    )
    gateway.until(lambda: gateway.call("GET", "/v1/users/1")["user"]["profile"].get("contactLink"), "contacts see it")
    page.get_by_role("button", name="Delete address").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    gateway.until(lambda: gateway.call("GET", "/v1/users/3/contacts")["contacts"], "carol has alice still")


def test_the_owner_of_a_link_is_shown_before_the_connection(visit, gateway):
    """The dialog shows the owner of a link and an existing connection, and connects the chosen profile."""
    carol = gateway.call(
        "POST", "/v1/users", {"profile": {"displayName": "carol", "fullName": "", "shortDescr": "<i>walks"}}
    )["user"]["userId"]
    gateway.call("POST", "/v1/users/1/activate", {})
    made = gateway.call("POST", f"/v1/users/{carol}/connections/invitations", {})["connLinkInvitation"]
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place="#/1")
    search = page.get_by_role("searchbox", name="Search chats and messages")
    dialog = page.get_by_role("dialog")
    expect(search).to_be_visible()
    keep_notices(page)

    def paste(link):
        search.fill(link)
        search.press("Enter")

    paste(made["connShortLink"])
    expect(dialog.locator(".profile")).to_have_text("CcarolContact<i>walks")
    check(page, "connect")
    picture(visitor, "connect-profiles")
    # The page sends no request for a connection before the user confirms.
    assert not gateway.call("GET", f"/v1/users/{carol}/contacts")["contacts"]
    dialog.get_by_label("Connect as").select_option("bob")
    dialog.get_by_label("Incognito").check()
    dialog.get_by_role("button", name="Connect", exact=True).click()
    # The page shows the profile that was chosen.
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
    expect(page.locator("chat-view header")).to_contain_text("carol")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible(timeout=60_000)
    theirs = lambda: gateway.call("GET", f"/v1/users/{carol}/contacts")["contacts"]
    gateway.until(theirs, "carol has the contact")
    assert theirs()[0]["profile"]["displayName"] != "bob"
    # A link that the profile has used leads to its chat.
    paste(made["connShortLink"])
    expect(dialog).to_contain_text("You are connected already.")
    dialog.get_by_role("button", name="Open chat").click()
    expect(dialog).to_have_count(0)
    # If the user chooses another profile, the dialog checks the address again for this profile.
    paste(gateway.call("POST", f"/v1/users/{carol}/address", {})["connLinkContact"]["connShortLink"])
    dialog.get_by_label("Connect as").select_option("carol")
    expect(page.get_by_text("This is your own link.")).to_be_visible()
    expect(dialog.get_by_label("Connect as")).to_have_value("2")
    dialog.get_by_role("button", name="Close").click()
    # A link without the data of its owner connects too.
    paste(gateway.call("POST", f"/v1/users/{carol}/connections/invitations", {})["connLinkInvitation"]["connFullLink"])
    expect(dialog).to_contain_text("The link does not tell who is behind it.")
    # A failure keeps the chat, which offers to connect again.
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    visitor.awaits_outage = True
    page.route("**/contacts/*/connect", lambda route: route.fulfill(status=502, json={"code": "relayUnreachable"}))
    paste(gateway.call("POST", f"/v1/users/{carol}/connections/invitations", {})["connLinkInvitation"]["connShortLink"])
    dialog.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_text("The relay cannot be reached.")).to_be_visible()
    expect(page.locator(".foot")).to_contain_text("Not connected.")
    page.unroute("**/contacts/*/connect")
    page.locator(".foot").get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible(timeout=60_000)


@pytest.mark.gateway(is_new=True)
def test_the_first_start_asks_for_the_servers(visit, gateway):
    visitor = visit()
    page = visitor.page
    visitor.sign_in()
    page.get_by_label("Name").fill("alice")
    relay = page.get_by_role("radio", name="Relays of this gateway")
    # The options of the gateway determine the default.
    expect(relay).to_be_checked()
    page.get_by_role("radio", name="Servers of the SimpleX network").check()
    check(page, "first start")
    picture(visitor, "first-start-servers")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("button", name="Profile alice")).to_be_visible()
    operators = [it.get("operator") for it in gateway.call("GET", "/v1/users/1/servers")["userServers"]]
    assert [it["tradeName"] for it in operators if it] == ["SimpleX Chat", "Flux"]
    accepted = gateway.call("GET", "/v1/server-operators")["conditions"]["conditionsAction"]
    assert accepted["type"] == "accepted", accepted
    # A profile with the default has the relay of the gateway.
    page.get_by_role("button", name="Profile alice").click()
    page.get_by_role("button", name="Add profile").click()
    page.get_by_role("dialog").last.get_by_label("Name").fill("bob")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("button", name="Profile bob")).to_be_visible()
    own = [it["server"] for it in gateway.call("GET", "/v1/users/2/servers")["userServers"][-1]["smpServers"]]
    assert len(own) == 1 and "127.0.0.1" in own[0], own


@pytest.mark.gateway(is_new=True)
def test_names_are_corrected_while_they_are_written(visit, gateway):
    visitor = visit()
    page = visitor.page
    visitor.sign_in()
    name = page.get_by_label("Name")
    for written, shown in (("Dr. O'Neil", "Dr ONeil"), ("Smith, John", "Smith John")):
        name.press_sequentially(written)
        expect(page.get_by_text(f"The name will be “{shown}”.")).to_be_visible()
        name.fill("")
    name.fill("Anna")
    expect(page.locator(".correction")).to_have_text("")
    name.fill("...")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("alert")).to_have_text("A name needs a letter or a digit.")
    name.fill("Anna (work)")
    picture(visitor, "name-corrected")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("button", name="Profile Anna work")).to_be_visible()
    # The name of a group is corrected in the same way.
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Create group").click()
    page.get_by_label("Group name").fill("tea & cake; daily")
    page.get_by_role("button", name="Create group").last.click()
    expect(page.locator("chat-view header")).to_contain_text("tea & cake daily")


@pytest.mark.gateway(is_new=True)
def test_the_page_offers_the_nearest_allowed_name(visit, gateway):
    """The page offers the nearest allowed name if the gateway refuses a name."""
    visitor = visit()
    page = visitor.page
    visitor.awaits_outage = True
    visitor.sign_in()
    error = {"type": "invalidDisplayName", "displayName": "Dr. X", "validName": "Dr X"}
    chat_error = {"type": "error", "errorType": error}
    problem = {"detail": "It has characters that names cannot have.", "chatError": chat_error}

    def refuse(route):
        route.fulfill(status=400, json=problem) if route.request.method == "POST" else route.fallback()

    page.route("**/v1/users", refuse)
    page.get_by_label("Name").fill("Dr. X")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("alert")).to_contain_text("characters that names cannot have")
    page.get_by_role("button", name="Use “Dr X”").click()
    expect(page.get_by_label("Name")).to_have_value("Dr X")
    expect(page.get_by_label("Name")).to_be_focused()
    page.unroute("**/v1/users")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("button", name="Profile Dr X")).to_be_visible()
    # A phone cannot use a link to a relay of this machine, so the dialog warns the user.
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Create 1-time link").click()
    expect(page.get_by_role("dialog")).to_contain_text("no phone can use it")


def test_new_contacts_requests_and_invitations_are_shown(visit, gateway):
    """New contacts, contact requests and group invitations are announced, and marked in the list."""
    carol, dave = (
        gateway.call("POST", "/v1/users", {"profile": {"displayName": name, "fullName": ""}})["user"]["userId"]
        for name in ("carol", "dave")
    )
    visitor = visit()
    page = visitor.page
    page.add_init_script("navigator.setAppBadge = async count => { window.badge = count }")
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    keep_notices(page)

    def listed(name):
        return page.locator("chat-preview-view", has=page.locator(".name", has_text=name))

    def link(*path):
        made = gateway.call("POST", "/v1/users/1/" + "/".join(path), {})
        return (made.get("connLinkInvitation") or made["connLinkContact"])["connFullLink"]

    gateway.call("POST", f"/v1/users/{carol}/connections", {"connLink": link("connections", "invitations")})
    expect(page.get_by_text("carol is connected.")).to_be_visible()
    contact = listed("carol")
    expect(contact).to_contain_text("Connected")
    expect(contact.get_by_role("img", name="new contact")).to_be_visible()
    contact.click()
    expect(contact.get_by_role("img", name="new contact")).to_have_count(0)

    gateway.call("POST", f"/v1/users/{dave}/connections", {"connLink": link("address")})
    expect(page.get_by_text("dave wants to connect with you.")).to_be_visible()
    asked = listed("dave")
    expect(asked.get_by_role("img", name="asks to be your contact")).to_be_visible()
    # The title, the badge of the application and the filter count the request. The notice about the request leads to
    # the request.
    expect(page).to_have_title(re.compile("^\\(1\\) carol"))
    assert page.evaluate("badge") >= 1
    page.locator(".notices p", has_text="dave").get_by_role("button", name="Open").click()
    expect(page.locator(".foot").get_by_role("button", name="Accept")).to_be_visible()
    page.get_by_role("button", name="Unread").click()
    expect(page.locator("chat-preview-view")).to_have_count(1)
    page.get_by_role("button", name="Unread").click()

    team = {"groupProfile": {"displayName": "team", "fullName": ""}}
    group = gateway.call("POST", "/v1/users/2/groups", team)["groupInfo"]["groupId"]
    alice = {"contactId": gateway.alice, "memberRole": "member"}
    gateway.call("POST", f"/v1/users/2/groups/{group}/members", alice)
    expect(page.get_by_text("You are invited to team.")).to_be_visible()
    invited = listed("team")
    expect(invited.get_by_role("img", name="invitation")).to_be_visible()
    invited.click()
    # The banner of a chat has no time, so the list must not show a date of 1970.
    expect(page.get_by_role("button", name="Join")).to_be_visible()
    assert "1970" not in page.locator("nav").inner_text()
