"""Tests the script of groups: Bob reads in the group the message that Alice has written there."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import support

with support.Gateway() as gateway:
    output = gateway.run(FOLDER / "make-group", 1, 2, gateway.bob)
    assert output.splitlines()[0] == "sentGroupInvitation", output
    chats = gateway.call("GET", "/v1/users/2/chats")["chats"]
    group = next(chat["chatInfo"]["groupInfo"]["groupId"] for chat in chats if "groupInfo" in chat["chatInfo"])
    gateway.until(lambda: "hello, team" in gateway.texts(2, f"group/{group}"), "bob reads the message")
