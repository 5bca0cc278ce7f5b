"""Client of simplex-gateway, the HTTP server for SimpleX Chat."""

from . import errors
from ._events import Event, FileCursor
from ._generated import VERSION as __version__
from ._http import once
from ._objects import Chat, Contact, File, Group, Message, Notes, User
from .errors import *  # noqa: F403
from .gateway import Gateway
from .model import Model

__all__ = ["Chat", "Contact", "Event", "File", "FileCursor", "Gateway", "Group", "Message", "Model", "Notes", "User"]
__all__ += ["__version__", "once"]
__all__ += errors.__all__
