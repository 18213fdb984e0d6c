"""One puzzle as data: JSON lines that are read strictly, and the grade.

A file has a header, `{"schema": 1, "kind": "puzzles", "ruleset": NAME}` with the settings of the run, and a line per puzzle:

| key | value |
| --- | --- |
| `game` | number of the game in which the position occurred |
| `position` | the position, as in `notation.positions` |
| `winning` | first moves with a forced win, as in records: one or two of `legal` |
| `legal` | number of legal first moves; moves of equal worth count once |
| `moves` | number of the seat's plays in the solver's line, which ends with the win; passes do not count |
| `only` | number of decisions in this line with exactly one winning move |
| `asked` | number of decisions in this line with a losing move, at which agents were asked |
| `fails` | losing moves that each agent chose there; agents see only their own hand |
| `searched` | number of positions that the solver searches to prove all this |
| `grade` | difficulty from 1 to 5 |

The grade adds up a point for each play after the second, a point for each decision with one winning move, and `FAILURE` times
the share of losing moves that agents chose. Two points make a grade.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from big2_env.base.errors import NotationError
from big2_env.base.json_values import parse_object, shown, text_at, texts_at, whole_at
from big2_env.climbing.game import Game
from big2_env.climbing.parts import MAX_NAME
from big2_env.climbing.ruleset import RuleSet
from big2_env.notation import positions
from big2_env.notation.lines import Lines, TextSource

SCHEMA: Final = 1
KIND: Final = "puzzles"
MAX_LINE: Final = 8_000
"""Most characters of a line."""
MAX_PUZZLES: Final = 10_000
"""Most puzzles of a file."""
MAX_NUMBER: Final = 1 << 53
"""Most that a number may be, so that a browser can hold it."""
MOST_WINNING: Final = 2
"""Most winning first moves."""
LEAST_LEGAL: Final = 3
"""Least legal first moves."""
LEAST_MOVES: Final = 2
"""Least plays of the seat in the solver's line."""
GRADES: Final = 5
"""Highest grade."""
FAILURE: Final = 4.0
"""Points if agents always chose a losing move."""
KEYS: Final = ("game", "position", "winning", "legal", "moves", "only", "asked", "fails", "searched", "grade")


@dataclass(frozen=True)
class Puzzle:
    """A position in which the seat to move has a forced win, alone or with its team."""

    ruleset: str
    """Name of the rules."""
    number: int
    """Number of the game in which the position occurred."""
    position: str
    """The position as a line of JSON."""
    winning: tuple[str, ...]
    """First moves with a forced win, as in records."""
    legal: int
    """Number of legal first moves; moves of equal worth count once."""
    moves: int
    """Number of the seat's plays in the solver's line."""
    only: int
    """Number of decisions in this line with exactly one winning move."""
    asked: int
    """Number of decisions in this line with a losing move."""
    fails: Mapping[str, int]
    """Losing moves chosen there, by agent."""
    searched: int
    """Number of positions that the solver searches for the proof."""
    rules: RuleSet | None = field(default=None, compare=False, repr=False)
    """House rules with classes of your own, if the position has them."""

    @property
    def key(self) -> str:
        """Name of the puzzle, unique among all."""
        return f"{self.ruleset}-{self.number}"

    @property
    def grade(self) -> int:
        """Difficulty from 1 to 5."""
        share = sum(self.fails.values()) / (len(self.fails) * self.asked) if self.fails else 0.0
        return min(GRADES, 1 + int((self.moves - LEAST_MOVES + self.only + FAILURE * share) / 2))

    def game(self) -> Game:
        """Return a game that continues from the position.

        Raises:
            NotationError: The position is not valid.
            ConfigError: The position is inconsistent.
        """
        return positions.loads(self.position, None if self.rules is None else {self.rules.name: self.rules})


def dumps(puzzle: Puzzle) -> str:
    """Return a puzzle as one line of JSON, without the newline."""
    return json.dumps(as_data(puzzle), ensure_ascii=False, separators=(",", ":"))


def as_data(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as JSON values."""
    values = puzzle.number, json.loads(puzzle.position), list(puzzle.winning), puzzle.legal, puzzle.moves, puzzle.only
    return dict(zip(KEYS, (*values, puzzle.asked, dict(puzzle.fails), puzzle.searched, puzzle.grade), strict=True))


def of_data(data: dict[str, Any], ruleset: str, rules: RuleSet | None = None) -> Puzzle:
    """Return the puzzle of a line's object. The position itself is checked by `Puzzle.game`.

    Args:
        data: The object.
        ruleset: Name of the rules, from the header.
        rules: As for `load`.

    Raises:
        NotationError: The object is not a puzzle, or its numbers contradict each other.
    """
    if set(data) != set(KEYS):
        raise NotationError(f"expected the keys {', '.join(KEYS)}, got {shown(sorted(data))}")
    position, fails, winning = data["position"], data["fails"], texts_at(data, "winning")
    if not isinstance(position, dict) or position.get("ruleset") != ruleset:
        raise NotationError(f"position: expected an object with the ruleset {ruleset}, got {shown(position)}")
    if not isinstance(fails, dict) or len(fails) > 10:
        raise NotationError(f"fails: expected an object of at most 10 numbers, got {shown(fails)}")
    numbers = {key: whole_at(data, key, MAX_NUMBER) for key in ("game", "legal", "moves", "only", "asked", "searched")}
    found = Puzzle(
        ruleset,
        numbers.pop("game"),
        json.dumps(position, ensure_ascii=False),
        tuple(winning),
        fails={name: whole_at(fails, name, numbers["asked"]) for name in fails},
        rules=rules,
        **numbers,
    )
    ranges = (
        ("winning", len(set(winning)), 1, MOST_WINNING),
        ("legal", found.legal, LEAST_LEGAL, 10_000),
        ("moves", found.moves, LEAST_MOVES, 200),
        ("asked", found.asked, 1, 400),
        ("only", found.only, 0, found.asked),
    )
    for key, number, least, most in ranges:
        if not least <= number <= most:
            raise NotationError(f"{key}: expected {least} to {most}, got {number}")
    if len(winning) != len(set(winning)) or data["grade"] != found.grade or isinstance(data["grade"], bool):
        raise NotationError(f"expected different winning moves and grade {found.grade}, got {shown([winning, data['grade']])}")
    return found


def header_of(ruleset: RuleSet) -> dict[str, Any]:
    """Return the header of a file, without the settings of a run."""
    return {"schema": SCHEMA, "kind": KIND, "ruleset": ruleset.name}


def load(source: TextSource, rules: RuleSet | None = None) -> Iterator[Puzzle]:
    """Yield the puzzles of a file.

    Args:
        source: Text, open file or lines.
        rules: Rules of the file if it was made with house rules that have classes of your own.

    Raises:
        NotationError: A line is wrong; the error gives its number.
    """
    lines, known = Lines.of(source, MAX_LINE), set[int]()
    ruleset = next(lines.parsed(_ruleset_in), None)
    if ruleset is None:
        raise lines.error("expected a header, got an empty file")
    for found in lines.parsed(lambda line: of_data(parse_object(line), ruleset, rules)):
        if found.number in known or len(known) == MAX_PUZZLES:
            raise lines.error(f"expected at most {MAX_PUZZLES:,} puzzles, each of another game, got game {found.number}")
        known.add(found.number)
        yield found


def _ruleset_in(line: str) -> str:
    """Return the ruleset that the header of a file names."""
    header = parse_object(line)
    if header.get("schema") != SCHEMA or header.get("kind") != KIND:
        raise NotationError(f"expected a header with schema {SCHEMA} and kind {KIND}, got {shown(header)}")
    return text_at(header, "ruleset", MAX_NAME)
