"""Steps of tests that send messages: held requests, the chat with bob, and what bob receives."""

from browser import expect


class Held:
    """Requests to some addresses, which are delayed until `release` is called."""

    def __init__(self, page, path):
        self.requests, self.holds = [], True
        page.route(path, lambda route: self.requests.append(route) if self.holds else route.fallback())

    def release(self):
        self.holds = False
        for route in self.requests:
            route.fallback()


def opened(visit, gateway):
    visitor = visit()
    # These tests make requests fail, so the browser's messages about them are no faults.
    visitor.awaits_outage = True
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    box = visitor.page.get_by_role("textbox", name="Message")
    expect(box).to_be_visible()
    return visitor, visitor.page, box


def queued(page, text=None):
    return page.locator("queued-item-view", has_text=text)


def item(page, text):
    return page.locator("chat-item-view", has_text=text)


def received(gateway):
    """Returns the texts that bob has received, in order."""
    items = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}?limit=100")["chat"]["chatItems"]
    return [it["content"]["msgContent"]["text"] for it in items if it["content"]["type"] == "rcvMsgContent"]


def bob_gets(page, gateway, texts):
    """Waits until bob has the texts, while the page continues to run."""
    gateway.until(lambda: received(gateway) == texts or page.wait_for_timeout(50), f"bob has {texts}")


def refuse(route):
    route.fulfill(status=400, json={"code": "chatError", "detail": "It is too long."})
