"""Tests the page in Chromium: it shows new messages, even after a restart of the gateway that makes the page's cursor
and tickets invalid."""

import json
import pathlib
import subprocess
import sys
import tempfile
import threading

FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
import server
import support

# A script that sends the text of the page to the server of the test at each change.
WATCH = """
<script>
  const report = () => fetch("shown", { method: "POST", body: document.body.innerText })
  new MutationObserver(report).observe(document.getElementById("chats"), { childList: true })
  addEventListener("error", event => fetch("shown", { method: "POST", body: `error: ${event.message}` }))
</script>
"""


def watched(page):
    """The server of the example, with a page that reports what it shows."""
    shown, tickets = [], []

    class Watched(page.RequestHandlerClass):
        def answer(self, text, suffix):
            super().answer(text.replace('<script src="settings.js">', WATCH + '<script src="settings.js">'), suffix)

        def ticket(self, path):
            tickets.append(path)
            return super().ticket(path)

        def do_POST(self):
            if self.path != "/shown":
                return super().do_POST()
            shown.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.answer("", ".html")

    page.RequestHandlerClass = Watched
    threading.Thread(target=page.serve_forever, daemon=True).start()
    return shown, tickets


def main():
    port = support.free_port()
    with (
        support.Gateway("--allow-origin", f"http://127.0.0.1:{port}") as gateway,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        page = server.server(gateway.url, gateway.key, port)
        shown, tickets = watched(page)
        browser = subprocess.Popen(
            [
                *support.BOUND,
                support.CHROMIUM,
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                f"--user-data-dir={profile}",
                "--remote-debugging-port=0",
                f"http://127.0.0.1:{port}/",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            gateway.until(lambda: any("bob" in text for text in shown), "the page shows its chats")
            gateway.bob_says("before the restart")
            gateway.until(lambda: any("before the restart" in text for text in shown), "the page shows what comes")
            model = "/v1/users/1/model"
            assert tickets == [model, model + "/changes"], tickets
            gateway.stop()
            gateway.start()
            gateway.until(lambda: tickets.count(model) >= 2, "the page reads everything again, for its cursor is gone")
            gateway.bob_says("after the restart")
            gateway.until(
                lambda: any("after the restart" in text for text in shown), "the page goes on after a restart"
            )
            assert not [text for text in shown if text.startswith("error")], shown
        except BaseException:
            print(json.dumps({"shown": shown[-5:], "tickets": tickets}))
            raise
        finally:
            support.end(browser)
            page.shutdown()


main()
