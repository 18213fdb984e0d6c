"""Acts of the family's games as numbers: by places in the hand, by ranks alone, and what stays the same."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import product

import pytest

from big2_env import PASS, ConfigError, Game, IllegalPlayError, RuleSet, available_rulesets, ruleset
from big2_env.base.cards import as_mask
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import action_space
from big2_env.climbing.position import lead_position

DD, X, FOUR, TTO = map(ruleset, ["dou_dizhu", "dou_dizhu_x", "dou_dizhu_4p", "three_two_one"])


SPACES = {
    "big2": (1379, "5f001595"),
    "capsa": (1665, "139c83d2"),
    "chu_da_di": (1665, "139c83d2"),
    "dou_dizhu": (27_474, "ad301ee6"),
    "dou_dizhu_4p": (7_955, "ad0fb659"),
    "dou_dizhu_x": (95_355, "36713873"),
    "hong_kong": (2_380, "019fd74e"),
    "pao_de_kuai": (46_424, "8a9c200d"),
    "pusoy_dos": (9556, "26d005bb"),
    "qi_gui_521": (99, "c130aa3f"),
    "qi_gui_523": (99, "c130aa3f"),
    "taiwan": (1379, "5f001595"),
    "three_two_one": (3_967, "d026146f"),
    "tien_len": (8_191, "4fc5998d"),
    "wu_gua_pi": (32, "d7e83bd6"),
}
"""How many actions, and the beginning of the SHA-256 of their labels, one a line; in large spaces of every so many."""


@pytest.mark.parametrize("name", SPACES)
def test_action_space__is_stable(name: str) -> None:
    assert set(SPACES) <= set(available_rulesets())
    space = action_space(ruleset(name))
    asked = range(0, space.n, 1 + space.n // 5000)
    labels = "\n".join(map(space.label, asked))
    assert len(set(labels.split("\n"))) == len(asked)
    assert (space.n, hashlib.sha256(labels.encode()).hexdigest()[:8]) == SPACES[name]
    assert space.label(0) == "pass"


def test_rank_table__of_dou_dizhu_is_that_of_the_literature() -> None:
    """27,472 acts with the pass, pattern by pattern as in the table of DouZero and RLCard; then the call and the rob."""
    space = action_space(DD)
    assert Counter(space.label(action).split(" by ")[0] for action in range(space.n)) == {
        **{"pass": 1, "single": 15, "pair": 13, "triple": 13, "triple_single": 182, "full_house": 156, "straight": 36},
        **{"pair_straight": 52, "triple_straight": 45, "triple_straight_singles": 21_822, "triple_straight_pairs": 2_939},
        **{"quad_two_singles": 1_326, "quad_two_pairs": 858, "bomb": 13, "joker_pair": 1, "call": 1, "rob": 1},
    }
    assert space.n == 27_472 + 2


@pytest.mark.parametrize("rules", [DD, X, FOUR, TTO, ruleset("pao_de_kuai")], ids=lambda rules: rules.name)
def test_rank_table__names_every_legal_move_once_and_nothing_else(rules: RuleSet) -> None:
    space, rng = action_space(rules), SplitMix64(2)
    game = Game.deal(rules, 4)
    while not game.is_over:
        legal = game.legal_plays()
        moves, ids = list(legal), space.ids(legal)
        assert len(set(ids)) == len(moves)
        for move, action in zip(moves, ids, strict=True):
            assert space.verify(action, legal) == move
            assert space.cards(action, legal.hand) == move.mask
        for other in {rng.below(space.n) for _ in range(30)} - set(ids):
            with pytest.raises(IllegalPlayError):
                space.verify(other, legal)
            assert space.play(other, legal) is None
        game.push(moves[rng.below(len(moves))])
    for action in (-1, space.n):
        with pytest.raises(ConfigError, match=f"expected an action of 0 to {space.n - 1}, got {action}"):
            space.verify(action, game.legal_plays())


def test_legal_plays__of_two_readings_are_two_actions() -> None:
    hand = as_mask(" ".join(f"{suit}[{point}]" for suit, point in product("CDHS", "34")) + " C[9]")
    game = Game.from_position(X, lead_position(X, (hand, 1 << 52, 1 << 53), 0))
    legal = game.legal_plays()
    both = [play for play in legal if len(play) == 8 and play.mask & 1 << 24 == 0]
    ids = {action_space(X).of_play(play, hand): play for play in both}
    assert len(ids) == len(both) == 3
    for action, play in ids.items():
        assert action_space(X).verify(action, legal) == play
        after = game.copy()
        after.play(play)
        assert after.top == play
    assert PASS not in legal
