"""The compiled heuristic against its reference: every score the same to the last bit."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from outside_patterns import OUTSIDE
from random_rulesets import random_ruleset

from big2_agents.compiled.from_view import fill_game, to_cards
from big2_agents.compiled.heuristic import choose_by_heuristic, score_acts
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.heuristic import Weights, scores_of
from big2_env import BIG2, Game, Play, RuleSet
from big2_env.cards import iter_cards
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.kernels.state import GAME
from big2_env.kernels.tables import as_record, compile_tables


class Compiled:
    """The compiled heuristic of a ruleset at one position after the other."""

    def __init__(self, rules: RuleSet, weights: Weights) -> None:
        self.rules = rules
        self.tables = compile_tables(rules)
        self.heuristic: Any = heuristic_record(rules, weights)
        self.game: Any = as_record(np.zeros((), GAME))
        self.candidates: Any = as_record(np.zeros((), CANDIDATES))
        self.left = np.zeros(4, np.int32)
        self.patterns = {rule.pattern.name: i for i, rule in enumerate(rules.patterns)}

    def scores(self, game: Game, acts: list[Play]) -> list[float]:
        view = game.view()
        fill_game(self.tables, view, self.patterns, self.game)
        self.left[: view.num_players] = view.cards_left
        cards = [sum(1 << self.rules.order.positions[card] for card in iter_cards(act.mask)) for act in acts]
        found = np.zeros(len(acts))
        score_acts(self.tables, self.game, self.left, self.heuristic, np.array(cards, np.uint64), found)
        return list(map(float, found))

    def choice(self) -> tuple[list[int], int]:
        """The candidates at the position last scored, and the one that is chosen, as card masks."""
        g, c = self.game, self.candidates
        find_candidates(self.tables, g.hands[g.turn], g.top_category, g.top_power, g.obligation, c)
        chosen = choose_by_heuristic(self.tables, g, self.left, c, self.heuristic)
        masks = [to_cards(self.tables, int(mask)) for mask in c.mask[: c.count]]
        return masks, masks[chosen]


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
    compiled, luck = Compiled(rules, weights), random.Random(3)
    same = others = 0
    for seed in range(games):
        game, mind = Game.deal(rules, seed), luck.random()
        while not game.is_over:
            acts = list(game.legal_plays())
            hand = game.position.hands[game.turn]
            if len(acts) == 1 or any(act.mask == hand for act in acts):
                game.push(luck.choice(acts))
                continue
            reference = scores_of(game.view(), acts, weights)
            assert compiled.scores(game, acts) == reference
            best = acts[reference.index(max(reference))]
            masks, chosen = compiled.choice()
            by_mask = {act.mask: score for act, score in zip(acts, reference, strict=True)}
            # Candidates stand for the plays that differ in suits alone: where the best play is none, the best of them.
            assert by_mask[chosen] == max(by_mask[mask] for mask in masks)
            if best.mask in masks:
                assert chosen == best.mask
                same += 1
            else:
                others += 1
            game.push(best if mind < 0.5 else luck.choice(acts))
    assert same > 15 * games
    assert others < 0.02 * same
