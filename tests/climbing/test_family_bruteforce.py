"""Every game of the climbing family against the rules page: all groups of small hands are read, listed and compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product

import pytest
from family_page import VALUES, Reading, beats, readings

from big2_env import Card, LegalPlays, Play, Rank, RuleSet, ruleset
from big2_env.base.cards import as_mask, iter_cards

GAMES = list(VALUES)
SIZES = {
    "chu_da_di": (9, 10),
    "taiwan": (11, 12, 12),
    "pusoy_dos": (9, 10),
    "capsa": (9, 10),
    "three_two_one": (9, 12, 13),
    "wu_gua_pi": (5, 6),
    "qi_gui_521": (7, 7),
    "qi_gui_523": (7, 7),
    "tien_len": (10, 12, 12),
}
"""How many cards the hands have."""


def strength_names(rules: RuleSet, play: Play) -> tuple[str, int]:
    return play.pattern, play.power


def texts(mask: int) -> list[str]:
    return [str(card) for card in iter_cards(mask)]


def clumpy_hand(rules: RuleSet, rng: random.Random, size: int) -> int:
    """A hand of few ranks that lie close together, where the combinations are."""
    ranks = rules.order.ranks
    start, width = rng.randrange(len(ranks)), rng.randint(3, 7)
    near = {ranks[(start + i) % len(ranks)] for i in range(width)}
    cards = [card for card in rules.deck.cards if card.rank in near] + rng.sample(list(rules.deck.cards), 3)
    return as_mask({int(card) for card in rng.sample(cards, min(size, len(cards)))})


def groups(rules: RuleSet, hand: int) -> Iterator[int]:
    """Every group that a hand can put down; where suits never matter, each choice of ranks once."""
    if not rules.ranks_only:
        cards = list(iter_cards(hand))
        for size in range(1, max(7, 1 + min(len(cards), max(rules.sizes)))):
            yield from map(as_mask, combinations(cards, size))
        return
    held = [rules.order.sort(hand & mask) for mask in rules.order.rank_masks]
    for numbers in product(*(range(len(cards) + 1) for cards in held)):
        mask = as_mask([card for cards, number in zip(held, numbers, strict=True) for card in cards[:number]])
        if mask:
            yield mask


@pytest.mark.parametrize("game", GAMES)
def test_family__lists_and_reads_what_the_page_does(game: str) -> None:
    rules, rng = ruleset(game), random.Random(5)
    short = {rule.pattern.name for rule in rules.patterns if rule.last}
    for size in SIZES.get(game, (12, 16, 18)):
        hand = clumpy_hand(rules, rng, size)
        expected: list[tuple[int, Reading]] = []
        for mask in groups(rules, hand):
            found = readings(game, texts(mask))
            assert sorted(play.pattern for play in rules.table.classify(mask)) == sorted(name for name, _ in found), texts(mask)
            expected += [(mask, reading) for reading in found if mask == hand or reading[0] not in short]
        listed = list(LegalPlays(rules, hand, None))
        assert sorted((play.mask, play.pattern) for play in listed) == sorted((mask, name) for mask, (name, _) in expected)
        # Strengths: what answers a play is what the page says, play for play.
        read = dict(zip(listed, _by_play(rules, listed, expected), strict=True))
        for top in rng.sample(listed, min(8, len(listed))):
            answers = {play for play in LegalPlays(rules, hand, top) if play}
            expected_answers = {play for play in listed if beats(game, len(play), read[play], len(top), read[top])}
            assert answers == expected_answers, (str(top), [str(play) for play in answers ^ expected_answers])
            assert answers == {play for play in listed if rules.beats(play, top)}


def _by_play(rules: RuleSet, listed: list[Play], expected: list[tuple[int, Reading]]) -> list[Reading]:
    """The page's reading of each play: of the same cards and pattern the stronger play is the stronger reading."""
    ordered = sorted(expected, key=lambda item: (item[0], item[1][0], item[1][1]))
    plays = sorted(range(len(listed)), key=lambda i: (listed[i].mask, listed[i].pattern, listed[i].power))
    found = dict(zip(plays, (reading for _, reading in ordered), strict=True))
    return [found[i] for i in range(len(listed))]


@pytest.mark.parametrize("game", ["dou_dizhu", "dou_dizhu_x", "dou_dizhu_4p", "three_two_one", "pao_de_kuai"])
def test_family__takes_any_cards_of_the_same_ranks(game: str) -> None:
    rules, rng = ruleset(game), random.Random(3)
    hand = clumpy_hand(rules, rng, 14)
    legal = LegalPlays(rules, hand, None)
    for play in legal:
        other = as_mask([c for r, m in enumerate(rules.order.rank_masks) for c in _highest(rules, hand & m, play.mask & m)])
        twins = [twin for twin in rules.table.classify(other) if strength_names(rules, twin) == strength_names(rules, play)]
        assert len(twins) == 1
        canonical = legal.first_copies(other) == other
        assert (twins[0] in legal) == canonical
        assert twins[0].category == play.category


def _highest(rules: RuleSet, held: int, taken: int) -> list[Card]:
    return rules.order.sort(held)[held.bit_count() - taken.bit_count() :]


def test_rank_order__of_every_game_is_the_pages() -> None:
    names = dict(zip(["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2", "LJ", "BJ"], Rank, strict=True))
    for game, order in VALUES.items():
        assert list(ruleset(game).ranks) == [names[one] for one in order]
