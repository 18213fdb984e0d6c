"""What is proven of the end of a game with all hands open: who can force the win, and who gave it away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from big2_env.climbing.game import Game
from big2_env.climbing.settlement import team_of
from big2_env.errors import ConfigError
from big2_env.solve import Verdict, solve

MAX_CARDS: Final = 24
"""Cards in all hands from which on a position is solved: mostly a matter of milliseconds."""
SECONDS: Final = 2.0
"""After so long a position stays undecided."""


@dataclass(frozen=True)
class Proof:
    """What the solver has proven of one position, all hands open."""

    team: tuple[int, ...]
    """The seats of which one is out first whatever the others do; none where nobody can force that."""


def proof_of(
    game: Game, before: Proof | None = None, actor: int | None = None, plain_positions: int | None = None
) -> Proof | None:
    """Who can force the win in a position; `None` where it is too large, undecided, or of a kind that is not solved.

    Args:
        game: the game as it stands.
        before: what was proven of the position before the last act.
        actor: who made the last act: nobody else can lose a forced win by it, and nobody gains one by acting.
        plain_positions: how many positions plain Python looks at, as `solve` takes it.
    """
    held = [hand.bit_count() for hand in game.position.hands]
    if game.is_over or game.position.bidding or sum(held) > MAX_CARDS:
        return None
    if before is not None and before.team and actor not in before.team:
        return before
    teams: Sequence[tuple[int, ...]]
    teams = sorted({team_of(seat, game.position.landlord, game.num_players) for seat in range(game.num_players)})
    if before is not None and not before.team:
        teams = [team for team in teams if actor not in team]
    try:
        verdicts = {team: solve(game, team[0], seconds=SECONDS, plain_positions=plain_positions).verdict for team in teams}
    except ConfigError:  # cards left to draw, somebody out already, too many cards in a hand
        return None
    winners = [team for team, verdict in verdicts.items() if verdict is Verdict.FORCED]
    if winners:
        return Proof(winners[0])
    return None if Verdict.OPEN in verdicts.values() else Proof(())
