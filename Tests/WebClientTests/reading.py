"""Opening and reading: where a chat begins, the places of pictures, and what a browser cannot do."""
import browser
from browser import FILES, expect

PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGNg4JVSN3FkYBdR1LP2"
    "AAAJhAGxrQ27vwAAAABJRU5ErkJggg==")


def opened_by_its_address(chromium):
    """A chat with much to read begins where reading was left, whichever of the two documents comes first."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        contents = [{"msgContent": {"type": "text", "text": f"line {line}"}, "mentions": {}} for line in range(140)]
        gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/messages", {"composedMessages": contents[:70]})
        gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/messages", {"composedMessages": contents[70:]})
        gateway.bob_says("the last one")
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        visitor.sign_in()
        expect(page.get_by_role("img", name="141 unread")).to_be_visible()
        # Messages in sight are read. There have to be enough of them for all steps.
        page.route("**/items/read", lambda route: route.fulfill(json={"type": "cmdOk"}))
        for late in ("**/v1/users/1/model", "**/v1/users/1/sessions", None):
            if late:
                page.route(late, lambda route: (page.wait_for_timeout(700), route.fallback()), times=1)
            page.goto(f"{gateway.url}/app#/1/direct/{gateway.bob}")
            page.reload()
            expect(page.locator(".day.unread")).to_be_in_viewport()
            expect(page.locator("chat-item-view", has_text="line 0")).to_be_in_viewport()
        visitor.close()


def places_of_pictures(chromium):
    """A picture has its height before it is drawn, so that it moves nothing."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        sizes = page.evaluate("""async image => {
            const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
            const { preview } = await import(`${files}items/ImageView.js`), picture = preview(image, "a picture")
            document.querySelector(".items").append(picture)
            const { width, height } = picture.getBoundingClientRect()
            return [picture.complete, width, height]
        }""", PICTURE)
        assert sizes == [False, 320, 320], sizes
        visitor.close()


def without_calls(chromium):
    """A browser without WebRTC offers no calls, and says so when one comes."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        page = visitor.page
        page.add_init_script("delete window.RTCPeerConnection")
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(page.get_by_role("button", name="Details of the chat")).to_be_visible()
        expect(page.get_by_role("button", name="Audio call")).to_have_count(0)
        call = {"callType": {"media": "audio", "capabilities": {"encryption": True}}}
        gateway.call("POST", f"/v1/users/2/contacts/{gateway.alice}/call", call)
        ringing = page.get_by_role("alert", name="bob calls")
        expect(ringing).to_contain_text("This browser cannot take calls.")
        expect(ringing.get_by_role("button", name="Accept")).to_have_count(0)
        ringing.get_by_role("button", name="Reject").click()
        expect(ringing).to_have_count(0)
        visitor.close()


def push_that_fails(chromium):
    """A push service that refuses is said."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway)
        visitor.context.grant_permissions(["notifications"], origin=gateway.url)
        page = visitor.page
        visitor.sign_in(place="#/1")
        page.get_by_role("button", name="Profile alice").wait_for()
        page.evaluate("""() => {
            PushManager.prototype.subscribe = async () => { throw new DOMException("It failed", "AbortError") }
        }""")
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Notify me while the page is closed").click()
        expect(page.get_by_text("The push service of the browser does not answer")).to_be_visible()
        visitor.close()


def keys_of_input_methods(chromium):
    """The key that ends a composition of Safari's input methods sends nothing."""
    with browser.support.Gateway("--no-file-relay") as gateway:
        visitor = browser.Visitor(chromium, gateway, FILES)
        page, box = visitor.page, visitor.page.get_by_role("textbox", name="Message")
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        box.fill("日本")
        key = """keyCode => {
            const event = new KeyboardEvent("keydown", { key: "Enter", keyCode, bubbles: true })
            document.activeElement.dispatchEvent(event)
        }"""
        page.evaluate(key, 229)
        expect(box).to_have_value("日本")
        page.evaluate(key, 13)
        expect(box).to_have_value("")
        expect(page.locator("chat-item-view", has_text="日本")).to_be_visible()
        visitor.close()


TESTS = [opened_by_its_address, places_of_pictures, without_calls, push_that_fails, keys_of_input_methods]
