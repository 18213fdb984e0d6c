"""The search without compiled code: play-out for play-out what the compiled one finds, and no compiler before the first act."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from random_games import random_games

from big2_agents.kernels.estimates import Estimate, Trials
from big2_agents.kernels.playouts import RuleTrials
from big2_agents.learned.agent import LearnedAgent
from big2_agents.learned.plain_learned import compilation_of_searches
from big2_agents.learned.search import LearnedSearchAgent
from big2_agents.rule_based import search
from big2_agents.rule_based.search import EXACT_CARDS, GreedyTrials, SearchAgent, rule_trials
from big2_env import Game, RuleSet
from big2_env.agents.interface import hurried
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation

RULES = [
    pytest.param(rules, id=name, marks=() if name == "big2" else pytest.mark.long)
    for name, rules in available_rulesets().items()
]


def tried(trials: Trials, view: View, seed: int, exact: int) -> object:
    """All that a few tries of a decision find."""
    trials.forget()
    opened = trials.open(view, view.legal_plays(), seed)
    totals, squares = [0.0] * len(opened.plays), [0.0] * len(opened.plays)
    chosen = range(min(3, len(opened.plays)))
    weights = [trials.play_out(chosen, samples, exact, totals, squares) for samples in (1, 2)]
    return opened, weights, totals, squares


@pytest.mark.parametrize("rules", RULES)
def test_trials__find_what_machine_code_finds(rules: RuleSet) -> None:
    """To the last bit: deals, weights, play-outs, solved endings, and those that are given up."""
    plain, compiled = rule_trials(rules, rules.default_players, 4), RuleTrials(rules, rules.default_players, 4)
    compared = endings = there = 0
    for number, game in enumerate(random_games(rules, range(2))):
        held = sum(hand.bit_count() for hand in game.position.hands)
        is_ending = held <= EXACT_CARDS
        there += is_ending and not game.is_over
        if game.is_over or number % (3 if is_ending else 9) or len(list(game.legal_plays())) == 1:
            continue
        view, exact = game.view(), EXACT_CARDS if is_ending else 0
        assert tried(plain, view, number, exact) == tried(compiled, view, number, exact)
        compared, endings = compared + 1, endings + is_ending
    assert compared > 3
    assert endings or there < 6  # many of these games end with more cards than are solved


def test_agent__chooses_alike_before_and_after_it_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compilation, "load", lambda self: self.is_ready)
    monkeypatch.setattr(Compilation, "spend", lambda self, seconds: None)
    rules = available_rulesets()["big2"]
    turns = [
        (game.view(), game.legal_plays())
        for game in random_games(rules, range(1))
        if not game.is_over and len(game.history) % 12 == 3
    ]
    found = []
    for prepared in (False, True):
        known = Compilation(lambda: None)
        monkeypatch.setattr("big2_agents.rule_based.search._compilation", partial(_the_same, known))
        agent = SearchAgent(30)
        if prepared:
            agent.prepare(turns[0][0])
        agent.reset(5)
        found.append([agent.advise(view, legal) for view, legal in turns])
        assert agent._kept_trials is not None
        assert agent._kept_trials.is_compiled is prepared
    assert found[0] == found[1]


def _the_same(known: Compilation, rules: RuleSet, num_players: int) -> Compilation:
    return known


def test_first_move__of_a_process_loads_no_numba(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from big2_env import BIG2, Game
from big2_env.agents.interface import make_agent
game = Game.deal(BIG2, 2)
assert make_agent("search:12").act(game.view(), game.legal_plays()) in game.legal_plays()
assert "numba" not in sys.modules
"""
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env={**os.environ, **environment})


def test_advice_on_one_decision__loads_no_numba(tmp_path: Path) -> None:
    """Not to judge the act made beside the best one, nor to mark it."""
    code = """
import sys
from contextlib import suppress
from big2_env.cli import main
with suppress(SystemExit):
    main(["advise", sys.argv[1], "--agent", "search:60", "--move", "20"])
assert "numba" not in sys.modules
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code, str(Path(__file__).parents[1] / "data" / "game.in")]
    done = subprocess.run(command, check=True, timeout=120, env=environment, capture_output=True, text=True)
    assert "played ??" in done.stdout


def test_agent__looks_through_the_disk_once_in_a_while(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not at each of its acts: a cache may have thousands of files."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    seconds, looked = [1000.0], list[str]()
    glob = Path.glob
    monkeypatch.delitem(sys.modules, "big2_agents.kernels.playouts", raising=False)
    monkeypatch.setattr("big2_env.kernels.switch.monotonic", lambda: seconds[0])
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: looked.append(pattern) or glob(folder, pattern))
    known = Compilation(lambda: None, "big2_agents.kernels.playouts.play_out_by_rules", kind=lambda: "any")
    monkeypatch.setattr(known, "_mark", lambda: tmp_path / "marked")
    monkeypatch.setattr("big2_agents.rule_based.search._compilation", partial(_the_same, known))
    agent, view = SearchAgent(4), Game.deal(available_rulesets()["big2"], 7).view()
    for seconds[0] in (1000.0, 1000.5, 1004.9):
        agent.act(view, view.legal_plays())
    assert looked == ["*/playouts.play_out_by_rules.*"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "playouts.play_out_by_rules.any").touch()
    (tmp_path / "marked").touch()
    seconds[0] = 1005.0
    monkeypatch.setattr("big2_agents.rule_based.search._compiled", lambda *given: GreedyTrials())
    agent.act(view, view.legal_plays())
    assert (len(looked), known.is_ready) == (2, True)


def test_agent__has_a_quick_stand_in_while_it_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Compilation] = []
    monkeypatch.setattr(Compilation, "start", lambda self: started.append(self))
    monkeypatch.setattr(Compilation, "load", lambda self: self.is_ready)
    view = Game.deal(available_rulesets()["big2"], 3).view()
    agents = SearchAgent(400), LearnedSearchAgent()
    caches = search._compilation, compilation_of_searches
    for cache in caches:
        cache.cache_clear()
    try:
        assert [agent._meanwhile(view) for agent in agents] == [None, None]
        assert not started
        with hurried():
            shorter, network = (agent._meanwhile(view) for agent in agents)
            assert isinstance(shorter, SearchAgent)
            assert shorter.milliseconds == 300
            assert shorter._meanwhile(view) is None
            assert isinstance(network, LearnedAgent)
            assert len(started) == 2
            meant = Estimate(next(iter(view.legal_plays())), 0.0, 0.0, 0)
            monkeypatch.setattr(SearchAgent, "estimates", lambda self, *given: [meant] * bool(self.milliseconds))
            assert agents[0].act(view, view.legal_plays()) == meant.play
            for one in started:
                one.is_ready = True
            assert [agent._meanwhile(view) for agent in agents] == [None, None]
    finally:
        for cache in caches:
            cache.cache_clear()
