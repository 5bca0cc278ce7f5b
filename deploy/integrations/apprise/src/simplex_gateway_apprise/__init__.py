"""Plug-in of Apprise for simplex-gateway: `simplexgw://KEY@HOST:PORT/bob`. An import of this module registers the
plug-in."""

from .plugin import NotifySimplexGateway as NotifySimplexGateway
from .plugin import register as register

__version__ = "0.1.0"
__all__ = ["NotifySimplexGateway", "__version__", "register"]

register()
