"""Games that a client of the MCP SDK plays through the tools."""

from __future__ import annotations

from typing import Any

from mcp import Client
from mcp.types import CallToolResult


def text_of(answer: CallToolResult) -> str:
    (content,) = answer.content
    assert content.type == "text"
    return content.text


def first_move(legal: str) -> str:
    """The first move of the text that `legal` returns."""
    last = legal.splitlines()[-1] if " | " in legal.splitlines()[-1] else legal.splitlines()[min(1, legal.count("\n"))]
    return last.removeprefix("- ").partition(": ")[2 if ": " in last else 0].split(" | ")[0]


async def play_out(client: Client, **wanted: Any) -> tuple[str, CallToolResult]:
    """A game in which the client makes the first legal move each time, to its end."""
    answer = await client.call_tool("new_game", wanted)
    assert answer.structured_content is not None, answer
    table = answer.structured_content["table"]
    for _ in range(400):
        state = answer.structured_content
        assert state is not None
        assert state["text"] == text_of(answer)
        if state["over"]:
            return table, answer
        assert state["your_turn"]
        legal = await client.call_tool("legal", {"table": table})
        answer = await client.call_tool("play", {"table": table, "move": first_move(text_of(legal))})
        assert not answer.is_error, answer
    raise AssertionError("expected an end of the game")
