"""Takes pictures of the page in named states, and makes one sheet of all pictures, which developers look at."""

import base64

import pytest
from browser import LIMIT, expect, support
from groups import Group
from steps import PICTURES, picture, say

ICON = support.ROOT / "Sources/WebClient/client/icon.png"

# The looks in which the page is shown. Each look has options of the browser and a language.
LOOKS = {
    "light": ({}, "en"),
    "dark": ({"color_scheme": "dark"}, "en"),
    "narrow": ({"viewport": {"width": 360, "height": 700}}, "en"),
    "arabic": ({}, "ar"),
    "arabic-narrow": ({"viewport": {"width": 360, "height": 700}}, "ar"),
    # A zoom of 200 % in a window of 1200 by 800 pixels.
    "zoom": ({"viewport": {"width": 600, "height": 400}, "device_scale_factor": 2}, "en"),
}
# The states of each look. `Tour` has a function for each state.
STATES = {
    "light": "sign-in chats chat menu emojis tray group details members settings network database migration new-chat search"
    " selection unread busy",
    "dark": "sign-in chats chat menu details group settings new-chat busy",
    "narrow": "sign-in chats chat menu details settings network migration new-chat",
    "arabic": "chats chat menu details settings new-chat",
    "arabic-narrow": "chats chat settings",
    "zoom": "chats chat details settings network new-chat",
}
# The states before there are chats, and after something has failed.
FAILURES = ["refused-key", "first-start", "no-chats", "refused-message", "lost-gateway"]


@pytest.fixture
def team(gateway):
    """Makes chats with items of most kinds, a group with events, and a list with many chats."""
    bob, alice = f"direct/{gateway.bob}", f"direct/{gateway.alice}"
    text = lambda text: {"type": "text", "text": text}
    say(gateway, 2, alice, text("Shall we meet on Saturday? The weather will be *fine*."))
    say(gateway, 2, alice, text("https://example.org/a/long/path/to/something?with=a&query=string"), text("👍🏽"))
    say(gateway, 2, alice, text("שלום עולם, how are you?"), text("`a = 1`\nand a second line\n" + "long " * 60))
    received = lambda: str(gateway.call("GET", f"/v1/users/1/chats/{bob}")["chat"]["chatItems"])
    gateway.until(lambda: "long long" in received(), "the messages have arrived")
    say(gateway, 1, bob, text("Yes, at ten. I bring the tent, you bring the tea."), text("مرحبا، كيف حالك؟"))
    group = Group(gateway, "the team of the tent").add_bob()
    group.say(1, "Welcome, all of you")
    group.say(2, "Thanks!", query="")
    group.received(1, "Thanks!")
    for number in range(25):
        name = f"Project {number}" if number % 3 else f"A group whose name is too long for a line {number}"
        gateway.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": name, "fullName": ""}})
    return group


class Tour:
    """Brings the page of one look into each of its states, and takes the pictures."""

    def __init__(self, look, visitor, gateway, team):
        self.look, self.visitor, self.page, self.gateway, self.team = look, visitor, visitor.page, gateway, team

    def take(self, state):
        if state != "sign-in":
            close_all(self.page)
        getattr(self, state.replace("-", "_"))()
        self.page.wait_for_timeout(300)
        # No state is wider than its window.
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (self.look, state, wide)
        picture(self.visitor, f"look-{self.look}-{state}")
        if state == "emojis":
            self.page.get_by_role("dialog", name="Emojis").get_by_role("button", name="Close", exact=True).click()
        while self.page.locator(".tray button").count():
            self.page.locator(".tray button").first.click()

    def go(self, place):
        self.page.evaluate(f"location.hash = '#/1{place}'")

    def sign_in(self):
        self.visitor.open("#/1")
        self.page.locator("input").first.wait_for()

    def enter(self):
        self.visitor.open("#/1")
        self.page.locator("input").first.fill(self.gateway.key)
        self.page.keyboard.press("Enter")
        self.page.locator("chat-preview-view").first.wait_for()

    def chats(self):
        self.go("")
        self.page.locator("chat-preview-view").first.wait_for()

    def chat(self):
        self.go(f"/direct/{self.gateway.bob}")
        self.page.locator("chat-item-view.sent", has_text="مرحبا").wait_for()

    def menu(self):
        self.chat()
        row = self.page.locator("chat-item-view.sent").first
        row.hover()
        row.locator(".more").click()

    def emojis(self):
        self.chat()
        self.page.get_by_role("button", name="Emojis", exact=True).click()
        self.page.get_by_role("dialog", name="Emojis").wait_for()

    def tray(self):
        self.chat()
        self.page.locator("input[type=file]").first.set_input_files(
            [
                {"name": "sky.png", "mimeType": "image/png", "buffer": ICON.read_bytes()},
                {"name": "a paper with a long name that goes on.pdf", "mimeType": "", "buffer": b"%PDF"},
            ]
        )
        self.page.locator(".tray canvas").wait_for()

    def group(self):
        self.go(f"/{self.team.place(1)}")
        expect(self.page.locator("chat-view")).to_contain_text("Thanks!")

    def details(self):
        self.chat()
        self.page.locator("chat-view header button").last.click()
        self.page.locator(".panel").wait_for()

    def members(self):
        self.group()
        self.page.locator("chat-view header button").last.click()
        self.page.locator(".panel .members").first.scroll_into_view_if_needed()

    def settings(self):
        self.chats()
        self.page.locator(".who").first.click()
        self.page.locator("dialog.settings").wait_for()

    def settings_page(self, name):
        self.page.locator(".settings nav").get_by_role("button", name=name).click()
        place = self.page.locator(".settings .place")
        expect(place.get_by_role("heading", name=name)).to_be_visible()
        place.locator("section").nth(1).wait_for()

    def network(self):
        self.settings()
        self.settings_page("Network & servers")

    def database(self):
        self.settings()
        self.settings_page("Database passphrase & export")

    def migration(self):
        self.database()
        self.page.get_by_role("button", name="Migrate to another device", exact=True).click()
        self.page.get_by_role("dialog", name="Migrate to another device").locator("form").wait_for()

    def new_chat(self):
        self.chats()
        self.page.locator("nav header .round").click()
        self.page.locator("dialog .ways, dialog .body").first.wait_for()

    def search(self):
        self.chats()
        self.page.locator("chat-list-view input").fill("tent")
        self.page.locator(".hits").first.wait_for()

    def selection(self):
        self.page.locator("chat-list-view input").fill("")
        self.menu()
        self.page.get_by_role("menuitem", name="Select").click()

    def unread(self):
        self.page.reload()
        self.page.locator("chat-preview-view").first.wait_for()
        say(self.gateway, 2, self.team.place(2), {"type": "text", "text": "one more"})
        self.chats()
        expect(self.page.locator("chat-preview-view .badge").first).to_be_visible()

    def busy(self):
        self.group()
        texts = [{"type": "text", "text": f"Line {number}: {'a longer text ' * (number % 9)}"} for number in range(60)]
        say(self.gateway, 1, self.team.place(1), *texts)
        expect(self.page.locator("chat-view")).to_contain_text("Line 59")


def close_all(page):
    while page.locator("dialog:modal, .menu, .panel").count():
        page.keyboard.press("Escape")
        page.wait_for_timeout(50)


def sheet(browser, names, file):
    """Makes one picture with the pictures of all states and their names."""
    page = browser.new_page(viewport={"width": 1500, "height": 800})
    page.set_default_timeout(LIMIT)
    parts = []
    for name in names:
        # The pictures are in the page itself, since it may not read files.
        data = base64.b64encode((PICTURES / f"look-{name}.png").read_bytes()).decode()
        parts.append(f"<figure><img src='data:image/png;base64,{data}'><figcaption>{name}</figcaption></figure>")
    style = "body{display:grid;align-items:start;grid-template-columns:repeat(5,1fr);gap:8px;font:14px sans-serif}figure{margin:0}"
    style += "img{width:100%;max-height:400px;object-fit:contain}"
    page.set_content(f"<style>{style}</style>{''.join(parts)}")
    page.screenshot(path=PICTURES / file, full_page=True)
    page.close()


@pytest.mark.parametrize("look", LOOKS)
def test_each_state_of_a_look_fits_into_its_window(visit, gateway, chromium, team, look):
    options, language = LOOKS[look]
    visitor = visit(**options)
    visitor.context.add_init_script(f"localStorage.setItem('simplex-gateway.language', '{language}')")
    tour = Tour(look, visitor, gateway, team)
    tour.take("sign-in")
    tour.enter()
    for state in STATES[look].split():
        if state != "sign-in":
            tour.take(state)
    sheet(chromium, [f"{look}-{state}" for state in STATES[look].split()], f"sheet-{look}.png")


@pytest.mark.gateway(is_new=True)
def test_the_first_states_and_failures_fit_into_their_window(visit, gateway, chromium):
    visitor = visit()
    visitor.awaits_outage = True
    page = visitor.page

    def take(state):
        page.wait_for_timeout(300)
        picture(visitor, f"look-{state}")

    visitor.sign_in(key="wrong")
    expect(page.get_by_role("alert")).not_to_have_text("")
    take("refused-key")
    visitor.sign_in()
    page.get_by_label("Name").fill("O'Neil, Anna")
    take("first-start")
    page.get_by_label("Name").fill("anna")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("button", name="Profile anna")).to_be_visible()
    take("no-chats")
    page.get_by_role("link", name="Private notes").click()
    page.get_by_role("textbox", name="Message").wait_for()
    page.route("**/messages*", lambda route: route.fulfill(status=422, json={"code": "invalidValue"}))
    visitor.write("This message is refused.")
    expect(page.locator("queued-item-view")).to_be_visible()
    take("refused-message")
    page.unroute("**/messages*")
    gateway.process.kill()
    gateway.process.wait()
    visitor.write("This message waits for the gateway.")
    expect(page.locator("queued-item-view")).to_have_count(2)
    page.wait_for_timeout(2000)
    take("lost-gateway")
    sheet(chromium, FAILURES, "sheet-failures.png")
