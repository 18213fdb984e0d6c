"""Conversion of a seat's view into the records of compiled code. Other hands stay empty, since a view has none.

A view is passed to compiled code as plain numbers, its facts and its moves: setting record fields from Python one by one takes
longer than choosing a play. `CandidatePlays` converts candidates back into Python plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.track import are_partners, clear_track, note_highest, note_pass, note_play
from big2_env.base.cards import NUM_FACES, union
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Move
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import LastCard, Lead, PassLock, RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import CardPlaces
from big2_env.kernels.dialect import HAS_EXTRAS
from big2_env.kernels.dialect.bits import U, borrowed, lowest_bit
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards, put, shift_of, without_lowest
from big2_env.kernels.dialect.kernel import kernel, specialized
from big2_env.kernels.dialect.records import store
from big2_env.kernels.optional_extras import clear_parts
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of

Ints = npt.NDArray[np.int64]
(SEAT, TURN, TOP_CATEGORY, TOP_POWER, TOP_PATTERN, TOP_SEAT, PASSED, HIGHEST_SINGLE, NUM_PLAYERS, NUM_MOVES,
 LEFT) = range(11)  # fmt: skip
"""Indices of the facts of every game. From `LEFT` on: the cards left by seat, the hand, the top play, the card that must be
played, and the cards that each seat has played. Facts of games with optional parts follow. Cards are masks of card ids, two
decks in two halves; patterns are numbered in the ruleset's order.
"""
(PILE, BIDDING, LANDLORD, STAKE, FACTOR, LEAD_CATEGORY, LEAD_POWER, LEAD_PATTERN, REDEALS, NUM_SAID, NUM_FINISHED,
 MORE) = range(12)  # fmt: skip
"""Indices of the facts of games with optional parts, after the others. From `MORE` on: the number of hands played by each seat,
the calls, and the seats that are out; the landlord's cards, the play to beat for a lock, the trick's cards, and each seat's
captures.
"""
NUM_FACTS: Final = 160
"""Upper bound on the number of facts."""
_FACE_BITS: Final = (1 << NUM_FACES) - 1
_PLAY: Final = 16
"""Bit of a packed move that puts down cards; the lowest bits hold its seat."""
_HIGHEST: Final = 1 << 60
"""Bit of a packed single that was the highest its player could play, as the last-card rule demanded."""
_POWER: Final = 0xFFFFFFF
"""Bits of the power in a packed move, from bit 32 on."""


def pack_facts(view: View, patterns: dict[str, int], facts: Ints) -> None:
    """Write the position of a view into `facts`, int64 (NUM_FACTS,).

    Args:
        view: The view.
        patterns: Index of each pattern in the ruleset.
        facts: Output.

    Raises:
        ConfigError: The view is inconsistent, see `View.check`.
    """
    store(facts, facts_of(view, patterns))


def facts_of(view: View, patterns: dict[str, int]) -> list[int]:
    """Return the position of a view as numbers, after checking it, because kernels trust their input.

    Args:
        view: The view.
        patterns: Index of each pattern in the ruleset.

    Raises:
        ConfigError: The view is inconsistent, see `View.check`.
    """
    view.check()
    top, played = view.top, view.played
    variant = variant_of(view.ruleset)
    sets = _halves if variant.words == 2 else tuple
    values = [
        view.seat, view.turn, *_play(top, patterns), -1 if view.top_seat is None else view.top_seat, view.passed,
        view.needs_highest, len(played), len(view.history), *view.cards_left,
        *sets((view.hand, 0 if top is None else top.mask, view.obligation, *played)),
    ]  # fmt: skip
    if variant.has_extras:
        lead = view.lead_over
        captured = view.captured or (0,) * len(played)
        trick = union(played) & ~union(captured) if view.ruleset.scoring.captures else 0
        values += [
            view.pile_left, view.bidding, -1 if view.landlord is None else view.landlord, view.stake, view.factor,
            *_play(lead, patterns), view.redeals_left, len(view.said), len(view.finished),
            *(view.acted or (0,) * len(played)), *(number for pair in view.said for number in pair), *view.finished,
            *sets((view.bottom, 0 if lead is None else lead.mask, trick, *captured)),
        ]  # fmt: skip
    return values


def _play(play: Play | None, patterns: dict[str, int]) -> tuple[int, int, int]:
    return (-1, -1, -1) if play is None else (play.category, play.power, patterns[play.pattern])


def _halves(masks: Sequence[int]) -> Sequence[int]:
    return [half for mask in masks for half in (mask & _FACE_BITS, mask >> NUM_FACES)]


@kernel
def _set_at(tab: Tables, facts: Any, at: Any, like: Any) -> Any:
    """Return the set of places of the cards whose mask is at an index of the facts, and the next index."""
    found = like
    for half in range(2 if shift_of(like) == 3 else 1):
        mask = facts[at]
        at += 1
        while mask:
            found |= card_at(like, tab.place_of[lowest_bit(U(mask)) + half * NUM_FACES])
            mask &= mask - 1
    return found, at


@kernel
def unpack_game(tab: Tables, facts: Any, game: Any) -> None:
    """Write facts into a game record."""
    players, nothing = facts[NUM_PLAYERS], no_cards(get(game.top, 0))
    seat, at = facts[SEAT], LEFT + players
    for who in range(players):
        put(game.hands, who, nothing)
    hand, at = _set_at(tab, facts, at, nothing)
    put(game.hands, seat, hand)
    top, at = _set_at(tab, facts, at, nothing)
    put(game.top, 0, top)
    obligation, at = _set_at(tab, facts, at, nothing)
    put(game.obligation, 0, obligation)
    for who in range(players):
        played, at = _set_at(tab, facts, at, nothing)
        put(game.played, who, played)
    game.turn, game.passed, game.players = facts[TURN], facts[PASSED], players
    game.top_category, game.top_power, game.top_pattern = facts[TOP_CATEGORY], facts[TOP_POWER], facts[TOP_PATTERN]
    game.top_seat, game.steps, game.highest_single = facts[TOP_SEAT], facts[NUM_MOVES], facts[HIGHEST_SINGLE]
    game.winner = game.actor = -1
    game.last_factor = 1
    _unpack_parts(tab, game, facts, at)


@specialized(HAS_EXTRAS)
def _unpack_parts(tab: Tables, game: Any, facts: Any, at: Any) -> None:
    """Write the facts of optional parts into a game record. Of cards to draw and further decks only the numbers are known."""
    clear_parts(tab, game)
    game.num_pile, game.bidding, game.landlord = facts[at + PILE], facts[at + BIDDING], facts[at + LANDLORD]
    game.stake, game.factor, game.num_redeals = facts[at + STAKE], facts[at + FACTOR], facts[at + REDEALS]
    game.lead_category, game.lead_power, game.lead_pattern = (
        facts[at + LEAD_CATEGORY],
        facts[at + LEAD_POWER],
        facts[at + LEAD_PATTERN],
    )
    game.num_said, game.num_finished = facts[at + NUM_SAID], facts[at + NUM_FINISHED]
    players, nothing = facts[NUM_PLAYERS], no_cards(get(game.top, 0))
    at += MORE
    for who in range(players):
        game.acted[who] = facts[at + who]
    at += players
    for i in range(game.num_said):
        game.said_seat[i], game.said_value[i] = facts[at], facts[at + 1]
        at += 2
    for i in range(game.num_finished):
        game.finished[i] = facts[at + i]
    at += game.num_finished
    bottom, at = _set_at(tab, facts, at, nothing)
    put(game.bottom, 0, bottom)
    lead, at = _set_at(tab, facts, at, nothing)
    put(game.lead_over, 0, lead)
    trick, at = _set_at(tab, facts, at, nothing)
    put(game.trick, 0, trick)
    for who in range(players):
        captured, at = _set_at(tab, facts, at, nothing)
        put(game.captured, who, captured)


@kernel
def unpack_track(tab: Tables, facts: Any, moves: Any, game: Any, track: Any) -> None:
    """Write facts and moves into a track record; `game` comes from `unpack_game`."""
    clear_track(tab, track)
    players = facts[NUM_PLAYERS]
    for seat in range(players):
        track.left[seat] = facts[LEFT + seat]
    top_category, top_power, top_seat, passed = np.int64(-1), np.int64(0), np.int64(0), np.int64(0)
    everybody = (1 << players) - 1
    for i in range(facts[NUM_MOVES]):
        move = moves[i]
        seat = move & (_PLAY - 1)
        if not move & _PLAY:
            passed |= 1 << seat
            if not are_partners(game, seat, top_seat):
                note_pass(track, seat, top_category, top_power)
            continue
        category, power = move >> 16 & 0xFFFF, move >> 32 & _POWER
        if move & _HIGHEST:
            note_highest(tab, track, seat, power)
        value = (power & 63) >> 2
        track.last_pattern[seat] = move >> 5 & 0x7FF
        track.last_value[seat] = value
        leads = top_category < 0 or passed | 1 << top_seat == everybody
        if leads or tab.lock == 0:
            passed = np.int64(0)
        note_play(track, seat, category, value, -1 if leads else top_category, 0 if leads else (top_power & 63) >> 2)
        top_category, top_power, top_seat = category, power, seat


@kernel
def shown_play(tab: Tables, cards: Any, row: Any, power: Any) -> Any:
    """Return the cards of a row as `ShownMoves` takes them: pattern, category, power, and a word of card ids for each deck."""
    low = high = U(0)
    while cards:
        card = U(tab.card_at[lowest_bit(cards)])
        if card < U(NUM_FACES):
            low |= U(1) << card
        else:
            high |= U(1) << (card - U(NUM_FACES))
        cards = without_lowest(cards)
    return np.int64(tab.row_pattern[row]), np.int64(tab.row_category[row]), np.int64(power), np.int64(low), np.int64(high)


@kernel(inline=True)
def shown_word(action: Any) -> Any:
    """Return a move without cards, given its action id, as `ShownMoves` takes it."""
    return np.int64(-1), np.int64(-1), np.int64(action), np.int64(0), np.int64(0)


@kernel(entry=True)
def _fill_both(tab: Tables, facts: Any, moves: Any, game: Any, track: Any) -> None:
    facts = borrowed(facts)
    unpack_game(tab, facts, game)
    unpack_track(tab, facts, borrowed(moves), game, track)


def _highest_singles(view: View, start: int) -> set[int]:
    """Return the indices of moves from `start` on that were the highest single of a hand because of the last-card rule.

    The next seat in the trick is the next to move. With a lock for the round, a lead may admit others first.
    """
    rules, found = view.ruleset, set[int]()
    if rules.last_card is LastCard.NONE or rules.draw_pile or rules.pass_lock is PassLock.ROUND:
        return found
    left, following = list(view.cards_left), view.turn
    for i in range(len(view.history) - 1, start - 1, -1):
        seat, play = view.history[i]
        is_free = i > 0 or rules.lead is Lead.ANY  # not the first play, which must be or contain a certain card
        if len(play) == 1 and left[following] == 1 and following != seat and is_free:
            found.add(i)
        left[seat] += len(play)
        following = seat
    return found


class Memory:
    """A view as facts and moves; for later views of the same game only new moves are packed."""

    def __init__(self) -> None:
        self.facts = np.zeros(NUM_FACTS, np.int64)
        """Facts of the last view, int64 (NUM_FACTS,)."""
        self.moves = np.zeros(256, np.int64)
        """Its history, int64, possibly longer than needed: the seat, a bit for plays, pattern, category and power."""
        self._history: tuple[Move, ...] = ()
        self._patterns: dict[str, int] | None = None

    def read(self, view: View, patterns: dict[str, int]) -> None:
        """Pack a view."""
        pack_facts(view, patterns, self.facts)
        history, known = view.history, self._history
        number = min(len(history), len(known))
        # Moves of the same game are the same objects, which is seen at a glance.
        if patterns is not self._patterns or history[:number] != known[:number]:
            number = 0
        if len(history) > len(self.moves):
            self.moves = np.resize(self.moves, 2 * len(history))
        highest = _highest_singles(view, number)
        for i in range(number, len(history)):
            seat, play = history[i]
            packed = seat | (_HIGHEST if i in highest else 0)
            if play.mask:
                packed += _PLAY | patterns[play.pattern] << 5 | play.category << 16 | play.power << 32
            self.moves[i] = packed
        self._history, self._patterns = history, patterns

    def update(self, tab: Tables, view: View, patterns: dict[str, int], game: Any, track: Any) -> None:
        """Write a view into a game record, and its history into a track record."""
        self.read(view, patterns)
        _fill_both(tab, self.facts, self.moves, game, track)


class ShownMoves:
    """Conversion of moves that compiled code returns, as `shown_play` and `shown_word` give them, into plays."""

    def __init__(self, ruleset: RuleSet) -> None:
        self._names = [rule.pattern.name for rule in ruleset.patterns]
        self._space = action_space(ruleset)

    def move(self, shown: tuple[int, int, int, int, int], legal: LegalPlays) -> Play:
        """Return a legal move of the seat to move.

        Args:
            shown: Pattern, category, power and cards; for a move without cards, -1, -1 and its action id.
            legal: The legal moves.
        """
        pattern, category, power, low, high = shown
        if pattern >= 0:
            return Play(self._names[pattern], low | high << NUM_FACES, category, power)
        return self._space.verify(power, legal) if power else PASS


class CandidatePlays(CardPlaces):
    """Conversion of one ruleset's candidates into plays."""

    def __init__(self, ruleset: RuleSet, tables: Any) -> None:
        super().__init__(ruleset)
        self._tables = tables
        self._names = [rule.pattern.name for rule in ruleset.patterns]

    def play(self, view: View, candidates: Any, i: int) -> Play:
        """Return a candidate of the seat to move as a play."""
        if view.bidding:
            return [*view.calls, PASS][i]
        row, tab = candidates.row[i], self._tables
        if row < 0:
            return PASS
        return Play(
            self._names[tab.row_pattern[row]], self.cards(candidates.mask[i]), tab.row_category[row], candidates.power[i]
        )

    def verified(self, view: View, legal: LegalPlays, candidates: Any, i: int) -> Play:
        """Return a candidate of the seat to move as a play, after checking that it is legal.

        Raises:
            IllegalPlayError: It is not legal.
        """
        play = self.play(view, candidates, i)
        return legal.verify_reading(play) if play.mask else play
