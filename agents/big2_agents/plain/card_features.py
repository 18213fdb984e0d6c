"""Features card by card, as `compiled.card_features` writes them: of a view, into arrays of bytes."""

from __future__ import annotations

from collections.abc import Sequence

from big2_agents.compiled.feature_layout import (
    MAX_CATEGORIES,
    MAX_PATTERNS,
    MAX_PLAYS,
    P_BEST,
    P_CERTAIN,
    P_COUNTS,
    P_HIGHER,
    P_HOLD,
    P_LAST,
    P_LEFT,
    P_LONE,
    P_NEXT_OUT,
    P_PASS,
    P_PATTERN,
    P_PLAYS,
    P_SIZE,
    P_SUIT,
    P_UNANSWERED,
    P_VALUE,
    P_WORSE,
    PLAY_SIZE,
    S_HAND,
    S_HAND_COUNTS,
    S_LAST_PATTERN,
    S_LAST_VALUE,
    S_LEADING,
    S_LED,
    S_LEFT,
    S_OPENING,
    S_PASSED,
    S_PASSED_ON,
    S_PLAYED,
    S_PLAYS,
    S_SKIPPED,
    S_TOP_PATTERN,
    S_TOP_SEAT,
    S_TOP_SUIT,
    S_TOP_VALUE,
    S_UNSEEN,
    S_UNSEEN_COUNTS,
    SKIPS,
    STATE_SIZE,
)
from big2_agents.plain.candidates import Candidate
from big2_agents.plain.combos import Combos
from big2_agents.plain.heuristic import Rated
from big2_agents.plain.opinion import OpinionPlaces, write_opinion
from big2_agents.plain.slot_rows import ONES, SlotRow, SlotRows, bits, counts_of, unary
from big2_agents.plain.track import Track, value_of
from big2_env.climbing.view import View

OPINION = OpinionPlaces(P_BEST, P_WORSE, P_HOLD)


class CardFeatures:
    """What a network sees of views of one ruleset: a state, and candidates."""

    def __init__(self, rows: SlotRows) -> None:
        self._rows = rows
        self._patterns = {rule.pattern.name: min(i, MAX_PATTERNS - 1) for i, rule in enumerate(rows.ruleset.patterns)}

    sizes = STATE_SIZE, PLAY_SIZE
    """How many features a state has, and a candidate."""

    def write(self, view: View, track: Track, rated: Rated) -> tuple[bytearray, list[bytearray]]:
        """The features of the state, and of each candidate."""
        rows = self._rows
        hand, unseen = rows.inner(view.hand), rows.inner(view.unseen)
        combos = Combos(rows, hand)
        plays = self._plays(view, rated.candidates, hand, unseen, combos)
        write_opinion(rated, OPINION, plays)
        return self._state(view, track, hand, unseen, combos), plays

    def _state(self, view: View, track: Track, hand: int, unseen: int, combos: Combos) -> bytearray:
        out = bytearray(STATE_SIZE)
        seat, top = view.seat, view.top
        _cards(out, S_HAND, hand)
        _counts(out, S_HAND_COUNTS, hand)
        _cards(out, S_UNSEEN, unseen)
        _counts(out, S_UNSEEN_COUNTS, unseen)
        for distance in range(4):
            who = (seat + distance) & 3
            start, left = S_LEFT + 13 * distance, view.cards_left[who]
            out[start : start + left] = b"\1" * left
            if distance:
                self._other(out, view, track, who, distance - 1)
        if top is not None and view.top_seat is not None:
            out[S_TOP_VALUE + value_of(top.power)] = 1
            out[S_TOP_SUIT + (top.power & 3)] = 1
            out[S_TOP_PATTERN + self._patterns[top.pattern]] = 1
            out[S_TOP_SEAT + ((view.top_seat - seat) & 3)] = 1
        else:
            out[S_LEADING] = 1
        if view.obligation:
            out[S_OPENING] = 1
        out[S_PLAYS + min(combos.fewest(hand), MAX_PLAYS) - 1] = 1
        return out

    def _other(self, out: bytearray, view: View, track: Track, who: int, other: int) -> None:
        """What is known of another seat."""
        _cards(out, S_PLAYED + 52 * other, self._rows.inner(view.played[who]))
        out[S_PASSED + other] = view.passed >> who & 1
        last = track.last[who]
        if last is not None:
            out[S_LAST_PATTERN + MAX_PATTERNS * other + self._patterns[last.pattern]] = 1
            out[S_LAST_VALUE + 13 * other + value_of(last.power)] = 1
        for category, power in track.passed_on[who].items():
            out[S_PASSED_ON + 13 * (MAX_CATEGORIES * other + category) + value_of(power)] = 1
        for category in track.led[who]:
            out[S_LED + MAX_CATEGORIES * other + category] = 1
        for category in range(SKIPS):
            for value in _values(track.skipped[who][category]):
                out[S_SKIPPED + 13 * (SKIPS * other + category) + value] = 1

    def _plays(self, view: View, candidates: Sequence[Candidate], hand: int, unseen: int, combos: Combos) -> list[bytearray]:
        found = []
        following = view.cards_left[(view.seat + 1) & 3]
        most = max(left for seat, left in enumerate(view.cards_left) if seat != view.seat)
        for one in candidates:
            out = bytearray(PLAY_SIZE)
            rest = hand & ~one.cards
            if rest:
                out[P_LEFT + rest.bit_count() - 1] = 1
                out[P_PLAYS + min(combos.fewest(rest), MAX_PLAYS) - 1] = 1
                counts = counts_of(rest)
                for place in bits(counts & ~(counts >> 1) & ~(counts >> 2) & ONES):
                    out[P_LONE + (place >> 2)] = 1
            else:
                out[P_LAST] = 1
            if isinstance(one.row, SlotRow):
                self._play(out, one.cards, one.row, one.play.power, unseen)
                size = one.cards.bit_count()
                out[P_UNANSWERED] = size > most
                out[P_CERTAIN] = not self._rows.can_be_covered(unseen, one.row.category, one.play.power, most)
                out[P_NEXT_OUT] = size == following
            else:
                out[P_PASS] = 1
            found.append(out)
        return found

    def _play(self, out: bytearray, cards: int, row: SlotRow, power: int, unseen: int) -> None:
        """What a play is."""
        value, suit = value_of(power), power & 3
        out[P_PATTERN + min(row.number, MAX_PATTERNS - 1)] = 1
        out[P_SIZE + min(cards.bit_count(), 5) - 1] = 1
        out[P_VALUE + value] = 1
        if row.step:
            out[P_SUIT + suit] = 1
        for place in bits(cards):
            out[P_COUNTS + (place >> 2)] += 1
        if row.is_alone:
            highest = 4 * value + (suit if row.step else 3)
            above = (unseen >> highest + 1).bit_count()
            out[P_HIGHER + (above if above < 4 else 4 if above <= 6 else 5 if above <= 10 else 6 if above <= 20 else 7)] = 1


def _cards(out: bytearray, start: int, cards: int) -> None:
    for place in bits(cards):
        out[start + place] = 1


def _counts(out: bytearray, start: int, cards: int) -> None:
    """Values held at least 2, 3, 4 times, 13 entries each."""
    units = unary(cards)
    for number in range(1, 4):
        for place in bits(units >> number & ONES):
            out[start + (place >> 2)] = 1
        start += 13


def _values(mask: int) -> list[int]:
    return [value for value in range(13) if mask >> value & 1]
