"""Games in interpreted kernels, compared with the readable rules at every move."""

from __future__ import annotations

import pytest
from places import ROOT

from big2_env import BIG2, Game
from big2_env.base.rng import SplitMix64
from big2_env.climbing.position import lead_position
from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels.tables import game_dtype
from big2_env.testing.differential import DisagreementError
from big2_env.testing.interpreted import InterpretedGame, replay_interpreted

RULESETS = available_rulesets()


@pytest.mark.parametrize("name", ["big2", "dou_dizhu_4p", "pusoy_dos", "three_two_one", "wu_gua_pi"])
def test_replay_interpreted__agrees_with_the_rules_from_seeds_and_positions(name: str) -> None:
    rules, rng, actions = RULESETS[name], SplitMix64(1), []
    starts = [Game.deal(rules, 5).position]
    one = InterpretedGame(rules, 5)
    while not one.reference.is_over:
        ids = one.space.ids(one.reference.legal_plays())
        actions.append(ids[rng.below(len(ids))])
        one.act(actions[-1])
        one.check()
        starts.append(one.reference.position)
    replayed = replay_interpreted(rules, 5, actions)
    assert replayed.reference.outcome == one.reference.outcome
    later = replay_interpreted(rules, starts[6], actions[6:])
    assert later.reference.outcome is not None
    assert later.game.hands == one.game.hands


def test_replay_interpreted__agrees_after_a_deal_that_nobody_wants() -> None:
    one = InterpretedGame(RULESETS["dou_dizhu"], 5)
    for _ in range(3):
        assert one.reference.position.bidding
        one.act(0)
        one.check()
    assert len(one.reference.position.redeals) == 1
    one.act(one.space.ids(one.reference.legal_plays())[-1])
    one.check()


def test_replay_interpreted__agrees_about_kickers_that_exclude_each_other() -> None:
    hands = ["C[3] D[3] H[3] C[4] D[4] H[4] C[6] LJ BJ", "C[7]", "C[8]"]
    masks = Game.from_hands(RULESETS["dou_dizhu"], hands).position.hands
    one = InterpretedGame(RULESETS["dou_dizhu"], lead_position(RULESETS["dou_dizhu"], masks, 0, 1, 1))
    plays = [play for play in one.reference.legal_plays() if play.pattern == "triple_straight_singles"]
    assert len(plays) == 2  # with the six and one of the jokers, not with both
    one.check()


def test_check__names_the_first_difference() -> None:
    one = replay_interpreted(BIG2, 7, [14])
    one.game.passed = 2
    with pytest.raises(DisagreementError) as caught:
        one.check()
    assert str(caught.value) == "big2: game.passed, after 1 moves\n  reference:   0\n  interpreted: 2"
    one.game.passed, one.game.top_power = 0, 90
    with pytest.raises(DisagreementError, match="the legal actions, after 1 moves"):
        one.check()


def test_page__lists_every_field_of_a_game() -> None:
    page = (ROOT / "big2_env" / "kernels" / "DEBUGGING.md").read_text("utf-8")
    missing = [name for name in game_dtype(2, 4, True).names or () if f"`{name}`" not in page]
    assert missing == ["end"]
