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
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.games.klondike.cards import DEAL, acts_text, move_of, shuffled
from big2_env.games.klondike.moves import after
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.solver import acts_of
from big2_env.games.klondike.view import KlondikeView
from big2_env.kernels.dialect.loader import load
from big2_env.language import Words
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
    if not view.moves:
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
        return Hint((view.moves[-1],), 0, samples)
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


def hint_text(found: Hint | None, tr: Words) -> str:
    """A hint in a line."""
    if found is None:
        return tr("klondike.no_hint")
    plan = acts_text(found.acts)
    if not found.samples:
        return tr("klondike.hint_deal", plan=plan)
    return tr("klondike.hint", plan=plan, wins=found.wins, samples=found.samples)


MAX_REMOVED: Final = 2
"""Moves that are taken out together, as when the second takes back the first."""


def shortened(state: KlondikePosition, acts: Sequence[int]) -> tuple[int, ...]:
    """The acts without moves that change nothing or can as well wait, and without deals that no move needs.

    The last act, which turns a card, is the same. Whoever plays the moves left out after it has the same piles, foundations and
    dealer cards as after all the acts. How many cards are dealt may differ, for deals cost nothing.

    Args:
        state: the position before the acts.
        acts: legal acts, one after the other.
    """
    while (found := _shorter(state, acts)) is not None:
        acts = found
    return tuple(acts)


def _shorter(state: KlondikePosition, acts: Sequence[int]) -> list[int] | None:
    """Fewer acts that serve as well, `None` where there are none."""
    end = _played(state, acts)
    moves = [act for act in acts if act != DEAL]
    for number in range(MAX_REMOVED + 1):
        for removed in combinations(range(len(moves) - 1), number):
            kept = _with_deals(state, [move for place, move in enumerate(moves) if place not in removed])
            if kept is None or len(kept) >= len(acts):
                continue
            position = _played(state, kept)
            if position.down == end.down and (_is_same(position, end) or _leads_to(position, [moves[i] for i in removed], end)):
                return kept
    return None


def _leads_to(state: KlondikePosition, moves: Sequence[int], end: KlondikePosition) -> bool:
    """True if the moves, with deals between them, lead from a position to another, or if the game is won before them."""
    if state.is_won:
        return True
    acts = _with_deals(state, moves)
    return acts is not None and _is_same(_played(state, acts), end)


def _with_deals(state: KlondikePosition, moves: Sequence[int]) -> list[int] | None:
    """The moves with the deals that they need before them; `None` where one is not legal after any number of deals."""
    acts: list[int] = []
    for move in moves:
        for _ in range(len(state.dealer) + 2):
            try:
                state = after(state, move)
            except IllegalPlayError:
                if not state.dealer or not _waits_in_dealer(state, move):
                    return None
                state = after(state, DEAL)
                acts.append(DEAL)
            else:
                acts.append(move)
                break
        else:
            return None
    return acts


def _waits_in_dealer(state: KlondikePosition, act: int) -> bool:
    """True if the card that an act moves lies in the dealer area, out of reach."""
    move = move_of(act)
    return move is not None and move.card in state.dealer and move.card not in state.window


def _played(state: KlondikePosition, acts: Sequence[int]) -> KlondikePosition:
    for act in acts:
        state = after(state, act)
    return state


def _is_same(one: KlondikePosition, other: KlondikePosition) -> bool:
    """True if two positions differ in nothing but how many cards are dealt and what was scored."""
    return (one.piles, one.down, one.dealer, one.foundations) == (other.piles, other.down, other.dealer, other.foundations)
