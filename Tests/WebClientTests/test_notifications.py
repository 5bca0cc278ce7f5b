"""Tests of notifications while the page is closed."""

import json

from browser import expect
from steps import close_dialogs, keep_notices, setting

BROWSER_KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}


def test_a_push_message_becomes_a_notification(visit, gateway):
    """A push message becomes a notification. The push service is simulated, and the browser passes its messages to the
    worker.
    """
    # The service worker is loaded from the program, since the option `files` cannot replace a service worker.
    visitor = visit(files=None)
    visitor.context.grant_permissions(["notifications"], origin=gateway.url)
    page = visitor.page
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    page.evaluate(
        """keys => {
        PushManager.prototype.subscribe = async options => {
            window.asked = options
            return { toJSON: () => ({ endpoint: "https://push.example.org/send/1", expirationTime: null, keys }) }
        }
    }""",
        BROWSER_KEYS,
    )
    tools, found = visitor.context.new_cdp_session(page), []
    tools.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    tools.send("ServiceWorker.enable")
    keep_notices(page)
    setting(page, "Notify me while the page is closed").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    close_dialogs(page)
    assert (
        page.evaluate("window.asked.applicationServerKey")
        == gateway.call("GET", "/v1/push-subscriptions/key")["publicKey"]
    )
    assert [it["name"] for it in gateway.call("GET", "/v1/push-subscriptions")["subscriptions"]] == ["Web client"]
    assert page.evaluate("navigator.serviceWorker.getRegistration('/app').then(it => it.scope)") == f"{gateway.url}/app"
    assert (
        page.evaluate("(() => { try { trustedTypes.createPolicy('other', {}) } catch { return 'refused' } })()")
        == "refused"
    )
    visitor.faults.clear()
    note = {
        "id": "1",
        "userId": 1,
        "type": "newChatItems",
        "chat": f"direct/{gateway.bob}",
        "itemId": 7,
        "title": "<b>bob",
        "text": "are you there?",
    }
    gateway.until(lambda: found or page.wait_for_timeout(50), "the worker is known")
    # This browser shows no notifications, so the test records the worker's calls.
    worker = gateway.until(lambda: visitor.context.service_workers or page.wait_for_timeout(50), "the worker runs")[0]
    worker.evaluate(
        "() => { self.shown = []; self.registration.showNotification = async (...what) => { self.shown.push(what) } }"
    )
    tools.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": gateway.url, "registrationId": found[-1]["registrationId"], "data": json.dumps(note)},
    )
    shown = gateway.until(lambda: worker.evaluate("() => self.shown"), "it is shown")
    assert [shown[0][0], shown[0][1]["body"], shown[0][1]["data"]] == [
        "<b>bob",
        "are you there?",
        f"1/direct/{gateway.bob}/7",
    ], shown
    # A signed-out browser gets no more notifications.
    page.get_by_role("button", name="Profile alice").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    gateway.until(
        lambda: page.evaluate("navigator.serviceWorker.getRegistration('/app').then(it => !it)"), "the worker is gone"
    )


def test_a_failing_push_service_is_reported(visit, gateway):
    """The page reports a push service that refuses the subscription."""
    visitor = visit(files=None)
    visitor.context.grant_permissions(["notifications"], origin=gateway.url)
    page = visitor.page
    visitor.sign_in(place="#/1")
    page.get_by_role("button", name="Profile alice").wait_for()
    page.evaluate("""() => {
        PushManager.prototype.subscribe = async () => { throw new DOMException("It failed", "AbortError") }
    }""")
    keep_notices(page)
    setting(page, "Notify me while the page is closed").click()
    expect(page.get_by_text("The push service of the browser does not answer")).to_be_visible()


def test_a_failed_subscription_is_reported(visit, gateway):
    """The page says that a browser has refused the subscription, in words for its user."""
    visitor = visit(files=None)
    visitor.context.grant_permissions(["notifications"], origin=gateway.url)
    page = visitor.page
    visitor.sign_in(place="#/1")
    expect(page.get_by_role("link", name="bob")).to_be_visible()
    page.evaluate(
        "() => { PushManager.prototype.subscribe = async () => { throw new DOMException('AbortError: 20') } }"
    )
    keep_notices(page)
    setting(page, "Notify me while the page is closed").click()
    expect(page.locator(".notices")).to_contain_text("The push service of the browser does not answer, or refuses.")
