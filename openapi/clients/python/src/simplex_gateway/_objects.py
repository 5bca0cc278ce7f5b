"""Profiles, chats and messages. Each object has the value of the contract as `data`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _contract
from . import _generated as g
from ._files import Progress, Source, download, image_preview, upload
from .errors import Conflict, NotFound, SendFailed

if TYPE_CHECKING:
    from .gateway import Gateway
    from .model import Model

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

    async def contacts(self) -> AsyncIterator[Contact]:
        """All contacts, page by page."""
        async for data in self.gateway.pages(_contract.path_of("listContacts", userId=self.id), "contacts"):
            yield Contact(self, data)

    async def contact(self, name: str | int) -> Contact:
        """The contact with this name or id."""
        if isinstance(name, int):
            answer = await self.gateway.api.get_contact(self.id, name)
            return Contact(self, answer["contact"])
        found = (await self.gateway.api.list_contacts(self.id, name=name))["contacts"]
        if not found:
            raise NotFound(f"{self.name} has no contact with the name {name}.", code="notFound")
        if len(found) > 1:
            raise Conflict(f"{self.name} has {len(found)} contacts with the name {name}: use an id.", code="conflict")
        return Contact(self, found[0])

    async def groups(self, search: str | None = None) -> AsyncIterator[Group]:
        """All groups and channels, page by page."""
        path = _contract.path_of("listGroups", userId=self.id)
        async for data in self.gateway.pages(path, "groups", {"search": search}):
            yield Group(self, data)

    async def group(self, name: str | int) -> Group:
        """The group or channel with this name or id."""
        if isinstance(name, int):
            return Group(self, (await self.gateway.api.get_group(self.id, name))["groupInfo"])
        found = [
            group
            async for group in self.groups(search=name)
            if name in (group.data["localDisplayName"], group.data["groupProfile"]["displayName"])
        ]
        exact = [group for group in found if group.name == name] or found
        if not exact:
            raise NotFound(f"{self.name} has no group with the name {name}.", code="notFound")
        if len(exact) > 1:
            raise Conflict(f"{self.name} has {len(exact)} groups with the name {name}: use an id.", code="conflict")
        return exact[0]

    async def chats(self, *, unread: bool | None = None, search: str | None = None) -> AsyncIterator[Chat]:
        """Chats with contacts, groups and notes, the latest activity first."""
        query = {"unread": unread, "search": search, "pendingConnections": False, _contract.COUNT: 100}
        seen = set()
        async for data in self.gateway.pages(_contract.path_of("listChats", userId=self.id), "chats", query):
            chat = chat_of(self, data["chatInfo"], data.get("chatStats"))
            if chat and chat.ref not in seen:
                seen.add(chat.ref)
                yield chat

    async def send(self, contact: str | int, text: str, **options: Any) -> Message:
        """Send a text to a contact by name. `options` are those of `Chat.send`."""
        return await (await self.contact(contact)).send(text, **options)

    async def messages(self, *, search: str | None = None) -> AsyncIterator[Message]:
        """Messages of all chats, the newest first."""
        query = {"search": search, _contract.COUNT: 100}
        path = _contract.path_of("listMessages", userId=self.id)
        async for data in self.gateway.pages(path, "chatItems", query, newest_first=True):
            if message := message_of(self, data):
                yield message

    async def invite(self, *, incognito: bool = False) -> str:
        """A link by which one person can connect, once."""
        answer = await self.gateway.api.create_invitation(self.id, {"incognito": incognito})
        return link_of(answer["connLinkInvitation"])

    async def address(self, *, accept: bool = True, welcome: str | None = None, business: bool = False) -> str:
        """The address of the profile, made if there is none: a link by which anybody can connect."""
        api = self.gateway.api
        try:
            link = (await api.create_address(self.id))["connLinkContact"]
        except Conflict:
            link = (await api.get_address(self.id))["contactLink"]["connLinkContact"]
        settings: dict[str, Any] = {"businessAddress": business}
        settings["autoAccept"] = {"acceptIncognito": False} if accept else None
        settings["autoReply"] = {"type": "text", "text": welcome} if welcome else None
        await api.update_address(self.id, cast(g.UpdateAddressRequest, settings))
        return link_of(link)

    async def connect(self, link: str, *, timeout: float = 60, incognito: bool = False) -> Contact:
        """Connect by an invitation or an address, and wait until the contact is connected."""
        since = await self.gateway.now()
        answer = await self.gateway.api.create_connection(self.id, {"connLink": link, "incognito": incognito})
        if answer["type"] == "contactAlreadyExists":
            return Contact(self, answer["contact"])
        number = answer["connection"]["pccConnId"]

        def mine(event: dict[str, Any]) -> bool:
            return bool(event["contact"].get("activeConn", {}).get("connId") == number)

        event = await self.gateway.wait_for("contactConnected", user=self, since=since, timeout=timeout, where=mine)
        return Contact(self, event["contact"])

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
        since = await self.gateway.now()
        if "groupSLinkData_" not in details:
            await api.create_connection(self.id, {"connLink": link})
            event = await self.gateway.wait_for("userJoinedGroup", user=self, since=since, timeout=timeout)
            return Group(self, event["groupInfo"])
        is_channel = "publicGroup" in details["groupSLinkData_"]["groupProfile"]
        prepared = await api.prepare_group(
            self.id,
            {
                "connLink": answer["connLink"],
                "directLink": not is_channel,
                "groupShortLinkData": details["groupSLinkData_"],
            },
        )
        number = cast(dict[str, Any], prepared["chat"]["chatInfo"])["groupInfo"]["groupId"]
        await api.join_prepared_group(self.id, number, {"incognito": False})
        await self.gateway.wait_for(
            "userJoinedGroup",
            user=self,
            since=since,
            timeout=timeout,
            where=lambda event: event["groupInfo"]["groupId"] == number,
        )
        return await self.group(number)

    async def create_group(self, name: str, *, description: str | None = None, image: str | None = None) -> Group:
        """A group whose only member is this profile."""
        profile = group_profile(name, description, image)
        answer = await self.gateway.api.create_group(self.id, {"groupProfile": profile})
        return Group(self, answer["groupInfo"])

    async def add_channel_relay(self, address: str, name: str) -> None:
        """Add a chat relay, which serves channels, to the servers of this profile."""
        servers = cast(list[dict[str, Any]], (await self.gateway.api.list_servers(self.id))["userServers"])
        relay = {"address": address, "relayProfile": {"displayName": name, "fullName": ""}, "domains": []}
        servers[0]["chatRelays"] = [{**relay, "preset": False, "enabled": True, "deleted": False}]
        await self.gateway.api.set_servers(self.id, cast(Any, {"userServers": servers}))

    async def create_channel(
        self, name: str, *, description: str | None = None, relays: list[int] | None = None, timeout: float = 60
    ) -> Group:
        """A channel that chat relays serve (default: all of this profile). Waits until one of them does."""
        api = self.gateway.api
        if relays is None:
            servers = cast(list[dict[str, Any]], (await api.list_servers(self.id))["userServers"])
            relays = [relay["chatRelayId"] for server in servers for relay in server.get("chatRelays", [])]
        profile = group_profile(name, description, None)
        profile["groupPreferences"] = cast(Any, {"history": {"enable": "on"}})
        answer = await api.create_channel(self.id, {"relayIds": relays, "groupProfile": profile})
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
        current = (await self.gateway.user(self.id)).data
        names = set(g.Profile.__annotations__)
        profile = {name: value for name, value in current["profile"].items() if name in names}
        profile.update({name: value for name, value in changes.items() if value is not None})
        await self.gateway.api.set_user_profile(self.id, {"profile": cast(g.Profile, profile)})
        self.data["profile"].update(cast(Any, changes))

    async def upload(
        self, source: Source, name: str | None = None, *, progress: Progress | None = None
    ) -> g.CryptoFile:
        """Upload bytes for a message: a path, bytes, an open file, or an async iterator. Resumes after a lost line."""
        return await upload(self.gateway.api, self.id, source, name, progress)

    def model(self) -> Model:
        """The state of the profile as an app shows it, as a live document."""
        from .model import Model

        return Model(self)


class Chat:
    """A chat with a contact, a group, a channel, or notes."""

    kind: Literal["direct", "group", "local"] = "direct"
    # Part of a group: `support`, the member's own chat with the moderators, or `support:3`, that chat of a member.
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
        """Name of the chat in filters, such as `direct/4`."""
        return f"{self.kind}/{self.id}"

    @property
    def _place(self) -> tuple[int, Any, int]:
        return self.user.id, self.kind, self.id

    @property
    def unread(self) -> int:
        """Number of unread messages when the chat was listed."""
        return int(self.stats.get("unreadCount", 0))

    def _as_channel(self) -> bool:
        return False

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

        With `wait` the answer comes when a relay (`sent`) or the other device (`delivered`) has it, or after `timeout`
        seconds: `Message.status` tells. A message that cannot be sent is SendFailed.
        """
        composed: dict[str, Any] = {"mentions": mentions or {}}
        if image is not None:
            preview, source = await image_preview(image)
            composed["msgContent"] = {"type": "image", "text": text, "image": preview}
            composed["fileSource"] = await self.user.upload(
                source, name or _name_of(image, "picture.jpg"), progress=progress
            )
        elif file is not None:
            composed["msgContent"] = {"type": "file", "text": text}
            composed["fileSource"] = await self.user.upload(file, name, progress=progress)
        else:
            composed["msgContent"] = content or {"type": "text", "text": text}
        if reply_to is not None:
            composed["quotedItemId"] = reply_to if isinstance(reply_to, int) else reply_to.id
        body: dict[str, Any] = {"composedMessages": [composed]}
        if ttl is not None:
            body["ttl"] = ttl
        api = self.user.gateway.api
        if self._as_channel():
            body["sendAsGroup"] = True
        waiting = {} if wait == "none" else {"wait": wait, "timeout": timeout}
        path = _contract.path_of("sendMessages", userId=self.user.id, chatType=self.kind, chatId=self.id)
        query = {**waiting, "scope": self.scope}
        response = await api.request("POST", path, query=query, body=body, seconds=timeout if waiting else 0)
        answer = api.json_of(response)
        message = Message(self, cast(dict[str, Any], answer["chatItems"][0]["chatItem"]))
        if message.status in ERRORS:
            raise SendFailed(
                f"The message {message.id} to {self.name} was not sent: {message.data['meta']['itemStatus']}"
            )
        return message

    async def messages(self, *, search: str | None = None, limit: int | None = None) -> AsyncIterator[Message]:
        """Messages and other items, the newest first."""
        query = {"search": search, _contract.COUNT: min(limit or 100, 100), "scope": self.scope}
        path = _contract.path_of("getChat", userId=self.user.id, chatType=self.kind, chatId=self.id)
        count = 0
        async for data in self.user.gateway.pages(path, "chat.chatItems", query, newest_first=True):
            if limit is not None and count >= limit:
                return
            count += 1
            yield Message(self, data)

    async def message(self, number: int) -> Message:
        """The message with this id, in its present state."""
        path = _contract.path_of("getChat", userId=self.user.id, chatType=self.kind, chatId=self.id)
        answer = await self.user.gateway.api.request(
            "GET", path, query={"around": number, _contract.COUNT: 2, "scope": self.scope}
        )
        for data in self.user.gateway.api.json_of(answer)["chat"]["chatItems"]:
            if data["meta"]["itemId"] == number:
                return Message(self, data)
        raise NotFound(f"{self.name} has no message {number}.", code="notFound")

    async def mark_read(self) -> None:
        """Mark all messages as read."""
        await self.user.gateway.api.mark_chat_read(*self._place)

    async def clear(self) -> None:
        """Delete all messages here."""
        await self.user.gateway.api.clear_chat(*self._place)

    async def delete(self, *, notify: bool = True) -> None:
        """Delete the chat and its contact or group."""
        await self.user.gateway.api.delete_chat(*self._place, notify=notify)


class Contact(Chat):
    """A contact and the chat with it."""

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
        """The link of a channel. The link of another group is made by `create_link`."""
        public = cast(dict[str, Any], self.data["groupProfile"].get("publicGroup", {}))
        return public.get("groupLink")

    def _as_channel(self) -> bool:
        return self.is_channel and self.data["membership"]["memberRole"] == "owner"

    async def members(self) -> AsyncIterator[g.GroupMember]:
        """All members without the user, page by page."""
        path = _contract.path_of("listMembers", userId=self.user.id, groupId=self.id)
        async for data in self.user.gateway.pages(path, "group.members"):
            yield data

    async def invite(self, contact: Contact, role: str = "member") -> None:
        """Invite a contact, who joins with `accept`."""
        body: Any = {"contactId": contact.id, "memberRole": role}
        await self.user.gateway.api.invite_member(self.user.id, self.id, body)

    async def accept(self) -> None:
        """Accept the invitation to this group."""
        await self.user.gateway.api.join_group(self.user.id, self.id)

    async def create_link(self, role: str = "member") -> str:
        """The link by which anybody can join, made if there is none."""
        api = self.user.gateway.api
        try:
            answer = await api.create_group_link(self.user.id, self.id, {"memberRole": cast(Any, role)})
        except Conflict:
            return link_of((await api.get_group_link(self.user.id, self.id))["groupLink"]["connLinkContact"])
        return link_of(answer["groupLink"]["connLinkContact"])

    async def set_role(self, members: list[int], role: str) -> None:
        """Change the role of members, by their `groupMemberId`."""
        await self.user.gateway.api.set_members_role(
            self.user.id, self.id, cast(Any, {"memberIds": members, "memberRole": role})
        )

    async def remove(self, members: list[int], *, with_messages: bool = False) -> None:
        """Remove members, by their `groupMemberId`."""
        api = self.user.gateway.api
        await api.remove_members(self.user.id, self.id, member_ids=members, with_messages=with_messages)

    async def moderate(self, *messages: Message) -> None:
        """Delete messages of others for everybody."""
        items = [message.id for message in messages]
        await self.user.gateway.api.moderate_messages(self.user.id, self.id, {"itemIds": items})

    def support(self, member: int | None = None) -> Group:
        """The chat of a member (by its `groupMemberId`), or of this profile, with the moderators of the group."""
        part = Group(self.user, self.data, self.stats)
        part.scope = "support" if member is None else f"support:{member}"
        return part

    async def leave(self) -> None:
        await self.user.gateway.api.leave_group(self.user.id, self.id)


class Notes(Chat):
    """Notes of the user to itself."""

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
        """Kind of the content: text, link, image, video, voice, file, report, chat, or a kind of a later version.
        Nothing for an item that is no message."""
        return cast(str | None, self.data["content"].get("msgContent", {}).get("type"))

    @property
    def received(self) -> bool:
        return bool(self.data["chatDir"]["type"].endswith("Rcv"))

    @property
    def sender(self) -> str:
        """Name of the member, contact or profile that wrote the message."""
        if not self.received:
            return self.chat.user.name
        member = self.data["chatDir"].get("groupMember")
        return str(member["localDisplayName"]) if member else self.chat.name

    @property
    def status(self) -> str:
        """State of the delivery: sndNew, sndSent, sndRcvd, sndError, rcvNew, rcvRead, …"""
        return str(self.data["meta"]["itemStatus"]["type"])

    @property
    def delivered(self) -> bool:
        """Whether the devices of the others had confirmed the message, in this state of it."""
        return self.status == "sndRcvd"

    @property
    def file(self) -> File | None:
        return File(self) if "file" in self.data else None

    async def reply(self, text: str = "", *, quote: bool = False, **options: Any) -> Message:
        """Answer in the same chat. `options` are those of `Chat.send`."""
        return await self.chat.send(text, reply_to=self if quote else None, **options)

    async def react(self, emoji: str, *, add: bool = True) -> None:
        """React with an emoji of the short list of the apps, or take the reaction back."""
        body: g.ChangeReactionRequest = {"add": add, "reaction": {"type": "emoji", "emoji": emoji}}
        await self.chat.user.gateway.api.change_reaction(*self.chat._place, self.id, body)

    async def edit(self, text: str) -> Message:
        """Change the text of an own message, within a day."""
        content = {**self.data["content"]["msgContent"], "text": text}
        body: Any = {"updatedMessage": {"msgContent": content, "mentions": {}}}
        answer = await self.chat.user.gateway.api.update_message(*self.chat._place, self.id, body)
        return Message(self.chat, cast(Any, answer["chatItem"]["chatItem"]))

    async def delete(self, *, for_all: bool = False) -> None:
        """Delete the message here, or an own one also for the others, within a day."""
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
        """Fetch the file from its relay to the gateway, and wait until it is there."""
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
            # Another client, or the gateway itself, receives it already, or it cannot be received.
            if self.status in ("rcvInvitation", "rcvCancelled", "rcvError", "rcvAborted"):
                raise

        def mine(event: dict[str, Any]) -> bool:
            item = event.get("chatItem") or event.get("chatItem_") or {}
            return bool(item.get("chatItem", {}).get("file", {}).get("fileId") == self.id)

        event = await gateway.wait_for(*FILE_ENDS, user=user, since=since, timeout=timeout, where=mine)
        if event["type"] != "rcvFileComplete":
            raise NotFound(f"The file {self.name} cannot be received: {event['type']}", problem=event)

    async def download(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> None:
        """Receive the file if needed, and write its bytes to a path. The path has all bytes or is not changed."""
        await self.receive()
        partial = f"{os.fspath(path)}.part"
        with open(partial, "wb") as target:
            async for chunk in self.chunks(progress=progress):
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
        os.replace(partial, path)

    async def read(self) -> bytes:
        """Receive the file if needed, and return its bytes."""
        await self.receive()
        return b"".join([chunk async for chunk in self.chunks()])

    def chunks(self, *, progress: Progress | None = None) -> AsyncIterator[bytes]:
        """Bytes of a received file, part by part. Resumes after a lost line."""
        return download(self.message.chat.user.gateway.api, self.message.chat.user.id, self.id, self.size, progress)


def _name_of(source: Source, default: str) -> str:
    return os.path.basename(source) if isinstance(source, str | os.PathLike) else default


def link_of(link: g.CreatedConnLink) -> str:
    return link.get("connShortLink") or link["connFullLink"]


def group_profile(name: str, description: str | None, image: str | None) -> g.GroupProfile:
    profile: g.GroupProfile = {"displayName": name, "fullName": ""}
    if description:
        profile["description"] = description
    if image:
        profile["image"] = image
    return profile


def chat_of(user: User, info: dict[str, Any], stats: dict[str, Any] | None = None) -> Chat | None:
    """The chat of a `chatInfo`; nothing for a request, a pending connection, or a kind of a later version."""
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


def message_of(user: User, data: dict[str, Any]) -> Message | None:
    """The message of an item with its chat."""
    chat = chat_of(user, data["chatInfo"])
    return Message(chat, data["chatItem"]) if chat else None
