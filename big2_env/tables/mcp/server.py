"""The server of the official Python SDK, on standard input and output or over HTTP on loopback."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any, Final

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

from big2_env.base.errors import ConfigError, one_line
from big2_env.tables.browser.messages import MAX_BODY, same
from big2_env.tables.browser.server import Server as HttpServer
from big2_env.tables.browser.server import listen, token_for
from big2_env.tables.mcp.tools import Argument, Tools, games

HOST: Final = "127.0.0.1"
"""Address of the server over HTTP."""
RULES: Final = "rules://"
"""Beginning of the addresses of rules; the name of the game follows."""
THREADS: Final = 4
"""Maximum number of calls that are answered at the same time, each in a thread."""
INSTRUCTIONS: Final = (
    "Card games against agents. new_game deals and shows your hand, play makes your move and returns after the agents' moves, "
    "rules explains the game. You see only what your seat may know."
)
_TYPES: Final[dict[type[Any], dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer", "minimum": 0},
    list: {"type": "array", "items": {"type": "string"}},
}
_MOST: Final[dict[type[Any], str]] = {str: "maxLength", int: "maximum", list: "maxItems"}
STATE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "table": {"type": "string"},
        "seat": {"type": "integer"},
        "your_turn": {"type": "boolean"},
        "over": {"type": "boolean"},
        "hand": {"type": "array", "items": {"type": "string"}},
        "legal": {"type": "array", "items": {"type": "string"}},
        "to_beat": {"type": ["string", "null"]},
        "payoffs": {"type": ["array", "null"], "items": {"type": "number"}},
        "scores": {"type": "array", "items": {"type": "number"}},
        "text": {"type": "string"},
    },
    "required": ["table", "seat", "your_turn", "over", "hand", "legal", "to_beat", "payoffs", "scores", "text"],
}
"""Schema of the structured answers."""


def mcp_server(tools: Tools) -> Server[Any]:
    """Return the server of some tools, without a transport."""
    listed = [
        Tool(
            name=name,
            title=tool.title,
            description=tool.description,
            input_schema={
                "type": "object",
                "properties": {key: _schema(one) for key, one in tool.fields.items()},
                "required": [key for key, one in tool.fields.items() if one.field.required],
                "additionalProperties": False,
            },
            output_schema=STATE if tool.has_state else None,
            annotations=ToolAnnotations(read_only_hint=tool.reads, destructive_hint=False, open_world_hint=False),
        )
        for name, tool in tools.tools.items()
    ]
    listed_rules = [
        Resource(uri=f"{RULES}{name}", name=f"rules of {name}", title=f"Rules of {name}", mime_type="text/plain")
        for name in games()
    ]
    threads = anyio.CapacityLimiter(THREADS)

    async def list_tools(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        ask = partial(tools.call, params.name, params.arguments or {})
        answer = await anyio.to_thread.run_sync(ask, limiter=threads)
        return CallToolResult(
            content=[TextContent(type="text", text=answer.text)],
            structured_content=None if answer.state is None else dict(answer.state),
            is_error=answer.is_error,
        )

    async def list_resources(context: ServerRequestContext[Any], params: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=listed_rules)

    async def read_resource(context: ServerRequestContext[Any], params: ReadResourceRequestParams) -> ReadResourceResult:
        try:
            text = tools.rules(str(params.uri).removeprefix(RULES))
        except ConfigError as error:
            raise MCPError(INVALID_PARAMS, one_line(str(error), 1000)) from None
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)])

    return Server(
        "big2",
        title="Big Two and other card games",
        version=version("big2_env"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _schema(argument: Argument) -> dict[str, Any]:
    """Return the JSON schema of an argument."""
    kind = argument.field.kind
    found = {**_TYPES[kind], _MOST[kind]: argument.field.most, "description": argument.description}
    if argument.choices and kind is list:
        return found | {"items": {"type": "string", "enum": list(argument.choices)}}
    return found | {"enum": list(argument.choices)} if argument.choices else found


def serve_stdio(tools: Tools) -> None:
    """Answer a client on standard input and output until it closes the input."""

    async def run() -> None:
        server = mcp_server(tools)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    logging.basicConfig(format="big2: %(message)s", level=logging.WARNING)
    anyio.run(run)


class _OneToken:
    """Check of the token of the server."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that a token gives; None for a wrong token."""
        return AccessToken(token=token, client_id="client", scopes=[]) if same(token, self._token) else None


def http_app(tools: Tools, port: int, token: str) -> Starlette:
    """Return the server as an ASGI application at the path `/mcp`.

    The SDK checks `Host`, `Origin`, the token and the size of requests. Requests are independent of each other, because tables
    have names.

    Args:
        tools: The tools.
        port: Port of the server, which is part of the allowed names.
        token: Token that clients must present.
    """
    names = [f"{host}:{port}" for host in (HOST, "localhost")]
    origins = [f"http://{name}" for name in names]
    return mcp_server(tools).streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BODY,
        transport_security=TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins),
        auth=AuthSettings(issuer_url=AnyHttpUrl(origins[0]), resource_server_url=None),  # no OAuth: the token is fixed
        token_verifier=_OneToken(token),
    )


def serve_http(tools: Tools, port: int, token: str | None, on_ready: Callable[[str, str], None]) -> None:
    """Answer clients on loopback until the process is interrupted.

    Args:
        tools: The tools.
        port: Port to listen on; 0 for any free one.
        token: Token that clients must present; None for a random one.
        on_ready: Called with URL and token once the server answers.

    Raises:
        ConfigError: The port is not available, or the token is not valid.
    """
    known = token_for(HOST, token) or secrets.token_urlsafe(24)
    logging.basicConfig(format="big2: %(message)s", level=logging.WARNING)
    with listen(HOST, port) as listening:
        port = listening.getsockname()[1]
        url = f"http://{HOST}:{port}/mcp"
        HttpServer(http_app(tools, port, known), partial(on_ready, url, known)).run(sockets=[listening])
