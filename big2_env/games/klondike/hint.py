"""A hint for the person playing, from what they can see alone.

While cards of the dealer area have not been seen, the hint is to deal: that costs nothing. After that only the face-down cards
are unknown, and each way they may lie is as likely as any other, whatever has been played. So some ways are drawn, the solver
plans each to the end, and the plans up to their first turned card, with the moves that turn one at once, are tried on all of
them: the best plan is the one after which most can still be won. Whoever plays it sees a new card at its end and asks again.

It takes each drawn way as if it were known, so it is not the best play possible; the share it names is too high for that
reason. Whoever follows it won 1,783 of 2,500 deals, 71.3 % (69.5 to 73.1); of 1,000 with 24 samples 70.0 %, with 4 63.0 %
(`benchmarks/klondike.py`). The work is in `kernels.plans`.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.games.klondike.actions import DEAL
from big2_env.games.klondike.cards import shuffled
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.shorter import shortened
from big2_env.games.klondike.solver import acts_of
from big2_env.games.klondike.view import KlondikeView
from big2_env.kernels.dialect.loader import load
from big2_env.rng import derived
from big2_env.runs.background_compile import BackgroundCompile
from big2_env.runs.progress import waiting

if TYPE_CHECKING:
    from big2_env.games.klondike.kernels.plans import Plan

SAMPLES: Final = 100
MAX_POSITIONS: Final = 2_000
"""Positions after which a drawn way counts as lost."""
MOST_POSITIONS: Final = 100_000
MAX_SAMPLES: Final = 10_000
PLAIN_POSITIONS: Final = 150_000
"""Positions that interpreted kernels look at for one plan, some seconds' worth, before it is left to compiled ones."""


@dataclass(frozen=True)
class Hint:
    """What to do."""

    acts: tuple[int, ...]
    """A plan: acts up to the first that turns a card; the first of them is the hint."""
    wins: int
    """On so many of the drawn ways the game can be won after the plan, by whoever knows them."""
    samples: int
    """How many ways were drawn; 0 where none were needed."""


def drawn(view: KlondikeView, rng: random.Random) -> KlondikePosition:
    """A position that looks like the view: the unknown cards are dealt anew to the unknown places."""
    unknown = list(view.unknown)
    rng.shuffle(unknown)
    piles = tuple((*(unknown.pop() for _ in range(down)), *up) for down, up in zip(view.down, view.up, strict=True))
    dealer = (*view.seen, *unknown)
    return KlondikePosition(piles, view.down, dealer, view.dealt, len(view.seen), view.foundations, 0)


def hint(view: KlondikeView, *, samples: int = SAMPLES, max_positions: int = MAX_POSITIONS, salt: int = 0) -> Hint | None:
    """Return what to do in a view; `None` if nothing can be done.

    The drawing is seeded by the view and the salt, so that the hint depends on nothing hidden.

    Args:
        view: what the player sees.
        samples: how many ways the hidden cards may lie are drawn.
        max_positions: what the solver may spend on each; where none can be won so, ten times as many.
        salt: for another drawing in the same view.

    Raises:
        ConfigError: samples or positions out of range.
    """
    if not 1 <= samples <= MAX_SAMPLES:
        raise ConfigError(f"expected 1 to {MAX_SAMPLES:,} samples, got {samples}")
    if not 1 <= max_positions <= MOST_POSITIONS:
        raise ConfigError(f"expected max_positions of 1 to {MOST_POSITIONS:,}, got {max_positions}")
    if not view.acts:
        return None
    if len(view.seen) < view.dealer:
        return Hint((DEAL,), 0, 0)
    seed = view.seed(salt=salt)
    state = drawn(view, random.Random(seed))
    wins, path = 0, list[tuple[int, int]]()
    for most in (max_positions, 10 * max_positions):
        wins, path = _best_plan(state, derived(seed), samples, most)
        if wins:
            break
    if not path:  # nothing turns a card: the least that can be said is an act other than the deal
        return Hint((view.acts[-1],), 0, samples)
    return Hint(shortened(state, acts_of(state, path, one_turn=True)), wins, samples)


def _best_plan(state: KlondikePosition, seed: int, samples: int, most: int) -> Plan:
    """The best plan: by interpreted kernels, and where that takes long, or once they are there, by compiled ones."""
    if not _compiled.is_ready:
        begin = time.perf_counter()
        plans = load(frozenset()).module("big2_env.games.klondike.kernels.plans")
        found: Plan | None = plans.plan_for(state, seed, samples, most, PLAIN_POSITIONS)
        if found is not None:
            _compiled.spend(time.perf_counter() - begin)
            return found
        with waiting():
            _compiled.finish()
    return _compiled_plan(state, seed, samples, most)


def _compiled_plan(state: KlondikePosition, seed: int, samples: int, most: int) -> Plan:
    # Imported where it is used: numba takes a second to load.
    from big2_env.games.klondike.kernels.plans import plan_for

    found = plan_for(state, seed, samples, most)
    assert found is not None
    return found


_compiled: Final = BackgroundCompile(lambda: _compiled_plan(KlondikePosition.deal(shuffled(0)), 0, 1, 1))
"""Whether plans are compiled."""


def played_with_hints(seed: int, *, samples: int = SAMPLES, max_positions: int = MAX_POSITIONS, salt: int = 0) -> KlondikeGame:
    """Return the game of a seed, each act of it as the hints say, to its win or to where no plan turns a card.

    The hints follow from the views and the salt; the deal's seed is no part of their drawing.
    """
    game = KlondikeGame(shuffled(seed))
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
