"""`big2 mcp` as a process on standard input and output, and over HTTP: hosts, origins, tokens."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from io import StringIO
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp_games import play_out, text_of
from run_cli import run_cli
from web_visitor import begun

from big2_env.tables.browser.server import Server, listen
from big2_env.tables.mcp import server as server_module
from big2_env.tables.mcp.server import http_app, mcp_server
from big2_env.tables.mcp.tools import Settings, Tools

TOKEN = "correct-horse-battery"
COMMAND = (sys.executable, "-m", "big2_env", "mcp", "--seed", "5")
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rules", "arguments": {"game": "klondike"}}}
GREETING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def test_stdio__plays_a_game() -> None:
    server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:]], env=dict(os.environ))

    async def run() -> None:
        async with Client(server) as client:
            assert [tool.name for tool in (await client.list_tools()).tools][:2] == ["new_game", "view"]
            _, answer = await play_out(client, opponents=["lowest"])
            assert "won by" in text_of(answer)

    anyio.run(run)


def test_stdio__survives_what_is_no_message() -> None:
    lines = [
        json.dumps(GREETING),
        "no message",
        "[" * 100_000,
        json.dumps(CALL)[:-2] + ', "x": ' + '{"a":' * 100_000 + "}}",
        json.dumps(CALL | {"params": {"name": 7, "arguments": [1]}}),
        json.dumps(CALL | {"id": 2, "params": {"name": "rules", "arguments": {"game": "x" * 1_000_000}}}),
        json.dumps(CALL | {"id": 3}),
    ]
    written = StringIO()

    async def run() -> None:
        server = mcp_server(Tools(Settings()))
        reader, writer = os.pipe()
        with open(reader, encoding="utf-8") as typed, open(writer, "w", encoding="utf-8") as pipe:
            async with (
                stdio_server(anyio.wrap_file(typed), anyio.wrap_file(written)) as (reading, writing),
                anyio.create_task_group() as group,
            ):
                group.start_soon(server.run, reading, writing, server.create_initialization_options())
                await anyio.to_thread.run_sync(lambda: print(*lines, sep="\n", file=pipe, flush=True))
                with anyio.fail_after(60):
                    while '"id":3' not in written.getvalue():
                        await anyio.sleep(0.01)
                pipe.close()

    anyio.run(run)
    found = {answer["id"]: answer for answer in map(json.loads, written.getvalue().splitlines())}
    assert found[1]["error"]["code"] == -32602
    assert found[2]["result"]["content"][0]["text"] == "game: expected at most 60 characters, got 1000000"
    assert found[3]["result"]["content"][0]["text"].startswith("Klondike\n")


@contextmanager
def serving() -> Iterator[int]:
    """A server over HTTP in a thread; yields its port."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = Server(http_app(Tools(Settings(seed=5)), port, TOKEN))
    thread = begun(server, listening)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()


def test_http__plays_a_game() -> None:
    async def run(port: int) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        for mode in ("auto", "legacy"):
            async with httpx2.AsyncClient(headers=headers) as http:
                transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    _, answer = await play_out(client, players=2)
                    assert "(you " in text_of(answer)

    with serving() as port:
        anyio.run(run, port)


def asked(port: int, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """The status and the text that a server answers to a request that is right but for some headers; '' leaves one out."""
    usual = {
        "Host": f"127.0.0.1:{port}",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    sent = {name: value for name, value in (usual | headers).items() if value}
    connection.putrequest("POST", "/mcp", skip_host=True, skip_accept_encoding=True)
    content = json.dumps(GREETING).encode() if body is None else body
    for name, value in (sent | {"Content-Length": str(len(content))}).items():
        connection.putheader(name, value.replace("PORT", str(port)))
    connection.endheaders(content)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_http__refuses_other_hosts_origins_and_tokens() -> None:
    with serving() as port:
        for status, headers in [
            (200, {}),
            (200, {"Host": "localhost:PORT"}),
            (421, {"Host": "evil.example:PORT"}),
            (421, {"Host": "127.0.0.1.evil.example:PORT"}),
            (421, {"Host": "127.0.0.1"}),
            (200, {"Origin": "http://127.0.0.1:PORT"}),
            (403, {"Origin": "http://evil.example"}),
            (403, {"Origin": "http://127.0.0.1.evil.example:PORT"}),
            (403, {"Origin": "null"}),
            (401, {"Authorization": ""}),
            (401, {"Authorization": TOKEN}),
            (401, {"Authorization": f"Bearer {TOKEN}x"}),
            (401, {"Authorization": "Bearer \u00fc"}),
            (400, {"Content-Type": "text/plain"}),
        ]:
            answered, text = asked(port, **headers)
            assert answered == status, (headers, text)
            assert ("big2" in text) == (status == 200)
        assert asked(port, b"", Host="")[0] == 400  # a body that the server does not read may cut its answer off
        assert asked(port, b"x" * 20_000)[0] == 413
        assert asked(port, b"no message")[0] == 400
        assert asked(port)[0] == 200


def test_command__refuses_options_that_contradict_each_other() -> None:
    for option, value in (("--token", TOKEN), ("--port", "9000")):
        [line] = run_cli("mcp", option, value).err.splitlines()
        assert line == f"big2: {option}: expected --http too, as a client on standard input needs none"
    assert run_cli("mcp", "--hints", "nobody").err.startswith("big2: --hints: expected greedy, ")
    missing = run_cli("mcp", "--hints", "learned:missing.npz")
    assert (missing.status, missing.err) == (2, "big2: weights missing.npz: No such file or directory\n")
    assert run_cli("mcp", "nobody").err.startswith("big2: unknown agent 'nobody'; expected one of greedy, ")
    assert run_cli("mcp", "--http", "--token", "short").err.startswith("big2: --token: expected 8 to 200 letters")


def test_command__names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("big2_env.tables.mcp.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    answer = run_cli("mcp")
    assert answer.status == 2
    assert answer.err.startswith("big2: big2 mcp needs the MCP SDK: pip install 'big2_env[mcp]'")


def test_command__prints_address_and_token_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []

    def serve(self: Server, sockets: list[socket.socket]) -> None:
        served.append(sockets[0].getsockname())
        assert self._on_ready is not None
        self._on_ready()
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "run", serve)
    answer = run_cli("mcp", "--http", "--port", "0", "--token", TOKEN)
    ((host, port),) = served
    assert host == "127.0.0.1"
    assert answer.status == 0
    assert answer.out.splitlines() == [
        f"big2 mcp is served at http://127.0.0.1:{port}/mcp  (Ctrl-C ends)",
        f"Authorization: Bearer {TOKEN}",
    ]


def test_command__draws_a_token_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Server, "run", lambda self, sockets: self._on_ready())
    tokens = {run_cli("mcp", "--http", "--port", "0").out.split()[-1] for _ in range(2)}
    assert len(tokens) == 2
    assert min(map(len, tokens)) >= 32


def test_command__ends_with_ctrl_c_while_it_waits_for_input(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers: list[object] = []
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(server_module, "serve_stdio", lambda tools: handlers.append(signal.getsignal(signal.SIGINT)))
    try:
        assert run_cli("mcp") == (0, "", "")
    finally:
        signal.signal(signal.SIGINT, before)
    assert handlers == [signal.SIG_DFL]
