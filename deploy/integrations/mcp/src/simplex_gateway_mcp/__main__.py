"""The command simplex-gateway-mcp."""

from __future__ import annotations

import argparse
import asyncio
import os
import pathlib
import sys

from simplex_gateway import Gateway

from . import __version__, limits, web
from .agent import Agent
from .server import make_server

TOKEN = "SIMPLEX_GATEWAY_MCP_TOKEN"
EPILOG = f"""\
The gateway and the key are in the variables SXGW_URL, and SXGW_KEY or SXGW_KEY_FILE. Without --http, the server talks
over standard input and output. With --http, {TOKEN} or --token-file has the token that clients give."""


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("simplex-gateway-mcp", description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("--version", action="version", version=__version__)
    add("--profile", help="name of the profile (default: the profile of the key, or the active one)")
    add("--read-only", action="store_true", help="offer only tools that change nothing")
    add("--confirm-by-user", action="store_true", help="delete nothing for a client that cannot ask its user")
    add("--files", type=pathlib.Path, metavar="FOLDER", help="folder into which fetch_file writes")
    add(
        "--max-file", type=int, default=limits.FILE, metavar="BYTES", help="largest fetched file (default: %(default)s)"
    )
    add("--http", type=int, metavar="PORT", help="serve streamable HTTP on this port, at /mcp")
    add("--listen", default="127.0.0.1", metavar="ADDRESS", help="address for --http (default: %(default)s)")
    add("--allow-host", action="append", default=[], metavar="NAME", help="name of this server for other machines")
    add("--token-file", type=pathlib.Path, metavar="FILE", help="file with the token for --http")
    options = parser.parse_args(arguments)
    if options.files is not None and not options.files.is_dir():
        parser.error(f"--files: {options.files} is no folder.")
    if options.http is not None and not web.is_loopback(options.listen) and not options.allow_host:
        parser.error("--listen: other machines reach this server only with --allow-host NAME. Put TLS before it.")
    return options


def token_of(options: argparse.Namespace) -> str:
    """Returns the token with which clients sign in over HTTP."""
    token = os.environ.get(TOKEN, "")
    if options.token_file is not None:
        token = options.token_file.read_text().strip()
    if len(token) < limits.TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError(
            f"--http needs a token of {limits.TOKEN} or more ASCII letters in {TOKEN} or --token-file: "
            "`openssl rand -hex 32` makes one."
        )
    return token


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    try:
        gateway = Gateway.from_env(retry_for=limits.RETRY)
        token = token_of(options) if options.http is not None else ""
    except (OSError, ValueError) as error:
        sys.exit(f"simplex-gateway-mcp: {error}")
    agent = Agent(gateway, options.profile, options.files, options.max_file, options.confirm_by_user)
    server = make_server(agent, read_only=options.read_only)
    if options.http is None:
        asyncio.run(server.run_stdio_async())
    else:
        asyncio.run(web.serve(server, token, options.listen, options.http, options.allow_host))


if __name__ == "__main__":
    main()
