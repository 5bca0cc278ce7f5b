"""Facts of the contract that its types do not show, in one place: versions, paths, names of waits and of pages."""

from __future__ import annotations

import inspect
from typing import Any
from urllib.parse import quote

from ._generated import PATHS, Operations

API_VERSIONS = {"1"}


def _has(operation: str, parameter: str) -> bool:
    return parameter in inspect.signature(getattr(Operations, operation)).parameters


# Seconds that a long poll waits: the name differs between versions of the contract.
SECONDS = "wait" if _has("list_events", "wait") else "timeout"
# Entries of a page.
COUNT = "limit"


def path_of(operation: str, **values: Any) -> str:
    """Path of an operation, with its parameters filled in."""
    path = PATHS[operation][1]
    for name, value in values.items():
        path = path.replace("{" + name + "}", quote(str(value), safe=""))
    return path
