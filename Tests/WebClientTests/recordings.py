"""Items and chats from conversations recorded with the original."""

import io
import json

import browser
import zstandard

RECORDINGS = browser.support.ROOT / "Tests/Fixtures/transcripts"


def kind_of(item):
    """Returns the kind of an item and its special features as one name."""
    content, meta = item["content"], item["meta"]
    kind = [content["type"]]
    if "msgContent" in content:
        kind += [
            content["msgContent"]["type"],
            *[
                name
                for name, key in {
                    "timed": "itemTimed",
                    "live": "itemLive",
                    "edited": "itemEdited",
                    "forwarded": "itemForwarded",
                }.items()
                if meta.get(key)
            ],
        ]
        kind += [
            name
            for name, key in {"quoted": "quotedItem", "reactions": "reactions", "formats": "formattedText"}.items()
            if item.get(key)
        ]
        kind += [meta["itemDeleted"]["type"]] if meta.get("itemDeleted") else []
        kind += [item["file"]["fileStatus"]["type"]] if item.get("file") else []
    for name, value in content.items():
        if name.endswith("Event") and isinstance(value, dict):
            kind.append(value.get("type", ""))
    if "status" in content:
        kind.append(content["status"])
    return ":".join(kind + (["channel"] if item["chatDir"]["type"] == "channelRcv" else []))


def recorded_items():
    """Returns the shortest recorded item of each kind."""
    found = {}

    def look(value):
        if isinstance(value, dict):
            if "chatDir" in value and "itemId" in value.get("meta", {}) and "type" in value.get("content", {}):
                kind = kind_of(value)
                if kind not in found or len(json.dumps(value)) < len(json.dumps(found[kind])):
                    found[kind] = value
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    for line in recorded("*"):
        look(line)
    return found


def recorded(name):
    for file in sorted(RECORDINGS.glob(f"{name}.jsonl.zst")):
        with file.open("rb") as packed:
            yield from (
                json.loads(line)
                for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8")
            )


def parts(value):
    """Returns all objects inside of a recorded value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(inner)
