"""Write the golden files: what agents and searches answer in fixed positions (`tests/data/golden`).

    PYTHONPATH=tests/support python -m golden --write [NAME...]

A name is a file without its suffix, such as `learned/big2`, or a folder, such as `learned`. `tests/agents/test_golden.py`
compares. The games are written first, if they are asked for: the other files are about their positions.
"""

from __future__ import annotations

from typing import Annotated

import golden_games
import typer
from golden_agents import PARTS, answers, rulesets_of
from golden_games import RULESETS
from golden_verdicts import VERDICTS, write_verdicts

NAMES = [*(f"{part}/{name}" for part in ("games", *PARTS) for name in rulesets_of(part)), *VERDICTS]
"""The golden files but for the frozen weights."""


def remedy(name: str) -> str:
    """What to do about a golden file whose answers have changed."""
    return f"if the change is intended, run PYTHONPATH=tests/support python -m golden --write {name}"


def command(
    name: Annotated[list[str] | None, typer.Argument(help="Golden files or folders.", show_default="all but the games")] = None,
    write: Annotated[bool, typer.Option("--write", help="Rewrite the files.")] = False,
) -> None:
    """Write golden files; without --write list them."""
    asked = [one for one in NAMES if (one in name or one.split("/")[0] in name if name else not one.startswith("games/"))]
    if unknown := [one for one in name or () if one not in {*NAMES, *(each.split("/")[0] for each in NAMES)}]:
        raise typer.BadParameter(f"unknown: {', '.join(unknown)}; expected some of {', '.join(NAMES)}")
    for one in asked:
        part, _, rules = one.partition("/")
        print(one, flush=True)
        if write and part in VERDICTS:
            write_verdicts(part)
        elif write:
            golden_games.write(one, golden_games.played(RULESETS[rules]) if part == "games" else answers(part, rules))


if __name__ == "__main__":
    typer.run(command)
