"""Readers of events: the receiver of webhooks, and a client of the journal."""

import collections
import http.server
import json
import threading
import time
import traceback

from .programs import Unanswered, free_port

CALL_EVENTS = {"callInvitation", "callOffer", "callAnswer", "callEnded"}


def texts_of(entry):
    """Returns the texts that an event of the journal reports as received."""
    if entry["event"]["type"] != "newChatItems":
        return []
    return [
        item["chatItem"]["meta"]["itemText"]
        for item in entry["event"]["chatItems"]
        if item["chatItem"]["chatDir"]["type"].endswith("Rcv")
        and item["chatItem"]["content"]["type"] == "rcvMsgContent"
    ]


class Hooks:
    """Receives webhooks, and refuses some."""

    def __init__(self, chance, port=None):
        """`chance` is a separate generator of random numbers, because requests come in any order on their own
        threads."""
        self.ids, self.texts, self.port = set(), set(), port or free_port()
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                entry = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                refused = chance.random() < 0.05
                if not refused:
                    hooks.ids.add(self.headers["webhook-id"])
                    hooks.texts |= {(entry.get("userId"), text) for text in texts_of(entry)}
                self.send_response(503 if refused else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


class Follower:
    """Follows the journal of a gateway by its cursor, across kills: each event must come exactly once."""

    def __init__(self, gateway, kept=None):
        """`kept` contains the data and the cursor of an earlier reader."""
        self.gateway, self.over = gateway, threading.Event()
        self.ids, self.repeated, self.gaps = set(), [], []
        # For each profile: how often events contained each text, and how many events of each kind contained the mark of
        # a call (its `rtcSession`, see calls.py).
        self.texts, self.marks = collections.Counter(), collections.Counter()
        if kept:
            vars(self).update(kept)
        else:
            self.cursor = gateway.call("GET", "/v1/events?cursor=now&timeout=0")["cursor"]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            self.follow()
        except Exception:
            self.gaps.append(traceback.format_exc())

    def follow(self):
        types = ",".join(sorted(CALL_EVENTS | {"newChatItems"}))
        while not self.over.is_set():
            try:
                page = self.gateway.call("GET", f"/v1/events?cursor={self.cursor}&timeout=20&limit=500&types={types}")
            except Unanswered:
                time.sleep(0.5)
                continue
            except RuntimeError as error:
                self.gaps.append(str(error))
                return
            for entry in page["events"]:
                self.take(entry)
            self.cursor = page["cursor"]

    def take(self, entry):
        if entry["id"] in self.ids:
            self.repeated.append(entry["id"])
        self.ids.add(entry["id"])
        for text in texts_of(entry):
            self.texts[entry["userId"], text] += 1
        event = entry["event"]
        kind = event["type"]
        if kind in ("callOffer", "callAnswer"):
            told = event["offer" if kind == "callOffer" else "answer"]
            self.marks[entry["userId"], kind, told["rtcSession"]] += 1
