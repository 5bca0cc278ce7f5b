"""Tests of the API reference and the guide, which the gateway serves at /docs."""

from browser import expect

WANTED = {
    "send picture": "sendMessages",
    "delete message": "deleteMessages",
    "create group": "createGroup",
    "accept contact request": "acceptContactRequest",
    "change profile picture": "updateUser",
    "leave group": "leaveGroup",
    "upload photo": "uploadFile",
}


def test_the_search_finds_operations_by_common_words(visit, gateway):
    page = visit().page
    page.goto(f"{gateway.url}/docs")
    best = page.locator("#found a").first
    for words, operation in WANTED.items():
        page.get_by_label("Search").fill(words)
        expect(best).to_have_attribute("href", f"#{operation}")
    # The events and types are loaded from another page.
    page.get_by_label("Search").fill("contactConnected")
    expect(best).to_have_attribute("href", "docs/types#type-ContactConnectedEvent")
    best.click()
    expect(page.locator("#type-ContactConnectedEvent pre")).to_be_visible()


def test_the_search_finds_types_after_an_entry_was_opened(visit, gateway):
    page = visit().page
    # A fragment that is not valid percent-encoding is ignored.
    page.goto(f"{gateway.url}/docs#%")
    page.locator("#sendMessages summary").first.click()
    expect(page.locator("#sendMessages [data-example] + pre").first).to_contain_text("newChatItems")
    page.get_by_label("Search").fill("contactConnected")
    expect(page.locator("#found a").first).to_have_attribute("href", "docs/types#type-ContactConnectedEvent")


def test_a_form_sends_a_request_with_the_key(visit, gateway):
    page = visit().page
    page.goto(f"{gateway.url}/docs#sendMessages")
    page.get_by_label("Key for the forms").fill(gateway.key)
    entry = page.locator("#sendMessages")
    expect(entry.locator("[data-example] + pre").first).to_contain_text("newChatItems")
    entry.get_by_text("Try", exact=True).click()
    entry.get_by_role("button", name="Send POST").click()
    expect(entry.locator(".try pre")).to_have_text("userId is missing.")
    entry.get_by_label("userId", exact=True).fill("..")
    entry.get_by_role("button", name="Send POST").click()
    expect(entry.locator(".try pre")).to_have_text("userId must not be a dot or two dots.")
    for name, value in {"userId": "2", "chatType": "direct", "chatId": str(gateway.alice)}.items():
        entry.get_by_label(name, exact=True).fill(value)
    entry.get_by_label("Body").fill('{"text":"from the form"}')
    entry.get_by_role("button", name="Send POST").click()
    expect(entry.locator(".try pre")).to_contain_text("from the form")
    expect(entry.locator(".try pre")).to_contain_text("201 ")


def test_the_guide_leads_to_its_pages_and_to_the_reference(visit, gateway):
    page = visit().page
    page.goto(f"{gateway.url}/docs/guide")
    page.get_by_role("link", name="Start").first.click()
    expect(page.get_by_role("heading", name="Rules of the API")).to_be_visible()
    page.wait_for_function("document.querySelector('img')?.naturalWidth > 0")
    page.get_by_role("link", name="Reference of the API").click()
    expect(page.get_by_label("Search")).to_be_focused()
    page.get_by_role("link", name="Guide").click()
    expect(page.get_by_role("heading", name="Topics")).to_be_visible()
