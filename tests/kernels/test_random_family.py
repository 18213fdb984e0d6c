"""The compiled engine plays random rulesets of the whole family as the reference engine does. `.ci/run` compares many more."""

from __future__ import annotations

from itertools import count, islice

import pytest
from random_family import compare_family, players_of, random_family

from big2_env import CardsLeft, available_rulesets
from big2_env.climbing.parts import Ending
from big2_env.kernels.variants import variant_of

KINDS = ("ranks_1_4_parts_int8", "ranks_2_4_parts_int8", "slots_1_10_parts_int8", "slots_1_4_plain_int8")
"""What the package's own rulesets are compiled for; finding it takes seconds, which no worker needs that collects tests."""


def test_kinds__are_those_of_the_package() -> None:
    assert {variant_of(rules).name for rules in available_rulesets().values()} == {*KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_engines__agree_on_random_rulesets_of_every_kind(kind: str) -> None:
    seeds = (seed for seed in count() if variant_of(random_family(seed)).name == kind)
    for seed in islice(seeds, 6):
        done = compare_family(seed, games=3, positions=4)
        assert (done.games, done.positions) == (3, 4)


def test_random_family__brings_every_part_that_the_engine_serves() -> None:
    drawn = [random_family(seed) for seed in range(150)]
    assert [repr(random_family(seed)) for seed in range(10)] == list(map(repr, drawn[:10]))

    def share(holds: list[bool]) -> float:
        return sum(holds) / len(holds)

    def bears(part: str) -> float:
        return share([bool(getattr(rules, part)) for rules in drawn])

    for part in (
        "draw_pile",
        "auction",
        "chops",
        "must_cover",
        "ranks_only",
        "auto_lead",
        "auto_skip_unbeatable",
        "extra_covers",
        "top_single_final",
        "hand_sizes",
        "rests",
    ):
        assert 0.03 < bears(part) < 0.97, part
    for part in ("rest", "lead", "last_card", "pass_lock", "ending", "refill", "refill_order"):
        assert len({getattr(rules, part) for rules in drawn}) == len(type(getattr(drawn[0], part))), part
    assert len({type(rules.scoring) for rules in drawn}) == 7
    paid = [rules.scoring for rules in drawn if isinstance(rules.scoring, CardsLeft)]
    for part in ("steps", "points", "doublings"):
        assert {bool(getattr(scoring, part)) for scoring in paid} == {False, True}, part
    assert any(len({rules.cards_each(n) for n in range(rules.min_players, rules.max_players + 1)}) > 1 for rules in drawn)
    assert {players_of(rules, seed) for seed, rules in enumerate(drawn)} == set(range(2, 11))
    assert {(rules.deck.copies, rules.deck.jokers) for rules in drawn} == {(1, False), (1, True), (2, False), (2, True)}
    assert any(rules.deck.without for rules in drawn)
    shapes = [row.shape for rules in drawn for row in rules.table.rows]
    assert any(shape.suit_first for shape in shapes)
    assert any(shape.kickers is not None for shape in shapes)
    assert {variant_of(rules).name for rules in drawn} > set(KINDS)


def test_engines__agree_on_games_that_the_deal_ends() -> None:
    rules = random_family(79)
    assert rules.hand_size == 1
    assert rules.auto_lead
    assert compare_family(79, 6, 8).games == 6


def test_engines__agree_on_games_of_suits_that_go_on_until_one_seat_holds_cards() -> None:
    rules = random_family(217)
    assert rules.ending is Ending.LAST_HOLDER
    assert not rules.ranks_only
    assert compare_family(217, 6, 8).games == 6
