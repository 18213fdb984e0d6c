"""`big2 serve`: the card table in a browser."""

from __future__ import annotations

import webbrowser
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from big2_env.agents.interface import available_agents, make_agent, named_agents
from big2_env.base.errors import ConfigError, needing, quoted
from big2_env.base.language import language
from big2_env.cli._options import DEFAULT_HINTS
from big2_env.tables.session.saved import data_folder

_HALVES = {(1, 1): "█", (1, 0): "▀", (0, 1): "▄", (0, 0): " "}


def command(
    host: Annotated[str, typer.Option(help="Host to listen on; others than loopback require a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")] = 8152,
    token: Annotated[
        str | None, typer.Option(help="Token that browsers must present.", show_default="random; none on loopback")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of tables and games.", show_default="your data folder")] = None,
    lang: Annotated[
        str | None, typer.Option(help="Default language: en, zh-Hant or zh-Hans.", show_default="the browser's")
    ] = None,
    hints: Annotated[str | None, typer.Option(help="Agent that gives hints.", show_default=DEFAULT_HINTS)] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="NAME=AGENT", help="Agent of your own among the opponents, several times if needed."),
    ] = None,
    opened: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> int:
    """Serve the card table for browsers: every game, against agents or with friends.

    Prints the page's address, as a QR code too if other devices can reach it, and runs until Ctrl-C. Tables are saved, so a
    reloaded page continues, even after a restart of the server.

    --agent adds an opponent: a trained model, such as me=sb3:model.zip, a class, such as me=MODULE:CLASS, or a language model,
    such as me=llm:MODEL. Pages see only its name.

    Examples:
        big2 serve --open
        big2 serve --open --agent me=learned:runs/first/big2.npz
        big2 serve --host 0.0.0.0 --port 9000
    """
    own = _own_agents(agents or [])
    known = [*available_agents(), *own]
    if hints is not None and hints.partition(":")[0] not in known:
        raise ConfigError(f"--hints: expected {', '.join(known)}, got {quoted(hints)}")
    with needing("big2 serve needs starlette and uvicorn: pip install 'big2_env[web]'"):
        from big2_env.tables.browser.guard import is_loopback
        from big2_env.tables.browser.server import Address, serve

    def ready(address: Address) -> None:
        typer.echo(f"big2 is served at {address.url}  (Ctrl-C ends)")
        if not is_loopback(host):
            print_qr(Console(), address.url)
        if opened:
            webbrowser.open(address.url)

    try:
        with named_agents(own):
            if hints is not None:
                make_agent(hints)
            serve(
                data or data_folder(),
                host,
                port,
                token=token,
                lang=None if lang is None else language(lang),
                adviser=hints,
                on_ready=ready,
            )
    except KeyboardInterrupt:
        typer.echo("")
    return 0


def _own_agents(given: list[str]) -> dict[str, str]:
    """Return the agents of `--agent` by name.

    Raises:
        ConfigError: A text is not NAME=AGENT, or a name occurs twice.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, spec = text.partition("=")
        if not equals or name in found:
            raise ConfigError(f"--agent: expected NAME=AGENT, each name once, got {quoted(text)}")
        found[name] = spec
    return found


def qr_lines(text: str) -> list[str]:
    """Return a text as a QR code, two rows of it per line, for dark characters on a light ground.

    Raises:
        ImportError: segno is not installed.
    """
    import segno

    rows = [list(row) for row in segno.make(text, error="l", micro=False).matrix_iter(border=2)]
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=[0] * len(rows[0]))
    return ["".join(_HALVES[high, low] for high, low in zip(*pair, strict=True)) for pair in pairs]


def print_qr(console: Console, text: str) -> None:
    """Print a text as a QR code; nothing if the output is not a terminal, the code too wide for it, or segno is missing."""
    if console.is_terminal and find_spec("segno") is not None:
        lines = qr_lines(text)
        if len(lines[0]) <= console.width and len(lines) < console.height:
            for line in lines:
                console.print(Text(line, "black on bright_white"))
