"""Tests the script of states: it prints the open chat, and then a patch for a new message."""

import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import support

with support.Gateway() as gateway:
    environment = {"PATH": os.environ["PATH"], "SXGW_URL": gateway.url, "SXGW_KEY": gateway.key}
    script = subprocess.Popen(
        [*support.BOUND, FOLDER / "follow-chat", "1", str(gateway.bob)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert json.loads(script.stdout.readline())["id"]
        gateway.bob_says("news for the open chat")
        assert any("news for the open chat" in line for line in script.stdout)
    finally:
        support.end(script)
