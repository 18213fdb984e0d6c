"""Shipped puzzles: proven again, without duplicates, of all grades; files that are not valid are refused."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from io import BytesIO
from typing import Any

import pytest

from big2_env.agents.interface import make_agent
from big2_env.base.errors import ConfigError, NotationError
from big2_env.climbing.rulesets import available_rulesets
from big2_env.solve import Solver
from big2_env.tables.puzzles import shipped
from big2_env.tables.puzzles.proving import check, failures, proof_of, puzzle_of
from big2_env.tables.puzzles.puzzle import GRADES, LEAST_LEGAL, MAX_LINE, Puzzle, as_data, dumps, load, of_data

MOST_BYTES = 1_500_000
SAMPLE = [shipped.puzzles_of(name)[0] for name in shipped.games()]
EVERY = [one for name in shipped.games() for one in shipped.puzzles_of(name)]
ONE = shipped.puzzles_of("big2")[0]


def test_puzzles__have_one_for_each_day() -> None:
    found = [shipped.puzzle(f"big2-2026-11-{day}").key for day in range(10, 30)]
    assert len({*found}) > 10
    assert found == [shipped.puzzle(f"big2-2026-11-{day}").key for day in range(10, 30)]
    for wrong in ("chess-2026-11-10", "big2-2026-11-1", "2026-11-10", "big2-"):
        with pytest.raises(ConfigError):
            shipped.puzzle(wrong)


def proven(puzzle: Puzzle) -> None:
    """Check a puzzle twice: with its own prover, and each first move with a new solver of the position after it."""
    check(puzzle)
    game, seen = puzzle.game(), 0
    first = Solver(game, plain_positions=10**6, compiles=False)
    for play in first.moves(game):
        after = game.copy()
        after.push(play)
        text = puzzle_text(puzzle, play)
        wins = Solver(after, game.turn, plain_positions=10**6, compiles=False).gains()
        assert wins == (text in puzzle.winning), (puzzle.key, text)
        seen += bool(wins)
    assert seen == len(puzzle.winning)


def puzzle_text(puzzle: Puzzle, play: Any) -> str:
    from big2_env.notation import records

    return play.pattern if play.is_pass else records.play_text(puzzle.game().ruleset, play)


@pytest.mark.long
@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda one: one.key)
def test_shipped__sample_is_proven_again(puzzle: Puzzle) -> None:
    proven(puzzle)


@pytest.mark.long
@pytest.mark.release
@pytest.mark.parametrize("name", shipped.games())
def test_shipped__all_are_proven_again(name: str) -> None:
    for puzzle in shipped.puzzles_of(name):
        proven(puzzle)


@pytest.mark.long
@pytest.mark.release
def test_shipped__agents_fail_as_often_as_recorded() -> None:
    agents = {name: make_agent(name) for name in ONE.fails}
    for puzzle in (one for name in shipped.games() for one in shipped.puzzles_of(name)[:10]):
        proof = proof_of(puzzle.game())
        assert proof is not None
        assert failures(proof, agents) == puzzle.fails, puzzle.key


def test_shipped__is_small_without_duplicates_and_of_several_grades() -> None:
    folder = files(shipped.__package__) / "data"
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < MOST_BYTES
    assert set(shipped.games()) <= set(available_rulesets())
    assert len({one.key for one in EVERY}) == len({one.position for one in EVERY}) == len(EVERY)
    for name in shipped.games():
        found = shipped.puzzles_of(name)
        assert len(found) <= 200
        assert len(Counter(one.grade for one in found)) >= min(3, len(found) // 5), name
    assert {one.grade for one in EVERY} == set(range(1, GRADES + 1))


def test_shipped__has_no_trivial_puzzle() -> None:
    for puzzle in EVERY:
        assert puzzle.moves > 1
        assert LEAST_LEGAL <= puzzle.legal > len(puzzle.winning)


def test_puzzle__is_found_by_its_key() -> None:
    assert shipped.puzzle(ONE.key) is ONE
    for key in ("", "big2", "big2-", "big2-x", "nothing-1", "../big2-5"):
        with pytest.raises(ConfigError, match="expected the key of a puzzle"):
            shipped.puzzle(key)


def test_line__round_trips() -> None:
    for puzzle in SAMPLE:
        again = of_data(json.loads(dumps(puzzle)), puzzle.ruleset)
        assert again == puzzle
        assert again.game().position == puzzle.game().position


CHANGES: list[dict[str, Any]] = [
    {"grade": 6},
    {"grade": True},
    {"moves": 1},
    {"moves": 10**30},
    {"legal": 1},
    {"legal": "7"},
    {"winning": []},
    {"winning": ["single C[3]"] * 2},
    {"winning": ["a", "b", "c"]},
    {"only": 300},
    {"asked": -1},
    {"fails": {"learned": 99}},
    {"fails": {f"agent{number}": 0 for number in range(11)}},
    {"position": {"ruleset": "dou_dizhu"}},
    {"position": "{}"},
    {"game": None},
    {"more": 1},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_line__with_a_wrong_value_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(NotationError):
        of_data(as_data(ONE) | change, "big2")


def test_file__that_is_corrupt_is_refused_with_its_line() -> None:
    header = '{"schema":1,"kind":"puzzles","ruleset":"big2"}'
    assert [one.key for one in load(f"{header}\n{dumps(ONE)}\n")] == [ONE.key]
    for text, message in (
        ("", "line 0: "),
        (BytesIO("對子\n".encode("big5")), "^line 1: expected text in UTF-8, got bytes that read as '對子' in Big5"),
        ("{}", "line 1: expected a header"),
        (header.replace("1", "2", 1), "line 1: expected a header"),
        (f"{header}\n{dumps(ONE)[:-9]}", "line 2: invalid JSON"),
        (f"{header}\n{dumps(ONE)}\n{dumps(ONE)}", "line 3: expected at most"),
        (f"{header}\n{' ' * MAX_LINE}x", "line 2: more than"),
        (f'{header}\n{{"game": 1, "game": 2}}', "line 2: the key 'game' is given twice"),
    ):
        with pytest.raises(NotationError, match=message):
            list(load(text))


WRONG = [{"moves": ONE.moves + 1}, {"only": ONE.only - 1}, {"searched": 1}, {"winning": ("pass",)}]


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_check__finds_a_claim_that_is_wrong(change: dict[str, Any]) -> None:
    wrong = Puzzle(**{name: getattr(ONE, name) for name in ONE.__dataclass_fields__} | change)
    with pytest.raises(NotationError, match=f"other values of {next(iter(change))}"):
        check(wrong)


def test_proof__needs_more_than_a_win_at_once() -> None:
    from big2_env import BIG2, Game

    for hands in (["C[3] C[7]", "C[9]"], ["C[3] C[7] S[2]", "C[9] D[9]"], ["S[2] H[2] D[2] C[3]", "C[9] D[9]"]):
        proof = proof_of(Game.from_hands(BIG2, hands))
        assert proof is None or puzzle_of(Game.from_hands(BIG2, hands), 0, proof, {}).moves > 1
