"""The program of deploy/stress: see there."""

import http.client
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

program, rounds, kills, core = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
seed = int(os.environ.get("STRESS_SEED") or random.randrange(1 << 32))

START_SECONDS = 120  # for a start while the busy loops run
STILL_SECONDS = 120  # without any message until the test gives up; a relay gets a message again within 75 seconds
REQUEST_SECONDS = 300  # for a request with its repetitions


class Failed(Exception):
    pass


class Process:
    """A program whose output goes to a file."""

    def __init__(self, arguments, log, pinned):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                (["taskset", "-c", core] if pinned else []) + arguments, stdout=output, stderr=output
            )

    def line(self, title, stopped=lambda: False):
        """Waits for a line that begins with the title, and returns its rest. Returns None if the process has ended, or
        if `stopped` is true."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and not stopped():
            ended = self.process.poll() is not None
            with open(self.log, errors="replace") as lines:
                for line in lines:
                    if line.startswith(title) and line.endswith("\n"):
                        return line[len(title) :].strip()
            if ended:
                return None
            time.sleep(0.02)
        if stopped():
            return None
        raise Failed(f"{self.log}: no {title} within {START_SECONDS} s")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Side:
    """A gateway with its folder. It is killed and started again while other threads use it."""

    def __init__(self, name, folder, relay):
        self.name, self.folder = name, os.path.join(folder, name)
        self.arguments = [
            program,
            "serve",
            "--data",
            self.folder,
            "--port",
            "0",
            "--no-relay",
            "--smp-server",
            relay,
            "--log-level",
            "debug",
        ]
        self.generation, self.url, self.contact = 0, None, None
        self.changed = threading.Condition()
        self.sent = 0
        self.answers_lost, self.replayed, self.errors = 0, 0, []
        self.stopping = False
        self.start()

    def start(self):
        generation = self.generation
        self.process = process = Process(self.arguments, f"{self.folder}-{generation}.log", pinned=True)

        def wait():
            try:
                url = process.line("URL:", lambda: self.generation != generation)
            except Failed as error:
                return self.errors.append(str(error))
            if url is None and self.generation == generation:
                self.errors.append(f"{process.log}: ended by itself: {process.process.returncode}")
            with self.changed:
                if self.generation == generation:
                    self.url = url
                self.changed.notify_all()

        threading.Thread(target=wait, daemon=True).start()

    def restart(self):
        with self.changed:
            self.generation += 1
            self.url = None
        self.process.kill()
        self.start()

    def running(self):
        with self.changed:
            if not self.changed.wait_for(lambda: self.url or self.errors, START_SECONDS) or not self.url:
                raise Failed(f"{self.name} does not run: {self.errors}")
            return self.url

    def once(self, url, method, target, body=None, idempotency_key=None, timeout=60):
        with open(os.path.join(self.folder, "admin.key")) as file:
            headers = {"Authorization": "Bearer " + file.read().strip(), "Content-Type": "application/json"}
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=timeout)
        try:
            connection.request(method, target, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return (
                answer.status,
                json.loads(answer.read() or b"{}"),
                answer.headers.get("Idempotent-Replayed") == "true",
            )
        finally:
            connection.close()

    def call(self, method, target, body=None, idempotency_key=None):
        """Repeats a request while it is not answered because the process was killed, or while the gateway is still
        executing it."""
        deadline = time.monotonic() + REQUEST_SECONDS
        while time.monotonic() < deadline:
            url = self.running()
            try:
                status, answer, replayed = self.once(url, method, target, body, idempotency_key)
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.05)
                continue
            if status == 503 or answer.get("code") == "requestInProgress":
                time.sleep(0.1)
                continue
            return status, answer, replayed
        raise Failed(f"{self.name}: {method} {target} was not answered within {REQUEST_SECONDS} s")

    def object(self, method, target, body=None):
        status, answer, _ = self.call(method, target, body)
        if not 200 <= status < 300:
            raise Failed(f"{self.name}: {method} {target}: {status} {answer}")
        return answer

    def post(self, numbers):
        """Returns the ids of the items (None if the answer was lost), and whether the gateway has repeated an earlier
        answer."""
        texts = [f"{self.name}-{number}" for number in numbers]
        body = {"composedMessages": [{"msgContent": {"type": "text", "text": text}, "mentions": {}} for text in texts]}
        status, answer, replayed = self.call(
            "POST", f"/v1/users/1/chats/direct/{self.contact}/messages", body, texts[0]
        )
        self.replayed += replayed
        if answer.get("code") == "answerLost":
            self.answers_lost += 1
            return None, replayed
        items = [item["chatItem"]["meta"] for item in answer.get("chatItems", [])]
        if status != 201 or [item["itemText"] for item in items] != texts:
            self.errors.append(f"{texts}: {status} {answer}")
        return [item["itemId"] for item in items], replayed

    def send(self, stop, chance):
        """Sends numbered messages. After each kill, also repeats the last request, which must get the same answer
        again."""
        try:
            generation, before = self.generation, None
            while not stop.is_set():
                numbers = range(self.sent + 1, self.sent + 1 + chance.choice((1, 1, 1, 4)))
                self.sent += len(numbers)
                items, _ = self.post(numbers)
                if before and self.generation != generation:
                    generation = self.generation
                    again, replayed = self.post(before[0])
                    if again and before[1] and (again != before[1] or not replayed):
                        self.errors.append(
                            f"{self.name}-{before[0][0]}: items {again} instead of {before[1]}, replayed: {replayed}"
                        )
                before = (numbers, items)
        except Failed as error:
            self.errors.append(str(error))

    def texts(self, sent):
        """Returns the numbered texts of the chat in order: the texts of the user if `sent` is set, otherwise the texts
        of the contact."""
        texts, cursor = [], ""
        while True:
            answer = self.object("GET", f"/v1/users/1/chats/direct/{self.contact}?limit=300{cursor}")
            items = answer["chat"]["chatItems"]
            page = [
                i["meta"]["itemText"] for i in items if i["chatDir"]["type"] == ("directSnd" if sent else "directRcv")
            ]
            texts = [t for t in page if t.rpartition("-")[2].isdigit()] + texts
            if not answer["next"]:
                return texts
            cursor = f"&cursor={answer['next']}"

    def events(self, enough=None):
        """Returns the numbered texts that the journal reports as received, in order."""
        texts, cursor, wait = [], "", 20 if enough else 0
        deadline = time.monotonic() + REQUEST_SECONDS
        while time.monotonic() < deadline:
            page = self.object("GET", f"/v1/events?limit=1000&timeout={wait}{cursor}")
            for entry in page["events"]:
                if enough and enough(entry["event"]):
                    return entry["event"]
                for item in entry["event"].get("chatItems", []) if entry["event"]["type"] == "newChatItems" else []:
                    text = item["chatItem"]["meta"]["itemText"]
                    if item["chatItem"]["chatDir"]["type"] == "directRcv" and text.rpartition("-")[2].isdigit():
                        texts.append(text)
            if not page["events"] and not enough:
                return texts
            cursor = "&cursor=" + page["cursor"]
        raise Failed(f"{self.name}: no end of the journal")

    def repeated(self):
        """Returns the number of messages that the other side has sent a second time, from the logs of this side."""
        count = 0
        for generation in range(self.generation + 1):
            with open(f"{self.folder}-{generation}.log", errors="replace") as lines:
                count += sum("a message came again" in line for line in lines)
        return count


def connect(sides):
    for side in sides:
        side.object("POST", "/v1/users", {"profile": {"displayName": side.name, "fullName": ""}})
    link = sides[0].object("POST", "/v1/users/1/connections/invitations", {"incognito": False})["connLinkInvitation"][
        "connFullLink"
    ]
    sides[1].object("POST", "/v1/users/1/connections", {"incognito": False, "connLink": link})
    for side in sides:
        side.contact = side.events(lambda event: event["type"] == "contactConnected")["contact"]["contactId"]


def wait_for_all(sides):
    """Waits until each side has all messages of the other side, or until no message has arrived for STILL_SECONDS.
    Returns the number of missing messages."""
    came, since = None, time.monotonic()
    while True:
        missing = sum(len(expected(other) - set(side.texts(sent=False))) for side, other in (sides, sides[::-1]))
        if missing == 0 or time.monotonic() - since > STILL_SECONDS:
            return missing
        if missing != came:
            came, since = missing, time.monotonic()
        time.sleep(1)


def expected(side):
    return {f"{side.name}-{number}" for number in range(1, side.sent + 1)}


def one_round(folder, chance):
    processes, sides = [], []
    try:
        processes += [subprocess.Popen(["taskset", "-c", core, "sh", "-c", "while :; do :; done"]) for _ in range(3)]
        relay = Process(
            [program, "relay", "--data", os.path.join(folder, "relay"), "--port", "0"],
            os.path.join(folder, "relay.log"),
            pinned=False,
        )
        processes.append(relay.process)
        address = relay.line("Relay:") or relay.line("URL:")
        sides += [Side(name, folder, address) for name in ("a", "b")]
        connect(sides)
        stop = threading.Event()
        senders = [
            threading.Thread(target=side.send, args=(stop, random.Random(chance.random())), daemon=True)
            for side in sides
        ]
        for sender in senders:
            sender.start()
        for number in range(kills):
            time.sleep(chance.uniform(0.05, 1.5))
            sides[number % 2].running()
            # Soon after its start, the program still handles the work of the previous run, so some kills come at this
            # time.
            time.sleep(chance.choice((0, chance.uniform(0, 0.5))))
            sides[number % 2].restart()
        time.sleep(1)
        stop.set()
        for sender in senders:
            sender.join(REQUEST_SECONDS + 60)
        result = {"messages": sum(side.sent for side in sides), "lost": 0, "twice": 0, "disordered": 0, "still": 0}
        result["still"] = wait_for_all(sides)
        if result["still"]:
            for side in sides:
                side.restart()
            result["lost"] = wait_for_all(sides)
        for side, other in (sides, sides[::-1]):
            for texts in (side.texts(sent=False), side.events(), other.texts(sent=True)):
                numbers = [int(text.rpartition("-")[2]) for text in texts]
                result["twice"] += len(numbers) - len(set(numbers))
                result["disordered"] += sum(after < before for before, after in itertools.pairwise(numbers))
            result["twice"] += side.repeated()
        result["answers"] = sum(side.answers_lost for side in sides)
        result["replayed"] = sum(side.replayed for side in sides)
        result["errors"] = [error for side in sides for error in side.errors]
        return result
    finally:
        for process in processes + [side.process.process for side in sides]:
            process.kill()
            process.wait()


def words(result):
    return (
        f"{result['messages']} messages, {result['lost']} lost, {result['twice']} twice, {result['disordered']} out of order, {result['still']} standing still, "
        f"{result['answers']} answers lost, {result['replayed']} answers repeated, {len(result['errors'])} errors"
    )


total, failed = {}, False
chance = random.Random(seed)
for number in range(1, rounds + 1):
    folder = tempfile.mkdtemp(prefix="stress-")
    try:
        result = one_round(folder, chance)
    except Failed as error:
        print(f"round {number}: {error}; kept in {folder}", flush=True)
        failed = True
        continue
    bad = any(result[key] for key in ("lost", "twice", "disordered", "still", "answers", "errors"))
    failed = failed or bad
    print(f"round {number}: {words(result)}" + (f"; kept in {folder}" if bad else ""), flush=True)
    for error in result["errors"][:10]:
        print(f"  {error[:400]}", flush=True)
    if not bad:
        shutil.rmtree(folder, ignore_errors=True)
    total = {key: total.get(key, type(value)()) + value for key, value in result.items()}
print(
    f"stress: {'FAILED' if failed else 'passed'}, {rounds} rounds of {kills} kills on core {core}, seed {seed}"
    + (f": {words(total)}" if total else "")
)
sys.exit(1 if failed else 0)
