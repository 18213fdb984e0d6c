"""The last-card rule: singles before a next player who holds one card, in both engines, the solver and sampled deals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from big2_agents.kernels.playouts import RuleTrials, sample_deal
from big2_env import BIG2, Game, IllegalPlayError, LastCard, PassLock, Position, Refusal, RuleSet, ruleset
from big2_env.base.cards import as_mask
from big2_env.base.language import Language, words
from big2_env.testing.differential import compare, compare_positions
from big2_env.text.rules import rules_page
from big2_env.text.selection import select_cards

BOUND = replace(BIG2, last_card=LastCard.HIGHEST, pass_lock=PassLock.TRICK)
RANKS = replace(ruleset("pao_de_kuai"), last_card=LastCard.HIGHEST)
HANDS = ("C[5] C[9] D[9] S[J]", "S[2]", "C[4] C[6] C[8]", "C[7] C[K]")


def at(rules: RuleSet, turn: int, *, passed: int = 0, top: str = "", hands: tuple[str, ...] = HANDS) -> Game:
    """A game in which a seat is to move; the seat before made the top play."""
    masks = tuple(map(as_mask, hands))
    play, before = rules.play(top) if top else None, (turn - 1) % len(hands)
    played = tuple(play.mask if play and seat == before else 0 for seat in range(len(hands)))
    position = Position(masks, turn, top=play, top_seat=before if play else None, passed=passed, played=played)
    return Game.from_position(rules, position)


def plays(game: Game) -> list[str]:
    return list(map(str, game.legal_plays()))


def test_leads__are_free_but_for_singles_below_the_highest() -> None:
    assert plays(at(BOUND, 0)) == ["single S[J]", "pair C[9] D[9]"]
    assert len(plays(at(BIG2, 0))) == 5
    assert len(plays(at(BOUND, 3))) == 2  # the next seat holds four cards


def test_answers__are_the_highest_single_or_a_pass() -> None:
    assert plays(at(BOUND, 0, top="C[3]")) == ["single S[J]", "pass"]
    assert plays(at(BOUND, 0, top="H[K]")) == ["pass"]
    assert plays(at(BOUND, 0, top="H[8] S[8]")) == ["pair C[9] D[9]", "pass"]


def test_next_player__is_the_next_in_the_trick() -> None:
    assert plays(at(BOUND, 0, top="C[3]", passed=0b0010)) == [
        "single C[5]",
        "single C[9]",
        "single D[9]",
        "single S[J]",
        "pass",
    ]
    assert plays(at(BOUND, 3, top="C[3]", passed=0b0001)) == ["single C[K]", "pass"]  # seat 1 with one card is next
    free = replace(BOUND, pass_lock=PassLock.NONE)
    assert plays(at(free, 3, top="C[3]", passed=0b0001)) == ["single C[7]", "single C[K]", "pass"]  # a play readmits seat 0


def test_refusal__names_the_card_that_may_be_played() -> None:
    game = at(BOUND, 0)
    with pytest.raises(
        IllegalPlayError, match=r"C\[5\]: the next player holds one card, a single must be the highest: S\[J\]"
    ) as caught:
        game.play("C[5]")
    assert caught.value.refusal is Refusal.NOT_HIGHEST
    legal = game.legal_plays()
    assert [legal.can(card) for card in ("C[5]", "C[9]", "S[J]", "C[9] D[9]")] == [False, False, True, True]
    assert BOUND.play("C[5]") not in legal
    assert BOUND.play("S[J]") in legal
    for language in Language:
        assert "S[J]" in select_cards(legal, as_mask("C[5]"), words(language)).words


def test_suits__that_never_decide_leave_all_cards_of_the_rank() -> None:
    game = at(RANKS, 0, hands=("S[5] S[9] C[J] H[J]", "C[A]", "S[4] S[6]"))
    assert plays(game) == ["single C[J]", "pair C[J] H[J]"]
    assert [game.can_play(card) for card in ("S[9]", "C[J]", "H[J]")] == [False, True, True]


def test_first_play__keeps_its_own_duty() -> None:
    game = Game.from_hands(BOUND, ["C[3] C[9] S[J]", "S[2]", "C[4] C[6]", "C[7] C[K]"])
    assert plays(game) == ["single C[3]"]


def test_pages__say_the_rule() -> None:
    for language, text in ((Language.EN, "Last card:"), (Language("zh-Hant"), "頂大"), (Language("zh-Hans"), "报单")):
        assert [text in str(rules_page(rules, language)) for rules in (BOUND, BIG2)] == [True, False]


@pytest.mark.long
@pytest.mark.parametrize("lock", PassLock)
def test_engines__agree_with_the_rule(lock: PassLock) -> None:
    for rules in (replace(BOUND, pass_lock=lock), replace(RANKS, pass_lock=lock)):
        compare(rules, 8, every=16)
        compare_positions(rules, 16, every=16)


def test_samples__deal_nothing_higher_to_a_seat_that_played_its_highest_single() -> None:
    hands = ("C[3] S[3] C[K]", "C[4] C[6] C[10] D[2]", "S[2]", "C[7] C[8] C[J] D[J]")
    game = Game.from_hands(BOUND, hands)
    for cards in ("C[3]", "D[2]"):  # before seat 2, which holds one card
        game.play(cards)
    game.play("")
    view = game.view()
    trials = RuleTrials(BOUND, 4, proposals=1)
    trials.open(view, view.legal_plays(), seed=1)
    search = trials._search
    above = as_mask("H[2] S[2]")
    seen = np.zeros(4, np.int64)
    for _ in range(200):
        sample_deal(trials._tables, search, trials._scratch)
        for seat in range(4):
            hand = int(search.sample.hands[seat])
            seen[seat] += bool(trials._plays.cards(hand) & above)
    assert seen[1] == 0 < seen[2]
