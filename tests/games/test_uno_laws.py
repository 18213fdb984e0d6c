"""UNO keeps its laws under any rules."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from big2_env.base.rng import SplitMix64
from big2_env.games.uno import DRAW, UnoGame, UnoRules, automatic_move
from big2_env.games.uno.cards import DECK
from big2_env.games.uno.rules import CHOICES
from big2_env.notation.side_records import SideRecord, dumps, loads

FLAGS = [field.name for field in fields(UnoRules) if field.type == "bool"]
ANY_RULES = st.builds(
    UnoRules,
    players=st.integers(2, 10),
    **{name: st.sampled_from(names) for name, names in CHOICES.items()},
    **{name: st.booleans() for name in FLAGS},
)


def random_move(game: UnoGame, rng: SplitMix64, cautious: bool) -> int:
    moves = [move for move in game.legal_moves() if move != DRAW or not cautious] or [DRAW]
    return moves[rng.below(len(moves))]


@settings(max_examples=60)
@given(ANY_RULES, st.integers(0, 2**64 - 1), st.sampled_from(["automatic", "random", "cautious"]))
def test_game__keeps_its_laws_under_any_rules(rules: UnoRules, seed: int, who: str) -> None:
    game, rng = UnoGame.deal(rules, seed), SplitMix64(seed)
    for _ in range(400):
        assert sorted([*game.pile, *game.discards, *(card for hand in game.hands for card in hand)]) == sorted(DECK)
        for fresh, hand in zip(game.fresh, game.hands, strict=True):
            if who != "random":  # nobody draws who could play, so the bound holds
                assert all(most == 8 or has <= most for most, has in zip(fresh, count_colours(hand), strict=True))
        if game.is_over:
            break
        assert game.pile or game.drawn is not None  # the turn that drew the last card goes on
        assert game.legal_moves()
        move = automatic_move(game.view()) if who == "automatic" else random_move(game, rng, who == "cautious")
        assert move in game.legal_moves()
        game.play(move)
    if rules.empty_pile == "end" and who != "random":
        assert game.turns <= (107 - 7 * rules.players) + 107
    assert game.is_over == (not game.legal_moves())
    if game.outcome is not None:
        for scoring in ("winner", "points"):
            assert sum(game.outcome.payoffs(scoring)) == pytest.approx(0)
    again = loads(dumps(SideRecord(game, {"seed": seed})), UnoGame)
    assert again.game == game
    assert again.game.view() == game.view()
    assert again.extra == {"seed": seed}


def count_colours(hand: list[int]) -> list[int]:
    return [sum(card // 15 == colour for card in hand) for colour in range(5)]
