"""A test of a conversation of two people over a network with latency and loss. CONVERSATION_SECONDS sets its
duration: CONVERSATION_SECONDS=600 sh deploy/web-client-test -k conversation
"""

import asyncio
import os
import random
import threading
import time

from browser import expect, support
from steps import act, react

# The time in seconds for which the two people write.
DURATION = float(os.environ.get("CONVERSATION_SECONDS", "15"))
# The time in seconds that each segment needs in each direction.
LATENCY = 0.1
# The share of segments and of requests for connections that are lost, and the time in seconds until TCP sends a segment
# again, which doubles with each loss of the same segment.
LOSS = 0.05
REPEATED_AFTER = 0.2
# The bytes of a segment of TCP.
SEGMENT = 1460


class SlowLine:
    """The address of a gateway behind a network with latency and loss. Each lost segment delays all segments behind it,
    as in TCP.
    """

    def __init__(self, gateway, seed):
        self.key, self.port, self.random = gateway.key, support.free_port(), random.Random(seed)
        self.url, self.to = f"http://127.0.0.1:{self.port}", int(gateway.url.rsplit(":", 1)[1])
        self.segments = self.lost = 0

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        serving = asyncio.start_server(self.connected, "127.0.0.1", self.port, limit=SEGMENT)
        asyncio.run_coroutine_threadsafe(serving, self.loop).result()
        return self

    def __exit__(self, *_):
        async def end():
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def delay(self, repeated_after):
        """Returns the time in seconds until a segment has arrived."""
        delay = LATENCY
        self.segments += 1
        while self.random.random() < LOSS:
            self.lost += 1
            delay += repeated_after
            repeated_after *= 2
        return delay

    async def connected(self, reader, writer):
        # TCP sends a lost request for a connection again after one second, so the delay may contain this time.
        await asyncio.sleep(self.delay(1))
        answers, to_gateway = await asyncio.open_connection("127.0.0.1", self.to, limit=SEGMENT)
        await asyncio.gather(self.carry(reader, to_gateway), self.carry(answers, writer))

    async def carry(self, reader, writer):
        """Carries the bytes of one direction, in order."""
        segments = asyncio.Queue()

        async def deliver():
            while True:
                at, segment = await segments.get()
                await asyncio.sleep(at - self.loop.time())
                if not segment:
                    return writer.close()
                writer.write(segment)

        delivering, last = asyncio.create_task(deliver()), 0
        try:
            segment = None
            while segment != b"":
                segment = await reader.read(SEGMENT)
                last = max(last, self.loop.time() + self.delay(REPEATED_AFTER + 2 * LATENCY))
                segments.put_nowait((last, segment))
            await delivering
        except OSError:
            # One side has closed the connection, so the other side is closed too.
            delivering.cancel()
            writer.close()


class Person:
    """A person who writes in the page. `sent` has the final texts of the messages in order."""

    def __init__(self, name, other, visitor, seed):
        self.name, self.other, self.visitor, self.page = name, other, visitor, visitor.page
        self.box = visitor.page.get_by_role("textbox", name="Message")
        # `reactions` has the ids of the elements of the messages to which the person has reacted.
        self.random, self.sent, self.reactions, self.next = random.Random(seed), [], set(), 0.0

    def received(self):
        """Returns the newest message of the other person that the page shows."""
        return self.page.locator("chat-item-view:not(.sent)", has_text=self.other).last

    def typed(self, text):
        """Types a text with the pauses of people, in seconds, and corrects a wrong letter now and then."""
        self.box.focus()
        for letter in text:
            if self.random.random() < 0.03:
                self.page.keyboard.type("x")
                yield 0.2
                self.page.keyboard.press("Backspace")
                yield 0.1
            if letter == "\n":
                self.page.keyboard.press("Shift+Enter")
            else:
                self.page.keyboard.type(letter)
            yield self.random.uniform(0.05, 0.11)

    def message(self, text):
        yield from self.typed(text)
        self.page.keyboard.press("Enter")
        self.sent.append(text)

    def life(self):
        """Does in turn what people do in a conversation. Yields the pauses between the actions, in seconds."""
        while True:
            text = f"{self.name} {len(self.sent)}: {self.random.choice(TEXTS)}"
            kind = self.random.choice(["text"] * 4 + ["quick", "reply", "edit", "reaction", "picture", "elsewhere"])
            has_received = self.received().count() and len(self.sent)
            if kind == "quick":
                yield from self.message(f"{self.name} {len(self.sent)}: hi")
                yield from self.message(f"{self.name} {len(self.sent)}: how are you?")
            elif kind == "reply" and has_received:
                act(self.visitor, self.received(), "Reply")
                yield from self.message(text)
            elif kind == "edit" and self.sent and not self.page.locator("queued-item-view").count():
                self.box.focus()
                self.page.keyboard.press("ArrowUp")
                yield 0.5
                yield from self.typed(" (corrected)")
                # If the items of the chat are not loaded yet, the edit begins later. The page sends nothing before.
                expect(self.page.locator(".about")).to_contain_text(f"{self.name} {len(self.sent) - 1}:")
                self.page.keyboard.press("Enter")
                self.sent[-1] += " (corrected)"
            elif kind == "reaction" and has_received:
                # The message is found again by its id, because a newer one may arrive and its text may be edited.
                item = self.received().get_attribute("id")
                if item not in self.reactions:
                    self.reactions.add(item)
                    react(self.visitor, self.page.locator(f"#{item}"), "👍")
            elif kind == "picture":
                picture = support.ROOT / "Sources/WebClient/client/icon.png"
                self.page.locator("input[type=file]").first.set_input_files(picture)
                self.page.locator(".tray canvas").wait_for()
                yield from self.message(text)
            elif kind == "elsewhere":
                yield from self.typed(text)
                self.page.get_by_role("link", name="Private notes").click()
                expect(self.page.get_by_role("heading", name="Private notes")).to_be_visible()
                yield 1
                self.page.get_by_role("link", name=self.other).click()
                # The page has kept the text.
                expect(self.box).to_have_value(text)
                self.box.press("Enter")
                self.sent.append(text)
            else:
                yield from self.message(text)
            yield self.random.uniform(0.3, 3)


TEXTS = [
    "yes",
    "Shall we meet at ten, or is that too early for you?",
    "two lines\nin one message",
    "مرحبا كيف حالك",
    "a smile 😀 and a family 👨‍👩‍👧",
    "I have been thinking about the tent, and I believe that the small one is enough for the two of us.",
    "<b>no markup</b> & 'quotes'",
]


def messages(gateway, user, peer):
    """Returns the messages of both people as a profile has them, in order."""
    items = gateway.call("GET", f"/v1/users/{user}/chats/direct/{peer}?limit=1000")["chat"]["chatItems"]
    return [it for it in items if it["content"]["type"].endswith("MsgContent")]


def texts_of(items):
    return [it["content"]["msgContent"]["text"] for it in items]


def by_author(texts):
    return {name: [text for text in texts if text.startswith(f"{name} ")] for name in ("alice", "bob")}


def shown(page):
    """Returns the texts of the messages that the page has loaded, in order, with single spaces."""
    return [" ".join(text.split()) for text in page.locator("framed-item-view > msg-content-view").all_inner_texts()]


def test_a_conversation_over_a_slow_and_lossy_network(visit, gateway):
    """Each message arrives once, unchanged and in the order of its author, in both pages and in both profiles."""
    with SlowLine(gateway, 1) as first, SlowLine(gateway, 2) as second:
        people = []
        for number, (name, other, line, peer) in enumerate(
            [("alice", "bob", first, gateway.bob), ("bob", "alice", second, gateway.alice)], 1
        ):
            visitor = visit(to=line)
            # The page repeats a request that takes too long, so the browser's messages about it are no faults.
            visitor.awaits_outage = True
            visitor.sign_in(place=f"#/{number}/direct/{peer}")
            people.append(Person(name, other, visitor, number))
            expect(people[-1].box).to_be_visible()
        began = time.monotonic()
        lives = {person: person.life() for person in people}
        while lives:
            person = min(lives, key=lambda each: each.next)
            person.page.wait_for_timeout(max(0.0, person.next - time.monotonic()) * 1000)
            is_over, count = time.monotonic() - began > DURATION, len(person.sent)
            person.next = time.monotonic() + next(lives[person])
            # A person stops only after the message that is being written was sent.
            if is_over and len(person.sent) > count:
                del lives[person]
        sent = {person.name: person.sent for person in people}
        reactions = sum(len(person.reactions) for person in people)
        for user, (person, peer) in enumerate(zip(people, [gateway.bob, gateway.alice]), 1):
            of_profile = lambda: messages(gateway, user, peer)
            has_all = lambda: by_author(texts_of(of_profile())) == sent
            gateway.until(has_all, f"the profile of {person.name} has all messages")
            has_reactions = lambda: sum(len(it["reactions"]) for it in of_profile()) == reactions
            gateway.until(has_reactions, f"the profile of {person.name} has all reactions")
            expect(person.page.locator("queued-item-view")).to_have_count(0)
            whole = [" ".join(text.split()) for text in texts_of(of_profile())]
            assert len(whole) == sum(map(len, sent.values()))
            # The page shows the newest messages as the profile has them.
            least = min(50, len(whole))
            as_profile = lambda: len(texts := shown(person.page)) >= least and texts == whole[len(whole) - len(texts) :]
            gateway.until(as_profile, f"the page of {person.name} shows all messages")
        print(
            f"{DURATION:.0f} seconds, {[len(person.sent) for person in people]} messages, {reactions} reactions,"
            f" {first.segments + second.segments} segments, {first.lost + second.lost} lost"
        )
