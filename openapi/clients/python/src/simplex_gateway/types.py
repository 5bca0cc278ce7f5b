"""Types of the contract, made from it: `from simplex_gateway.types import Contact, NewChatItemsEvent`."""

from ._generated import *  # noqa: F403
