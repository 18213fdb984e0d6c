"""The heuristic compiled and interpreted: every score the same to the last bit, every act the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
from compiled_hands import CANDIDATES, to_cards
from house_rules import ODD_CARD
from outside_patterns import OUTSIDE
from random_rulesets import random_ruleset

from big2_agents.kernels.heuristic import HeuristicScorer, choose_by_heuristic
from big2_agents.kernels.plays import find_candidates
from big2_agents.models.formula import DEFAULT_WEIGHTS, Weights, weights_of
from big2_agents.rule_based.heuristic import view_scores
from big2_env import BIG2, Game, Play, RuleSet, available_rulesets
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.kernels.dialect.records import as_record

OTHER = Weights(
    turn=(0.9, 0.6, 0.2), hold=(1.0, 0.3, 0.5), rank=(0.2, 1.0, 0.7), run_out=0.7, again=0.9, patience=-0.3,
    pay=0.05, relief=0.02, loss=0.07, full=0.03, decay=0.3, slope=0.6,
)  # fmt: skip
CASES = [
    *((rules, 3, None) for rules in available_rulesets().values()),
    *((rules, 2, OTHER) for rules in available_rulesets().values()),
    (ODD_CARD, 4, None),
    (OUTSIDE, 5, None),
    *((random_ruleset(seed), 2, DEFAULT_WEIGHTS) for seed in (1, 2, 4, 6)),
]


@pytest.mark.parametrize(
    ("rules", "games", "weights"), CASES, ids=lambda value: value.name if isinstance(value, RuleSet) else None
)
def test_heuristic__compiled_and_interpreted_are_equal_tie_for_tie(rules: RuleSet, games: int, weights: Weights | None) -> None:
    rng, number = random.Random(3), 0
    seats = range(rules.min_players, rules.max_players + 1)
    for seed in range(games):
        players = rules.default_players if seed % 2 else seats[seed // 2 % len(seats)]
        compiled, game, mind = HeuristicScorer(rules, weights, players), Game.deal(rules, seed, players), rng.random()
        plain = view_scores(rules, weights or weights_of(rules), players)
        while not game.is_over:
            view, moves = game.view(), list(game.legal_plays())
            if len(moves) == 1:
                game.push(moves[0])
                continue
            move = plain.act(view, game.legal_plays())
            assert move == compiled.act(view, game.legal_plays())
            few = moves if len(moves) < 100 else rng.sample(moves, 100)
            assert plain(view, few) == compiled(view, few)
            number += 1
            game.push(move if rng.random() < mind else rng.choice(moves))
    assert number > 8 * games


def chosen(compiled: HeuristicScorer) -> tuple[list[int], int]:
    """The candidates at the position last scored, and the one that is chosen, as card masks."""
    t, g, c = compiled._tables, compiled._game, as_record(np.zeros((), CANDIDATES))
    find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], c)
    index = choose_by_heuristic(t, g, compiled._left, c, compiled._heuristic)
    masks = [to_cards(t, int(mask)) for mask in c.mask[: c.count]]
    return masks, masks[index]


def best_of(moves: list[Play], scores: list[float]) -> Play:
    """The first act with the highest score."""
    return moves[scores.index(max(scores))]


@pytest.mark.parametrize("rules", [BIG2, HONG_KONG], ids=lambda rules: rules.name)
def test_compiled_heuristic__chooses_the_same_among_candidates(rules: RuleSet) -> None:
    """Candidates stand for the plays that differ in suits alone: where the best play is none, the best of them is chosen."""
    plain, compiled, rng = view_scores(rules, weights_of(rules), 4), HeuristicScorer(rules), random.Random(3)
    same = others = 0
    for seed in range(6):
        game = Game.deal(rules, seed)
        while not game.is_over:
            moves, hand = list(game.legal_plays()), game.position.hands[game.turn]
            if len(moves) == 1 or any(move.mask == hand for move in moves):
                game.push(rng.choice(moves))
                continue
            scores = plain(game.view(), moves)
            compiled(game.view(), moves)
            best, (masks, choice) = best_of(moves, scores), chosen(compiled)
            by_mask = {move.mask: score for move, score in zip(moves, scores, strict=True)}
            assert by_mask[choice] == max(by_mask[mask] for mask in masks)
            if best.mask in masks:
                assert choice == best.mask
                same += 1
            else:
                others += 1
            game.push(best if seed % 2 else rng.choice(moves))
    assert same > 90
    assert others < 0.02 * same + 2
