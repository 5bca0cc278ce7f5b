"""Runs the commands of a Markdown page in order, and compares their output with the output that the page shows.

A block ```sh has commands. A block ```text after it has their whole output; a block without one must print nothing.
In an output, `…` stands for any text in a line, and a line that is only `…` stands for any lines. `sh deploy/run`
starts the gateway, which runs until the end of the page.

The commands run as they stand in the page, in one shell, with a home folder of their own. Two things are replaced: the
ports, which may be in use on this machine, and the path of the program, by that in GATEWAY.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "deploy/examples"))
import support

PROGRAM = ".build/release/simplex-gateway"
PORTS = {"SXGW_PORT": "5225", "SXGW_RELAY_PORT": "5223", "SXGW_FILE_RELAY_PORT": "5443"}
SECONDS = 600
LARGEST_README = 8192


def steps(text):
    """Returns pairs of commands and their shown output, which is empty if the page shows none."""
    found = []
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        if language == "sh":
            found.append([block, ""])
        elif language == "text":
            assert found and not found[-1][1], f"An output without commands: {block}"
            found[-1][1] = block
    return found


def pattern(shown):
    lines = []
    for line in shown.splitlines():
        lines.append(r"(?:.*\n)*" if line == "…" else ".*".join(re.escape(part) for part in line.split("…")) + "\n")
    return re.compile("".join(lines))


def links(page, text):
    """Checks that the files to which a page links exist."""
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert "://" in target or (page.parent / target).exists(), f"{page.name} links {target}, which is missing"


def options():
    """Checks that the guide names every option of `serve`."""
    dump = subprocess.run([os.environ["GATEWAY"], "--experimental-dump-help"], capture_output=True, check=True).stdout
    serve = next(command for command in json.loads(dump)["command"]["subcommands"] if command["commandName"] == "serve")
    given = [name for argument in serve["arguments"] for name in argument.get("names", [])]
    names = {f"--{name['name']}" for name in given if name["kind"] == "long"}
    page = ROOT / "Sources/simplex-gateway/Documentation.docc/Configuration.md"
    named = set(re.findall(r"--[a-z][a-z0-9-]+", page.read_text()))
    missing, unknown = names - named - {"--help", "--version"}, named - names
    assert names and not missing and not unknown, (
        f"{page.name} lacks {sorted(missing)}, and names {sorted(unknown)}, which `serve` has not"
    )


class Page:
    def __init__(self, home):
        self.ports = {port: str(support.free_port()) for port in PORTS.values()}
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SXGW_")}
        self.environment |= {"HOME": home} | {name: self.ports[port] for name, port in PORTS.items()}
        self.log = pathlib.Path(home, "log")
        self.server = None
        # stderr belongs to the output, because no command of the page may print an error.
        self.shell = subprocess.Popen(
            ["bash"],
            cwd=ROOT,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def replaced(self, text):
        for port, free in self.ports.items():
            text = re.sub(rf"(?<=127\.0\.0\.1:){port}\b", free, text)
        return text.replace(PROGRAM, os.environ["GATEWAY"])

    def run(self, commands, shown):
        wanted = pattern(self.replaced(shown))
        output = self.start(commands, wanted) if commands.startswith("sh deploy/run") else self.ask(commands)
        if not wanted.fullmatch(output):
            log = self.log.read_text() if self.log.exists() else ""
            said = f"{output}\nand the page shows:\n{shown}\nThe gateway printed:\n{log}"
            sys.exit(f"These commands:\n{commands}\nprinted:\n{said}")

    def start(self, command, wanted):
        """Starts the gateway. Returns its output when it has the expected text, or at the end of the time."""
        with open(self.log, "w") as log:
            self.server = subprocess.Popen(
                [*support.BOUND, *command.split()], cwd=ROOT, env=self.environment, stdout=log, stderr=subprocess.STDOUT
            )
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self.server.poll() is None and not wanted.fullmatch(self.log.read_text()):
            time.sleep(0.05)
        return self.log.read_text()

    def ask(self, commands):
        mark = "the commands have ended"
        late = threading.Timer(SECONDS, self.shell.kill)
        late.start()
        try:
            return self.answer(commands, mark)
        finally:
            late.cancel()

    def answer(self, commands, mark):
        self.shell.stdin.write(f"{self.replaced(commands)}\necho '{mark}' $?\n")
        self.shell.stdin.flush()
        output = ""
        for line in self.shell.stdout:
            if line.startswith(mark):
                return output if line == f"{mark} 0\n" else f"{output}(exit code: {line[len(mark) :].strip()})"
            output += line
        return output + f"(the shell has ended, or {SECONDS} seconds are over)"

    def end(self):
        self.shell.kill()
        if self.server:
            support.end(self.server)


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    text = page.read_text()
    if page.name == "README.md":
        assert page.stat().st_size <= LARGEST_README, f"README.md has {page.stat().st_size} bytes, of {LARGEST_README}"
        options()
    links(page, text)
    found = steps(text)
    assert found, f"{page.name} has no commands"
    with tempfile.TemporaryDirectory() as home:
        running = Page(home)
        try:
            for commands, shown in found:
                running.run(commands, shown)
        finally:
            running.end()
    print(f"{len(found)} blocks of commands of {page.name} passed, 0 failed")


main()
