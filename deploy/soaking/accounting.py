"""Compares sent messages and files with those that arrived."""

import collections

from .profiles import Original, Ours


class Ledger:
    """The sent messages and files. `sent` has, for each sender and chat, the texts in the order of sending, with
    whether the sender got an answer. `digests` has the digests of files by the texts of their messages."""

    def __init__(self):
        self.sent, self.digests = collections.defaultdict(list), {}
        # Messages that a killed original received and then lost. No gateway is the reason of this loss.
        self.swallowed = set()

    def entries(self, sender, recipient, chat):
        """Returns the messages of `sender` that `recipient` reads in its chat of this name."""
        if chat in recipient.groups:
            return self.sent[sender.name, chat] if chat in sender.groups else []
        return self.sent[sender.name, recipient.name] if sender.name == chat else []

    def written(self, sender):
        """Returns the number of messages that `sender` has written."""
        return sum(len(entries) for (name, _), entries in self.sent.items() if name == sender.name)

    def counts(self):
        by_chat = collections.Counter()
        for (_, chat), entries in self.sent.items():
            by_chat[chat] += len(entries)
        return {
            "messages": by_chat.total(),
            "accepted": sum(answered for entries in self.sent.values() for _, answered in entries),
            "by chat": dict(by_chat),
        }

    def wrong(self, people):
        """Returns the faults of each recipient, chat and sender: messages that are missing, doubled, unknown or out of
        order, and files that are missing or changed."""
        found = []
        for person in people:
            for chat in person.chats:
                texts, files = person.received(chat), person.take_files(chat)
                for sender in people:
                    entries = self.entries(sender, person, chat)
                    if sender is person or not entries:
                        continue
                    accepted = [text for text, answered in entries if answered]
                    possible = {text for text, _ in entries}
                    got = [text for text in texts if text.startswith(sender.name + ">")]
                    counts = collections.Counter(got)
                    missing = [
                        text for text in accepted if not counts[text] and (person.name, text) not in self.swallowed
                    ]
                    if isinstance(person, Original):
                        self.swallowed |= {(person.name, text) for text in missing if person.swallowed(text)}
                    doubled = [text for text, count in counts.items() if count > 1]
                    strange = [text for text in counts if text not in possible]
                    # If equal texts were received, only the first one counts for the order.
                    order = [text for text in counts if text in possible]
                    expected = [text for text, _ in entries if counts[text]]
                    if missing or doubled or strange or order != expected:
                        found.append(
                            f"{person.name} from {sender.name} in {chat}: missing {missing[:5]} ({len(missing)}), doubled {doubled[:5]}, "
                            f"strange {strange[:5]}, in order {order == expected}"
                        )
                    for text in accepted:
                        if (
                            text not in self.digests
                            or files.get(text) == self.digests[text]
                            or (person.name, text) in self.swallowed
                        ):
                            continue
                        if text not in files and isinstance(person, Original) and person.mislaid(text):
                            self.swallowed.add((person.name, text))
                        else:
                            found.append(
                                f"{person.name}: the file {text} is {'other' if text in files else 'not there'}"
                            )
        return found


def untold(people, followers, hooks, hooked):
    """Returns the received messages that are not exactly once in the journal, or that no webhook has reported."""
    found = []
    for person in people:
        if not isinstance(person, Ours):
            continue
        follower = followers[person.gateway]
        texts = [text for chat in person.chats for text in person.received(chat)]
        for what, wrong in [
            ("told of never or twice", [text for text in texts if follower.texts[person.user, text] != 1]),
            (
                "not posted to the webhook",
                [text for text in texts if person.gateway is hooked and (person.user, text) not in hooks.texts],
            ),
        ]:
            if wrong:
                found.append(f"{person.name}: {len(wrong)} {what}: {wrong[:5]}")
    for gateway, follower in followers.items():
        if follower.repeated or follower.gaps:
            found.append(f"journal of {gateway.name}: repeated {follower.repeated[:5]}, {follower.gaps[:1]}")
    return found
