"""`big2 mcp`: a server through which a program plays."""

from __future__ import annotations

import signal
from typing import Annotated, Final

import typer

from big2_env.agents.interface import available_agents, make_agent
from big2_env.base.errors import ConfigError, needing, quoted
from big2_env.base.language import language
from big2_env.cli._options import DEFAULT_HINTS, Lang
from big2_env.cli._status import standard_input

PORT: Final = 8153


def command(
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help="Agents that clients may name besides the installed ones.")
    ] = None,
    hints: Annotated[str | None, typer.Option(help="Agent behind the tool advise.", show_default=DEFAULT_HINTS)] = None,
    no_advice: Annotated[bool, typer.Option("--no-advice", help="Leave out the tool advise.")] = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the first deal; further deals add one.", show_default="random"),
    ] = None,
    tables: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of open tables.")] = 16,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP on 127.0.0.1 instead of standard input and output.")] = False,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port to listen on with --http; 0 for any free one.", show_default=str(PORT)),
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="Token that clients must present with --http.", show_default="random")
    ] = None,
    lang: Lang = None,
) -> int:
    """Serve every game to a program, such as a language model, over the Model Context Protocol (MCP).

    The program plays one seat by the tools new_game, view, legal, play, rules, result and advise; agents play the other seats.
    It sees what a person in that seat would see, and never other hands or the seed of a deal. Usually an MCP client starts this
    command itself. With --http, several clients can share a server, and must present its token.

    Clients can name installed games and agents only. An argument AGENT adds one with a file or a budget.

    Examples:
        big2 mcp
        big2 mcp search:50ms --no-advice
        big2 mcp --http --port 9000
    """
    if hints is not None and hints.partition(":")[0] not in available_agents():
        raise ConfigError(f"--hints: expected {', '.join(available_agents())}, got {quoted(hints)}")
    if not http and (option := "--token" if token is not None else "--port" if port is not None else None):
        raise ConfigError(f"{option}: expected --http too, as a client on standard input needs none")
    for name in (*(agents or ()), *filter(None, [hints])):
        make_agent(name)  # an unknown name is reported now, not to a client
    with needing("big2 mcp needs the MCP SDK: pip install 'big2_env[mcp]'"):
        from big2_env.tables.mcp.server import serve_http, serve_stdio
    from big2_env.tables.mcp.tools import Settings, Tools

    tools = Tools(Settings(tuple(agents or ()), hints, not no_advice, language(lang), seed, tables))

    def ready(url: str, token: str) -> None:
        typer.echo(f"big2 mcp is served at {url}  (Ctrl-C ends)\nAuthorization: Bearer {token}")

    try:
        if http:
            serve_http(tools, PORT if port is None else port, token, ready)
        else:
            if standard_input().isatty():
                typer.echo("big2 mcp waits for an MCP client on standard input  (Ctrl-C ends)", err=True)
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the thread that reads standard input cannot be interrupted
            serve_stdio(tools)
    except KeyboardInterrupt:
        typer.echo("", err=True)
    return 0
