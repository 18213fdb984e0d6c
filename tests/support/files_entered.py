"""Count the source files whose functions run on the way from a weights file to an agent's first move, and to its next one.

PYTHONPATH=tests/support python -m files_entered [AGENT]
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Annotated, Any

import typer

from big2_env import BIG2, Game
from big2_env.agents.interface import make_agent

PACKAGES = ("/big2_env/", "/big2_agents/")


def _is_ours(frame: FrameType) -> bool:
    return any(package in frame.f_code.co_filename for package in PACKAGES)


def _is_imported(frame: FrameType | None) -> bool:
    """Whether a function runs because a module of ours is imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and _is_ours(frame):
            return True
        frame = frame.f_back
    return False


def entered(move: Any) -> list[str]:
    """Return the files of the two packages in which a function was called, compiled kernels excepted."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename not in found and _is_ours(frame) and not _is_imported(frame):
            found.add(code.co_filename)

    sys.setprofile(note)
    try:
        move()
    finally:
        sys.setprofile(None)
    return sorted(found)


def command(agent: Annotated[str, typer.Argument(help="The agent.")] = "learned") -> None:
    """Print how many files the first and the next move of an agent enter."""
    game = Game.deal(BIG2, 7)
    view, legal = game.view(), game.legal_plays()
    made: list[Any] = []
    first = entered(lambda: made.append(make_agent(agent)) or made[0].act(view, legal))
    following = entered(lambda: made[0].act(view, legal))
    print(f"{agent}: {len(first)} files to the first move, {len(following)} to the next")
    for path in first:
        print(("* " if path in following else "  ") + path.partition("/big2_")[1][1:] + path.partition("/big2_")[2])


if __name__ == "__main__":
    typer.run(command)
