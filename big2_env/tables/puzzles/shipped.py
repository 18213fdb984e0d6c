"""The puzzles of this package, one file per ruleset."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from big2_env.base.errors import ConfigError, quoted
from big2_env.climbing.rulesets import available_rulesets
from big2_env.tables.puzzles.puzzle import Puzzle, load

DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@cache
def games() -> tuple[str, ...]:
    """Return the names of the rulesets that have puzzles, in the order of all rulesets."""
    found = {file.name.removesuffix(".jsonl") for file in (files(__package__) / "data").iterdir()}
    return tuple(name for name in available_rulesets() if name in found)


@cache
def puzzles_of(ruleset: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a ruleset, the easiest first.

    Raises:
        ConfigError: There are none.
    """
    if ruleset not in games():
        raise ConfigError(f"expected a ruleset with puzzles ({', '.join(games())}), got {quoted(ruleset)}")
    text = (files(__package__) / "data" / f"{ruleset}.jsonl").read_text(encoding="utf-8")
    return tuple(sorted(load(text), key=lambda one: (one.grade, one.moves, one.number)))


def puzzle(key: str) -> Puzzle:
    """Return a puzzle.

    Args:
        key: Its key, such as `big2-17`, or a game with a day, such as `big2-2026-11-24`.

    Raises:
        ConfigError: The puzzle does not exist.
    """
    name, _, number = key.partition("-")
    every = puzzles_of(name) if name in games() else ()
    found = next((one for one in every if one.key == key), None)
    if every and DAY.fullmatch(number):
        found = every[int.from_bytes(sha256(key.encode()).digest()) % len(every)]
    if found is None:
        raise ConfigError(f"expected the key of a puzzle, such as big2-17, got {quoted(key)}")
    return found
