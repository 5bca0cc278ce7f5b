"""Tests the script of channels: Bob reads the post of the channel."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import support

with support.Gateway() as gateway:
    gateway.run(FOLDER / "make-channel", 1, 2)
    chats = gateway.call("GET", "/v1/users/2/chats")["chats"]
    channel = next(chat["chatInfo"]["groupInfo"]["groupId"] for chat in chats if "groupInfo" in chat["chatInfo"])
    gateway.until(lambda: "good morning" in gateway.texts(2, f"group/{channel}"), "bob reads the message")
