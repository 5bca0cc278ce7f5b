"""The state of a bot, in a file that survives crashes."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import uuid
from typing import Any

# The time in seconds within which an event can be repeated: longer than the day for which the gateway keeps idempotency
# keys.
REPEATS = 2 * 86_400
MAX_VALUE = 65_536
FORMAT = 1
TABLES = """
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS handled (event TEXT PRIMARY KEY, time REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS state_by_expiry ON state (expires) WHERE expires IS NOT NULL;
CREATE INDEX IF NOT EXISTS handled_by_time ON handled (time);
"""
Changes = dict[str, tuple[Any, float | None]]


class Store:
    """The state of a bot: JSON values in an SQLite file. The changes of one event are saved together, and only once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        try:
            self._file = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=1)
            for name, value in {"locking_mode": "EXCLUSIVE", "journal_mode": "WAL", "synchronous": "FULL"}.items():
                self._file.execute(f"PRAGMA {name} = {value}")
            found = self._file.execute("PRAGMA user_version").fetchone()[0]
            if found > FORMAT:
                raise RuntimeError(f"{self.path} is of a later version of this package: install that one.")
            self._file.executescript(f"BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {FORMAT}; COMMIT")
        except sqlite3.OperationalError as error:
            raise RuntimeError(f"{self.path} cannot be opened, or another program uses it: {error}") from error
        except sqlite3.DatabaseError as error:
            raise RuntimeError(f"{self.path} is not the state of a bot: move it away to begin again.") from error
        # The secret makes random numbers that are the same for a repeated event, and that nobody else can predict.
        if self.get("secret") is None:
            self.set("secret", str(uuid.uuid4()))

    def get(self, key: str, default: Any = None, *, now: float | None = None) -> Any:
        """Return the value of a key; the default if the value is missing or has expired."""
        query = "SELECT value FROM state WHERE key = ? AND (expires IS NULL OR expires > ?)"
        row = self._file.execute(query, (key, time.time() if now is None else now)).fetchone()
        return json.loads(row[0]) if row else default

    def keys(self, prefix: str) -> list[str]:
        """Return the keys that begin with a text, in their order."""
        query = "SELECT key FROM state WHERE key >= ? AND substr(key, 1, ?) = ? ORDER BY key"
        return [key for (key,) in self._file.execute(query, (prefix, len(prefix), prefix))]

    def set(self, key: str, value: Any, *, seconds: float | None = None) -> None:
        """Save a value, for some seconds or for ever; None deletes it."""
        self.save({key: (value, None if seconds is None else time.time() + seconds)})

    def is_handled(self, event: str) -> bool:
        return bool(self._file.execute("SELECT 1 FROM handled WHERE event = ?", (event,)).fetchone())

    def save(self, changes: Changes, event: str | None = None) -> None:
        """Save the changes together with the name of their event. A crash leaves all of them or none."""
        rows = [(key, json.dumps(value), expires) for key, (value, expires) in changes.items() if value is not None]
        for key, text, _ in rows:
            if len(text) > MAX_VALUE:
                raise ValueError(f"The value of {key} has more than {MAX_VALUE} characters.")
        now = time.time()
        self._file.execute("BEGIN IMMEDIATE")
        try:
            deleted = [(key,) for key, (value, _) in changes.items() if value is None]
            self._file.executemany("DELETE FROM state WHERE key = ?", deleted)
            self._file.executemany("INSERT OR REPLACE INTO state VALUES (?, ?, ?)", rows)
            if event is not None:
                self._file.execute("INSERT OR REPLACE INTO handled VALUES (?, ?)", (event, now))
            self._file.execute("DELETE FROM handled WHERE time < ?", (now - REPEATS,))
            self._file.execute("DELETE FROM state WHERE expires < ?", (now - REPEATS,))
            self._file.execute("COMMIT")
        except BaseException:
            self._file.execute("ROLLBACK")
            raise

    def close(self) -> None:
        self._file.close()
