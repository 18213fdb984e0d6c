"""Doublings: factors on what losers pay, by cards left and by the winner's last play, in the rules and in compiled games."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from big2_env import BIG2, Card, CardsLeft, ConfigError, Doubling, Game, Lead, Rank, RuleSet, When, ruleset
from big2_env.base.language import Language, words
from big2_env.climbing.forfeit import forfeit
from big2_env.climbing.outcome import bodies_of, payoff_range
from big2_env.climbing.shapes import Suits
from big2_env.testing.differential import compare, compare_positions
from big2_env.text.rules import settling

TAIWAN = ruleset("taiwan")
QUAD, FLUSH = "quad_single", "straight_flush"


def paying(rules: RuleSet, *doublings: Doubling) -> RuleSet:
    return replace(rules, scoring=CardsLeft(doublings=doublings))


def left(rules: RuleSet, hand: str) -> float:
    """What a loser with a hand pays if the winner's last card is C[3]."""
    game = Game.from_hands(rules, ["C[3]", hand, "D[4]", "D[5]"])
    game.play("C[3]")
    assert game.outcome is not None
    return -game.outcome.payoffs[1]


@pytest.mark.parametrize(
    ("doubling", "hand", "factor"),
    [
        (Doubling(When.LEFT, rank=Rank.TWO), "C[6] C[2] S[2]", 4),
        (Doubling(When.LEFT, rank=Rank.TWO, factor=3), "C[6] C[2] S[2]", 9),
        (Doubling(When.LEFT, rank=Rank.TWO, once=True), "C[6] C[2] S[2]", 2),
        (Doubling(When.LEFT, rank=Rank.TWO), "C[6] C[7] S[A]", 1),
        (Doubling(When.LEFT, card=Card("S[2]")), "C[6] C[2] S[2]", 2),
        (Doubling(When.LEFT, card=Card("S[2]")), "C[6] C[2] H[2]", 1),
        (Doubling(When.LEFT, pattern=QUAD), "C[6] D[6] H[6] S[6] C[9]", 2),
        (Doubling(When.LEFT, pattern=QUAD), "C[6] D[6] H[6] S[6]", 1),
        (Doubling(When.LEFT, pattern="four_of_a_kind"), "C[6] D[6] H[6] S[6]", 2),
        (Doubling(When.LEFT, pattern=QUAD), "C[6] D[6] H[6] S[7] C[9]", 1),
        (Doubling(When.LEFT, pattern=QUAD), "C[6] D[6] H[6] S[6] C[8] D[8] H[8] S[8]", 2),
        (Doubling(When.LEFT, pattern=FLUSH), "H[6] H[7] H[8] H[9] H[10] S[J]", 2),
        (Doubling(When.LEFT, pattern=FLUSH), "H[6] H[7] H[8] H[9] S[10] S[J]", 1),
        (Doubling(When.LEFT, pattern="straight"), "H[6] H[7] H[8] H[9] H[10] S[J]", 2),
        (Doubling(When.LEFT, pattern="straight"), "H[6] H[7] H[8] H[9] H[10] D[K]", 1),  # of one suit
    ],
)
def test_left__multiplies_what_this_loser_pays(doubling: Doubling, hand: str, factor: int) -> None:
    assert left(paying(TAIWAN, doubling), hand) == factor * len(hand.split())


@pytest.mark.parametrize(
    ("doubling", "hand", "factor"),
    [
        (Doubling(When.LAST, rank=Rank.TWO), "C[2] D[2]", 2),
        (Doubling(When.LAST, rank=Rank.TWO, factor=5), "C[2]", 5),
        (Doubling(When.LAST, rank=Rank.TWO), "C[A]", 1),
        (Doubling(When.LAST, rank=Rank.TWO), "C[2] C[4] D[5] H[6] S[3]", 2),  # the 2 is the highest card of this straight
        (Doubling(When.LAST, rank=Rank.TWO), "C[2] C[4] D[5] H[A] S[3]", 1),  # and the lowest of that one
        (Doubling(When.LAST, rank=Rank.TWO), "C[2] D[2] C[7] D[7] H[7]", 1),
        (Doubling(When.LAST, rank=Rank.TWO), "C[2] C[7] D[7] H[7] S[7]", 1),
        (Doubling(When.LAST, pattern=QUAD), "C[2] C[7] D[7] H[7] S[7]", 2),
        (Doubling(When.LAST, pattern=QUAD), "C[2] D[2] C[7] D[7] H[7]", 1),
    ],
)
def test_last__multiplies_what_all_losers_pay(doubling: Doubling, hand: str, factor: int) -> None:
    """Seat 0 leads; all others pass, or are no longer asked, before it puts its hand down."""
    rules = paying(TAIWAN, doubling)
    game = Game.from_hands(replace(rules, lead=Lead.ANY), [hand, "C[8] C[9]", "C[10] C[J] C[Q]", "D[10]"])
    game = Game.from_position(game.ruleset, game.position._replace(turn=0))
    game.play(hand)
    assert game.outcome is not None
    assert game.outcome.payoffs == (6 * factor, -2 * factor, -3 * factor, -factor)
    assert game.position.top == game.history[-1].play


def test_last__is_known_if_all_others_had_passed_before() -> None:
    rules = paying(TAIWAN, Doubling(When.LAST, pattern="pair"))
    game = Game.from_hands(rules, ["C[3] C[7] D[7]", "C[4] C[5]", "C[6]", "D[6]"])
    for cards in ("C[3]", "", "", "", "C[7] D[7]"):
        game.play(cards)
    assert game.outcome is not None
    assert game.outcome.payoffs == (8, -4, -2, -2)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({}, r"^Doubling\.rank: expected one of pattern, rank and card, got none"),
        ({"rank": Rank.TWO, "pattern": "pair"}, r"^Doubling\.pattern: expected one of .*, got pattern and rank"),
        ({"when": When.LAST, "card": Card("S[2]")}, r"by the last play: expected a pattern or a rank, got the card S\[2\]"),
        ({"when": When.LAST, "rank": Rank.TWO, "once": True}, "once needs a rank of cards left"),
        ({"pattern": "pair", "once": True}, "once needs a rank of cards left"),
        ({"rank": Rank.TWO, "factor": 1}, "expected a factor of 2 to 100, got 1"),
    ],
)
def test_doublings__that_mean_nothing__are_refused(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        Doubling(**{"when": When.LEFT, **given})


def test_rulesets__refuse_doublings_that_do_not_fit() -> None:
    with pytest.raises(ConfigError, match="doubling of unknown pattern 'bomb'; expected one of single, pair"):
        paying(BIG2, Doubling(When.LAST, pattern="bomb"))
    with pytest.raises(ConfigError, match="doubling of unknown pattern 'bombs'; expected one of single, pair"):
        paying(BIG2, Doubling(When.LEFT, pattern="bombs"))
    with pytest.raises(ConfigError, match="doubling by the last play needs ending 'first_out', got 'last_holder'"):
        paying(ruleset("wu_gua_pi"), Doubling(When.LAST, rank=Rank.TWO))


@pytest.mark.parametrize(
    ("rules", "pattern", "number"), [(TAIWAN, QUAD, 156), (TAIWAN, "four_of_a_kind", 13), (BIG2, FLUSH, 13)]
)
def test_bodies__of_a_pattern_of_the_ruleset_or_the_package_are_in_order(rules: RuleSet, pattern: str, number: int) -> None:
    found = bodies_of(rules, pattern)
    assert len(found) == number
    assert [body for body, _ in found] == sorted(body for body, _ in found)
    assert {suits for _, suits in found} == {Suits.SAME if pattern == FLUSH else Suits.ANY}


ALL = paying(
    TAIWAN,
    Doubling(When.LEFT, rank=Rank.TWO),
    Doubling(When.LEFT, rank=Rank.ACE, once=True, factor=3),
    Doubling(When.LEFT, card=Card("S[2]")),
    Doubling(When.LEFT, pattern=QUAD),
    Doubling(When.LEFT, pattern="four_of_a_kind"),
    Doubling(When.LEFT, pattern=FLUSH),
    Doubling(When.LEFT, pattern="straight"),
    Doubling(When.LAST, pattern=QUAD),
    Doubling(When.LAST, rank=Rank.TWO),
)
RANKS = paying(
    ruleset("pao_de_kuai"),
    Doubling(When.LEFT, rank=Rank.ACE),
    Doubling(When.LEFT, card=Card("H[2]")),
    Doubling(When.LEFT, pattern="bomb"),
    Doubling(When.LEFT, pattern="triple_two"),
    Doubling(When.LAST, pattern="straight"),
)


@pytest.mark.long
@pytest.mark.parametrize("rules", [ALL, RANKS], ids=["suits", "ranks"])
def test_engines__pay_alike(rules: RuleSet) -> None:
    compare(rules, 12, every=64)
    compare_positions(rules, 24, every=64)


def test_bounds__hold_for_every_factor() -> None:
    assert payoff_range(ALL, 4) == (-13 * 2**4 * 3 * 2**7, 3 * 13 * 2**4 * 3 * 2**7)
    assert payoff_range(paying(TAIWAN, Doubling(When.LAST, rank=Rank.TWO)), 4) == (-26, 78)


def test_forfeit__takes_the_dearest_last_play() -> None:
    game = Game.from_hands(paying(TAIWAN, Doubling(When.LAST, pattern=QUAD)), ["C[3] C[4]", "C[5]", "C[6]", "C[7]"])
    assert forfeit(game.ruleset, game.position, "tired").payoffs[0] == -4


def test_pages__say_every_doubling() -> None:
    for language in Language:
        lines = list(settling(ALL, words(language)))
        assert len(set(lines)) == 1 + len(ALL.scoring.doublings)
    assert "Each 2 left in hand multiplies the payment by 2." in settling(ALL, words(Language.EN))
