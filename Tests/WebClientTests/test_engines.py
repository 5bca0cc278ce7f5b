"""Tests of behaviour that depends on the engine of a browser, in Firefox and WebKitGTK."""

import base64
import contextlib
import json
import subprocess
import urllib.request

import engines
import pytest
from browser import support
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from steps import keep_notices, say
from test_composer import png
from test_languages import overflow_and_cut_words

# All tests of an engine run in one process, so that the browser is started only once.
pytestmark = pytest.mark.parametrize(
    "engine", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in engines.ENGINES], indirect=True
)


@pytest.fixture(scope="session")
def started():
    """Keeps the running browsers of the session."""
    with contextlib.ExitStack() as stack:
        yield {}, stack


@pytest.fixture
def engine(request, started):
    running, stack = started
    if request.param not in running:
        running[request.param] = stack.enter_context(engines.ENGINES[request.param]())
    return running[request.param]


@pytest.fixture
def alice(request, engine, gateway):
    """The tab of profile 1. A fault of its page fails the test."""
    alice = engines.Person(engine, gateway)
    yield alice
    if request.node.has_failed:
        alice.keep(request.node.name)
    else:
        assert not alice.faults(), alice.faults()
    # Leaves the page of this test, so that it uses no processor time during other tests.
    engine.driver.get("about:blank")


def enter(alice, gateway):
    alice.sign_in(f"#/1/direct/{gateway.bob}")
    alice.field()


def items(gateway, user, chat):
    return gateway.call("GET", f"/v1/users/{user}/chats/direct/{chat}?limit=100")["chat"]["chatItems"]


def received(gateway):
    """Returns the texts that bob has received, in order."""
    contents = [item["content"] for item in items(gateway, 2, gateway.alice)]
    return [content["msgContent"]["text"] for content in contents if content["type"] == "rcvMsgContent"]


def upload(gateway, name, body):
    request = urllib.request.Request(
        f"{gateway.url}/v1/users/2/files?name={name}",
        data=body,
        headers={"Authorization": f"Bearer {gateway.key}", "Content-Type": "application/octet-stream"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["fileSource"]


def bob_sends(gateway, content, name, body):
    message = {"msgContent": content, "mentions": {}, "fileSource": upload(gateway, name, body)}
    path = f"/v1/users/2/chats/direct/{gateway.alice}/messages"
    gateway.call("POST", path, {"composedMessages": [message]})


def content(gateway, user, item):
    """Returns the bytes of the file of an item."""
    path = f"/v1/users/{user}/files/{item['file']['fileId']}/content"
    request = urllib.request.Request(gateway.url + path, headers={"Authorization": f"Bearer {gateway.key}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def last_file(alice, gateway, user, chat):
    """Waits until the newest item of a chat has a file, and returns the item."""
    return alice.until(lambda: [it for it in items(gateway, user, chat)[-1:] if it.get("file")], "the file is sent")[0]


def test_a_link_signs_in_and_a_chat_opens_from_the_list(alice, gateway):
    command = [support.PROGRAM, "web", "--url", gateway.url, "--data", str(gateway.folder / "data")]
    link = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]
    gateway.bob_says("Good morning")
    alice.open(link.removeprefix(f"{gateway.url}/app"))
    alice.press("Sign in")
    alice.choose("button", "alice")
    alice.choose("chat-preview-view", "Good morning")
    alice.find("chat-item-view", "Good morning")
    # The first visit registers no service worker.
    assert not alice.evaluate("() => navigator.serviceWorker.getRegistrations().then(them => them.length)")


def test_messages_are_sent_by_the_enter_key_and_received(alice, gateway):
    enter(alice, gateway)
    # The second use of the shift key releases it.
    alice.field().send_keys("one", Keys.SHIFT, Keys.ENTER, Keys.SHIFT, "*two*", Keys.ENTER)
    bold = "() => [...document.querySelectorAll('chat-item-view.sent strong')].map(it => it.textContent)"
    alice.until(lambda: alice.evaluate(bold) == ["two"], "the message has bold text")
    alice.find("chat-item-view.sent", "one")
    gateway.until(lambda: received(gateway) == ["one\n*two*"], "bob has the message")
    gateway.bob_says("three")
    alice.find("chat-item-view.received", "three")


def test_waiting_messages_arrive_once_after_a_kill_of_the_gateway(alice, gateway):
    enter(alice, gateway)
    gateway.kill()
    for text in ("one", "two"):
        alice.write(text)
        alice.find("queued-item-view", text)
    gateway.start()
    gateway.until(lambda: received(gateway) == ["one", "two"], "bob has both")
    alice.until(lambda: not alice.shown("queued-item-view"), "no message waits")
    assert received(gateway) == ["one", "two"]


@pytest.mark.gateway("--file-relay-port", "0")
def test_the_end_of_a_chat_stays_visible_while_pictures_load(alice, gateway):
    """The end of the chat stays visible while pictures are received, after a reload, and after a restart of the
    gateway.
    """
    say(gateway, 2, f"direct/{gateway.alice}", *[{"type": "text", "text": f"line {line}"} for line in range(40)])
    preview = "data:image/png;base64," + base64.b64encode(png(30, 20)).decode()
    for number in range(4):
        content = {"type": "image", "text": f"picture {number}", "image": preview}
        bob_sends(gateway, content, f"{number}.png", png(900, 600))
    gateway.bob_says("the end")
    gateway.until(lambda: items(gateway, 1, gateway.bob)[-1]["meta"]["itemText"] == "the end", "alice has them all")
    # A chat without unread items opens at the end.
    gateway.call("POST", f"/v1/users/1/chats/direct/{gateway.bob}/read")
    enter(alice, gateway)
    # The distance of the end from the window, in pixels, and the number of large pictures.
    state = """() => {
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector("chat-view .scroller") ?? {}
        const large = [...document.querySelectorAll("ci-image-view button.picture img")]
        return [Math.round(scrollHeight - scrollTop - clientHeight), large.filter(it => it.complete).length]
    }"""

    def is_at_end(step):
        gateway.until(lambda: alice.evaluate(state)[1] == 4, f"the pictures are drawn: {step}")
        # The view may follow a drawn picture only in a later frame, so the test waits. A view that has left the end
        # would stay away from it.
        gateway.until(lambda: alice.evaluate(state)[0] <= 1, f"the view is at the end: {step}")
        alice.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        gateway.until(lambda: alice.evaluate(state)[0] <= 1, f"the view stays at the end: {step}")

    is_at_end("received")
    alice.reload()
    is_at_end("reloaded")
    gateway.kill()
    gateway.start()
    gateway.bob_says("after the restart")
    alice.find("chat-item-view", "after the restart")
    is_at_end("restarted")


# Records a voice message without the page, and returns its bytes in base64.
RECORD = """async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true }), parts = []
    const recorder = new MediaRecorder(stream)
    recorder.ondataavailable = event => parts.push(event.data)
    recorder.start(500)
    await new Promise(done => setTimeout(done, 3000))
    await new Promise(done => { recorder.onstop = done; recorder.stop() })
    for (const track of stream.getTracks()) track.stop()
    const reader = new FileReader(), read = new Promise(done => { reader.onload = done })
    reader.readAsDataURL(new Blob(parts))
    await read
    return reader.result.split(",")[1]
}"""

# Collects the sounds that the page plays.
HEAR = """() => {
    const { play } = HTMLMediaElement.prototype
    window.sounds = new Set()
    HTMLMediaElement.prototype.play = function () { sounds.add(this); return play.call(this) }
}"""
# The time that the first sound has played, in seconds, and the place of the slider, in thousandths.
PLAYED = """() => [[...sounds][0]?.currentTime ?? 0,
    Number(document.querySelector("ci-voice-view input[type=range]").value)]"""
MOVE = """place => {
    const slider = document.querySelector("ci-voice-view input[type=range]")
    slider.value = place
    slider.dispatchEvent(new Event("input"))
}"""


def plays_and_seeks(alice, seconds):
    """Plays a voice message, whose message contains this duration in seconds, and moves the slider."""
    alice.evaluate(HEAR)
    alice.press("Play")

    def plays():
        time, place = alice.evaluate(PLAYED)
        return min(time, place) > 0 and abs(place * seconds / 1000 - time) < 0.5

    # The slider moves several times in a second, but not for each sample of the sound.
    alice.until(plays, "it plays, and the slider has the place")

    def moves():
        alice.evaluate(MOVE, 200)
        return abs(alice.evaluate(PLAYED)[0] - seconds / 5) < 0.2

    alice.until(moves, "it moves to a fifth")


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_recording_without_a_stored_duration_plays_and_seeks(alice, gateway):
    """A recording as the engine makes it plays and seeks by the duration in the message, and not by the duration that
    the engine reports: this duration grows while WebKit reads the file.
    """
    enter(alice, gateway)
    body = base64.b64decode(alice.evaluate(RECORD))
    bob_sends(gateway, {"type": "voice", "text": "", "duration": 5}, "voice.webm", body)
    plays_and_seeks(alice, 5)


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_voice_message_is_recorded_in_a_form_that_the_apps_play(alice, gateway):
    enter(alice, gateway)
    alice.press("Record voice message")
    # The page shows each second only for a second.
    recorded = "() => /Recording 0:(0[2-9]|[1-5][0-9])/.test(document.querySelector('chat-view').innerText)"
    alice.until(lambda: alice.evaluate(recorded), "two seconds are recorded")
    alice.press("Send")
    item = last_file(alice, gateway, 1, gateway.bob)
    body, name = content(gateway, 1, item), item["file"]["fileName"]
    # The file begins like a WAV file, or like an MP4 file after the length of its first part.
    assert (body[:4], name[-4:]) == (b"RIFF", ".wav") or (body[4:8], name[-4:]) == (b"ftyp", ".m4a"), (name, body[:16])
    plays_and_seeks(alice, item["content"]["msgContent"]["duration"])


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_file_and_a_picture_are_attached_and_sent(alice, gateway, tmp_path):
    enter(alice, gateway)
    body = bytes(range(256)) * 400
    (tmp_path / "data.bin").write_bytes(body)
    alice.attach(tmp_path / "data.bin")
    alice.find(".tray", "data.bin")
    alice.write("a file")
    alice.find("ci-file-view", "data.bin")
    assert content(gateway, 1, last_file(alice, gateway, 1, gateway.bob)) == body
    theirs = last_file(alice, gateway, 2, gateway.alice)["file"]
    assert (theirs["fileName"], theirs["fileSize"]) == ("data.bin", len(body))
    # The page makes the preview of a picture, and encodes the picture again.
    (tmp_path / "sky.png").write_bytes(png(900, 600))
    alice.attach(tmp_path / "sky.png")
    alice.find(".tray canvas")
    alice.write("a picture")
    alice.find("ci-image-view button.picture img")
    received = lambda: last_file(alice, gateway, 2, gateway.alice)
    alice.until(lambda: received()["content"]["msgContent"]["type"] == "image", "bob has the picture")
    assert received()["content"]["msgContent"]["image"].startswith("data:image/jp"), received()


@pytest.fixture
def direct(gateway):
    """Lets calls connect directly, since the test has no TURN server."""
    gateway.call("PUT", "/v1/settings/app", {"webrtcPolicyRelay": False, "webrtcICEServers": []})


def test_calls_are_offered_where_the_engine_can_make_them(alice, gateway, engine, direct):
    """A call connects two tabs of an engine with WebRTC. Another engine offers no call, and says that it cannot accept
    one.
    """
    enter(alice, gateway)
    alice.find("[aria-label='Details of the chat']")
    can_call = alice.evaluate("() => 'RTCPeerConnection' in window")
    assert [bool(alice.named(name)) for name in ("Audio call", "Video call")] == [can_call, can_call]
    call = {"callType": {"media": "audio", "capabilities": {"encryption": True}}}
    if not can_call:
        gateway.call("POST", f"/v1/users/2/contacts/{gateway.alice}/call", call)
        alice.find("[role=alert]", "This browser cannot take calls.")
        assert not alice.named("Accept")
        return alice.press("Reject")
    engine.driver.switch_to.new_window("window")
    bob = engines.Person(engine, gateway)
    try:
        bob.sign_in(f"#/2/direct/{gateway.alice}")
        bob.press("Audio call")
        alice.press("Accept")
        for person in (alice, bob):
            person.find("call-view", "connected, end-to-end encrypted")
        alice.press("Hang up")
        bob.until(lambda: not bob.shown("call-view"), "the call has ended")
        assert not bob.faults(), bob.faults()
    finally:
        bob.close()


def test_an_input_method_composes_without_sending(alice, gateway, engine):
    enter(alice, gateway)
    field = alice.field()
    field.click()
    engine.compose()
    value = lambda: field.get_property("value")
    alice.until(lambda: value() == "é", "the character is composed")
    # On other systems, browsers report the key that commits a composition in one of these two ways. In Safari, the key
    # comes after the composition, with the code 229.
    for event in ({"keyCode": 229}, {"keyCode": 13, "isComposing": True}):
        alice.evaluate(
            "event => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', event))",
            {"key": "Enter", "bubbles": True, "cancelable": True, **event},
        )
    assert value() == "é" and not alice.shown("queued-item-view, chat-item-view.sent")
    field.send_keys(Keys.ENTER)
    gateway.until(lambda: received(gateway) == ["é"], "bob has the message")


def test_the_page_fits_into_its_window_from_right_to_left(alice, gateway, engine):
    text = "Meet at 18:30, https://example.org/a?b=1!"
    say(gateway, 2, f"direct/{gateway.alice}", {"type": "text", "text": text})
    alice.open()
    alice.evaluate("() => localStorage.setItem('simplex-gateway.language', 'ar')")
    alice.sign_in("#/1", "تسجيل الدخول")
    assert alice.evaluate("() => document.documentElement.dir") == "rtl"
    places = {"chat-preview-view": "#/1", "chat-item-view": f"#/1/direct/{gateway.bob}"}
    try:
        for width in (500, 1200):
            engine.driver.set_window_size(width, 800)
            for shown, place in places.items():
                alice.evaluate("place => { location.hash = place }", place)
                alice.find(shown, "18:30")
                wide, cut = overflow_and_cut_words(alice)
                assert wide <= 0 and not cut, (width, shown, wide, cut)
    finally:
        engine.driver.set_window_size(1200, 800)
    # The list is at the right of the open chat.
    is_right = """() => {
        const [list, chat] = ['nav', 'chat-view'].map(it => document.querySelector(it).getBoundingClientRect().left)
        return list > chat
    }"""
    alice.until(lambda: alice.evaluate(is_right), "the list is at the right")


def test_the_dark_mode_survives_a_reload(alice, gateway):
    enter(alice, gateway)
    alice.choose(".who", "alice")
    alice.press("Appearance")
    Select(alice.find("select[aria-label='Color mode']")).select_by_visible_text("Dark")
    # The colours of the page and of its text.
    colours = """() => {
        const { backgroundColor, color } = getComputedStyle(document.body)
        return [backgroundColor, color]
    }"""
    dark = ["rgb(16, 18, 22)", "rgb(231, 233, 238)"]
    alice.until(lambda: alice.evaluate(colours) == dark, "the page is dark")
    alice.reload()
    alice.field()
    assert alice.evaluate(colours) == dark


def test_notifications_are_offered_where_the_engine_has_push_messages(alice, gateway):
    enter(alice, gateway)
    alice.choose(".who", "alice")
    alice.find("input[aria-label='Search settings']").send_keys("Notify me")
    if not alice.evaluate("() => 'PushManager' in window"):
        alice.find(".place", "Nothing found.")
        return
    keep_notices(alice)
    alice.choose(".place .row", "Notify me while the page is closed")
    # The test has no push service. The service worker runs nevertheless.
    alice.find(".notices", "The push service of the browser does not answer, or refuses.")
    active = "() => navigator.serviceWorker.ready.then(it => new URL(it.active.scriptURL).pathname.split('/').pop())"
    assert alice.evaluate(active) == "worker.js"
