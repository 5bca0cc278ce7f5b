"""Tests the notifier: it finds its contact by name, reports the state of the delivery, and fails if it cannot send."""

import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import support

# The longest wait for a delivery that the gateway allows.
SECONDS = "60"


def notify(gateway, *arguments, text=None, key=None):
    environment = {"PATH": os.environ["PATH"], "SXGW_URL": gateway.url, "SXGW_KEY": key or gateway.key}
    environment["SXGW_SECONDS"] = SECONDS
    return subprocess.run(
        [FOLDER / "notify", *arguments],
        input=text,
        env=environment,
        capture_output=True,
        text=True,
        timeout=support.SECONDS,
        check=False,
    )


def last(gateway):
    chat = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}")["chat"]
    return chat["chatItems"][-1]["content"]["msgContent"]["text"]


with support.Gateway() as gateway:
    for text in ('The backup "is" done:\n100 %', "ünïcödé \\n $HOME `id`", "-d @/etc/passwd"):
        ending = notify(gateway, "bob", text)
        assert ending.returncode == 0 and ending.stdout == "delivered\n", ending
        assert last(gateway) == text
    ending = notify(gateway, "bob", text="from a pipe\n")
    assert ending.returncode == 0 and ending.stdout == "delivered\n" and last(gateway) == "from a pipe", ending
    ending = notify(gateway, 'nobody&x="1"', "hello")
    assert ending.returncode == 1 and "there is no contact" in ending.stderr, ending
    # Two contacts have the same name here: the alias of one is the name of the other.
    begin = gateway.call("GET", "/v1/events?cursor=now")["cursor"]
    gateway.call("POST", "/v1/users", {"profile": {"displayName": "carol", "fullName": ""}})
    link = gateway.call("POST", "/v1/users/1/connections/invitations", {})["connLinkInvitation"]["connFullLink"]
    gateway.call("POST", "/v1/users/3/connections", {"connLink": link})
    page = gateway.until(
        lambda: gateway.call("GET", f"/v1/events?cursor={begin}&types=contactConnected&users=1&timeout=20")["events"],
        "carol is connected",
    )
    carol = page[0]["event"]["contact"]["contactId"]
    gateway.call("PATCH", f"/v1/users/1/contacts/{carol}", {"alias": "bob"})
    ending = notify(gateway, "bob", "hello")
    assert ending.returncode == 1 and "more than one" in ending.stderr and last(gateway) == "from a pipe", ending
    gateway.call("PATCH", f"/v1/users/1/contacts/{carol}", {"alias": ""})
    ending = notify(gateway, "bob", "hello", key="sxgw_wrong")
    assert ending.returncode == 1 and "sent" not in ending.stdout and last(gateway) == "from a pipe", ending
    assert gateway.key not in subprocess.run(["ps", "axww"], capture_output=True, text=True, check=False).stdout
