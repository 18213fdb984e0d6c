"""The searching player: endings solved exactly, budgets kept, deals drawn by how well they fit."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from compiled_hands import CANDIDATES, ENDGAME, GAME, PLAIN, to_cards
from random_games import random_games
from sampled_deals import sample

from big2_agents.kernels.endgame import solve
from big2_agents.kernels.estimates import PlayOut, SequentialHalving
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.playouts import search_dtype
from big2_agents.kernels.plays import find_candidates
from big2_agents.review.prospects import OpenPlayouts
from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_agents.rule_based.search import SearchAgent
from big2_env import BIG2, Game, RuleSet
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.packing import Positions

RULES = pytest.mark.parametrize("rules", [BIG2, HONG_KONG], ids=lambda rules: rules.name)


def endings(rules: RuleSet, most: int, number: int) -> Iterator[Game]:
    """Games that go on with so many cards in all hands and a choice for the seat to move."""
    found = 0
    for game in random_games(rules, range(10_000)):
        held = sum(hand.bit_count() for hand in game.position.hands)
        if not game.is_over and most - 3 <= held <= most and len(list(game.legal_plays())) > 1:
            yield game
            found += 1
            if found == number:
                return


def solved_by_hand(game: Game, candidates: Any) -> tuple[float, ...]:
    """The payoffs when every seat does what pays it most, the first of equals; every line is looked at."""
    outcome = game.outcome
    if outcome is not None:
        return outcome.payoffs
    g = as_record(np.zeros((), GAME))
    Positions(game.ruleset, GAME).pack(game.position, g)
    t = compile_tables(game.ruleset)
    find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], candidates)
    lines = []
    for cards in [to_cards(t, int(mask)) for mask in candidates.mask[: candidates.count]]:
        after = game.copy()
        after.play(cards) if cards else after.pass_()
        lines.append(solved_by_hand(after, candidates))
    return max(lines, key=lambda payoffs: payoffs[game.turn])


@RULES
def test_endgame__is_solved_as_by_hand(rules: RuleSet) -> None:
    e: Any = as_record(np.zeros((), ENDGAME))
    g: Any = as_record(np.zeros((), GAME))
    candidates = as_record(np.zeros((), CANDIDATES))
    t = compile_tables(rules)
    changes, unsolved = set(), 0
    for game in endings(rules, 9, 25):
        Positions(rules, GAME).pack(game.position, g)
        assert solve(t, g, e, 10**6)
        assert tuple(e.payoffs) == pytest.approx(solved_by_hand(game, candidates))
        changes.add(tuple(e.payoffs))
        unsolved += not solve(t, g, as_record(np.zeros((), ENDGAME)), 1)
    assert len(changes) > 2
    assert unsolved > 12


@RULES
def test_search__draws_deals_by_their_weights(rules: RuleSet) -> None:
    s: Any = as_record(np.zeros((), search_dtype(PLAIN)))
    scratch = as_record(np.zeros((), PLAIN.scratch))
    t = compile_tables(rules)
    patterns = {rule.pattern.name: i for i, rule in enumerate(rules.patterns)}
    uneven = 0
    for game in endings(rules, 8, 40):
        view = game.view()
        Memory().update(t, view, patterns, s.root, s.root_track)
        s.root.rng, s.proposals = 1, 1
        weights = {}
        for _ in range(300):
            weight = sample(t, s, scratch)
            weights[tuple(map(int, s.sample.hands))] = weight
        if len(weights) > 12 or len(set(weights.values())) == 1:
            continue
        uneven += 1
        s.proposals = 60
        seen: Counter[tuple[int, ...]] = Counter()
        for _ in range(1500):
            assert sample(t, s, scratch) == 1.0
            seen[tuple(map(int, s.sample.hands))] += 1
        for hands, weight in weights.items():
            chance = weight / sum(weights.values())
            assert abs(seen[hands] / 1500 - chance) < 0.02 + 5 * (chance * (1 - chance) / 1500) ** 0.5
    assert uneven > 2


def test_search__keeps_its_budget() -> None:
    game = next(game for game in random_games(BIG2, range(9)) if len(game.history) > 8 and game.top is None)
    for budget in (60, 400):
        found = SearchAgent(budget, candidates=5).estimates(game.view())
        assert budget * 0.8 < sum(each.samples for each in found) <= budget
        assert 1 < len(found) <= 5
        assert [each.samples for each in found] == sorted((each.samples for each in found), reverse=True)
        assert all(-1 <= each.value <= 3 and 0 <= each.error < 1 for each in found)
    few, many_of = SearchAgent("1ms"), SearchAgent("80ms")
    few.prepare(game.view())
    less = few.estimates(game.view())
    before = time.thread_time()
    many = many_of.estimates(game.view())
    assert time.thread_time() - before < 0.3
    assert sum(each.samples for each in many) > sum(each.samples for each in less)


def drawn(seed: int) -> PlayOut:
    """Play-outs whose sampled deals have weights and payoffs by chance; every candidate's mean is 0."""
    rng = np.random.default_rng(seed)

    def play_out(chosen: Sequence[int], samples: int, totals: list[float], squares: list[float]) -> tuple[float, float]:
        weights = rng.choice([1.0, 0.7, 0.1, 0.02], samples)
        for i in chosen:
            paid = rng.normal(size=samples)
            totals[i] += float(weights @ paid)
            squares[i] += float(weights @ paid**2)
        return float(weights.sum()), float((weights**2).sum())

    return play_out


def test_halving__errors_are_those_of_weighted_means() -> None:
    plays = list(Game.deal(BIG2, 1).legal_plays())[:2]
    halving = SequentialHalving(playouts=120, milliseconds=None, width=6, trust=0.0, slope=0.1, gap=math.inf)
    found = [estimate for seed in range(800) for estimate in halving.compare(plays, [0.0, 0.0], drawn(seed))]
    assert {estimate.samples for estimate in found} == {60}
    spread = np.std([estimate.value for estimate in found])
    assert np.mean([estimate.error for estimate in found]) == pytest.approx(spread, rel=0.06)


def test_search__full_trust_is_the_rule_player() -> None:
    """With nothing but the opinion of the heuristic it plays as that does, whatever the play-outs say."""
    searcher, heuristic = SearchAgent(12, trust=1e9), HeuristicAgent()
    same = number = 0
    for game in random_games(HONG_KONG, range(20)):
        view = game.view()
        if game.is_over or len(list(view.legal_plays())) == 1:
            continue
        number += 1
        same += searcher.act(view, view.legal_plays()) == heuristic.act(view, view.legal_plays())
    assert same > 0.9 * number > 100


def test_judge__tries_the_move_that_was_made_as_long_as_the_best() -> None:
    game = Game.deal(BIG2, seed=3)
    for _ in range(2):
        game.push(next(iter(game.legal_plays())))
    view = game.view()
    legal = view.legal_plays()
    asked = SearchAgent(300)
    asked.reset(1)
    worst = asked.judge(view, legal)[-1].play
    asked.reset(1)
    found = asked.judge(view, legal, [worst])
    listed = [play for one in found for play in (one.play, *one.alike)]
    assert sorted(play.mask for play in listed) == sorted(play.mask for play in legal)
    made = next(one for one in found if worst in (one.play, *one.alike))
    assert made.playouts == max(one.playouts for one in found) > 0
    assert made.interval is not None
    asked.reset(1)
    assert asked.judge(view, legal, [worst]) == found


def test_judge__has_values_beside_a_sure_win() -> None:
    game = Game.from_hands(BIG2, ["S[2] H[3]", "C[4] D[4] H[9]", "C[5] D[6]", "C[7] D[8]"])
    game = Game.from_position(BIG2, game.position._replace(turn=0, obligation=0))
    view = game.view()
    first, second = SearchAgent(40).judge(view, view.legal_plays(), [view.legal_plays().verify("H[3]")])
    assert (str(first.play), first.sure, first.value) == ("single S[2]", True, 1.0)
    assert not second.sure
    assert second.value is not None
    assert second.playouts == first.playouts


def test_open_playouts__know_the_deal_and_end_with_what_was_paid() -> None:
    players = OpenPlayouts(BIG2, 4, seed=1)
    game = Game.from_hands(BIG2, ["S[2] H[3]", "C[4] D[4] H[9]", "C[5] D[6]", "C[7] D[8]"])
    game = Game.from_position(BIG2, game.position._replace(turn=0, obligation=0))
    found = players.prospect(game, 50)
    assert sum(found.means) == pytest.approx(0.0, abs=1e-9)
    assert found.means[0] > 0.5
    assert all(low <= mean <= high for mean, (low, high) in zip(found.means, found.intervals, strict=True))
    assert players.prospect(game, 50) == found
    for cards in ("S[2]", "H[3]"):
        game.play(cards)
        while not game.is_over and game.turn != 0:
            game.pass_()
    assert game.outcome is not None
    assert players.prospect(game).means == game.outcome.payoffs
