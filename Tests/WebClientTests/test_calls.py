"""Tests of calls."""

import re

import pytest
from browser import expect
from steps import check, picture


def media(visitor, kind):
    """Waits until pictures or sound of the other side can be decoded, and returns the statistics."""
    return visitor.gateway.until(
        lambda: visitor.page.evaluate(
            """async kind => {
        const reports = [...(await connections.at(-1)?.getStats())?.values() ?? []].filter(report => report.type == "inbound-rtp" && report.kind == kind)
        return reports.find(report => kind == "video" ? report.framesDecoded > 10 : report.totalAudioEnergy > 0) ?? null
    }""",
            kind,
        ),
        f"{kind} comes in",
        seconds=120,
    )


@pytest.fixture
def callers(visit, gateway):
    """Opens the pages of alice, and of bob in two browsers. Chromium simulates their microphones and cameras."""
    # The browsers connect directly, since the test has no TURN server.
    gateway.call("PUT", "/v1/settings/app", {"webrtcPolicyRelay": False, "webrtcICEServers": []})
    alice, bob, other = (visit(permissions=["microphone", "camera"]) for _ in range(3))
    for visitor, place in ((alice, f"#/1/direct/{gateway.bob}"), (bob, f"#/2/direct/{gateway.alice}"), (other, "#/2")):
        visitor.page.add_init_script("""
            window.connections = []
            window.RTCPeerConnection = class extends RTCPeerConnection { constructor(...given) { super(...given); connections.push(this) } }
        """)
        visitor.sign_in(place=place)
    # Calls are possible only after all pages have loaded their chats, so the test waits.
    for visitor in (alice, bob):
        expect(visitor.page.get_by_role("button", name="Video call")).to_be_visible()
    expect(other.page.get_by_role("button", name="Profile bob")).to_be_visible()
    return alice, bob, other


def test_two_browsers_see_and_hear_each_other(callers):
    alice, bob, other = callers
    alice.page.get_by_role("button", name="Video call").click()
    for visitor in (bob, other):
        expect(visitor.page.get_by_role("alert", name="alice calls")).to_contain_text(
            "Video call, end-to-end encrypted"
        )
    # The list and the title show the call too.
    expect(other.page.get_by_role("link", name="alice").get_by_role("img", name="Incoming call")).to_be_visible()
    expect(other.page).to_have_title(re.compile("^📞 "))
    check(other.page, "a call rings")
    picture(bob, "call-rings")
    bob.page.get_by_role("alert", name="alice calls").get_by_role("button", name="Accept").click()
    # The browser that accepts first gets the call, and the other browser stops ringing.
    expect(other.page.get_by_role("alert", name="alice calls")).to_have_count(0)
    expect(other.page).not_to_have_title(re.compile("📞"))
    expect(bob.page.get_by_role("link", name="alice").get_by_role("img", name="Call", exact=True)).to_be_visible()
    for visitor in (alice, bob):
        expect(visitor.page.get_by_role("region", name="Call")).to_contain_text("connected, end-to-end encrypted")
        media(visitor, "video")
        media(visitor, "audio")
        expect(visitor.page.locator("call-view video.camera:not(.dark)")).to_be_visible()
        camera = visitor.page.locator("call-view video.camera")
        visitor.gateway.until(lambda: camera.evaluate("film => film.videoWidth"), "the camera has a size")
    check(alice.page, "call")
    picture(alice, "call")
    alice.page.get_by_role("button", name="Smaller or larger").click()
    alice.write("while we talk")
    expect(bob.page.locator("chat-item-view", has_text="while we talk")).to_be_visible()
    expect(bob.page.locator("ci-call-item-view", has_text="in progress")).to_be_visible()

    # The camera is turned off, and on again.
    alice.page.get_by_role("button", name="Camera", exact=True).click()
    expect(bob.page.locator("call-view video.camera.dark")).to_be_attached()
    alice.page.get_by_role("button", name="Camera", exact=True).click()
    expect(bob.page.locator("call-view video.camera:not(.dark)")).to_be_visible()
    bob.page.get_by_role("button", name="Hang up").click()
    for visitor in (alice, bob):
        expect(visitor.page.get_by_role("region", name="Call")).to_have_count(0)
        expect(visitor.page.locator("ci-call-item-view", has_text="ended")).to_be_visible()
        closed = "connections.every(connection => connection.connectionState == 'closed')"
        visitor.gateway.until(lambda: visitor.page.evaluate(closed), "the connections are closed")


def test_an_audio_call_gets_a_camera_and_ends_with_the_page(callers):
    alice, bob, _ = callers
    bob.page.get_by_role("button", name="Audio call").click()
    alice.page.get_by_role("alert", name="bob calls").get_by_role("button", name="Accept").click()
    for visitor in (alice, bob):
        media(visitor, "audio")
    expect(alice.page.locator("call-view video.own")).to_be_hidden()
    bob.page.get_by_role("button", name="Camera", exact=True).click()
    media(alice, "video")
    bob.page.close()
    expect(alice.page.get_by_role("region", name="Call")).to_have_count(0)


def test_a_call_is_rejected_or_cancelled_before_it_is_accepted(callers, gateway):
    alice, bob, other = callers
    bob.page.close()
    # The gateway refuses to end a call that has ended already, and the browser reports this refusal, which is no fault.
    alice.awaits_outage = True
    other.page.evaluate(f"location.hash = '#/2/direct/{gateway.alice}'")
    alice.page.get_by_role("button", name="Audio call").click()
    other.page.get_by_role("alert", name="alice calls").get_by_role("button", name="Reject").click()
    expect(other.page.get_by_role("alert", name="alice calls")).to_have_count(0)
    expect(other.page.locator("ci-call-item-view", has_text="declined")).to_be_visible()
    alice.page.get_by_role("button", name="Hang up").click()
    # The next call begins while the model of the page may still have this call.
    alice.page.get_by_role("button", name="Audio call").click()
    expect(other.page.get_by_role("alert", name="alice calls")).to_be_visible()
    expect(other.page.locator("ci-call-item-view").get_by_role("button", name="Accept")).to_be_visible()
    alice.page.get_by_role("button", name="Hang up").click()
    expect(other.page.get_by_role("alert", name="alice calls")).to_have_count(0)


def test_a_call_ends_that_is_hung_up_before_the_gateway_has_answered_its_request(callers, gateway):
    alice, bob, _ = callers
    # The gateway refuses the first request that ends the call, and the browser reports this refusal, which is no fault.
    alice.awaits_outage = True
    held = []
    alice.page.route(
        "**/contacts/*/call", lambda route: held.append(route) if route.request.method == "POST" else route.fallback()
    )
    alice.page.get_by_role("button", name="Audio call").click()
    gateway.until(lambda: held, "the page asks for the call")
    alice.page.get_by_role("button", name="Hang up").click()
    expect(alice.page.get_by_role("region", name="Call")).to_have_count(0)
    for route in held:
        route.fallback()

    def has_ended():
        items = gateway.call("GET", f"/v1/users/1/chats/direct/{gateway.bob}?limit=20")["chat"]["chatItems"]
        return any(it["content"]["type"] == "sndCall" and it["content"]["status"] != "pending" for it in items)

    gateway.until(has_ended, "the call has ended for alice")
    gateway.until(
        lambda: not gateway.call("GET", "/v1/users/2/model")["model"]["activeCalls"], "the call has ended for bob"
    )
    expect(bob.page.get_by_role("alert", name="alice calls")).to_have_count(0)
    expect(alice.page.get_by_role("region", name="Call")).to_have_count(0)


def test_a_malformed_description_ends_the_call(callers, gateway):
    alice, bob, _ = callers
    bob.page.close()
    alice.awaits_outage = True
    for session in ("", "Q===", "%%%", "x" * 4000, "N4IgLgngDgpiBcID2AzFMBOIA0IDOAJlAiAG4C8ADADobUB2IAvkA==="):
        gateway.call(
            "POST",
            f"/v1/users/2/contacts/{gateway.alice}/call",
            {"callType": {"media": "audio", "capabilities": {"encryption": True}}},
        )
        alice.page.get_by_role("alert", name="bob calls").get_by_role("button", name="Accept").click()
        expect(alice.page.get_by_role("region", name="Call")).to_be_visible()
        gateway.until(
            lambda: (
                gateway.call("GET", "/v1/users/2/model")["model"]["activeCalls"]
                .get(f"@{gateway.alice}", {})
                .get("callState")
                == "offerReceived"
            ),
            "bob has the offer",
        )
        gateway.call(
            "POST",
            f"/v1/users/2/contacts/{gateway.alice}/call/answer",
            {"answer": {"rtcSession": session, "rtcIceCandidates": session}},
        )
        expect(alice.page.get_by_role("region", name="Call")).to_have_count(0)
        gateway.until(
            lambda: not gateway.call("GET", "/v1/users/2/model")["model"]["activeCalls"], "it has ended for bob"
        )


def test_a_browser_without_webrtc_offers_no_calls(visit, gateway):
    """A browser without WebRTC offers no calls, and shows that it cannot accept an incoming call."""
    visitor = visit()
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
