"""Client of simplex-gateway, the HTTP server for SimpleX Chat."""

from . import errors
from ._events import Event as Event
from ._events import FileCursor as FileCursor
from ._generated import VERSION as __version__
from ._http import once as once
from ._objects import Chat as Chat
from ._objects import Contact as Contact
from ._objects import File as File
from ._objects import Group as Group
from ._objects import Message as Message
from ._objects import Notes as Notes
from ._objects import User as User
from .errors import *  # noqa: F403
from .gateway import Gateway as Gateway
from .model import Model as Model

__all__ = ["Chat", "Contact", "Event", "File", "FileCursor", "Gateway", "Group", "Message", "Model", "Notes", "User"]
__all__ += ["__version__", "once"]
__all__ += errors.__all__
