"""Tests of the page for users with poor sight, or with only a keyboard."""

import time

import pytest
from browser import expect
from steps import DOCUMENTS, check, close_dialogs, listed, picture, say, wait_for_items


def tab_to(page, name, most=60):
    """Presses the tab key until an element with this name has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        shown = page.evaluate("""() => {
            const it = document.activeElement
            return [it.getAttribute("aria-label"), it.labels?.[0]?.textContent, it.textContent, it.getAttribute("placeholder")].filter(Boolean).join(" ")
        }""")
        if name in shown:
            return
    raise AssertionError(f"The tab key does not lead to {name}")


@pytest.mark.gateway(is_new=True)
def test_the_page_can_be_used_with_the_keyboard_alone(visit, gateway):
    """A user signs in, writes and deletes a message with the keyboard alone. Closed dialogs restore the focus."""
    visitor = visit()
    page, keys = visitor.page, visitor.page.keyboard
    visitor.open()
    expect(page.get_by_label("Key")).to_be_focused()
    keys.type(gateway.key)
    keys.press("Enter")
    expect(page.get_by_label("Name")).to_be_focused()
    keys.type("alice")
    keys.press("Enter")
    expect(page.get_by_role("link", name="Private notes")).to_be_visible()
    tab_to(page, "New chat")
    keys.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    expect(page.get_by_role("button", name="New chat")).to_be_focused()
    tab_to(page, "Private notes")
    keys.press("Enter")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    keys.type("by keys alone")
    keys.press("Enter")
    row = page.locator("chat-item-view", has_text="by keys alone")
    expect(row).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    # ArrowUp edits the last message, and Escape ends the edit.
    keys.press("ArrowUp")
    expect(page.locator(".about")).to_contain_text("Editing")
    keys.press("Escape")
    expect(page.locator(".about")).to_be_empty()
    keys.press("Shift+Tab")
    keys.press("Shift+Tab")
    tab_to(page, "Actions")
    keys.press("Enter")
    expect(page.get_by_role("menu")).to_be_visible()
    keys.press("End")
    expect(page.get_by_role("menuitem", name="Delete for me")).to_be_focused()
    keys.press("Escape")
    expect(row.get_by_role("button", name="Actions")).to_be_focused()
    keys.press("Enter")
    keys.press("End")
    keys.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Delete 1 message?")
    expect(page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True)).to_be_focused()
    keys.press("Enter")
    expect(row).to_have_count(0)


def test_axe_finds_no_serious_fault(visit, gateway):
    """axe finds no serious fault in both colour schemes, and all parts fit into narrow and right-to-left windows."""
    say(
        gateway,
        2,
        f"direct/{gateway.alice}",
        *[{"type": "text", "text": text} for text in ("hello", "*bold* and https://example.org", "שלום עולם", "👍")],
    )
    say(gateway, 1, f"direct/{gateway.bob}", {"type": "text", "text": "an answer"})
    group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})[
        "groupInfo"
    ]["groupId"]
    for name, options in {
        "light": {},
        "dark": {"color_scheme": "dark"},
        "narrow": {"viewport": {"width": 360, "height": 640}},
    }.items():
        visitor = visit(**options)
        page = visitor.page
        visitor.open()
        expect(page.get_by_label("Key")).to_be_visible()
        check(page, f"{name}: sign in")
        visitor.sign_in(place="#/1")
        expect(page.get_by_role("link", name="team")).to_be_visible()
        check(page, f"{name}: chats")
        page.get_by_role("button", name="Profile alice").click()
        expect(page.get_by_role("dialog")).to_have_count(1)
        check(page, f"{name}: settings")
        if name == "narrow":
            page.get_by_role("button", name="Your chat profiles").click()
        page.get_by_role("button", name="Your current profile").click()
        check(page, f"{name}: form")
        close_dialogs(page)
        page.get_by_role("button", name="New chat").click()
        expect(page.get_by_role("dialog")).to_have_count(1)
        check(page, f"{name}: new chat")
        page.keyboard.press("Escape")
        page.get_by_role("link", name="bob").click()
        row = page.locator("chat-item-view", has_text="an answer")
        expect(row).to_be_visible()
        check(page, f"{name}: chat")
        picture(visitor, f"chat-{name}")
        page.get_by_role("button", name="Details of the chat").click()
        expect(page.get_by_role("dialog")).to_have_count(1)
        check(page, f"{name}: contact")
        page.keyboard.press("Escape")
        row.hover()
        row.get_by_role("button", name="Actions").click()
        check(page, f"{name}: menu")
        page.keyboard.press("Escape")
        page.evaluate(f"location.hash = '#/1/group/{group}'")
        # Until the group is shown, the button belongs to the chat with bob.
        expect(page.locator("chat-view .bar h2")).to_contain_text("team")
        page.get_by_role("button", name="Details of the chat").click()
        expect(page.get_by_role("dialog")).to_have_count(1)
        check(page, f"{name}: group")
        page.keyboard.press("Escape")
        page.evaluate("document.documentElement.dir = 'rtl'")
        check(page, f"{name}: from right to left")
        page.evaluate(f"location.hash = '#/1/direct/{gateway.bob}'")
        expect(row).to_be_visible()
        picture(visitor, f"right-to-left-{name}")
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, (name, width)


def test_shortcuts_open_search_and_chats_and_are_listed(visit, gateway):
    for name in ("anvil", "birch"):
        gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": name, "fullName": ""}})
    gateway.bob_says("unread")
    visitor = visit()
    page, keys = visitor.page, visitor.page.keyboard
    visitor.sign_in(place="#/1")
    expect(page.locator("chat-preview-view .name").first).to_have_text("bob")
    # A dialog that the escape key has closed stays in the page until the next frame, in which the focus returns.
    heading, dialog = page.locator("chat-view .bar h2"), page.locator("dialog")
    search = page.get_by_role("searchbox", name="Search chats")
    keys.press("Control+k")
    expect(search).to_be_focused()
    # In a field, the key with the question mark writes the character. The escape key empties the search.
    keys.type("bir?")
    expect(search).to_have_value("bir?")
    keys.press("Escape")
    expect(search).to_have_value("")
    keys.press("Alt+Shift+ArrowDown")
    expect(heading).to_contain_text("bob")
    box = page.get_by_role("textbox", name="Message")
    box.focus()
    for key, name in {"ArrowDown": "birch", "ArrowUp": "bob"}.items():
        keys.press(f"Alt+{key}")
        expect(heading).to_contain_text(name)
    keys.press("Control+Shift+F")
    expect(page.get_by_role("searchbox", name="Search messages")).to_be_focused()
    # While a dialog is open, the shortcuts of the page have no effect.
    keys.press("Control+k")
    expect(page.get_by_role("searchbox", name="Search messages")).to_be_focused()
    keys.press("Escape")
    expect(dialog).to_have_count(0)
    for key in ("Control+/", "?"):
        page.evaluate("document.activeElement.blur()")
        keys.press(key)
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Next unread chat")
        check(page, "shortcuts")
        picture(visitor, "shortcuts")
        keys.press("Escape")
        expect(dialog).to_have_count(0)
    keys.press("Control+,")
    expect(page.get_by_role("dialog", name="Your settings")).to_be_visible()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    keys.press("Escape")
    keys.press("Escape")
    expect(dialog).to_have_count(0)
    # Without a focused element, the escape key closes the details, and then the chat.
    page.get_by_role("button", name="Details of the chat").click()
    expect(page.locator(".panel")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    keys.press("Escape")
    expect(page.locator(".panel")).to_have_count(0)
    expect(heading).to_contain_text("bob")
    page.evaluate("document.activeElement.blur()")
    keys.press("Escape")
    expect(page.get_by_text("Choose a chat")).to_be_visible()
    # In a narrow window, an open chat covers the search.
    page.set_viewport_size({"width": 380, "height": 700})
    page.get_by_role("link", name="anvil").click()
    expect(search).to_be_hidden()
    keys.press("Control+k")
    expect(search).to_be_focused()


def react_as_bob(gateway, text):
    """Adds a reaction of bob to a message in the chat with alice, so that the page of alice draws the message again."""
    chat = f"/v1/users/2/chats/direct/{gateway.alice}"
    item = next(it for it in gateway.call("GET", chat)["chat"]["chatItems"] if it["meta"]["itemText"] == text)
    reaction = {"add": True, "reaction": {"type": "emoji", "emoji": "🚀"}}
    gateway.call("POST", f"{chat}/messages/{item['meta']['itemId']}/reactions", reaction)


def test_the_focus_stays_on_an_element_that_is_redrawn(visit, gateway):
    gateway.bob_says("hello")
    visitor = visit()
    page, row = visitor.page, visitor.page.locator("chat-item-view", has_text="hello")
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(row).to_be_visible()
    chat = listed(page, "bob")
    chat.focus()
    gateway.bob_says("news")
    expect(chat).to_contain_text("news")
    expect(chat).to_be_focused()
    # When a menu is closed, the focus returns to the button of the redrawn message.
    row.get_by_role("button", name="Actions").press("Enter")
    expect(page.get_by_role("menu")).to_be_visible()
    react_as_bob(gateway, "hello")
    expect(row.locator(".reactions")).to_contain_text("🚀")
    page.keyboard.press("Escape")
    expect(row.get_by_role("button", name="Actions")).to_be_focused()
    # When a dialog is closed, the focus returns to the button of the redrawn header.
    details = page.get_by_role("button", name="Details of the chat")
    details.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    gateway.call("PATCH", f"/v1/users/1/contacts/{gateway.bob}", {"alias": "robert"})
    expect(page.locator("chat-view header")).to_contain_text("robert")
    page.keyboard.press("Escape")
    expect(details).to_be_focused()


def test_the_space_bar_presses_a_button_that_is_redrawn_meanwhile(visit, gateway):
    gateway.bob_says("hello")
    visitor = visit()
    page, row = visitor.page, visitor.page.locator("chat-item-view", has_text="hello")
    page.clock.install()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    wait_for_items(gateway, page)
    row.get_by_role("button", name="Actions").focus()
    # The clock of the page is stopped, so that the time limit of a press does not depend on the speed of the machine.
    page.clock.pause_at(time.time() + 60)
    page.keyboard.down(" ")
    react_as_bob(gateway, "hello")
    items = f"(await ({DOCUMENTS})()).session.im.reversedChatItems"
    changed = f"async () => {items}.some(item => item.reactions?.length)"
    gateway.until(lambda: page.evaluate(changed) or page.wait_for_timeout(50), "the page has the reaction")
    page.keyboard.up(" ")
    page.clock.resume()
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    # A reaction whose count changes keeps the focus.
    chip = row.locator(".chip")
    chip.press("Enter")
    expect(chip).to_have_text("🚀 2")
    expect(chip).to_be_focused()


def test_selected_text_stays_selected_when_its_message_changes(visit, gateway):
    gateway.bob_says("hello")
    visitor = visit()
    row = visitor.page.locator("chat-item-view", has_text="hello")
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    wait_for_items(gateway, visitor.page)
    row.locator("msg-content-view").dblclick()
    selected = "getSelection().toString()"
    assert visitor.page.evaluate(selected) == "hello"
    react_as_bob(gateway, "hello")
    expect(row.locator(".reactions")).to_contain_text("🚀")
    assert visitor.page.evaluate(selected) == "hello"


def test_a_long_touch_opens_the_menu_of_a_message(visit, gateway):
    """On touch screens, messages have no button beside them until they are touched. A long touch opens their menu."""
    gateway.bob_says("to be touched")
    visitor = visit(viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True)
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    page = visitor.page
    wait_for_items(gateway, page)
    item = page.locator("chat-item-view", has_text="to be touched")
    more = item.get_by_role("button", name="Actions")
    expect(more).to_have_css("opacity", "0")
    item.locator(".content").tap()
    expect(more).to_have_css("opacity", "1")
    # The touched area is larger than the symbol.
    area = more.evaluate("it => [it.getBoundingClientRect(), parseFloat(getComputedStyle(it, '::after').height)]")
    assert area[1] >= 44 and area[0]["width"] >= 35, area
    page.get_by_role("textbox", name="Message").tap()
    expect(more).to_have_css("opacity", "0")
    tools, place = visitor.context.new_cdp_session(page), item.locator(".content").bounding_box()
    at = {"x": place["x"] + place["width"] / 2, "y": place["y"] + place["height"] / 2}
    touch = lambda kind, *points: tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    menu = page.get_by_role("menu")
    touch("touchStart", at)
    expect(menu).to_be_visible()
    touch("touchEnd")
    menu.get_by_role("menuitem", name="Reply").tap()
    expect(page.get_by_text("Reply to")).to_be_visible()
    # Safari on iOS makes no event of a long touch, so the page makes it. The click at the end of the touch presses
    # nothing.
    page.keyboard.press("Escape")
    page.evaluate(
        """item => {
        const touch = { bubbles: true, pointerType: "touch", isPrimary: true, clientX: 90, clientY: 300 }
        const press = type => item.dispatchEvent(new PointerEvent(type, touch))
        press("pointerdown")
        window.lift = () => {
            press("pointerup")
            item.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }))
        }
        item.addEventListener("click", () => { window.clicked = true })
    }""",
        item.locator(".content").element_handle(),
    )
    expect(menu).to_be_visible()
    page.evaluate("lift()")
    expect(menu).to_be_visible()
    assert page.evaluate("window.clicked") is None
