"""The facts of a puzzle, computed by the solver in plain Python, so that they are the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from big2_env.agents.interface import Agent
from big2_env.agents.seeds import agent_seed
from big2_env.base.errors import ConfigError, NotationError
from big2_env.climbing.game import Game
from big2_env.climbing.play import PASS, Play
from big2_env.notation import positions, records
from big2_env.solve import Solver
from big2_env.tables.puzzles.puzzle import LEAST_LEGAL, LEAST_MOVES, MOST_WINNING, Puzzle

MOST_SEARCHED: Final = 3_000
"""Most positions that the solver searches to prove a puzzle: a tenth of a second here, a second in a browser."""


@dataclass(frozen=True)
class Decision:
    """A decision of the winning seat with at least one losing move."""

    game: Game
    winning: tuple[Play, ...]
    """Moves that keep the forced win, one for each set of moves of equal worth."""
    legal: int
    """Number of legal moves; moves of equal worth count once."""


@dataclass(frozen=True)
class Proof:
    """Facts of a position with a forced win."""

    solver: Solver
    decisions: tuple[Decision, ...]
    """Decisions in the solver's line with a losing move, the first move among them."""
    moves: int
    """Number of the seat's plays in this line."""
    searched: int
    """Number of positions searched."""


def proof_of(game: Game, most: int = MOST_SEARCHED) -> Proof | None:
    """Return the facts of a position, `None` if it makes no puzzle.

    A puzzle has a forced win, and at least `LEAST_LEGAL` legal moves, of which one or two win and none ends the game at once.
    The seat itself plays at least `LEAST_MOVES` times in the solver's line.

    Raises:
        ConfigError: The position is too large for the solver.
    """
    position, legal = game.position, game.legal_plays()
    if position.bidding or position.pile or position.finished:
        return None
    if any(play.mask == position.hands[game.turn] for play in legal):
        return None
    solver = Solver(game, plain_positions=most, compiles=False)
    if len(solver.moves(game)) < LEAST_LEGAL or not wins(solver, game):
        return None
    line, found = game.copy(), list[Decision]()
    while not line.position.finished:
        if line.turn == game.turn:
            decision = _decision(solver, line)
            if not found and len(decision.winning) > min(MOST_WINNING, decision.legal - 1):
                return None
            if len(decision.winning) < decision.legal:
                found.append(decision)
        line.push(solver.answer(line))
    moves = sum(seat == game.turn and not play.is_pass for seat, play in line.history)
    return None if moves < LEAST_MOVES or not line.is_over else Proof(solver, tuple(found), moves, solver.positions)


def _decision(solver: Solver, game: Game) -> Decision:
    """Return the winning moves of the seat to move."""
    moves, winning = solver.moves(game), []
    for play in moves:
        after = game.copy()
        after.push(play)
        if wins(solver, after):
            winning.append(play)
    return Decision(game.copy(), tuple(winning), len(moves))


def wins(solver: Solver, game: Game) -> bool:
    """Return whether the solver's team wins in a continuation of its game, or has won.

    Raises:
        ConfigError: The solver may search no more positions.
    """
    if finished := game.position.finished:
        return finished[0] in solver.team
    found = solver.gains(game=game)
    if found is None:
        raise ConfigError("expected a position that the plain search decides, got a larger one")
    return found


def failures(proof: Proof, agents: Mapping[str, Agent]) -> dict[str, int]:
    """Return how many of the decisions each agent gets wrong. It sees only its own hand and the cards played."""
    return {
        name: sum(_fails(proof.solver, decision.game, agent) for decision in proof.decisions) for name, agent in agents.items()
    }


def _fails(solver: Solver, game: Game, agent: Agent) -> bool:
    view, after = game.view(), game.copy()
    agent.reset(agent_seed(view))
    after.push(agent.act(view, view.legal_plays()))
    return not wins(solver, after)


def puzzle_of(game: Game, number: int, proof: Proof, fails: Mapping[str, int]) -> Puzzle:
    """Return a position with its facts as a puzzle.

    Args:
        game: The position.
        number: Number of the game in which it occurred.
        proof: Its facts.
        fails: Losing moves chosen by agents.
    """
    rules, first = game.ruleset, proof.decisions[0]
    return Puzzle(
        rules.name,
        number,
        positions.dumps(game),
        tuple(PASS.pattern if play.is_pass else records.play_text(rules, play) for play in first.winning),
        first.legal,
        proof.moves,
        sum(len(one.winning) == 1 for one in proof.decisions),
        len(proof.decisions),
        fails,
        proof.searched,
    )


def check(puzzle: Puzzle) -> None:
    """Prove a puzzle again. The agents' failures are not computed again.

    Raises:
        NotationError: Its position is not valid, or a number or a winning move differs from what the solver finds.
    """
    game = puzzle.game()
    proof = proof_of(game, MOST_SEARCHED)
    if proof is None:
        raise NotationError(f"puzzle {puzzle.key}: expected a position that the solver finds to be a puzzle")
    found = puzzle_of(game, puzzle.number, proof, puzzle.fails)
    if found != puzzle:
        names = [name for name in puzzle.__dataclass_fields__ if getattr(found, name) != getattr(puzzle, name)]
        raise NotationError(f"puzzle {puzzle.key}: the solver finds other values of {', '.join(names)}")
