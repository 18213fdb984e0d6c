"""Players of Klondike that see what a person sees: chance, a rule of thumb, and the hints; many deals played by the hints.

A player is a function from a view and a `random.Random` to an act. `big2_env.games.klondike.hint` is the strong one. Deal k of
many is dealt by the seed (seed + k).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from big2_env.errors import IllegalPlayError
from big2_env.games.klondike.cards import DEAL, FOUNDATION, KING, move_of, rank_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.hint import MAX_POSITIONS, SAMPLES, hint
from big2_env.games.klondike.view import KlondikeView
from big2_env.runs.executors import Executor

if TYPE_CHECKING:
    from big2_env.runs.resumable import Total

Player: TypeAlias = Callable[[KlondikeView, random.Random], int]
MAX_ACTS: Final = 1000
"""Acts after which a game is given up: one can turn in circles for ever."""


def random_player(view: KlondikeView, rng: random.Random) -> int:
    """Any legal act, each as likely."""
    return rng.choice(view.moves)


def rule_player(view: KlondikeView, rng: random.Random) -> int:
    """What a person plays by a rule of thumb: the best kind of act there is, and one of its kind by chance.

    Turn a card, the deepest pile first; else a card to its foundation; else a king to an empty pile; else a card of the
    dealer area onto a pile; else empty a pile, where a king waits for one; else deal. Nothing comes down from the foundations.
    """
    ranked = [(_value(view, act), rng.random(), act) for act in view.moves]
    return max(ranked)[2]


def _value(view: KlondikeView, act: int) -> int:
    """How good the kind of an act is."""
    move = move_of(act)
    if move is None:
        return 0
    card, target = move
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
    """Whether a king could use an empty pile: one that can be taken from the dealer area, or one on face-down cards."""
    roots = [up[0] for up, down in zip(view.up, view.down, strict=True) if down]
    return any(rank_of(card) == KING for card in (*view.window, *roots))


def played_by(player: Player, seed: int, *, max_acts: int = MAX_ACTS, salt: int = 0) -> KlondikeGame:
    """Return the game of a seed as a player plays it: to its win, to a round of nothing but deals, or for so many acts.

    The player's random numbers follow from what it sees, the number of acts and the salt.
    """
    game, deals = KlondikeGame.deal(seed), 0
    while not game.is_won and len(game.history) < max_acts and deals <= len(game.state.dealer) and (view := game.view()).moves:
        act = player(view, random.Random(view.seed(acts=len(game.history), salt=salt)))
        deals = deals + 1 if act == DEAL else 0
        game.play(act)
    return game


KIND: Final = "big2 klondike hint"


def played_with_hints(seed: int, *, samples: int = SAMPLES, max_positions: int = MAX_POSITIONS, salt: int = 0) -> KlondikeGame:
    """Return the game of a seed, each act of it as the hints say, to its win or to where no plan turns a card.

    The hints follow from the views and the salt; the deal's seed is no part of their drawing.
    """
    game = KlondikeGame.deal(seed)
    while not game.is_won:
        found = hint(game.view(), samples=samples, max_positions=max_positions, salt=salt)
        if found is None:
            break
        down = game.state.down
        try:
            game.play_all(found.acts)
        except IllegalPlayError as error:  # a plan is made of cards that are seen, so this is a fault of ours
            raise AssertionError(f"plan {found.acts}: {error}") from error
        if found.samples and game.state.down == down:
            break
    return game


@dataclass(frozen=True)
class HintRun:
    """What decides which deals are won."""

    seed: int
    """Of the first deal."""
    samples: int
    """How many ways the hidden cards may lie are tried for a hint."""
    agent_seed: int = 0
    """The salt of the hints."""

    def header(self) -> dict[str, Any]:
        """The run, for the header of its file (`big2_env.runs.resumable`)."""
        return {"kind": KIND, "seed": self.seed, "samples": self.samples, "agent_seed": self.agent_seed}


def new_total() -> Total:
    """The sums of no deals: how many are `won`."""
    from big2_env.runs.resumable import Total

    return Total({"won": 1})


def play(run: HintRun, games: int, total: Total, *, executor: Executor, progress: Callable[[int], Any] | None = None) -> None:
    """Play the deals that a total lacks up to so many, and add them to it.

    Args:
        run: what decides the games.
        games: how many deals there are to be in the end.
        total: the first deals.
        executor: where they are played. What comes out does not depend on it.
        progress: told of each deal.
    """
    import numpy as np

    with executor.map(partial(_won, run), range(total.number, games)) as results:
        for won in results:
            total.add(1, np.array([int(won)]))
            if progress is not None:
                progress(1)


def _won(run: HintRun, number: int) -> bool:
    return played_with_hints(run.seed + number, samples=run.samples, salt=run.agent_seed).is_won
