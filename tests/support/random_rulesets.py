"""Random rulesets: patterns of random shapes in random comparison groups, under random turn rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from big2_env import CardsLeft, Lead, PassLock, Pattern, PatternRule, Rank, RuleSet, Shape, StepTable, Suit, Suits
from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.single import Single
from big2_env.climbing.settlement import WinnerTakesOne

PARTS = [[2], [3], [4], [2, 1], [2, 2], [3, 1], [4, 1], [3, 2], [2, 2, 2], [3, 3], [4, 2, 1], [3, 2, 1, 1], [4, 4, 4, 1]]
RUNS = [[1] * size for size in (2, 3, 4, 5, 6, 7, 9, 13)]


@dataclass(frozen=True)
class Fuzzed(Pattern):
    """Any shapes."""

    given: tuple[Shape, ...]

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        yield from self.given


def named(name: str) -> type[Fuzzed]:
    return type(name, (Fuzzed,), {"name": name, "zh": name})


def random_ruleset(seed: int) -> RuleSet:
    """The ruleset of a seed; no cards have two readings, so that it can be compiled."""
    choose = random.Random(seed)
    taken: set[tuple[tuple[int, ...], bool]] = {(Shape.of([rank], key=rank).counts, True) for rank in list(Rank)[:13]}
    rules = [PatternRule(Single(), group=choose.choice(["", "g"]))]
    for number in range(choose.randint(1, 9)):
        shapes = []
        for _ in range(choose.randint(1, 3)):
            parts = choose.choice(choose.choice([PARTS, RUNS]))
            suits = choose.choice(list(Suits)) if max(parts) == 1 else Suits.ANY
            by_suit, key_part = choose.random() < 0.7, choose.randrange(len(parts))
            for _ in range(choose.choice([1, 13, 60])):
                ranks = choose.sample(list(Rank)[:13], len(parts))
                counts = dict(zip(ranks, parts, strict=True))
                shape = Shape.of(counts, key=ranks[key_part], key_suit=by_suit, suits=suits)
                readings = {(shape.counts, one_suit) for one_suit in (True, False)}
                if suits is not Suits.ANY:
                    readings = {(shape.counts, suits is Suits.SAME)}
                if not readings & taken:
                    taken |= readings
                    shapes.append(shape)
        if shapes:
            pattern = named(f"fuzzed_{number}")(tuple(shapes))
            rules.append(
                PatternRule(pattern, choose.choice(["", "g", "h"]), choose.randrange(3), choose.choice([0, 0, 0, 1, 2]))
            )
    groups = sorted({rule.group_name for rule in rules})
    lead = choose.choice(list(Lead))
    return RuleSet(
        name=f"random_{seed}",
        zh="",
        patterns=tuple(rules),
        ranks=tuple(choose.sample(list(Rank)[:13], 13)),
        suits=tuple(choose.sample(list(Suit), 4)),
        suits_compare=choose.random() < 0.8,
        extra_covers=tuple(edge for edge in product(groups, groups) if choose.random() < 0.1),
        lead=lead,
        auto_lead=lead is Lead.EXACT and choose.random() < 0.5,
        pass_lock=choose.choice([PassLock.NONE, PassLock.TRICK]),
        scoring=choose.choice([WinnerTakesOne(), CardsLeft(), CardsLeft(((8, 2), (10, 3))), StepTable(((2, 1), (6, 2.5)))]),
    )
