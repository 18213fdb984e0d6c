"""Mini games: decks of a few cards, and how many information sets they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import gymnasium
import pytest

from big2_env import BIG2, Card, ConfigError, Deck, Game, NotationError, RuleSet, available_rulesets, ruleset
from big2_env.base.cards import as_mask
from big2_env.base.language import Language
from big2_env.climbing.mini_games import MINI6, MINI8, MINI12, MINI_GAMES
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.registration import env_ids
from big2_env.testing.differential import compare
from big2_env.text.rules import rules_page

COUNTS = [(MINI6, 90, 238), (MINI8, 420, 650), (MINI12, 16_632, 280_177_096)]
"""Deals and information sets, as the docstrings and pages have them."""


def deals(rules: RuleSet) -> Iterator[tuple[int, int]]:
    """Every deal to two seats."""
    cards, each = rules.deck.cards, rules.hand_size
    for first in combinations(cards, each):
        for second in combinations([card for card in cards if card not in first], each):
            yield as_mask(first), as_mask(second)


def information_sets(rules: RuleSet) -> set[tuple[int, int, tuple[int, ...]]]:
    """Every seat to move with the hand that it was dealt and the plays so far, by playing everything."""
    found = set()

    def explore(game: Game, hands: tuple[int, int]) -> None:
        if game.is_over:
            return
        found.add((game.turn, hands[game.turn], tuple(move.play.mask for move in game.history)))
        for play in game.legal_plays():
            game.push(play)
            explore(game, hands)
            game.undo()

    for hands in deals(rules):
        explore(Game.from_hands(rules, hands), hands)
    return found


def counted(rules: RuleSet) -> int:
    """The number of information sets, from the positions that one seat can tell apart."""
    plays = {as_mask(cards): play for n in rules.sizes for cards in combinations(rules.deck.cards, n)
             for play in rules.table.classify(as_mask(cards))}  # fmt: skip
    beating = {top: [mask for mask in plays if rules.beats(plays[mask], plays[top])] for top in plays} | {0: list(plays)}

    @lru_cache(None)
    def below(hand: int, unseen: int, left: int, top: int, on_turn: bool) -> int:
        """Own decisions from here; the other seat holds `left` of the unseen cards."""
        found = int(on_turn) + (below(hand, unseen, left, 0, not on_turn) if top else 0)
        for mask in beating[top]:
            if on_turn and mask & hand == mask != hand:
                found += below(hand & ~mask, unseen, left, mask, False)
            elif not on_turn and mask & unseen == mask and mask.bit_count() < left:
                found += below(hand, unseen & ~mask, left - mask.bit_count(), mask, True)
        return found

    total, each = 0, rules.hand_size
    for cards in combinations(rules.deck.cards, each):
        hand, others = as_mask(cards), [card for card in rules.deck.cards if card not in cards]
        above = as_mask([card for card in others if card > cards[0]])
        if above.bit_count() >= each:  # this seat opens
            total += 1 + sum(
                below(hand & ~m, above, each, m, False) for m in plays if m & hand == m != hand and m >> cards[0] & 1
            )
        for lowest in [card for card in others if card < cards[0]]:  # the other one does
            free = as_mask([card for card in others if card > lowest])
            if free.bit_count() >= each - 1:
                opens = [m for m in plays if m >> lowest & 1 and not m & ~(free | 1 << lowest) and m.bit_count() < each]
                total += sum(below(hand, free & ~m, each - m.bit_count(), m, True) for m in opens)
    return 2 * total


@pytest.mark.parametrize(("rules", "number", "sets"), COUNTS[:2], ids=["mini6", "mini8"])
def test_mini_games__have_few_information_sets(rules: RuleSet, number: int, sets: int) -> None:
    assert len(list(deals(rules))) == number
    assert len(information_sets(rules)) == counted(rules) == sets < 10_000


@pytest.mark.long
@pytest.mark.release
def test_mini12__has_many_information_sets() -> None:
    rules, number, sets = COUNTS[2]
    assert len(list(deals(rules))) == number
    assert counted(rules) == sets > 10_000


@pytest.mark.parametrize("rules", MINI_GAMES.values(), ids=list(MINI_GAMES))
def test_mini_games__have_the_rules_of_big2_and_run_compiled(rules: RuleSet) -> None:
    assert replace(rules, name=BIG2.name, zh=BIG2.zh) == BIG2.with_deck(rules.deck, hand_size=rules.hand_size, players=2)
    assert compare(rules, 100).games == 100


def test_mini_games__are_found_by_name_but_not_listed() -> None:
    for name, rules in MINI_GAMES.items():
        assert ruleset(name) is rules
        assert name not in available_rulesets()
        assert SavedRules().of(identity(rules)) == rules
        assert "changes" not in identity(rules)["rules"]
    assert {"big2/Mini6-v0": "mini6", "big2/Mini12-v0": "mini12"}.items() <= env_ids().items()
    assert gymnasium.make("big2/Mini8-v0").unwrapped.ruleset is MINI8  # type: ignore[attr-defined]


def test_rules__of_a_small_deck_list_its_cards() -> None:
    assert "The cards are C[3] D[3] C[4] D[4] C[5] D[5]." in rules_page(MINI6, Language.EN).text(100)


def test_with_deck__keeps_the_other_rules() -> None:
    rules = ruleset("chu_da_di")
    assert rules.with_deck(rules.deck) == rules
    low = BIG2.with_deck(Deck(without=tuple(map(Card, range(32, 52)))), hand_size=8)
    assert (low.ranks, low.hand_size, low.max_players) == (BIG2.ranks[:8], 8, 4)
    three = ruleset("pusoy_dos")
    assert three.with_deck(three.deck, players=3).hand_sizes == ((3, 17),)
    assert three.with_deck(three.deck, players=3, hand_size=17).hand_sizes == ()


def test_with_deck__says_what_is_wrong() -> None:
    with pytest.raises(ConfigError, match="2 to 4 hands of 2 from 6 cards"):
        BIG2.with_deck(MINI6.deck, hand_size=2)
    with pytest.raises(ConfigError, match="expected each rank of the deck once"):
        BIG2.with_deck("C[3] D[3] LJ", hand_size=1, players=2)
    with pytest.raises(NotationError, match=r"cards of one deck, with ids 0 to 53, got Card\(54\)"):
        Deck.of([0, 54])
    with pytest.raises(NotationError, match="no card is left"):
        Deck.of("")
    assert Deck.of("C[3] BJ") == Deck(jokers=True, without=tuple(map(Card, range(1, 53))))
