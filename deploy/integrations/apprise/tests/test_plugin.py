"""Tests of the plug-in with the real Apprise and a real gateway."""

from __future__ import annotations

import asyncio
import http.server
import json
import logging
import pathlib
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator

import apprise
import pytest
from PIL import Image

from conftest import Line
from simplex_gateway_apprise import plugin


def test_a_text_with_title_and_type_reaches_a_contact(line: Line) -> None:
    assert line.service().notify(body="The backup is complete.", title="Backup", notify_type="success")
    line.until(lambda: line.last == "✅ Backup\nThe backup is complete.")
    assert line.service("direct/1?marks=no").notify(body="plain", notify_type="failure")
    line.until(lambda: line.last == "plain")


def test_several_targets_get_a_message_each(line: Line) -> None:
    line.pair.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "team", "fullName": ""}})
    service = line.service("@bob/%23team/team/direct/1?to=bob")
    assert len(service) == 1 and len(service[0]) == 5
    assert service.notify(body="to all")
    line.until(lambda: line.texts().count("to all") == 3)
    assert line.texts("group/1", 1) == ["to all", "to all"]


def test_files_and_pictures_are_sent(line: Line, tmp_path: pathlib.Path) -> None:
    (tmp_path / "plan.txt").write_text("the plan")
    Image.new("RGB", (80, 60), "blue").save(tmp_path / "photo.png")
    files = [str(tmp_path / "photo.png"), str(tmp_path / "plan.txt")]
    assert line.service().notify(body="with files", attach=files)
    line.until(lambda: line.items()[-1:] and line.items()[-1]["content"]["msgContent"]["type"] == "file")
    picture, file = line.items()[-2:]
    assert picture["content"]["msgContent"]["type"] == "image"
    assert picture["content"]["msgContent"]["text"] == "with files" and picture["file"]["fileName"] == "photo.png"
    assert file["file"]["fileName"] == "plan.txt" and file["content"]["msgContent"]["text"] == ""
    assert not line.service().notify(body="nothing", attach=str(tmp_path / "absent"))


def test_a_key_of_one_chat_needs_no_target(line: Line, tmp_path: pathlib.Path) -> None:
    body = {"name": "one", "userId": 1, "chats": ["direct/1"], "scopes": ["read", "write"]}
    key = line.pair.call("POST", "/v1/keys", body)["key"]
    assert line.service("", key).notify(body="from a small key")
    line.until(lambda: line.last == "from a small key")
    (tmp_path / "route.txt").write_text("the plan")
    assert line.service("", key).notify(body="with a file", attach=str(tmp_path / "route.txt"))
    line.until(lambda: line.last == "with a file")
    assert line.items()[-1]["file"]["fileName"] == "route.txt"
    writer = line.pair.call("POST", "/v1/keys", {**body, "scopes": ["write"]})["key"]
    assert line.service("", writer).notify(body="without the scope read")
    line.until(lambda: line.last == "without the scope read")
    assert not line.service("", line.key).notify(body="to whom?")
    assert not line.service("direct/7", key).notify(body="to another")


def test_a_long_text_is_split_and_nothing_is_lost(line: Line) -> None:
    words = " ".join(f"日本{number}" for number in range(1000))
    assert line.service().notify(body=words)
    line.until(lambda: line.last.endswith("日本999"))
    parts = line.texts()[-3:]
    assert sum(part.count("日本") for part in parts) >= 1000


def test_errors_say_what_to_do_and_have_no_key(line: Line, caplog: pytest.LogCaptureFixture) -> None:
    wrong = "sxgw_" + "A" * 43
    with caplog.at_level(logging.DEBUG):
        assert not line.service("bob", wrong).notify(body="a")
        assert not line.service("carol/bob").notify(body="the others get it")
    assert "simplex-gateway key add" in caplog.text
    assert "has no contact and no group with the name carol" in caplog.text
    assert wrong not in caplog.text and line.key not in caplog.text
    line.until(lambda: line.last == "the others get it")


def test_a_repetition_sends_only_what_is_missing(line: Line) -> None:
    service = line.service("bob/later")
    assert not service.notify(body="once")
    assert not service.notify(body="once")
    line.pair.call("POST", "/v1/users/1/groups", {"groupProfile": {"displayName": "later", "fullName": ""}})
    assert service.notify(body="once")
    line.until(lambda: line.last == "once")
    assert service.notify(body="the end")
    line.until(lambda: line.last == "the end")
    assert line.texts().count("once") == 1
    found = line.pair.call("GET", "/v1/users/1/groups?search=later")["groups"][0]["groupId"]
    assert line.texts(f"group/{found}", 1) == ["once", "the end"]


def test_a_killed_gateway_fails_in_time_and_the_next_attempt_succeeds(
    line: Line, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = line.service()
    line.pair.kill()
    with monkeypatch.context() as patch:
        patch.setattr(plugin, "RETRY_FOR", 0.5)
        assert not service.notify(body="after the kill")
    assert caplog.records
    line.pair.start()
    assert service.notify(body="after the kill")
    line.until(lambda: line.last == "after the kill")
    assert line.texts().count("after the kill") == 1


def test_it_works_in_a_loop(line: Line) -> None:
    async def run() -> None:
        assert await line.service().async_notify(body="from a loop")
        assert line.service().notify(body="within a loop")

    asyncio.run(run())
    line.until(lambda: {"from a loop", "within a loop"} <= set(line.texts()))


def test_the_command_line_loads_it_from_a_folder_of_plug_ins(line: Line, tmp_path: pathlib.Path) -> None:
    (tmp_path / "simplexgw.py").write_text("import simplex_gateway_apprise\n\nsimplex_gateway_apprise.register()\n")
    command = [
        str(pathlib.Path(sys.executable).parent / "apprise"),
        "--plugin-path",
        str(tmp_path),
        "--body",
        "from the shell",
    ]
    command += [f"simplexgw://{line.key}@{line.host}/bob"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    line.until(lambda: line.last == "from the shell")


def test_urls_are_read_and_written(line: Line) -> None:
    for url in [
        "simplexgw://key@host:5225/bob/direct/4?profile=alice&marks=no",
        "simplexgws://any:key@host/%40bob/a%20name?ca=/etc/ca.pem&to=carol",
        "simplexgw://key@host",
    ]:
        found = apprise.Apprise.instantiate(url)
        assert isinstance(found, plugin.NotifySimplexGateway) and found.key == "key"
        again = apprise.Apprise.instantiate(found.url())
        assert isinstance(again, plugin.NotifySimplexGateway)
        values = ("targets", "profile", "ca", "marks", "key", "host", "port", "secure")
        assert [getattr(again, name) for name in values] == [getattr(found, name) for name in values]
        assert "key@" not in found.url(privacy=True)
    assert not apprise.Apprise.instantiate("simplexgw://host:5225/bob")
    assert "simplexgw" in [one["protocols"][0] for one in apprise.Apprise().details()["schemas"] if one["protocols"]]


class Later(http.server.BaseHTTPRequestHandler):
    """A server that answers like a gateway of a later version."""

    def do_GET(self) -> None:
        body = json.dumps({"versions": {"program": "9.0.0", "api": "9", "core": "9"}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture
def later(tmp_path: pathlib.Path) -> Iterator[tuple[int, str]]:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Later)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, str(certificate)
    server.shutdown()
    server.server_close()


def test_a_certificate_and_a_version_that_do_not_fit_are_named(
    later: tuple[int, str], caplog: pytest.LogCaptureFixture
) -> None:
    port, certificate = later

    def warning(query: str) -> str:
        caplog.clear()
        service = apprise.Apprise()
        assert service.add(f"simplexgws://key@localhost:{port}/bob{query}")
        assert not service.notify(body="a")
        return caplog.text

    assert "certificate" in warning("").lower()
    for query in (f"?ca={certificate}", "?verify=no"):
        assert "install simplex-gateway==9.0.0" in warning(query)
