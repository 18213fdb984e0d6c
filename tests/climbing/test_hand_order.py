"""The canonical order of a played hand, section 1.2 of the family's rules and row 30 of its list of defects."""

from __future__ import annotations

from itertools import pairwise

import pytest

from big2_env import ruleset
from big2_env.base.cards import as_mask
from big2_env.base.language import Language, words
from big2_env.base.rng import SplitMix64
from big2_env.climbing.game import Game
from big2_env.climbing.hands import hand_order
from big2_env.text.events import play_text

HANDS = [
    ("three_two_one", "straight", "C[Q] D[K] S[A] H[2]", "2 A K Q"),
    ("three_two_one", "straight", "S[A] H[2] D[3]", "3 2 A"),
    ("chu_da_di", "straight", "C[A] D[2] H[3] S[4] C[5]", "2 A 5 4 3"),
    ("dou_dizhu", "triple_straight_singles", "C[8] D[8] H[8] C[9] D[9] H[9] C[3] D[K]", "9 9 9 8 8 8 K 3"),
    ("dou_dizhu_x", "quad_two_pairs", "C[5] D[5] H[5] S[5] C[3] D[3] C[A] D[A]", "5 5 5 5 A A 3 3"),
    ("three_two_one", "triple_pair_single", "D[3] C[3] H[3] S[3] D[4] S[4]", "3 3 3 4 4 3"),
    ("three_two_one", "triple_pair_single", "C[9] H[9] S[9] C[5] D[5] H[K]", "9 9 9 5 5 K"),
    ("dou_dizhu", "triple_single", "C[5] D[5] H[5] D[2]", "5 5 5 2"),
]


@pytest.mark.parametrize(("name", "pattern", "cards", "listed"), HANDS, ids=lambda value: str(value).replace(" ", ""))
def test_hand_order__puts_what_decides_first_and_what_is_carried_last(name: str, pattern: str, cards: str, listed: str) -> None:
    rules = ruleset(name)
    [play] = [reading for reading in rules.table.classify(as_mask(cards)) if reading.pattern == pattern]
    assert " ".join(str(card)[2:-1] if "[" in str(card) else str(card) for card in hand_order(rules, play)) == listed


def test_hand_order__of_two_triples_begins_with_the_one_that_decides() -> None:
    rules = ruleset("three_two_one")
    readings = [
        one for one in rules.table.classify(as_mask("D[3] C[3] H[3] D[5] C[5] H[5]")) if one.pattern != "triple_straight"
    ]
    listed = {" ".join(map(str, hand_order(rules, one))) for one in readings}
    assert listed == {"H[3] C[3] D[3] H[5] C[5] D[5]", "H[5] C[5] D[5] H[3] C[3] D[3]"}


def test_hand_order__lists_every_play_of_random_games_by_unit_and_suit() -> None:
    for name in ("big2", "dou_dizhu", "dou_dizhu_4p", "three_two_one", "wu_gua_pi", "qi_gui_521"):
        rules = ruleset(name)
        for seed in range(3):
            game, rng = Game.deal(rules, seed), SplitMix64(seed)
            while not game.is_over:
                moves = list(game.legal_plays())
                play = moves[rng.below(len(moves))]
                cards = hand_order(rules, play)
                assert sum(1 << card for card in cards) == play.mask
                for card, following in pairwise(cards):
                    in_order = rules.order.positions[card] > rules.order.positions[following]
                    assert card.rank != following.rank or in_order
                game.push(play)


def test_screens__show_it() -> None:
    [carrier] = ruleset("dou_dizhu").table.classify(as_mask("C[3] C[5] D[5] H[5]"))
    tr = words(Language.EN)
    assert play_text(ruleset("dou_dizhu"), carrier, tr) == "triple with a single H[5] C[5] D[5] C[3]"
    [pair] = ruleset("big2").table.classify(as_mask("S[5] C[5]"))
    assert play_text(ruleset("big2"), pair, tr) == "pair S[5] C[5]"
