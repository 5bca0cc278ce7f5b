"""Names and limits of the component."""

from __future__ import annotations

from homeassistant.const import Platform

DOMAIN = "simplex_gateway"
PLATFORMS = [Platform.EVENT, Platform.NOTIFY]
# The references of the chats that have entities, with their names.
CONF_CHATS = "chats"
# The name of the profile of the key.
CONF_PROFILE = "profile"
# Seconds for which a request of an action is repeated.
RETRY_FOR = 20.0
# Maximal number of bytes of a file that an action sends.
FILE_LIMIT = 100 << 20
# Kinds of messages. A kind that only a later version has is `other`.
KINDS = ["text", "link", "image", "video", "voice", "file", "other"]
