"""Players of Klondike that use only visible cards: random, rule-based and hint-following. Also plays many deals with hints.

A player is a function from a view and a `random.Random` to a move. The hint-following player is the strongest
(`big2_env.games.klondike.hint`). In a batch, deal k has the seed (seed + k).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from big2_env.base.errors import IllegalPlayError
from big2_env.games.klondike.cards import DEAL, FOUNDATION, KING, card_move, rank_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.hint import MAX_POSITIONS, SAMPLES, hint
from big2_env.games.klondike.view import KlondikeView
from big2_env.runs.executors import Executor

if TYPE_CHECKING:
    from big2_env.runs.resumable import Total

Player: TypeAlias = Callable[[KlondikeView, random.Random], int]
MAX_MOVES: Final = 1000
"""Moves after which a game is abandoned, because it could repeat positions forever."""


def random_player(view: KlondikeView, rng: random.Random) -> int:
    """Return a random legal move, uniformly distributed."""
    return rng.choice(view.moves)


def rule_player(view: KlondikeView, rng: random.Random) -> int:
    """Return a move of the best available kind, chosen at random among equals.

    The order of preference: turn a card (deepest pile first), move a card to its foundation, move a king to an empty pile, move
    a card of the dealer area onto a pile, empty a pile if a king can use it, deal. Cards never come down from the foundations.
    """
    ranked = [(_value(view, move), rng.random(), move) for move in view.moves]
    return max(ranked)[2]


def _value(view: KlondikeView, move: int) -> int:
    """Return the preference for a move's kind; higher is better."""
    moved = card_move(move)
    if moved is None:
        return 0
    card, target = moved
    pile = next((number for number, up in enumerate(view.up) if card in up), None)
    if pile is not None and view.down[pile] and card == view.up[pile][0]:
        return 10 + view.down[pile]
    if target == FOUNDATION:
        return 5
    if card in view.window:
        return 4 if rank_of(card) == KING else 3
    if pile is not None and card == view.up[pile][0] and rank_of(card) < KING and _king_waits(view):
        return 2
    return -1


def _king_waits(view: KlondikeView) -> bool:
    """Return True if a king could use an empty pile: one on face-down cards, or one that can be taken from the dealer area."""
    roots = [up[0] for up, down in zip(view.up, view.down, strict=True) if down]
    return any(rank_of(card) == KING for card in (*view.window, *roots))


def played_by(player: Player, seed: int, *, max_moves: int = MAX_MOVES, salt: int = 0) -> KlondikeGame:
    """Play the game of a seed until it is won, the player deals a whole pass in a row, or `max_moves` is reached.

    Args:
        player: Function from a view and a `random.Random` to a move. Its generator is seeded by the view, the number of moves
            and `salt`.
        seed: Seed of the deal.
        max_moves: Maximum number of moves.
        salt: Seed for different decisions of the same player.
    """
    game, deals = KlondikeGame.deal(seed), 0
    while not game.is_won and len(game.history) < max_moves and deals <= len(game.state.dealer) and (view := game.view()).moves:
        move = player(view, random.Random(view.seed(moves=len(game.history), salt=salt)))
        deals = deals + 1 if move == DEAL else 0
        game.play(move)
    return game


KIND: Final = "big2 klondike hint"


def played_with_hints(seed: int, *, samples: int = SAMPLES, max_positions: int = MAX_POSITIONS, salt: int = 0) -> KlondikeGame:
    """Play the game of a seed by following hints until it is won or no plan turns a card.

    Hints depend on the views and on `salt`, never on the seed of the deal.

    Args:
        seed: Seed of the deal.
        samples: Number of arrangements of the hidden cards per hint.
        max_positions: Positions to search per sample.
        salt: Seed of the sampling.
    """
    game = KlondikeGame.deal(seed)
    while not game.is_won:
        found = hint(game.view(), samples=samples, max_positions=max_positions, salt=salt)
        if found is None:
            break
        down = game.state.down
        try:
            game.play_all(found.moves)
        except IllegalPlayError as error:  # a plan is made of cards that are seen, so this is a fault of ours
            raise AssertionError(f"plan {found.moves}: {error}") from error
        if found.samples and game.state.down == down:
            break
    return game


@dataclass(frozen=True)
class HintRun:
    """Settings that determine which deals a run of the hint-following player wins."""

    seed: int
    """Seed of the first deal."""
    samples: int
    """Number of arrangements of the hidden cards per hint."""
    agent_seed: int = 0
    """Seed of the sampling."""

    def header(self) -> dict[str, Any]:
        """Return the header of the run's results file (`big2_env.runs.resumable`)."""
        return {"kind": KIND, "seed": self.seed, "samples": self.samples, "agent_seed": self.agent_seed}


def new_total() -> Total:
    """Return an empty total; its only sum is `won`."""
    from big2_env.runs.resumable import Total

    return Total({"won": 1})


def play(run: HintRun, games: int, total: Total, *, executor: Executor, progress: Callable[[int], Any] | None = None) -> None:
    """Play the deals still missing from a total, and add them.

    Args:
        run: Settings of the run.
        games: Number of deals in the finished total.
        total: Results of the first deals; updated in place.
        executor: Where to compute. It does not affect the results.
        progress: Callback with the number of deals played.
    """
    import numpy as np

    with executor.map(partial(_won, run), range(total.number, games)) as results:
        for won in results:
            total.add(1, np.array([int(won)]))
            if progress is not None:
                progress(1)


def _won(run: HintRun, number: int) -> bool:
    return played_with_hints(run.seed + number, samples=run.samples, salt=run.agent_seed).is_won
