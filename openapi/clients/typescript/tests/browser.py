"""Tests of the package in Chromium, on a page of another origin: with a key, and only with tickets."""

import http.server
import os
import pathlib
import sys
import tempfile
import threading

from playwright.sync_api import sync_playwright

FOLDER = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parents[2] / "deploy/examples"))
import support

# Milliseconds within which the browser starts, and opens the page.
LIMIT = 180_000


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves the files of the package unchanged."""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=FOLDER)

    def log_message(self, *_):
        pass


WITH_KEY = """async ([url, key]) => {
  const { Gateway, sharedLine, usualLine, socketLine } = await import("/src/index.js")
  const gateway = new Gateway(url, { key })
  const alice = await gateway.user("alice"), contact = await alice.contact("bob"), bob = await gateway.user("bob")
  let sockets = 0
  globalThis.WebSocket = class extends WebSocket { constructor(address) { super(address); sockets++ } }
  const line = sharedLine(), states = alice.model({ line }), ofBob = bob.model({ line })
  await Promise.all([states.next(), ofBob.next()])
  const sent = await contact.send("from a page", { file: new Blob(["abc"]), name: "abc.txt", wait: "delivered" })
  const texts = []
  while (texts.at(-1) != "from a page") texts.push((await states.next()).value.chats[0].chatItems[0].meta.itemText)
  while ((await ofBob.next()).value.chats[0].chatItems[0]?.meta.itemText != "from a page") {}
  await Promise.all([states.return(), ofBob.return()])
  return [usualLine == socketLine, sockets, sent.status, await (await sent.file.read()).text()]
}"""

WITH_TICKETS = """async ([url, userId]) => {
  const { Gateway, GatewayError } = await import("/src/index.js")
  const ticket = path => window.ticket(path).catch(() => "none")
  const gateway = new Gateway(url, { ticket })
  const found = gateway.events({ cursor: "now", query: { types: "newChatItems", users: userId } })
  const next = found.next()
  // A message that arrives before the stream begins is not in it, so the message is repeated.
  let value
  for (let number = 0; !value && number < 360; number++) {
    await window.say("to the page")
    value = await Promise.race([next.then(one => one.value), new Promise(later => setTimeout(later, 500))])
  }
  const code = await gateway.call("listUsers").catch(error => error instanceof GatewayError && error.code)
  return [value.event.chatItems[0].chatItem.meta.itemText, code]
}"""


def main():
    support.PROGRAM = pathlib.Path(os.environ["GATEWAY_PROGRAM"])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server, tempfile.TemporaryDirectory() as home:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        with support.Gateway("--allow-origin", origin) as gateway, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=support.CHROMIUM, args=["--no-sandbox"], env={"HOME": home}, timeout=LIMIT
            )
            page = browser.new_page()
            page.set_default_timeout(LIMIT)
            faults = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.expose_function(
                "ticket", lambda path: gateway.call("POST", "/v1/events/tickets", {"path": path})["ticket"]
            )
            page.expose_function("say", lambda text: gateway.bob_says(text) and None)
            page.goto(f"{origin}/README.md")
            found = page.evaluate(WITH_KEY, [gateway.url, gateway.key])
            assert found == [True, 1, "sndRcvd", "abc"], found
            found = page.evaluate(WITH_TICKETS, [gateway.url, 1])
            assert found == ["to the page", "unauthorized"], found
            assert not faults, faults
            browser.close()
        server.shutdown()
    print("2 passed, 0 failed")


if __name__ == "__main__":
    main()
