#!/usr/bin/env python3
"""Receives the events that the gateway posts. Prints one line for each genuine event, and ignores repetitions.

WEBHOOK_SECRET=whsec_… python3 receiver.py [PORT]
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# All attempts to send an event have the same id. A real receiver stores the ids together with its results.
seen = set()


def is_genuine(headers, body):
    event, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not moment.isdigit() or abs(time.time() - int(moment)) > 300:
        return False
    expected = "v1," + base64.b64encode(hmac.digest(KEY, f"{event}.{moment}.".encode() + body, hashlib.sha256)).decode()
    return any(hmac.compare_digest(expected, given) for given in headers.get("webhook-signature", "").split())


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine and self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            entry = json.loads(body)
            print(entry.get("id", "-"), entry.get("userId", "-"), entry["event"]["type"], flush=True)
        # After any status other than 2xx, the gateway sends the event again.
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
