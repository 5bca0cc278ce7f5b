#!/usr/bin/env python3
"""Posts the entries of an RSS or Atom feed to a channel, each once.

    SXGW_KEY=... feed.py URL CHANNEL [SECONDS]

CHANNEL is the name of a channel that the profile of the key owns. The feed is read every 600 seconds, or as given. A
feed may have at most 2 MiB, and must arrive within 30 seconds. A feed with a document type is refused, because its
entities could expand to a large text. At most 5 entries are posted in each round; the first round posts the newest one
alone.
"""

import asyncio
import contextlib
import hashlib
import html
import re
import sys
import time
import urllib.request
from xml.etree import ElementTree

from simplex_gateway import AlreadyDone, FileCursor, Gateway, once
from simplex_gateway.bots import Bot

MAX_BYTES, MAX_SECONDS, MAX_DEPTH, MAX_ENTRIES, MAX_POSTS, MAX_SEEN = 2 << 20, 30, 64, 500, 5, 2000
URL, CHANNEL = sys.argv[1], sys.argv[2]
bot = Bot(Gateway.from_env(), "feed.state", group=CHANNEL)


class Tree(ElementTree.TreeBuilder):
    """Builds a tree of limited depth, and refuses a document type."""

    depth = 0

    def doctype(self, *arguments: object) -> None:
        raise ValueError("The feed has a document type.")

    def start(self, *arguments):
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError("The elements of the feed are nested too deep.")
        return super().start(*arguments)

    def end(self, *arguments):
        self.depth -= 1
        return super().end(*arguments)


def fetch() -> bytes:
    """Reads the bytes of the feed."""
    end, data = time.monotonic() + MAX_SECONDS, b""
    request = urllib.request.Request(URL, headers={"User-Agent": "simplex-gateway-feed"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        while part := answer.read1(65_536):
            data += part
            if len(data) > MAX_BYTES or time.monotonic() > end:
                raise ValueError("The feed is too long or too slow.")
    return data


def entries(data: bytes) -> list[tuple[str, str]]:
    """Returns the names and texts of the entries, the newest last."""
    found = []
    for entry in ElementTree.fromstring(data, ElementTree.XMLParser(target=Tree())).iter():
        if entry.tag.rpartition("}")[2] not in ("item", "entry") or len(found) == MAX_ENTRIES:
            continue
        parts = {child.tag.rpartition("}")[2]: child for child in reversed(entry)}
        text = {name: " ".join((child.text or "").split()) for name, child in parts.items()}
        link = text.get("link") or (parts["link"].get("href", "") if "link" in parts else "")
        title = html.unescape(re.sub(r"<[^>]{0,200}>", "", text.get("title", "")))[:500]
        link = link if re.match(r"https?://\S+$", link) and len(link) <= 1000 else ""
        if title or link:
            name = text.get("guid") or text.get("id") or link or title
            found.append((hashlib.sha256(name.encode()).hexdigest()[:24], f"{title}\n{link}".strip()))
    return found[::-1]


@bot.every(float(sys.argv[3]) if len(sys.argv) > 3 else 600)
async def post() -> None:
    found = entries(await asyncio.to_thread(fetch))
    seen = bot.store.get(f"seen/{URL}")
    new = [(name, text) for name, text in found if name not in (seen or [])]
    # The first round posts only the last entry.
    skipped, new = ([], new[:MAX_POSTS]) if seen is not None else (new[:-1], new[-1:])
    seen = [*(seen or []), *(name for name, _ in skipped)]
    for name, text in new:
        # If the text of an entry has changed after a crash, the entry was posted before the crash.
        with contextlib.suppress(AlreadyDone), once(f"{bot.group.ref}-{name}"):
            await bot.group.send(text)
        seen.append(name)
        bot.store.set(f"seen/{URL}", seen[-MAX_SEEN:])


asyncio.run(bot.run(cursor=FileCursor("feed.cursor")))
