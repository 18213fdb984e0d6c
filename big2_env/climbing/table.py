"""The shapes of a ruleset in one table: what a hand can play, what a group of cards is, what covers what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, groupby, product
from math import prod
from operator import and_, or_
from typing import NamedTuple, TypeAlias

from big2_env.cards import NUM_FACES, RANK_NAMES, iter_cards
from big2_env.climbing.order import CardOrder
from big2_env.climbing.parts import Chop, PatternRule
from big2_env.climbing.play import Play
from big2_env.climbing.shapes import NUM_RANKS, Shape, Suits
from big2_env.errors import ConfigError

TIER_POWER = 64
"""Power from one tier to the next: room for 16 values of 4 suits."""
SUIT_FIRST = 16
"""Power from one suit to the next where the suit decides before the rank: room for 16 values."""
UNARY = 8
"""Most cards of one rank: four suits twice."""
MAX_KEPT = 1 << 12
"""Plays that a table keeps for the next list; when there are more, it starts again with none."""


class Category(NamedTuple):
    """Plays that compare directly: one comparison group, one number of cards, one bomb level.

    Chops split a category: the plays that a chop covers, or that make it, are a category of their own, a rival of the rest.
    """

    group: str
    size: int
    bomb: int
    chops: tuple[int, ...] = ()
    """Indices in `RuleSet.chops` of the chops that these plays make."""
    chopped: tuple[int, ...] = ()
    """Indices in `RuleSet.chops` of the chops that cover these plays."""


Categories: TypeAlias = tuple[Category, ...]
Covers: TypeAlias = tuple[frozenset[int], ...]
"""By category: the categories that cover it, by their index."""


def coverers_of(categories: Categories) -> Covers:
    """The categories whose every play covers a category: higher bombs, chops."""
    return tuple(
        frozenset(i for i, other in enumerate(categories) if other.bomb > one.bomb or set(other.chops) & set(one.chopped))
        for one in categories
    )


def rivals_of(categories: Categories, extra_covers: Sequence[tuple[str, str]]) -> Covers:
    """The categories whose plays cover a category with a higher power: its own, and those of groups that cover its group."""
    rivals = []
    for one in categories:
        groups = {coverer for coverer, covered in extra_covers if covered == one.group}
        found = {j for j, other in enumerate(categories) if other.group in groups and other.size == one.size}
        rivals.append(frozenset(found | {j for j, other in enumerate(categories) if other[:3] == one[:3]}))
    return tuple(rivals)


def check_strict(categories: Categories, coverers: Covers, rivals: Covers) -> None:
    """Refuse chops with which two plays cover each other.

    Raises:
        ConfigError: there are such plays.
    """
    for i, above in enumerate(coverers):
        for j in above:
            chops = set(categories[j].chops) & set(categories[i].chopped)
            if chops and (i in coverers[j] or i in rivals[j]):
                one, other = categories[i], categories[j]
                both = f"{one.size} cards ({one.group}) and of {other.size} cards ({other.group})"
                raise ConfigError(f"chops: plays of {both} cover each other")


def number_of_plays(order: CardOrder, shape: Shape, choices: Callable[[int, int], int]) -> int:
    """How many different plays of the deck a shape has, without listing them; 0 where the deck lacks the cards.

    `choices(held, count)` is the number of ways to take `count` (at least 1) of the cards held of one rank, given as a mask.
    """
    masks, counts = order.rank_masks, shape.counts
    if shape.kickers is not None:
        variants = [
            [choices(mask, number) if number else 1 for number in range(body, mask.bit_count() + 1)]
            for mask, body in zip(masks, counts, strict=True)
        ]
        return shape.kickers.count(variants)
    ranks = [rank for rank in range(NUM_RANKS) if counts[rank]]
    every = prod(choices(masks[rank], counts[rank]) for rank in ranks)
    if shape.suits is Suits.ANY:
        return every
    of_one_suit = sum(all(masks[rank] & suit for rank in ranks) for suit in order.suit_masks)
    return of_one_suit if shape.suits is Suits.SAME else every - of_one_suit


def top_suit(order: CardOrder, shape: Shape) -> int:
    """The place in the suit order of the highest suit that can decide a play of a shape; 0 for a joker."""
    masks, key = order.rank_masks, shape.key
    others = [masks[rank] for rank in range(NUM_RANKS) if shape.counts[rank] and rank != key]
    for place, suit in reversed([*enumerate(order.suit_masks)]):
        if shape.suits is Suits.SAME:
            fits = all(mask & suit for mask in others)
        else:
            fits = shape.suits is Suits.ANY or any(mask & ~suit for mask in others)
        if masks[key] & suit and fits:
            return place
    return 0


@dataclass(frozen=True)
class Row:
    """A shape with what the ruleset makes of it."""

    shape: Shape
    pattern: str
    category: int
    power: int
    """Power of the play whose deciding suit is the lowest (or does not count)."""
    suit_step: int
    """What each step of the deciding suit adds to the power: 0 (suits do not count), 1, or 16 (suit before rank)."""
    ranks: tuple[tuple[int, int], ...]
    """(rank, count) of each rank the body has, the key rank first."""
    need: int
    """The body's cards by rank in unary, `UNARY` bits to a rank: a hand holds them iff its own count has all these bits."""
    top: int
    """Power of the strongest play that the deck has cards for."""

    @property
    def by_suit(self) -> bool:
        """True if the deciding suit adds to the power."""
        return self.suit_step > 0


class Rung(NamedTuple):
    """Rows of one category, power and suit step, with what all of them need: a hand that lacks it has none of them."""

    need: int
    power: int
    """Power of their strongest play."""
    rows: tuple[tuple[int, int], ...]
    """(index, need) of each."""


class PlayTable:
    """The shapes of a ruleset, sorted by category and power.

    Args:
        order: the cards in their order.
        rules: the patterns.
        chops: plays that also cover certain plays of another pattern.
        extra_covers: (group, covered group), as in `RuleSet`.
        suits_compare: whether suits decide between equal values.
        ranks_only: whether suits matter in nothing.

    Raises:
        ConfigError: patterns that do not go with each other or with the order.
    """

    def __init__(
        self,
        order: CardOrder,
        rules: Sequence[PatternRule],
        *,
        chops: Sequence[Chop],
        extra_covers: Sequence[tuple[str, str]],
        suits_compare: bool,
        ranks_only: bool,
    ) -> None:
        self._order = order
        self._ranks_only = ranks_only
        self._chops = chops
        self._names = [rule.pattern.name for rule in rules]
        self._subset_cache: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        self._play_cache: dict[tuple[int, int], Play] = {}
        rows = [row for rule in rules for row in self._rows(rule, suits_compare)]
        self.categories: tuple[Category, ...] = tuple(dict.fromkeys(category for category, _ in rows))
        index = {category: i for i, category in enumerate(self.categories)}
        placed = [replace(row, category=index[category]) for category, row in rows]
        self.rows: tuple[Row, ...] = tuple(sorted(placed, key=lambda row: (row.category, row.power)))
        self.bounds: tuple[range, ...] = self._category_bounds()
        singles = {row.shape.key for row in self.rows if row.shape.size == 1}
        if missing := [RANK_NAMES[rank] for rank in self._order.ranks if rank not in singles]:
            raise ConfigError(
                f"expected a pattern that plays any card alone, such as single, so that every leader can play, "
                f"got {', '.join(self._names)}, which play no single {', '.join(missing)}"
            )
        if self._ranks_only and (suited := {row.pattern for row in self.rows if row.shape.suits is not Suits.ANY}):
            raise ConfigError(f"patterns {', '.join(sorted(suited))} look at suits and need ranks_only=False")
        self.coverers = coverers_of(self.categories)
        """By category: the categories whose every play covers it (higher bombs, chops)."""
        self.rivals = rivals_of(self.categories, extra_covers)
        """By category: the categories whose plays cover it with a higher power."""
        check_strict(self.categories, self.coverers, self.rivals)
        self._by_counts: dict[tuple[int, ...], list[int]] = {}
        self._carrying: dict[int, list[int]] = {}
        for i, row in enumerate(self.rows):
            if row.shape.kickers is None:
                self._by_counts.setdefault(row.shape.counts, []).append(i)
            else:
                self._carrying.setdefault(row.shape.size, []).append(i)
        self._loose = tuple(self._rungs(category, suited=False) for category in range(len(self.categories)))
        self._suited = tuple(self._rungs(category, suited=True) for category in range(len(self.categories)))
        self._units = [
            (mask, [(1 << n) - 1 << rank * UNARY for n in range(UNARY + 1)])
            for rank, mask in enumerate(self._order.rank_masks)
            if mask
        ]

    def _rows(self, rule: PatternRule, suits_compare: bool) -> Iterator[tuple[Category, Row]]:
        """The rows of a pattern, not yet placed, with their categories; shapes that the deck has no cards for are left out."""
        seen = set()
        for shape in rule.pattern.shapes(self._order):
            same = shape.counts, shape.key, shape.suits, shape.kickers
            if same in seen:
                raise ConfigError(f"pattern {rule.pattern.name!r} gives the shape {shape} twice")
            seen.add(same)
            if not self._number(shape):
                continue
            counts, name = shape.counts, rule.pattern.name
            ranks = sorted((rank for rank in range(NUM_RANKS) if counts[rank]), key=lambda r: r != shape.key)
            need = sum((1 << counts[r]) - 1 << r * UNARY for r in ranks)
            power = rule.tier * TIER_POWER + self._order.values[shape.key] * (1 if shape.suit_first else 4)
            step = 0 if not (shape.key_suit and suits_compare) else SUIT_FIRST if shape.suit_first else 1
            chops = tuple(i for i, chop in enumerate(self._chops) if chop.by(name, shape.size))
            chopped = tuple(i for i, chop in enumerate(self._chops) if chop.of(name, shape.size, shape.key))
            yield (
                Category(rule.group_name, shape.size, rule.bomb_level(shape.size), chops, chopped),
                Row(
                    shape=shape,
                    pattern=name,
                    category=-1,
                    power=power,
                    suit_step=step,
                    ranks=tuple((r, counts[r]) for r in ranks),
                    need=need,
                    top=power + step * top_suit(self._order, shape) if step else power,
                ),
            )

    def _number(self, shape: Shape) -> int:
        """How many different plays of the deck a shape has."""
        return number_of_plays(self._order, shape, lambda held, count: len(self._subsets(held, count)))

    def _category_bounds(self) -> tuple[range, ...]:
        bounds = []
        start = 0
        for category in range(len(self.categories)):
            stop = start + sum(row.category == category for row in self.rows)
            bounds.append(range(start, stop))
            start = stop
        return tuple(bounds)

    def covers(self, play: Play, top: Play) -> bool:
        """Whether a play beats (盖过) another; always strict."""
        if play.category in self.coverers[top.category]:
            return True
        return play.category in self.rivals[top.category] and play.power > top.power

    def is_unbeatable(self, play: Play) -> bool:
        """Whether no cards of the deck cover a play."""
        if self.coverers[play.category]:
            return False
        rungs = (rung for i in self.rivals[play.category] for rung in (*self._loose[i], *self._suited[i]))
        return all(rung.power <= play.power for rung in rungs)

    def classify(self, mask: int) -> list[Play]:
        """Every reading of exactly these cards, in the order of the ruleset's patterns; none with cards outside the deck."""
        if mask & ~self._order.deck.mask:
            return []
        counts = tuple((mask & rank_mask).bit_count() for rank_mask in self._order.rank_masks)
        rows = [i for i in self._by_counts.get(counts, ()) if self._suits_fit(self.rows[i].shape.suits, mask)]
        rows += [i for i in self._carrying.get(sum(counts), ()) if self._carries(self.rows[i].shape, counts)]
        rows.sort(key=lambda i: self._names.index(self.rows[i].pattern))
        return [self._play(i, mask) for i in rows]

    def plays(self, hand: int, top: Play | None = None) -> Iterator[Play]:
        """Every play that a hand holds, or every one that covers `top`; by category, then by the key's value."""
        held = self._held(hand)
        for category in range(len(self.categories)):
            if top is None or category in self.coverers[top.category]:
                above = -1
            elif category in self.rivals[top.category]:
                above = top.power
            else:
                continue
            for i in self._fitting(category, hand, held, above):
                yield from self._expand(i, hand, above)

    def entries(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Every play of the deck as its ranks tell it: the index of its row and (rank, number) of its cards."""
        deck = [mask.bit_count() for mask in self._order.rank_masks]
        for i, row in enumerate(self.rows):
            body, kickers = row.shape.counts, row.shape.kickers
            room = [held - number for held, number in zip(deck, body, strict=True)]
            if min(room) < 0:
                continue
            for carried in kickers.choices(room, self._order.ranks) if kickers else [()]:
                counts = dict(row.ranks)
                for rank, number in carried:
                    counts[rank] = counts.get(rank, 0) + number
                yield i, list(counts.items())

    def count(self, most: int | None = None) -> int:
        """How many different plays the ruleset has in all, of up to `most` cards; by products, without listing them."""
        return sum(self._number(row.shape) for row in self.rows if most is None or row.shape.size <= most)

    def _rungs(self, category: int, suited: bool) -> list[Rung]:
        """The rows of a category that ask for one suit, or those that do not, ascending by power."""
        rows = ((i, self.rows[i]) for i in self.bounds[category])
        same = [(i, row) for i, row in rows if (row.shape.suits is Suits.SAME) is suited]
        rungs = []
        for _, group in groupby(same, key=lambda pair: (pair[1].power, pair[1].suit_step)):
            members = list(group)
            tests = tuple((i, row.need) for i, row in members)
            rungs.append(Rung(reduce(and_, [need for _, need in tests]), max(row.top for _, row in members), tests))
        return rungs

    @staticmethod
    def _carries(shape: Shape, counts: tuple[int, ...]) -> bool:
        """Whether cards, told by their numbers by rank, are a shape's body with its kickers."""
        rest = [n - body for n, body in zip(counts, shape.counts, strict=True)]
        return shape.kickers is not None and min(rest) >= 0 and shape.kickers.fits(rest)

    def _held(self, hand: int) -> int:
        """The cards of a hand by rank in unary."""
        return sum([units[(hand & mask).bit_count()] for mask, units in self._units])

    def _fitting(self, category: int, hand: int, held: int, above: int) -> list[int]:
        """The rows of a category for which a hand has the cards, and that can reach more power than `above`; ascending.

        Most rows have no place in most hands, so this test is what listing plays costs. Of the many rows that ask for one suit
        only those that a single suit of the hand can fill are found.
        """
        size = self.categories[category].size
        if hand.bit_count() < size:
            return []
        lacking = ~held
        rungs = [rung.rows for rung in self._loose[category] if not rung.need & lacking and rung.power > above]
        found = [i for rows in rungs for i, need in rows if not need & lacking]
        if suited := self._suited[category]:
            for mask in self._order.suit_masks:
                if (hand & mask).bit_count() >= size:
                    lacking = ~self._held(hand & mask)
                    rungs = [rung.rows for rung in suited if not rung.need & lacking and rung.power > above]
                    found += [i for rows in rungs for i, need in rows if not need & lacking]
            found = sorted(set(found))
        return found

    def _expand(self, i: int, hand: int, above: int) -> Iterator[Play]:
        """The plays of one row that a hand holds, with more power than `above`."""
        row = self.rows[i]
        if row.shape.kickers is not None:
            yield from self._expand_kickers(i, hand, above)
            return
        masks = self._order.rank_masks
        (key, count), *others = row.ranks
        suits = row.shape.suits
        for part in [hand & mask for mask in self._order.suit_masks] if suits is Suits.SAME else [hand]:
            keys = self._subsets(part & masks[key], count)
            if row.suit_step and above >= row.power:
                keys = tuple(choice for choice in keys if row.power + choice[1] * row.suit_step > above)
            rest = [[choice[0] for choice in self._subsets(part & masks[rank], n)] for rank, n in others]
            for key_mask, _ in keys:
                for choice in product(*rest):
                    mask = reduce(or_, choice, key_mask)
                    if suits is not Suits.MIXED or self._suits_fit(suits, mask):
                        yield self._play(i, mask)

    def _expand_kickers(self, i: int, hand: int, above: int) -> Iterator[Play]:
        """The plays of a row with kickers that a hand holds, with more power than `above`."""
        row, masks = self.rows[i], self._order.rank_masks
        body, kickers = row.shape.counts, row.shape.kickers
        assert kickers is not None
        room = [(hand & mask).bit_count() - count for mask, count in zip(masks, body, strict=True)]
        for carried in kickers.choices(room, self._order.ranks):
            counts = dict(row.ranks)
            for rank, number in carried:
                counts[rank] = counts.get(rank, 0) + number
            parts = [[mask for mask, _ in self._subsets(hand & masks[rank], n)] for rank, n in counts.items()]
            for choice in product(*parts):
                play = self._play(i, reduce(or_, choice))
                if play.power > above:
                    yield play

    def _subsets(self, held: int, count: int) -> tuple[tuple[int, int], ...]:
        """The choices of `count` cards among those held of one rank: (mask, highest suit), ascending by suit.

        Of two equal faces the first copy goes first, so that equal choices appear once; where suits never matter there is one
        choice, the lowest cards.
        """
        found = self._subset_cache.get((held, count))
        if found is None:
            cards = self._order.sort(held)
            if self._ranks_only:
                cards = cards[:count]
            choices = []
            for choice in combinations(cards, count):
                mask = sum(1 << card for card in choice)
                if mask >> NUM_FACES & held & ~mask:
                    continue
                suit = choice[-1].suit
                choices.append((mask, 0 if suit is None else self._order.suit_values[suit]))
            choices.sort(key=lambda pair: pair[1])
            found = self._subset_cache[held, count] = tuple(choices)
        return found

    def _suits_fit(self, suits: Suits, mask: int) -> bool:
        if suits is Suits.ANY:
            return True
        different = {card.suit for card in iter_cards(mask)}
        return (len(different) == 1) is (suits is Suits.SAME)

    def _play(self, i: int, mask: int) -> Play:
        play = self._play_cache.get((i, mask))
        if play is None:
            row = self.rows[i]
            power = row.power
            if row.suit_step:
                cards = mask & self._order.rank_masks[row.shape.key]
                power += self._subsets(cards, cards.bit_count())[0][1] * row.suit_step
            if len(self._play_cache) >= MAX_KEPT:
                self._play_cache.clear()
            play = self._play_cache[i, mask] = Play(row.pattern, mask, row.category, power)
        return play
