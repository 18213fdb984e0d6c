"""`big2 serve`: the card table in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from big2_env.agents import available_agents, current_name
from big2_env.cli._options import DEFAULT_HINTS
from big2_env.errors import ConfigError, quoted
from big2_env.language import language
from big2_env.play.saved import data_folder


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
    opened: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> int:
    """Serve the card table for browsers: every climbing game against agents.

    Prints the page's address and runs until Ctrl-C. Tables are saved, so a reloaded page continues, even after a restart of the
    server.

    Examples:
        big2 serve --open
        big2 serve --host 0.0.0.0 --port 9000
    """
    if hints is not None and current_name(hints).partition(":")[0] not in available_agents():
        raise ConfigError(f"--hints: expected {', '.join(available_agents())}, got {quoted(hints)}")
    try:
        from big2_env.web.server import Address, serve
    except ImportError as error:
        raise ImportError(f"big2 serve needs starlette and uvicorn: pip install 'big2_env[web]' ({error})") from None

    def ready(address: Address) -> None:
        typer.echo(f"big2 is served at {address.url}  (Ctrl-C ends)")
        if opened:
            webbrowser.open(address.url)

    try:
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
