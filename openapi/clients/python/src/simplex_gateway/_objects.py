"""Profiles, chats and messages. The `data` of each object is its value in the contract."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from . import _generated as g
from ._files import Progress, Source, download, image_preview, name_of, upload
from .errors import Conflict, Forbidden, NotFound, SendFailed

if TYPE_CHECKING:
    from .gateway import Gateway
    from .model import Model

T = TypeVar("T")
C = TypeVar("C", bound="Chat")
Wait = Literal["none", "sent", "delivered"]
ERRORS = ("sndErrorAuth", "sndError", "invalid")
FILE_ENDS: tuple[g.EventType, ...] = ("rcvFileComplete", "rcvFileError", "rcvFileSndCancelled")


class User:
    """A profile of the gateway."""

    def __init__(self, gateway: Gateway, data: g.User) -> None:
        self.gateway = gateway
        self.data = data
        self.id = data["userId"]
        self.name = data["localDisplayName"]

    def __repr__(self) -> str:
        return f"<User {self.id} {self.name}>"

    def contacts(self) -> AsyncIterator[Contact]:
        """Yield all contacts, page by page."""
        return self._listed(Contact, "listContacts", "contacts", {}, partial(Contact, self))

    async def contact(self, name: str | int) -> Contact:
        """Return the contact with this name or id."""
        if isinstance(name, int):
            return Contact(self, (await self.gateway.api.get_contact(self.id, name))["contact"])
        made = partial(Contact, self)
        found = [one async for one in self._listed(Contact, "listContacts", "contacts", {"name": name}, made)]
        return self._only(found, f"contact with the name {name}")

    def _only(self, found: list[T], wanted: str) -> T:
        if len(found) == 1:
            return found[0]
        if found:
            raise Conflict(f"{self.name} has more than one {wanted}: use an id.", code="conflict")
        raise NotFound(f"{self.name} has no {wanted}.", code="notFound")

    async def _listed(
        self, kind: type[C], operation: str, member: str, query: dict[str, Any], made: Callable[[Any], Chat | None]
    ) -> AsyncIterator[C]:
        """Yield the chats of a list of the contract.

        A key that is limited to some chats may not read lists, so its own chats are yielded."""
        seen = set()
        try:
            async for data in self.gateway.pages(operation, member, query, userId=self.id):
                chat = made(data)
                if isinstance(chat, kind) and chat.ref not in seen:
                    seen.add(chat.ref)
                    yield chat
        except Forbidden:
            answers = await self.gateway.chats_of_key()
            if not answers:
                raise
            wanted, unread = (query.get("search") or "").casefold(), query.get("unread")
            for chat in (listed_chat(self, answer["chat"]) for answer in answers):
                if not isinstance(chat, kind) or query.get("name") not in (None, chat.name):
                    continue
                if wanted in chat.name.casefold() and (chat.unread or not unread):
                    yield chat

    def groups(self, search: str | None = None) -> AsyncIterator[Group]:
        """Yield all groups and channels, page by page."""
        return self._listed(Group, "listGroups", "groups", {"search": search}, partial(Group, self))

    async def group(self, name: str | int) -> Group:
        """The group or channel with this name or id."""
        if isinstance(name, int):
            return Group(self, (await self.gateway.api.get_group(self.id, name))["groupInfo"])
        found = [one async for one in self.groups(name) if name in (one.name, one.data["groupProfile"]["displayName"])]
        return self._only([one for one in found if one.name == name] or found, f"group with the name {name}")

    async def chat(self, name: str) -> Chat:
        """Return the chat of a reference such as `direct/4`, of `@bob` or `#team`, or of the name of a contact or a
        group.

        A reference needs no scope `read`. Without this scope, the chat has no `data`, and can still send.
        """
        kind, _, number = name.partition("/")
        if kind in ("direct", "group", "local") and number.isdecimal():
            chat = Notes(self, int(number), "notes") if kind == "local" else Chat(self, int(number), name)
            chat.kind = cast(Any, kind)
            with contextlib.suppress(Forbidden):
                return chat if kind == "local" else await (self.group if kind == "group" else self.contact)(int(number))
            return chat
        if name[:1] in ("@", "#"):
            return await (self.contact if name[0] == "@" else self.group)(name[1:])
        for find in (self.contact, self.group):
            with contextlib.suppress(NotFound):
                return await find(name)
        raise NotFound(f"{self.name} has no contact and no group with the name {name}.", code="notFound")

    def chats(self, *, unread: bool | None = None, search: str | None = None) -> AsyncIterator[Chat]:
        """Yield the chats with contacts, groups and notes, the latest activity first."""
        query = {"unread": unread, "search": search, "pendingConnections": False, "limit": 100}
        return self._listed(Chat, "listChats", "chats", query, partial(listed_chat, self))

    async def send(self, contact: str | int, text: str, **options: Any) -> Message:
        """Send a text to a contact by name. `options` are those of `Chat.send`."""
        return await (await self.contact(contact)).send(text, **options)

    async def messages(self, *, search: str | None = None) -> AsyncIterator[Message]:
        """Yield the messages of all chats, the newest first."""
        query = {"search": search, "limit": 100}
        async for data in self.gateway.pages("listMessages", "chatItems", query, newest_first=True, userId=self.id):
            if message := message_of(self, data):
                yield message

    async def invite(self, *, incognito: bool = False) -> str:
        """Create a link by which one person can connect once."""
        answer = await self.gateway.api.create_invitation(self.id, {"incognito": incognito})
        return link_of(answer["connLinkInvitation"])

    async def address(self, *, accept: bool = True, welcome: str | None = None, business: bool = False) -> str:
        """Return the profile's address, by which anybody can connect. Creates the address if it is missing."""
        api = self.gateway.api
        try:
            link = (await api.create_address(self.id))["connLinkContact"]
        except Conflict:
            link = (await api.get_address(self.id))["contactLink"]["connLinkContact"]
        settings: Any = {"businessAddress": business, "autoAccept": {"acceptIncognito": False} if accept else None}
        settings["autoReply"] = {"type": "text", "text": welcome} if welcome else None
        await api.update_address(self.id, settings)
        return link_of(link)

    async def connect(self, link: str, *, timeout: float = 60, incognito: bool = False) -> Contact | Group:
        """Connect by an invitation or an address, and wait until the chat is connected.

        The chat with a business is a group, which the business creates for each request to its address.
        """
        since = await self.gateway.now()
        answer = await self.gateway.api.create_connection(self.id, {"connLink": link, "incognito": incognito})
        if answer["type"] == "contactAlreadyExists":
            return Contact(self, answer["contact"])
        number, ends = answer["connection"]["pccConnId"], ("contactConnected", "userJoinedGroup")

        def mine(event: dict[str, Any]) -> bool:
            return bool((event.get("contact") or event["hostMember"]).get("activeConn", {}).get("connId") == number)

        event = await self.gateway.wait_for(*ends, user=self, since=since, timeout=timeout, where=mine)
        return Contact(self, event["contact"]) if "contact" in event else Group(self, event["groupInfo"])

    async def join(self, link: str, *, timeout: float = 60) -> Group:
        """Join the group or channel of a link, and wait until the user is a member."""
        api = self.gateway.api
        answer = await api.plan_connection(self.id, {"connLink": link})
        plan = cast(dict[str, Any], answer["connectionPlan"])
        if plan["type"] != "groupLink":
            raise Conflict(f"The link leads to no group: {plan['type']}.", code="conflict")
        details = plan["groupLinkPlan"]
        if details["type"] == "known":
            return Group(self, details["groupInfo"])
        if "groupSLinkData_" not in details:
            return cast(Group, await self.connect(link, timeout=timeout))
        since, data = await self.gateway.now(), details["groupSLinkData_"]
        body: Any = {"connLink": answer["connLink"], "groupShortLinkData": data}
        body["directLink"] = "publicGroup" not in data["groupProfile"]
        info = cast(dict[str, Any], (await api.prepare_group(self.id, body))["chat"]["chatInfo"])
        number = info["groupInfo"]["groupId"]

        def mine(event: dict[str, Any]) -> bool:
            return bool(event["groupInfo"]["groupId"] == number)

        await api.join_prepared_group(self.id, number, {"incognito": False})
        await self.gateway.wait_for("userJoinedGroup", user=self, since=since, timeout=timeout, where=mine)
        return await self.group(number)

    async def create_group(self, name: str, *, description: str | None = None, image: str | None = None) -> Group:
        """Create a group whose only member is this profile."""
        body: Any = {"groupProfile": group_profile(name, description, image)}
        return Group(self, (await self.gateway.api.create_group(self.id, body))["groupInfo"])

    async def add_channel_relay(self, address: str, name: str) -> None:
        """Add a chat relay, which serves channels, to the servers of this profile."""
        servers = cast(list[dict[str, Any]], (await self.gateway.api.list_servers(self.id))["userServers"])
        relay = {"address": address, "relayProfile": {"displayName": name, "fullName": ""}, "domains": []}
        servers[0]["chatRelays"] = [{**relay, "preset": False, "enabled": True, "deleted": False}]
        await self.gateway.api.set_servers(self.id, cast(Any, {"userServers": servers}))

    async def create_channel(
        self, name: str, *, description: str | None = None, relays: list[int] | None = None, timeout: float = 60
    ) -> Group:
        """Create a channel that chat relays serve (default: all relays of this profile). Waits until one relay serves
        it."""
        api = self.gateway.api
        if relays is None:
            servers = cast(list[dict[str, Any]], (await api.list_servers(self.id))["userServers"])
            relays = [relay["chatRelayId"] for server in servers for relay in server.get("chatRelays", [])]
        profile = {**group_profile(name, description, None), "groupPreferences": {"history": {"enable": "on"}}}
        answer = await api.create_channel(self.id, cast(Any, {"relayIds": relays, "groupProfile": profile}))
        if answer["type"] == "publicGroupCreationFailed":
            raise Conflict(f"No channel was made: {answer['addRelayResults']}", code="conflict")
        number = answer["groupInfo"]["groupId"]
        async with asyncio.timeout(timeout):
            while True:
                found = (await api.list_channel_relays(self.id, number))["groupRelays"]
                if any(relay["relayStatus"] == "active" for relay in found):
                    return await self.group(number)
                await asyncio.sleep(0.1)

    async def set_profile(self, **changes: Any) -> None:
        """Change members of the profile: displayName, fullName, shortDescr, description, image, peerType."""
        given: Any = {name: value for name, value in changes.items() if value is not None}
        self.data = (await self.gateway.api.update_user(self.id, {"profile": given}))["user"]

    async def upload(
        self, source: Source, name: str | None = None, *, progress: Progress | None = None
    ) -> g.CryptoFile:
        """Upload bytes for a message: a path, bytes, an open file, or an async iterator. Continues after an
        interruption."""
        return await upload(self.gateway.api, self.id, source, name, progress)

    def model(self) -> Model:
        """Return the state of the profile as apps show it, as a document that follows all changes."""
        from .model import Model

        return Model(self)


class Chat:
    """A chat with a contact, a group, a channel, or notes."""

    kind: Literal["direct", "group", "local"] = "direct"
    # A part of a group: `support` for the user's own support chat, or `support:3` for the support chat of a member.
    scope: str | None = None

    def __init__(self, user: User, number: int, name: str, stats: dict[str, Any] | None = None) -> None:
        self.user = user
        self.id = number
        self.name = name
        self.stats = stats or {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.name}>"

    @property
    def ref(self) -> str:
        """The reference of the chat, as in filters: `direct/4`."""
        return f"{self.kind}/{self.id}"

    @property
    def _place(self) -> tuple[int, Any, int]:
        return self.user.id, self.kind, self.id

    @property
    def _path(self) -> dict[str, Any]:
        return dict(zip(("userId", "chatType", "chatId"), self._place))

    @property
    def unread(self) -> int:
        """The number of unread messages at the time when the chat was listed."""
        return int(self.stats.get("unreadCount", 0))

    async def send(
        self,
        text: str = "",
        *,
        file: Source | None = None,
        image: Source | None = None,
        name: str | None = None,
        content: dict[str, Any] | None = None,
        reply_to: Message | int | None = None,
        mentions: dict[str, int] | None = None,
        ttl: int | None = None,
        wait: Wait = "none",
        timeout: int = 30,
        progress: Progress | None = None,
    ) -> Message:
        """Send one message: a text, a file, a picture with its preview, or any `content` of the contract.

        With `wait`, the function returns when a relay (`sent`) or the other device (`delivered`) has the message, or
        after `timeout` seconds; `Message.status` shows which. Raises SendFailed for a message that cannot be sent.
        """
        content = content or {"type": "text" if file is None else "file", "text": text}
        if image is not None:
            name = name or name_of(image, "picture.jpg")
            preview, file = await image_preview(image)
            content = {"type": "image", "text": text, "image": preview}
        composed: dict[str, Any] = {"msgContent": content, "mentions": mentions or {}}
        if file is not None:
            composed["fileSource"] = await self.user.upload(file, name, progress=progress)
        if reply_to is not None:
            composed["quotedItemId"] = reply_to if isinstance(reply_to, int) else reply_to.id
        body: dict[str, Any] = {"composedMessages": [composed]} | ({} if ttl is None else {"ttl": ttl})
        if isinstance(self, Group) and self.is_channel and self.data["membership"]["memberRole"] == "owner":
            body["sendAsGroup"] = True
        query = {"scope": self.scope} | ({} if wait == "none" else {"wait": wait, "timeout": timeout})
        answer = await self.user.gateway.api.call("sendMessages", body, query, **self._path)
        message = Message(self, answer["chatItems"][0]["chatItem"])
        if message.status in ERRORS:
            state = message.data["meta"]["itemStatus"]
            raise SendFailed(f"The message {message.id} to {self.name} was not sent: {state}")
        return message

    async def messages(self, *, search: str | None = None, limit: int | None = None) -> AsyncIterator[Message]:
        """Yield the messages and other items, the newest first."""
        query = {"search": search, "limit": min(limit or 100, 100), "scope": self.scope}
        count = 0
        pages = self.user.gateway.pages("getChat", "chat.chatItems", query, newest_first=True, **self._path)
        async for data in pages:
            if limit is not None and count >= limit:
                return
            count += 1
            yield Message(self, data)

    async def message(self, number: int) -> Message:
        """Return the message with this id, in its present state."""
        query = {"around": number, "limit": 2, "scope": self.scope}
        answer = await self.user.gateway.api.call("getChat", query=query, **self._path)
        for data in answer["chat"]["chatItems"]:
            if data["meta"]["itemId"] == number:
                return Message(self, data)
        raise NotFound(f"{self.name} has no message {number}.", code="notFound")

    async def mark_read(self) -> None:
        """Mark all messages of the chat as read."""
        await self.user.gateway.api.mark_chat_read(*self._place)

    async def clear(self) -> None:
        """Delete all messages of the chat for this profile."""
        await self.user.gateway.api.clear_chat(*self._place)

    async def delete(self, *, notify: bool = True) -> None:
        """Delete the chat and its contact or group."""
        await self.user.gateway.api.delete_chat(*self._place, notify=notify)


class Contact(Chat):
    """A contact, with the chat."""

    def __init__(self, user: User, data: Any, stats: dict[str, Any] | None = None) -> None:
        super().__init__(user, data["contactId"], data["localDisplayName"], stats)
        self.data: g.Contact = data


class Group(Chat):
    """A group or a channel."""

    kind = "group"

    def __init__(self, user: User, data: Any, stats: dict[str, Any] | None = None) -> None:
        super().__init__(user, data["groupId"], data["localDisplayName"], stats)
        self.data: g.GroupInfo = data

    @property
    def is_channel(self) -> bool:
        return self.data.get("useRelays", False)

    @property
    def link(self) -> str | None:
        """The link of a channel. For other groups, `create_link` returns the link."""
        public = cast(dict[str, Any], self.data["groupProfile"].get("publicGroup", {}))
        return public.get("groupLink")

    def members(self) -> AsyncIterator[g.GroupMember]:
        """Yield all members except the user, page by page."""
        return self.user.gateway.pages("listMembers", "group.members", userId=self.user.id, groupId=self.id)

    async def invite(self, contact: Contact, role: str = "member") -> None:
        """Invite a contact, who can join with `accept`."""
        body: Any = {"contactId": contact.id, "memberRole": role}
        await self.user.gateway.api.invite_member(self.user.id, self.id, body)

    async def accept(self) -> None:
        """Accept the invitation to this group."""
        await self.user.gateway.api.join_group(self.user.id, self.id)

    async def create_link(self, role: str = "member") -> str:
        """Return the link by which anybody can join. Creates the link if it is missing."""
        api = self.user.gateway.api
        try:
            answer = await api.create_group_link(self.user.id, self.id, {"memberRole": cast(Any, role)})
        except Conflict:
            return link_of((await api.get_group_link(self.user.id, self.id))["groupLink"]["connLinkContact"])
        return link_of(answer["groupLink"]["connLinkContact"])

    async def set_role(self, members: list[int], role: str) -> None:
        """Change the role of members, by their `groupMemberId`."""
        body: Any = {"memberIds": members, "memberRole": role}
        await self.user.gateway.api.set_members_role(self.user.id, self.id, body)

    async def remove(self, members: list[int], *, with_messages: bool = False) -> None:
        """Remove members, by their `groupMemberId`."""
        api = self.user.gateway.api
        await api.remove_members(self.user.id, self.id, member_ids=members, with_messages=with_messages)

    async def moderate(self, *messages: Message) -> None:
        """Delete messages of others for everybody."""
        await self.user.gateway.api.moderate_messages(self.user.id, self.id, {"itemIds": [one.id for one in messages]})

    def support(self, member: int | None = None) -> Group:
        """Return the support chat of a member (by its `groupMemberId`) or of this profile: the chat with the
        moderators."""
        part = Group(self.user, self.data, self.stats)
        part.scope = "support" if member is None else f"support:{member}"
        return part

    async def leave(self) -> None:
        await self.user.gateway.api.leave_group(self.user.id, self.id)


class Notes(Chat):
    """The user's notes, which nobody else gets."""

    kind = "local"


class Message:
    """One item of a chat: a message, or a note about a change such as a call."""

    def __init__(self, chat: Chat, data: dict[str, Any]) -> None:
        self.chat = chat
        self.data = data
        self.id: int = data["meta"]["itemId"]
        self.text: str = data["content"].get("msgContent", {}).get("text", data["meta"]["itemText"])

    def __repr__(self) -> str:
        return f"<Message {self.id} in {self.chat.ref}: {self.text[:40]!r}>"

    @property
    def kind(self) -> str | None:
        """The kind of the content: text, link, image, video, voice, file, report, chat, or a kind of a later version.
        None for an item that is not a message."""
        return cast(str | None, self.data["content"].get("msgContent", {}).get("type"))

    @property
    def received(self) -> bool:
        return bool(self.data["chatDir"]["type"].endswith("Rcv"))

    @property
    def sender(self) -> str:
        """The name of the member, contact or profile that wrote the message."""
        if not self.received:
            return self.chat.user.name
        member = self.data["chatDir"].get("groupMember")
        return str(member["localDisplayName"]) if member else self.chat.name

    @property
    def status(self) -> str:
        """The state of the delivery: sndNew, sndSent, sndRcvd, sndError, rcvNew, rcvRead, …"""
        return str(self.data["meta"]["itemStatus"]["type"])

    @property
    def delivered(self) -> bool:
        """Whether the recipients' devices had confirmed the message when this object was made."""
        return self.status == "sndRcvd"

    @property
    def file(self) -> File | None:
        return File(self) if "file" in self.data else None

    async def reply(self, text: str = "", *, quote: bool = False, **options: Any) -> Message:
        """Answer in the same chat. `options` are those of `Chat.send`."""
        return await self.chat.send(text, reply_to=self if quote else None, **options)

    async def react(self, emoji: str, *, add: bool = True) -> None:
        """Add a reaction with one of the emojis that the apps offer, or remove the reaction."""
        body: g.ChangeReactionRequest = {"add": add, "reaction": {"type": "emoji", "emoji": emoji}}
        await self.chat.user.gateway.api.change_reaction(*self.chat._place, self.id, body)

    async def edit(self, text: str) -> Message:
        """Change the text of the user's own message, within a day after its sending."""
        content = {**self.data["content"]["msgContent"], "text": text}
        body: Any = {"updatedMessage": {"msgContent": content, "mentions": {}}}
        answer = await self.chat.user.gateway.api.update_message(*self.chat._place, self.id, body)
        return Message(self.chat, cast(Any, answer["chatItem"]["chatItem"]))

    async def delete(self, *, for_all: bool = False) -> None:
        """Delete the message for this profile, or the user's own message for all, within a day after its sending."""
        mode: Any = "broadcast" if for_all else "internal"
        await self.chat.user.gateway.api.delete_messages(*self.chat._place, item_ids=[self.id], mode=mode)

    async def forward(self, chat: Chat) -> Message:
        """Send the message to another chat, with a mark that it was forwarded."""
        body: Any = {"fromChatType": self.chat.kind, "fromChatId": self.chat.id, "itemIds": [self.id]}
        answer = await chat.user.gateway.api.forward_messages(*chat._place, body)
        return Message(chat, cast(Any, answer["chatItems"][0]["chatItem"]))


class File:
    """The file of a message."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.data: g.CIFile = message.data["file"]
        self.id = self.data["fileId"]
        self.name = self.data["fileName"]
        self.size = self.data["fileSize"]

    @property
    def status(self) -> str:
        return str(self.data["fileStatus"]["type"])

    async def receive(self, *, timeout: float = 300) -> None:
        """Fetch the file from its file server to the gateway, and wait until the gateway has it."""
        user, gateway = self.message.chat.user, self.message.chat.user.gateway
        if not self.message.received:
            return
        since = await gateway.now()
        self.data = (await self.message.chat.message(self.message.id)).data["file"]
        if self.status == "rcvComplete":
            return
        try:
            await gateway.api.receive_file(user.id, self.id, {"userApprovedRelays": True})
        except Conflict:
            # Another client or the gateway itself is already receiving the file, or the file cannot be received. Only
            # the second case is an error.
            if self.status in ("rcvInvitation", "rcvCancelled", "rcvError", "rcvAborted"):
                raise

        def mine(event: dict[str, Any]) -> bool:
            item = event.get("chatItem") or event.get("chatItem_") or {}
            return bool(item.get("chatItem", {}).get("file", {}).get("fileId") == self.id)

        event = await gateway.wait_for(*FILE_ENDS, user=user, since=since, timeout=timeout, where=mine)
        if event["type"] != "rcvFileComplete":
            raise NotFound(f"The file {self.name} cannot be received: {event['type']}", problem=event)

    async def download(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> None:
        """Receive the file if necessary, and write its bytes to a path. After a failure, the path is unchanged."""
        await self.receive()
        partial = f"{os.fspath(path)}.part"
        with open(partial, "wb") as target:
            async for chunk in self.chunks(progress=progress):
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
        os.replace(partial, path)

    async def read(self) -> bytes:
        """Receive the file if necessary, and return its bytes."""
        await self.receive()
        return b"".join([chunk async for chunk in self.chunks()])

    def chunks(self, *, progress: Progress | None = None) -> AsyncIterator[bytes]:
        """Yield the bytes of a received file in parts. Continues after an interruption."""
        return download(self.message.chat.user.gateway.api, self.message.chat.user.id, self.id, self.size, progress)


def link_of(link: g.CreatedConnLink) -> str:
    return link.get("connShortLink") or link["connFullLink"]


def group_profile(name: str, description: str | None, image: str | None) -> dict[str, Any]:
    more = {"description": description, "image": image}
    return {"displayName": name, "fullName": ""} | {name: value for name, value in more.items() if value}


def chat_of(user: User, info: dict[str, Any], stats: dict[str, Any] | None = None) -> Chat | None:
    """Return the chat of a `chatInfo`; None for a request, a pending connection, or a kind of a later version."""
    match info.get("type"):
        case "direct":
            return Contact(user, info["contact"], stats)
        case "group":
            group = Group(user, info["groupInfo"], stats)
            scope = info.get("groupChatScope", {})
            if scope.get("type") != "memberSupport":
                return group
            return group.support(scope.get("groupMember_", {}).get("groupMemberId"))
        case "local":
            return Notes(user, info["noteFolder"]["noteFolderId"], "notes", stats)
    return None


def listed_chat(user: User, data: dict[str, Any]) -> Chat | None:
    """Return the chat of an entry in a list."""
    return chat_of(user, data["chatInfo"], data.get("chatStats"))


def message_of(user: User, data: dict[str, Any]) -> Message | None:
    """Return the message of an item that is listed with its chat."""
    chat = chat_of(user, data["chatInfo"])
    return Message(chat, data["chatItem"]) if chat else None
