"""Tests of files, pictures, videos and voice messages."""

import base64
import json
import os
import pathlib
import re
import urllib.parse
import urllib.request

import pytest
from browser import expect
from steps import PICTURE, act, keep_notices, picture, react, say, setting


def two_people(visit, gateway):
    """Opens the chat of alice and bob in two browsers. Chromium simulates the microphone and the camera of alice."""
    alice, bob = visit(permissions=["microphone", "camera"]), visit()
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    bob.sign_in(place=f"#/2/direct/{gateway.alice}")
    for visitor in (alice, bob):
        expect(visitor.page.get_by_role("textbox", name="Message")).to_be_visible()
    return alice, bob


# A script that records the positions to which sounds have played.
HEAR = """() => {
    const { play } = HTMLMediaElement.prototype
    HTMLMediaElement.prototype.play = function () {
        this.addEventListener("timeupdate", () => { window.heard = this.currentTime })
        return play.call(this)
    }
}"""


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_voice_message_is_recorded_sent_and_played(visit, gateway):
    alice, bob = two_people(visit, gateway)
    alice.page.evaluate("""() => {
        const { getUserMedia } = navigator.mediaDevices
        window.asked = 0
        navigator.mediaDevices.getUserMedia = (...given) => { asked++; return getUserMedia.apply(navigator.mediaDevices, given) }
    }""")
    # Two quick presses start one recording.
    alice.page.get_by_role("button", name="Record voice message").evaluate(
        "button => { button.click(); button.click() }"
    )
    expect(alice.page.get_by_text(re.compile("Recording 0:(0[2-9]|[1-5][0-9])"))).to_be_visible()
    assert alice.page.evaluate("asked") == 1
    # A recording survives a failed upload.
    alice.awaits_outage = True
    alice.page.route("**/files?name=voice*", lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
    alice.page.get_by_role("button", name="Send", exact=True).click()
    waiting = alice.page.locator("queued-item-view")
    expect(waiting).to_contain_text("Voice message")
    expect(waiting).to_contain_text("The gateway is not ready yet.")
    # The recording can be edited and sent again.
    waiting.get_by_role("button", name="Edit").click()
    expect(alice.page.locator(".about")).to_contain_text(re.compile("Recorded: 0:(0[2-9]|[1-5][0-9])"))
    alice.page.get_by_role("button", name="Send", exact=True).click()
    expect(waiting).to_contain_text("The gateway is not ready yet.")
    alice.page.unroute("**/files?name=voice*")
    for visitor in (alice, bob):
        voice = visitor.page.locator("ci-voice-view")
        # The waveform is drawn from the recording.
        expect(voice.locator(".wave path")).to_have_attribute("d", re.compile(r"^(M\d+\.5 [\d.]+V[\d.]+){48}$"))
        lines = re.findall(r"V([\d.]+)", voice.locator(".wave path").get_attribute("d"))
        # The simulated microphone beeps each second. A busy machine records few of the beeps.
        assert len(set(lines)) > 1, lines
        visitor.page.evaluate(HEAR)
        voice.get_by_role("button", name="Play").click()
        gateway.until(lambda: visitor.page.evaluate("window.heard > 0"), "it plays")
        # The slider uses the duration in the message, and not the duration that the browser reports.
        place = voice.get_by_role("slider", name="Position")
        place.evaluate("it => { it.value = 900; it.dispatchEvent(new Event('input')) }")
        gateway.until(lambda: visitor.page.evaluate("window.heard > 1"), "it has moved")
    # A cancelled recording leaves nothing in the field.
    alice.page.get_by_role("button", name="Record voice message").click()
    alice.page.get_by_role("button", name="Do not send it").click()
    expect(alice.page.get_by_text("Recording")).to_be_hidden()


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_recording_of_an_hour_ends_after_five_minutes(visit, gateway):
    visitor = visit(permissions=["microphone"])
    page = visitor.page
    page.clock.install()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    page.get_by_role("button", name="Record voice message").click()
    expect(page.get_by_text(re.compile("Recording 0:(0[2-9]|[1-5][0-9])"))).to_be_visible()
    page.clock.fast_forward(3_600_000)
    expect(page.locator(".about")).to_contain_text("Recorded: 5:00")
    # The microphone is free, and the recording can be sent.
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("chat-item-view ci-voice-view")).to_be_visible()


@pytest.mark.gateway("--file-relay-port", "0")
def test_an_upload_survives_a_loss_of_the_line_at_each_of_its_steps(visit, gateway):
    """Each request of an upload is lost once before it arrives, and once after it. The file arrives once, unchanged."""
    alice, bob = two_people(visit, gateway)
    alice.awaits_outage = True
    lost = {}

    def lose(route):
        request = route.request
        step = (request.method, urllib.parse.urlsplit(request.url).path)
        lost[step] = lost.get(step, 0) + 1
        if lost[step] == 1:
            return route.abort()
        if lost[step] == 2:
            route.fetch()
            return route.abort()
        route.fallback()

    alice.page.route(re.compile("/v1/.*(/files|/messages)"), lose)
    data = bytes(range(256)) * 4000
    alice.page.locator("input[type=file]").first.set_input_files(
        {"name": "data.bin", "mimeType": "application/octet-stream", "buffer": data}
    )
    expect(alice.page.get_by_role("list", name="Attached files").get_by_role("listitem")).to_have_count(1)
    alice.write("a file")
    # An upload whose answer was lost has already taken the name, so the name may have a number.
    expect(bob.page.locator("chat-item-view ci-file-view")).to_contain_text(re.compile("data(_1)?.bin"))
    expect(alice.page.locator("queued-item-view")).to_have_count(0)
    assert len(lost) >= 2 and all(count >= 2 for count in lost.values()), lost
    items = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"]
    files = [it for it in items if it["content"].get("msgContent", {}).get("type") == "file"]
    assert [it["file"]["fileSize"] for it in files] == [len(data)]


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_browser_without_mp4_records_a_wav_file(visit, gateway):
    """A browser that cannot record MP4 sends a WAV file, which all systems can play."""
    alice, bob = two_people(visit, gateway)
    alice.page.evaluate("""() => {
        const { isTypeSupported } = MediaRecorder
        MediaRecorder.isTypeSupported = type => !type.includes("mp4") && isTypeSupported.call(MediaRecorder, type)
    }""")
    alice.page.get_by_role("button", name="Record voice message").click()
    # The simulated microphone beeps each second, so that the bars differ.
    level = alice.page.locator(".level path")
    gateway.until(lambda: len(set(re.findall(r"V([\d.]+)", level.get_attribute("d") or ""))) > 3, "the level is shown")
    picture(alice, "recording")
    alice.page.get_by_role("button", name="Send", exact=True).click()
    voice = bob.page.locator("ci-voice-view")
    expect(voice.locator(".wave path")).to_have_attribute("d", re.compile(r"^(M\d+\.5 [\d.]+V[\d.]+){48}$"))
    item = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"][-1]
    assert item["file"]["fileName"].endswith(".wav"), item["file"]
    request = urllib.request.Request(
        f"{gateway.url}/v1/users/2/files/{item['file']['fileId']}/content",
        headers={"Authorization": f"Bearer {gateway.key}"},
    )
    body = urllib.request.urlopen(request).read()
    assert body.startswith(b"RIFF") and int.from_bytes(body[24:28], "little") == 16_000, body[:60]
    assert abs(len(body) / 16_000 - item["content"]["msgContent"]["duration"]) < 1, len(body)
    bob.page.evaluate(HEAR)
    voice.get_by_role("button", name="Play").click()
    gateway.until(lambda: bob.page.evaluate("window.heard > 0"), "it plays")


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_file_is_received_and_saved(visit, gateway):
    alice, bob = two_people(visit, gateway)
    body = bytes(range(256)) * 400
    alice.page.locator("input[type=file]").set_input_files(
        {"name": "data <b>.bin", "mimeType": "text/html", "buffer": body}
    )
    alice.write("a file")
    file = bob.page.locator("ci-file-view")
    expect(file).to_contain_text("data _b_.bin")
    file.get_by_role("button", name="Receive").click()
    # The limit of the download does not include the time until the file has arrived.
    expect(file.get_by_role("button", name="Save")).to_be_visible()
    with bob.page.expect_download() as download:
        file.get_by_role("button", name="Save").click()
    assert pathlib.Path(download.value.path()).read_bytes() == body


@pytest.mark.gateway("--file-relay-port", "0")
def test_the_files_of_a_chat_are_deleted_and_its_messages_stay(visit, gateway):
    """The details of a chat have the size of its files, and delete them. The settings list the sizes by chat."""
    alice, bob = two_people(visit, gateway)
    page = alice.page
    page.locator("input[type=file]").set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"five!"}
    )
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("ci-file-view")).to_contain_text("notes.txt")
    bob.page.locator("ci-file-view").get_by_role("button", name="Receive").click()
    expect(bob.page.locator("ci-file-view").get_by_role("button", name="Save")).to_be_visible()
    other = visit()
    other.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(other.page.locator("ci-file-view")).to_contain_text("notes.txt")
    keep_notices(page)
    panel = page.locator(".panel")
    # The list of media is shown even if the sizes of the files cannot be read.
    page.route("**/chats/direct/*/files", lambda route: route.fulfill(status=500, json={"code": "internal"}), times=1)
    page.get_by_role("button", name="Details of the chat").click()
    expect(panel.get_by_role("button", name="Files", exact=True)).to_be_visible()
    gateway.until(lambda: alice.faults or page.wait_for_timeout(50), "the browser reports the error")
    assert all("status of 500" in fault for fault in alice.faults), alice.faults
    alice.faults.clear()
    expect(panel.locator(".row", has_text="On the gateway")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Details of the chat").click()
    expect(panel.locator(".row", has_text="On the gateway")).to_contain_text("1 file, 5 bytes")
    page.keyboard.press("Escape")
    storage = setting(page, "bob").filter(has_text="file")
    expect(storage).to_contain_text("1 file, 5 bytes")
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Details of the chat").click()
    panel.get_by_role("button", name="Delete files of the chat").click()
    dialog = page.get_by_role("dialog").last
    expect(dialog).to_contain_text("1 file, 5 bytes")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Files deleted: 1.")).to_be_visible()
    expect(panel.locator(".row", has_text="On the gateway")).to_have_count(0)
    file = page.locator("ci-file-view")
    # An event tells this page and the other page of the deletion.
    for shown in (file, other.page.locator("ci-file-view")):
        expect(shown).to_contain_text("The file is gone.")
    expect(file).to_contain_text("notes.txt")
    expect(file.get_by_role("button", name="Save")).to_have_count(0)
    # The file of the other profile stays.
    expect(bob.page.locator("ci-file-view").get_by_role("button", name="Save")).to_be_visible()
    assert gateway.call("GET", "/v1/users/1/file-sizes")["chats"] == []
    assert [use["files"] for use in gateway.call("GET", "/v1/users/2/file-sizes")["chats"]] == [1]


@pytest.mark.gateway("--file-relay-port", "0")
def test_the_settings_list_all_chats_with_files_and_name_their_deletion(visit, gateway):
    """The settings list the chats with the largest files first, and load more. Each row says that it deletes files."""
    for place in ("local/1", f"direct/{gateway.bob}"):
        request = urllib.request.Request(
            f"{gateway.url}/v1/users/1/files?name=a.txt",
            data=b"five!",
            headers={"Authorization": f"Bearer {gateway.key}", "Content-Type": "application/octet-stream"},
        )
        source = json.loads(urllib.request.urlopen(request).read())["fileSource"]
        message = {"msgContent": {"type": "file", "text": ""}, "mentions": {}, "fileSource": source}
        gateway.call("POST", f"/v1/users/1/chats/{place}/messages", {"composedMessages": [message]})
    sizes = lambda: gateway.call("GET", "/v1/users/1/file-sizes")["chats"]
    gateway.until(lambda: len(sizes()) == 2, "both files are sent")
    visitor = visit()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    page = visitor.page
    # The first answer has only one chat, so the second chat needs another request.
    fewer = lambda route: route.continue_(url=route.request.url.replace("limit=20", "limit=1"))
    page.route("**/file-sizes?limit=20", fewer)
    page.get_by_role("button", name=re.compile("^Profile ")).click()
    page.get_by_role("button", name="Database passphrase").click()
    rows = page.get_by_role("button", name=re.compile(r"^Delete files of the chat: .* \(1 file, 5 bytes\)$"))
    more = page.get_by_role("button", name="Load more")
    expect(rows).to_have_count(1)
    more.click()
    expect(rows).to_have_count(2)
    expect(more).to_have_count(0)


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_dropped_picture_can_be_enlarged_and_shared(visit, gateway):
    alice, bob = two_people(visit, gateway)
    # The picture is small enough to be received automatically.
    transfer = alice.page.evaluate_handle(
        """base64 => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))], "p.png", { type: "image/png" }))
        return transfer
    }""",
        PICTURE.split(",")[1],
    )
    alice.page.dispatch_event("chat-view .items", "drop", {"dataTransfer": transfer})
    alice.write("")
    expect(bob.page.locator("ci-image-view button.picture img")).to_be_visible()
    bob.page.locator("ci-image-view button.picture").click()
    picture_shown = bob.page.locator("dialog.media img")
    expect(picture_shown).to_be_visible()
    # The picture can be shared with other programs, if the operating system supports this.
    bob.page.keyboard.press("Escape")
    bob.page.evaluate(
        "() => { Object.defineProperty(navigator, 'share', { value: async ({ files: [file] }) => { window.shared = [file.name, file.type, file.size] } }) }"
    )
    bob.page.locator("ci-image-view button.picture").click()
    bob.page.get_by_role("button", name="Share").click()
    name, kind, size = gateway.until(lambda: bob.page.evaluate("window.shared"), "it is shared")
    assert name.endswith(".jpg") and kind == "image/jpeg" and size > 100, (name, kind, size)
    bob.page.get_by_role("button", name="Whole size").click()
    expect(picture_shown).to_have_class("picture whole")


@pytest.mark.gateway("--file-relay-port", "0")
def test_an_animated_picture_is_sent_unchanged_and_can_be_paused(visit, gateway):
    alice, bob = two_people(visit, gateway)
    moving = base64.b64decode(
        "R0lGODlhAgACAPAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAAAgACAAACAoRRACH5BAAKAAAALAAAAAACAAIAAAICjFMAOw=="
    )
    alice.page.locator("input[type=file]").set_input_files(
        {"name": "moving.gif", "mimeType": "image/gif", "buffer": moving}
    )
    alice.write("it moves")
    moves = bob.page.locator("animated-image-view")
    expect(moves.locator("img")).to_be_visible()
    moves.get_by_role("button", name="Pause").click()
    expect(moves.locator("canvas")).to_have_js_property("width", 2)
    expect(moves.locator("img")).to_have_count(0)
    # Changes of the message redraw its view. The picture stays paused.
    react(alice, alice.page.locator("chat-item-view", has_text="it moves"), "🚀")
    act(alice, alice.page.locator("chat-item-view", has_text="it moves"), "Edit")
    alice.write("it moved")
    expect(bob.page.locator("chat-item-view", has_text="it moved")).to_contain_text("🚀")
    expect(moves.locator("canvas")).to_be_visible()
    moves.get_by_role("button", name="Show larger").click()
    expect(bob.page.locator("dialog.media img")).to_be_visible()
    bob.page.keyboard.press("Escape")
    # The picture does not move at first for a user who prefers reduced motion.
    bob.page.emulate_media(reduced_motion="reduce")
    bob.page.reload()
    expect(moves.get_by_role("button", name="Play")).to_be_visible()
    bob.page.emulate_media(reduced_motion="no-preference")
    item = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"][-1]
    request = urllib.request.Request(
        f"{gateway.url}/v1/users/2/files/{item['file']['fileId']}/content",
        headers={"Authorization": f"Bearer {gateway.key}"},
    )
    assert urllib.request.urlopen(request).read() == moving


@pytest.mark.gateway("--file-relay-port", "0")
def test_a_pasted_video_has_a_preview_and_plays(visit, gateway):
    alice, bob = two_people(visit, gateway)
    alice.page.evaluate("""async () => {
        const canvas = document.createElement("canvas"), drawing = canvas.getContext("2d"), parts = []
        canvas.width = 320
        canvas.height = 200
        const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm" })
        recorder.ondataavailable = event => parts.push(event.data)
        recorder.start()
        for (let frame = 0; frame < 20; frame++) {
            drawing.fillStyle = `rgb(${frame * 10}, 100, 200)`
            drawing.fillRect(0, 0, 320, 200)
            // The stream gets a picture of the canvas only when the browser draws a frame.
            await new Promise(next => requestAnimationFrame(() => setTimeout(next, 50)))
        }
        await new Promise(done => { recorder.onstop = done; recorder.stop() })
        const clipboardData = new DataTransfer()
        clipboardData.items.add(new File(parts, "film.webm", { type: "video/webm" }))
        document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
    }""")
    alice.write("a film")
    film = bob.page.locator("ci-video-view")
    expect(film.locator("img.picture")).to_have_js_property("naturalWidth", 300)
    # Two quick presses show one player.
    film.get_by_role("button", name="Play").evaluate("button => { button.click(); button.click() }")
    expect(bob.page.locator("dialog.media video")).to_have_js_property("videoWidth", 320)
    expect(bob.page.locator("dialog.media")).to_have_count(1)


def test_the_camera_reads_a_qr_code(visit, gateway):
    """The camera reads a QR code. The test replaces the browser's barcode detector."""
    alice = visit(permissions=["camera"])
    alice.sign_in(place="#/1")
    expect(alice.page.get_by_role("button", name="New chat")).to_be_visible()
    alice.page.evaluate(
        "() => { window.BarcodeDetector = class { async detect(film) { return film.videoWidth ? [{ rawValue: 'https://example.org/a#read' }] : [] } } }"
    )
    alice.page.get_by_role("button", name="New chat").click()
    alice.page.get_by_role("button", name="Paste link / Scan").click()
    alice.page.get_by_role("button", name="Scan QR code").click()
    expect(alice.page.get_by_role("textbox", name="Link")).to_have_value("https://example.org/a#read")


@pytest.mark.gateway("--file-relay-port", "0")
def test_small_media_are_received_when_they_are_visible(visit, gateway):
    """Visible pictures, videos and voice messages are received automatically up to the size limits that the apps use,
    unless a setting forbids it.
    """

    def send(kind, size, name):
        request = urllib.request.Request(
            f"{gateway.url}/v1/users/1/files?name={name.replace(' ', '-')}",
            data=b"\xff\xd8\xff" + os.urandom(size - 3),
            headers={"Authorization": f"Bearer {gateway.key}", "Content-Type": "application/octet-stream"},
            method="POST",
        )
        source = json.loads(urllib.request.urlopen(request).read())["fileSource"]
        content = {
            "type": kind,
            "text": name,
            **({"image": PICTURE} if kind != "voice" else {}),
            **({"duration": 3} if kind != "image" else {}),
        }
        gateway.call(
            "POST",
            f"/v1/users/1/chats/direct/{gateway.bob}/messages",
            {"composedMessages": [{"msgContent": content, "mentions": {}, "fileSource": source}]},
        )

    send("voice", 20_000, "far above")
    say(gateway, 1, f"direct/{gateway.bob}", *[{"type": "text", "text": f"line {line}"} for line in range(60)])
    sizes = {"image": (500_000, 530_000), "video": (1_000_000, 1_100_000), "voice": (500_000, 530_000)}
    for kind, (small, large) in sizes.items():
        send(kind, small, f"small {kind}")
        send(kind, large, f"large {kind}")
    files = lambda: {
        item["content"]["msgContent"]["text"]: item["file"]["fileStatus"]["type"]
        for item in gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}?limit=100")["chat"]["chatItems"]
        if item.get("file")
    }
    gateway.until(lambda: len(files()) == 7, "bob has them all")
    # A chat without unread items opens at the end.
    gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/read")
    bob = visit()
    # The browser reports that it cannot decode the bytes. This report is no fault.
    bob.awaits_outage = True
    page = bob.page
    # With the setting off, no file is received automatically.
    gateway.call("PUT", "/v1/settings/app", {"privacyAcceptImages": False})
    bob.sign_in(place=f"#/2/direct/{gateway.alice}")
    expect(page.locator("chat-item-view", has_text="large voice")).to_be_in_viewport()
    page.wait_for_timeout(1500)
    assert set(files().values()) == {"rcvInvitation"}, files()
    setting(page, "Auto-accept images").get_by_role("switch").check()
    accepts = lambda: gateway.call("GET", "/v1/settings/app")["appSettings"]["privacyAcceptImages"]
    gateway.until(accepts, "the switch is saved")
    page.reload()
    expect(page.locator("chat-item-view", has_text="large voice")).to_be_visible()
    while not page.locator("chat-item-view", has_text="small image").evaluate(
        "it => it.getBoundingClientRect().top > 100"
    ):
        page.locator("chat-view .scroller").evaluate("it => it.scrollBy(0, -200)")
        page.wait_for_timeout(200)
    gateway.until(lambda: all(files()[f"small {kind}"] == "rcvComplete" for kind in sizes), "the small ones are here")
    assert {name for name, status in files().items() if status == "rcvInvitation"} == {
        "far above",
        "large image",
        "large video",
        "large voice",
    }, files()

    def is_seen():
        page.locator("chat-view .scroller").evaluate("it => it.scrollTo(0, 0)")
        page.wait_for_timeout(200)
        return files()["far above"] == "rcvComplete"

    gateway.until(is_seen, "that above is here when it is seen")


# Files whose names look like media files, but whose bytes are no media.
NO_MEDIA = {
    "page.mp4": b"<!doctype html><script>window.hit=1</script>",
    "picture.mp4": b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.hit=1'/>",
    "code.m4a": b"window.hit = 1",
    "list.m4a": b"#EXTM3U\nhttp://example.org/x.ts",
    "picture.m4a": base64.b64decode(PICTURE.split(",")[1]),
    "archive.webm": b"PK\x03\x04" + bytes(60),
    "nothing.ogg": b"\0",
}


@pytest.mark.gateway("--file-relay-port", "0")
def test_files_without_media_bytes_do_not_play(visit, gateway):
    """A file without bytes of video or sound does not play, whatever its name, and can be saved."""
    for name, content in NO_MEDIA.items():
        request = urllib.request.Request(
            f"{gateway.url}/v1/users/1/files?name={name}",
            data=content,
            headers={"Authorization": f"Bearer {gateway.key}", "Content-Type": "application/octet-stream"},
            method="POST",
        )
        source = json.loads(urllib.request.urlopen(request).read())["fileSource"]
        described = (
            {"type": "video", "image": PICTURE, "duration": 3, "text": name}
            if name.endswith(("mp4", "webm"))
            else {"type": "voice", "duration": 3, "text": name}
        )
        gateway.call(
            "POST",
            f"/v1/users/1/chats/direct/{gateway.bob}/messages",
            {"composedMessages": [{"msgContent": described, "mentions": {}, "fileSource": source}]},
        )
    visitor = visit()
    page = visitor.page
    # The page must not make an audio element either.
    page.add_init_script("window.Audio = class { constructor(address) { window.hit = address } }")
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    keep_notices(page)
    for name in NO_MEDIA:
        row = page.locator("chat-item-view", has_text=name)
        row.get_by_role("button", name="Play").click()
        notice = page.locator(".notices p", has_text="The browser cannot play this.")
        expect(notice).to_have_count(1)
        notice.evaluate("it => it.remove()")
    assert page.locator("chat-view video, audio, dialog").count() == 0
    assert page.evaluate("window.hit") is None
    with page.expect_download() as download:
        act(visitor, page.locator("chat-item-view", has_text="page.mp4"), "Save")
    assert pathlib.Path(download.value.path()).read_bytes() == NO_MEDIA["page.mp4"]
