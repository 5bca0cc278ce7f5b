"""Tests of the package with a real gateway and its relays."""

import asyncio
import os
import pathlib
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from proxy import BreakingLine
from simplex_gateway import FileCursor, Forbidden, Gateway, Group, Message, Notes, NotFound, Unauthorized
from simplex_gateway import sync as blocking
from simplex_gateway.testing import Pair

pytestmark = pytest.mark.anyio
FILE = 12_000_000
# Seconds within which a step happens, even on a machine that is busy with other tests.
SECONDS = 180
# The longest wait for a delivery that the gateway allows, in seconds.
DELIVERY = 60


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with Pair() as started:
        yield started


@pytest.fixture
async def gateway(pair: Pair) -> AsyncIterator[Gateway]:
    async with pair.gateway() as opened:
        yield opened


async def newest(chat: Any, text: str) -> Message:
    """Waits until the newest message of the other side has this text, and returns the message."""
    async with asyncio.timeout(SECONDS):
        while True:
            async for message in chat.messages(limit=5):
                if message.received and message.kind and message.text == text:
                    assert isinstance(message, Message)
                    return message
            await asyncio.sleep(0.05)


async def test_messages_are_sent_read_edited_and_deleted(gateway: Gateway) -> None:
    assert (await gateway.check())["api"] == "1"
    alice, bob = await gateway.user("alice"), await gateway.user(2)
    assert [contact.name async for contact in alice.contacts()] == ["bob"]
    sent = await alice.send("bob", "hello", wait="delivered", timeout=DELIVERY)
    assert sent.delivered
    chat = await bob.contact("alice")
    received = await newest(chat, "hello")
    assert (received.sender, received.kind) == ("alice", "text")
    answer = await received.reply("thanks", quote=True)
    await received.react("👍")
    answer = await answer.edit("thank you")
    assert answer.text == "thank you" and (await chat.message(answer.id)).text == "thank you"
    await answer.delete(for_all=True)
    assert [one.ref async for one in bob.chats(unread=True)] == [chat.ref]
    await chat.mark_read()
    assert [one.ref async for one in bob.chats(unread=True)] == []
    assert "hello" in [message.text async for message in alice.messages(search="hello")]
    with pytest.raises(NotFound, match="alice has no contact with the name nobody"):
        await alice.contact("nobody")


async def test_a_chat_is_found_by_reference_and_name(pair: Pair, gateway: Gateway) -> None:
    alice = await gateway.user("alice")
    ref = (await alice.contact("bob")).ref
    assert {(await alice.chat(name)).ref for name in ("bob", "@bob", ref)} == {ref}
    assert isinstance(await alice.chat("local/1"), Notes)
    for name in ("#bob", "nobody", "direct/99"):
        with pytest.raises(NotFound):
            await alice.chat(name)
    # A key without the scope `read` can send to the reference of a chat.
    body = {"name": "writer", "userId": alice.id, "scopes": ["write"]}
    async with Gateway(pair.url, pair.call("POST", "/v1/keys", body)["key"]) as writer:
        await (await (await writer.user()).chat(ref)).send("without reading")
    await newest(await (await gateway.user("bob")).contact("alice"), "without reading")


async def test_a_key_for_one_chat_sends_uploads(pair: Pair, gateway: Gateway) -> None:
    alice = await gateway.user("alice")
    ref = (await alice.contact("bob")).ref
    body = {"name": "one", "userId": alice.id, "chats": [ref], "scopes": ["read", "write"]}
    async with Gateway(pair.url, pair.call("POST", "/v1/keys", body)["key"]) as one:
        await (await (await one.user()).chat(ref)).send("from one chat", file=b"contents", name="a.txt")
    message = await newest(await (await gateway.user("bob")).contact("alice"), "from one chat")
    assert message.file and await message.file.read() == b"contents"


async def test_a_list_is_read_over_all_its_pages(gateway: Gateway) -> None:
    user = await gateway.user("alice")
    notes = await anext(chat async for chat in user.chats() if isinstance(chat, Notes))
    for number in range(130):
        await notes.send(str(number))
    texts = [message.text async for message in notes.messages() if message.text.isdigit()]
    assert texts == [str(number) for number in reversed(range(130))]


async def test_transfers_continue_after_lost_connections(pair: Pair, gateway: Gateway, tmp_path: pathlib.Path) -> None:
    data, seen = os.urandom(FILE), list[int]()
    port = int(pair.url.rsplit(":", 1)[1])
    async with BreakingLine(port, limit=2_500_000, breaks=4) as url, Gateway(url, pair.key) as slow:
        contact = await (await slow.user("alice")).contact("bob")
        await contact.send("big", file=data, name="big.bin", progress=lambda done, total: seen.append(done))
    assert seen[-1] == FILE
    chat = await (await gateway.user("bob")).contact("alice")
    file = (await newest(chat, "big")).file
    assert file and (file.name, file.size) == ("big.bin", FILE)
    await file.receive()
    async with BreakingLine(port, limit=5_000_000, breaks=2) as url, Gateway(url, pair.key) as slow:
        again = await (await slow.user("bob")).contact("alice")
        file = (await newest(again, "big")).file
        assert file
        await file.download(tmp_path / "big.bin")
    assert (tmp_path / "big.bin").read_bytes() == data and os.listdir(tmp_path) == ["big.bin"]


async def test_a_picture_arrives_with_its_preview(gateway: Gateway, tmp_path: pathlib.Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (300, 200), "red").save(tmp_path / "red.png")
    await (await (await gateway.user("alice")).contact("bob")).send("red", image=tmp_path / "red.png")
    message = await newest(await (await gateway.user("bob")).contact("alice"), "red")
    assert message.kind == "image" and message.data["content"]["msgContent"]["image"].startswith("data:image/jpg")
    assert message.file and await message.file.read() == (tmp_path / "red.png").read_bytes()


async def test_a_group_is_joined_by_invitation_and_by_link(gateway: Gateway) -> None:
    alice, bob = await gateway.user("alice"), await gateway.user("bob")
    team = await alice.create_group("team", description="Welcome")
    since = await gateway.now()
    await team.invite(await alice.contact("bob"))
    await gateway.wait_for("receivedGroupInvitation", user=bob, since=since)
    his = await bob.group("team")
    await his.accept()
    await gateway.wait_for("joinedGroupMember", user=alice, since=since)
    await team.send("hello, team")
    assert (await newest(his, "hello, team")).sender == "alice"
    carol = await gateway.create_user("carol")
    joined = await carol.join(await team.create_link())
    assert isinstance(joined, Group) and joined.name == "team"
    members = [member async for member in team.members()]
    assert sorted(member["localDisplayName"] for member in members) == ["bob", "carol"]
    await team.set_role([members[0]["groupMemberId"]], "admin")
    await team.remove([members[1]["groupMemberId"]])


async def test_an_address_connects_and_a_channel_is_joined(gateway: Gateway) -> None:
    alice, bob = await gateway.user("alice"), await gateway.user("bob")
    dave = await gateway.create_user("dave")
    contact = await dave.connect(await alice.address(welcome="Welcome!"))
    assert contact.name == "alice" and await alice.address() == await alice.address()
    hub = await gateway.create_user("hub", userChatRelay=True)
    await alice.add_channel_relay(await hub.address(), "hub")
    channel = await alice.create_channel("news")
    assert channel.is_channel and channel.link
    followed = await bob.join(channel.link)
    await channel.send("good morning")
    assert (await newest(followed, "good morning")).data["chatDir"]["type"] == "channelRcv"


async def test_a_business_address_makes_a_group(gateway: Gateway) -> None:
    shop, erin = await gateway.create_user("shop"), await gateway.create_user("erin")
    address = await shop.address(business=True, welcome="Welcome to the shop!")
    chat = await erin.connect(address)
    assert isinstance(chat, Group) and "businessChat" in chat.data
    await chat.send("Do you have tea?", wait="delivered", timeout=DELIVERY)
    customer = await shop.group("erin")
    assert (await newest(customer, "Do you have tea?")).chat.ref == customer.ref
    again = await erin.join(address)
    assert again.id == chat.id


async def test_a_key_for_single_chats_reads_its_chats(pair: Pair, gateway: Gateway) -> None:
    alice = await gateway.user("alice")
    contact, club = await alice.contact("bob"), await alice.create_group("club")
    chats: Any = {"name": "desk", "userId": 1, "chats": [contact.ref, club.ref]}
    async with pair.gateway((await gateway.api.create_key(chats))["key"]) as desk:
        me = await desk.user()
        assert (me.id, me.name) == (1, "alice")
        assert {chat.ref async for chat in me.chats()} == {contact.ref, club.ref}
        assert [group.name async for group in me.groups()] == ["club"]
        sent = await me.send("bob", "from the desk")
        assert (await (await me.group("club")).send("hello, club")).text == "hello, club"
        assert (await (await me.contact(contact.id)).message(sent.id)).text == "from the desk"
        with pytest.raises(NotFound):
            await me.contact("carol")
        with pytest.raises(Forbidden):
            await desk.user("bob")


async def test_a_model_shows_a_new_message(gateway: Gateway) -> None:
    alice, bob = await gateway.user("alice"), await gateway.user("bob")
    chat = await bob.contact("alice")
    async with asyncio.timeout(SECONDS):
        async for model in alice.model():
            if not model.patch:
                await chat.send("for the model")
            previews = [item["meta"]["itemText"] for one in model.chats for item in one["chatItems"]]
            if "for the model" in previews:
                break
        assert model.patch


async def test_two_models_are_updated_over_one_stream(gateway: Gateway) -> None:
    alice, bob = await gateway.user("alice"), await gateway.user("bob")
    chat = await bob.contact("alice")
    waiting = {alice.id, bob.id}
    read: set[int] = set()
    async with asyncio.timeout(SECONDS):
        async for model in gateway.models(alice, bob):
            if model.user.id not in read:
                read.add(model.user.id)
                if len(read) == 2:
                    await chat.send("for both models")
            previews = [item["meta"]["itemText"] for one in model.chats for item in one["chatItems"]]
            if "for both models" in previews:
                waiting.discard(model.user.id)
            if not waiting:
                break


async def test_a_revoked_key_ends_the_run(pair: Pair, gateway: Gateway, tmp_path: pathlib.Path) -> None:
    answer = await gateway.api.create_key({"name": "bot", "userId": 1})
    bot = pair.gateway(answer["key"])
    bot.on_message()(lambda message: None)
    run = asyncio.create_task(bot.run(cursor=FileCursor(tmp_path / "cursor")))
    await asyncio.sleep(0.5)
    await gateway.api.delete_key(answer["record"]["keyId"])
    with pytest.raises(Unauthorized):
        await asyncio.wait_for(run, SECONDS)


def test_synchronous_objects_send_and_handle_messages(pair: Pair, tmp_path: pathlib.Path) -> None:
    with blocking.Gateway(pair.url, pair.key) as gateway:
        alice = gateway.user("alice")
        bob = alice.contact("bob")
        assert isinstance(bob, blocking.Contact) and repr(bob) == repr(bob.original)  # type: ignore[attr-defined]
        message = bob.send("hello", wait="delivered", timeout=DELIVERY)
        assert message.delivered and next(bob.messages(limit=1)).id == message.id
        assert [user.name for user in gateway.users()][:2] == ["alice", "bob"]
        assert gateway.api.get_user(1)["user"]["localDisplayName"] == "alice"
        seen: list[str] = []

        @gateway.on_message(user=2)
        def echo(message: blocking.Message) -> None:
            seen.append(message.reply(message.text + "!").text)

        import threading

        run = threading.Thread(target=lambda: gateway.run(cursor=FileCursor(tmp_path / "cursor")), daemon=True)
        run.start()
        end = time.monotonic() + SECONDS
        while not (tmp_path / "cursor").exists() and time.monotonic() < end:
            time.sleep(0.05)
        bob.send("echo")
        while not seen and time.monotonic() < end:
            time.sleep(0.05)
        assert seen == ["echo!"]
