"""The server of the page. It has the key of the gateway, and gives tickets to the page.

    simplex-gateway serve --allow-origin http://127.0.0.1:8000
    python3 deploy/examples/page/server.py http://127.0.0.1:5225 "$HOME/.local/share/simplex-gateway/admin.key" 8000

It serves everybody who can reach it on this machine. A real server would first check who the visitor is.
"""

import http.server
import json
import pathlib
import sys
import urllib.parse
import urllib.request

FOLDER = pathlib.Path(__file__).parent
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


def server(gateway, key, port, user=1):
    model = f"/v1/users/{user}/model"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = urllib.parse.urlsplit(self.path).path.lstrip("/") or "index.html"
            if path == "settings.js":
                return self.answer(f"const gateway = {json.dumps(gateway)}, model = {json.dumps(model)}", ".js")
            if path not in ("index.html", "follow.js"):
                return self.send_error(404)
            file = FOLDER / path
            self.answer(file.read_text(), file.suffix)

        def do_POST(self):
            url = urllib.parse.urlsplit(self.path)
            path = urllib.parse.parse_qs(url.query).get("path", [""])[0]
            # Only this page gets a ticket, and only for the two paths that it reads.
            if url.path != "/ticket" or self.headers["Origin"] != f"http://127.0.0.1:{self.server.server_port}":
                return self.send_error(403)
            if path not in (model, model + "/changes"):
                return self.send_error(403)
            self.answer(self.ticket(path), ".html")

        def ticket(self, path):
            request = urllib.request.Request(
                gateway + "/v1/events/tickets",
                data=json.dumps({"path": path}).encode(),
                headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["ticket"]

        def answer(self, text, suffix):
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", TYPES[suffix])
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    return http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    gateway, key_file, port = sys.argv[1:4]
    server(gateway, pathlib.Path(key_file).read_text().strip(), int(port)).serve_forever()
