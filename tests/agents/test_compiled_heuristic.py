"""The compiled heuristic against its reference: every score the same to the last bit."""

from __future__ import annotations

import random

import numpy as np
import pytest
from outside_patterns import OUTSIDE
from random_games import random_games
from random_rulesets import random_ruleset
from reference_family import FamilyReference
from reference_formula import Reference

from big2_agents.compiled.from_view import to_cards
from big2_agents.compiled.heuristic import choose_by_heuristic
from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.compiled.view_scores import ViewScores
from big2_agents.heuristic import Weights
from big2_env import BIG2, Game, RuleSet, ruleset
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.kernels.tables import as_record


def chosen(compiled: ViewScores) -> tuple[list[int], int]:
    """The candidates at the position last scored, and the one that is chosen, as card masks."""
    t, g, c = compiled.tables, compiled.game, as_record(np.zeros((), CANDIDATES))
    find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], c)
    index = choose_by_heuristic(t, g, compiled.left, c, compiled.heuristic)
    masks = [to_cards(t, int(mask)) for mask in c.mask[: c.count]]
    return masks, masks[index]


OTHER = Weights(turn=(0.9, 0.6, 0.2), hold=(1.0, 0.3, 0.5), rank=(0.2, 1.0, 0.7), run_out=0.7, again=0.9, patience=-0.3)


@pytest.mark.parametrize(
    ("rules", "games", "weights"),
    [
        (BIG2, 16, Weights()),
        (HONG_KONG, 12, Weights()),
        (BIG2, 4, OTHER),
        (HONG_KONG, 4, OTHER),
        (OUTSIDE, 5, Weights()),
        *((random_ruleset(seed), 2, Weights()) for seed in (1, 2, 4, 6)),
    ],
    ids=lambda value: value.name if isinstance(value, RuleSet) else None,
)
def test_compiled_heuristic__scores_and_chooses_as_the_reference(rules: RuleSet, games: int, weights: Weights) -> None:
    formula, compiled, rng = Reference(rules, weights), ViewScores(rules, weights), random.Random(3)
    same = others = 0
    for seed in range(games):
        game, mind = Game.deal(rules, seed), rng.random()
        while not game.is_over:
            acts = list(game.legal_plays())
            hand = game.position.hands[game.turn]
            if len(acts) == 1 or any(act.mask == hand for act in acts):
                game.push(rng.choice(acts))
                continue
            reference = formula(game.view(), acts)
            assert compiled(game.view(), acts) == reference
            best = acts[reference.index(max(reference))]
            masks, choice = chosen(compiled)
            by_mask = {act.mask: score for act, score in zip(acts, reference, strict=True)}
            # Candidates stand for the plays that differ in suits alone: where the best play is none, the best of them.
            assert by_mask[choice] == max(by_mask[mask] for mask in masks)
            if best.mask in masks:
                assert choice == best.mask
                same += 1
            else:
                others += 1
            game.push(best if mind < 0.5 else rng.choice(acts))
    assert same > 15 * games
    assert others < 0.02 * same + 2


@pytest.mark.parametrize("name", ["wu_gua_pi", "qi_gui_521"])
def test_compiled_heuristic__scores_as_the_reference_with_a_pile(name: str) -> None:
    rules = ruleset(name)
    formula, compiled, decisions = FamilyReference(rules), ViewScores(rules), 0
    for game in random_games(rules, range(8)):
        acts = list(game.legal_plays())
        if len(acts) > 1:
            assert compiled(game.view(), acts) == pytest.approx(formula(game.view(), acts))
            decisions += 1
    assert decisions > 300
