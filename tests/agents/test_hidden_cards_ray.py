"""Exchanging cards that a seat cannot see changes nothing that its agent receives from a worker of Ray."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hidden_cards import openings
from noting_executor import NotingExecutor
from run_cli import run_cli

from big2_agents.evaluation.arena import command as arena
from big2_env.climbing.rulesets import available_rulesets

ray = pytest.importorskip("ray", reason="the extra ray is not installed: pip install 'big2_env[ray]'")
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are not ours
PAIRS = 4
"""Games of a ruleset; each has a twin with other hidden cards."""


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    """A Ray of two cores, to which this process is connected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        ray.init(address="local", num_cpus=2, object_store_memory=80_000_000, log_to_driver=False, logging_level="ERROR")
        yield
        ray.shutdown()


@pytest.mark.parametrize("name", available_rulesets())
def test_arena__on_ray__gives_agents_the_same_before_an_exchanged_seat_has_acted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = available_rulesets()[name]
    games = [game for pair in openings(rules, PAIRS) for game in pair]
    made: list[NotingExecutor] = []

    def noting(address: str | None, jobs: int) -> NotingExecutor:
        made.append(NotingExecutor(executor_of(address, jobs), dict(enumerate(games))))
        return made[-1]

    executor_of = arena.executor_of
    monkeypatch.setattr(arena, "executor_of", noting)
    table = ["recorders:Recorder"] * rules.default_players
    run = ("--game", name, "--scoring", "own", "--deals", str(len(games)), "--seed", "0", "--ray", "--jobs", "2")
    answer = run_cli("arena", *table, *run, "--out", str(tmp_path / "run.jsonl"))
    assert answer.status == 0, answer.err
    [executor] = made
    assert len(executor.found) == len(games) == 2 * PAIRS
    assert os.getpid() not in {found.process for found in executor.found}
    received = []
    for game, found in zip(games, executor.found, strict=True):
        seeds = [note for note in found.notes if note[0] == "seed"][: game.num_players]
        received.append((seeds[game.turn], next(note for note in found.notes if note[0] == "act")))
    assert received[::2] == received[1::2]
    assert len({seed for (_, seed), _ in received}) == PAIRS
