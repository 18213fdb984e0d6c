"""Legal plays against a brute force over all subsets of the hand, told straight from the rules page."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

from outside_patterns import OUTSIDE
from random_games import random_games
from rules_page import DECK, legal, read

from big2_env import Game, LegalPlays, Position, RuleSet
from big2_env.base.cards import as_mask, iter_cards

EACH = 6
"""Positions of each kind."""


def names(mask: int) -> list[str]:
    return list(map(str, iter_cards(mask)))


def check(game: Game, outside: bool) -> str:
    """Compare one position; the kind of position that it was."""
    position = game.position
    top = None if position.top is None else tuple(names(position.top.mask))
    must = "C[3]" if not game.history and position.obligation else None
    expected = sorted(
        (pattern, sorted(cards)) for pattern, cards in legal(names(position.hands[game.turn]), top, must, outside)
    )
    moves = game.legal_plays()
    assert sorted((play.pattern, sorted(names(play.mask))) for play in moves) == expected
    assert len(moves) == len(expected)
    return "opening" if must else "leading" if top is None else position.top.pattern


def test_legal_plays__match_a_brute_force_over_all_subsets(rules: RuleSet) -> None:
    outside = rules is OUTSIDE
    seen: Counter[str] = Counter()
    for game in random_games(rules, range(1000, 1100)):
        top = game.top
        kind = "opening" if game.position.obligation else "leading" if top is None else top.pattern
        if not game.is_over and seen[kind] < EACH:
            seen[check(game, outside)] += 1
    wanted = {"opening", "leading", *(rule.pattern.name for rule in rules.patterns)}
    assert seen == dict.fromkeys(wanted, EACH)


def test_legal_plays__match_a_brute_force_against_any_top(rules: RuleSet) -> None:
    """Full hands that follow a play which random games seldom bring: dealt so that the top is of a wanted pattern."""
    choose = random.Random(11)
    outside = rules is OUTSIDE
    tops = list(rules.table.plays(rules.deck.mask))
    for pattern in [rule.pattern.name for rule in rules.patterns]:
        for top in choose.sample([play for play in tops if play.pattern == pattern], 3):
            rest = [card for card in DECK if card not in names(top.mask)]
            choose.shuffle(rest)
            hands = [as_mask(" ".join(rest[i * 11 : i * 11 + 11])) for i in range(4)]
            game = Game.from_position(rules, Position(tuple(hands), turn=1, top=top, top_seat=0))
            assert check(game, outside) == pattern


def test_can__says_of_every_subset_what_the_list_says(rules: RuleSet) -> None:
    for game in random_games(rules, [3]):
        if len(game.history) not in (0, 1, 4, 5, 8, 13):
            continue
        moves = game.legal_plays()
        listed = {play.mask for play in moves}
        cards = list(iter_cards(moves.hand))
        asked = LegalPlays(rules, moves.hand, moves.top, moves.obligation)
        for size in range(len(cards) + 1):
            for choice in combinations(cards, size):
                mask = as_mask(choice)
                assert asked.can(mask) == (mask in listed), choice
                assert all((play in asked) == (mask in listed) for play in rules.table.classify(mask))


def test_rules_page__knows_what_it_is_compared_for() -> None:
    assert read(("C[3]", "D[3]")) == ("pair", (0, 1))
    assert read(("C[3]", "D[3]", "H[3]")) is None
    assert sum(read(pair) is not None for pair in combinations(DECK, 2)) == 78
