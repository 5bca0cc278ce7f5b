"""Makes data for tests of the contract: two profiles that are contacts and members of a group, messages, a note, a tag,
an address and an invitation."""

import json
import sys
import urllib.request

base, key = sys.argv[1:3]


def call(method, path, body=None):
    request = urllib.request.Request(
        base + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def text(words):
    return {"composedMessages": [{"msgContent": {"type": "text", "text": words}, "mentions": {}}]}


def await_events(kind, count):
    cursor, seen = "", 0
    while seen < count:
        page = call("GET", "/v1/events?timeout=20" + cursor)
        cursor = "&cursor=" + page["cursor"]
        seen += sum(entry["event"]["type"] == kind for entry in page["events"])


for name in ("alice", "bob"):
    call("POST", "/v1/users", {"profile": {"displayName": name, "fullName": ""}})
link = call("POST", "/v1/users/1/connections/invitations", {})["connLinkInvitation"]["connFullLink"]
call("POST", "/v1/users/2/connections", {"connLink": link})
await_events("contactConnected", 2)
contact = call("GET", "/v1/users/1/contacts")["contacts"][0]["contactId"]
for number in range(5):
    call("POST", f"/v1/users/1/chats/direct/{contact}/messages", text(f"message {number}"))
call("POST", "/v1/users/1/chats/local/1/messages", text("a note"))
group = call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})["groupInfo"][
    "groupId"
]
call("POST", f"/v1/users/1/groups/{group}/members", {"contactId": contact, "memberRole": "admin"})
await_events("receivedGroupInvitation", 1)
joined = call("GET", "/v1/users/2/groups")["groups"][0]["groupId"]
call("POST", f"/v1/users/2/groups/{joined}/join")
await_events("joinedGroupMember", 1)
call("POST", f"/v1/users/1/chats/group/{group}/messages", text("hello team"))
call("POST", "/v1/users/1/tags", {"text": "Family", "emoji": "🏠"})
call("POST", "/v1/users/1/connections/invitations", {})
call("POST", "/v1/users/1/address")
