"""Seeds of agents, computed from a seat's own knowledge, so that an agent cannot find the deal by its seed.

An agent's seed is a hash of its hand, its seat, the public history, a repetition number and a salt. The agent knows all of
these, and none reveals the seed of the deal. Deals that look alike to a seat give it the same random choices.

An agent may still recognize a deal whose seed is known in advance, chosen by a user or fixed by a benchmark. It can deal such
seeds itself and look for its own hand. If that matters, use random seeds (`rng.drawn_seed`).
"""

from __future__ import annotations

from big2_env.base.rng import MASK_64, hashed
from big2_env.climbing.game import Game
from big2_env.climbing.view import View


def agent_seed(view: View, *, repetition: int = 0, salt: int = 0) -> int:
    """Return the seed of an agent for a decision.

    Args:
        view: View of the agent's seat.
        repetition: Number that varies the random choices when the same deal is played again.
        salt: Number that no deal depends on, such as `--agent-seed`.
    """
    moves = [number for seat, play in view.history for number in (seat, play.mask, _word_code(play.pattern, play.mask))]
    return hashed(view.seat, view.hand, len(view.history), *moves, repetition & MASK_64, salt & MASK_64)


def _word_code(pattern: str, mask: int) -> int:
    """Return a number that identifies a move without cards, such as a pass or a bid."""
    return 0 if mask else int.from_bytes(pattern.encode(), "little")


def start_seed(game: Game, seat: int, *, repetition: int = 0, salt: int = 0) -> int:
    """Return the seed of an agent at the start of a game: `agent_seed` before the first move.

    Args:
        game: The game, of which only the seat's starting hand is used.
        seat: The agent's seat.
        repetition: See `agent_seed`.
        salt: See `agent_seed`.
    """
    return hand_seed(seat, game.start.hands[seat], repetition=repetition, salt=salt)


def hand_seed(seat: int, hand: int, *, repetition: int = 0, salt: int = 0) -> int:
    """Return `start_seed` for a seat and its starting hand, as a mask."""
    return hashed(seat, hand, 0, repetition & MASK_64, salt & MASK_64)
