"""The heuristic where actions are ranks: candidates, kickers and decompositions against what the rules and brute force say."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from random_games import random_games

from big2_agents.kernels.heuristic import HeuristicScorer
from big2_agents.models.formula import LOOSE
from big2_env import PASS, Game, Play, RuleSet, available_rulesets
from big2_env.kernels.packing import Positions

BY_RANKS = [rules for rules in available_rulesets().values() if rules.ranks_only]


@pytest.fixture(scope="module", params=BY_RANKS, ids=lambda rules: rules.name)
def player(request: Any) -> HeuristicScorer:
    return HeuristicScorer(request.param)


def positions(rules: RuleSet, games: int, most: int) -> list[Game]:
    """Positions of random games with something to choose, in which the seat to move holds at most so many cards."""
    found = []
    for game in random_games(rules, range(games)):
        if game.is_over or game.view().bidding or game.view().hand.bit_count() > most:
            continue
        if len(list(islice(game.legal_plays(), 2))) == 2:
            found.append(game.copy())
    return found


def test_candidates__are_legal_and_the_best_is_made(player: HeuristicScorer) -> None:
    rules = player.ruleset
    to_cards = Positions(rules, player._game.dtype).cards
    carried = 0
    for game in positions(rules, 20, rules.max_hand):
        view, legal = game.view(), game.legal_plays()
        move = player.act(view, legal)
        c = player._heuristic.candidates
        masks = [to_cards(sum(int(word) << 64 * i for i, word in enumerate(np.atleast_1d(mask)))) for mask in c.mask[: c.count]]
        for mask, row in zip(masks, c.row[: c.count], strict=True):
            shape = rules.table.rows[int(player._tables.row_place[row])]
            assert (Play(shape.pattern, mask, shape.category, shape.power) if row >= 0 else PASS) in legal
            carried += row >= 0 and player._tables.row_kickers[row] >= 0
        if view.hand not in masks:
            assert move.mask == masks[int(np.argmax(c.score[: c.count]))]
    assert carried > 0 or not np.any(player._tables.row_kickers[: int(player._tables.num_rows)] >= 0)


def best_by_force(player: HeuristicScorer, hand: tuple[int, ...]) -> float:
    """What a hand, numbers by value, is worth in the best of all its decompositions."""
    t, h = player._tables, player._heuristic
    counts, rows = t.action_counts[1 : int(t.first_call)], t.action_row[1 : int(t.first_call)]
    fits = np.ones(len(counts), bool)
    for value, held in enumerate(hand):
        fits &= (counts >> np.uint64(4 * value) & np.uint64(15)).astype(int) <= held
    plays = [
        (tuple(int(code) >> 4 * value & 15 for value in range(len(hand))), float(h.row_utility[row]))
        for code, row in zip(counts[fits], rows[fits], strict=True)
        if h.row_known[row] == h.decision
    ]

    @cache
    def best(left: tuple[int, ...]) -> float:
        first = next((value for value, number in enumerate(left) if number), None)
        if first is None:
            return 0.0
        found = LOOSE[0] + best(tuple(number - (value == first) for value, number in enumerate(left)))
        for cards, worth in plays:
            if cards[first] and all(a <= b for a, b in zip(cards, left, strict=True)):
                found = max(found, worth + best(tuple(b - a for a, b in zip(cards, left, strict=True))))
        return found

    return best(hand)


def test_decompositions__are_the_best_there_are(player: HeuristicScorer) -> None:
    """One kicker after the other is chosen, so a decomposition may not be the best; none is ever better than the best."""
    rules, h = player.ruleset, player._heuristic
    same = worse = 0
    for game in positions(rules, 12, 8):
        view = game.view()
        player(view, list(game.legal_plays()))
        found = max(h.set_value[: h.num_sets])
        hand = tuple(int(h.hand) >> 4 * value & 15 for value in range(int(player._tables.num_values)))
        best = best_by_force(player, hand)
        assert found <= best + 1e-9
        same, worse = same + (found > best - 1e-9), worse + (found <= best - 1e-9)
    assert same > 20
    assert worse <= 0.03 * same
