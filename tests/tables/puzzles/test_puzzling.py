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


def text(session: Puzzling, play: Play) -> str:
    return play.pattern if play.is_pass else records.play_text(session.ruleset, play)


def play_on(session: Puzzling) -> None:
    while session.advance() is not None:
        pass


def solve(session: Puzzling) -> None:
    """Play the solver's moves in the person's seat, and after each let the others answer."""
    play_on(session)
    while session.is_asked:
        session.play(session.solver.answer(session.game))
        play_on(session)


def err(session: Puzzling, rng: random.Random) -> Play:
    losing = [play for play in session.legal if text(session, play) not in session.puzzle.winning]
    return session.play(rng.choice(losing))


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda one: one.key)
def test_puzzling__is_won_by_winning_moves(puzzle: Puzzle) -> None:
    session = Puzzling(puzzle)
    assert "Find the win" in session.said(Language.EN)[0]
    solve(session)
    assert session.is_solved
    assert session.game.position.finished[0] in session.solver.team
    assert session.said(Language.EN) == ("Solved!", "good")
    again = Puzzling(puzzle, session.moves)
    assert (again.is_solved, again.game.position) == (True, session.game.position)


@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda one: one.key)
def test_puzzling__refutes_a_losing_move(puzzle: Puzzle) -> None:
    session = Puzzling(puzzle)
    play = err(session, random.Random(puzzle.number))
    told, kind = session.said(Language.EN)
    assert kind == "bad"
    assert told.startswith("After ")
    assert told.endswith(" wins. See how, step by step.")
    assert not session.is_asked
    play_on(session)
    assert session.is_over
    assert not session.is_solved
    assert session.game.position.finished[0] not in session.solver.team
    assert session.said(Language.EN)[0] == told
    again = Puzzling(puzzle, session.moves)
    assert again.error == session.error == 0
    assert session.undo()
    assert session.is_asked
    assert not session.game.history
    assert not session.said(Language.EN)[1]
    assert play in session.legal
    solve(session)
    assert session.is_solved


def test_puzzling__wins_against_every_defense() -> None:
    """The person's solver answers whatever the others do, right or wrong."""
    for puzzle in SAMPLE:
        for seed in range(2):
            rng, session = random.Random(seed), Puzzling(puzzle)
            while not session.is_over:
                mine = session.turn in session.solver.team
                play = session.solver.answer(session.game) if mine else rng.choice(list(session.game.legal_plays()))
                session.game.push(play)
                session._changed()
            assert session.is_solved, puzzle.key


def test_solution__is_shown_and_counts_for_nothing() -> None:
    session = Puzzling(SAMPLE[0], shows_solution=True)
    assert not session.is_asked
    told, _ = session.said(Language.EN)
    assert told == f"The solution: you win in {SAMPLE[0].moves} plays."
    play_on(session)
    assert session.is_over
    assert not session.is_solved
    assert sum(seat == session.seat and not play.is_pass for seat, play in session.game.history) == SAMPLE[0].moves
    session.next_deal()
    assert session.is_asked


def test_names__are_sides() -> None:
    for puzzle in SAMPLE:
        session = Puzzling(puzzle)
        names = session.names_in(Language.EN)
        assert names[session.seat] == "you"
        assert sum(name.startswith("partner") for name in names) == len(session.solver.team) - 1
        assert len(set(names)) == len(names)


def test_moves__that_are_wrong_are_refused() -> None:
    puzzle = SAMPLE[0]
    session = Puzzling(puzzle)
    solve(session)
    for moves, error in (
        ("nothing", NotationError),
        ("/", NotationError),
        ("single C[3]*", IllegalPlayError),
        (session.moves + "/pass", IllegalPlayError),
    ):
        with pytest.raises(error):
            Puzzling(puzzle, moves)
