"""Errors of the gateway. Each class is for errors that a program handles in the same way."""

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


# The error classes by the code of a problem, or by the status of an answer.
BY_ANSWER: dict[int | str, type[GatewayError]] = {}


class GatewayError(Exception):
    """An error of the gateway or of the network. `code` is the code of the problem. The log has the error under
    `request_id`."""

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
    """No answer has arrived, because the gateway does not run or the network has failed."""


class CertificateRefused(ConnectionFailed):
    """The certificate of the gateway is not for its address, or no known authority has signed it."""


class WrongVersion(GatewayError, answers=("unknownRoute",)):
    """The gateway speaks another version of the API than this package."""


class InvalidRequest(GatewayError):
    """The request is not valid. A repetition gets the same answer."""


class Unauthorized(GatewayError, answers=(401,)):
    """The key is wrong, revoked or expired."""


class Forbidden(GatewayError, answers=(403,)):
    """The key does not allow this request."""


class NotFound(GatewayError, answers=(404,)):
    """The requested object does not exist."""


class Conflict(GatewayError, answers=(409, 412)):
    """The request is not possible in the present state, or another client has changed the resource."""


class AlreadyDone(Conflict, answers=("idempotencyKeyReused",)):
    """A request with the same idempotency key and other contents was executed before. This request was not executed."""


class CursorExpired(GatewayError, answers=(410,)):
    """The gateway no longer has the events after the cursor. `oldest` is the oldest valid cursor."""

    @property
    def oldest(self) -> str:
        return str(self.problem.get("oldest", ""))


class RateLimited(GatewayError, answers=(429,)):
    """The client has sent too many requests, and may send the next one after `retry_after` seconds."""


class Unavailable(GatewayError, answers=(503,)):
    """The gateway is busy, full, starting or stopping."""


class StoreLocked(Unavailable, answers=("storeLocked",)):
    """The store is locked. It must be unlocked before the request is repeated."""


class RelayFailed(GatewayError, answers=(502, 504)):
    """A relay or another device cannot be reached, or does not answer in time."""


class StorageFull(GatewayError, answers=(507,)):
    """The disk is full, or a limit of the store is reached."""


class ChatError(GatewayError, answers=("chatError",)):
    """The core refuses the command. `chat_error` is the error of the core."""

    @property
    def chat_error(self) -> dict[str, Any]:
        return cast(dict[str, Any], self.problem.get("chatError", {}))


class SendFailed(GatewayError):
    """A message was not sent. Its status shows the error."""


class TimedOut(GatewayError):
    """An awaited event did not occur in time."""


class GatewayFault(GatewayError):
    """An error inside the gateway, or inside a proxy in front of it."""


def error_of(status: int, problem: Any, headers: Any) -> GatewayError:
    """Return the error for an answer. An answer without a problem document comes from a proxy."""
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
