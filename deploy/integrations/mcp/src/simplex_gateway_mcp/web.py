"""The server over streamable HTTP, for programs that know its token."""

from __future__ import annotations

import hmac
import ipaddress
import sys

import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from . import limits
from .agent import Agent

PATH = "/mcp"


class RequireToken:
    """Refuses each request without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._is_known(scope):
            return await self.app(scope, receive, send)
        problem = {"error": "Give the token of this server as `Authorization: Bearer TOKEN`."}
        refusal = JSONResponse(problem, status_code=401, headers={"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        given = Headers(scope=scope).get("authorization", "").encode(errors="replace")
        return scope["type"] == "http" and hmac.compare_digest(given, self.expected)


def is_loopback(address: str) -> bool:
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


async def serve(server: MCPServer[Agent], token: str, address: str, port: int, hosts: list[str]) -> None:
    """Serve until a signal comes. `hosts` are further names by which clients reach the server, besides the names of
    loopback."""
    shown = f"[{address}]" if ":" in address else address
    names = ["127.0.0.1", "localhost", "[::1]", *hosts]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=address,
        max_request_body_size=limits.BODY,
        max_sessions=limits.SESSIONS,
        # A web page could reach this server under a host name of its own (DNS rebinding), so only these names are
        # accepted.
        transport_security=TransportSecuritySettings(
            allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
            allowed_origins=[f"{scheme}://{name}:*" for name in names for scheme in ("http", "https")],
        ),
    )
    config = uvicorn.Config(RequireToken(app, token), host=address, port=port, log_level="warning", access_log=False)
    print(f"MCP: http://{shown}:{port}{PATH}", file=sys.stderr, flush=True)
    await uvicorn.Server(config).serve()
