"""Plays that beat certain plays only, and flushes that compare their suit first."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, pairwise

import pytest
from house_rules import CHOPPED, DEALS_AND_CHOPS, SUIT_FIRST, TIERS
from random_games import random_games

from big2_env import BIG2, HONG_KONG, Card, LegalPlays, PatternRule, RuleSet, ruleset
from big2_env.base.cards import as_mask
from big2_env.climbing.hands import hand_order
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.runs import ValueRuns

TIEN_LEN = ruleset("tien_len")
FOUR = "S[5] C[5] D[5] H[5]"
THREE_PAIRS = "S[6] C[6] S[7] C[7] S[8] D[8]"
FOUR_PAIRS = f"{THREE_PAIRS} S[9] C[9]"
FIVE_PAIRS = f"{FOUR_PAIRS} S[10] C[10]"
TWOS = {1: "H[2]", 2: "D[2] H[2]", 3: "C[2] D[2] H[2]", 4: "S[2] C[2] D[2] H[2]"}


@pytest.mark.parametrize(
    ("chop", "beaten"), [(FOUR, {1}), (THREE_PAIRS, {1}), (FOUR_PAIRS, {1, 2}), (FIVE_PAIRS, {1, 2, 3}), (TWOS[4], {1})]
)
def test_tien_len__chops_beat_twos_and_nothing_else(chop: str, beaten: set[int]) -> None:
    play = TIEN_LEN.play(chop)
    assert {number for number, twos in TWOS.items() if TIEN_LEN.beats(play, TIEN_LEN.play(twos))} == beaten
    for other in ("H[A]", "D[A] H[A]", "C[A] D[A] H[A]", "S[3] C[4] D[5]", "S[10] C[J] S[Q] D[K]"):
        assert not TIEN_LEN.beats(play, TIEN_LEN.play(other))
    for twos in TWOS.values():
        assert not TIEN_LEN.beats(TIEN_LEN.play(twos), play) or (twos == TWOS[4] and chop == FOUR)
    if beaten:
        assert TIEN_LEN.table.is_unbeatable(TIEN_LEN.play(TWOS[4]))
        assert not TIEN_LEN.table.is_unbeatable(TIEN_LEN.play(TWOS[1]))


def test_tien_len__compares_suits_and_has_no_two_in_a_run() -> None:
    ladder = ["S[3]", "C[3]", "D[3]", "H[3]", "S[4]", "H[A]", "S[2]", "H[2]"]
    plays = [TIEN_LEN.play(cards) for cards in ladder]
    assert all(TIEN_LEN.beats(high, low) for low, high in pairwise(plays))
    low, high = (TIEN_LEN.play(f"S[6] C[6] S[7] C[7] {pair}") for pair in ("S[8] D[8]", "C[8] H[8]"))
    assert TIEN_LEN.beats(high, low)
    assert not TIEN_LEN.beats(low, high)
    assert hand_order(TIEN_LEN, low)[0] == Card("D[8]")
    assert TIEN_LEN.table.classify(as_mask("S[K] S[A] S[2]")) == []
    assert TIEN_LEN.table.classify(as_mask("S[A] S[2] S[3]")) == []


def test_tien_len__who_has_passed_is_out_until_the_trick_is_over() -> None:
    for game in random_games(TIEN_LEN, range(5)):
        if game.top is not None and not game.is_over:
            since = game.history[max(i for i, move in enumerate(game.history) if _leads(game.history, i)) :]
            assert game.turn not in {move.seat for move in since if move.play.is_pass}


def _leads(history: list[object], i: int) -> bool:
    """True if act i opened a trick: the first play, or one after passes of all who were in."""
    return i == 0 or (bool(history[i].play) and history[i - 1].play.is_pass and _last_player(history, i) == history[i].seat)


def _last_player(history: list[object], i: int) -> int:
    return next(move.seat for move in reversed(history[:i]) if move.play)


@pytest.mark.parametrize("rules", [*DEALS_AND_CHOPS, TIEN_LEN], ids=lambda rules: rules.name)
def test_beats__of_categories_are_what_the_chops_say(rules: RuleSet) -> None:
    """Told again from the values of the ruleset: groups, sizes, tiers, bombs, chops."""
    placed = {rule.pattern.name: rule for rule in rules.patterns}
    deck = rules.deck.mask
    plays = []
    for category in range(len(rules.table.categories)):
        bounds = rules.table.bounds[category]
        for i in {bounds[0], bounds[len(bounds) // 2], bounds[-1]}:
            some = islice(rules.table._expand(i, deck, -1), 0, 9, 4)
            plays += [(rules.table.rows[i].shape, play) for play in some]
    chopped = 0
    for _, high in plays:
        for shape, low in plays:
            one, other = placed[high.pattern], placed[low.pattern]
            same = one.group_name == other.group_name and len(high) == len(low)
            chops = any(chop.by(high.pattern, len(high)) and chop.of(low.pattern, len(low), shape.key) for chop in rules.chops)
            assert rules.beats(high, low) == (chops or (same and high.power > low.power)), (str(high), str(low))
            chopped += chops
    assert bool(chopped) == bool(rules.chops)


def test_chops__leave_the_listed_plays_complete() -> None:
    for rules in (CHOPPED, TIEN_LEN):
        for game in random_games(rules, range(4)):
            if game.is_over or game.top is None:
                continue
            hand = game.position.hands[game.turn]
            listed = {play for play in game.legal_plays() if play}
            assert listed == {play for play in LegalPlays(rules, hand, None) if rules.beats(play, game.top)}


def test_rulesets_without_chops__have_the_categories_they_had() -> None:
    assert [category[:3] for category in BIG2.table.categories] == [
        ("single", 1, 0),
        ("pair", 2, 0),
        ("straight", 5, 0),
        ("full_house", 5, 0),
    ]
    assert all(not category.chops and not category.chopped for category in TIERS.table.categories)


# Flushes by suit first.


def test_suit_first__a_low_spade_flush_beats_a_high_heart_flush() -> None:
    low, high = "S[3] S[4] S[5] S[6] S[8]", "H[9] H[J] H[K] H[A] H[2]"
    by_suit = HONG_KONG.with_patterns(PatternRule(Flush(runs=ValueRuns(), suit_first=True), "five", 1))
    assert by_suit.beats(by_suit.play(low), by_suit.play(high))
    assert not by_suit.beats(by_suit.play(high), by_suit.play(low))
    assert HONG_KONG.beats(HONG_KONG.play(high), HONG_KONG.play(low))
    assert by_suit.beats(by_suit.play("S[3] S[4] S[5] S[6] S[9]"), by_suit.play(low))  # then the rank
    full = by_suit.play("C[3] D[3] H[3] C[4] D[4]")
    assert by_suit.beats(full, by_suit.play("S[7] S[9] S[J] S[A] S[2]"))  # tiers go before suits
    assert by_suit.table.is_unbeatable(by_suit.play("S[3] S[A] S[2] S[K] S[Q]")) is False  # a full house beats it
    alone = BIG2.with_patterns(Flush(suit_first=True))
    assert alone.table.is_unbeatable(alone.play("S[9] S[Q] S[K] S[A] S[2]", "flush"))
    assert not alone.table.is_unbeatable(alone.play("S[5] S[7] S[8] S[9] S[A]"))
    assert not alone.table.is_unbeatable(alone.play("H[9] H[Q] H[K] H[A] H[2]", "flush"))


def test_suit_first__power_orders_every_flush_by_suit_then_rank() -> None:
    rows = [row for row in SUIT_FIRST.table.rows if row.pattern == "flush"]
    assert {row.suit_step for row in rows} == {16}
    values, suits = SUIT_FIRST.order.values, SUIT_FIRST.order.suit_values
    found = {}
    for i, row in enumerate(SUIT_FIRST.table.rows):
        if row.pattern == "flush" and row.shape.key % 3 == 0:
            for number, play in enumerate(SUIT_FIRST.table._expand(i, SUIT_FIRST.deck.mask, -1)):
                [suit] = {card.suit for card in play.cards}
                found.setdefault((suits[suit], values[row.shape.key]), set()).add(play.power)
                if number == 0:  # the order of cards takes longer than all else, and is the same in every suit
                    assert hand_order(SUIT_FIRST, play)[0].rank is row.shape.key
    ladder = [power for _, power in sorted(found.items())]
    assert all(len(powers) == 1 for powers in ladder)
    assert [power for powers in ladder for power in powers] == sorted(power for powers in ladder for power in powers)


def test_suit_first__does_nothing_where_suits_do_not_compare() -> None:
    flat = replace(SUIT_FIRST, suits_compare=False)
    one, other = flat.play("S[3] S[4] S[5] S[6] S[8]"), flat.play("H[3] H[4] H[5] H[6] H[8]")
    assert one.power == other.power
    assert flat.beats(flat.play("D[3] D[4] D[5] D[6] D[9]"), one)
