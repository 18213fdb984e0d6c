"""Play table: all shapes of a ruleset, used to list the plays of a hand, classify cards and compare plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, combinations, groupby, islice, product
from math import prod
from operator import and_, or_
from typing import NamedTuple, TypeAlias

from big2_env.base.cards import NUM_FACES, RANK_NAMES, Rank, iter_cards, union
from big2_env.base.errors import ConfigError
from big2_env.base.validated import Frozen
from big2_env.climbing.order import CardOrder
from big2_env.climbing.parts import Chop, PatternRule
from big2_env.climbing.play import Play
from big2_env.climbing.shapes import NUM_RANKS, Shape, Suits

TIER_POWER = 64
"""Power from one tier to the next, enough for 16 values in 4 suits."""
SUIT_FIRST = 16
"""Power from one suit to the next if the suit decides before the rank, enough for 16 values."""
UNARY = 8
"""Maximum number of cards of one rank: four suits, two copies each."""
MAX_KEPT = 1 << 12
"""Number of plays that a table caches before it clears the cache."""
MAX_EXPANDED = 1 << 14
"""Maximum number of rows for which kickers are expanded. Tables with more keep them, and do not compile if suits matter."""


class Category(NamedTuple):
    """Class of plays that compare directly: one comparison group, number of cards and bomb level.

    Chops split a category. Plays that make a chop or are beaten by one form a category of their own, which is a rival of the
    rest.

    Args:
        group: Comparison group.
        size: Number of cards.
        bomb: Bomb level.
        chops: Indices in `RuleSet.chops` of the chops that these plays make.
        chopped: Indices in `RuleSet.chops` of the chops that beat these plays.
        last: True if the plays are legal only as a hand's last play.
    """

    group: str
    size: int
    bomb: int
    chops: tuple[int, ...] = ()
    chopped: tuple[int, ...] = ()
    last: bool = False


Categories: TypeAlias = tuple[Category, ...]
Covers: TypeAlias = tuple[frozenset[int], ...]
"""For each category, the indices of the categories that beat it."""


def beaters_of(categories: Categories) -> Covers:
    """Return the categories whose every play beats a category: higher bombs and chops."""
    return tuple(
        frozenset(i for i, other in enumerate(categories) if other.bomb > one.bomb or set(other.chops) & set(one.chopped))
        for one in categories
    )


def rivals_of(categories: Categories, extra_covers: Sequence[tuple[str, str]]) -> Covers:
    """Return the categories whose plays beat a category with higher power: its own, and categories of beating groups.

    Args:
        categories: All categories.
        extra_covers: Pairs (group, beaten group), as in `RuleSet`.
    """
    rivals = []
    for one in categories:
        groups = {beater for beater, beaten in extra_covers if beaten == one.group}
        found = {j for j, other in enumerate(categories) if other.group in groups and other.size == one.size}
        rivals.append(frozenset(found | {j for j, other in enumerate(categories) if other[:3] == one[:3]}))
    return tuple(rivals)


def check_strict(categories: Categories, beaters: Covers, rivals: Covers) -> None:
    """Reject chops that let two plays beat each other.

    Args:
        categories: All categories.
        beaters: Result of `beaters_of`.
        rivals: Result of `rivals_of`.

    Raises:
        ConfigError: Two plays beat each other.
    """
    for i, above in enumerate(beaters):
        for j in above:
            chops = set(categories[j].chops) & set(categories[i].chopped)
            if chops and (i in beaters[j] or i in rivals[j]):
                one, other = categories[i], categories[j]
                both = f"{one.size} cards ({one.group}) and of {other.size} cards ({other.group})"
                raise ConfigError(f"chops: plays of {both} beat each other")


def number_of_plays(order: CardOrder, shape: Shape, choices: Callable[[int, int], int]) -> int:
    """Return the number of different plays of a shape in the deck, without listing them; 0 if the deck lacks the cards.

    Args:
        order: Order of the cards.
        shape: The shape.
        choices: Function (held, count) that returns the number of ways to take `count` cards from those held of one rank.
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
    """Return the place of the highest suit that can decide a play of a shape; 0 for a joker."""
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
    """A shape with its category and power in a ruleset.

    Args:
        shape: The shape.
        pattern: Name of the pattern.
        category: Index of the category.
        power: Power of a play whose deciding suit is the lowest, or does not count.
        suit_step: Power added by each step of the deciding suit: 0 (suits do not count), 1, or 16 (suit before rank).
        ranks: Pairs (rank, count) of the shape's own cards, key rank first.
        need: These cards by rank in unary, with `UNARY` bits per rank. A hand holds them if its own count has all these bits.
        top: Power of the strongest play that the deck has cards for.
        body: Number of cards of each rank without kickers. Only expanded kickers are among the shape's own cards.
    """

    shape: Shape
    pattern: str
    category: int
    power: int
    suit_step: int
    ranks: tuple[tuple[int, int], ...]
    need: int
    top: int
    body: tuple[int, ...]

    @property
    def by_suit(self) -> bool:
        """True if the deciding suit adds to the power."""
        return self.suit_step > 0


class Rung(NamedTuple):
    """Rows with equal category, power and suit step, with the cards that all of them need.

    Args:
        need: Cards that every row needs, as in `Row.need`.
        power: Power of their strongest play.
        rows: Pairs (index, need) of the rows.
    """

    need: int
    power: int
    rows: tuple[tuple[int, int], ...]


class PlayTable(Frozen):
    """All shapes of a ruleset, sorted by category and power.

    If suits matter, each choice of kickers is a shape of its own, unless that makes more than `MAX_EXPANDED` shapes, and
    `reading` decides between several patterns of the same cards.

    Args:
        order: Order of the cards.
        rules: Patterns of the ruleset.
        chops: Plays that also beat certain plays of another pattern.
        extra_covers: Pairs (group, beaten group), as in `RuleSet`.
        suits_compare: True if suits break ties between equal ranks.
        ranks_only: True if suits never matter.
        most: Largest number of cards in a hand.
        final: Cards that nothing beats if they are played alone, as a mask.

    Raises:
        ConfigError: The patterns do not fit each other or the order.
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
        most: int,
        final: int = 0,
    ) -> None:
        self._order = order
        self._ranks_only = ranks_only
        self._final = final
        self._chops = chops
        self._names = [rule.pattern.name for rule in rules]
        self._subset_cache: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        self._play_cache: dict[tuple[int, int], Play] = {}
        held = [mask.bit_count() for mask in order.rank_masks]
        shapes = [(rule, shape, shape) for rule in rules for shape in self._shapes(rule)]
        if not ranks_only:
            each_choice = (
                (rule, shape, each)
                for rule, shape, _ in shapes
                for each in (shape.expanded(held) if shape.size <= most else [shape])
            )
            expanded = list(islice(each_choice, MAX_EXPANDED + 1))
            shapes = expanded if len(expanded) <= MAX_EXPANDED else shapes
        found: dict[tuple[object, ...], tuple[Category, Row]] = {}  # several bodies of a pattern may come to the same cards
        for rule, shape, each in shapes:
            if self._number(each):
                category, row = self._row(rule, shape, each, suits_compare)
                found.setdefault(
                    (row.pattern, row.power, row.suit_step, each.counts, each.suits, each.kickers), (category, row)
                )
        rows = found.values()
        self.categories: tuple[Category, ...] = tuple(dict.fromkeys(category for category, _ in rows))
        index = {category: i for i, category in enumerate(self.categories)}
        placed = [replace(row, category=index[category]) for category, row in rows]
        self.rows: tuple[Row, ...] = tuple(sorted(placed, key=lambda row: (row.category, row.power)))
        self.bounds: tuple[range, ...] = self._category_bounds()
        singles = {row.shape.key for row in self.rows if row.shape.size == 1 and not self.categories[row.category].last}
        if missing := [RANK_NAMES[rank] for rank in self._order.ranks if rank not in singles]:
            raise ConfigError(
                f"expected a pattern that plays any card alone, such as single, so that every leader can play, "
                f"got {', '.join(self._names)}, which play no single {', '.join(missing)}"
            )
        if self._ranks_only and (suited := {row.pattern for row in self.rows if row.shape.suits is not Suits.ANY}):
            raise ConfigError(f"patterns {', '.join(sorted(suited))} look at suits and need ranks_only=False")
        self.beaters = beaters_of(self.categories)
        """For each category, the categories whose every play beats it (higher bombs, chops)."""
        self.rivals = rivals_of(self.categories, extra_covers)
        """For each category, the categories whose plays beat it with higher power."""
        check_strict(self.categories, self.beaters, self.rivals)
        self._by_counts: dict[tuple[int, ...], list[int]] = {}
        self._carrying: dict[int, list[int]] = {}
        for i in sorted(range(len(self.rows)), key=self._rank_of_pattern):
            if self.rows[i].shape.kickers is None:
                self._by_counts.setdefault(self.rows[i].shape.counts, []).append(i)
            else:
                self._carrying.setdefault(self.rows[i].shape.size, []).append(i)
        self.shared: frozenset[int] = frozenset() if ranks_only else frozenset(self._find_shared())
        """Rows that are not the first reading of their cards."""
        self._loose = tuple(self._rungs(category, suited=False) for category in range(len(self.categories)))
        self._suited = tuple(self._rungs(category, suited=True) for category in range(len(self.categories)))
        self._units = [
            (mask, [(1 << n) - 1 << rank * UNARY for n in range(UNARY + 1)])
            for rank, mask in enumerate(self._order.rank_masks)
            if mask
        ]

    def _shapes(self, rule: PatternRule) -> list[Shape]:
        """Return the shapes of a pattern."""
        shapes = list(rule.pattern.shapes(self._order))
        seen = set()
        for shape in shapes:
            same = shape.counts, shape.key, shape.suits, shape.kickers
            if same in seen:
                raise ConfigError(f"pattern {rule.pattern.name!r} gives the shape {shape} twice")
            seen.add(same)
        return shapes

    def _row(self, rule: PatternRule, shape: Shape, expanded: Shape, suits_compare: bool) -> tuple[Category, Row]:
        """Return the row of a shape, or of one with a choice of its kickers, with its category, whose index is not set yet."""
        counts, name = expanded.counts, rule.pattern.name
        ranks = sorted((rank for rank in range(NUM_RANKS) if counts[rank]), key=lambda r: r != shape.key)
        power = rule.tier * TIER_POWER + self._order.values[shape.key] * (1 if shape.suit_first else 4)
        step = 0 if not (shape.key_suit and suits_compare) else SUIT_FIRST if shape.suit_first else 1
        chops = tuple(i for i, chop in enumerate(self._chops) if chop.by(name, shape.size))
        chopped = tuple(i for i, chop in enumerate(self._chops) if chop.of(name, shape.size, shape.key))
        return (
            Category(rule.group_name, shape.size, rule.bomb_level(shape.size), chops, chopped, rule.last),
            Row(
                shape=expanded,
                pattern=name,
                category=-1,
                power=power,
                suit_step=step,
                ranks=tuple((r, counts[r]) for r in ranks),
                need=sum((1 << counts[r]) - 1 << r * UNARY for r in ranks),
                top=power + step * top_suit(self._order, expanded) if step else power,
                body=shape.counts,
            ),
        )

    def _find_shared(self) -> Iterator[int]:
        """Yield the rows that are not the first reading of their cards; those with kickers may be among them needlessly."""
        sizes = Counter(row.shape.size for row in self.rows)
        for rows in self._carrying.values():
            yield from (i for i in rows if sizes[self.rows[i].shape.size] > 1)
        for rows in self._by_counts.values():
            size = self.rows[rows[0]].shape.size
            yield from rows if size in self._carrying else rows[1:]

    def _number(self, shape: Shape) -> int:
        """Return the number of different plays of a shape in the deck."""
        return number_of_plays(self._order, shape, lambda held, count: len(self._subsets(held, count)))

    def _category_bounds(self) -> tuple[range, ...]:
        numbers = Counter(row.category for row in self.rows)
        stops = list(accumulate(numbers[category] for category in range(len(self.categories))))
        return tuple(range(stop - numbers[category], stop) for category, stop in enumerate(stops))

    def beats(self, play: Play, top: Play) -> bool:
        """Return True if a play beats (蓋過) another. A play never beats an equal one.

        Args:
            play: The play that may beat `top`.
            top: The play to beat.
        """
        if self.is_final(top):
            return False
        if play.category in self.beaters[top.category]:
            return True
        return play.category in self.rivals[top.category] and play.power > top.power

    def listed(self, play: Play, hand: int) -> Play:
        """Return the play of a hand that is listed for a play: the one with the lowest cards if suits never matter."""
        if not self._ranks_only:
            return play
        held = ((hand & mask, (play.mask & mask).bit_count()) for mask in self._order.rank_masks)
        return replace(play, mask=union(self._subsets(cards, count)[0][0] for cards, count in held if count))

    def is_final(self, play: Play) -> bool:
        """Return True if a rule says that nothing beats a play and that it ends the trick."""
        return play.mask & self._final != 0 and len(play) == 1

    def is_early(self, play: Play, hand: int) -> bool:
        """Return True if a play is legal only as the last one of a hand, and the hand, as a mask, has other cards."""
        return play.category >= 0 and self.categories[play.category].last and play.mask != hand

    def is_unbeatable(self, play: Play) -> bool:
        """Return True if no cards of the deck beat a play."""
        if self.is_final(play):
            return True
        if self.beaters[play.category]:
            return False
        rungs = (rung for i in self.rivals[play.category] for rung in (*self._loose[i], *self._suited[i]))
        return all(rung.power <= play.power for rung in rungs)

    def classify(self, mask: int) -> list[Play]:
        """Return every reading of exactly these cards, in the order of the ruleset's patterns.

        Args:
            mask: The cards, as a mask. Cards outside the deck have no reading.
        """
        return [self._play(i, mask) for i in self._readings(mask)]

    def key_of(self, play: Play) -> Rank:
        """Return the key rank of a play of this table."""
        return next(self.rows[i].shape.key for i in self._readings(play.mask) if self._play(i, play.mask) == play)

    def _readings(self, mask: int) -> list[int]:
        """Return the rows of `classify`."""
        if mask & ~self._order.deck.mask:
            return []
        counts = tuple((mask & rank_mask).bit_count() for rank_mask in self._order.rank_masks)
        rows = [i for i in self._by_counts.get(counts, ()) if self._suits_fit(self.rows[i].shape.suits, mask)]
        if carrying := [i for i in self._carrying.get(sum(counts), ()) if self._carries(self.rows[i].shape, counts)]:
            rows = sorted([*rows, *carrying], key=self._rank_of_pattern)
        return rows

    def _rank_of_pattern(self, i: int) -> int:
        """Return the place of a row's pattern in the ruleset."""
        return self._names.index(self.rows[i].pattern)

    def reading(self, mask: int, top: Play | None = None) -> Play | None:
        """Return the reading of cards where suits matter: the first that may be played, in the order of patterns.

        Args:
            mask: The cards, as a mask.
            top: Play to beat; None for a lead.

        Returns:
            None if no reading may be played.
        """
        return next((play for play in self.classify(mask) if top is None or self.beats(play, top)), None)

    def plays(self, hand: int, top: Play | None = None, *, with_early: bool = False) -> Iterator[Play]:
        """Yield every play that a hand may make, by category and then by value of the key rank.

        If suits matter, cards with several readings are listed once, under their `reading`.

        Args:
            hand: Cards of the hand, as a mask.
            top: Play to beat; None for a lead.
            with_early: True to add the plays that are legal only once the hand has no other cards.
        """
        if top is not None and self.is_final(top):
            return
        held, number = self._held(hand), hand.bit_count()
        for category, (_, size, *_, last) in enumerate(self.categories):
            if last and number > size and not with_early:
                continue
            if top is None or category in self.beaters[top.category]:
                above = -1
            elif category in self.rivals[top.category]:
                above = top.power
            else:
                continue
            for i in self._fitting(category, hand, held, above):
                if i in self.shared:
                    yield from (play for play in self._expand(i, hand, above) if self._is_first(i, play.mask, top))
                else:
                    yield from self._expand(i, hand, above)

    def _is_first(self, i: int, mask: int, top: Play | None) -> bool:
        """Return True if a row is the `reading` of cards."""
        rows = self._readings(mask)
        return i == next(other for other in rows if top is None or self.beats(self._play(other, mask), top))

    def holds(self, hand: int, category: int, above: int = -1) -> bool:
        """Return True if a hand, as a mask, holds a play of a category with more power than `above`."""
        rows = self._fitting(category, hand, self._held(hand), above)
        return any(next(self._expand(i, hand, above), None) is not None for i in rows)

    def patterns_in(self, hand: int) -> set[str]:
        """Return the names of the patterns that a hand holds a play of."""
        held = self._held(hand)
        found: set[str] = set()
        for category in range(len(self.categories)):
            for i in self._fitting(category, hand, held, -1):
                name = self.rows[i].pattern
                if name not in found and next(self._expand(i, hand, -1), None) is not None:
                    found.add(name)
        return found

    def entries(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield every play of the deck by its ranks: the index of its row, and (rank, number) pairs of its cards."""
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
        """Return the number of different plays of the ruleset, without listing them.

        Args:
            most: Largest number of cards in a play; None for no limit.
        """
        return sum(self._number(row.shape) for row in self.rows if most is None or row.shape.size <= most)

    def _rungs(self, category: int, suited: bool) -> list[Rung]:
        """Return the rows of a category with or without a single suit, ascending by power."""
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
        """Return True if numbers of cards by rank are a shape's body with its kickers."""
        rest = [n - body for n, body in zip(counts, shape.counts, strict=True)]
        return shape.kickers is not None and min(rest) >= 0 and shape.kickers.fits(rest)

    def _held(self, hand: int) -> int:
        """Return the cards of a hand by rank in unary."""
        return sum([units[(hand & mask).bit_count()] for mask, units in self._units])

    def _fitting(self, category: int, hand: int, held: int, above: int) -> list[int]:
        """Return the rows of a category that a hand has the cards for and that can exceed a power, ascending.

        Most rows do not fit most hands, so this test dominates the cost of listing plays. Rows of one suit are tested only
        against suits of the hand with enough cards.
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
        """Yield the plays of one row that a hand holds, with more power than `above`."""
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
        """Yield the plays of a row with kickers that a hand holds, with more power than `above`."""
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
        """Return the choices of `count` cards from those held of one rank as (mask, highest suit), ascending by suit.

        Of two copies of a card the first is used first, so that equal choices appear once. If suits never matter there is only
        one choice, the lowest cards.
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
