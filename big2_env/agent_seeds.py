"""Seeds of agents: made of what a seat knows, so that an agent cannot find the deal by its seed.

An agent's seed is a hash of its own hand, its seat, the public history, a repetition and a salt. The agent knows all of these,
and none follows from the seed of the deal. Deals that look alike to a seat give it the same random choices.

An agent may still recognize a deal whose seed is known in advance, chosen by a user or fixed by a benchmark: it can deal such
seeds itself and look its own hand up. Where that matters, let seeds be drawn (`rng.drawn_seed`).
"""

from __future__ import annotations

from big2_env.climbing.game import Game
from big2_env.climbing.view import View
from big2_env.rng import MASK_64, hashed


def agent_seed(view: View, *, repetition: int = 0, salt: int = 0) -> int:
    """Return the seed of an agent that is asked about a view.

    Args:
        view: All that the agent knows.
        repetition: 1, 2, ... give other random choices when the same deal is played again.
        salt: A number that no deal depends on, such as `--agent-seed`.
    """
    moves = [number for seat, play in view.history for number in (seat, play.mask, _word_code(play.pattern, play.mask))]
    return hashed(view.seat, view.hand, len(view.history), *moves, repetition & MASK_64, salt & MASK_64)


def _word_code(pattern: str, mask: int) -> int:
    """What distinguishes the moves without cards: passes, bids and other words of an auction."""
    return 0 if mask else int.from_bytes(pattern.encode(), "little")


def start_seed(game: Game, seat: int, *, repetition: int = 0, salt: int = 0) -> int:
    """Return the seed with which a seat's agent starts a game: `agent_seed` before the first move.

    Args:
        game: The game, whose start alone counts: its hand of `seat`.
        seat: The agent's seat.
        repetition: See `agent_seed`.
        salt: See `agent_seed`.
    """
    return hashed(seat, game.start.hands[seat], 0, repetition & MASK_64, salt & MASK_64)
