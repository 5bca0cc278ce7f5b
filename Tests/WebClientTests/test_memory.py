"""Tests of the memory of the page."""

import os
import time

from browser import expect
from steps import say, visible_line_numbers


def used(tools):
    """Returns the memory of the page in bytes, and the number of its nodes, after a garbage collection."""
    tools.send("HeapProfiler.collectGarbage")
    return tools.send("Runtime.getHeapUsage")["usedSize"], tools.send("Memory.getDOMCounters")["nodes"]


def test_many_chats_and_items_take_bounded_memory(visit, gateway):
    """Ten thousand chats, and thousands of items (WEB_CLIENT_ITEMS) in a chat, take a limited amount of memory."""
    count = int(os.environ.get("WEB_CLIENT_ITEMS", "2000"))
    folder = gateway.call("GET", "/v1/users/1/model")["model"]["chats"]
    notes = next(
        chat["chatInfo"]["noteFolder"]["noteFolderId"] for chat in folder if chat["chatInfo"]["type"] == "local"
    )
    for start in range(0, count, 100):
        gateway.call(
            "POST",
            f"/v1/users/1/chats/local/{notes}/messages",
            {
                "composedMessages": [
                    {"msgContent": {"type": "text", "text": f"note {start + line}"}, "mentions": {}}
                    for line in range(100)
                ]
            },
        )
    visitor = visit()
    page = visitor.page
    visitor.sign_in(place=f"#/1/local/{notes}")
    expect(page.locator("chat-item-view", has_text=f"note {count - 1}")).to_be_in_viewport()
    scroller, rows = page.locator("chat-view .scroller"), page.locator("chat-item-view")
    tools = visitor.context.new_cdp_session(page)

    def scroll_to(goal, step):
        wanted, most = page.locator("chat-item-view").get_by_text(f"note {goal}", exact=True), 0

        def arrives():
            nonlocal most
            scroller.evaluate("(it, step) => it.scrollBy(0, step)", step)
            most = max(most, rows.count())
            return wanted.count() or page.wait_for_timeout(20)

        gateway.until(arrives, f"note {goal} is there", seconds=30 + count / 20)
        assert most < 500, most

    # Scrolls one page up, so that the first measurement includes all that a chat needs.
    scroll_to(count - 200, -3000)
    first = used(tools)
    scroll_to(0, -3000)
    at_begin = used(tools)
    scroll_to(count - 1, 3000)
    numbers = rows.evaluate_all("rows => rows.map(row => Number(row.dataset.itemId))")
    assert numbers == sorted(set(numbers)), numbers
    # Jumps to distant items, so that gaps remain between loaded items.
    for jump in range(20):
        goal = (jump * 7919 * 37) % count
        page.evaluate("id => document.querySelector('chat-view').goTo(id)", numbers[-1] - (count - 1 - goal))
        gateway.until(lambda: goal in visible_line_numbers(page), f"note {goal} is in sight")
        scroller.evaluate("it => it.scrollBy(0, -400)")
    # Scrolls to the end with slow answers of the gateway.
    line = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", {**line, "latency": 300})
    page.get_by_role("button", name="To the last message").click()
    gateway.until(lambda: count - 1 in visible_line_numbers(page), "the end is in sight")
    tools.send("Network.emulateNetworkConditions", {**line, "latency": 0})
    last = used(tools)
    print(
        f"{count} items: {first[0] / 1e6:.1f} MB, at the beginning {at_begin[0] / 1e6:.1f} MB, after jumps {last[0] / 1e6:.1f} MB; nodes {first[1]}, {at_begin[1]}, {last[1]}"
    )
    for now in (at_begin, last):
        assert now[0] < first[0] * 1.5 + 3e6 and now[1] < first[1] * 1.5 + 6000, (first, at_begin, last)

    page.evaluate("""async () => {
        const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
        const { app } = await import(`${files}model/app.js`)
        const chats = Array.from({ length: 10_000 }, (_, index) => ({ ...app.model.chats[0], id: `#${index}`, chatInfo: { ...app.model.chats.find(chat => chat.chatInfo.type == "local").chatInfo } }))
        app.model = { ...app.model, chats }
        app.emit("model")
    }""")
    chats = page.locator("chat-list-view .scroller")
    for _ in range(20):
        chats.evaluate("it => it.scrollBy(0, it.scrollHeight / 20)")
        assert page.locator("chat-preview-view").count() < 60
    expect(page.locator("chat-preview-view[aria-posinset='10000']")).to_be_visible()


def test_memory_stays_bounded_under_traffic(visit, gateway):
    """Traffic in an open chat for some minutes (WEB_CLIENT_MINUTES) takes a limited amount of memory."""
    minutes = float(os.environ.get("WEB_CLIENT_MINUTES", "0.2"))
    visitor = visit()
    visitor.sign_in(place=f"#/1/direct/{gateway.bob}")
    expect(visitor.page.get_by_role("textbox", name="Message")).to_be_visible()
    tools = visitor.context.new_cdp_session(visitor.page)
    number = 0

    def traffic(seconds):
        nonlocal number
        end = time.monotonic() + seconds
        # A busy machine sends few messages in this time. The session keeps at most 300 items, so with more messages the
        # page shows all that it can show.
        while time.monotonic() < end or number < 400:
            say(
                gateway,
                2,
                f"direct/{gateway.alice}",
                *[{"type": "text", "text": f"message {number + line}"} for line in range(20)],
            )
            number += 20
        expect(visitor.page.locator("chat-item-view", has_text=f"message {number - 1}").last).to_be_visible(
            timeout=60_000
        )
        return used(tools)

    # After the first half, the caches are full, so the second half may use little more memory.
    first = traffic(minutes * 60 / 2)
    second = traffic(minutes * 60 / 2)
    assert second[0] < first[0] * 1.3 + 3e6 and second[1] < first[1] * 1.5 + 5000, (first, second, number)
    print(
        f"{number} messages: {first[0] / 1e6:.1f} MB, then {second[0] / 1e6:.1f} MB; {first[1]} nodes, then {second[1]}"
    )
