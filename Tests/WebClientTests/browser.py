"""The gateway and the browsers for tests of the web client. A fault in a page fails the test."""

import contextlib
import os
import pathlib
import sys

from playwright.sync_api import expect, sync_playwright

FOLDER = pathlib.Path(__file__).parent
# A folder whose files replace the files of the program.
FILES = pathlib.Path(os.environ["WEB_CLIENT_FILES"]) if "WEB_CLIENT_FILES" in os.environ else None
sys.path.insert(0, str(FOLDER.parents[1] / "deploy/examples"))
import support

# Milliseconds after which an action or an expectation has failed. A machine that is busy with other work needs seconds
# for a step of a test.
LIMIT = 40_000
# Milliseconds within which a browser starts.
LAUNCH = 180_000
expect.set_options(timeout=LIMIT)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--allow-loopback-in-peer-connection",
    *(["--disable-features=LocalNetworkAccessChecks"] if FILES else []),
]


@contextlib.contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=support.CHROMIUM, args=ARGUMENTS, timeout=LAUNCH)
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """The browser of one person. Each fault in its page is in `faults`."""

    def __init__(self, browser, gateway, files=None, **options):
        self.gateway = gateway
        self.faults = []
        # Whether the test stops the gateway or causes refused requests, so that the browser's messages about them are
        # no faults.
        self.awaits_outage = False
        self.context = browser.new_context(
            locale="en-GB", viewport=options.pop("viewport", {"width": 1200, "height": 800}), **options
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(LIMIT)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("console", self.note)
        self.page.on("dialog", self.answer)
        if files:
            self.serve(files)

    def answer(self, dialog):
        # The browser asks whether the user wants to leave the page. This question is no fault.
        if dialog.type == "beforeunload":
            return dialog.accept()
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def note(self, message):
        text = f"{message.text} ({message.location.get('url', '')})"
        refused = any(
            words in text
            for words in (
                "ERR_",
                "status of 40",
                "status of 412",
                "status of 422",
                "status of 429",
                "status of 502",
                "status of 503",
                "HTTP Authentication failed",
            )
        )
        if message.type == "error" and not (self.awaits_outage and refused):
            self.faults.append(text)

    def serve(self, files):
        """Replaces the files of the program by the files of a folder, for the development of the page."""

        def answer(route):
            path = route.request.url.split("?")[0].split("/app", 1)[1].lstrip("/")
            if not path:
                headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy_of_source()}
                return route.fulfill(
                    body=(files / "index.html").read_text().replace("{files}", "app/0"), headers=headers
                )
            file = files / path.split("/", 1)[1]
            types = {
                ".js": "text/javascript",
                ".css": "text/css",
                ".svg": "image/svg+xml",
                ".png": "image/png",
                ".json": "application/json",
                ".webmanifest": "application/manifest+json",
            }
            route.fulfill(body=file.read_bytes(), headers={"Content-Type": types[file.suffix]})

        self.context.route(f"{self.gateway.url}/app", answer)
        self.context.route(f"{self.gateway.url}/app/**", answer)

    def open(self, place=""):
        self.page.goto(f"{self.gateway.url}/app{place}")

    def sign_in(self, key=None, place=""):
        self.open(place)
        self.page.get_by_label("Key").fill(key or self.gateway.key)
        self.page.get_by_role("button", name="Sign in").click()

    def write(self, text):
        box = self.page.get_by_role("textbox", name="Message")
        box.fill(text)
        box.press("Enter")

    def close(self):
        # A test may have closed the context already. Closing it a second time has no effect.
        self.context.close()
        assert not self.faults, self.faults


def policy_of_source():
    source = (support.ROOT / "Sources/Gateway/Operations/WebClientPage.swift").read_text()
    lines = source.split("static let contentPolicy =")[1].split("\n\n")[0]
    return "".join(line.strip().removeprefix("+ ").strip('"') for line in lines.strip().splitlines())


class NewGateway(support.Gateway):
    """A gateway at its first start, without profiles."""

    def __init__(self, *arguments):
        self.folder = pathlib.Path(support.tempfile.mkdtemp())
        self.arguments = [
            "--port",
            str(support.free_port()),
            "--relay-port",
            str(support.free_port()),
            "--no-file-relay",
            *arguments,
        ]
        self.start()
