"""The programs of a soak, the actions of their profiles, and the troubles of the programs."""

import asyncio
import collections
import hashlib
import json
import pathlib
import random
import re
import signal
import subprocess
import threading
import time
import traceback

from .accounting import Ledger, untold
from .calls import Calls
from .drawing import drawing, summary
from .keeping import Kept
from .profiles import Gateway, Original, Ours
from .programs import Clock, Line, Program, Unanswered, until
from .readers import Follower, Hooks

# Seconds by which a clock differs from the true time: less than the age after which idempotency keys (a day) and files
# (two days) are deleted.
JUMPS = [-6 * 3600, -3600, -90, -5, 0, 5, 90, 3600, 6 * 3600]


def mount_disk(file, mebibytes, place):
    """Mounts a file as a separate file system. Makes the file if it does not exist. The file keeps its contents while
    it is not mounted."""
    if not file.exists():
        with open(file, "wb") as made:
            made.truncate(mebibytes << 20)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", file], check=True)
    subprocess.run(["mount", "-o", "loop", file, place], check=True)


class World:
    """Two gateways with profiles that are contacts, and a third gateway that serves a channel. One of the two gateways
    has a second profile, which only reads the channel."""

    def __init__(self, options):
        self.options, self.folder = options, pathlib.Path(options.folder).resolve()
        self.kept = kept = Kept.find(self.folder)
        self.folder.mkdir(parents=True, exist_ok=kept is not None or not any(self.folder.glob("*")))
        self.executable = str(pathlib.Path(options.program).resolve())
        self.seed = options.seed if options.seed is not None else random.randrange(1 << 30)
        self.chance = random.Random(self.seed)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.message_line, self.file_line = [Line(self.loop, *ports) for ports in (kept.lines if kept else [(), ()])]
        place = self.folder / "gateways"
        place.mkdir(exist_ok=True)
        if options.disk:
            mount_disk(self.folder / "disk", options.disk, place)
        Clock.prepare(self.folder)
        relays = self.folder / "relays"
        self.relay = Program(
            "relay",
            relays,
            [
                self.executable,
                "relay",
                "--data",
                relays / "messages",
                "--port",
                str(self.message_line.target),
                "--quota",
                "20000",
            ],
            clock=True,
        )
        self.file_relay = Program(
            "file-relay",
            relays,
            [self.executable, "relay", "--files", "--data", relays / "files", "--port", str(self.file_line.target)],
            clock=True,
        )
        for relay in (self.relay, self.file_relay):
            relay.start()
        self.messages = self.address(self.relay, "smp", self.message_line)
        self.files = self.address(self.file_relay, "xftp", self.file_line)
        self.alice, self.bob, self.hub = self.gateways = [
            Gateway(name, place, self) for name in ("alice", "bob", "hub")
        ]
        self.originals = [
            Original(f"original{i + 1}", self.folder, self, path) for i, path in enumerate(options.original)
        ]
        # Friends are contacts of each other and members of the group. Bea only reads the channel.
        self.friends = [Ours("alice", self.alice), Ours("bob", self.bob), *self.originals]
        self.people = [*self.friends, Ours("bea", self.bob)]
        self.programs = [
            *(gateway.program for gateway in self.gateways),
            self.relay,
            self.file_relay,
            *(person.program for person in self.originals),
        ]
        self.ledger, self.figures, self.troubles = Ledger(), [], collections.Counter()
        self.unexpected, self.over, self.minutes = [], threading.Event(), options.minutes

    def address(self, relay, scheme, line):
        text = until(
            lambda: re.search(rf"{scheme}://[^@\s]+@127\.0\.0\.1:\d+", relay.log.read_text()),
            f"{relay.name} starts",
            60,
        )[0]
        return text.rsplit(":", 1)[0] + f":{line.port}"

    def start(self):
        for starting in (*self.gateways, *self.originals):
            starting.start()
        if self.kept:
            self.kept.restore(self)
            print(f"Goes on after {self.minutes - self.options.minutes:g} minutes.")
        else:
            self.connect()
            self.hooks = Hooks(random.Random(self.seed))
            self.hook = self.bob.repeat_until_answered(
                "POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{self.hooks.port}/hook", "types": ["newChatItems"]}
            )["webhook"]["webhookId"]
            self.followers = {gateway: Follower(gateway) for gateway in (self.alice, self.bob)}
            self.calls = Calls(self.friends, random.Random(self.seed))
        print("Everyone is connected.", flush=True)

    def connect(self):
        for person in self.people:
            person.create()
        for i, first in enumerate(self.friends):
            for second in self.friends[i + 1 :]:
                if isinstance(first, Original):
                    continue
                second.accept(first.invite())
                until(
                    lambda: second.name in first.connected() and first.name in second.connected(),
                    f"{first.name} and {second.name} are connected",
                    180,
                )
        for person in self.friends:
            person.contacts = person.connected()
        owner, *others = self.friends
        owner.create_group("team")
        for person in others:
            owner.add(owner.contacts[person.name], "team")
            person.join("team")
        everyone = {person.name for person in self.friends}
        for person in self.friends:
            until(lambda: person.present("team") >= everyone - {person.name}, f"{person.name} has all members", 300)
        self.open_channel(owner)

    def open_channel(self, owner):
        """Opens a channel that the hub serves. All people subscribe to it, and the friends may write in it."""
        relay = Ours("hub", self.hub)
        relay.create(userChatRelay=True)
        link = owner.create_channel(
            "news", relay.repeat_until_answered("POST", "address")["connLinkContact"]["connShortLink"]
        )
        subscribers = [person for person in self.people if person is not owner and person.knows_channels]
        for person in subscribers:
            person.join_channel("news", link)
        writers = [person.name for person in self.friends if person in subscribers]
        until(lambda: set(writers) <= set(owner.member_roles("news")), f"{owner.name} has the subscribers", 180)
        owner.let_write("news", writers)
        for person in subscribers:
            if person.name in writers:
                until(
                    lambda: person.membership("news")["memberRole"] == "member",
                    f"{person.name} may write in the channel",
                    180,
                )
            # The profiles of other people arrive with their first messages. Until then they have no names.
            others = len([name for name in writers if name != person.name])
            until(
                lambda: [m["memberRole"] for m in person.members("news")].count("member") >= others,
                f"{person.name} knows who writes in the channel",
                180,
            )

    def talk(self, person, seed):
        """Sends the messages of one person. A message is sent after the answer to the message before it, so that their
        order is known."""
        chance, number = random.Random(seed), self.ledger.written(person)
        while not self.over.wait(chance.expovariate(1 / (self.options.pause * len(self.friends)))):
            chat = chance.choice([*person.contacts, "team", *person.groups])
            number += 1
            text = f"{person.name}>{chat}#{number}"
            file = chance.randbytes(chance.choice([1, 1_000, 200_000, 3_000_000])) if chance.random() < 0.03 else None
            entry = [text, False]
            self.ledger.sent[person.name, chat].append(entry)
            try:
                entry[1] = person.send(chat, text, file)
                if file is not None:
                    self.ledger.digests[text] = hashlib.sha256(file).hexdigest()
            except Unanswered as error:
                if isinstance(person, Ours):
                    self.unexpected.append(f"given up: {error}")
                else:
                    person.reconnect()
            except TimeoutError as error:
                self.unexpected.append(str(error))
            except Exception:
                self.unexpected.append(traceback.format_exc())

    def trouble(self):
        kinds = ["kill gateway"] * 3 + [
            "kill relay",
            "kill file relay",
            "cut",
            "cut",
            "cut files",
            "silence",
            "stop",
            "terminate",
        ]
        if Clock.library:
            kinds += ["clock"] * 4
        if self.options.disk:
            kinds.append("full disk")
        if self.originals:
            kinds.append("kill original")
        while not self.over.wait(self.chance.expovariate(1 / self.options.trouble)):
            kind = self.chance.choice(kinds)
            try:
                self.make(kind)
                self.troubles[kind] += 1
            except Exception:
                self.unexpected.append(f"trouble {kind}: {traceback.format_exc()}")

    def make(self, kind):
        gateway = self.chance.choice(self.gateways)
        match kind:
            case "kill gateway" | "terminate":
                with gateway.program.lock:
                    gateway.program.kill(signal.SIGTERM if kind == "terminate" else signal.SIGKILL)
                    time.sleep(self.chance.choice([0, 0, 2, 15]))
                    gateway.start()
            case "kill relay" | "kill file relay":
                relay = self.relay if kind == "kill relay" else self.file_relay
                relay.kill()
                time.sleep(self.chance.choice([0, 3]))
                relay.start()
            case "cut":
                self.message_line.cut(self.chance.choice([0, 5, 20]))
            case "cut files":
                self.file_line.cut(self.chance.choice([0, 5]))
            case "silence":
                self.message_line.silence(self.chance.choice([5, 40]))
            case "stop":
                process = gateway.program.process
                process.send_signal(signal.SIGSTOP)
                time.sleep(self.chance.choice([3, 30]))
                process.send_signal(signal.SIGCONT)
            case "clock":
                program = self.chance.choice([program for program in self.programs if program.clock])
                program.clock.jump(self.chance.choice(JUMPS))
            case "full disk":
                self.fill(self.chance.choice([5, 20]))
            case "kill original":
                person = self.chance.choice(self.originals)
                person.program.kill()
                person.program.start()
                person.reconnect()

    def fill(self, seconds):
        filler = self.folder / "gateways" / "filler"
        try:
            with open(filler, "wb") as file:
                while True:
                    file.write(bytes(1 << 20))
                    file.flush()
        except OSError:
            time.sleep(seconds)
        finally:
            filler.unlink(missing_ok=True)

    def observe(self):
        # After a pause between two parts of a soak, the picture continues at the time at which it ended.
        start = time.monotonic() - (self.figures[-1]["time"] if self.figures else 0)
        while not self.over.wait(5):
            row = {"time": time.monotonic() - start}
            for program in self.programs:
                if (status := program.died()) is not None:
                    self.unexpected.append(f"{program.name} ended by itself with {status}")
                    program.start()
                if figures := program.figures():
                    row[program.name] = figures
            row["databases"] = {place.name: place.sizes() for place in (*self.gateways, *self.originals)}
            self.figures.append(row)

    def accept_files(self):
        while not self.over.wait(20):
            for person in self.people:
                for chat in person.chats:
                    try:
                        person.take_files(chat, 200)
                    except (Unanswered, RuntimeError, OSError):
                        pass

    def run(self):
        print(f"Originals: {', '.join(self.options.original) or 'none (--original PATH names one)'}.")
        print(f"Clocks: {'jump' if Clock.library else 'stay right, as there is no C compiler (cc or clang)'}.")
        print(
            f"Disk: {'full at times' if self.options.disk else 'never full (--disk MIB, as root)'}; seed {self.seed}.",
            flush=True,
        )
        self.start()
        tasks = [self.task(self.talk, person, self.seed + i + 1) for i, person in enumerate(self.friends)]
        tasks += [self.task(action) for action in (self.trouble, self.observe, self.accept_files)]
        tasks.append(self.task(self.calls.run, self.over, self.options.calls))
        end = time.monotonic() + self.options.minutes * 60
        while time.monotonic() < end:
            time.sleep(min(60, max(0, end - time.monotonic())))
            memory = ", ".join(
                f"{name} {figures[0] >> 20}"
                for name, figures in (self.figures or [{}])[-1].items()
                if isinstance(figures, tuple)
            )
            print(
                f"{time.strftime('%H:%M')} {self.ledger.counts()['messages']} messages, {len(self.ledger.digests)} files, {len(self.calls.made)} calls, "
                f"troubles {sum(self.troubles.values())}, unexpected {len(self.unexpected) + len(self.calls.failed)}; MiB: {memory}",
                flush=True,
            )
        self.over.set()
        for task in tasks:
            task.join()
        return self.settle()

    def task(self, action, *arguments):
        """Starts a thread. If the action of the thread fails, this is reported."""

        def run():
            try:
                action(*arguments)
            except Exception:
                self.unexpected.append(f"{action.__name__} ended: {traceback.format_exc()}")

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def wrong(self):
        found = (
            self.ledger.wrong(self.people)
            + untold(self.people, self.followers, self.hooks, self.bob)
            + self.calls.wrong(self.friends, self.followers)
        )
        hook = self.bob.call("GET", f"/v1/webhooks/{self.hook}")
        if hook.get("waiting"):
            found.append(f"{hook['waiting']} events wait for the webhook")
        return found

    def settle(self):
        print("Quiet; everything has to arrive now.", flush=True)
        start, wrong, rounds = time.monotonic(), ["nothing was compared"], 0
        while wrong and time.monotonic() < start + 900:
            time.sleep(5)
            for program in self.programs:
                if program.died() is not None:
                    self.unexpected.append(f"{program.name} ended by itself")
                    program.start()
            rounds += 1
            try:
                wrong = self.wrong()
            except (Unanswered, RuntimeError, TimeoutError, OSError) as error:
                wrong = [repr(error)]
                for person in self.originals:
                    person.reconnect()
            if wrong and rounds % 6 == 0:
                print("not yet:", *wrong[:5], sep="\n  ", flush=True)
        report = {
            "seed": self.seed,
            "minutes": self.minutes,
            "originals": self.options.original,
            **self.ledger.counts(),
            "files": len(self.ledger.digests),
            "lost by originals that were killed": sorted(map(" ".join, self.ledger.swallowed)),
            "calls": {
                "made": len(self.calls.made),
                "over": sum(call["over"] for call in self.calls.made),
                "taken": sum(call["taken"] for call in self.calls.made),
                "cut off": sum(call["cut off"] for call in self.calls.made),
            },
            "events": {gateway.name: len(follower.ids) for gateway, follower in self.followers.items()},
            "webhooks": len(self.hooks.ids),
            "troubles": dict(self.troubles),
            "starts": {program.name: program.starts for program in self.programs},
            "clocks": {program.name: program.clock.offset for program in self.programs if program.clock},
            "seconds until all was there": round(time.monotonic() - start),
            "figures": summary(self.figures),
            "unexpected": self.unexpected[:20],
            "wrong": wrong,
        }
        (self.folder / "soak.json").write_text(json.dumps(report, indent=1))
        (self.folder / "soak.svg").write_text(drawing(self.figures))
        Kept.write(self)
        figures = report.pop("figures")
        print(json.dumps(report, indent=1))
        print("Start, end and highest:")
        for title, programs in figures.items():
            print(
                f"  {title}: "
                + "; ".join(f"{name} {f['start']:g} {f['end']:g} {f['highest']:g}" for name, f in programs.items())
            )
        return not wrong and not self.unexpected

    def stop(self):
        self.over.set()
        for program in self.programs:
            if program.process and program.died() is None:
                program.process.send_signal(signal.SIGCONT)
                program.kill(signal.SIGTERM)
        if self.options.disk:
            subprocess.run(["umount", self.folder / "gateways"], check=True)
