"""The notification service that Apprise loads."""

from __future__ import annotations

import asyncio
import concurrent.futures
import hashlib
import ssl
import time
import uuid
from collections.abc import Iterator
from typing import Any

from apprise import NotifyType, OverflowMode
from apprise.manager_plugins import NotificationManager
from apprise.plugins.base import NotifyBase

from simplex_gateway import Gateway, GatewayError, NotFound, User, once

# Maximal number of characters of a message. A message has at most about 15,000 bytes, and a character has up to four.
BODY_LENGTH = 3_500
# Seconds for which requests are repeated, after a lost line and when the gateway is busy.
RETRY_FOR = 20.0
# Seconds in which an equal notification counts as a repetition of the failed notification.
REPEATED = 300.0
MARKS = {"info": "", "success": "✅ ", "warning": "⚠️ ", "failure": "❌ "}
KINDS = ("direct", "group", "local")


class NotifySimplexGateway(NotifyBase):  # type: ignore[misc]
    """Notifications to chats of SimpleX Chat, through a simplex-gateway."""

    service_name = "simplex-gateway"
    service_url = "https://simplex.chat"
    setup_url = "https://simplex.chat"
    protocol = "simplexgw"
    secure_protocol = "simplexgws"
    category = "custom"
    attachment_support = True
    # The gateway limits the rate of requests itself, so Apprise does not.
    request_rate_per_sec = 0
    title_maxlen = 250
    body_maxlen = BODY_LENGTH
    overflow_mode = OverflowMode.SPLIT

    templates = (
        "{schema}://{key}@{host}",
        "{schema}://{key}@{host}:{port}",
        "{schema}://{key}@{host}/{targets}",
        "{schema}://{key}@{host}:{port}/{targets}",
    )
    template_tokens = {
        **NotifyBase.template_tokens,
        "host": {"name": "Hostname", "type": "string", "required": True},
        "port": {"name": "Port", "type": "int", "min": 1, "max": 65535},
        "key": {"name": "Key", "type": "string", "private": True, "required": True, "map_to": "user"},
        "targets": {"name": "Contacts, groups, chats", "type": "list:string"},
    }
    template_args = {
        **NotifyBase.template_args,
        "to": {"alias_of": "targets"},
        "profile": {"name": "Profile", "type": "string"},
        "ca": {"name": "File with the authority of the certificate", "type": "string"},
        "marks": {"name": "Mark types with emojis", "type": "bool", "default": True},
    }

    def __init__(
        self,
        targets: list[str] | str | None = None,
        profile: str | None = None,
        ca: str | None = None,
        marks: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        # The key is the password in the URL, or the user if the URL has no password.
        self.key = self.password or self.user or ""
        if not self.key or not self.key.isascii() or not self.key.isprintable():
            raise TypeError("The URL has no key of the gateway: simplexgw://KEY@HOST:PORT/CHAT")
        self.targets = [targets] if isinstance(targets, str) else list(targets or [])
        self.profile = profile
        self.ca = ca
        self.marks = marks
        # The last failed notification, with the idempotency name of its requests. A repetition sends only the missing
        # messages.
        self.failed: tuple[str, str, float] | None = None

    # MARK: URLs

    @property
    def url_identifier(self) -> tuple[Any, ...]:
        return (self.secure_protocol if self.secure else self.protocol, self.key, self.host, self.port)

    def url(self, privacy: bool = False, *arguments: Any, **options: Any) -> str:
        values = self.url_parameters(*arguments, privacy=privacy, **options)
        values["marks"] = "yes" if self.marks else "no"
        values |= {name: value for name, value in (("profile", self.profile), ("ca", self.ca)) if value}
        schema = self.secure_protocol if self.secure else self.protocol
        port = f":{self.port}" if self.port else ""
        key = self.pprint(self.key, privacy, safe="")
        path = "/".join(NotifyBase.quote(target, safe="/") for target in self.targets)
        return f"{schema}://{key}@{self.host}{port}/{path}?{NotifyBase.urlencode(values)}"

    def __len__(self) -> int:
        """Number of chats."""
        return max(len(self.targets), 1)

    @staticmethod
    def parse_url(url: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = NotifyBase.parse_url(url, verify_host=False)
        if not found:
            return found
        query = found["qsd"]
        for name in ("user", "password"):
            if found.get(name):
                found[name] = NotifyBase.unquote(found[name])
        found["targets"] = list(joined(NotifyBase.split_path(found["fullpath"])))
        if query.get("to"):
            found["targets"] += [NotifyBase.unquote(one).strip() for one in query["to"].split(",")]
        for name in ("profile", "ca"):
            if query.get(name):
                found[name] = NotifyBase.unquote(query[name])
        found["marks"] = str(query.get("marks", "yes")).lower() not in ("no", "false", "off", "0")
        return found

    # MARK: Sending

    def gateway(self) -> Gateway:
        verify: ssl.SSLContext | bool = True
        if self.secure and self.ca:
            verify = ssl.create_default_context(cafile=self.ca)
        elif self.secure and not self.verify_certificate:
            verify = False
        port = f":{self.port}" if self.port else ""
        return Gateway(
            f"{'https' if self.secure else 'http'}://{self.host}{port}",
            self.key,
            retry_for=RETRY_FOR,
            timeout=float(self.socket_read_timeout or 10),
            verify=verify,
        )

    def send(
        self,
        body: str,
        title: str = "",
        notify_type: NotifyType = NotifyType.INFO,
        attach: Any = None,
        **options: Any,
    ) -> bool:
        kind = str(getattr(notify_type, "value", notify_type))
        mark = MARKS.get(kind, "") if self.marks else ""
        text = mark + "\n".join(part for part in (title, body) if part)
        files = list(attach or [])
        for one in files:
            if not one:
                self.logger.warning(f"simplex-gateway: the attachment {one.url(privacy=True)} cannot be read.")
                return False
        digest = hashlib.sha256("\0".join([text, *(str(one.name) for one in files)]).encode()).hexdigest()
        name = self.name_of(digest)
        # The caller may run an event loop itself, so the requests run in another thread.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            is_sent = thread.submit(asyncio.run, self.deliver(text, files, name)).result()
        self.failed = None if is_sent else (digest, name, time.monotonic())
        if is_sent:
            self.logger.info("Sent SimpleX notification.")
        return is_sent

    async def deliver(self, text: str, files: list[Any], name: str) -> bool:
        """Send to all targets. A target that fails does not stop the others."""
        try:
            async with self.gateway() as gateway:
                await gateway.check()
                user, only = await self.sender(gateway)
                sent = [
                    await self.send_to(user, target, text, files, f"{name}-{number}")
                    for number, target in enumerate(self.targets or only)
                ]
                return all(sent)
        except (GatewayError, OSError, ValueError) as error:
            # The errors of the client tell the user what to do, and contain no key. So they are logged.
            self.logger.warning(f"simplex-gateway: {error}")
            return False

    async def sender(self, gateway: Gateway) -> tuple[User, list[str]]:
        """Returns the profile that sends, and the chats to which the key is bound."""
        chats = (await gateway.api.get_current_key()).get("chats") or []
        if not self.targets and len(chats) != 1:
            raise NotFound("The URL names no chat, and the key is not bound to one: add a contact or a group.")
        profile = self.profile
        return await gateway.user(int(profile) if profile and profile.isdecimal() else profile), chats

    async def send_to(self, user: User, target: str, text: str, files: list[Any], name: str) -> bool:
        """Send the text to one chat, with the first file if there is one, then the other files."""
        try:
            chat = await user.chat(target)
            with once(name):
                if not files:
                    await chat.send(text)
                for number, one in enumerate(files):
                    is_picture = str(one.mimetype).startswith("image/") and one.mimetype != "image/svg+xml"
                    source: dict[str, Any] = {"image" if is_picture else "file": one.path}
                    await chat.send("" if number else text, name=str(one.name), **source)
                return True
        except (GatewayError, OSError, ValueError) as error:
            self.logger.warning(f"simplex-gateway: {target}: {error}")
            return False

    # MARK: Repetitions

    def name_of(self, digest: str) -> str:
        """Returns the name from which the requests get their idempotency keys: the name of the failed notification if
        this notification repeats it; otherwise a new name."""
        if self.failed and self.failed[0] == digest and time.monotonic() - self.failed[2] < REPEATED:
            return self.failed[1]
        return f"apprise-{uuid.uuid4()}"


def joined(parts: list[str]) -> Iterator[str]:
    """Joins the parts of a path to names of chats: `direct` and `4` are one chat, `direct/4`."""
    rest = iter(parts)
    for part in rest:
        if part in KINDS:
            number = next(rest, "")
            yield f"{part}/{number}" if number else part
        else:
            yield part


def register() -> None:
    """Register the schemas with Apprise. A repeated call is needed after Apprise has forgotten its plug-ins."""
    manager = NotificationManager()
    if NotifySimplexGateway.protocol not in manager:
        manager.add(NotifySimplexGateway)
