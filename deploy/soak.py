"""Hours of conversations between programs that are killed, cut off, stopped, left without disk and given a wrong time, with every message accounted for at the end.

Three gateways with a relay of messages and one of files; originals (--original PATH, the terminal client of SimpleX Chat) take part when they are given. All of them
write to each other, in a group and in a channel that one gateway serves, send files and call each other. Meanwhile random troubles happen. In the end each recipient
must have each message that was accepted exactly once and in its order, each file as it was sent, each call in the state of the other end; journals must have told of
each message once, and the receiver of webhooks of every one. Memory, open files, threads and sizes of databases are drawn (soak.svg).
"""

import argparse
import signal
import sys

from soaking.world import World

OPTIONS = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
OPTIONS.add_argument("--program", required=True, help="the gateway's executable")
OPTIONS.add_argument(
    "--folder",
    required=True,
    help="where data and results are kept: a new one, or that of a soak that has come to its end, which goes on",
)
OPTIONS.add_argument("--minutes", type=float, default=180)
OPTIONS.add_argument("--pause", type=float, default=0.5, help="seconds between messages, on average")
OPTIONS.add_argument(
    "--calls", type=float, default=20, help="seconds between the end of a call and the next one, on average"
)
OPTIONS.add_argument("--trouble", type=float, default=25, help="seconds between troubles, on average")
OPTIONS.add_argument(
    "--disk", type=int, help="MiB of a file system for the gateways' data, which is filled at times (as root)"
)
OPTIONS.add_argument(
    "--original", action="append", default=[], help="executable of an original terminal client; may be repeated"
)
OPTIONS.add_argument("--seed", type=int, default=None, help="of the random choices")


def main():
    # SIGTERM also ends the programs that this script has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    world = World(OPTIONS.parse_args())
    try:
        good = world.run()
    finally:
        world.stop()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
