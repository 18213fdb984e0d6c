"""Features by rank, as `compiled.rank_features` writes them: of a view, into arrays of bytes."""

from __future__ import annotations

from collections.abc import Sequence

from big2_agents.compiled.feature_layout import (
    HIGHER,
    MAX_CATEGORIES,
    PILES,
    REST,
    SHARES,
    SKIPS,
    STAKES,
    STRENGTHS,
    VALUES,
    places,
    points_by_value,
    rank_layout,
)
from big2_agents.plain.candidates import Candidate
from big2_agents.plain.heuristic import PlainHeuristic, Rated
from big2_agents.plain.opinion import OpinionPlaces, mark_steps, write_opinion
from big2_agents.plain.rank_plays import by_value
from big2_agents.plain.slot_rows import SlotRow, bits
from big2_agents.plain.track import Track, are_partners, value_of
from big2_env.climbing.play import Play
from big2_env.climbing.view import View


class RankFeatures:
    """What a network sees of views of one ruleset: a state, and candidates."""

    def __init__(self, heuristic: PlainHeuristic, num_players: int) -> None:
        self._heuristic, self._rows = heuristic, heuristic.listing
        self._rules = rules = heuristic.ruleset
        layout = rank_layout(rules, num_players)
        self._s, self._state_size = places(layout.state)
        self._p, self._play_size = places(layout.play)
        self.sizes = self._state_size, self._play_size
        """How many features a state has, and a candidate."""
        self._opinion = OpinionPlaces(self._p["best"], self._p["worse"], self._p["hold"])
        numbers = layout.numbers
        self._most, self._hand, self._sizes = int(numbers["most"]), int(numbers["hand"]), int(numbers["sizes"])
        self._said, self._by_suit, self._all_points = int(numbers["said"]), bool(numbers["by_suit"]), numbers["points"]
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(rules.patterns)}
        self._points_of = points_by_value(rules)
        self._masks = [rules.order.rank_masks[rank] for rank in rules.order.ranks]
        self._number, self._values = len(self._patterns), len(self._masks)

    def write(self, view: View, track: Track, rated: Rated) -> tuple[bytearray, list[bytearray]]:
        """The features of the state, and of each candidate."""
        strength = self._heuristic.strength(view) if view.bidding else 0.0
        plays = [self._candidate(view, one, rated, strength) for one in rated.candidates]
        write_opinion(rated, self._opinion, plays)
        return self._state(view, track), plays

    def _counts(self, out: bytearray, start: int, cards: int) -> None:
        """How many cards of each value, a thermometer each."""
        for value, mask in enumerate(self._masks):
            _thermometer(out, start + self._most * value, (cards & mask).bit_count(), self._most)

    def _cards(self, out: bytearray, start: int, cards: int) -> None:
        """The cards one by one, in games in which suits may decide."""
        if self._by_suit:
            for place in bits(self._rows.inner(cards)):
                out[start + place] = 1

    def _points(self, cards: int) -> float:
        total = 0.0
        for mask, points in zip(self._masks, self._points_of, strict=True):
            total += points * (cards & mask).bit_count()
        return total

    def _share(self, out: bytearray, start: int, points: float) -> None:
        """Points, a thermometer for all that there are."""
        for n in range(SHARES if self._all_points else 0):
            out[start + n] = points * SHARES > self._all_points * n

    def _state(self, view: View, track: Track) -> bytearray:
        out, s, top = bytearray(self._state_size), self._s, view.top
        seat, players = view.seat, view.num_players
        self._counts(out, s["hand"], view.hand)
        self._cards(out, s["hand_cards"], view.hand)
        self._counts(out, s["unseen"], view.unseen)
        self._cards(out, s["unseen_cards"], view.unseen)
        for distance in range(players):
            who = (seat + distance) % players
            _thermometer(out, s["left"] + self._hand * distance, view.cards_left[who], self._hand)
            if distance:
                self._other(out, view, track, who, distance - 1)
        if top is not None and view.top_seat is not None:
            out[s["top_category"] + top.category] = 1
            out[s["top_value"] + value_of(top.power)] = 1
            _thermometer(out, s["top_size"], top.mask.bit_count(), self._sizes)
            if self._by_suit:
                out[s["top_suit"] + (top.power & 3)] = 1
            out[s["top_seat"] + (view.top_seat - seat) % players] = 1
        elif not view.bidding:
            out[s["leading"]] = 1
        if view.obligation:
            out[s["opening"]] = 1
        self._parts(out, view)
        return out

    def _other(self, out: bytearray, view: View, track: Track, who: int, other: int) -> None:
        """What is known of another seat."""
        s, values = self._s, self._values
        self._counts(out, s["played"] + self._most * values * other, view.played[who])
        out[s["passed"] + other] = view.passed >> who & 1
        last = track.last[who]
        if last is not None:
            out[s["last_pattern"] + self._number * other + self._patterns[last.pattern]] = 1
            out[s["last_value"] + values * other + value_of(last.power)] = 1
        for category, power in track.passed_on[who].items():
            out[s["passed_on"] + values * (MAX_CATEGORIES * other + category) + value_of(power)] = 1
        for category in track.led[who]:
            out[s["led"] + MAX_CATEGORIES * other + category] = 1
        for category in range(SKIPS):
            for value in range(values):
                start = s["skipped"] + values * (SKIPS * other + category)
                out[start + value] = track.skipped[who][category] >> value & 1

    def _parts(self, out: bytearray, view: View) -> None:
        """What only some games have."""
        s, rules, seat, players = self._s, self._rules, view.seat, view.num_players
        if rules.auction is not None:
            self._auction(out, view)
        if rules.draw_pile:
            size = rules.deck.size
            _thermometer(out, s["pile"], (view.pile_left * PILES + size - 1) // size, PILES)
        if self._all_points:
            trick = sum(view.played) & ~sum(view.captured)
            self._share(out, s["trick"], self._points(trick))
            for distance in range(players):
                captured = view.captured[(seat + distance) % players]
                self._share(out, s["captured"] + SHARES * distance, self._points(captured))
        if view.lead_over is not None:
            out[s["lock_category"] + view.lead_over.category] = 1
            out[s["lock_value"] + value_of(view.lead_over.power)] = 1

    def _auction(self, out: bytearray, view: View) -> None:
        """What was said, and who plays against the rest."""
        s, seat, players, landlord = self._s, view.seat, view.num_players, view.landlord
        out[s["bidding"]] = view.bidding
        for who, value in view.said:
            out[s["calls"] + (self._said + 1) * ((who - seat) % players) + value] = 1
        acted = view.acted or (0,) * players
        if landlord is not None:
            out[s["landlord"] + (landlord - seat) % players] = 1
            out[s["once"]] = acted[landlord] == 1
            if landlord != seat:
                self._counts(out, s["known"], view.bottom & view.unseen)
        for distance in range(players):
            out[s["acted"] + distance] = acted[(seat + distance) % players] > 0
        stake, steps = view.stake * view.factor, 0
        while stake > 1 and steps < STAKES:
            out[s["stake"] + steps] = 1
            stake, steps = stake >> 1, steps + 1

    def _candidate(self, view: View, one: Candidate, rated: Rated, strength: float) -> bytearray:
        out, p = bytearray(self._play_size), self._p
        play = one.play
        if view.bidding:
            out[p["call"] + max(play.power, 0)] = 1
            mark_steps(out, p["strength"], strength, STRENGTHS)
            return out
        rest = view.hand & ~play.mask
        _thermometer(out, p["left"], rest.bit_count(), self._hand)
        for value, mask in enumerate(self._masks):
            if held := min((rest & mask).bit_count(), REST):
                out[p["rest"] + REST * value + held - 1] = 1
        if rated.turn is not None:
            mark_steps(out, p["worth"], rated.turn.decompositions.best(rest)[0], VALUES)
        out[p["last"]] = not rest
        if one.row is None:
            out[p["pass"]] = 1
        else:
            self._shape(out, one, view.unseen)
            self._answers(out, view, play)
            out[p["certain"]] = not self._rows.can_be_covered(
                self._rows.inner(view.unseen), play.category, play.power, _most_of(view)
            )
        return out

    def _shape(self, out: bytearray, one: Candidate, unseen: int) -> None:
        """What a play is."""
        p, play, row = self._p, one.play, one.row
        assert row is not None
        counts = [(play.mask & mask).bit_count() for mask in self._masks]
        body: Sequence[int] = counts if isinstance(row, SlotRow) else by_value(row.body)
        out[p["category"] + play.category] = 1
        out[p["pattern"] + self._patterns[play.pattern]] = 1
        _thermometer(out, p["size"], len(play), self._sizes)
        value = row.key
        out[p["value"] + value] = 1
        if isinstance(row, SlotRow) and row.step:
            out[p["suit"] + (play.power & 3)] = 1
        for i, (held, of_body) in enumerate(zip(counts, body, strict=False)):
            out[p["body"] + i] = of_body
            out[p["kickers"] + i] = held - of_body
        if sum(number > 0 for number in body) == 1:
            above = sum([(unseen & mask).bit_count() for mask in self._masks[value + 1 :]])
            mark_steps(out, p["higher"], above, HIGHER)
        out[p["bomb"]] = self._rules.table.categories[play.category].bomb > 0
        self._share(out, p["points"], self._points(play.mask))

    def _answers(self, out: bytearray, view: View, play: Play) -> None:
        """Who may answer a play."""
        p, seat, players, size = self._p, view.seat, view.num_players, len(play)
        out[p["unanswered"]] = size > _most_of(view)
        for distance in range(1, players):
            who = (seat + distance) % players
            if view.cards_left[who] == size:
                if distance == 1:
                    out[p["next_out"]] = 1
                out[p["partner_out" if are_partners(view, seat, who) else "enemy_out"]] = 1
        top, lead = view.top, view.lead_over
        out[p["over_partner"]] = top is not None and view.top_seat is not None and are_partners(view, seat, view.top_seat)
        out[p["locks"]] = top is None and lead is not None and self._rules.covers(play, lead)


def _thermometer(out: bytearray, start: int, number: int, most: int) -> None:
    """As many entries as a number, up to a most."""
    out[start : start + min(number, most)] = b"\1" * min(number, most)


def _most_of(view: View) -> int:
    """The most cards in an opponent's hand."""
    others = (seat for seat in range(view.num_players) if seat != view.seat and not are_partners(view, view.seat, seat))
    return max((view.cards_left[seat] for seat in others), default=0)
