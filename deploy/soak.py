"""Runs hours of conversations between programs. Meanwhile it kills and stops programs, cuts connections, fills the
disk, and sets clocks. In the end it checks every message.

The programs are three gateways, a relay for messages and a relay for files, and the given originals (--original PATH,
the terminal client of SimpleX Chat). Their profiles write to each other, in a group and in a channel that one gateway
serves, send files and call each other. In the end, each recipient must have each accepted message exactly once and in
order, each file unchanged, and each call in the state of the other end. The journals must contain each message once,
and the receiver of webhooks must have got all messages. Memory, open files, threads and sizes of databases are drawn in
soak.svg.
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
