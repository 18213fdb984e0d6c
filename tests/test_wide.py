"""The wide engine plays as the reference engine does: the same comparison as in `test_differential.py`, over other rulesets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from big2_env import RuleSet, ruleset
from big2_env.cards import CARDS, DECK_108, Rank
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.parts import Ending, Lead, Multiplier, PassLock, Refill, RefillOrder
from big2_env.climbing.settlement import CapturedPoints, CardsLeft, PairwiseDifference, StepTable
from big2_env.testing.differential import compare, compare_positions

DOU, THREE, WU, QI = (ruleset(name) for name in ("dou_dizhu", "three_two_one", "wu_gua_pi", "qi_gui_521"))
FEW = DOU.without_patterns("triple_straight_singles", "triple_straight_pairs", "quad_two_singles", "quad_two_pairs")
STEPS = StepTable(((3, 1.5), (20, 4)))
CASES: dict[str, tuple[RuleSet, int | None]] = {
    "dou_dizhu": (DOU, None),
    "dou_dizhu_x": (ruleset("dou_dizhu_x"), None),
    "dou_dizhu_4p": (ruleset("dou_dizhu_4p"), None),
    "three_two_one": (THREE, None),
    "wu_gua_pi": (WU, 10),
    "qi_gui_521": (QI, None),
    "qi_gui_523": (ruleset("qi_gui_523"), 4),
    "bids, factors of a lead, unbeatable plays": (
        replace(
            FEW,
            auction=Bid(most=2, deals=4, forced_stake=3),
            multipliers=(Multiplier("bomb", 2, led=5), Multiplier("triple", 3, (3, 3))),
            auto_skip_unbeatable=True,
            pass_lock=PassLock.CIRCLE,
        ),
        None,
    ),
    "one deal, cards left in teams": (
        replace(
            FEW,
            auction=CallRob(deals=1, stake=5, rob_factor=3),
            scoring=CardsLeft(((8, 2),)),
            multipliers=(),
            spring=1,
            anti_spring=1,
        ),
        None,
    ),
    "two decks, a first play that the engine makes": (
        replace(
            THREE,
            deck=DECK_108,
            hand_size=27,
            ranks=tuple(Rank),
            lead=Lead.EXACT,
            auto_lead=True,
            scoring=StepTable(((3, 1.5),)),
        ),
        None,
    ),
    "any lead, dear cards": (
        replace(
            QI,
            draw_pile=False,
            hand_size=9,
            min_players=6,
            max_players=6,
            ending=Ending.FIRST_OUT,
            lead=Lead.ANY,
            scoring=PairwiseDifference(((5, 2.0),), ((CARDS[0], 3.0), (CARDS[53], 0.5))),
        ),
        None,
    ),
    "drawn after each play, points": (replace(QI, refill=Refill.AFTER_PLAY, scoring=CapturedPoints()), 3),
    "drawn one by one, locked for the round": (
        replace(WU, refill_order=RefillOrder.ROUND_ROBIN, pass_lock=PassLock.ROUND, scoring=CapturedPoints()),
        3,
    ),
    "drawn by ranks": (replace(QI, suits_compare=False, ranks_only=True, hand_size=12, max_players=4), 3),
    "unbeatable plays, one first play": (replace(WU, auto_skip_unbeatable=True, lead=Lead.EXACT, auto_lead=True), 5),
}


@pytest.mark.parametrize("name", CASES)
def test_wide__agrees_with_the_reference_engine(name: str) -> None:
    rules, players = CASES[name]
    games, positions = (12, 12) if rules.name == name else (6, 8)
    done = compare(rules, games, every=32, num_players=players)
    done = done.plus(compare_positions(rules, positions, every=32, num_players=players))
    assert (done.games, done.positions) == (games, positions)
    assert done.decisions > 20 * games
