"""Saves the state of a soak at its end, so that a later soak can continue with the same profiles and programs."""

import pickle
import random

from .calls import Calls
from .readers import Follower, Hooks

READ = ("ids", "repeated", "gaps", "texts", "marks", "cursor")


class Kept:
    """The state of a world between two parts of its soak."""

    @classmethod
    def find(cls, folder):
        """Reads the state from a folder; None if no soak has ended there."""
        file = folder / "kept"
        return pickle.loads(file.read_bytes()) if file.exists() else None

    @classmethod
    def write(cls, world):
        kept = cls()
        kept.minutes, kept.ledger, kept.figures, kept.troubles = (
            world.minutes,
            world.ledger,
            world.figures,
            world.troubles,
        )
        kept.lines = [(line.port, line.target) for line in (world.message_line, world.file_line)]
        kept.people = {
            person.name: {name: vars(person)[name] for name in ("user", "contacts", "groups") if name in vars(person)}
            for person in world.people
        }
        kept.followers = {
            gateway.name: {name: getattr(follower, name) for name in READ}
            for gateway, follower in world.followers.items()
        }
        kept.hook, kept.port, kept.ids, kept.texts = world.hook, world.hooks.port, world.hooks.ids, world.hooks.texts
        kept.made, kept.failed, kept.unexpected = world.calls.made, world.calls.failed, world.unexpected
        kept.starts = {program.name: program.starts for program in world.programs}
        (world.folder / "kept").write_bytes(pickle.dumps(kept))

    def restore(self, world):
        """Restores the state in a world whose programs have been started."""
        world.minutes += self.minutes
        world.ledger, world.figures, world.troubles, world.unexpected = (
            self.ledger,
            self.figures,
            self.troubles,
            self.unexpected,
        )
        for person in world.people:
            vars(person).update(self.people[person.name])
        world.followers = {
            gateway: Follower(gateway, self.followers[gateway.name]) for gateway in (world.alice, world.bob)
        }
        world.hook, world.hooks = self.hook, Hooks(random.Random(world.seed), self.port)
        world.hooks.ids, world.hooks.texts = self.ids, self.texts
        world.calls = Calls(world.friends, random.Random(world.seed))
        world.calls.made, world.calls.failed = self.made, self.failed
        for program in world.programs:
            program.starts += self.starts[program.name]
