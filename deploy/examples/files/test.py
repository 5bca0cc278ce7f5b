"""Tests the script of files: the received file has the bytes of the sent file."""

import os
import pathlib
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import support

with support.Gateway() as gateway, tempfile.TemporaryDirectory() as folder:
    sent, received = pathlib.Path(folder, "a photo & more.jpg"), pathlib.Path(folder, "received")
    sent.write_bytes(os.urandom(300_000))
    gateway.run(FOLDER / "send-file", 1, 2, gateway.bob, sent, received)
    assert received.read_bytes() == sent.read_bytes()
