"""Versions and paths of the contract, which the generated types do not contain."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from ._generated import PATHS

API_VERSIONS = {"1"}


def path_of(operation: str, **values: Any) -> str:
    """Return the path of an operation, with the values of its parameters."""
    path = PATHS[operation][1]
    for name, value in values.items():
        path = path.replace("{" + name + "}", quote(str(value), safe=""))
    return path
