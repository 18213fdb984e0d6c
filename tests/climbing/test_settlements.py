"""What games pay: stakes of teams, bombs and springs, differences, captured points; traced by hand."""

from __future__ import annotations

import math
from dataclasses import replace

from big2_env import CapturedPoints, CardSet, Game, Multiplier, Phase, Position, RuleSet, ruleset
from big2_env.base.cards import as_mask
from big2_env.climbing.position import lead_position
from big2_env.climbing.settlement import PairwiseDifference, Standing

DD, FOUR, TTO, CDD, Q1 = map(ruleset, ["dou_dizhu", "dou_dizhu_4p", "three_two_one", "chu_da_di", "qi_gui_521"])


def play_down(rules: RuleSet, hands: list[str], moves: list[str], landlord: int = 0, stake: int = 1, factor: int = 1) -> Game:
    masks = tuple(map(as_mask, hands))
    game = Game.from_position(rules, lead_position(rules, masks, landlord, stake, factor))
    for move in moves:
        game.play(move)
    return game


def test_team_stake__doubles_for_bombs_springs_and_robs() -> None:
    bomb, low = "C[4] D[4] H[4] S[4]", "C[3]"
    cases = [
        (["D[3]", "C[5] C[6]", "C[7] C[8]"], ["D[3]"], 1 * 2, 0),  # spring
        (["D[3] D[9]", "C[5] C[6]", "C[7] C[8]"], ["D[3]", "C[5]", "", "D[9]"], 1, 0),
        (["D[3] D[4]", "C[5]", "C[7] C[8]"], ["D[3]", "C[5]"], 2, 1),  # anti-spring: the landlord played one hand
        (["D[3] D[4] D[9]", "C[5] C[10]", "C[7]"], ["D[3]", "C[5]", "", "D[9]", "C[10]"], 1, 1),
        ([f"{bomb} D[5]", "C[5] C[6]", "C[7] C[8]"], [bomb, "", "", "D[5]"], 4, 0),  # a bomb, and a spring
        ([f"{low} {bomb}", "C[5] C[6]", "C[7]"], [low, "C[5]", "", bomb], 2, 0),
        (["D[3] LJ BJ", "C[5] C[6]", "C[7]"], ["D[3]", "C[5]", "", "LJ BJ"], 2, 0),  # the rocket
    ]
    for hands, moves, multiplied, winner in cases:
        for robbed in (1, 4):
            game = play_down(DD, hands, moves, factor=robbed)
            outcome, unit = game.outcome, multiplied * robbed
            assert outcome is not None
            assert outcome.winner == winner
            assert outcome.winners == ((0,) if winner == 0 else (1, 2))
            assert outcome.payoffs == ((2 * unit, -unit, -unit) if winner == 0 else (-2 * unit, unit, unit)), moves
            assert game.phase is Phase.OVER


def test_payoffs__have_no_zero_with_a_sign() -> None:
    """三两一 takes nothing of a loser with one card left, 跑得快 neither."""
    for rules in (TTO, ruleset("pao_de_kuai")):
        hands = tuple(map(as_mask, ("", "D[4]", "D[5] D[6]", "D[7]")[: rules.min_players]))
        payoffs = rules.scoring.payoffs(Standing(hands, finished=(0,)))
        assert payoffs[1] == 0.0
        assert [math.copysign(1, paid) for paid in payoffs if not paid] == [1.0] * payoffs.count(0.0)


def test_team_stake__for_four_players() -> None:
    """A losing landlord pays every other; one hand may be all that is played; five cards double nothing, six do."""
    two = FOUR.order.sort(FOUR.order.rank_masks[1])  # the fours
    for size, factor in [(4, 1), (5, 1), (6, 2), (7, 2), (8, 3)]:
        bomb = as_mask(two[:size])
        hands = (bomb | 1 << 0, as_mask("C[5] C[6]"), as_mask("C[7]"), as_mask("C[8]"))
        game = Game.from_position(FOUR, lead_position(FOUR, hands, 0, stake=3))
        game.play(1)
        game.play("C[5]")
        game.pass_()
        game.pass_()
        game.play(bomb)
        assert game.outcome is not None
        assert game.outcome.payoffs == (9 * factor, -3 * factor, -3 * factor, -3 * factor)
    jokers = FOUR.order.rank_masks[13] | FOUR.order.rank_masks[14]
    hands = (1 | 1 << 4, as_mask("C[5] C[6]"), jokers, as_mask("C[8]"))
    game = Game.from_position(FOUR, lead_position(FOUR, hands, 0, stake=2))
    game.play(1)
    game.pass_()
    game.play(jokers)
    assert game.outcome is not None
    assert game.outcome.payoffs == (-3 * 12, 12, 12, 12)  # 2 x 3 for the jokers x 2 for the anti-spring
    hands = (1, as_mask("C[5] C[6]"), as_mask("C[7]"), as_mask("C[8]"))
    game = Game.from_position(FOUR, lead_position(FOUR, hands, 0))
    game.play(1)
    assert game.outcome is not None
    assert game.outcome.payoffs == (6, -2, -2, -2)


def test_multiplier__of_bombs_that_are_led_may_differ() -> None:
    rules = replace(DD, multipliers=(Multiplier("bomb", 2, led=1), Multiplier("joker_pair", 3)))
    bombs = [" ".join(f"{suit}[{point}]" for suit in "CDHS") for point in "345"]
    others = ["C[8] C[9] C[J]", "C[10] C[Q]"]
    game = play_down(rules, [" ".join([*bombs, "LJ BJ", "C[6]"]), *others], [bombs[0], "", ""])
    assert game.position.factor == 2  # the very first hand is a real bomb
    game.play(bombs[1])
    assert game.position.factor == 2  # one that is led is not
    game.pass_()
    game.pass_()
    game.play("C[6]")
    game.play("C[8]")
    game.pass_()
    game.play(bombs[2])
    game.pass_()
    game.pass_()
    assert game.position.factor == 4
    game.play("LJ BJ")
    assert (game.position.factor, game.outcome and game.outcome.payoffs) == (12, (24.0, -12.0, -12.0))


def test_named_scorings__share_among_a_team() -> None:
    for scoring, landlord_wins, landlord_loses in [
        ("winner", (1, -0.5, -0.5), (-1, 0.5, 0.5)),
        ("cards", (3, -2, -1), (-1, 0.5, 0.5)),
    ]:
        rules = DD.with_scoring(scoring)
        won = play_down(rules, ["D[3]", "C[5] C[6]", "C[7]"], ["D[3]"]).outcome
        lost = play_down(rules, ["D[3] D[4]", "C[5]", "C[7] C[8]"], ["D[3]", "C[5]"]).outcome
        assert won is not None
        assert lost is not None
        assert (won.payoffs, lost.payoffs) == (landlord_wins, landlord_loses)


# The other settlements.


def test_pairwise_difference__of_chu_da_di() -> None:
    scoring = CDD.scoring
    assert isinstance(scoring, PairwiseDifference)
    hands = ["", "C[3]", "S[2] C[3] C[4] C[5] C[6] C[7] C[8]", "H[2] D[2] D[3] D[4] D[5] D[6] D[7] D[8] D[9]"]
    masks = tuple(map(as_mask, hands))
    assert [scoring.value(mask) for mask in masks] == [0, 1, 7 + 50, 9 * 2 + 40]
    total = 1 + 57 + 58
    assert scoring.payoffs(Standing(masks, (0,))) == (total, total - 4, total - 4 * 57, total - 4 * 58)
    assert [scoring.value((1 << n) - 1) for n in (8, 9, 10, 12, 13)] == [16, 18, 30, 36, 52]
    left = [TTO.scoring.payoffs(Standing((0, (1 << n) - 1, 1, 1), (0,)))[1] for n in (1, 2, 5, 6, 9, 10, 12, 13)]
    assert left == [0, -1, -1, -2, -2, -3, -3, -5]


def test_captured_points__go_to_who_wins_the_trick() -> None:
    rules = replace(Q1, scoring=CapturedPoints())
    hands = tuple(map(as_mask, ["D[3] D[5] C[K]", "D[10] C[9]"]))
    game = Game.from_position(rules, Position(hands, 0, captured=(0, 0)))
    for move in ["D[3]", "D[10]", "D[5]", ""]:
        game.play(move)
    assert [CardSet(mask) for mask in game.view(1).captured] == [CardSet("D[3] D[10] D[5]"), CardSet()]
    game.play("C[K]")  # the last trick counts for who is ahead in it
    outcome = game.outcome
    assert outcome is not None
    assert outcome.payoffs == (25, -25)  # 2 x 25 - 25, 2 x 0 - 25
