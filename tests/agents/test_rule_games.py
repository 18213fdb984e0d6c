"""Compiled games between rule players against the same games by the agents themselves."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace

import pytest
from house_rules import TIERS
from random_rulesets import random_ruleset

from big2_agents.evaluation.arena.results import Config, result_line
from big2_agents.evaluation.arena.schedule import units
from big2_agents.evaluation.arena.units import Table
from big2_agents.kernels import rule_players
from big2_agents.kernels.rule_players import Player, RuleGames
from big2_agents.rule_based.heuristic import HeuristicAgent, Weights, player_of
from big2_env import BIG2, HONG_KONG, ConfigError, Game, RuleSet
from big2_env.agents.interface import available_agents, make_agent, play_out, reset_seats
from big2_env.kernels.switch import Compilation

PLAYERS = [name for name in available_agents() if player_of(make_agent(name), BIG2) is not None]


def test_code__is_given_to_exact_repetitions_only() -> None:
    assert PLAYERS == ["greedy", "heuristic", "lowest", "random"]
    own = replace(Weights(), lead=0.1)
    assert player_of(HeuristicAgent(weights=own), BIG2) == own

    class Other(HeuristicAgent):
        pass

    assert player_of(Other(), BIG2) is None


SINGLE, PAIR, *FIVE_CARDS = BIG2.patterns
LONG_FIRST = replace(BIG2, name="long_first", patterns=(*FIVE_CARDS, PAIR, SINGLE))
PAIR_FIRST = replace(BIG2, name="pair_first", patterns=(PAIR, FIVE_CARDS[0], SINGLE, FIVE_CARDS[1]))
RULES = [BIG2, HONG_KONG.with_scoring("winner"), TIERS, LONG_FIRST, PAIR_FIRST, *map(random_ruleset, range(6))]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_rule_games__end_as_the_agents_end_them(rules: RuleSet) -> None:
    """Random players make plays of every kind, and a single other act would change the rest of the game."""
    agents_by_name = {name: make_agent(name) for name in (*PLAYERS, "heuristic:first")}
    agents_by_name["own"] = HeuristicAgent(weights=Weights(patience=2.0, loss=0.2))
    players = {name: player_of(agent, rules) for name, agent in agents_by_name.items()}
    games = RuleGames(rules, [player for player in players.values() if player is not None])
    seats = rules.default_players
    for seed in range(6):
        for others in (PLAYERS, ["random"], ["own", "heuristic:first"]):
            names = [others[(seed + seat) % len(others)] for seat in range(seats)]
            agents = [copy(agents_by_name[name]) for name in names]
            game, salt = Game.deal(rules, seed, seats), seed % 2
            reset_seats(agents, game, salt=salt)
            outcome = play_out(game, agents)
            codes = [games.code_of(player) for name in names if (player := players[name]) is not None]
            found = games.play(seed, codes, salt)
            assert found == (outcome.winner, outcome.cards_left, outcome.payoffs)


def test_arena__writes_the_same_bytes_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config((*PLAYERS, "random"), "big2", "cards", -3, "alone")
    compiled, interpreted, agents = Table(config, patience=0), Table(config, patience=math.inf), Table(config)
    monkeypatch.setattr(agents, "_by_rules", lambda seats, seed: None)
    for unit in units(3, config.contests()):
        assert result_line(compiled.play(unit)) == result_line(interpreted.play(unit)) == result_line(agents.play(unit))


def test_arena__waits_for_compiled_games_in_long_runs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    config, found = Config(tuple(PLAYERS), "big2", "cards", -3, "alone"), []
    monkeypatch.setattr(Compilation, "is_cached", lambda self: False)
    for patience, waits in ((1e9, False), (1e-6, True)):
        table = Table(config, patience=patience)
        found.append([result_line(table.play(unit)) for unit in units(3, config.contests())])
        games = table._games[4]
        assert games is not None
        assert games.is_compiled == waits
    assert found[0] == found[1]


def test_arena__plays_on_where_nothing_can_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(rules: RuleSet, players: set[Player], num_players: int) -> RuleGames:
        raise ConfigError(f"{rules.name} cannot be compiled")

    config = Config(("lowest", "random"), "big2", "cards", 0, "pairs")
    wanted = [Table(config, patience=0).play(unit) for unit in units(2, config.contests())]
    monkeypatch.setattr(rule_players, "RuleGames", refused)
    assert [Table(config, patience=0).play(unit) for unit in units(2, config.contests())] == wanted
