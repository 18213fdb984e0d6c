"""`big2 serve`: the table in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from big2_env.agents import available_agents, current_name
from big2_env.errors import ConfigError, quoted
from big2_env.language import language
from big2_env.play.saved import data_folder
from big2_env.play.sitting import DEFAULT_ADVISER


def command(
    host: Annotated[
        str, typer.Option(help="Where to listen; any but a loopback address asks browsers for a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8152,
    token: Annotated[
        str | None, typer.Option(help="What browsers must show; made and printed for another host where none is given.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Where tables and games are kept.", show_default="the user's data folder")
    ] = None,
    lang: Annotated[
        str | None, typer.Option(help="en, zh-Hant or zh-Hans, for those who choose none.", show_default="the browser's")
    ] = None,
    hints: Annotated[str, typer.Option(help="The agent that gives hints.")] = DEFAULT_ADVISER,
    opened: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> int:
    """Play in the browser: every climbing game against agents, with mouse, touch or keyboard.

    Prints the page's address and answers until Ctrl-C. Tables are kept: a page that is reloaded goes on, also after the server
    was started anew.

    Examples:
        big2 serve --open
        big2 serve --host 0.0.0.0 --port 9000
    """
    if current_name(hints).partition(":")[0] not in available_agents():
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
