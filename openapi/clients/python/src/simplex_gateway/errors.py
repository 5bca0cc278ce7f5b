"""Errors of the gateway, one class for each thing that a program can do about them."""

from __future__ import annotations

from typing import Any, cast

__all__ = ["AlreadyDone", "CertificateRefused", "ChatError", "Conflict", "ConnectionFailed", "CursorExpired"]
__all__ += ["Forbidden", "GatewayError", "GatewayFault", "InvalidRequest", "NotFound", "RateLimited"]
__all__ += ["RelayFailed", "SendFailed", "StorageFull", "StoreLocked", "TimedOut", "Unauthorized"]
__all__ += ["Unavailable", "WrongVersion"]

HINTS = {
    "unauthorized": "Give a valid key: `simplex-gateway key add NAME` makes one.",
    "forbidden": "The key lacks a scope, or is bound to another profile or chat.",
    "unknownRoute": "The gateway has another version than this package: install the package of its version.",
    "unknownParameter": "The gateway may have another version than this package: install the package of its version.",
    "unknownMember": "The gateway may have another version than this package: install the package of its version.",
    "storeLocked": "Unlock the store with its password, then repeat.",
    "wrongHost": "Start the gateway with --allow-host.",
    "idempotencyKeyReused": "The effect with this key was done before with other contents, and is not repeated.",
    "storageFull": "Make room on the disk of the gateway.",
    "quotaExceeded": "Delete some of the resource, or raise the limit of the store.",
    "relayUnreachable": "The relay or the other device cannot be reached: repeat later.",
    "relayTimeout": "The relay or the other device does not answer: repeat later.",
    "internalError": "Report this error of the gateway with its request id.",
}


# Classes by the code of a problem, or by the status of an answer.
BY_ANSWER: dict[int | str, type[GatewayError]] = {}


class GatewayError(Exception):
    """An error of the gateway or of the way to it. `code` is the problem's code, `request_id` finds it in the log."""

    def __init_subclass__(cls, answers: tuple[int | str, ...] = ()) -> None:
        BY_ANSWER.update(dict.fromkeys(answers, cls))

    def __init__(
        self,
        detail: str,
        *,
        code: str = "",
        status: int = 0,
        request_id: str = "",
        retry_after: float | None = None,
        problem: dict[str, Any] | None = None,
    ) -> None:
        self.detail, self.code, self.status = detail, code, status
        self.request_id, self.retry_after, self.problem = request_id, retry_after, problem or {}
        parts = [f"{status} {code}:" if status else "", detail, HINTS.get(code, "")]
        parts.append(f"[request {request_id}]" if request_id else "")
        super().__init__(" ".join(part for part in parts if part))


class ConnectionFailed(GatewayError):
    """No answer came: the gateway is down, or the line is."""


class CertificateRefused(ConnectionFailed):
    """The certificate of the gateway does not fit its address, or no known authority has signed it."""


class WrongVersion(GatewayError, answers=("unknownRoute",)):
    """The gateway speaks another version of the API than this package."""


class InvalidRequest(GatewayError):
    """The gateway refuses the request as it is: a repetition gets the same answer."""


class Unauthorized(GatewayError, answers=(401,)):
    """The key is wrong, revoked or expired."""


class Forbidden(GatewayError, answers=(403,)):
    """The key does not allow this."""


class NotFound(GatewayError, answers=(404,)):
    """The named thing does not exist."""


class Conflict(GatewayError, answers=(409, 412)):
    """Not possible in the present state, or another client was faster."""


class AlreadyDone(Conflict, answers=("idempotencyKeyReused",)):
    """An effect with the same key was done before, with other contents. It is not repeated."""


class CursorExpired(GatewayError, answers=(410,)):
    """Events after the cursor are no longer kept. `oldest` is the oldest cursor that is."""

    @property
    def oldest(self) -> str:
        return str(self.problem.get("oldest", ""))


class RateLimited(GatewayError, answers=(429,)):
    """Too many requests: wait for `retry_after` seconds."""


class Unavailable(GatewayError, answers=(503,)):
    """The gateway is busy, full, starting or stopping."""


class StoreLocked(Unavailable, answers=("storeLocked",)):
    """The store is locked: unlock it first."""


class RelayFailed(GatewayError, answers=(502, 504)):
    """A relay or another device cannot be reached, or does not answer in time."""


class StorageFull(GatewayError, answers=(507,)):
    """The disk or a limit of the store is reached."""


class ChatError(GatewayError, answers=("chatError",)):
    """The core refuses the command. `chat_error` is its own error."""

    @property
    def chat_error(self) -> dict[str, Any]:
        return cast(dict[str, Any], self.problem.get("chatError", {}))


class SendFailed(GatewayError):
    """A message was not sent: its status is an error."""


class TimedOut(GatewayError):
    """An awaited event did not come in time."""


class GatewayFault(GatewayError):
    """An error inside the gateway, or in a proxy before it."""


def error_of(status: int, problem: Any, headers: Any) -> GatewayError:
    """The error for an answer. An answer without a problem document comes from a proxy."""
    problem = problem if isinstance(problem, dict) else {}
    code = str(problem.get("code", ""))
    kind = BY_ANSWER.get(code) or BY_ANSWER.get(status) or (InvalidRequest if status < 500 else GatewayFault)
    if not code and status >= 500:
        kind = Unavailable
    seconds = headers.get("retry-after", "")
    return kind(
        str(problem.get("detail") or problem.get("title") or "The answer has no description."),
        code=code,
        status=status,
        request_id=str(problem.get("requestId") or headers.get("x-request-id", "")),
        retry_after=float(seconds) if seconds.replace(".", "", 1).isdecimal() else None,
        problem=problem,
    )
