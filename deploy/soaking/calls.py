"""Calls without sound and pictures. The messages of each step must arrive at the other side: ringing, the offer, the
answer, candidates, talking, and the end."""

import time
import uuid

from .profiles import CALL_STATES, Original, Ours
from .programs import Unanswered, until

PATIENCE = 600


def reaches(status, wanted):
    return CALL_STATES.index(status) >= CALL_STATES.index(wanted)


class CutOff(Exception):
    """Error of a call during which an original was killed: the original forgets the call."""


class Calls:
    """Makes calls between random profiles, one after the other."""

    def __init__(self, people, chance):
        self.chance = chance
        self.pairs = [(a, b) for a in people for b in people if b.name in a.contacts]
        self.made, self.failed = [], []

    def run(self, over, pause):
        while not over.wait(self.chance.expovariate(1 / pause)):
            caller, callee = self.chance.choice(self.pairs)
            call = {
                "caller": caller.name,
                "callee": callee.name,
                "mark": uuid.uuid4().hex,
                "taken": self.chance.random() < 0.8,
                "over": False,
                "cut off": False,
            }
            self.made.append(call)
            try:
                self.make(caller, callee, call)
                call["over"] = True
            except CutOff:
                call["cut off"] = True
            except Exception as error:
                self.failed.append(f"call {call}: {error!r}")

    def make(self, caller, callee, call):
        before = until(
            lambda: {
                person: max([0, *(item for item, _, _ in person.call_items(other.name, None))])
                for person, other in self.ends(caller, callee)
            },
            "calls are listed",
            PATIENCE,
        )

        starts = {person: person.program.starts for person in (caller, callee) if isinstance(person, Original)}

        def state(person):
            """Returns the state of the call at one end; None if the call's item does not exist yet."""
            if any(original.program.starts != count for original, count in starts.items()):
                raise CutOff()
            chat = callee.name if person is caller else caller.name

            def found(last):
                return next(
                    (
                        status
                        for item, sent, status in reversed(person.call_items(chat, last))
                        if item > before[person] and sent == (person is caller)
                    ),
                    None,
                )

            # The last 300 items are chosen by their times. After a jump of the clock to the past, a new item is not
            # among them, so all items are read.
            return found(300) or found(None)

        def step(person, name, wanted):
            """Repeats a step at one end until the call has the wanted state there. Returns the other end."""
            other = callee if person is caller else caller
            key = str(uuid.uuid4())

            def done():
                return (status := state(person)) and reaches(status, wanted)

            end = time.monotonic() + PATIENCE
            while not quietly(done):
                if time.monotonic() > end:
                    raise TimeoutError(f"{name} at {person.name}: {quietly(lambda: state(person))}")
                try:
                    person.signal(name, other.name, call["mark"], key)
                except Unanswered:
                    time.sleep(1)
                except RuntimeError:
                    # An earlier request has already done this step, or the call has progressed. The loop checks the
                    # state again.
                    time.sleep(0.2)
            return other

        def arrives(person, name, wanted):
            until(
                lambda: (status := state(person)) and reaches(status, wanted),
                f"{name} arrives at {person.name}, which has {quietly(lambda: state(person))}",
                PATIENCE,
                1,
            )

        arrives(step(caller, "ring", "pending"), "ring", "pending")
        if call["taken"]:
            arrives(step(callee, "take", "accepted"), "offer", "accepted")
            arrives(step(caller, "answer", "negotiated"), "answer", "negotiated")
            for person, other in self.ends(caller, callee):
                quietly(lambda: person.signal("extra", other.name, call["mark"], str(uuid.uuid4())))
                step(person, "talk", "progress")
        last = caller if not call["taken"] else self.chance.choice([caller, callee])
        arrives(step(last, "end", "ended"), "end", "ended")

    def ends(self, caller, callee):
        return [(caller, callee), (callee, caller)]

    def wrong(self, people, followers):
        """Returns the faults: calls that one end does not have or has in another state, and sessions that events have
        reported never or twice."""
        found = list(self.failed)
        names = {person.name: person for person in people}
        for a, b in self.pairs:
            made = [status for _, sent, status in a.call_items(b.name, None) if sent]
            got = [status for _, sent, status in b.call_items(a.name, None) if not sent]
            is_cut = any(call["cut off"] for call in self.made if {call["caller"], call["callee"]} == {a.name, b.name})
            if not is_cut and (len(made) != len(got) or not all(reaches(status, "ended") for status in made + got)):
                found.append(
                    f"calls of {a.name} to {b.name}: {len(made)} made {made[-3:]}, {len(got)} received {got[-3:]}"
                )
        for call in self.made:
            for end, kind in (("caller", "callOffer"), ("callee", "callAnswer")):
                person = names[call[end]]
                if call["over"] and call["taken"] and isinstance(person, Ours):
                    times = followers[person.gateway].marks[person.user, kind, call["mark"]]
                    if times != 1:
                        found.append(f"{kind} of {call} was told to {person.name} {times} times")
        return found


def quietly(action):
    """Returns the result of an action; None if the action fails."""
    try:
        return action()
    except (Unanswered, RuntimeError, OSError):
        return None
