"""Tests the bots: support desk, moderator and feed, each with a real gateway and people who write to the bot."""

import asyncio
import contextlib
import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = pathlib.Path(__file__).parent.resolve()
ROOT = FOLDER.parents[2]
TOOLS = ROOT / ".build/client-tools"
if pathlib.Path(sys.prefix) != TOOLS:
    # The package needs httpx, so this program runs again with the Python of the tools.
    os.execv(TOOLS / "bin/python", [TOOLS / "bin/python", *sys.argv])
sys.path.insert(0, str(ROOT / "openapi/clients/python/src"))
os.environ.setdefault("SIMPLEX_GATEWAY_PROGRAM", str(ROOT / ".build/release/simplex-gateway"))
from simplex_gateway.testing import Pair

# Seconds within which a step happens, even on a machine that is busy with other tests.
SECONDS = 180


class Bot:
    """A bot that runs as a separate program in a separate folder, with the key of alice."""

    def __init__(self, pair, name, *arguments, **variables):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=pair.folder))
        self.command = ["setpriv", "--pdeathsig", "KILL", sys.executable, "-u", FOLDER / name, *arguments]
        path = str(ROOT / "openapi/clients/python/src")
        self.environment = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "SXGW_URL": pair.url, **variables}
        self.environment |= {"SXGW_KEY": pair.bot_key(pair.alice), "PYTHONDONTWRITEBYTECODE": "1"}
        self.start()

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdout=log, stderr=subprocess.STDOUT
            )

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.kill()
        if error:
            print((self.folder / "log").read_text()[-4000:])

    async def link(self):
        """Waits until the bot follows the events, and returns the link that it prints then."""
        await until(lambda: list(self.folder.glob("*.cursor")), "the bot follows")
        return (self.folder / "log").read_text().split()[0]


async def until(condition, what):
    end = time.monotonic() + SECONDS
    while True:
        found = condition()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return found
        assert time.monotonic() < end, f"Not in {SECONDS} seconds: {what}"
        await asyncio.sleep(0.05)


async def texts(chat):
    """Returns the texts of messages that others have sent, without deleted messages."""
    messages = [message async for message in chat.messages(limit=100) if message.kind and message.received]
    return [message.text for message in messages[::-1] if "itemDeleted" not in message.data["meta"]]


async def comes(chat, text, count=1):
    """Wait for a message that begins with a text, and return it."""

    async def found():
        return [one for one in await texts(chat) if one.startswith(text)]

    async def enough():
        return len(await found()) >= count

    await until(enough, f"{text!r} comes {count} times to {chat.user.name}")
    values = await found()
    assert len(values) == count, values
    return values[-1]


async def with_team(gateway, name):
    """Makes a group of alice with bob as its admin. Returns the group as each of both sees it."""
    alice, bob = await gateway.user("alice"), await gateway.user("bob")
    since = await gateway.now()
    group = await alice.create_group(name)
    await group.invite(await alice.contact("bob"), "admin")
    await gateway.wait_for("receivedGroupInvitation", user=bob, since=since)
    joined = await bob.group(name)
    await joined.accept()
    await gateway.wait_for("connectedToGroupMember", "joinedGroupMember", user=alice, since=since)
    return group, joined


async def support():
    with Pair() as pair:
        async with pair.gateway() as gateway:
            _, team = await with_team(gateway, "team")
            with Bot(pair, "support.py", "team") as bot:
                carol = await gateway.create_user("carol")
                since = await gateway.now()
                await gateway.api.create_connection(carol.id, {"connLink": await bot.link()})
                desk = await until(lambda: first(carol.groups()), "carol has a chat with the desk")
                # The greeting may arrive before carol is an active member.
                await gateway.wait_for("userJoinedGroup", user=carol, since=since)
                await comes(desk, "Hello!")
                menu = (await gateway.user("alice")).data["profile"]["preferences"]["commands"]
                assert [one["keyword"] for one in menu] == ["help", "status"], menu
                await desk.send("/status")
                await comes(desk, "You have no open ticket")
                await desk.send("The light is red")
                await comes(desk, "Thank you. Which product")
                # The conversation continues although the bot and the gateway are killed.
                bot.kill()
                await desk.send("Lamp 3")
                pair.kill()
                pair.start()
                bot.start()
                await comes(desk, "Your ticket is #1")
                question = await comes(team, "#1 carol, Lamp 3: The light is red")
                await desk.send("And it blinks")
                await comes(team, "#1 carol: And it blinks")
                async for message in team.messages(limit=20):
                    if message.text == question:
                        await team.send("Turn it off and on", reply_to=message)
                await comes(desk, "Turn it off and on")
                # A customer cannot use commands of the team.
                await desk.send("/close 1")
                await comes(team, "#1 carol: /close 1")
                await team.send("/open")
                await comes(team, "Open: #1")
                await team.send("/close 1")
                await comes(team, "#1 is closed")
                await comes(desk, "Your ticket is closed")
                await team.send("/answer 1 more")
                await comes(team, "There is no open ticket 1")
                await team.send("/tell We are closed on Sunday")
                await comes(desk, "We are closed on Sunday")
                await comes(team, "Sent to ")
                # All messages at once, since the limit counts those of a minute.
                await asyncio.gather(*(desk.send(f"again {number}") for number in range(25)))
                await comes(desk, "You write too fast")


async def moderator():
    with Pair() as pair:
        async with pair.gateway() as gateway:
            group, team = await with_team(gateway, "club")
            with Bot(pair, "moderator.py", "club", "casino", COOL_DOWN="3") as bot:
                carol = await gateway.create_user("carol")
                joined = await carol.join(await bot.link())
                question = await comes(joined.support(), "Welcome!")
                await joined.support().send("99")
                await comes(joined.support(), "That is not the answer")
                left, right = [int(part) for part in question.rstrip("?").split() if part.isdigit()]
                bot.kill()
                await joined.support().send(str(left + right))
                bot.start()
                await comes(joined.support(), "Right.")
                await until(lambda: may_write(joined), "carol may write")
                await joined.send("hello, club")
                await comes(team, "hello, club")
                await joined.send("Visit my CASINO!")
                await comes(joined.support(), "Cool down")
                await until(lambda: lacks(team, "Visit my CASINO!"), "the message is deleted")
                await until(lambda: may_write(joined), "carol may write again")
                await team.send("/forbid bank")
                await comes(team, "Forbidden words: 2")
                await joined.send("my bank")
                await comes(joined.support(), "Cool down", 2)
                await until(lambda: may_write(joined), "carol may write again")
                await joined.send("the bank")
                await until(lambda: has_role(group, "carol", None), "carol is removed")
                # The time for the answer begins when dave joins. Before it can end, the bot is away.
                bot.kill()
                dave = await gateway.create_user("dave")
                silent = await dave.join(await bot.link())
                await until(lambda: has_role(group, "dave", "observer"), "dave waits")
                bot.environment["ANSWER_SECONDS"] = "8"
                bot.start()
                await comes(silent.support(), "Welcome!")
                await until(lambda: has_role(group, "dave", None), "dave is removed")


async def lacks(chat, text):
    return text not in await texts(chat)


async def may_write(group):
    return (await group.user.group(group.id)).data["membership"]["memberRole"] == "member"


async def has_role(group, name, role):
    found = [
        one["memberRole"]
        async for one in group.members()
        if one["localDisplayName"] == name and one["memberStatus"] not in ("removed", "left")
    ]
    return found == ([] if role is None else [role])


ENTRY = "<item><title>{0}</title><guid>{0}</guid><link>http://127.0.0.1/{0}</link></item>"
ATOM = "<entry><title>{0}</title><id>{0}</id><link href='http://127.0.0.1/{0}'/></entry>"


def rss(*names):
    return f"<rss><channel>{''.join(ENTRY.format(name) for name in reversed(names))}</channel></rss>"


class Feed(http.server.BaseHTTPRequestHandler):
    """A web server whose feed the test sets."""

    body = rss("old", "first")
    count = 0

    def do_GET(self):
        type(self).count += 1
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(type(self).body.encode())

    def log_message(self, *arguments):
        pass


async def next_rounds():
    count = Feed.count
    await until(lambda: Feed.count >= count + 2, "the bot reads the feed")


async def feed():
    with Pair() as pair, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Feed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        async with pair.gateway() as gateway:
            alice, bob = await gateway.user("alice"), await gateway.user("bob")
            hub = await gateway.create_user("hub", userChatRelay=True)
            await alice.add_channel_relay(await hub.address(), "hub")
            channel = await alice.create_channel("news")
            followed = await bob.join(channel.link)
            url = f"http://127.0.0.1:{server.server_port}/feed"
            with Bot(pair, "feed.py", url, "news", "0.3") as bot:
                await comes(followed, "first")
                Feed.body = rss("old", "first", "second")
                assert await comes(followed, "second") == "second\nhttp://127.0.0.1/second"
                laughs = "".join(f"<!ENTITY l{n + 1} '{f'&l{n};' * 10}'>" for n in range(9))
                hostile = [
                    f"<!DOCTYPE rss [<!ENTITY l0 'ha'>{laughs}]><rss><item><title>&l9;</title></item></rss>",
                    "<a>" * 100_000,
                    "<rss>" + " " * (3 << 20) + "</rss>",
                    "<rss><item><title>broken",
                    "<rss><item/><item><link>javascript:1</link></item></rss>",
                ]
                for body in hostile:
                    Feed.body = body
                    await next_rounds()
                bot.kill()
                Feed.body = f"<feed xmlns='http://www.w3.org/2005/Atom'>{ATOM.format('third')}</feed>"
                bot.start()
                await comes(followed, "third")
                Feed.body = rss(*(f"many {number}" for number in range(12)))
                await until(lambda: contains(followed, "many 11"), "the last of many comes")
                await next_rounds()
                found = [text.partition("\n")[0] for text in await texts(followed)]
                assert found == ["first", "second", "third", *(f"many {number}" for number in range(12))], found
                log = (bot.folder / "log").read_text()
                assert "document type" in log and "nested too deep" in log and "too long" in log, log
        server.shutdown()


async def contains(chat, text):
    return any(one.startswith(text) for one in await texts(chat))


async def first(values):
    async for value in values:
        return value


for name in sys.argv[1:] or ["support", "moderator", "feed"]:
    asyncio.run(globals()[name]())
