"""Every pattern of the package, and one from outside, in everything that plays, judges, trains or shows a game."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pattern_games
import pytest
from run_cli import run_cli
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from big2_env import Game, RuleSet, available_patterns
from big2_env.agents.interface import make_agent, play_turn, reset_seats
from big2_env.base.language import Language, words
from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv
from big2_env.testing.ruleset_checks import check_ruleset
from big2_env.text.names import move_text

PATTERNS = ["three_and_one", *available_patterns()]
SAMPLE = ["three_and_one", "straight_flush"]
"""Kickers from outside, and cards with two readings."""


def command(*args: str) -> str:
    answer = run_cli(*args)
    assert answer.status == 0, answer.err
    return answer.out


def checks(rules: RuleSet, name: str, folder: Path) -> None:
    assert [result for result in check_ruleset(rules) if result.reason] == []


def stable_baselines(rules: RuleSet, name: str, folder: Path) -> None:
    for make in (SeatVecEnv, SelfPlayVecEnv):
        env = make(2, ruleset=rules)
        env.reset()
        for _ in range(4):
            masks = env.env_method("action_masks")
            env.step([random.Random(0).choice([i for i, legal in enumerate(row) if legal]) for row in masks])
    assert MaskableActorCriticPolicy(env.observation_space, env.action_space, lambda _: 1e-3) is not None


def openspiel(rules: RuleSet, name: str, folder: Path) -> None:
    adapter = pytest.importorskip("big2_env.envs.openspiel")
    game = adapter.load_game(rules)
    state, choose = game.new_initial_state(), random.Random(1)
    while not state.is_terminal():
        chance = state.is_chance_node()
        actions = [action for action, _ in state.chance_outcomes()] if chance else state.legal_actions()
        assert len(set(actions)) == len(actions)
        state.apply_action(choose.choice(actions))
    assert sum(state.returns()) == pytest.approx(0)


def textarena(rules: RuleSet, name: str, folder: Path) -> None:
    adapter = pytest.importorskip("big2_env.envs.textarena")
    env = adapter.TextArenaEnv(ruleset=rules, opponents="greedy")
    env.reset(1, seed=1)
    is_over, choose = False, random.Random(2)
    while not is_over:
        legal = env.game.legal_plays()
        is_over, info = env.step(f"<answer>{move_text(choose.choice(list(legal)), legal, words(Language.EN))}</answer>")
        assert "fault" not in info


def arena(rules: RuleSet, name: str, folder: Path) -> None:
    command("arena", "heuristic", "search:4", "--game", name, "--deals", "2", "--out", str(folder / "arena.jsonl"))


def reviewed(rules: RuleSet, name: str, folder: Path) -> None:
    """Advice, the page of a review, and the solver, on one game."""
    record, page = folder / "game.jsonl", folder / "game.html"
    record.write_text(command("match", "heuristic", "greedy", "--game", name, "--seed", "3", "--log", "jsonl"), "utf-8")
    assert len(json.loads(record.read_text("utf-8").splitlines()[0])["moves"]) > 8
    advised = command("advise", str(record), "--game", name, "--all", "--agent", "search:4", "--json")
    assert len(json.loads(advised)) > 8
    command("show", str(record), "--game", name, "--html", str(page), "--judge", "search:20")
    assert page.stat().st_size > 10_000
    command("solve", str(record), "--game", name, "--back", "6")


def trained(rules: RuleSet, name: str, folder: Path) -> None:
    command("train", "candidate-ppo", "--game", name, "--choices", "200", "--games", "8", "--out", str(folder / "run"))


def prompted(rules: RuleSet, name: str, folder: Path) -> None:
    """A game at the prompt, and the prompt of a language model."""
    answer = run_cli("play", "greedy", "--game", name, "--plain", "--seed", "2", "--points", stdin="hint\npass\n" * 3)
    assert "cannot" not in answer.err
    pattern = rules.patterns[-1].pattern
    is_named = pattern.zh in command("rules", name, "--lang", "zh-Hant")
    assert is_named == any(row.pattern == pattern.name for row in rules.table.rows)  # the deck has no jokers


def with_learners(rules: RuleSet, name: str, folder: Path) -> None:
    game = Game.deal(rules, seed=4)
    seats = [make_agent(agent) for agent in ("random", "lowest", "greedy", "heuristic:first")]
    reset_seats(seats, game)
    while not game.is_over:
        play_turn(game, seats)


ROADS: list[Callable[[RuleSet, str, Path], None]] = [
    checks, stable_baselines, openspiel, textarena, arena, reviewed, trained, prompted, with_learners,
]  # fmt: skip


def cells() -> Iterator[Any]:
    """Every road and pattern; `.ci/run` tries a sample, and trains with one pattern, for that takes half a minute."""
    for road in ROADS:
        for pattern in PATTERNS:
            is_sampled = pattern == SAMPLE[0] if road is trained else pattern in SAMPLE
            marks = [] if is_sampled else [pytest.mark.release]
            yield pytest.param(road, pattern, marks=marks, id=f"{road.__name__}-{pattern}")


@pytest.mark.long
@pytest.mark.parametrize(("road", "pattern"), list(cells()))
def test_road__takes_games_with_any_pattern(road: Callable[[RuleSet, str, Path], None], pattern: str, tmp_path: Path) -> None:
    road(getattr(pattern_games, pattern), f"pattern_games:{pattern}", tmp_path)
