"""Seeds of deals: counted when the user chose one, else drawn, and never predictable from an earlier one."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_agents.evaluation.arena.results import load
from big2_agents.evaluation.arena.schedule import deal_seed, drawn_run, run_seed
from big2_env import BIG2, ConfigError
from big2_env.notation import records
from big2_env.tables.session.table_session import TableSession, resumed

TABLE = ("lowest", "greedy", "lowest", "random")


def arena(out: Path, *more: str) -> tuple[int, str, str]:
    return run_cli("arena", *TABLE, "--jobs", "1", "--out", str(out), *more)


def test_arena__without_a_seed_draws_one_that_plays_the_same_deals_again(tmp_path: Path) -> None:
    one, two, again = (tmp_path / name for name in ("one.jsonl", "two.jsonl", "again.jsonl"))
    for path in (one, two):
        assert arena(path, "--deals", "3").status == 0
    status, _, err = arena(one, "--deals", "5", "--resume")
    assert status == 0
    [given] = re.findall(r"--seed (drawn:\d+)\n", err)
    assert load(one)[0].seed == given != load(two)[0].seed
    assert arena(again, "--deals", "5", "--seed", given).status == 0
    assert again.read_bytes() == one.read_bytes()


def test_arena__agent_seed_changes_random_players_and_no_deal(tmp_path: Path) -> None:
    paths = [tmp_path / f"{salt}.jsonl" for salt in range(2)]
    for salt, path in enumerate(paths):
        assert arena(path, "--deals", "4", "--seed", "1", "--agent-seed", str(salt)).status == 0
    one, two = ([unit.games for unit in load(path)[1]] for path in paths)
    assert one != two
    answer = arena(paths[0], "--deals", "5", "--seed", "1", "--agent-seed", "7", "--resume")
    assert (answer.status, answer.out) == (2, "")
    assert "made with agent_seed 0, but this run has 7" in answer.err


def test_arena__shards_need_a_common_seed(tmp_path: Path) -> None:
    answer = arena(tmp_path / "a.jsonl", "--deals", "4", "--shard", "1/2")
    assert (answer.status, answer.out) == (2, "")
    assert "--shard: expected --seed, the same number on every machine, got none" in answer.err


@pytest.mark.parametrize("text", ["x", "drawn:", "drawn:-1", "1.5", "1" * 30, "", "drawn:x"])
def test_run_seed__of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^expected a seed as 7 or drawn:7, got '"):
        run_seed(text)


def test_deal_seeds__of_a_drawn_run_are_unrelated() -> None:
    seeds = [deal_seed("drawn:5", deal) for deal in range(1000)]
    assert len(set(seeds)) == 1000
    assert min(abs(a - b) for a, b in pairwise(sorted(seeds))) > 2**32
    assert drawn_run() != drawn_run()


def test_match__draws_a_seed_for_each_deal_and_prints_it_afterwards() -> None:
    status, out, err = run_cli("match", *TABLE, "--games", "3", "--log", "jsonl")
    assert (status, "seed" in err) == (0, False)  # each record has its own
    seeds = [json.loads(line)["seed"] for line in out.splitlines()]
    assert len({b - a for a, b in pairwise(seeds)} | {0, 1}) == 4
    again = run_cli("match", *TABLE, "--seed", str(seeds[1]), "--log", "jsonl")
    assert again.out.splitlines() == out.splitlines()[1:2]
    status, out, err = run_cli("match", *TABLE, "--log", "spec")
    assert status == 0
    [seed] = re.findall(r"^big2: seed (\d+)$", err, re.MULTILINE)
    again = run_cli("match", *TABLE, "--seed", seed, "--log", "spec")
    assert (again.out, "seed" in again.err) == (out, False)


def test_match__of_one_position_repeats_it_with_other_random_choices(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    game.write_text(run_cli("match", *TABLE, "--seed", "3", "--log", "jsonl").out)
    lines = run_cli("match", *["random"] * 4, "--from", f"{game}:4", "--games", "3", "--log", "jsonl").out.splitlines()
    assert [json.loads(line)["repetition"] for line in lines] == [0, 1, 2]
    assert len({json.dumps(json.loads(line)["moves"]) for line in lines}) == 3


def test_session__draws_each_seed_and_shows_it_when_the_deal_is_over() -> None:
    session = TableSession(BIG2, ["lowest"] * 3)
    first = session.seed
    assert session.shown_seed is None
    while not session.is_over:
        if session.advance() is None:
            session.play(next(iter(session.legal)))
    assert session.shown_seed == first
    session.next_deal()
    assert abs(session.seed - first) > 1
    assert session.shown_seed is None


@pytest.mark.parametrize("seed", [7, None])
def test_session__counts_a_chosen_seed_up_also_after_it_was_resumed(seed: int | None) -> None:
    session = TableSession(BIG2, ["lowest"] * 3, seed=seed)
    kept = records.loads(records.dumps(session.record()))
    back = resumed(kept)
    assert (back.seed, back.shown_seed) == (session.seed, seed)
    for each in (session, back):
        before = each.seed
        each.next_deal()
        assert (each.seed == before + 1) == (seed is not None)
