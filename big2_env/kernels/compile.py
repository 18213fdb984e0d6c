"""Compilation of a ruleset into the record of `tables.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, reduce
from itertools import combinations, groupby, product
from math import comb
from operator import and_
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from big2_env.base.cards import NUM_CARDS, Card, iter_cards
from big2_env.base.errors import ConfigError, warn_once
from big2_env.climbing.actions import ActionSpace, HandSlots, RankTable, action_space
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.encoding.layout import MULTIPLIER_STEPS, WINDOWS
from big2_env.climbing.outcome import bodies_of, check_exact, factor_of_last, factors_of
from big2_env.climbing.parts import Ending, LastCard, Lead, PassLock, Refill, RefillOrder, Rest
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import CapturedPoints, CardsLeft, PairwiseDifference, PenaltySettlement, Settlement, When
from big2_env.climbing.shapes import Kickers, Suits
from big2_env.climbing.table import MAX_EXPANDED, TIER_POWER, Row
from big2_env.kernels import tables
from big2_env.kernels.dialect.records import as_record, paste, read_only, set_of
from big2_env.kernels.tables import EMPTY, FULL, HASH_FACTOR, HASH_SHIFT, LARGE, RIVAL, SETTLEMENTS, TOP_POWER, Tables
from big2_env.kernels.variants import Variant, fitting_rows, ladder_of, sizes_of, variant_of

if TYPE_CHECKING:
    from big2_env.climbing.encoding.observation import ObservationLayout


UNNUMBERED: Final = 1 << 20
"""Value of `first_call` if actions have no ids: larger than any id."""


class SlotFields:
    """The part of the tables for games whose actions are positions in the hand.

    Args:
        tab: Tables whose other fields are filled.
        rows: The shapes, in the order of the tables.
        ruleset: The ruleset.
        space: The action space; `None` if actions have no ids.
        sizes: Sizes of the one-suited shapes.
    """

    def __init__(self, tab: Any, rows: Sequence[Row], ruleset: RuleSet, space: HandSlots | None, sizes: Sequence[int]) -> None:
        self.tab, self.rows, self.ruleset, self.space, self.sizes = tab, rows, ruleset, space, sizes

    def fill(self) -> None:
        """Fill the fields."""
        tab = self.tab
        values = self.ruleset.order.values
        parts = [[(values[rank], count) for rank, count in row.ranks] for row in self.rows]
        paste(tab["row_parts"], list(map(len, parts)))
        paste(tab["row_ranks"], [_padded([value for value, _ in part]) for part in parts])
        paste(tab["row_counts"], [_padded([count for _, count in part]) for part in parts])
        below = [[sum(count for value, count in part if value < own) for own, _ in part] for part in parts]
        paste(tab["row_below"], list(map(_padded, below)))
        alone = {int(size) for size, is_alone in zip(tab["ladder_size"], tab["ladder_alone"], strict=True) if is_alone}
        for cards in range(1, 5):
            tab["alone_plays"][cards] = min(
                (1 + tab["alone_plays"][cards - size] for size in alone if size <= cards), default=4
            )
        self._fill_suited(parts)
        tab["hash_last"] = last = (1 << (4 * len(self.rows)).bit_length()) - 1
        self._fill_hash(last)
        number = 1 + max(self.ruleset.max_hand, tables.MAX_SLOTS)  # longer hands where moves have no numbers
        paste(tab["choices"], choices := _choices())
        paste(tab["binomial"], [[comb(n, k) for k in range(number)] for n in range(number)])
        paste(tab["part_id"], part_ids := _part_ids(number))
        alone_ids = [
            [[[part_ids[first][0][choice] for choice in choices[held][taken]] for taken in range(5)] for held in range(5)]
            for first in range(number)
        ]
        paste(tab["alone_id"], [[[_padded(ids, 2 * tables.MAX_CHOICES) for ids in row] for row in rows] for rows in alone_ids])
        if self.space is None:
            return
        slots = map(self.space.slots, range(self.space.first_call))
        paste(tab["action_slots"], [sum([1 << slot for slot in chosen]) for chosen in slots])
        for size, offset in self.space.offsets.items():
            if size <= tables.MAX_SLOTS:
                tab["size_offset"][size] = offset

    def _fill_suited(self, parts: Sequence[Sequence[tuple[int, int]]]) -> None:
        """Fill the lookup of SAME rows by number of cards and set of values."""
        tab = self.tab
        tab["num_suited"] = len(self.sizes)
        paste(tab["suited_sizes"], self.sizes)
        found = [[-1] * (1 << len(self.ruleset.ranks)) for _ in self.sizes]
        for i, row in enumerate(self.rows):
            if row.shape.suits is Suits.SAME:
                found[self.sizes.index(row.shape.size)][sum(1 << value for value, _ in parts[i])] = i
        tab["suited_row"] = -1
        if found:
            paste(tab["suited_row"], found)

    def _fill_hash(self, last: int) -> None:
        """Fill the hash table from counts by rank to rows, in its first `last` + 1 slots, and the rows that share cards."""
        tab, rows = self.tab, self.rows
        keys, places = [EMPTY] * (last + 1), [[-1, -1] for _ in range(last + 1)]
        needs, ends = list(map(int, tab["row_need"][: len(rows)])), [[-1, -1] for _ in range(last + 1)]
        following, shared = [[-1, -1] for _ in rows], [0] * len(rows)
        for i in sorted(range(len(rows)), key=lambda i: (tab["row_pattern"][i], tab["row_place"][i])):
            place = (needs[i] * HASH_FACTOR & EMPTY) >> HASH_SHIFT & last
            while keys[place] not in (EMPTY, needs[i]):
                place = place + 1 & last
            keys[place] = needs[i]
            for one_suit, excluded in ((0, Suits.SAME), (1, Suits.MIXED)):
                if rows[i].shape.suits is excluded:
                    continue
                if places[place][one_suit] < 0:
                    places[place][one_suit] = i
                else:
                    following[ends[place][one_suit]][one_suit], shared[i] = i, 1
                ends[place][one_suit] = i
        paste(tab["hash_key"], keys)
        paste(tab["hash_row"], places)
        paste(tab["row_next"], following)
        paste(tab["row_shared"], shared)
        tab["num_shared"] = sum(shared)


def _padded(values: Sequence[int], size: int = tables.VALUES) -> list[int]:
    """Return the values padded with zeros."""
    return [*values, *[0] * (size - len(values))]


def _choices() -> list[list[list[int]]]:
    """Return the choices among held cards of one rank, [held][taken], ascending by the highest card taken."""

    def choices(held: int, taken: int) -> list[int]:
        return sorted(sum([1 << card for card in choice]) for choice in combinations(range(held), taken))

    return [[_padded(choices(held, taken), tables.MAX_CHOICES) for taken in range(5)] for held in range(5)]


def _part_ids(most: int) -> list[list[list[int]]]:
    """Return a rank's contribution to the action id of `HandSlots`: [first position][cards below][choice]."""
    cards = [[card for card in range(4) if choice >> card & 1] for choice in range(16)]

    def part_id(first: int, below: int, choice: int) -> int:
        return sum([comb(first + card, below + i) for i, card in enumerate(cards[choice], start=1)])

    numbers = range(most), range(most - 1), range(16)
    return [[[part_id(first, below, choice) for choice in numbers[2]] for below in numbers[1]] for first in numbers[0]]


class RankFields:
    """The part of the tables for games whose actions are ranks.

    Args:
        tab: Tables whose other fields are filled.
        rows: The shapes, in the order of the tables.
        ruleset: The ruleset.
        space: The action space; `None` if actions have no ids.
    """

    def __init__(self, tab: Any, rows: Sequence[Row], ruleset: RuleSet, space: RankTable | None) -> None:
        self.tab, self.rows, self.ruleset, self.space = tab, rows, ruleset, space

    def fill(self) -> None:
        """Fill the fields."""
        tab = self.tab
        paste(tab["lowest"], [[_lowest(byte, number) for number in range(16)] for byte in range(256)])
        paste(tab["row_first"], [0] * len(self.rows))
        if self.space is not None:
            self._fill_actions(self.space)
        tab["row_kickers"] = -1
        deck = [mask.bit_count() for mask in self.ruleset.order.rank_masks]
        number = 0
        bodies = [self._by_value(row.shape.counts) for row in self.rows]
        paste(tab["row_body"], [sum(count << 4 * value for value, count in enumerate(body)) for body in bodies])
        for i, row in enumerate(self.rows):
            if row.shape.kickers is not None:
                tab["row_kickers"][i] = number
                room = [held - taken for held, taken in zip(deck, row.shape.counts, strict=True)]
                self._fill_kickers(number, row.shape.kickers, self._by_value(room))
                number += 1

    def _fill_actions(self, space: RankTable) -> None:
        tab, ranks = self.tab, self.ruleset.order.ranks
        own = {int(place): i for i, place in enumerate(tab["row_place"][: len(self.rows)])}
        rows = [own[row] for row in space.rows]
        places = [(4 * rank, 4 * value) for value, rank in enumerate(ranks)]
        counts = [sum([(number >> at & 15) << to for at, to in places]) for number in space.counts]
        paste(tab["action_row"], [0, *rows])
        paste(tab["action_counts"], [0, *counts])
        first = {row: action for action, row in reversed(list(enumerate(rows, start=1)))}
        paste(tab["row_first"], [first.get(row, 0) for row in range(len(self.rows))])

    def _by_value(self, counts: Sequence[int]) -> list[int]:
        """Return counts by rank as counts by value, without ranks that the deck lacks."""
        return [counts[rank] for rank in self.ruleset.order.ranks]

    def _fill_kickers(self, place: int, kickers: Kickers, room: list[int]) -> None:
        """Fill the fields of one kind of kickers.

        They contain numbers of choices, so that a choice's index among a row's actions is a sum.
        """
        tab, order = self.tab, self.ruleset.order
        tab["kicker_units"][place], tab["kicker_unit"][place] = kickers.size // kickers.unit, kickers.unit
        paste(tab["kicker_limits"][place], self._by_value(kickers.limits))
        tab["kicker_exclusive"][place] = sum(1 << order.values[r] for r in kickers.exclusive if order.values[r] >= 0)
        units = range(tables.MAX_UNITS + 1)
        choices = [[[0 if left else 1] * 2 for left in units] for _ in range(16)]
        for value, rank in enumerate(order.ranks):
            most = min(room[value], kickers.limits[rank]) // kickers.unit
            exclusive = rank in kickers.exclusive
            for left, used in product(units[1:], (0, 1)):
                top = 0 if exclusive and used else max(0, min(most, left))
                choices[value + 1][left][used] = sum(
                    [choices[value][left - number][1 if used or (exclusive and number) else 0] for number in range(top + 1)]
                )
        most = (1 << 31) - 1
        paste(tab["kicker_choices"][place], [[[min(number, most) for number in pair] for pair in row] for row in choices])


def _lowest(byte: int, number: int) -> int:
    """Return the lowest `number` set bits of a byte, or all if it has fewer."""
    bits = [1 << i for i in range(8) if byte >> i & 1]
    return sum(bits[:number])


def check_compiles(ruleset: RuleSet, num_players: int | None = None) -> None:
    """Check that a ruleset compiles for a number of players.

    Raises:
        ConfigError: With all reasons.
    """
    compile_tables(ruleset, ruleset.seats(num_players))


@lru_cache(maxsize=256)
def only_readable(ruleset: RuleSet, seats: int) -> bool:
    """Return whether only the readable rules serve a ruleset. The first such answer of a process warns, with the reasons.

    Raises:
        ConfigError: Payoffs may not be exact in float64.
    """
    check_exact(ruleset, seats)
    try:
        check_compiles(ruleset, seats)
    except ConfigError as error:
        warn_once(f"{error}; the readable rules serve it, a hundred times slower")
        return True
    return False


def _check(ruleset: RuleSet, numbers_moves: bool) -> None:
    """Check that the kernels support a ruleset. Kernels that only handle cards have fewer requirements."""
    auction, rows = ruleset.auction, fitting_rows(ruleset)
    by_slots, most = not ruleset.ranks_only, tables.MAX_SLOTS
    served = (
        (
            not by_slots or not numbers_moves or ruleset.max_hand <= most,
            f"hands of {ruleset.max_hand} cards with suits (limit {most})",
        ),
        (ruleset.max_hand <= tables.MAX_HAND, f"hands of {ruleset.max_hand} cards (limit {tables.MAX_HAND})"),
        (not by_slots or ruleset.deck.copies == 1, "two decks with suits"),
        (
            not by_slots or all(row.shape.kickers is None for row in rows),
            f"kickers with suits that are more than {MAX_EXPANDED} shapes",
        ),
        (type(auction) in (type(None), CallRob, Bid), f"the auction {auction} (served: CallRob, Bid)"),
        (auction is None or auction.deals <= tables.MAX_DEALS, f"an auction of more than {tables.MAX_DEALS} deals"),
        (not numbers_moves or _has_kernel(ruleset.scoring), f"the settlement {ruleset.scoring}"),
        (ruleset.max_players <= 10, f"{ruleset.max_players} players (limit 10)"),
        (all(max(row.shape.counts) <= 8 for row in rows), "plays with more than 8 cards of a rank"),
    )
    if faults := [fault for good, fault in served if not good]:
        raise ConfigError(f"{ruleset.name} cannot be compiled: it has {', '.join(faults)}")


def _has_kernel(scoring: Settlement) -> bool:
    """Return True if kernels pay by a settlement: one of `SETTLEMENTS`, in which no subclass has redefined `owed`."""
    if isinstance(scoring, PenaltySettlement):
        return type(scoring).owed in (PenaltySettlement.owed, CardsLeft.owed)
    return isinstance(scoring, SETTLEMENTS)


def card_places(ruleset: RuleSet) -> list[int]:
    """Return the bit of each card by card id, as defined in `cardsets.py`; -1 if the deck lacks it."""
    order, width = ruleset.order, tables.PLACES[ruleset.deck.copies]
    places = [-1] * NUM_CARDS
    for value, rank in enumerate(order.ranks):
        for i, card in enumerate(order.sort(order.rank_masks[rank])):
            suit = 0 if card.suit is None else order.suit_values[card.suit]
            places[card] = width * value + (suit if width == 4 else i)
    return places


class CardPlaces:
    """Conversion between card ids and the bits that kernels use."""

    def __init__(self, ruleset: RuleSet) -> None:
        self._places = card_places(ruleset)
        self._card_at = {place: card for card, place in enumerate(self._places) if place >= 0}
        self._are_ids = all(place == card for place, card in self._card_at.items())

    def places(self, mask: int) -> int:
        """Convert a mask of card ids to a set of kernel bits."""
        return mask if self._are_ids else sum([1 << self._places[card] for card in iter_cards(mask)])

    def cards(self, places: int) -> int:
        """Convert a set of kernel bits to a mask of card ids."""
        if self._are_ids:
            return places
        found = 0
        while places:
            low = places & -places
            found |= 1 << self._card_at[low.bit_length() - 1]
            places ^= low
        return found


def compile_tables(ruleset: RuleSet, num_players: int | None = None, *, numbers_moves: bool = True) -> Tables:
    """Return the read-only tables of a ruleset for a number of players. Results are cached.

    Args:
        ruleset: The ruleset.
        num_players: Number of players; `None` for the ruleset's default.
        numbers_moves: False omits action ids, which saves half a second if there are many. This is sufficient for
            interpreted kernels that only handle cards.

    Raises:
        ConfigError: If the ruleset has an unsupported part or too many shapes, or does not allow that number of players.
    """
    return _compiled(ruleset, ruleset.seats(num_players), numbers_moves)


@lru_cache(maxsize=64)
def _compiled(ruleset: RuleSet, seats: int, numbers_moves: bool) -> Tables:
    _check(ruleset, numbers_moves)
    if numbers_moves:
        check_exact(ruleset, seats)
    return as_record(read_only(_Compiler(ruleset, seats, numbers_moves).tab))


class _Compiler:
    """Builder of the tables of one ruleset."""

    def __init__(self, ruleset: RuleSet, players: int, numbers_moves: bool) -> None:
        self.ruleset, self.players = ruleset, players
        self.variant: Variant = variant_of(ruleset)
        self.words, self.width = self.variant.words, tables.PLACES[self.variant.words]
        self.places = card_places(ruleset)
        self.space: ActionSpace | None = action_space(ruleset) if numbers_moves else None
        self.layout = _layout(ruleset, players) if numbers_moves else None
        self.rows = sorted(fitting_rows(ruleset), key=lambda row: (ladder_of(row), row.power))
        """The shapes that some hand can hold, sorted so that the rows of a ladder and of a rung are adjacent."""
        self._check_bounds()
        self.tab: Any = np.zeros((), self.variant.tables)
        self._fill_rules()
        self._fill_cards()
        self._fill_rows()
        self._fill_ladders()
        self._fill_beats()
        self._fill_settlement()
        if self.variant.by_slots:
            assert self.space is None or isinstance(self.space, HandSlots)
            SlotFields(self.tab, self.rows, ruleset, self.space, self.suited_sizes).fill()
        else:
            assert self.space is None or isinstance(self.space, RankTable)
            RankFields(self.tab, self.rows, ruleset, self.space).fill()

    def cards(self, places: int) -> Any:
        """Return a set of kernel bits as a record field stores it."""
        return set_of(places, self.words)

    def _check_bounds(self) -> None:
        rows, layout = self.rows, self.layout
        kickers = [row.shape.kickers for row in rows if row.shape.kickers]
        names = "shapes", "ladders of shapes", "comparison groups", "sizes of one-suited shapes", "actions"
        for what, given, most in (
            *zip(names, sizes_of(self.ruleset), LARGE, strict=True),
            ("actions", self.space.n if self.space else 0, max(LARGE.slot_actions, tables.MAX_RANK_ACTIONS)),
            ("tiers", max(rule.tier for rule in self.ruleset.patterns) + 1, tables.MAX_TIERS),
            ("shapes with kickers", len(kickers), tables.MAX_KICKERS),
            ("kickers", max((one.size // one.unit for one in kickers), default=0), tables.MAX_UNITS),
            ("doublings by cards left", len(self.lots), tables.MAX_LOTS),
            ("entries of an observation", layout.size if layout else 0, 64 * tables.MAX_WORDS - 128),
        ):
            if given > most:
                fault = f"{given} {what} (limit {most})"
                raise ConfigError(f"{self.ruleset.name} cannot be compiled: {fault}")

    @cached_property
    def lots(self) -> list[tuple[int, int, int, int]]:
        """Cards left that multiply a payment: their kernel bits, EXACTLY or their suits, which doubling, and its factor."""
        order, width = self.ruleset.order, self.width
        found: list[tuple[int, int, int, int]] = []
        kinds = {Suits.ANY: tables.ANY, Suits.SAME: tables.SAME, Suits.MIXED: tables.MIXED}
        for one in self.ruleset.scoring.doublings:
            number = 1 + found[-1][2] if found else 0
            if one.when is When.LAST:
                continue
            if one.pattern is not None:
                for body, suits in bodies_of(self.ruleset, one.pattern):
                    need = sum((1 << n) - 1 << width * order.values[rank] for rank, n in enumerate(body) if n)
                    found.append((need, kinds[suits], number, one.factor))
            elif one.card is not None:
                if self.places[one.card] >= 0:
                    found.append((1 << self.places[one.card], tables.EXACTLY, number, one.factor))
            elif one.rank is not None:  # the first card of the rank, the second and so on multiply by themselves
                most, first = order.rank_masks[one.rank].bit_count(), width * order.values[one.rank]
                numbers = range(min(most, 1) if one.once else most)
                found += [((2 << n) - 1 << first, tables.ANY, number + n, one.factor) for n in numbers]
        return found

    @property
    def suited_sizes(self) -> list[int]:
        """Sizes of the one-suited shapes."""
        return sorted({row.shape.size for row in self.rows if row.shape.suits is Suits.SAME})

    def _fill_rules(self) -> None:
        """Fill the numeric rules."""
        tab, ruleset, auction = self.tab, self.ruleset, self.ruleset.auction
        if self.layout is not None:
            windows = self.layout.windows
            tab["window"] = [windows[name].start if name in windows else -1 for name in WINDOWS]
            tab["obs_size"], tab["multiplier_steps"] = self.layout.size, MULTIPLIER_STEPS
        tab["num_players"], tab["max_hand"] = self.players, ruleset.max_hand
        tab["hand_size"] = ruleset.cards_each(self.players)
        tab["deck_size"], tab["num_values"] = ruleset.deck.size, len(ruleset.ranks)
        tab["num_actions"], tab["first_call"] = (self.space.n, self.space.first_call) if self.space else (0, UNNUMBERED)
        tab["lead"] = (Lead.ANY, Lead.CONTAINS, Lead.EXACT).index(ruleset.lead)
        tab["lock"] = tuple(PassLock).index(ruleset.pass_lock)
        tab["auto_lead"], tab["last_holder"] = ruleset.auto_lead, ruleset.ending is Ending.LAST_HOLDER
        tab["must_cover"], tab["rest_to_lowest"] = ruleset.must_cover, ruleset.rest_of(self.players) is Rest.LOWEST_HOLDER
        if ruleset.draw_pile:
            tab["refill"] = 1 + tuple(Refill).index(ruleset.refill)
        tab["one_each"], tab["auto_skip"] = ruleset.refill_order is RefillOrder.ROUND_ROBIN, ruleset.auto_skip_unbeatable
        tab["top_final"] = ruleset.top_single_final
        if ruleset.last_card is LastCard.HIGHEST:
            tab["last_card"] = 1 if ruleset.suits_compare else 2
        tab["spring"], tab["anti_spring"], tab["deals"] = ruleset.spring, ruleset.anti_spring, 1
        if auction is not None:
            tab["deals"], tab["said_values"] = auction.deals, 1 + max(move.power for move in auction.vocabulary)
        if isinstance(auction, CallRob):
            tab["auction"], tab["stake"], tab["rob_factor"] = tables.CALL_ROB, auction.stake, auction.rob_factor
        if isinstance(auction, Bid):
            tab["auction"], tab["stake"], tab["most_bid"] = tables.BID, auction.forced_stake, auction.most

    def _fill_cards(self) -> None:
        tab, cards = self.tab, self.ruleset.deck.cards
        tab["deck"][0] = self.cards(sum(1 << self.places[card] for card in cards))
        tab["highest"][0] = self.cards(1 << max(self.places))
        tab["card_at"] = 255
        paste(tab["deck_cards"], cards)
        for card in cards:
            tab["card_at"][self.places[card]], tab["place_of"][card] = card, self.places[card]

    def _fill_rows(self) -> None:
        """Fill the fields of the shapes."""
        tab, ruleset = self.tab, self.ruleset
        names = [rule.pattern.name for rule in ruleset.patterns]
        index = {id(row): place for place, row in enumerate(ruleset.table.rows)}
        tab["num_rows"], tab["single_row"] = len(self.rows), -1
        values, suits = ruleset.order.values, (Suits.ANY, Suits.SAME, Suits.MIXED)
        self.needs = [sum((1 << n) - 1 << self.width * values[rank] for rank, n in row.ranks) for row in self.rows]
        paste(tab["row_need"], [self.cards(need) for need in self.needs])
        paste(tab["row_power"], [row.power for row in self.rows])
        paste(tab["row_step"], [row.suit_step for row in self.rows])
        paste(tab["row_key"], [values[row.shape.key] for row in self.rows])
        paste(tab["row_suits"], [suits.index(row.shape.suits) for row in self.rows])
        paste(tab["row_category"], [row.category for row in self.rows])
        paste(tab["row_pattern"], [names.index(row.pattern) for row in self.rows])
        paste(tab["row_size"], [row.shape.size for row in self.rows])
        paste(tab["row_place"], [index[id(row)] for row in self.rows])
        paste(tab["row_factor"], [factors_of(ruleset, row) for row in self.rows])
        last = [factor_of_last(ruleset, row.pattern, row.shape.key) for row in self.rows]
        paste(tab["row_last"], last)
        tab["most_last"] = max(last)
        singles = [i for i, row in enumerate(self.rows) if row.shape.size == 1]
        for i in sorted(singles, key=self._reading_order, reverse=True):
            tab["single_row"][values[self.rows[i].shape.key]] = i

    def _reading_order(self, i: int) -> tuple[int, int]:
        """Return a sort key for rows with the same cards: the first one is their reading."""
        return 0 if self.ruleset.ranks_only else int(self.tab["row_pattern"][i]), int(self.tab["row_place"][i])

    def _fill_ladders(self) -> None:
        """Fill the ladders and their rungs."""
        tab, rows = self.tab, self.rows
        groups = groupby(range(len(rows)), key=lambda i: ladder_of(rows[i]))
        ladders = [(key, list(group)) for key, group in groups if not key[1]]
        tab["num_ladders"] = len(ladders)
        for ladder, ((category, _, tier, step, key_count), members) in enumerate(ladders):
            size = self.ruleset.table.categories[category].size
            tab["ladder_category"][ladder], tab["ladder_size"][ladder] = category, size
            tab["ladder_power"][ladder], tab["ladder_step"][ladder] = tier * TIER_POWER, step
            tab["ladder_count"][ladder], tab["ladder_alone"][ladder] = key_count, key_count == size
            if key_count == size and any(tab["row_place"][i] in self.ruleset.table.shared for i in members):
                tab["ladder_alone"][ladder] = 2
            values = 0
            for power, group in groupby(members, key=lambda i: rows[i].power):
                rung, value = list(group), power % TIER_POWER // 4
                values |= 1 << self.width * value
                tab["rung_need"][ladder][value] = self.cards(reduce(and_, [self.needs[i] for i in rung]))
                tab["rung_rows"][ladder][value][:] = rung[0], rung[-1] + 1
            tab["ladder_values"][ladder] = self.cards(values)
        # The longer one first of ladders that mix: few of its plays then have to make room.
        self.listed, last = sorted(range(len(ladders)), key=lambda i: (ladders[i][0][:3], -len(ladders[i][1]))), -1
        for ladder in self.listed:
            first, end = [int(tab["row_place"][row]) for row in (ladders[ladder][1][0], ladders[ladder][1][-1])]
            tab["ladder_mixes"][ladder], last = first < last, max(last, end)

    def _fill_beats(self) -> None:
        """Fill which categories beat which, and the ladders that can answer each top play."""
        tab, table = self.tab, self.ruleset.table
        tab["num_categories"] = number = len(table.categories)
        paste(tab["bomb"], [category.bomb for category in table.categories])
        paste(tab["most_held"], held := [category.size if category.last else NUM_CARDS for category in table.categories])
        paste(tab["ladder_held"], [held[category] for category in tab["ladder_category"][: len(self.listed)]])
        for top, category in product(range(number), repeat=2):
            full, rival = category in table.beaters[top], category in table.rivals[top]
            tab["beats"][top][category] = FULL if full else RIVAL if rival else 0
        for top in range(number):
            powers = [table.rows[i].top for rival in table.rivals[top] for i in table.bounds[rival]]
            tab["unbeatable"][top] = TOP_POWER if table.beaters[top] else max(powers)
        if self.ruleset.top_single_final:
            for play in table.classify(1 << self.ruleset.order.cards[-1]):
                tab["unbeatable"][play.category] = min(play.power, tab["unbeatable"][play.category])
        for top in range(-1, number):
            relations = [FULL if top < 0 else tab["beats"][top][tab["ladder_category"][ladder]] for ladder in self.listed]
            answers = [(ladder, relation) for ladder, relation in zip(self.listed, relations, strict=True) if relation]
            powers = [TOP_POWER if relation == FULL else tab["ladder_power"][ladder] for ladder, relation in answers]
            paste(tab["answers"][top + 1], [ladder for ladder, _ in answers])
            paste(tab["answer_power"][top + 1], powers)
            tab["num_answers"][top + 1] = len(answers)

    def _fill_settlement(self) -> None:
        """Fill the payoffs."""
        tab, scoring, order = self.tab, self.ruleset.scoring, self.ruleset.order
        tab["settlement"] = next((i for i, kind in enumerate(SETTLEMENTS) if isinstance(scoring, kind)), -1)
        for left in range(NUM_CARDS + 1):  # without cards as well: who is out, but was not the first, has lost
            if isinstance(scoring, PenaltySettlement):
                tab["penalty"][0][left], tab["penalty"][1][left] = scoring.penalty(left, self.players), scoring.penalty(left, 2)
            elif isinstance(scoring, PairwiseDifference):
                tab["penalty"][0][left] = tab["penalty"][1][left] = replace(scoring, bonuses=()).value((1 << left) - 1)
        tab["penalty_factor"] = 1.0
        if isinstance(scoring, PairwiseDifference):
            self._fill_dear_cards(scoring.bonuses)
        if isinstance(scoring, CardsLeft) and not scoring.is_by_number:  # the cost of n cards is n, times the factor
            for several in range(2):
                paste(tab["penalty"][several], [float(left) for left in range(NUM_CARDS + 1)])
            paste(tab["penalty_factor"], [scoring.factor(left) for left in range(NUM_CARDS + 1)])
            cards, points = self.ruleset.deck.cards, dict(scoring.points)
            self._fill_dear_cards([(card, points[card.rank] - 1) for card in cards if card.rank in points])
        tab["num_lots"] = len(self.lots)
        if self.lots:
            needs, suits, doublings, factors = zip(*self.lots, strict=True)
            paste(tab["lot_need"], [self.cards(need) for need in needs])
            paste(tab["lot_suits"], suits)
            paste(tab["lot_doubling"], doublings)
            paste(tab["lot_factor"], factors)
        if isinstance(scoring, CapturedPoints):
            for rank, number in dict(scoring.points).items():
                if order.values[rank] >= 0:
                    tab["points"][order.values[rank]] = number

    def _fill_dear_cards(self, amounts: Iterable[tuple[Card, float]]) -> None:
        """Fill what cards cost beyond their number."""
        tab, dear = self.tab, 0
        for card, amount in amounts:
            dear |= 1 << self.places[card]
            tab["dear_penalty"][self.places[card]] += amount
        tab["dear_cards"][0] = self.cards(dear)


def _layout(ruleset: RuleSet, players: int) -> ObservationLayout:
    from big2_env.climbing.encoding.observation import ObservationLayout  # it needs numpy, which cards alone do not

    return ObservationLayout(ruleset, players)
