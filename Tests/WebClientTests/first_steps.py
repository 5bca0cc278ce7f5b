"""The first steps of new people: names, links, new contacts, a channel."""
import subprocess

import browser
from browser import FILES, expect


def refused_name(chromium):
    """A refused name comes with the nearest one that is allowed."""
    with browser.NewGateway() as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
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
        # A link to a relay of this machine is of no use to a phone.
        page.get_by_role("button", name="New chat").click()
        page.get_by_role("button", name="Invite someone").click()
        expect(page.get_by_role("dialog")).to_contain_text("no phone can use it")
        visitor.close()


def news(chromium):
    """New contacts, requests and invitations to groups are said, and seen in the list."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        carol, dave = (
            gateway.call("POST", "/v1/users", {"profile": {"displayName": name, "fullName": ""}})["user"]["userId"]
            for name in ("carol", "dave"))
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()

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

        team = {"groupProfile": {"displayName": "team", "fullName": ""}}
        group = gateway.call("POST", "/v1/users/2/groups", team)["groupInfo"]["groupId"]
        alice = {"contactId": gateway.alice, "memberRole": "member"}
        gateway.call("POST", f"/v1/users/2/groups/{group}/members", alice)
        expect(page.get_by_text("You are invited to team.")).to_be_visible()
        invited = listed("team")
        expect(invited.get_by_role("img", name="invitation")).to_be_visible()
        invited.click()
        # The time of its banner is that of no day.
        expect(page.get_by_role("button", name="Join")).to_be_visible()
        assert "1970" not in page.locator("nav").inner_text()
        visitor.close()


def link_that_stays(chromium):
    """A browser that signs in by a link stays signed in, in other tabs too."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        arguments = ["web", "--url", gateway.url, "--data", str(gateway.folder / "data")]
        program = [browser.support.PROGRAM, *arguments]
        output = subprocess.run(program, check=True, capture_output=True, text=True).stdout
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        page.goto(output.split()[-1])
        expect(page.get_by_label("Keep me signed in")).to_be_checked()
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Choose a profile")).to_be_visible()
        tab = visitor.context.new_page()
        tab.goto(f"{gateway.url}/app")
        expect(tab.get_by_role("heading", name="Choose a profile")).to_be_visible()
        # A key that is typed stays only when it is asked to.
        other = browser.Visitor(chromium, gateway, FILES)
        other.open()
        expect(other.page.get_by_label("Keep me signed in")).not_to_be_checked()
        other.close()
        visitor.close()


def first_channel(chromium):
    """A person without a chat relay makes one on the way to a channel."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        visitor.sign_in(place="#/1")
        page.get_by_role("button", name="New chat").click()
        page.get_by_role("button", name="New channel").click()
        box = page.get_by_role("dialog")
        box.get_by_label("Name", exact=True).fill("news")
        box.get_by_role("button", name="Make a chat relay here").click()
        expect(box.get_by_label("Another chat relay")).not_to_have_value("")
        box.get_by_role("button", name="Create channel").click()
        expect(page.get_by_role("heading", name="Channel link")).to_be_visible(timeout=60_000)
        expect(page.get_by_role("button", name="Profile alice")).to_have_count(1)
        users = [it["user"] for it in gateway.call("GET", "/v1/users")["users"]]
        assert [user["userId"] for user in users if user["activeUser"]] == [1], users
        visitor.close()


TESTS = [refused_name, news, link_that_stays, first_channel]
