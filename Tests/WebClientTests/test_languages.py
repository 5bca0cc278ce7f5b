"""Tests of the page in other languages, also in languages that are written from right to left."""

import pytest
from browser import expect
from groups import Group
from recordings import recorded_items
from steps import check, picture, say, setting

# A text with a time, brackets and a link, which is written from left to right on each page.
MIXED = "Meet at 18:30 (room 4), https://example.org/a?b=1!"


def overflow_and_cut_words(page):
    """Returns the number of pixels that the page is wider than its window, and its parts with cut words."""
    return page.evaluate("""() => [document.documentElement.scrollWidth - innerWidth,
        [...document.querySelectorAll("button:not(:has(svg)), h2, h3, .row .name, label > span")]
            .filter(it => it.offsetParent && it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 0
                && getComputedStyle(it).display != "inline" && getComputedStyle(it).textOverflow != "ellipsis")
            .map(it => it.textContent)]""")


def side(page, selector):
    """Returns the share of the window at the left of the middle of an element."""
    area = page.locator(selector).first.bounding_box()
    return (area["x"] + area["width"] / 2) / page.viewport_size["width"]


@pytest.mark.parametrize("language, width", [("ar", 400), ("ar", 1200), ("de", 400), ("de", 1200)])
def test_each_part_of_the_page_fits_into_its_window_in_each_direction(visit, gateway, language, width):
    """The chats, a chat, its details, a menu, the settings and a new chat show no cut words and need no scrolling."""
    texts = [{"type": "text", "text": text} for text in (MIXED, "مرحبا، كيف حالك؟")]
    say(gateway, 2, f"direct/{gateway.alice}", *texts)
    say(gateway, 1, f"direct/{gateway.bob}", {"type": "text", "text": "an answer"})
    visitor = visit(viewport={"width": width, "height": 800})
    visitor.context.add_init_script(f"localStorage.setItem('simplex-gateway.language', '{language}')")
    page, name = visitor.page, f"{language}-{width}"

    def shown(part):
        assert overflow_and_cut_words(page) == [min(overflow_and_cut_words(page)[0], 0), []], (
            part,
            overflow_and_cut_words(page),
        )
        check(page, f"{name}: {part}")
        picture(visitor, f"language-{name}-{part}")

    visitor.open("#/1")
    root = page.locator("html")
    expect(root).to_have_attribute("lang", language)
    expect(root).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    shown("sign-in")
    page.locator("input").first.fill(gateway.key)
    page.keyboard.press("Enter")
    page.locator("chat-preview-view").first.wait_for()
    shown("chats")
    page.evaluate(f"location.hash = '#/1/direct/{gateway.bob}'")
    row = page.locator("chat-item-view.sent").last
    expect(row).to_contain_text("an answer")
    shown("chat")
    if language == "ar":
        # A sent message is at the end side of the page, and the list of chats is at the beginning side.
        assert side(page, "chat-item-view.sent .content") < side(page, "chat-item-view.received .content")
        # A message keeps the direction of its own text.
        expect(page.locator("msg-content-view", has_text="Meet at")).to_have_css("direction", "ltr")
        expect(page.locator("msg-content-view", has_text="مرحبا")).to_have_css("direction", "rtl")
        if width > 1000:
            assert side(page, "nav") > 0.6
        # The arrow of the button that sends points in the direction of the language.
        expect(page.locator(".icon.pointing:visible").first).to_have_css("transform", "matrix(-1, 0, 0, 1, 0, 0)")
    row.hover()
    row.locator(".more").click()
    shown("menu")
    page.keyboard.press("Escape")
    page.locator("chat-view header button").last.click()
    page.locator(".panel").wait_for()
    shown("details")
    page.keyboard.press("Escape")
    if width < 700:
        page.evaluate("location.hash = '#/1'")
    page.locator(".who").first.click()
    page.locator("dialog.settings").wait_for()
    shown("settings")
    # The last row would sign the user out, so the test does not press it.
    heading, dialogs = page.locator(".settings .place h3").first, page.locator("dialog:modal")
    for number in range(page.locator(".settings nav .row").count() - 1):
        row = page.locator(".settings nav .row").nth(number)
        name = row.text_content().strip()
        row.click()
        # Some pages are dialogs of their own.
        is_shown = lambda name=name: dialogs.count() > 1 or name in heading.all_inner_texts()
        visitor.gateway.until(is_shown, f"{name} is shown")
        if dialogs.count() > 1:
            page.keyboard.press("Escape")
            continue
        shown(f"settings-{number}")
        if width < 700 and page.locator(".settings.inside").count():
            page.locator(".settings .back").click()
    page.keyboard.press("Escape")
    page.locator("nav header .round").click()
    page.locator("dialog .ways, dialog .body").first.wait_for()
    shown("new-chat")


def test_a_chosen_language_survives_a_reload(visit):
    """The page has the browser's language until the user chooses another language. A reload keeps the choice."""
    alice = visit()
    page, root = alice.page, alice.page.locator("html")
    alice.sign_in(place="#/1")
    expect(root).to_have_attribute("lang", "en")
    setting(page, "Language").get_by_role("combobox").select_option("de")
    expect(root).to_have_attribute("lang", "de")
    expect(page.get_by_role("button", name="Neuer Chat")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Neuer Chat")).to_be_visible()
    loaded = page.evaluate("performance.getEntriesByType('resource').map(it => it.name)")
    assert {name.split("/")[-1] for name in loaded if "/words/" in name} <= {"de.json", "events.de.json"}
    page.locator(".who").click()
    page.get_by_role("searchbox", name="Einstellungen durchsuchen").fill("Sprache")
    page.get_by_role("combobox", name="Sprache").select_option("")
    expect(root).to_have_attribute("lang", "en")
    expect(page.get_by_role("button", name="New chat")).to_be_visible()


def test_events_are_shown_in_the_language_of_the_page(visit, gateway):
    group = Group(gateway, "team").add_bob()
    gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "empty", "fullName": ""}})
    visitor = visit()
    page, loaded = visitor.page, []
    page.on("request", lambda request: loaded.append(request.url.split("/")[-1]))
    visitor.context.add_init_script("localStorage.setItem('simplex-gateway.language', 'de')")
    visitor.open(f"#/1/{group.place(1)}")
    page.locator("input").first.fill(gateway.key)
    page.keyboard.press("Enter")
    chat = page.locator("chat-view")
    expect(chat.locator("chat-item-view", has_text="bob ist verbunden")).to_be_visible()
    expect(chat).to_contain_text("Verschwindende Nachrichten: aus")
    expect(chat).to_contain_text("Diese Unterhaltung ist durch Ende-zu-Ende-Verschlüsselung geschützt.")
    expect(page.locator("chat-preview-view", has_text="empty")).to_contain_text("Chat mit Admins: an")
    # The words of events are loaded only once, although the page shows many events.
    assert loaded.count("events.de.json") == 1
    # All recorded kinds of events have a text. An event of an unknown kind has none, so that its English text is shown.
    items = {kind: item for kind, item in recorded_items().items() if "msgContent" not in item["content"]}
    unknown = [
        {"type": "rcvGroupEvent", "rcvGroupEvent": {"type": "constructor"}},
        {"type": "rcvGroupEvent"},
        {"type": "rcvGroupFeature", "groupFeature": "toString", "preference": {"enable": "on"}},
        {"type": "rcvIntegrityError", "msgError": {"type": "msgSkipped", "fromMsgId": [], "toMsgId": "x"}},
        {"type": "__proto__"},
    ]
    others = [
        {"type": "rcvGroupFeature", "groupFeature": "timedMessages", "preference": {"enable": "on"}, "param": 90_000},
        {"type": "sndGroupFeature", "groupFeature": "voice", "preference": {"enable": "on"}, "memberRole_": "admin"},
        {"type": "rcvIntegrityError", "msgError": {"type": "msgSkipped", "fromMsgId": 2, "toMsgId": 4}},
        {"type": "rcvConnEvent", "rcvConnEvent": {"type": "switchQueue", "phase": "completed"}},
    ]
    texts = page.evaluate(
        """async items => {
        const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
        const { textOf } = await import(`${files}items/eventTexts.js`)
        return items.map(textOf)
    }""",
        [*items.values(), *({"chatDir": {"type": "groupRcv"}, "content": content} for content in unknown + others)],
    )
    # The banner, calls and invitations have their own views, so they may have no text.
    own = {"chatBanner", "sndCall", "rcvCall", "sndGroupInvitation", "rcvGroupInvitation"}
    without = {
        kind.split(":")[0] for kind, text in zip(items, texts) if not text or text == items[kind]["meta"]["itemText"]
    }
    assert without <= own, without
    assert texts[len(items) :] == [
        *[""] * len(unknown),
        "Verschwindende Nachrichten: an (1 Tag 1 Stunde)",
        "Sprachnachrichten: an, ab der Rolle Admin",
        "3 Nachrichten wurden übersprungen",
        "hat die Adresse für dich gewechselt",
    ]


def test_a_language_whose_file_is_missing_is_replaced_by_english(visit):
    visitor = visit()
    visitor.awaits_outage = True
    visitor.context.add_init_script("localStorage.setItem('simplex-gateway.language', 'ar')")
    visitor.context.route("**/words/ar.json", lambda route: route.fulfill(status=404))
    visitor.open()
    expect(visitor.page.get_by_label("Key")).to_be_visible()
    expect(visitor.page.locator("html")).to_have_attribute("lang", "en")
    expect(visitor.page.locator("html")).to_have_attribute("dir", "ltr")
