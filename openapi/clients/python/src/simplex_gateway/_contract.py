"""Facts of the contract that its types do not show, in one place: versions and paths."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from ._generated import PATHS

API_VERSIONS = {"1"}


def path_of(operation: str, **values: Any) -> str:
    """Path of an operation, with its parameters filled in."""
    path = PATHS[operation][1]
    for name, value in values.items():
        path = path.replace("{" + name + "}", quote(str(value), safe=""))
    return path
