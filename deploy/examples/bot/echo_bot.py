#!/usr/bin/env python3
"""Answers each text message of each contact with the same text, exactly once, even if the bot or the gateway ends
meanwhile.

    SXGW_KEY=... deploy/examples/bot/echo_bot.py cursor.txt

The bot follows the events as lines of JSON, from the cursor in its file on. It saves the cursor after it has handled an
event. If the bot ends before that, it gets the event again, and repeats its answer with the same Idempotency-Key, so
that the gateway sends the answer only once.

SXGW_URL: the gateway (default http://127.0.0.1:5225). SXGW_KEY: a key with the scopes read, write and events. Python
3.9, no packages.
"""

import http.client
import json
import os
import sys
import time
import urllib.parse

URL = urllib.parse.urlsplit(os.environ.get("SXGW_URL", "http://127.0.0.1:5225"))
KEY = os.environ["SXGW_KEY"]
CURSOR_FILE = sys.argv[1]


def connect():
    kind = http.client.HTTPSConnection if URL.scheme == "https" else http.client.HTTPConnection
    return kind(URL.hostname, URL.port, timeout=60)


def request(connection, method, path, body=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Authorization": "Bearer " + KEY, **headers})
    return connection.getresponse()


def load_cursor():
    """Returns the cursor of the last handled event; at the first start, the cursor of the end of the journal."""
    try:
        with open(CURSOR_FILE) as file:
            return file.read().strip()
    except FileNotFoundError:
        answer = request(connect(), "GET", "/v1/events?cursor=now")
        if answer.status != 200:
            raise OSError(f"{answer.status} {answer.read().decode()}") from None
        save_cursor(json.load(answer)["cursor"])
        return load_cursor()


def save_cursor(cursor):
    with open(CURSOR_FILE + ".new", "w") as file:
        file.write(cursor)
        file.flush()
        os.fsync(file.fileno())
    os.replace(CURSOR_FILE + ".new", CURSOR_FILE)


def reply(user, contact, text, event_id):
    """Sends an answer, and repeats the request until the gateway has accepted it. A refusal with a status 4xx would be
    the same again, so it ends the attempts, except 429 and the code `requestInProgress`."""
    path = f"/v1/users/{user}/chats/direct/{contact}/messages?fields=ids"
    while True:
        try:
            connection = connect()
            answer = request(
                connection,
                "POST",
                path,
                text.encode(),
                Content_Type="text/plain; charset=utf-8",
                Idempotency_Key="echo-" + event_id,
            )
            said = answer.read().decode()
            if answer.status < 400:
                return
            print(f"{path}: {answer.status} {said}", file=sys.stderr, flush=True)
            if answer.status < 500 and answer.status != 429 and '"requestInProgress"' not in said:
                return
        except (OSError, http.client.HTTPException) as error:
            print(f"{path}: {error!r}", file=sys.stderr, flush=True)
        time.sleep(1)


def handle(entry):
    event = entry["event"]
    if event["type"] != "newChatItems":
        return
    for number, item in enumerate(event["chatItems"]):
        chat, content = item["chatInfo"], item["chatItem"]["content"]
        if chat["type"] == "direct" and content["type"] == "rcvMsgContent":
            reply(
                entry["userId"], chat["contact"]["contactId"], content["msgContent"]["text"], f"{entry['id']}-{number}"
            )


def follow():
    """Handles events until the connection ends."""
    path = "/v1/events?types=newChatItems&cursor=" + load_cursor()
    answer = request(connect(), "GET", path, Accept="application/x-ndjson")
    if answer.status == 410:
        # Status 410 means that the bot was away for longer than the gateway keeps events.
        print("some events are lost", file=sys.stderr, flush=True)
        save_cursor(json.load(answer)["oldest"])
        return
    if answer.status != 200:
        raise OSError(f"{path}: {answer.status} {answer.read().decode()}")
    print("Following.", flush=True)
    for line in answer:
        # An empty line only shows that the connection is alive.
        if line.strip():
            entry = json.loads(line)
            handle(entry)
            if "id" in entry:
                save_cursor(entry["id"])


while True:
    try:
        follow()
    except (OSError, http.client.HTTPException) as error:
        print(repr(error), file=sys.stderr, flush=True)
    time.sleep(1)
