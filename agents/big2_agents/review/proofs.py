"""What is proven of the end of a game with all cards open: who can force to be paid, and who gave that away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from big2_env.climbing.game import Game
from big2_env.climbing.settlement import team_of
from big2_env.errors import ConfigError
from big2_env.solve import Goal, Solver
from big2_env.solve.ending import gains_by_first_out

MAX_CARDS: Final = 24
"""Cards in all hands and the draw pile from which on a position is solved: mostly a matter of milliseconds."""
SECONDS: Final = 2.0
"""After so long a position stays undecided."""


@dataclass(frozen=True)
class Proof:
    """What the solver has proven of one position, all cards open."""

    seats: tuple[int, ...]
    """The seats that, with their team, are paid more than nothing whatever the others do, ascending. Where only the first seat
    out and its team are paid, as in most games, that is one team at most."""


def proof_of(
    game: Game, before: Proof | None = None, actor: int | None = None, plain_positions: int | None = None
) -> Proof | None:
    """Who can force to be paid in a position; `None` where it is too large, undecided, or of a kind that is not solved.

    Args:
        game: the game as it stands.
        before: what was proven of the position before the last act.
        actor: who made the last act: nobody else can lose what is forced by it, and its team gains nothing by acting.
        plain_positions: how many positions plain Python looks at, as `solve` takes it.
    """
    position = game.position
    cards = sum(hand.bit_count() for hand in position.hands) + len(position.pile)
    if game.is_over or position.bidding or cards > MAX_CARDS:
        return None
    teams = sorted({team_of(seat, position.landlord, game.num_players) for seat in range(game.num_players)})
    found: list[tuple[int, ...]] = []
    if before is not None:
        found = [team for team in teams if team[0] in before.seats and actor not in team]
        teams = [team for team in teams if team not in found and (actor in team) == (team[0] in before.seats)]
    try:
        alone = gains_by_first_out(game.ruleset)  # one team at most is paid
        goal = Goal.FIRST_OUT if alone else Goal.SETTLEMENT
        if before is not None and (not teams or (alone and found)):
            return before
        for team in teams:
            if alone and found:
                break
            gains = Solver(game, team[0], goal=goal, plain_positions=plain_positions).gains(SECONDS)
            if gains is None:
                return None
            if gains:
                found.append(team)
    except ConfigError:  # too many cards in a hand, or a settlement of somebody's own
        return None
    return Proof(tuple(sorted(seat for team in found for seat in team)))
