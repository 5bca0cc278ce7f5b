"""Steps and data that several tests of the page share."""

import os
import pathlib
import re

import browser
from axe_playwright_python.sync_playwright import Axe
from browser import expect

axe = Axe()

# The folder for screenshots that developers look at.
PICTURES = pathlib.Path(os.environ.get("WEB_CLIENT_PICTURES", browser.support.ROOT / ".build/web-client-pictures"))


def picture(visitor, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    visitor.page.screenshot(path=PICTURES / f"{name}.png")


def act(visitor, item, name):
    item.hover()
    item.get_by_role("button", name="Actions").click()
    visitor.page.get_by_role("menuitem", name=name, exact=True).click()


def react(visitor, item, emoji):
    item.hover()
    item.get_by_role("button", name="Actions").click()
    visitor.page.get_by_role("menuitemcheckbox", name=f"React with {emoji}").click()


def setting(page, name):
    """Opens the settings, and returns the row with this name, which the search finds."""
    page.get_by_role("button", name=re.compile("^Profile ")).click()
    page.get_by_role("searchbox", name="Search settings").fill(name)
    return page.locator(".place .row", has=page.get_by_text(name, exact=True))


def row_in_details(page, name):
    """Opens the details of the chat, and returns the row or button with this name."""
    page.get_by_role("button", name="Details of the chat").click()
    panel = page.locator(".panel")
    # This call fails if the page has more than one panel.
    panel.wait_for()
    return panel.locator(".row, .quick button").filter(has=page.get_by_text(name, exact=True))


def save(page):
    """Saves a form above the settings or the details, and then also closes the settings or the details."""
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_have_count(1)
    close_dialogs(page)


def close_dialogs(page):
    while page.get_by_role("dialog").count():
        page.get_by_role("button", name="Close", exact=True).last.click()


HOSTILE = [
    "<img src=x onerror=window.hit=1>",
    "<script>window.hit=1</script>",
    '"><svg onload=window.hit=1>',
    "javascript:window.hit=1",
    "<a href='javascript:window.hit=1'>x</a>",
    "{{constructor.constructor('window.hit=1')()}}",
    "${window.hit=1}",
    "</textarea><iframe srcdoc='<script>parent.hit=1</script>'>",
    "&lt;b&gt;",
    "__proto__",
    "\u202eevil\u2066",
    "data:text/html,<script>window.hit=1</script>",
    "<style>*{display:none}</style>",
]

PICTURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGNg4JVSN3FkYBdR1LP2AAAJhAGxrQ27vwAAAABJRU5ErkJggg=="

# A selector of elements that no message may create.
FORBIDDEN = "script:not([src$='/main.js']), iframe, object, embed, style, base, meta[http-equiv], form[action], [onerror], [onload], a[href^='javascript' i], a[href^='data' i]"


def say(gateway, user, place, *contents, query="", **more):
    return gateway.call(
        "POST",
        f"/v1/users/{user}/chats/{place}/messages{query}",
        {"composedMessages": [{"msgContent": content, "mentions": {}} for content in contents], **more},
    )["chatItems"]


def draft_an_edit(gateway, place, name="message", written="changed"):
    """Sends 120 messages, which are more than the page loads at first, and stores a draft that edits the first one.
    Returns the texts and ids of the messages, and the draft.
    """
    texts = [f"{name} {number}" for number in range(120)]
    sent = say(gateway, 1, place, *({"type": "text", "text": text} for text in texts))
    ids = [it["chatItem"]["meta"]["itemId"] for it in sent]
    draft = {"message": written, "editingItemId": ids[0]}
    gateway.call("PUT", f"/v1/users/1/model/drafts/{place}", draft)
    return texts, ids, draft


def text_of(gateway, place, item_id):
    """Returns the present text of a message of profile 1."""
    items = gateway.call("GET", f"/v1/users/1/chats/{place}?around={item_id}&limit=1")["chat"]["chatItems"]
    return next(it["content"]["msgContent"]["text"] for it in items if it["meta"]["itemId"] == item_id)


def visible_line_numbers(page):
    """Returns the numbers of the lines that are visible in the window."""
    return page.evaluate("""() => {
        const { top, bottom } = document.querySelector("chat-view .scroller").getBoundingClientRect()
        const texts = [...document.querySelectorAll("chat-view msg-content-view")].filter(text => text.getBoundingClientRect().bottom > top && text.getBoundingClientRect().top < bottom)
        return texts.map(text => Number(/^(?:line|note) ([0-9]+)/.exec(text.textContent)?.[1] ?? -1))
    }""")


def listed(page, name):
    """Returns the entry of a chat in the list, by the name of the chat."""
    return page.locator("chat-preview-view", has=page.locator(".name", has_text=name)).get_by_role("link")


DOCUMENTS = """async () => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { app } = await import(`${files}model/app.js`)
    return { model: app.model, session: app.session, sessionId: app.sessionId }
}"""


# A script that returns whether the session shows the open chat. Before that, the page shows the chat as the list has it.
IS_OPEN = """async () => {
    const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
    const { app } = await import(`${files}model/app.js`)
    return Boolean(app.isOpen)
}"""


def wait_for_items(gateway, page):
    """Waits until the open chat has its items from the gateway, which may move the items that are shown before."""
    gateway.until(lambda: page.evaluate(IS_OPEN), "the session shows the chat")


def keep_notices(page):
    """Keeps the notices of the page. Otherwise a notice disappears after six seconds, in which a busy machine may not
    run the test. A test in test_chats.py checks this time. A kept notice does not catch the clicks on what it covers.
    """
    page.evaluate("""() => {
        const { setTimeout } = window
        window.setTimeout = (run, time, ...given) => time == 6000 ? 0 : setTimeout(run, time, ...given)
        const style = new CSSStyleSheet()
        style.replaceSync(".notices, .notices p { pointer-events: none } .notices button { pointer-events: auto }")
        document.adoptedStyleSheets.push(style)
    }""")


def check(page, where):
    response = axe.run(page).response
    assert len(response["passes"]) > 5, where
    found = [it for it in response["violations"] if it["impact"] in ("serious", "critical")]
    assert not found, (where, [(it["id"], [node["html"][:200] for node in it["nodes"]]) for it in found])
