"""A bench of the page: prints the times from an action to the frame that shows its result. It checks no times, but no
action may cause a fault. All actions run with a slowed processor, and with WEB_CLIENT_TIMES=1 with the whole one too:
WEB_CLIENT_TIMES=1 sh deploy/web-client-test --page -s -n 0 -k times
"""

import os
import statistics

import pytest
from browser import expect

# Functions that measure in the page. Each returns the milliseconds from an event to the frame that shows its result.
MEASURE = """
window.timed = async (event, act, isShown) => {
  let start = 0
  addEventListener(event, ({ timeStamp }) => { start ||= timeStamp }, { capture: true, once: true })
  const shown = new Promise(done => {
    const look = () => { if (isShown()) { observer.disconnect(); requestAnimationFrame(() => setTimeout(done)) } }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  })
  act()
  await shown
  return performance.now() - start
}
const fetchNow = window.fetch
window.fetch = async (...request) => {
  if (window.latency) await new Promise(done => setTimeout(done, window.latency))
  return fetchNow(...request)
}
window.textsOf = selector => [...document.querySelectorAll(selector)].map(it => it.textContent)
window.timeToOwn = text => {
  const field = document.querySelector("compose-view textarea")
  field.value = text
  const key = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })
  const isThere = () => textsOf("queued-item-view, chat-item-view").some(it => it.includes(text))
  return timed("keydown", () => field.dispatchEvent(key), isThere)
}
window.timeToOpen = (name, text, count) => {
  const links = [...document.querySelectorAll("chat-preview-view a")]
  const link = links.find(it => it.querySelector(".name").textContent.includes(name))
  const isThere = () => document.querySelector("chat-view h2")?.textContent.includes(name)
    && document.querySelectorAll("chat-item-view").length >= count && textsOf("chat-item-view").at(-1).includes(text)
  return timed("click", () => link.click(), isThere)
}
"""

# The time from the beginning of the navigation to the frame with the first chats.
LIST = """() => new Promise(done => {
  const look = () => {
    if (document.querySelectorAll("chat-preview-view").length < 5) return requestAnimationFrame(look)
    requestAnimationFrame(() => setTimeout(() => done(performance.now())))
  }
  look()
})"""

# The time for drawing the list of the present model from nothing.
DRAW = """async () => {
  const files = document.querySelector("script[src$='/main.js']").src.replace("main.js", "")
  const { app } = await import(`${files}model/app.js`)
  document.querySelector("chat-list-view .rows").getBoundingClientRect()
  const start = performance.now()
  app.model = { ...app.model, chats: app.model.chats.map(chat => ({ ...chat, id: `${chat.id} ` })) }
  app.emit("model")
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)))
  return performance.now() - start
}"""


def say_many(gateway, group, count):
    for start in range(0, count, 100):
        texts = [f"{group} line {start + line}, with some words of a usual length" for line in range(100)]
        messages = [{"msgContent": {"type": "text", "text": text}, "mentions": {}} for text in texts]
        gateway.call("POST", f"/v1/users/1/chats/group/{group}/messages", {"composedMessages": messages})


@pytest.fixture
def large(gateway):
    """A gateway with 1,000 chats. The two newest chats have 1,000 items."""
    for number in range(998):
        profile = {"displayName": f"group {number}", "fullName": ""}
        group = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": profile})["groupInfo"]["groupId"]
        if number >= 996:
            say_many(gateway, group, 1000)
    gateway.groups = [group - 1, group]
    return gateway


@pytest.mark.parametrize("slowed", [1, 4] if "WEB_CLIENT_TIMES" in os.environ else [4])
def test_times_of_actions_are_printed(visit, large, slowed):
    visitor = visit()
    page = visitor.page
    page.add_init_script(MEASURE)
    visitor.sign_in(place=f"#/1/direct/{large.bob}")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    tools = visitor.context.new_cdp_session(page)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    times = {}

    def note(name, times_of):
        times[name] = f"{statistics.median(times_of):.0f} ms (at most {max(times_of):.0f})"

    own = []
    for number in range(7):
        own.append(page.evaluate("text => timeToOwn(text)", f"own message {number}."))
        expect(page.locator("chat-item-view", has_text=f"own message {number}.")).to_be_visible()
    note("key press to own message", own)
    for rows, shown in ((1, "last message"), (15, "full window")):
        visitor.page.goto(f"{large.url}/app#/1")
        page.reload()
        page.wait_for_selector("chat-preview-view")
        page.wait_for_timeout(600)
        first, again = [], []
        for times_of in (first, again, again):
            for name, group in zip(("group 996", "group 997"), large.groups, strict=True):
                place = [name, f"{group} line 999,", rows]
                times_of.append(page.evaluate("place => timeToOpen(...place)", place))
                page.wait_for_timeout(600)
        note(f"chat of 1,000 items to its {shown}, first time", first)
        note(f"chat of 1,000 items to its {shown}, again", again)
    page.evaluate("window.latency = 200")
    far = []
    for name, group in [("group 996", large.groups[0]), ("group 997", large.groups[1])] * 2:
        far.append(page.evaluate("place => timeToOpen(...place)", [name, f"{group} line 999,", 15]))
        page.wait_for_timeout(1500)
    note("the same with requests that take 200 ms longer", far)
    page.evaluate("window.latency = 0")
    note("list of 1,000 chats, drawn from nothing", [page.evaluate(DRAW) for _ in range(5)])
    loads = []
    for _ in range(3):
        page.goto(f"{large.url}/app#/1")
        page.reload(wait_until="commit")
        loads.append(page.evaluate(LIST))
    note("list of 1,000 chats, from the begin of a reload", loads)
    print(f"\nA processor slowed {slowed} times:" if slowed > 1 else "\nThe whole processor:")
    for name, time in times.items():
        print(f"  {name}: {time}")
