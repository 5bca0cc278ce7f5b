"""Client of simplex-gateway, the HTTP server for SimpleX Chat."""

from ._events import Event, FileCursor
from ._generated import VERSION as __version__
from ._http import once
from ._objects import Chat, Contact, File, Group, Message, Notes, User
from .errors import (
    AlreadyDone,
    CertificateRefused,
    ChatError,
    Conflict,
    ConnectionFailed,
    CursorExpired,
    Forbidden,
    GatewayError,
    GatewayFault,
    InvalidRequest,
    NotFound,
    RateLimited,
    RelayFailed,
    SendFailed,
    StorageFull,
    StoreLocked,
    TimedOut,
    Unauthorized,
    Unavailable,
    WrongVersion,
)
from .gateway import Gateway
from .model import Model

__all__ = [
    "AlreadyDone",
    "CertificateRefused",
    "Chat",
    "ChatError",
    "Conflict",
    "ConnectionFailed",
    "Contact",
    "CursorExpired",
    "Event",
    "File",
    "FileCursor",
    "Forbidden",
    "Gateway",
    "GatewayError",
    "GatewayFault",
    "Group",
    "InvalidRequest",
    "Message",
    "Model",
    "NotFound",
    "Notes",
    "RateLimited",
    "RelayFailed",
    "SendFailed",
    "StorageFull",
    "StoreLocked",
    "TimedOut",
    "Unauthorized",
    "Unavailable",
    "User",
    "WrongVersion",
    "__version__",
    "once",
]
