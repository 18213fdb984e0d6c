"""Hints for a player and the chance to win, computed from visible cards only.

Before all cards of the dealer area have been seen, the hint is to deal, which costs nothing. After that only face-down cards
are unknown, and every arrangement of them is equally likely. The method is determinization:

1. Sample arrangements of the hidden cards, and solve each one.
2. Cut each winning line at the first card turned over. These plans, and all single moves that turn a card, are candidates.
3. Solve every sampled arrangement after every candidate, and choose the candidate that wins most often.

The player sees a new card at the end of a plan and can ask for another hint. Each sample is solved with all cards known, so
the reported fraction of wins is too optimistic, and the advice is not optimal. `kernels.plans` does the work.

The chance to win is estimated from such samples too: every arrangement gets a short search, and undecided ones get a longer
search. An arrangement that is still undecided counts as lost.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.base.language import Words
from big2_env.base.rng import derived
from big2_env.games.klondike.cards import DEAL, card_move, moves_text, shuffled
from big2_env.games.klondike.moves import after
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.solver import interpreted_search, moves_of
from big2_env.games.klondike.view import KlondikeView
from big2_env.kernels.dialect.loader import load
from big2_env.kernels.switch import Compilation

if TYPE_CHECKING:
    from big2_env.games.klondike.kernels.plans import Plan

SAMPLES: Final = 100
MAX_POSITIONS: Final = 2_000
"""Positions searched per sample before it counts as lost."""
MOST_POSITIONS: Final = 100_000
MAX_SAMPLES: Final = 10_000
PLAIN_POSITIONS: Final = 150_000
"""Positions searched by interpreted kernels for one plan, a few seconds of work, before compiled kernels take over."""


QUICK_SAMPLES: Final = 12
QUICK_POSITIONS: Final = 400
"""Samples, and positions searched per sample, of a hint that must not wait for compiled code."""


@dataclass(frozen=True)
class Hint:
    """Advice for one position."""

    moves: tuple[int, ...]
    """Plan: moves up to the first one that turns a card. The first move is the hint."""
    wins: int
    """Number of samples that can be won after the plan, with all cards known."""
    samples: int
    """Number of sampled arrangements; 0 if no sampling was needed."""


def drawn(view: KlondikeView, rng: random.Random) -> KlondikePosition:
    """Return a random position consistent with a view: unknown cards are dealt to unknown places."""
    unknown = list(view.unknown)
    rng.shuffle(unknown)
    piles = tuple((*(unknown.pop() for _ in range(down)), *up) for down, up in zip(view.down, view.up, strict=True))
    dealer = (*view.seen, *unknown)
    return KlondikePosition(piles, view.down, dealer, view.dealt, len(view.seen), view.foundations, 0)


def hint(view: KlondikeView, *, samples: int = SAMPLES, max_positions: int = MAX_POSITIONS, salt: int = 0) -> Hint | None:
    """Return a hint for a view; `None` if no useful move exists.

    The view and `salt` seed the sampling, so a hint does not depend on hidden cards.

    Args:
        view: The player's view.
        samples: Number of arrangements of the hidden cards to sample.
        max_positions: Positions to search per sample. If no sample can be won, the search is repeated with ten times as many.
        salt: Seed for different samples from the same view.

    Raises:
        ConfigError: `samples` or `max_positions` is out of range.
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
    plan = _best_plan(state, derived(seed), samples, max_positions)
    if not plan[0]:
        plan = _best_plan(state, derived(seed), samples, 10 * max_positions)
    return _hint_of(view, state, plan, samples)


def quick_hint(view: KlondikeView) -> Hint | None:
    """Return a hint without waiting for compiled code: by fewer samples and shorter searches until it is ready."""
    if _compiled.is_ready or not view.moves or len(view.seen) < view.dealer:
        return hint(view)
    seed = view.seed()
    state = drawn(view, random.Random(seed))
    with _compiled.timed():
        found = _interpreted_plan(state, derived(seed), QUICK_SAMPLES, QUICK_POSITIONS)
    return _hint_of(view, state, found, QUICK_SAMPLES)


def _hint_of(view: KlondikeView, state: KlondikePosition, plan: Plan | None, samples: int) -> Hint:
    """Return a plan as a hint. If nothing turns a card, it is the last move, which deals only if it is the only one."""
    if plan is None or not plan[1]:
        return Hint((view.moves[-1],), 0, samples)
    wins, path = plan
    return Hint(shortened(state, moves_of(state, path, one_turn=True)), wins, samples)


def _best_plan(state: KlondikePosition, seed: int, samples: int, most: int) -> Plan:
    """Return the best plan, from interpreted kernels at first, from compiled ones if they are ready or much work is left."""
    if not _compiled.is_ready:
        with _compiled.timed():
            found = _interpreted_plan(state, seed, samples, most)
        if found is not None:
            return found
        _compiled.finish()
    return _compiled_plan(state, seed, samples, most)


def _interpreted_plan(state: KlondikePosition, seed: int, samples: int, most: int) -> Plan | None:
    plans = load(frozenset()).module("big2_env.games.klondike.kernels.plans")
    found: Plan | None = plans.plan_for(state, seed, samples, most, PLAIN_POSITIONS)
    return found


def _compiled_plan(state: KlondikePosition, seed: int, samples: int, most: int) -> Plan:
    # Imported where it is used: numba takes a second to load.
    from big2_env.games.klondike.kernels.plans import plan_for

    found = plan_for(state, seed, samples, most)
    assert found is not None
    return found


_compiled: Final = Compilation(lambda: _compiled_plan(KlondikePosition.deal(shuffled(0)), 0, 1, 1))
"""Background compilation of the plan kernels."""


def hint_text(found: Hint | None, tr: Words) -> str:
    """Return a hint as one line."""
    if found is None:
        return tr("klondike.no_hint")
    plan = moves_text(found.moves)
    if not found.samples:
        return tr("klondike.hint_deal", plan=plan)
    return tr("klondike.hint", plan=plan, wins=found.wins, samples=found.samples)


MAX_REMOVED: Final = 2
"""Maximum number of moves to remove together, such as a move and its reverse."""


def shortened(state: KlondikePosition, moves: Sequence[int]) -> tuple[int, ...]:
    """Remove moves that have no effect or can wait, and deals that no remaining move needs.

    The last move, which turns a card, is kept. Making the removed moves after it leads to the same piles, foundations and
    dealer cards as the original moves. The number of dealt cards may differ, because deals cost nothing.
    """
    while (found := _shorter(state, moves)) is not None:
        moves = found
    return tuple(moves)


def _shorter(state: KlondikePosition, moves: Sequence[int]) -> list[int] | None:
    """Return a shorter list of equivalent moves; `None` if there is none."""
    end = _played(state, moves)
    card_moves = [move for move in moves if move != DEAL]
    for number in range(MAX_REMOVED + 1):
        for removed in combinations(range(len(card_moves) - 1), number):
            kept = _with_deals(state, [move for place, move in enumerate(card_moves) if place not in removed])
            if kept is None or len(kept) >= len(moves):
                continue
            position = _played(state, kept)
            if position.down == end.down and (
                _is_same(position, end) or _leads_to(position, [card_moves[i] for i in removed], end)
            ):
                return kept
    return None


def _leads_to(state: KlondikePosition, moves: Sequence[int], end: KlondikePosition) -> bool:
    """Return True if the moves, with deals in between, lead from one position to the other or win the game earlier."""
    if state.is_won:
        return True
    line = _with_deals(state, moves)
    return line is not None and _is_same(_played(state, line), end)


def _with_deals(state: KlondikePosition, moves: Sequence[int]) -> list[int] | None:
    """Insert the necessary deals into the moves; `None` if a move stays illegal after all deals."""
    line: list[int] = []
    for move in moves:
        for _ in range(len(state.dealer) + 2):
            try:
                state = after(state, move)
            except IllegalPlayError:
                if not state.dealer or not _waits_in_dealer(state, move):
                    return None
                state = after(state, DEAL)
                line.append(DEAL)
            else:
                line.append(move)
                break
        else:
            return None
    return line


def _waits_in_dealer(state: KlondikePosition, move: int) -> bool:
    """Return True if the card of a move is in the dealer area but out of reach."""
    moved = card_move(move)
    return moved is not None and moved.card in state.dealer and moved.card not in state.window


def _played(state: KlondikePosition, moves: Sequence[int]) -> KlondikePosition:
    for move in moves:
        state = after(state, move)
    return state


def _is_same(one: KlondikePosition, other: KlondikePosition) -> bool:
    """Return True if two positions differ only in the number of dealt cards and in the score."""
    return (one.piles, one.down, one.dealer, one.foundations) == (other.piles, other.down, other.dealer, other.foundations)


ROUNDS: Final = (200, 1_000)
"""Positions searched per arrangement, in the first search and in the second one."""


class KlondikeChance:
    """Estimate for one view. The view seeds the samples, so the estimate does not depend on hidden cards.

    >>> from big2_env.games.klondike.game import KlondikeGame
    >>> found = KlondikeChance(KlondikeGame.deal(7).view(), samples=10)
    >>> while not found.is_final:
    ...     found.step(1.0)
    >>> found.won, found.done, found.of
    (8, 10, 10)
    """

    def __init__(self, view: KlondikeView, samples: int = SAMPLES) -> None:
        self.of = samples
        """Number of arrangements to examine."""
        self.won = 0
        """Number of examined arrangements that can be won."""
        self.done = 0
        """Number of arrangements examined so far."""
        self._view = view
        self._search = interpreted_search()
        self._rng = random.Random(view.seed())
        self._open: list[KlondikePosition] = []
        """Arrangements that the first search has left open."""

    @property
    def is_final(self) -> bool:
        """True if no work is left."""
        return self.done == self.of and not self._open

    def step(self, seconds: float) -> None:
        """Search for some time, at least one arrangement."""
        end = time.monotonic() + seconds
        while not self.is_final:
            self._examine()
            if time.monotonic() >= end:
                return

    def _examine(self) -> None:
        """Search one arrangement."""
        first, second = ROUNDS
        is_first = self.done < self.of
        state = drawn(self._view, self._rng) if is_first else self._open.pop()
        most = first if is_first else second
        won = self._search(state).run(most, most=most)
        self.won += won is True
        if is_first:
            self.done += 1
            if won is None:
                self._open.append(state)
