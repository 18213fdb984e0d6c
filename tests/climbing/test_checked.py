"""Wrong types in a ruleset and its parts: refused where the value is made, in one line that names the field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import pytest
from random_family import random_family

from big2_env import (
    BIG2,
    Auction,
    Bid,
    CapturedPoints,
    Card,
    CardsLeft,
    Chop,
    ConfigError,
    Deck,
    Multiplier,
    PairwiseDifference,
    Pattern,
    RuleSet,
    Settlement,
    StepTable,
    available_patterns,
    available_rulesets,
)
from big2_env.base.validated import Checked, hints_of
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import PointRuns, ValueRuns

PARTS: list[Any] = [
    CardOrder(),
    PointRuns(),
    ValueRuns(),
    CardsLeft(),
    CapturedPoints(),
    StepTable(((1, 2.5),)),
    PairwiseDifference(bonuses=((Card("S[2]"), 2.0),)),
    Bid(),
    Chop("pair", "single"),
    Multiplier("pair"),
    *(cls() for cls in available_patterns().values()),
]


def values_in(value: Any) -> Iterator[Any]:
    """A dataclass value, and those in it."""
    if isinstance(value, tuple):
        for item in value:
            yield from values_in(item)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from values_in(getattr(value, field.name))


EVERY = {type(value): value for value in values_in((*available_rulesets().values(), *PARTS))}


def test_every_part_of_a_ruleset_is_checked() -> None:
    assert {cls.__name__ for cls in EVERY} >= {"RuleSet", "PatternRule", "Deck", "CallRob", "TripleStraight", "CardsLeft"}
    for base in (Auction, Settlement, Pattern):
        own = {cls for cls in subclasses(base) if cls.__module__.startswith("big2_env.") and is_dataclass(cls)}
        own -= {cls for cls in own if base is Pattern and not hasattr(cls, "name")}  # bases of patterns
        assert own <= set(EVERY)
    assert not [cls for cls in EVERY if fields(cls) and not issubclass(cls, Checked)]


def subclasses(cls: type) -> Iterator[type]:
    for one in cls.__subclasses__():
        yield one
        yield from subclasses(one)


FIELDS = [(value, field.name) for cls, value in EVERY.items() for field in fields(cls)]


@pytest.mark.parametrize(("value", "name"), FIELDS, ids=[f"{type(value).__name__}-{name}" for value, name in FIELDS])
def test_a_wrong_type_is_refused_with_the_name_of_its_field(value: Any, name: str) -> None:
    place, hint = f"{type(value).__name__}.{name}", hints_of(type(value))[name]
    wrong = [object(), [], {}, 1.5, b"x", (1.5, 2.5), (None,), float("nan")]
    for given in wrong if hint is str else [*wrong, "x"]:
        with pytest.raises(ConfigError) as caught:
            replace(value, **{name: given})
        assert str(caught.value).startswith(place)
        assert ": expected " in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "given", "message"),
    [
        ("pass_lock", "x", "RuleSet.pass_lock: expected PassLock.NONE or PassLock.TRICK or PassLock.ROUND, got 'x'"),
        ("players", (5, 3), "RuleSet.players: expected int or None, got (5, 3)"),
        ("hand_size", True, "RuleSet.hand_size: expected int, got True"),
        ("draw_pile", 1, "RuleSet.draw_pile: expected bool, got 1"),
        ("auction", "call", "RuleSet.auction: expected Auction or None, got 'call'"),
        ("deck", None, "RuleSet.deck: expected Deck, got None"),
        ("patterns", ("single",), "RuleSet.patterns[0]: expected PatternRule, got 'single'"),
        ("patterns", [], "RuleSet.patterns: expected tuple[PatternRule, ...], got []"),
        ("ranks", tuple(range(13)), "RuleSet.ranks[0]: expected Rank, got 0"),
        ("extra_covers", (("pair",),), "RuleSet.extra_covers[0]: expected tuple[str, str], got ('pair',)"),
    ],
)
def test_ruleset__says_what_it_expected(field: str, given: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(BIG2, **{field: given})
    assert str(caught.value) == message


def test_parts__say_what_they_expected() -> None:
    for make, message in (
        (lambda: Chop("pair", "single", sizes=(1, "2")), "Chop.sizes: expected tuple[int, int] or None, got (1, '2')"),
        (lambda: CardsLeft(((1, float("inf")),)), "CardsLeft.steps[0][1]: expected a finite number, got inf"),
        (lambda: Deck(without=(3,)), "Deck.without[0]: expected Card, got 3"),
    ):
        with pytest.raises(ConfigError) as caught:
            make()
        assert str(caught.value) == message
    assert CardsLeft(((1, 2), (3, 2.5))).steps == ((1, 2), (3, 2.5))


def test_classes_from_outside_are_theirs_to_check() -> None:
    class Unknown: ...

    @dataclass(frozen=True)
    class Own(Pattern):
        name = "own"
        zh = "自"
        part: Unknown = Unknown()  # noqa: RUF009

        def shapes(self, order: CardOrder) -> Iterator[Any]:
            yield from ()

    assert "own" in [rule.pattern.name for rule in BIG2.with_patterns(Own()).patterns]


@pytest.mark.parametrize("seed", range(40))
def test_random_rulesets__stay_valid(seed: int) -> None:
    rules = random_family(seed)
    assert RuleSet(**{field.name: getattr(rules, field.name) for field in fields(rules)}) == rules
