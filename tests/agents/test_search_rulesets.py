"""The searching player in every ruleset: alone against heuristic players, in every seat of the same deals."""

from __future__ import annotations

from functools import cache
from statistics import fmean, pstdev

import pytest

from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_agents.rule_based.search import SearchAgent
from big2_env import Game, Play
from big2_env.agents.interface import Agent, play_out
from big2_env.climbing.rulesets import available_rulesets, ruleset

DEALS = 2


@cache
def payoffs(name: str) -> tuple[float, ...]:
    """What the search gets alone against heuristic players."""
    rules, found = ruleset(name), []
    seats, search = rules.default_players, SearchAgent(40)
    for seed in range(DEALS):
        for seat in range(seats):
            agents: list[Agent] = [HeuristicAgent() for _ in range(seats)]
            agents[seat] = search
            search.reset(100 * seed + seat)
            found.append(play_out(Game.deal(rules, seed), agents).payoffs[seat])
    return tuple(found)


@pytest.mark.parametrize("name", available_rulesets())
def test_search__plays_every_ruleset(name: str) -> None:
    assert len(payoffs(name)) == DEALS * ruleset(name).default_players


def test_search__wins_at_least_as_much_as_the_heuristic() -> None:
    """All settlements are zero-sum, and so is a table of equals over all seats: 0 is par."""
    deviations = []
    for name in available_rulesets():
        found = payoffs(name)
        error = pstdev(found) / len(found) ** 0.5
        deviations.append(fmean(found) / error if error else fmean(found))
    assert min(deviations) > -2.5, deviations
    assert sum(deviations) > 0, deviations


def test_search__says_in_an_auction_what_pays() -> None:
    """With both jokers and all twos it calls; with nothing it does not."""
    rules = ruleset("dou_dizhu")
    asked: dict[bool, list[Play]] = {True: [], False: []}
    for seed in range(120):
        view = Game.deal(rules, seed).view()
        high = sum(1 for card in rules.order.sort(view.hand) if rules.order.values[card.rank] >= 12)
        if high >= 4 or high == 0:
            agent = SearchAgent(40)
            agent.reset(seed)
            asked[high >= 4].append(agent.act(view, view.legal_plays()))
    strong, weak = ([not play.is_pass for play in asked[key]] for key in (True, False))
    assert len(strong) > 4
    assert len(weak) > 4
    assert fmean(strong) > fmean(weak) + 0.3
