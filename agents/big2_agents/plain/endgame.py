"""The end of a game with all hands open, solved: as `compiled.endgame` solves it, position for position."""

from __future__ import annotations

from typing import Final

from big2_agents.plain.candidates import Candidate, list_candidates
from big2_agents.plain.playouts import after
from big2_agents.plain.rank_plays import RankRows
from big2_agents.plain.slot_rows import SlotRows
from big2_env.cards import iter_cards
from big2_env.climbing.outcome import is_over, outcome_of
from big2_env.climbing.parts import PassLock
from big2_env.climbing.position import Position
from big2_env.climbing.settlement import PairwiseDifference, PenaltySettlement
from big2_env.climbing.view import View
from big2_env.rng import MASK_64, MIX_1, MIX_2

DEPTH: Final = 64
"""Acts ahead, at most."""
PLACES: Final = 1 << 14
"""Positions that are remembered; a later one takes the place of an earlier one."""
FEW_SEATS: Final = 4
"""More seats than these are parts of a game's record too."""
Payoffs = tuple[float, ...]


class _Level:
    """A position on the way."""

    def __init__(self, endings: Endings, position: Position, key: int) -> None:
        self.position, self.key, self.turn, self.next = position, key, position.turn, 0
        view = View.of_position(endings.rows.ruleset, position, position.turn)
        self.acts: list[Candidate] = list_candidates(endings.rows, view)
        self.most = endings.most(position)
        self.best: Payoffs = (-float("inf"),) * len(position.hands)


class Endings:
    """Solves endings of one ruleset: every seat does what pays it most, of equals the first act, the cheapest."""

    def __init__(self, rows: SlotRows | RankRows) -> None:
        self.rows = rows
        rules, order = rows.ruleset, rows.ruleset.order
        width = 4 * rules.deck.copies
        self._places = {}
        for value, rank in enumerate(order.ranks):
            for i, card in enumerate(order.sort(order.rank_masks[rank])):
                suit = 0 if card.suit is None else order.suit_values[card.suit]
                self._places[int(card)] = 1 << (width * value + (suit if width == 4 else i))
        self._has_parts = not (
            not rules.ranks_only
            and rules.auction is None
            and not rules.draw_pile
            and rules.pass_lock is not PassLock.ROUND
            and isinstance(rules.scoring, PenaltySettlement | PairwiseDifference)
            and rules.max_players <= FEW_SEATS
        )
        self._found: dict[int, tuple[int, Payoffs]] = {}

    def forget(self) -> None:
        """Begin a decision: what is solved within bounds must follow from it alone."""
        self._found.clear()

    def most(self, position: Position) -> float:
        """What the seat to move cannot exceed."""
        scoring = self.rows.ruleset.scoring
        if position.landlord is not None or not isinstance(scoring, PenaltySettlement | PairwiseDifference):
            return float("inf")
        total, number = 0.0, len(position.hands)
        for seat, hand in enumerate(position.hands):
            if seat != position.turn and hand:
                by_cards = isinstance(scoring, PenaltySettlement)
                total += scoring.penalty(hand.bit_count(), number) if by_cards else scoring.value(hand)  # type: ignore[union-attr]
        return total

    def solve(self, position: Position, positions: int) -> Payoffs | None:
        """What each seat is paid; `None` where it is not solved before so many positions have been looked at."""
        rules = self.rows.ruleset
        levels = [_Level(self, position, self._key(position))]
        while True:
            level = levels[-1]
            if level.next < len(level.acts) and level.best[level.turn] < level.most:
                below = after(rules, level.position, level.acts[level.next].play)
                level.next += 1
                if is_over(rules, below):
                    payoffs = outcome_of(rules, below).payoffs
                else:
                    key = self._key(below)
                    known = self._found.get(key >> 1 & PLACES - 1)
                    if known is None or known[0] != key:
                        positions -= 1
                        if positions < 0 or len(levels) + 1 >= DEPTH:
                            return None
                        levels.append(_Level(self, below, key))
                        continue
                    payoffs = known[1]
            else:
                payoffs = level.best
                self._found[level.key >> 1 & PLACES - 1] = level.key, payoffs
                levels.pop()
                if not levels:
                    return payoffs
                level = levels[-1]
            if payoffs[level.turn] > level.best[level.turn]:
                level.best = payoffs

    def _words(self, cards: int) -> tuple[int, int]:
        """A set of cards as two numbers of 64 bits, by place."""
        found = 0
        for card in iter_cards(cards):
            found |= self._places[card]
        return found & MASK_64, found >> 64

    def _key(self, position: Position) -> int:
        """A number of a position, never 0."""
        key = 0
        for hand in position.hands:
            low, high = self._words(hand)
            key = _mixed(_mixed(key ^ low) ^ high)
        key = _mixed(key ^ self._words(position.obligation)[0])
        key = _mixed(key ^ (self._key_of_parts(position) if self._has_parts else 0))
        top, seat = position.top, position.top_seat
        state = 0 if seat is None else seat + 1 << 8
        if top is not None:
            state |= top.category + 1 << 32 | top.power + 1 << 16
        return _mixed(key ^ state ^ position.turn << 4 ^ position.passed << 44) | 1

    def _key_of_parts(self, position: Position) -> int:
        """A number of what else the end may depend on."""
        over, number = position.lead_over, len(position.hands)
        key = _mixed(0 if over is None else over.category + 1 << 32 | over.power + 1)
        key = _mixed(key ^ position.factor ^ len(position.pile) << 56 ^ len(position.finished) << 48)
        acted = position.acted or (0,) * number
        finished = (*position.finished, *(0,) * (number - len(position.finished)))
        for seat in range(number):
            low, high = self._words(position.captured[seat] if position.captured else 0)
            key = _mixed(_mixed(key ^ low) ^ high ^ acted[seat] << 32 ^ finished[seat])
        return key


def _mixed(x: int) -> int:
    x = (x ^ x >> 30) * MIX_1 & MASK_64
    x = (x ^ x >> 27) * MIX_2 & MASK_64
    return x ^ x >> 31
