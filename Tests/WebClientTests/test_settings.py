"""Tests of the settings of the profile and of the store."""

import base64
import re

import browser
import pytest
from browser import expect, support
from steps import check, close_dialogs, keep_notices, listed, picture, row_in_details, save, say, setting


def test_the_colours_of_a_profile_and_of_a_chat_can_be_changed(visit, gateway):
    alice = visit()
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    pencil = page.get_by_role("button", name="New chat")
    setting(page, "Customize theme").click()
    check(page, "colours")
    page.get_by_label("Accent").fill("#ffcc00")
    save(page)
    assert gateway.call("GET", "/v1/users/1")["user"]["uiThemes"] == {
        "light": {"mode": "light", "colors": {"accent": "#ffffcc00"}}
    }
    expect(pencil).to_have_css("background-color", "rgb(255, 204, 0)")
    # The text on the accent colour stays readable.
    expect(pencil).to_have_css("color", "rgb(0, 0, 0)")
    setting(page, "Color mode").get_by_role("combobox").select_option("dark")
    close_dialogs(page)
    expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")
    page.reload()
    expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")
    expect(pencil).to_have_css("background-color", "rgb(92, 176, 245)")
    # The colours of a chat apply only to this chat. Invalid colours are ignored.
    colors = {"background": "#ff102030", "sentMessage": "url(https://example.org/)", "accent": "red;color:red"}
    gateway.call(
        "PATCH",
        f"/v1/users/1/chats/direct/{gateway.bob}",
        {"themes": {"dark": {"mode": "dark", "colors": colors}}},
    )
    expect(page.locator("chat-view")).to_have_css("background-color", "rgb(16, 32, 48)")
    expect(page.locator("body")).to_have_css("background-color", "rgb(16, 18, 22)")
    row_in_details(page, "Chat theme").click()
    expect(page.get_by_label("Background")).to_have_value("#102030")
    page.get_by_label("Background").fill("#203040")
    save(page)
    expect(page.locator("chat-view")).to_have_css("background-color", "rgb(32, 48, 64)")
    assert (
        gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"]["uiThemes"]["dark"]["colors"][
            "background"
        ]
        == "#ff203040"
    )
    assert "url" not in page.locator("chat-view").get_attribute("style") and "red" not in page.locator(
        "chat-view"
    ).get_attribute("style")


def test_wallpapers_are_chosen_for_all_chats_and_for_one_chat(visit, gateway):
    alice = visit()
    page, place = alice.page, f"direct/{gateway.bob}"
    chats = lambda: gateway.call("GET", "/v1/users/1")["user"].get("uiThemes", {})
    one = lambda: gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"].get("uiThemes", {})
    alice.sign_in(place=f"#/1/{place}")
    stage, plain = page.locator("chat-view .stage"), "rgba(0, 0, 0, 0)"
    box = page.get_by_role("dialog", name="Wallpaper")
    picture_of = "stage => getComputedStyle(stage, '::before').maskImage"
    expect(stage).to_have_css("background-color", plain)
    assert stage.evaluate(picture_of) == "none"
    setting(page, "Wallpaper").click()
    expect(box.get_by_label("Wallpaper accent")).to_be_disabled()
    box.get_by_role("combobox").select_option("Cats")
    expect(box.get_by_label("Wallpaper accent")).to_be_enabled()
    check(page, "wallpapers")
    save(page)
    # The chosen wallpaper is stored for both modes, without colours, so that the usual colours apply.
    assert chats() == {
        mode: {"mode": mode, "colors": {}, "wallpaper": {"preset": "cats"}} for mode in ("light", "dark")
    }
    expect(stage).to_have_css("background-color", "rgb(251, 247, 232)")
    assert "blob:" in stage.evaluate(picture_of)
    # The browser draws the pattern: an image with it is complete and has a size.
    assert page.evaluate(
        """async style => {
            const image = new Image()
            image.src = /url\\("(blob:[^"]+)"\\)/.exec(style)[1]
            await image.decode()
            return [image.naturalWidth, image.naturalHeight]
        }""",
        stage.evaluate(picture_of),
    ) == [192, 192]
    # A chat has its own wallpaper, whose colours are for the mode in use.
    row_in_details(page, "Wallpaper").click()
    box.get_by_role("combobox").select_option("Travel")
    box.get_by_label("Wallpaper background").fill("#102030")
    save(page)
    assert one()["light"]["wallpaper"] == {"preset": "travel", "background": "#ff102030"}
    assert one()["dark"]["wallpaper"] == {"preset": "travel"}
    expect(stage).to_have_css("background-color", "rgb(16, 32, 48)")
    page.reload()
    expect(stage).to_have_css("background-color", "rgb(16, 32, 48)")
    # Texts outside of bubbles have the colour of the page behind them.
    expect(page.locator("chat-banner-view")).to_have_css("background-color", "color(srgb 1 1 1 / 0.88)")
    picture(alice, "wallpaper")
    # The chat gets no wallpaper, and then the wallpaper of all chats again.
    row_in_details(page, "Wallpaper").click()
    expect(box.get_by_label("Wallpaper background")).to_have_value("#102030")
    box.get_by_role("combobox").select_option("None")
    save(page)
    assert one()["light"]["wallpaper"] == one()["dark"]["wallpaper"] == {}
    expect(stage).to_have_css("background-color", plain)
    row_in_details(page, "Wallpaper").click()
    box.get_by_role("combobox").select_option("default")
    save(page)
    assert "wallpaper" not in one()["light"] and "wallpaper" not in one()["dark"]
    expect(stage).to_have_css("background-color", "rgb(251, 247, 232)")
    # Choosing the usual colours does not change the wallpaper.
    setting(page, "Customize theme").click()
    page.get_by_label("Accent", exact=True).fill("#ffcc00")
    save(page)
    assert chats()["light"]["colors"] == {"accent": "#ffffcc00"}
    # The form changes the colours that the page has, so the page must have the stored ones.
    expect(page.get_by_role("button", name="New chat")).to_have_css("background-color", "rgb(255, 204, 0)")
    setting(page, "Customize theme").click()
    page.get_by_label("Reset colors").check()
    save(page)
    assert chats()["light"] == {"mode": "light", "colors": {}, "wallpaper": {"preset": "cats"}}
    # Unknown presets and invalid values from other apps show nothing.
    hostile = {"preset": "constructor", "background": "url(https://example.org/)", "tint": "red", "scale": 1e300}
    themes = {"light": {"mode": "light", "colors": {}, "wallpaper": hostile}}
    gateway.call("PATCH", f"/v1/users/1/chats/{place}", {"themes": themes})
    expect(stage).to_have_css("background-color", plain)
    assert stage.evaluate(picture_of) == "none"


def jpeg_of(page, width, height, colour):
    """Draws a picture in the browser, and returns its bytes as a JPEG."""
    encoded = page.evaluate(
        """([width, height, colour]) => {
            const canvas = Object.assign(document.createElement("canvas"), { width, height })
            const drawing = canvas.getContext("2d")
            drawing.fillStyle = colour
            drawing.fillRect(0, 0, width, height)
            return canvas.toDataURL("image/jpeg").split(",")[1]
        }""",
        [width, height, colour],
    )
    return base64.b64decode(encoded)


# Returns the size, in pixels, of the picture behind an element; null without a picture.
DRAWN_PICTURE = """async element => {
    const [, address] = /url\\("(blob:[^"]+)"\\)/.exec(getComputedStyle(element).backgroundImage) ?? []
    if (!address) return null
    const image = new Image()
    image.src = address
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
}"""


def test_own_pictures_are_wallpapers_in_each_browser_of_the_profile(visit, gateway):
    alice = visit()
    page, place = alice.page, f"direct/{gateway.bob}"
    chats = lambda: gateway.call("GET", "/v1/users/1")["user"].get("uiThemes", {})
    one = lambda: gateway.call("GET", f"/v1/users/1/contacts/{gateway.bob}")["contact"].get("uiThemes", {})
    alice.sign_in(place=f"#/1/{place}")
    stage, box = page.locator("chat-view .stage"), page.get_by_role("dialog", name="Wallpaper")
    sample = box.locator(".wallpaper")
    shown = lambda element: element.evaluate(DRAWN_PICTURE)
    choose = lambda content: box.get_by_label("Picture", exact=True).set_input_files(
        {"name": "../../photo.jpg", "mimeType": "image/jpeg", "buffer": content}
    )
    setting(page, "Wallpaper").click()
    expect(box.get_by_label("Picture", exact=True)).to_be_hidden()
    box.get_by_role("combobox").select_option("Own picture")
    page.get_by_role("button", name="Save").click()
    expect(box.get_by_role("alert")).to_have_text("Choose a picture first.")
    # A large picture is drawn again with at most 1920 pixels on each side.
    choose(jpeg_of(page, 2400, 1200, "#804020"))
    gateway.until(lambda: shown(sample) == [1920, 960], "the picture is in the preview")
    check(page, "an own picture as wallpaper")
    picture(alice, "own-wallpaper-form")
    save(page)
    wallpaper = chats()["light"]["wallpaper"]
    assert re.fullmatch(r"wallpaper_[0-9a-f]{32}\.jpg", wallpaper["imageFile"])
    assert wallpaper == chats()["dark"]["wallpaper"] == {"imageFile": wallpaper["imageFile"], "scaleType": "fill"}
    gateway.until(lambda: shown(stage) == [1920, 960], "the chat has the picture")
    expect(stage).to_have_css("background-size", "cover")
    picture(alice, "own-wallpaper")
    # The picture is shown in another browser of the profile, and in the same browser after a reload.
    other = visit()
    other.sign_in(place=f"#/1/{place}")
    theirs = other.page.locator("chat-view .stage")
    page.reload()
    for element in (theirs, stage):
        gateway.until(lambda element=element: shown(element) == [1920, 960], "each browser has the picture")
    # A chat has its own picture, repeated, with a background and a tint for the mode in use.
    row_in_details(page, "Wallpaper").click()
    box.get_by_role("combobox").first.select_option("Own picture")
    choose(jpeg_of(page, 40, 20, "#204080"))
    box.get_by_label("Scaling").select_option("Repeat")
    box.get_by_label("Picture size").fill("200")
    box.get_by_label("Wallpaper background").fill("#102030")
    box.get_by_label("Wallpaper accent", exact=True).fill("#ff0000")
    box.get_by_label("Accent strength").fill("40")
    save(page)
    repeated = {"imageFile": one()["light"]["wallpaper"]["imageFile"], "scaleType": "repeat", "scale": 2}
    assert repeated["imageFile"] != wallpaper["imageFile"]
    assert one()["light"]["wallpaper"] == {**repeated, "background": "#ff102030", "tint": "#66ff0000"}
    assert one()["dark"]["wallpaper"] == repeated
    gateway.until(lambda: shown(stage) == [40, 20], "the chat has its own picture")
    expect(stage).to_have_css("background-size", "80px auto")
    expect(stage).to_have_css("background-repeat", "repeat")
    expect(stage).to_have_css("background-color", "rgb(16, 32, 48)")
    tint = "stage => getComputedStyle(stage, '::before').backgroundColor"
    assert stage.evaluate(tint) == "rgba(255, 0, 0, 0.4)"
    # The form shows the stored values. With the choice of no separate wallpaper, the chat has the wallpaper of all
    # chats.
    row_in_details(page, "Wallpaper").click()
    expect(box.get_by_label("Scaling")).to_have_value("repeat")
    expect(box.get_by_label("Accent strength")).to_have_value("40")
    gateway.until(lambda: shown(sample) == [40, 20], "the preview has the picture")
    box.get_by_role("combobox").first.select_option("default")
    save(page)
    gateway.until(lambda: shown(stage) == [1920, 960], "the chat has the picture of all chats")


@pytest.mark.parametrize(
    "name",
    ["../../simplex_v1_chat.db", "wallpaper_0.jpg", "https://example.org/a.jpg", "a" * 5000],
    ids=["path", "unknown", "address", "long"],
)
def test_a_theme_with_a_picture_that_is_missing_shows_the_usual_wallpaper(visit, gateway, name):
    alice = visit()
    page, place = alice.page, f"direct/{gateway.bob}"
    alice.sign_in(place=f"#/1/{place}")
    stage = page.locator("chat-view .stage")
    alice.awaits_outage = True
    usual = {"light": {"mode": "light", "colors": {}, "wallpaper": {"preset": "cats"}}}
    gateway.call("PATCH", "/v1/users/1", {"themes": usual})
    expect(stage).to_have_css("background-color", "rgb(251, 247, 232)")
    hostile = {"imageFile": name, "scale": 1e300, "background": "#ff102030"}
    themes = {"light": {"mode": "light", "colors": {"accent": "#ff00aa00"}, "wallpaper": hostile}}
    gateway.call("PATCH", f"/v1/users/1/chats/{place}", {"themes": themes})
    # The colours of the theme are shown, and its picture is not.
    accent = "view => getComputedStyle(view).getPropertyValue('--accent')"
    gateway.until(lambda: page.locator("chat-view").evaluate(accent) == "#00aa00ff", "the accent is shown")
    expect(stage).to_have_css("background-color", "rgb(251, 247, 232)")
    assert stage.evaluate(DRAWN_PICTURE) is None
    # The form still opens, and another choice replaces the picture.
    row_in_details(page, "Wallpaper").click()
    box = page.get_by_role("dialog", name="Wallpaper")
    box.get_by_role("combobox").first.select_option("Travel")
    save(page)
    expect(stage).to_have_css("background-color", "rgb(248, 240, 253)")


def test_a_file_that_is_not_a_picture_becomes_no_wallpaper(visit, gateway):
    alice = visit()
    page = alice.page
    alice.sign_in(place=f"#/1/direct/{gateway.bob}")
    setting(page, "Wallpaper").click()
    box = page.get_by_role("dialog", name="Wallpaper")
    box.get_by_role("combobox").select_option("Own picture")
    field = box.get_by_label("Picture", exact=True)
    for content in (b"a text", b'<svg xmlns="http://www.w3.org/2000/svg"/>', b"\xff\xd8\xff\xe0 broken"):
        field.set_input_files({"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": content})
        page.get_by_role("button", name="Save").click()
        expect(box.get_by_role("alert")).to_have_text("The browser cannot read this picture.")
        field.set_input_files([])
        page.get_by_role("button", name="Save").click()
        expect(box.get_by_role("alert")).to_have_text("Choose a picture first.")
    assert "wallpaper" not in gateway.call("GET", "/v1/users/1")["user"].get("uiThemes", {}).get("light", {})


def test_settings_are_found_on_pages_and_by_search(visit, gateway):
    """A narrow window shows the list of pages, or one page. The search shows rows of all pages."""
    alice = visit(viewport={"width": 380, "height": 760})
    page = alice.page
    alice.sign_in(place="#/1")
    keep_notices(page)
    page.get_by_role("button", name="Profile alice").click()
    appearance = page.get_by_role("button", name="Appearance")
    expect(appearance).to_be_visible()
    check(page, "settings")
    appearance.click()
    expect(appearance).to_be_hidden()
    expect(page.get_by_role("combobox", name="Color mode")).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect(appearance).to_be_visible()
    search = page.get_by_role("searchbox", name="Search settings")
    search.fill("RELAY")
    expect(page.locator(".place .row")).to_have_count(1)
    check(page, "a search in the settings")
    # A switch returns to its former state if the change cannot be saved.
    relay = page.get_by_role("switch", name="Always use relay")
    page.route("**/v1/settings/app", lambda route: route.fulfill(status=503, json={"code": "unavailable"}))
    alice.awaits_outage = True
    relay.click()
    expect(page.get_by_text("The gateway is not ready yet.")).to_be_visible()
    expect(relay).to_be_checked()
    search.fill("nowhere")
    expect(page.get_by_text("Nothing found.")).to_be_visible()


def test_a_slow_page_of_the_settings_does_not_replace_the_search(visit, gateway):
    """The page that was chosen before the search arrives after the found rows, and is not shown."""
    alice = visit()
    page, held = alice.page, []
    alice.sign_in(place="#/1")
    page.get_by_role("button", name="Profile alice").click()
    page.route("**/v1/keys*", lambda route: held.append(route) if not held else route.fallback())
    page.get_by_role("button", name="Signed-in devices", exact=True).click()
    gateway.until(lambda: held, "the page about devices is being read")
    page.get_by_role("searchbox", name="Search settings").fill("Language")
    expect(page.locator(".place .row")).to_have_count(1)
    with page.expect_response("**/v1/keys*"):
        held[0].fallback()
    # When this later request is answered, the page has drawn all earlier answers.
    page.evaluate("() => fetch('').then(answer => answer.text())")
    expect(page.locator(".place .row")).to_have_count(1)
    expect(page.get_by_role("combobox", name="Language")).to_be_visible()


def test_settings_of_servers_network_and_calls_are_stored(visit, gateway):
    alice = visit()
    page = alice.page
    alice.sign_in(place="#/1")
    setting(page, "Servers").click()
    field = page.get_by_label("Your servers")
    before, new = field.input_value(), "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@smp.example.org"
    field.fill(f"{before}\n{new}\nxftp://nothing")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).not_to_have_text("")
    alice.faults.clear()
    field.fill(f"{before}\n{new}")
    save(page)
    servers = lambda: [
        server["server"]
        for group in gateway.call("GET", "/v1/users/1/servers")["userServers"]
        for server in group["smpServers"]
        if not server["deleted"]
    ]
    assert servers() == [before, new], servers()
    setting(page, "Servers").click()
    field.fill(before)
    save(page)
    assert servers() == [before], servers()
    setting(page, "Advanced network settings").click()
    page.get_by_label("Private routing").select_option("unknown")
    save(page)
    assert gateway.call("GET", "/v1/settings/network")["networkConfig"]["smpProxyMode"] == "unknown"
    stored = lambda: gateway.call("GET", "/v1/settings/app")["appSettings"]
    setting(page, "Always use relay").get_by_role("switch").uncheck()
    gateway.until(lambda: stored()["webrtcPolicyRelay"] is False, "the switch is saved")
    close_dialogs(page)
    setting(page, "WebRTC ICE servers").click()
    page.get_by_role("textbox", name="WebRTC ICE servers").fill("stun:stun.example.org:3478")
    save(page)
    assert stored()["webrtcPolicyRelay"] is False
    assert stored()["webrtcICEServers"] == ["stun:stun.example.org:3478"]


def page_of_settings(page, name):
    """Opens a page of the settings."""
    page.get_by_role("button", name=re.compile("^Profile ")).click()
    page.locator("dialog.settings nav").get_by_role("button", name=name, exact=True).click()
    return page.locator(".place")


def test_servers_are_tested_and_have_statistics(visit, gateway):
    servers = gateway.call("GET", "/v1/users/1/servers")["userServers"]
    closed = f"localhost:{support.free_port()}"
    use = {"preset": False, "enabled": True, "deleted": False}
    key = servers[0]["smpServers"][0]["server"].split("@")[0]
    servers[0]["smpServers"].append({"server": f"{key}@{closed}", **use})
    gateway.call("PUT", "/v1/users/1/servers", {"userServers": servers})
    chat = f"direct/{gateway.bob}"
    say(gateway, 1, chat, {"type": "text", "text": "counted"})
    # The statistics do not change while they are shown, and after the receipt of the message nothing more is sent.
    status = lambda: gateway.call("GET", f"/v1/users/1/chats/{chat}")["chat"]["chatItems"][-1]["meta"]["itemStatus"]
    gateway.until(lambda: status()["type"] == "sndRcvd", "the message is delivered")
    alice = visit()
    alice.sign_in(place="#/1")
    page, place = alice.page, page_of_settings(alice.page, "Network & servers")
    rows = place.locator("section", has_text="Message servers").locator(".row")
    expect(rows).to_have_count(2)
    place.get_by_role("button", name="Test servers").click()
    expect(rows.nth(0)).to_contain_text("Works")
    expect(rows.nth(1)).to_contain_text("Failed: connect")
    check(page, "tests of servers")
    picture(alice, "servers")
    place.get_by_role("button", name="Statistics").click()
    box = page.get_by_role("dialog", name="Statistics")
    fact = lambda name: box.locator(".row", has_text=name).first.locator("small")
    expect(fact("Messages sent")).not_to_have_text("0")
    check(page, "statistics of servers")
    picture(alice, "statistics")
    box.get_by_role("combobox").select_option("all")
    expect(fact("Messages received")).not_to_have_text("0")
    box.get_by_role("button", name="Reset all statistics").click()
    page.get_by_role("button", name="Reset all statistics").last.click()
    expect(fact("Messages sent")).to_have_text("0")


@pytest.mark.gateway("--servers", "network", is_new=True)
def test_the_conditions_of_an_operator_are_read_and_accepted(visit, gateway):
    gateway.call("POST", "/v1/users", {"profile": {"displayName": "alice", "fullName": ""}})
    acceptance = lambda: {
        operator["tradeName"]: operator["conditionsAcceptance"]["type"]
        for operator in gateway.call("GET", "/v1/server-operators")["conditions"]["serverOperators"]
    }
    assert acceptance() == {"SimpleX Chat": "required", "Flux": "required"}
    alice = visit()
    alice.sign_in(place="#/1")
    page, place = alice.page, page_of_settings(alice.page, "Network & servers")
    operator = place.locator("section", has=page.get_by_role("heading", name="SimpleX Chat"))
    expect(operator).to_contain_text("Not accepted yet")
    check(page, "operators of servers")
    picture(alice, "operators")
    operator.get_by_role("button", name="Conditions of use").click()
    box = page.get_by_role("dialog", name="Conditions of use: SimpleX Chat")
    expect(box.get_by_role("link")).to_have_attribute("href", re.compile("^https://github.com/simplex-chat/"))
    box.get_by_role("button", name="Accept").click()
    expect(operator).to_contain_text("Accepted")
    assert acceptance() == {"SimpleX Chat": "accepted", "Flux": "required"}
    operator.get_by_role("switch", name="Use servers").uncheck()
    used = lambda: [
        operator["enabled"] for operator in gateway.call("GET", "/v1/server-operators")["conditions"]["serverOperators"]
    ]
    gateway.until(lambda: used() == [False, True], "the servers of the operator are not used")


def test_the_sizes_of_the_store_are_shown(visit, gateway):
    say(gateway, 1, f"direct/{gateway.bob}", {"type": "text", "text": "counted"})
    alice = visit()
    alice.sign_in(place="#/1")
    place = page_of_settings(alice.page, "Database passphrase & export")
    storage = place.locator("section", has=alice.page.get_by_role("heading", name="Storage"))
    expect(storage.locator(".row", has_text="Databases")).to_contain_text(re.compile("[0-9.]+ [kM]B"))
    expect(storage.locator(".row", has_text="Messages and events")).not_to_contain_text(re.compile("events0$"))
    check(alice.page, "storage")
    picture(alice, "storage")
    keep_notices(alice.page)
    # The files of notes are deleted, and their messages stay.
    storage.get_by_role("button", name="Delete all files", exact=True).click()
    alice.page.get_by_role("dialog").last.get_by_role("button", name="Delete", exact=True).click()
    expect(alice.page.get_by_text("Files deleted: 0.")).to_be_visible()


def test_the_store_is_exported_imported_and_deleted(visit, gateway):
    """The store is exported, stopped, started, imported and deleted, and a wrong passphrase is refused."""
    alice = visit()
    alice.awaits_outage = True
    page = alice.page
    alice.sign_in(place="#/1")
    keep_notices(page)

    def database():
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Database passphrase & export", exact=True).click()

    running = page.get_by_role("switch", name="Chat is running")

    def stop():
        running.click()
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(running).not_to_be_checked()

    database()
    expect(page.get_by_role("button", name="Database passphrase", exact=True)).to_be_disabled()
    check(page, "database")
    archive, none = gateway.folder / "copy.zip", gateway.folder / "none.zip"
    none.write_text("no archive")
    for count in (1, 2):
        page.get_by_role("button", name="Export database", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Export database", exact=True).last.click()
        expect(page.locator(".notices p", has_text="Saved.")).to_have_count(count)
        download.value.save_as(archive)
    assert archive.stat().st_size > 10_000 and download.value.suggested_filename == "simplex.zip"
    # If the user cancels the confirmation, the switch stays on.
    running.click()
    page.get_by_role("button", name="Cancel").click()
    expect(running).to_be_checked()
    stop()
    page.get_by_role("button", name="Database passphrase", exact=True).click()
    page.get_by_label("Present passphrase").fill("wrong")
    page.get_by_label("New passphrase").fill("a new one")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").last).not_to_be_empty()
    alice.faults.clear()
    close_dialogs(page)
    expect(page.locator(".offline")).to_contain_text("The gateway is stopped")
    database()
    running.check()
    expect(page.get_by_role("button", name="Import database")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.locator(".offline")).to_be_hidden()
    # The page shows the state of the network and of a contact's queue.
    for info, banner in (
        ({"networkType": "none", "online": False}, "The gateway has no network."),
        ({"networkType": "ethernet", "online": True}, ""),
    ):
        gateway.call("PUT", "/v1/settings/network-info", info)
        expect(page.locator(".offline")).to_have_text(banner)
    listed(page, "bob").click()
    expect(page.get_by_role("heading", name="bob")).to_be_visible()
    for status, words in (
        ("pending", "connecting to the relay"),
        ("noSub", "not connected to the relay"),
        ("active", ""),
    ):
        gateway.until(
            lambda status=status, words=words: page.evaluate(SUBSCRIBED, status) == words,
            f"the page shows the state {status}",
        )
    # An import replaces the profiles. A file that is not an archive changes nothing.
    gateway.call("POST", "/v1/users", {"profile": {"displayName": "after the copy", "fullName": ""}})
    database()
    expect(page.get_by_role("button", name="Import database", exact=True)).to_be_disabled()
    stop()
    for path in (none, archive):
        page.get_by_role("button", name="Import database", exact=True).click()
        page.get_by_label("File", exact=True).set_input_files(path)
        page.get_by_role("button", name="Import database", exact=True).last.click()
        expect(page.get_by_role("dialog").last).to_contain_text("All profiles here are deleted")
        check(page, "import")
        page.get_by_role("button", name="Import database", exact=True).last.click()
        if path != archive:
            expect(page.get_by_role("alert").last).not_to_be_empty()
            page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Choose a profile")).to_be_visible()
    expect(page.get_by_text("Imported.")).to_be_visible()
    alice.faults.clear()
    names = lambda: [entry["user"]["profile"]["displayName"] for entry in gateway.call("GET", "/v1/users")["users"]]
    assert sorted(names()) == ["alice", "bob"] and gateway.call("GET", "/v1/core")["type"] == "chatRunning"
    # The page deletes the archive after the notice.
    archives = lambda: gateway.call("GET", "/v1/database/archives")["archives"]
    gateway.until(lambda: archives() == [], "the archive is deleted")
    page.get_by_role("button", name="alice").click()
    # After the deletion of the store, the user starts with a new profile.
    database()
    stop()
    page.get_by_role("button", name="Delete database", exact=True).click()
    expect(page.get_by_role("dialog").last).to_contain_text("All profiles are deleted")
    page.get_by_role("button", name="Delete", exact=True).last.click()
    expect(page.get_by_role("heading", name="Your first profile")).to_be_visible()
    assert names() == []
    page.get_by_label("Name").fill("new")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("button", name="Profile new")).to_be_visible()
    alice.faults.clear()


# A script that sets the state of a contact's queue, and returns the text of the page for it; null before the chat is
# open. An event of the gateway may change the state afterwards.
SUBSCRIBED = """async type => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { app } = await import(`${files}model/app.js`)
    if (!app.isOpen) return null
    app.session = { ...app.session, chatSubStatus: { type } }
    app.emit("session")
    return document.querySelector("chat-view header small").textContent
}"""


def test_a_linked_desktop_uses_the_same_profile(visit, gateway):
    """A desktop that is linked to the gateway uses the same profile. Changes of each side appear on the other side at
    once.
    """
    with browser.NewGateway() as desktop:
        gateway.call("POST", "/v1/users/1/activate", {})
        visitor = visit(permissions=["camera"])
        page = visitor.page
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
        expect(page.get_by_role("textbox", name="Message")).to_be_visible()
        link = desktop.call("POST", "/v1/remote-hosts", {"address": {"address": "127.0.0.1", "interface": "lo"}})[
            "invitation"
        ]
        page.get_by_role("button", name="Profile alice").click()
        page.get_by_role("button", name="Use from desktop").click()
        page.get_by_label("Desktop address").fill(link)
        page.get_by_role("button", name="Connect", exact=True).click()
        expect(page.get_by_role("dialog").last).to_contain_text("Does the desktop show the same code?")
        code = gateway.call("GET", "/v1/remote-control/session")["sessionState"]["sessionCode"]
        expect(page.locator("output.address")).to_have_text(code)
        check(page, "linked devices")
        page.get_by_role("button", name="Confirm").click()
        expect(page.get_by_role("dialog").last).to_contain_text("connected to")
        picture(visitor, "devices")
        close_dialogs(page)
        far = "/v1/remote-hosts/1/users/1"
        gateway.until(
            lambda: (
                desktop.call("GET", "/v1/remote-hosts/1/session").get("sessionState", {}).get("type") == "connected"
            ),
            "the desktop is connected",
        )
        chat = f"{far}/chats/direct/{gateway.bob}"
        theirs = lambda: [item["meta"]["itemText"] for item in desktop.call("GET", chat)["chat"]["chatItems"]]

        said = desktop.call(
            "POST",
            f"{chat}/messages",
            {"composedMessages": [{"msgContent": {"type": "text", "text": "from the desktop"}, "mentions": {}}]},
        )["chatItems"][0]["chatItem"]["meta"]["itemId"]
        mine = page.locator(f"#item{said}")
        expect(mine).to_contain_text("from the desktop")
        expect(mine.get_by_role("img", name="Delivered")).to_be_visible()
        desktop.call(
            "PATCH",
            f"{chat}/messages/{said}",
            {"updatedMessage": {"msgContent": {"type": "text", "text": "changed on the desktop"}, "mentions": {}}},
        )
        expect(mine).to_contain_text("changed on the desktop")
        desktop.call("DELETE", f"{chat}/messages?itemIds={said}&mode=internal")
        expect(mine).to_have_count(0)
        visitor.write("from the page")
        gateway.until(lambda: "from the page" in theirs(), "the desktop has it")
        gateway.bob_says("for both")
        expect(page.locator("chat-item-view", has_text="for both")).to_be_visible()
        gateway.until(lambda: "for both" in theirs(), "the desktop has that too")
        # Read marks of the page reach the desktop. A chat that the desktop mutes is muted on the page.
        unread = lambda: next(
            chat["chatStats"]["unreadCount"]
            for chat in desktop.call("GET", f"{far}/chats")["chats"]
            if chat["chatInfo"]["type"] == "direct"
        )
        gateway.until(lambda: unread() == 0, "it is read")
        desktop.call("PATCH", chat, {"settings": {"enableNtfs": "none"}})
        expect(page.get_by_role("img", name="Muted")).to_be_visible()

        def devices():
            page.get_by_role("button", name="Profile alice").click()
            page.get_by_role("button", name="Use from desktop").click()

        # The desktop ends the session, and the page shows the reason. Then the desktop announces itself in the network,
        # and the user connects to it. The desktop shows the name of this gateway, which the page has set.
        desktop.call("DELETE", "/v1/remote-hosts/1/session")
        devices()
        expect(page.get_by_text("The desktop has ended the session.")).to_be_visible()
        page.get_by_role("button", name="This device name").click()
        page.get_by_role("textbox", name="This device name").fill("in the kitchen")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Look for a known desktop").click()
        expect(page.get_by_role("dialog").last).to_contain_text("looking for")
        desktop.call("POST", "/v1/remote-hosts", {"remoteHostId": 1, "multicast": True})
        expect(page.get_by_role("dialog").last).to_contain_text("found:", timeout=60_000)
        picture(visitor, "device-found")
        check(page, "a desktop that was found")
        page.get_by_role("button", name="Connect", exact=True).click()
        page.get_by_role("button", name="Confirm").click()
        expect(page.get_by_role("dialog").last).to_contain_text("connected to")
        gateway.until(
            lambda: (
                [host["hostDeviceName"] for host in desktop.call("GET", "/v1/remote-hosts")["remoteHosts"]]
                == ["in the kitchen"]
            ),
            "the desktop has the name",
        )
        page.get_by_role("button", name="Disconnect").click()
        # The link of a desktop can also be read from a QR code.
        page.evaluate(
            "() => { window.BarcodeDetector = class { async detect() { return [{ rawValue: 'xrcp:/read' }] } } }"
        )
        close_dialogs(page)
        devices()
        page.get_by_role("button", name="Scan QR code").click()
        expect(page.get_by_label("Desktop address")).to_have_value("xrcp:/read")
