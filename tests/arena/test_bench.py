"""The frozen protocol big2-bench v1: what it fixes, its rows, the verb."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from readme_tables import BENCH
from run_cli import run_cli

from big2_agents.arena import bench
from big2_agents.arena.bench_rows import BenchRow, file_stem, preview, ranked, write_row
from big2_agents.arena.results import load
from big2_agents.arena.schedule import Contest, Kind
from big2_agents.first import FirstAgent
from big2_agents.greedy import GreedyAgent
from big2_env import NotationError
from big2_env.agents import make_agent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View

FROZEN = "5193b1b0b629"
"""The hash of v1. Where this test fails, the protocol is another one and needs another name."""


def test_protocol__is_the_one_that_was_published() -> None:
    assert bench.protocol_hash() == FROZEN
    assert int.from_bytes(hashlib.sha256(bench.NAME.encode()).digest()[:6], "big") == bench.SEED
    for name, scoring in bench.SCORINGS.items():
        assert ruleset(name).with_scoring(scoring) == ruleset(name)  # it scores as the ruleset pays
        config = bench.config_of("first", name)
        assert config.agents == ("first", "random", "greedy", "heuristic:first")
        assert config.contests() == tuple(Contest((0, other, other, other), Kind.ALONE) for other in (1, 2, 3))
        assert [contest.rotations for contest in config.contests()] == [4, 4, 4]


@pytest.mark.parametrize("name", bench.SCORINGS)
def test_opponents__play_as_they_are_pinned(name: str) -> None:
    bench.check_opponents(name)


class AlmostGreedy(GreedyAgent):
    """Greedy, but for straights, which it leads only if it must."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        play = super().act(view, legal)
        return next(iter(legal)) if play.pattern == "straight" and legal.top is None else play


def test_fingerprint__tells_agents_apart_and_is_the_same_each_time() -> None:
    rules = ruleset("big2")
    found = [bench.fingerprint(agent, rules) for agent in (FirstAgent(), GreedyAgent(), AlmostGreedy(), GreedyAgent())]
    assert len(set(found)) == 3
    assert found[1] == found[3] == bench.PINS["big2"]["greedy"]
    random = make_agent("random")
    assert bench.fingerprint(random, rules) == bench.fingerprint(random, rules) == bench.PINS["big2"]["random"]


def run_bench(out: Path, *more: str) -> tuple[int, str, str]:
    return run_cli("bench", "first", "--ruleset", "big2", "--deals", "4", "--jobs", "1", "--out", str(out), *more)


def test_bench__writes_rows_goes_on_and_says_what_they_are(tmp_path: Path) -> None:
    status, out, err = run_bench(tmp_path)
    assert (status, err) == (0, "")
    title = f"big2-bench v1 (hash {FROZEN}): a preview, not all of the 2,000 deals"
    for text in (title, "95 % intervals over 4 deals", "3 x random", "3 x heuristic", "first (preview: 4 of 2,000 deals)"):
        assert text in out
    results, row_file = tmp_path / "big2-first.jsonl", tmp_path / "big2-first.json"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big2-first.json", "big2-first.jsonl"]
    config, units = load(results)
    assert (config.seed, config.scoring) == (bench.SEED, "winner")
    means = [sum(game.winner == r for r, game in enumerate(unit.games)) / 4 for unit in units if unit.unit.contest == 0]
    row = BenchRow.load(row_file)
    assert row.against["random"].wins.mean == pytest.approx(sum(means) / 4)
    assert row.against["random"].score.mean == pytest.approx((row.against["random"].wins.mean - 0.25) * 4 / 3)
    assert row.deals == json.loads(row_file.read_text())["preview"] == 4

    text, whole = row_file.read_text(encoding="utf-8"), results.read_bytes()
    results.write_bytes(whole[:-100])  # as a killed run leaves it
    row_file.unlink()
    status, out, _ = run_bench(tmp_path, "--resume", "--json")
    assert (status, json.loads(out)) == (0, [json.loads(text)])
    assert (results.read_bytes(), row_file.read_text(encoding="utf-8")) == (whole, text)
    assert "already exists: give --resume, --overwrite or another --out" in run_bench(tmp_path)[2]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nobody"], "unknown agent 'nobody'; expected one of"),
        (["first", "--ruleset", "whist"], "unknown ruleset 'whist' of big2-bench v1; expected one of big2, hong_kong"),
        (["first", "--resume", "--overwrite"], "expected --resume or --overwrite, got both"),
    ],
)
def test_bench__refuses_what_it_does_not_have(tmp_path: Path, args: list[str], message: str) -> None:
    status, out, err = run_cli("bench", *args, "--deals", "2", "--out", str(tmp_path / "new"))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not (tmp_path / "new").exists()


def test_bench__refuses_opponents_that_play_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GreedyAgent, "act", FirstAgent.act)
    status, out, err = run_bench(tmp_path / "new")
    assert (status, out) == (2, "")
    assert err.startswith(
        f"big2: expected greedy to play in big2 as big2-bench v1 has it (choices {bench.PINS['big2']['greedy']})"
    )
    assert not (tmp_path / "new").exists()


def test_rows__that_are_wrong_are_refused_with_their_file(tmp_path: Path) -> None:
    row = BenchRow.load(next(iter(sorted(BENCH.glob("*.json")))))
    path = tmp_path / "row.json"
    write_row(row, path)
    assert BenchRow.load(path) == row
    good = row.as_json()
    wrong = {
        "expected protocol big2-bench v1, got '\"big2-bench v0\"'": {"protocol": "big2-bench v0"},
        f"expected hash {FROZEN}, got '\"123\"'": {"hash": "123"},
        "expected a ruleset of big2, hong_kong, got '[1]'": {"ruleset": [1]},
        "expected a text for agent, got '7'": {"agent": 7},
        "expected results against random, greedy, heuristic": {"against": {}},
        "expected a standing of wins and score": {"against": good["against"] | {"random": {}}},
        "expected mean, half_width and deals": {"against": good["against"] | {"greedy": {"wins": {"mean": 1.0}, "score": {}}}},
    }
    for message, change in wrong.items():
        path.write_text(json.dumps(good | change), encoding="utf-8")
        with pytest.raises(NotationError) as caught:
            BenchRow.load(path)
        assert str(caught.value).startswith(f"{path}: {message}")
    path.write_bytes(b"\xff")
    with pytest.raises(NotationError, match=r"row\.json: not UTF-8"):
        BenchRow.load(path)


def test_rows__of_the_readme_are_whole_and_of_this_protocol() -> None:
    rows = [BenchRow.load(path) for path in sorted(BENCH.glob("*.json"))]
    agents = {(row.ruleset, row.agent) for row in rows}
    assert {(name, agent) for name in bench.SCORINGS for agent in ("random", "first", "greedy", "heuristic")} <= agents
    assert len(agents) == len(rows)
    for row, path in zip(rows, sorted(BENCH.glob("*.json")), strict=True):
        assert path.stem == file_stem(row.ruleset, row.agent)
        for name, (wins, score) in row.against.items():
            if name == row.agent:
                assert (wins.mean, round(score.mean, 9), wins.half_width) == (0.25, 0.0, 0.0)
            elif row.ruleset == "big2":
                assert score.mean == pytest.approx((wins.mean - 0.25) * 4 / 3)
    best, *_ = ranked(rows)
    assert best.ruleset == "big2"
    fewer = replace(
        best,
        against=best.against
        | {"greedy": best.against["greedy"]._replace(wins=best.against["greedy"].wins._replace(number=500))},
    )
    assert preview(fewer) == " (preview: 500 of 2,000 deals)"
