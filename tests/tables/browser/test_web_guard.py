"""Who may ask: hosts, origins, tokens, cookies, headers; and the server as a process."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest
from anyio import to_thread
from killable_server import killable
from run_cli import run_cli
from web_visitor import serving, visit

from big2_env.base.errors import ConfigError
from big2_env.tables.browser import server as server_module
from big2_env.tables.browser.server import Address, Server, listen, only_server, token_for

CREATE = {"game": "big2", "opponents": ["lowest"] * 3}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"host": "localhost:1"}, 201),
        ({"host": "[::1]:8152"}, 201),
        ({"host": "LOCALHOST."}, 201),
        ({"host": "evil.example"}, 403),
        ({"host": "localhost.evil.example:8152"}, 403),
        ({"host": "192.168.1.7:8152"}, 403),
        ({"host": ""}, 403),
        ({"host": "[::1"}, 403),
        ({"host": "localhost:1", "origin": "http://localhost:1"}, 201),
        ({"host": "localhost:1", "origin": "http://localhost:2"}, 403),
        ({"host": "localhost:1", "origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "same-origin"}, 201),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_type": "application/json; charset=utf-8"}, 201),
    ],
)
def test_guard__host_origin_and_content_type(headers: dict[str, str], status: int, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        assert visitor.post("/api/tables", CREATE, **headers).status == status
        assert len(visitor.server.lobby._tables) == (status == 201)


def test_guard__a_link_elsewhere_opens_the_page_and_no_more(tmp_path: Path) -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    with visit(tmp_path) as visitor:
        assert visitor.get("/", **link).status == 200
        assert visitor.get("/", **(link | {"sec_fetch_dest": "iframe"})).status == 403
        assert visitor.get("/api/lobby", sec_fetch_site="cross-site", sec_fetch_mode="cors").status == 403


def raw(port: int, *lines: str) -> str:
    """The answer's first line to a request of exactly these lines, and a body `{}` where it is a POST."""
    body = "{}" if lines[0].startswith("POST") else ""
    length = [f"Content-Length: {len(body)}"] if body else []
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, *length, "Connection: close", "", body]).encode())
        return connection.makefile("rb").readline().decode().strip()


OUR_HOSTS = ("127.0.0.1", "127.0.0.1:8152", "localhost", "[::1]", "[0:0:0:0:0:0:0:1]:65535")
OTHER_HOSTS = (
    "evil.com@127.0.0.1",
    "evil.com:80@127.0.0.1:8152",
    "@127.0.0.1",
    "127.0.0.1/evil.com",
    "127.0.0.1:8152/",
    "127.0.0.1?evil.com",
    "127.0.0.1#evil.com",
    "evil.com\\@127.0.0.1",
    "http://127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    "127.0.0.1:80:80",
    "127.0.0.1:http",
    "127.0.0.1, evil.com",
    "127.0.0.1..",
    "::1",
    "[127.0.0.1]",
    "[localhost]",
    "[::1%lo]",
    "[::1]evil.com",
    "[::1].evil.com:80",
    "evil.com[::1]",
)


def test_guard__a_host_is_a_name_with_a_port_and_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for host in OUR_HOSTS + OTHER_HOSTS:
            answer = raw(server.port, "GET /api/lobby HTTP/1.1", f"Host: {host}")
            assert answer == ("HTTP/1.1 200 OK" if host in OUR_HOSTS else "HTTP/1.1 403 Forbidden"), host


NAVIGATE = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")


ORIGINS = [
    ("GET /", NAVIGATE, 200),
    ("GET /", (*NAVIGATE, "Origin: http://evil.example"), 403),
    ("GET /", (*NAVIGATE, "Origin: null"), 403),
    ("GET /", (*NAVIGATE, "Origin: http://localhost:1"), 200),
    ("GET /", ("Origin: http://evil.example",), 403),
    ("GET /", ("Origin: http://evil.example@localhost:1",), 403),
    ("GET /", ("Origin: ftp://localhost:1",), 403),
    ("GET /", ("Origin: https://LOCALHOST:1",), 200),
    ("POST /api/tables", NAVIGATE, 403),
    ("POST /api/tables", (*NAVIGATE, "Origin: http://evil.example"), 403),
    ("POST /api/tables", (*NAVIGATE, "Origin: http://localhost:1"), 403),
    ("POST /api/tables", ("Sec-Fetch-Site: same-origin", "Origin: http://evil.example"), 403),
    ("POST /api/tables", ("Sec-Fetch-Site: same-origin", "Origin: http://localhost:1"), 400),  # the body is none
]


def test_guard__an_origin_counts_also_where_a_page_is_opened(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for start, headers, status in ORIGINS:
            sent = ("Host: localhost:1", "Content-Type: application/json", *headers)
            assert raw(server.port, f"{start} HTTP/1.1", *sent).split()[1] == str(status), (start, headers)


def test_guard__another_host_is_any_address_but_no_strange_name(tmp_path: Path) -> None:
    with visit(tmp_path, any_address=True, hosts=["card-table"], token="secret-123") as visitor:
        for host, status in (("192.168.1.7:8152", 401), ("Card-Table:8152", 401), ("evil.example", 403)):
            assert visitor.get("/api/lobby", host=host).status == status


def test_guard__headers_of_every_answer(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        for path in ("/", "/page/app.js", "/page/cards.svg", "/api/lobby", "/nothing", "/api/tables/x"):
            headers = visitor.get(path).headers
            assert "default-src 'none'" in headers["content-security-policy"]
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers
        assert visitor.get("/api/lobby").headers["cache-control"] == "no-store"
        for path in ("/page/index.html", "/page/..%2fapp.py", "/page/", "/app.py", "/page/__init__.py"):
            assert visitor.get(path).status == 404


def test_files__are_kept_by_browsers_under_the_edition_that_the_page_names(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        [script] = re.findall('src="(page/[0-9a-f]{16}/app.js)"', visitor.get("/").text)
        for path, control in (
            (script, "max-age=31536000, immutable"),
            ("page/old/app.js", "no-cache"),
            ("page/app.js", "no-cache"),
        ):
            answer = visitor.get(f"/{path}")
            assert answer.text.startswith("// Where the page begins")
            assert answer.headers["cache-control"] == control


def test_words__call_no_player_an_agent(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        words = visitor.get("/api/words?lang=en").json()["words"]
        assert [text for text in words.values() if re.search("(?i)agent", text)] == []


def test_guard__cookies_are_for_this_site_and_no_script(tmp_path: Path) -> None:
    with visit(tmp_path, token="secret-123") as visitor:
        shown = visitor.post("/api/token", {"token": "secret-123"})
        made = visitor.post("/api/tables", CREATE)
        visitor.state = made.json()
        for answer in (shown, made):
            cookie = answer.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
        assert "secret-123" not in shown.headers["set-cookie"]
        assert len(visitor.cookies["big2_visitor"]) == 43
        files = b"".join(path.read_bytes() for path in tmp_path.glob("tables.sqlite*"))
        assert visitor.state["table"].encode() in files
        assert visitor.cookies["big2_visitor"].encode() not in files
        before = visitor.cookies["big2_visitor"]
        visitor.post("/api/tables", CREATE)
        assert visitor.cookies["big2_visitor"] == before


def test_guard__a_token_is_asked_for_everything_but_itself(tmp_path: Path) -> None:
    with visit(tmp_path, token="secret-123") as visitor:
        assert visitor.get("/").status == 200
        assert visitor.get("/api/words").status == 200
        assert visitor.get("/api/lobby").status == 401
        assert visitor.post("/api/tables", CREATE).status == 401
        assert visitor.get("/api/tables/AAAAAAAAAAAAAAAA").status == 401
        for wrong in ("", "secret-12", "secret-1234", "x" * 200, "\ud800", "密"):
            answer = visitor.post("/api/token?lang=en", {"token": wrong})
            assert (answer.status, answer.json()["message"]) == (403, "The token is wrong."), wrong
        visitor.cookies["big2_token"] = "0" * 64
        assert visitor.get("/api/lobby").status == 401
        assert visitor.post("/api/token", {"token": "secret-123"}).status == 200
        assert visitor.get("/api/lobby").status == 200
        assert visitor.post("/api/tables", CREATE).status == 201


def test_guard__a_server_without_a_token_takes_none(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        assert visitor.post("/api/token", {"token": ""}).status == 403


def test_guard__methods_and_paths_that_there_are_not(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        for method, path, status in (("DELETE", "/api/tables", 405), ("GET", "/api/token", 405), ("GET", "/x", 404)):
            answer = visitor.ask(method, path)
            assert (answer.status, answer.json()["error"]) == (status, "http")
        assert visitor.get("/api/lobby?lang=fr").json()["message"] == "lang: expected en, zh-Hant, zh-Hans, got 'fr'"


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [("de-DE,de;q=0.9", "en"), ("zh-TW,zh;q=0.9", "zh-Hant"), ("zh-CN", "zh-Hans"), ("x" * 5000, "en"), ("", "en")],
)
def test_language__of_the_browser(accepted: str, expected: str, tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        assert f'<html lang="{expected}">' in visitor.get("/", accept_language=accepted).text
        assert visitor.get("/api/words", accept_language=accepted).json()["language"] == expected


@pytest.mark.parametrize(
    ("host", "given", "expected"),
    [
        ("127.0.0.1", None, None),
        ("::1", None, None),
        ("0.0.0.0", "abcdefgh", "abcdefgh"),
        ("localhost", "abcd-efg_h", "abcd-efg_h"),
    ],
)
def test_token__as_given(host: str, given: str | None, expected: str | None) -> None:
    assert token_for(host, given) == expected


def test_token__another_host_gets_one() -> None:
    made = token_for("0.0.0.0", None)
    assert made is not None
    assert len(made) >= 32
    assert token_for("192.168.1.7", None) not in (None, made)
    assert Address("192.168.1.7", 80, made).url == f"http://192.168.1.7:80/#token={made}"
    assert Address("::1", 80).url == "http://[::1]:80/"
    for host in ("", "0.0.0.0", "::"):
        assert re.fullmatch(r"http://[\w.-]+:80/", Address(host, 80).url)
        assert "0.0.0.0" not in Address(host, 80).url


@pytest.mark.parametrize("bad", ["", "short", "a b c d e f", "x" * 201, "密碼密碼密碼密碼", "12345678#"])
def test_serve__refuses_a_token_that_is_none(bad: str) -> None:
    answer = run_cli("serve", "--token", bad)
    assert (answer.status, answer.err) == (2, "big2: --token: expected 8 to 200 letters, digits, - or _\n")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["me"], "--agent: expected NAME=AGENT, each name once, got 'me'"),
        (["me=greedy", "me=lowest"], "--agent: expected NAME=AGENT, each name once, got 'me=lowest'"),
        (["greedy=lowest"], "expected a name that no agent has, got 'greedy'"),
        (["me=sb3:no.zip"], "model no.zip"),
    ],
)
def test_serve__refuses_an_agent_of_the_users_own_in_one_line(given: list[str], said: str) -> None:
    answer = run_cli("serve", *(part for text in given for part in ("--agent", text)))
    assert answer.status == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_serve__says_that_the_port_is_taken() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        answer = run_cli("serve", "--port", str(port))
    assert answer.status == 2
    assert re.fullmatch(
        f"big2: cannot listen on 127.0.0.1, port {port}: .*; choose another with --host or --port\n", answer.err
    )
    with pytest.raises(ConfigError, match=r"cannot listen on no\.such\.host\.invalid"):
        listen("no.such.host.invalid", 0)


def test_serve__a_folder_has_one_server_until_it_is_killed(tmp_path: Path) -> None:
    with killable(tmp_path) as server:
        answer = run_cli("serve", "--port", "0", "--data", str(tmp_path))
        assert answer.status == 2
        said = "another big2 serve uses this folder; end it, or choose another folder with --data"
        assert answer.err == f"big2: {tmp_path}: {said}\n"
        server.kill()
        with only_server(tmp_path):
            with pytest.raises(ConfigError, match="another big2 serve"), only_server(tmp_path):
                pass
            with only_server(tmp_path / "other"):
                pass
    with only_server(tmp_path):
        pass


def test_serve__a_file_is_no_folder_of_tables(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(FileExistsError, match="file"), only_server(file):
        pass


def test_serve__an_adviser_that_cannot_be_made_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "serve", lambda *given, **options: None)
    answer = run_cli("serve", "--hints", "learned:missing.npz")
    assert (answer.status, answer.err) == (2, "big2: weights missing.npz: No such file or directory\n")
    assert run_cli("serve", "--hints", "me", "--agent", "me=greedy").status == 0


def test_serve__a_folder_without_locks_is_served(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "server.lock").mkdir()
    with only_server(tmp_path):
        assert [record.getMessage() for record in caplog.records] == [
            f"{tmp_path} cannot be locked: unable to open database file"
        ]


def test_serve__names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, server_module.__name__)
    answer = run_cli("serve")
    assert answer.status == 2
    assert answer.err.startswith("big2: big2 serve needs starlette and uvicorn: pip install 'big2_env[web]'")
    assert answer.err.count("\n") == 1


def test_serve__prints_its_address_and_ends_quietly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "big2_env", "serve", "--port", "0", "--data", str(tmp_path)]
    environ = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            rest, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert re.fullmatch(r"big2 is served at http://127\.0\.0\.1:[0-9]+/  \(Ctrl-C ends\)\n", line)
    assert (process.returncode, rest.strip(), errors) == (0, "", "")


def test_server__ends_quietly_during_an_answer_and_names_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, known, seen = Event(), Event(), list[str]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == "/error":
            raise RuntimeError("a real one")
        if scope["type"] == "http":
            asked.set()
            await to_thread.run_sync(known.wait)

    server = Server(app)
    server.config.timeout_graceful_shutdown = 0
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda record: seen.append(logging.Formatter().format(record)))
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "handlers", [handler])
    with listen("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            sleep(0.01)
        places = [HTTPConnection("127.0.0.1", listening.getsockname()[1]) for _ in range(2)]
        places[0].request("GET", "/error")
        assert places[0].getresponse().status == 500
        places[1].request("GET", "/answer")
        assert asked.wait(30)
        server.should_exit = True
        with suppress(OSError, HTTPException):
            assert places[1].getresponse().status == 500
        known.set()
        thread.join()
        for place in places:
            place.close()
    assert len(seen) == 1
    assert seen[0].endswith("RuntimeError: a real one")
