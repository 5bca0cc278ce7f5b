"""Tests the script of archives: the other gateway gets the profiles and messages, and a wrong passphrase is an
error."""

import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import support

with support.Gateway() as old, support.Gateway() as new, tempfile.TemporaryDirectory() as folder:
    old.bob_says("I move")
    archive, passphrase, wrong = (pathlib.Path(folder, name) for name in ("moving.zip", "passphrase", "wrong"))
    passphrase.write_text('for the "way"\n')
    wrong.write_text("another one\n")
    old.run(FOLDER / "move-profiles", "export", archive, passphrase)
    try:
        new.run(FOLDER / "move-profiles", "import", archive, wrong)
        raise AssertionError("The import has another passphrase, and succeeds.")
    except subprocess.CalledProcessError:
        assert "I move" not in new.texts(2, f"direct/{new.alice}")
    new.run(FOLDER / "move-profiles", "import", archive, passphrase)
    assert "I move" in new.texts(2, f"direct/{old.alice}")
    assert [user["user"]["localDisplayName"] for user in new.call("GET", "/v1/users")["users"]] == ["alice", "bob"]
    assert not new.call("GET", "/v1/database/archives")["archives"]
