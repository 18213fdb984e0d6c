"""A person with a puzzle: the win, a losing move with its refutation, another try, the solution."""

from __future__ import annotations

import random

import pytest

from big2_env.base.errors import IllegalPlayError, NotationError
from big2_env.base.language import Language
from big2_env.climbing.play import Play
from big2_env.notation import records
from big2_env.tables.puzzles import shipped
from big2_env.tables.puzzles.puzzle import Puzzle
from big2_env.tables.session.puzzling import Puzzling

SAMPLE = [shipped.puzzles_of(name)[-1] for name in shipped.games()]


def text(sitting: Puzzling, play: Play) -> str:
    return play.pattern if play.is_pass else records.play_text(sitting.ruleset, play)


def play_on(sitting: Puzzling) -> None:
    while sitting.advance() is not None:
        pass


def solve(sitting: Puzzling) -> None:
    """Play the solver's moves in the person's seat, and after each let the others answer."""
    play_on(sitting)
    while sitting.is_asked:
        sitting.play(sitting.solver.answer(sitting.game))
        play_on(sitting)


def err(sitting: Puzzling, rng: random.Random) -> Play:
    losing = [play for play in sitting.legal if text(sitting, play) not in sitting.puzzle.winning]
    return sitting.play(rng.choice(losing))


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda one: one.key)
def test_puzzling__is_won_by_winning_moves(puzzle: Puzzle) -> None:
    sitting = Puzzling(puzzle)
    assert "Find the win" in sitting.said(Language.EN)[0]
    solve(sitting)
    assert sitting.is_solved
    assert sitting.game.position.finished[0] in sitting.solver.team
    assert sitting.said(Language.EN) == ("Solved!", "good")
    again = Puzzling(puzzle, sitting.moves)
    assert (again.is_solved, again.game.position) == (True, sitting.game.position)


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda one: one.key)
def test_puzzling__refutes_a_losing_move(puzzle: Puzzle) -> None:
    sitting = Puzzling(puzzle)
    play = err(sitting, random.Random(puzzle.number))
    told, kind = sitting.said(Language.EN)
    assert kind == "bad"
    assert told.startswith("After ")
    assert " wins: " in told
    assert not sitting.is_asked
    play_on(sitting)
    assert sitting.is_over
    assert not sitting.is_solved
    assert sitting.game.position.finished[0] not in sitting.solver.team
    assert sitting.said(Language.EN)[0] == told
    again = Puzzling(puzzle, sitting.moves)
    assert again.error == sitting.error == 0
    assert sitting.undo()
    assert sitting.is_asked
    assert not sitting.game.history
    assert not sitting.said(Language.EN)[1]
    assert play in sitting.legal
    solve(sitting)
    assert sitting.is_solved


def test_puzzling__wins_against_every_defense() -> None:
    """The person's solver answers whatever the others do, right or wrong."""
    for puzzle in SAMPLE:
        for seed in range(2):
            rng, sitting = random.Random(seed), Puzzling(puzzle)
            while not sitting.is_over:
                mine = sitting.turn in sitting.solver.team
                play = sitting.solver.answer(sitting.game) if mine else rng.choice(list(sitting.game.legal_plays()))
                sitting.game.push(play)
                sitting._changed()
            assert sitting.is_solved, puzzle.key


def test_solution__is_shown_and_counts_for_nothing() -> None:
    sitting = Puzzling(SAMPLE[0], shows_solution=True)
    assert not sitting.is_asked
    told, _ = sitting.said(Language.EN)
    assert told.startswith("Solution: you: ")
    play_on(sitting)
    assert sitting.is_over
    assert not sitting.is_solved
    assert sum(seat == sitting.seat and not play.is_pass for seat, play in sitting.game.history) == SAMPLE[0].moves
    sitting.next_deal()
    assert sitting.is_asked


def test_names__are_sides() -> None:
    for puzzle in SAMPLE:
        sitting = Puzzling(puzzle)
        names = sitting.names_in(Language.EN)
        assert names[sitting.seat] == "you"
        assert sum(name.startswith("partner") for name in names) == len(sitting.solver.team) - 1
        assert len(set(names)) == len(names)


def test_moves__that_are_wrong_are_refused() -> None:
    puzzle = SAMPLE[0]
    sitting = Puzzling(puzzle)
    solve(sitting)
    for moves, error in (
        ("nothing", NotationError),
        ("/", NotationError),
        ("single C[3]*", IllegalPlayError),
        (sitting.moves + "/pass", IllegalPlayError),
    ):
        with pytest.raises(error):
            Puzzling(puzzle, moves)
