"""Tests of sending messages over slow networks, and through outages, restarts and reloads."""

import re
import threading

from browser import expect
from sending import Held, bob_gets, item, opened, queued, received, refuse
from steps import keep_notices, wait_for_items


def stored(page, gateway):
    """Returns the texts of the messages that the page has stored for a reload."""
    return page.evaluate(
        """async key => {
            const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
            const { Vault } = await import(`${files}model/vault.js`)
            return (await new Vault(key, sessionStorage).load()).map(entry => entry.text)
        }""",
        gateway.key,
    )


def choose_file(page):
    file = {"name": "data.bin", "mimeType": "text/html", "buffer": b"bytes"}
    page.locator("input[type=file]").set_input_files(file)


def keys_of(held):
    """Returns the idempotency keys of held requests. The page repeats a request that is held for long."""
    return {route.request.headers["idempotency-key"] for route in held.requests}


def test_fast_typing_on_a_slow_network_sends_what_was_typed(visit, gateway):
    """On a network with 200 ms of latency, the texts of a fast typist are sent unchanged."""
    visitor, page, box = opened(visit, gateway)
    tools = visitor.context.new_cdp_session(page)
    tools.send("Network.enable")
    slow = {"offline": False, "latency": 200, "downloadThroughput": -1, "uploadThroughput": -1}
    tools.send("Network.emulateNetworkConditions", slow)
    box.press_sequentially("hi 200", delay=80)
    box.press("Enter")
    box.press_sequentially("how are you?", delay=80)
    box.press("Enter")
    for number in range(10):
        box.press_sequentially(f"{number}")
        box.press("Enter")
    expect(box).to_have_value("")
    bob_gets(page, gateway, ["hi 200", "how are you?", *map(str, range(10))])
    expect(queued(page)).to_have_count(0)


def test_a_message_is_shown_at_once(visit, gateway):
    """A message is shown at once, the next message waits for it, and other chats and drafts are not affected."""
    visitor, page, box = opened(visit, gateway)
    held = Held(page, "**/chats/direct/*/messages")
    visitor.write("first")
    expect(box).to_have_value("")
    expect(queued(page, "first").get_by_role("img", name="Being sent")).to_be_visible()
    visitor.write("second")
    expect(queued(page)).to_have_count(2)
    box.fill("a draft of bob")
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    expect(box).to_have_value("")
    expect(queued(page)).to_have_count(0)
    visitor.write("a note")
    # Another chat does not wait.
    expect(item(page, "a note")).to_be_visible()
    page.get_by_role("link", name="bob").click()
    expect(box).to_have_value("a draft of bob")
    expect(queued(page)).to_have_count(2)
    assert len(keys_of(held)) == 1
    held.release()
    expect(item(page, "second")).to_be_visible()
    expect(queued(page)).to_have_count(0)
    bob_gets(page, gateway, ["first", "second"])
    expect(box).to_have_value("a draft of bob")
    # A sent message leaves no draft, even if a request for the draft was on its way.
    held = Held(page, "**/model/drafts/**")
    box.fill("a draft that was sent")
    box.blur()
    box.press("Enter")
    page.get_by_role("link", name="Private notes").click()
    expect(box).to_have_value("")
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    page.get_by_role("link", name="bob").click()
    expect(item(page, "a draft that was sent")).to_be_visible()
    expect(box).to_have_value("")
    held.release()
    drafts = lambda: gateway.call("GET", "/v1/users/1/model")["model"]["drafts"]
    gateway.until(lambda: not drafts() or page.wait_for_timeout(50), "there is no draft")


def test_messages_of_an_outage_arrive_once_and_in_order(visit, gateway):
    """Messages written during an outage arrive once and in order after the outage, except withdrawn messages."""
    visitor, page, box = opened(visit, gateway)
    keep_notices(page)
    held = Held(page, "**/chats/*/*/messages")
    visitor.write("cut off")
    gateway.until(lambda: held.requests or page.wait_for_timeout(20), "it is on its way")
    gateway.kill()
    held.release()
    for text in ("one", "two", "three"):
        visitor.write(text)
    expect(queued(page, "cut off")).to_contain_text("The gateway does not answer.")
    expect(page.locator("chat-preview-view", has_text="Being sent:")).to_be_visible()
    queued(page, "two").get_by_role("button", name="Take back").click()
    expect(queued(page, "two")).to_have_count(0)
    # A waiting message can be edited.
    queued(page, "cut off").get_by_role("button", name="Edit").click()
    expect(page.get_by_text("It may have been sent already.")).to_be_visible()
    expect(box).to_have_value("cut off")
    box.fill("four")
    gateway.start()
    box.press("Enter")
    expect(item(page, "four")).to_be_visible()
    bob_gets(page, gateway, ["one", "three", "four"])
    expect(queued(page)).to_have_count(0)
    assert received(gateway) == ["one", "three", "four"]


def test_a_message_is_sent_once_if_the_gateway_is_killed_before_its_answer(visit, gateway):
    """A message is not sent twice if the gateway stores the message and is killed before its answer."""
    visitor, page, _ = opened(visit, gateway)

    def answer_never(route):
        route.fetch()
        gateway.kill()
        route.abort()

    page.route("**/chats/*/*/messages", answer_never, times=1)
    visitor.write("stored, and not answered")
    visitor.write("after it")
    gateway.until(lambda: gateway.process.poll() is not None or page.wait_for_timeout(20), "the gateway is killed")
    gateway.start()
    bob_gets(page, gateway, ["stored, and not answered", "after it"])
    expect(item(page, "stored, and not answered")).to_have_count(1)
    expect(queued(page)).to_have_count(0)


def test_a_refused_message_shows_its_reason(visit, gateway):
    """A refused message shows the reason. It can be sent again or edited, and no other text is lost."""
    visitor, page, box = opened(visit, gateway)
    keep_notices(page)
    page.route("**/chats/*/*/messages", refuse, times=1)
    visitor.write("the first try")
    expect(queued(page, "the first try").get_by_role("alert")).to_have_text("It is too long.")
    visitor.write("goes on")
    expect(item(page, "goes on")).to_be_visible()
    queued(page, "the first try").get_by_role("button", name="Try again").click()
    bob_gets(page, gateway, ["goes on", "the first try"])
    page.route("**/chats/*/*/messages", refuse, times=1)
    visitor.write("too long")
    box.fill("meanwhile")
    queued(page, "too long").get_by_role("button", name="Edit").click()
    expect(box).to_have_value("too long\nmeanwhile")
    expect(box).to_be_focused()
    expect(queued(page)).to_have_count(0)
    page.route("**/chats/*/*/messages", refuse, times=1)
    box.fill("")
    visitor.write("never")
    queued(page, "never").get_by_role("button", name="Delete").click()
    expect(queued(page)).to_have_count(0)
    # A refusal in another chat is announced.
    box.fill("")
    held = Held(page, "**/chats/*/*/messages")
    visitor.write("elsewhere")
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    gateway.until(lambda: held.requests or page.wait_for_timeout(20), "it is on its way")
    refuse(held.requests.pop())
    expect(page.get_by_text("A message was not sent: bob")).to_be_visible()
    expect(page.get_by_role("link", name="bob")).to_contain_text("Not sent:")


def test_edits_and_replies_wait_in_the_queue_of_their_chat(visit, gateway):
    """Edits are shown at once. They wait with replies and forwarded messages in the queue of their chat."""
    gateway.bob_says("a question")
    visitor, page, box = opened(visit, gateway)
    visitor.write("an answr")
    expect(item(page, "an answr")).to_be_visible()
    held = Held(page, "**/messages/*")
    box.press("ArrowUp")
    box.fill("an answer")
    box.press("Enter")
    expect(item(page, "an answer")).to_be_visible()
    expect(queued(page)).to_have_count(0)
    item(page, "a question").first.click(button="right")
    page.get_by_role("menuitem", name="Reply").click()
    visitor.write("once more")
    expect(queued(page, "once more").locator("quote-view")).to_contain_text("a question")
    held.release()
    expect(item(page, "once more").locator("quote-view")).to_contain_text("a question")
    bob_gets(page, gateway, ["an answer", "once more"])
    item(page, "a question").first.click(button="right")
    page.get_by_role("menuitem", name="Forward").click()
    held = Held(page, "**/forwards")
    page.get_by_role("dialog").get_by_role("button", name="Private notes").click()
    expect(queued(page)).to_contain_text("⤳ 1 message")
    held.release()
    expect(item(page, "a question")).to_contain_text("Forwarded")
    expect(queued(page)).to_have_count(0)
    # After a refused edit, the item has its old text again, and the new text is shown as not sent.
    page.get_by_role("link", name="bob").click()
    expect(item(page, "once more")).to_be_visible()
    # An edit that is taken back waits until its item is loaded.
    wait_for_items(gateway, page)
    page.route(re.compile(r"/messages/\d+$"), refuse, times=1)
    box.press("ArrowUp")
    box.fill("once again")
    box.press("Enter")
    expect(queued(page, "once again").get_by_role("alert")).to_have_text("It is too long.")
    expect(item(page, "once more")).to_be_visible()
    queued(page, "once again").get_by_role("button", name="Edit").click()
    expect(page.locator(".about")).to_contain_text("Editing")
    box.press("Enter")
    bob_gets(page, gateway, ["an answer", "once again"])


def test_waiting_messages_survive_a_reload(visit, gateway):
    """Waiting messages survive a reload of the page and arrive once, and the storage contains no plain text."""
    visitor, page, box = opened(visit, gateway)
    is_lost = threading.Event()

    def answer_never(route):
        # The first message arrives, but its answer is lost.
        if not is_lost.is_set():
            route.fetch()
            is_lost.set()
        route.abort()

    page.route("**/chats/*/*/messages", answer_never)
    visitor.write("has arrived")
    visitor.write("has not")
    choose_file(page)
    visitor.write("with a file")
    expect(queued(page)).to_have_count(2)
    expect(item(page, "has arrived")).to_be_visible()
    texts = ["has arrived", "has not", "with a file"]
    gateway.until(lambda: stored(page, gateway) == texts, "all messages are stored")
    assert "arrived" not in page.evaluate("sessionStorage['simplex-gateway.outbox']")
    assert page.evaluate("Object.keys(localStorage).length") == 0
    page.reload()
    lost = queued(page, "with a file")
    expect(lost).to_contain_text("Attach them once more.")
    # Before the reload, the page would send the messages at once.
    page.unroute("**/chats/*/*/messages")
    expect(item(page, "has not")).to_be_visible()
    bob_gets(page, gateway, ["has arrived", "has not"])
    expect(lost.get_by_role("button", name="Try again")).to_have_count(0)
    lost.get_by_role("button", name="Edit").click()
    expect(box).to_have_value("with a file")
    # Signing out removes the stored messages.
    page.route("**/chats/*/*/messages", lambda route: route.abort())
    box.press("Enter")
    expect(queued(page, "with a file")).to_contain_text("The gateway does not answer.")
    page.get_by_role("button", name="Profile alice").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    warning = page.get_by_role("dialog", name="Sign out")
    expect(warning).to_contain_text("They are lost when you sign out.")
    warning.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Key")).to_be_visible()
    assert page.evaluate("Object.keys(sessionStorage).length") == 0


def open_menu(page, row, name):
    row.hover()
    row.get_by_role("button", name="Actions").click()
    page.get_by_role("menu").get_by_role("menuitem", name=name, exact=True).click()


def test_changes_are_shown_before_they_are_confirmed(visit, gateway):
    """Reactions, deletions and marks are shown at once. After a refusal, the former state and the reason are shown."""
    for text in ("the first", "the second", "the third"):
        gateway.bob_says(text)
    visitor, page, _ = opened(visit, gateway)
    visitor.write("my own")
    expect(item(page, "my own").get_by_role("img", name="Delivered")).to_be_visible()
    keep_notices(page)
    # A refused reaction is removed again.
    held = Held(page, "**/reactions")
    first = item(page, "the first")
    first.hover()
    first.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitemcheckbox", name="React with 🚀").click()
    chip = first.get_by_role("button", name="🚀, 1")
    expect(chip).to_have_attribute("aria-pressed", "true")
    gateway.until(lambda: held.requests or page.wait_for_timeout(20), "it is on its way")
    refuse(held.requests.pop())
    expect(chip).to_have_count(0)
    expect(page.locator(".notices p")).to_have_text("It is too long.")
    # After several presses, the page sends only the last state.
    first.hover()
    first.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitemcheckbox", name="React with 👍").click()
    for is_pressed in (False, True):
        first.get_by_role("button", name="👍, 1").click()
        if not is_pressed:
            expect(first.get_by_role("button", name="👍, 1")).to_have_count(0)
            first.hover()
            first.get_by_role("button", name="Actions").click()
            page.get_by_role("menuitemcheckbox", name="React with 👍").click()
    answered = []
    page.on("response", lambda answer: answered.append(answer.url) if answer.url.endswith("/reactions") else None)
    held.release()
    # The gateway gets the first press, and then the last state.
    gateway.until(lambda: len(answered) == 2, "both reactions are answered")
    reacted = lambda: [
        reaction["reaction"]["emoji"]
        for it in gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]["chatItems"]
        for reaction in it["reactions"]
    ]
    expect(first.get_by_role("button", name="👍, 1")).to_have_count(0)
    gateway.until(lambda: not reacted() or page.wait_for_timeout(50), "bob sees no reaction")
    # Messages of refused deletions are shown again.
    held = Held(page, "**/messages?itemIds=*")
    open_menu(page, item(page, "the second"), "Delete for me")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(item(page, "the second")).to_have_count(0)
    open_menu(page, item(page, "my own"), "Delete for everyone")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(item(page, "marked as deleted")).to_be_visible()
    gateway.until(lambda: len(held.requests) == 2 or page.wait_for_timeout(20), "they are on their way")
    for route in held.requests:
        refuse(route)
    expect(item(page, "the second")).to_be_visible()
    expect(item(page, "my own")).to_be_visible()
    held.requests, held.holds = [], False
    open_menu(page, item(page, "the second"), "Delete for me")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(item(page, "the second")).to_have_count(0)
    # A refused change of a mark in the chat list is undone.
    page.locator(".notices p").evaluate_all("them => { for (const it of them) it.remove() }")
    is_change = lambda route: route.request.method == "PATCH"
    page.route("**/chats/direct/*", lambda route: refuse(route) if is_change(route) else route.fallback())
    entry = page.locator("chat-preview-view", has=page.get_by_role("link", name="bob"))
    entry.get_by_role("link").click(button="right")
    page.get_by_role("menuitem", name="Favorite").click()
    expect(page.locator(".notices p")).to_have_text("It is too long.")
    expect(entry.get_by_role("img", name="Favorite")).to_have_count(0)


def test_read_marks_are_shown_at_once(visit, gateway):
    """The badge of an opened chat disappears, also without a connection. The gateway gets the read marks later."""
    for number in range(3):
        gateway.bob_says(f"unread {number}")
    visitor = visit()
    visitor.awaits_outage = True
    page = visitor.page
    visitor.sign_in(place="#/1")
    expect(page.get_by_role("img", name="3 unread")).to_be_visible()
    expect(page).to_have_title("(3) SimpleX")
    tries = []
    page.route("**/messages/read", lambda route: (tries.append(1), route.abort()))
    page.get_by_role("link", name="bob").click()
    expect(item(page, "unread 2")).to_be_visible()
    expect(page.get_by_role("img", name="unread")).to_have_count(0)
    expect(page).to_have_title(re.compile("^bob . SimpleX$"))
    unread = lambda: [
        chat["chatStats"]["unreadCount"]
        for chat in gateway.call("GET", "/v1/users/1/model")["model"]["chats"]
        if chat["chatInfo"]["type"] == "direct"
    ]
    gateway.until(lambda: len(tries) > 1 or page.wait_for_timeout(50), "it was sent twice")
    assert unread() == [3]
    expect(page.get_by_role("img", name="unread")).to_have_count(0)
    page.unroute("**/messages/read")
    gateway.until(lambda: unread() == [0] or page.wait_for_timeout(50), "it is read")
    expect(page.get_by_role("img", name="unread")).to_have_count(0)
    gateway.bob_says("a new one")
    expect(item(page, "a new one")).to_be_visible()
    gateway.until(lambda: unread() == [0] or page.wait_for_timeout(50), "it is read too")


def test_an_own_message_is_shown_before_its_request_ends(visit, gateway):
    """A sent message is shown with its state at once, in order, also in a chat that was left meanwhile."""
    visitor, page, _ = opened(visit, gateway)
    held = Held(page, "**/chats/*/*/messages")
    for text in ("one", "two", "three"):
        visitor.write(text)
    expect(queued(page)).to_have_count(3)
    expect(queued(page, "one").get_by_role("img", name="Being sent")).to_be_visible()
    gateway.until(lambda: held.requests, "the first message is on its way")
    assert len(keys_of(held)) == 1
    page.get_by_role("link", name="Private notes").click()
    expect(queued(page)).to_have_count(0)
    page.get_by_role("link", name="bob").click()
    shown = queued(page).locator("msg-content-view")
    expect(shown).to_have_text(["one", "two", "three"])
    held.release()
    bob_gets(page, gateway, ["one", "two", "three"])
    expect(queued(page)).to_have_count(0)


def test_a_chat_is_drawn_before_the_gateway_answers(visit, gateway):
    """An opened chat shows the items that the page knows, and later the items that the gateway sends. A message can be
    sent meanwhile."""
    for number in range(6):
        gateway.bob_says(f"known {number}")
    visitor, page, _ = opened(visit, gateway)
    for number in range(6):
        expect(item(page, f"known {number}")).to_be_visible()
    expect(page.get_by_role("img", name="unread")).to_have_count(0)
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    expect(item(page, "known 0")).to_have_count(0)
    wait_for_items(gateway, page)
    gateway.bob_says("a newer one")
    expect(page.get_by_role("img", name="1 unread")).to_be_visible()
    held = Held(page, "**/sessions/*/chat")
    page.get_by_role("link", name="bob").click()
    expect(item(page, "known 0")).to_be_visible()
    # The newest message is visible, so it is marked as read.
    expect(item(page, "a newer one")).to_be_in_viewport()
    expect(page.get_by_role("img", name="unread")).to_have_count(0)
    gateway.until(lambda: held.requests or page.wait_for_timeout(20), "the chat is asked for")
    element = item(page, "known 3").element_handle()
    visitor.write("written before")
    bob_gets(page, gateway, ["written before"])
    held.release()
    wait_for_items(gateway, page)
    expect(item(page, "written before")).to_have_count(1)
    expect(queued(page)).to_have_count(0)
    # An item that arrives unchanged keeps its element.
    assert element.evaluate("it => it.isConnected")


def test_an_open_chat_shows_the_draft_of_another_page(visit, gateway):
    """An open chat shows the draft of another page, and keeps a text that the user has written here."""
    first, other = visit(), visit()
    for visitor in (first, other):
        visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    box, copy = (visitor.page.get_by_role("textbox", name="Message") for visitor in (first, other))
    expect(box).to_be_visible()
    expect(copy).to_be_visible()
    copy.blur()
    drafts = lambda: str(gateway.call("GET", "/v1/users/1/model")["model"]["drafts"])
    kept = lambda text: gateway.until(lambda: text in drafts() or other.page.wait_for_timeout(50), f"{text} is kept")
    for written in ("not sent", "not sent yet"):
        box.fill(written)
        expect(copy).to_have_value(written)
    # A field in which the user writes nothing does not replace the newer draft.
    copy.focus()
    box.fill("newer")
    kept("newer")
    expect(copy).to_have_value("not sent yet")
    copy.blur()
    expect(copy).to_have_value("newer")
    # A sent message leaves no copy that could be sent again.
    box.press("Enter")
    expect(copy).to_have_value("")
    box.blur()
    copy.fill("written here")
    expect(box).to_have_value("written here")
    # A text that is not saved yet is kept.
    held = Held(first.page, "**/model/drafts/**")
    box.fill("my own words")
    box.blur()
    copy.fill("other words")
    kept("other words")
    expect(box).to_have_value("my own words")
    held.release()


def test_a_lost_request_to_open_a_chat_is_repeated(visit, gateway):
    """All items of a chat are shown, although the network was lost when the page started or a chat was chosen."""
    for number in range(7):
        gateway.bob_says(f"line {number}")
    visitor = visit()
    visitor.awaits_outage = True
    page, lost = visitor.page, []

    def lose(route):
        lost.append(route.request.url)
        route.abort()

    page.route("**/sessions/*/chat", lose, times=3)
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(item(page, "line ")).to_have_count(7)
    assert len(lost) == 3, lost
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    wait_for_items(gateway, page)
    gateway.bob_says("line 7")
    expect(page.get_by_role("img", name="1 unread")).to_be_visible()
    # The network is lost while a chat is chosen, and a second chat is chosen before the network returns.
    held = Held(page, "**/sessions/*/chat")
    page.get_by_role("link", name="bob").click()
    gateway.until(lambda: held.requests or page.wait_for_timeout(20), "the chat is requested")
    visitor.context.set_offline(True)
    held.requests.pop().abort()
    page.get_by_role("link", name="Private notes").click()
    expect(page.get_by_role("heading", name="Private notes")).to_be_visible()
    held.release()
    visitor.context.set_offline(False)
    visitor.write("a note")
    expect(item(page, "a note")).to_be_visible()
    page.get_by_role("link", name="bob").click()
    expect(item(page, "line ")).to_have_count(8)
    wait_for_items(gateway, page)


def test_messages_and_reactions_of_two_tabs_arrive_once(visit, gateway):
    """Two tabs send at the same time after a network outage. Each message arrives once, in the order of its tab."""
    gateway.bob_says("to react to")
    visitor, page, _ = opened(visit, gateway)
    tab = visit()
    tab.awaits_outage = True
    tab.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(item(tab.page, "to react to")).to_be_visible()
    expect(item(page, "to react to")).to_be_visible()
    for each in (visitor, tab):
        each.context.set_offline(True)
    for number in range(3):
        visitor.write(f"first tab {number}")
        tab.write(f"second tab {number}")
    for each in (visitor, tab):
        expect(queued(each.page)).to_have_count(3)
        first = item(each.page, "to react to")
        first.hover()
        first.get_by_role("button", name="Actions").click()
        each.page.get_by_role("menuitemcheckbox", name="React with 🚀").click()
        expect(first.get_by_role("button", name="🚀, 1")).to_have_attribute("aria-pressed", "true")
    for each in (visitor, tab):
        each.context.set_offline(False)
    all_of = lambda name: [text for text in received(gateway) if text.startswith(name)]
    wanted = lambda name: [f"{name} tab {number}" for number in range(3)]
    gateway.until(
        lambda: (all_of("first"), all_of("second")) == (wanted("first"), wanted("second")) or page.wait_for_timeout(50),
        "bob has all",
    )
    for each in (visitor, tab):
        expect(queued(each.page)).to_have_count(0)
        expect(item(each.page, "tab ")).to_have_count(6)
        # The second of two equal reactions is refused, and the reaction stays.
        expect(item(each.page, "to react to").get_by_role("button", name="🚀, 1")).to_be_visible()
    assert len(received(gateway)) == 6


def test_a_reload_during_sending_does_not_repeat_the_message(visit, gateway):
    """A page that is reloaded while a message is being sent repeats the request with the same idempotency key."""
    visitor, page, _ = opened(visit, gateway)
    keys, is_held = [], True

    def hold(route):
        keys.append(route.request.headers["idempotency-key"])
        # The gateway gets the request, and the page is loaded again before the answer. The page repeats a request that
        # is not answered for long.
        if not is_held:
            route.fallback()
        elif len(keys) == 1:
            route.fetch()

    page.route("**/chats/*/*/messages", hold)
    visitor.write("in mid-send")
    gateway.until(lambda: keys or page.wait_for_timeout(20), "it is on its way")
    bob_gets(page, gateway, ["in mid-send"])
    gateway.until(lambda: stored(page, gateway) == ["in mid-send"], "the message is stored")
    before, is_held = len(keys), False
    page.reload()
    expect(item(page, "in mid-send")).to_be_visible()
    gateway.until(lambda: len(keys) > before or page.wait_for_timeout(20), "it is sent again")
    assert len(set(keys)) == 1
    expect(queued(page)).to_have_count(0)
    page.wait_for_timeout(500)
    assert received(gateway) == ["in mid-send"]
