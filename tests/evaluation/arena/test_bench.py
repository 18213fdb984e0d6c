"""The frozen protocols big2-bench: what they fix, their rows, the verb."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from one_language import strangers
from places import BENCHMARKS
from run_cli import Answer, run_cli

from big2_agents.evaluation.arena.bench import OPPONENTS, PROTOCOLS, V3, V4, BenchRow, file_stem, preview, ranked
from big2_agents.evaluation.arena.results import load
from big2_agents.rule_based.simple import GreedyAgent, LowestAgent
from big2_env import NotationError
from big2_env.agents.interface import make_agent
from big2_env.base.language import Language, words
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import own_rulesets, ruleset
from big2_env.climbing.view import View
from big2_env.runs.rows import write_row

FROZEN = "70359760e5ed"
"""The hash of v3. Where this test fails, the protocol is another one and needs another name."""


@pytest.mark.parametrize(("version", "digits"), [("v3", FROZEN), ("v4", "36b5d2c44eab")])
def test_protocol__is_the_one_that_was_published(version: str, digits: str) -> None:
    protocol = PROTOCOLS[version]
    assert (protocol.name, protocol.hash) == (f"big2-bench {version}", digits)
    assert int.from_bytes(hashlib.sha256(protocol.name.encode()).digest()[:6], "big") == protocol.seed
    assert [*protocol.pins, *protocol.added] == list(protocol.scorings)
    for name in protocol.scorings:
        assert protocol.config_of("lowest", name).rules() == protocol.rules(name)  # it scores as the ruleset pays
    assert {name for name in protocol.scorings if protocol.rules(name) != ruleset(name)} == set(protocol.earlier)


def test_protocols__have_the_present_rules_of_every_ruleset() -> None:
    """A ruleset that changes again needs a version of its own."""
    last = {name: protocol for protocol in PROTOCOLS.values() for name in protocol.scorings}
    assert all(protocol.rules(name) == ruleset(name) for name, protocol in last.items())
    assert set(V4.scorings) == set(V3.earlier)


def test_protocol__has_every_ruleset_that_is_shipped_and_seats_an_agent_alone_and_in_teams() -> None:
    assert set(V3.scorings) == set(own_rulesets())
    assert (len(V3.pins), len(V3.added)) == (12, 3)
    chairs = {name: [contest.chairs for contest in V3.config_of("lowest", name).contests()] for name in ("big2", "dou_dizhu")}
    assert chairs["big2"] == [(0, 1, 1, 1), (0, 2, 2, 2), (0, 3, 3, 3), (0, 1, 0, 1), (0, 2, 0, 2), (0, 3, 0, 3)]
    assert chairs["dou_dizhu"] == [(0, 1, 1), (0, 2, 2), (0, 3, 3), (1, 0, 0), (2, 0, 0), (3, 0, 0)]


def test_protocol__keeps_its_hash_where_rulesets_are_added() -> None:
    one = dict(list(V3.added.items())[:1])
    [name] = one
    for fewer in (replace(V3, added={}), replace(V3, added=one)):
        assert fewer.hash == FROZEN == fewer.hash_of("big2") == V3.hash_of("wu_gua_pi")
    assert replace(V3, added=one).hash_of(name) == V3.hash_of(name)
    assert len({V3.hash_of(name) for name in V3.scorings}) == 4
    pins = {"random": "0", "greedy": "0", "heuristic": "0"}
    assert replace(V3, added={name: pins}).hash_of(name) != V3.hash_of(name)


@pytest.mark.parametrize("name", ["hong_kong", "three_two_one"])
def test_opponents__play_as_they_are_pinned(name: str) -> None:
    V3.check_opponents(name)


@pytest.mark.long
@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version, protocol in PROTOCOLS.items() for name in protocol.scorings]
)
def test_opponents__play_as_they_are_pinned_in_every_ruleset(version: str, name: str) -> None:
    PROTOCOLS[version].check_opponents(name)


class AlmostGreedy(GreedyAgent):
    """Greedy, but for straights, which it leads only if it must."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        play = super().act(view, legal)
        return next(iter(legal)) if play.pattern == "straight" and legal.top is None else play


def test_fingerprint__tells_agents_apart_and_is_the_same_each_time() -> None:
    rules = ruleset("big2")
    found = [V3.fingerprint(agent, rules) for agent in (LowestAgent(), GreedyAgent(), AlmostGreedy(), GreedyAgent())]
    assert len(set(found)) == 3
    assert found[1] == found[3] == V3.pins["big2"]["greedy"]
    random = make_agent("random")
    assert V3.fingerprint(random, rules) == V3.fingerprint(random, rules) == V3.pins["big2"]["random"]


def run_bench(out: Path, *more: str) -> Answer:
    options = "--ruleset", "big2", "--deals", "4", "--jobs", "1", "--out", str(out)
    return run_cli("bench", "lowest", *options, *more)


@pytest.mark.usefixtures("check_opponents_once")
def test_bench__writes_rows_goes_on_and_says_what_they_are(tmp_path: Path) -> None:
    status, out, err = run_bench(tmp_path)
    assert (status, err) == (0, "")
    title = f"big2-bench v3 (hash {FROZEN}): a preview, not all of the 1,000 deals"
    for text in (title, "over 4 deals", "alone: random", "alone: heuristic", "lowest (preview: 4 of 1,000 deals)"):
        assert text in out
    results, row_file = tmp_path / "big2-lowest.jsonl", tmp_path / "big2-lowest.json"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big2-lowest.json", "big2-lowest.jsonl"]
    config, units = load(results)
    assert (config.seed, config.scoring) == (V3.seed, "own")
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
    assert (
        "expected at most 1,000 deals, which big2-bench v3 has, got --deals 1001"
        in run_bench(tmp_path, "--overwrite", "--deals", "1001")[2]
    )
    assert set(json.loads(text)) == {"protocol", "hash", "preview", "ruleset", "agent", "version", "against", "beside"}
    assert "already exists: give --resume, --overwrite or another --out" in run_bench(tmp_path)[2]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nobody"], "unknown agent 'nobody'; expected one of"),
        (
            ["lowest", "--game", "whist"],
            "unknown ruleset 'whist' of big2-bench v3; expected one of big2, hong_kong, chu_da_di, ",
        ),
        (["learned:甲.npz", "learned:乙.npz"], "expected agents whose files have different names, got 'learned:甲.npz'"),
        (["lowest", "--resume", "--overwrite"], "expected one of --resume and --overwrite, got both"),
    ],
)
def test_bench__refuses_what_it_does_not_have(tmp_path: Path, args: list[str], message: str) -> None:
    status, out, err = run_cli("bench", *args, "--deals", "2", "--out", str(tmp_path / "new"))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("check_opponents_once")
def test_bench__measures_an_agent_that_is_named_twice_once(tmp_path: Path) -> None:
    status, out, err = run_bench(tmp_path, "--json", "lowest")
    assert (status, err) == (0, "")
    assert len(json.loads(out)) == 1


@pytest.mark.usefixtures("check_opponents_once")
def test_bench__merges_the_games_of_a_folder_with_other_files(tmp_path: Path) -> None:
    assert run_bench(tmp_path)[0] == 0
    for name in ("positions-big2-lowest", "big2-lowest.replies", "big2-lowest.transcript"):
        (tmp_path / f"{name}.jsonl").write_text("{}\n", encoding="utf-8")
    status, _, err = run_cli("bench", "--merge", str(tmp_path), "--out", str(tmp_path / "all"))
    assert (status, err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["big2-lowest.json", "big2-lowest.jsonl"]


@pytest.mark.usefixtures("check_opponents_once")
def test_bench__reads_the_name_of_a_ruleset_as_all_verbs_do(tmp_path: Path) -> None:
    options = "--deals", "2", "--jobs", "1", "--json", "--out", str(tmp_path)
    status, out, err = run_cli("bench", "lowest", "--game", "二打一", *options)
    assert (status, err) == (0, "")
    assert json.loads(out)[0]["ruleset"] == "dou_dizhu"


def test_bench__refuses_opponents_that_play_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GreedyAgent, "act", LowestAgent.act)
    status, out, err = run_bench(tmp_path / "new")
    assert (status, out) == (2, "")
    assert err.startswith(
        f"big2: expected greedy to play in big2 as big2-bench v3 has it (choices {V3.pins['big2']['greedy']}), got "
    )
    assert not (tmp_path / "new").exists()


def test_rows__that_are_wrong_are_refused_with_their_file(tmp_path: Path) -> None:
    row = BenchRow.load(next(iter(sorted((BENCHMARKS / "bench_v3").glob("*.json")))))
    path = tmp_path / "row.json"
    write_row(path, row.as_json())
    assert BenchRow.load(path) == row
    good = row.as_json()
    wrong = {
        "expected a protocol of big2-bench v3, big2-bench v4, got '\"big2-bench v0\"'": {"protocol": "big2-bench v0"},
        f"expected hash {row.protocol.hash}, got '\"123\"'": {"hash": "123"},
        "ruleset: expected a text": {"ruleset": [1]},
        "expected a ruleset of big2, ": {"ruleset": "whist"},
        "agent: expected a text": {"agent": 7},
        "expected standings against random, greedy, heuristic, got": {"against": {}},
        "expected wins and score, got": {"against": good["against"] | {"random": {}}},
        "expected mean, half_width and 2 to": {"against": good["against"] | {"greedy": {"wins": {"mean": 1.0}, "score": {}}}},
    }
    for message, change in wrong.items():
        path.write_text(json.dumps(good | change), encoding="utf-8")
        with pytest.raises(NotationError) as caught:
            BenchRow.load(path)
        assert str(caught.value).startswith(f"{path}: {message}")
    path.write_bytes(b"\xff")
    with pytest.raises(NotationError, match=r"row\.json: line 1: expected text in UTF-8, got the byte 0xff"):
        BenchRow.load(path)


@pytest.mark.parametrize("version", PROTOCOLS)
def test_rows__that_are_kept_are_whole_and_of_their_protocol(version: str) -> None:
    protocol = PROTOCOLS[version]
    paths = sorted((BENCHMARKS / f"bench_{version}").glob("*.json"))
    rows = [BenchRow.load(path) for path in paths]
    assert {row.protocol for row in rows} == {protocol}
    agents = {(row.ruleset, row.agent) for row in rows}
    assert {(name, agent) for name in protocol.scorings for agent in ("random", "greedy", "heuristic")} <= agents
    assert len(agents) == len(rows)
    for row, path in zip(rows, paths, strict=True):
        assert path.stem == file_stem(row.ruleset, row.agent)
        assert row.deals == protocol.deals
        assert list(row.beside) == list(OPPONENTS)
        for name, (wins, score) in row.against.items():
            if name == row.agent != "heuristic":  # of which today's may be another than the protocol's
                assert round(score.mean, 9) == 0.0
            elif row.ruleset == "big2":
                assert score.mean == pytest.approx((wins.mean - 0.25) * 4 / 3)


def test_rows__are_ranked_and_say_where_deals_are_missing() -> None:
    best, *_ = ranked(BenchRow.load(path) for path in (BENCHMARKS / "bench_v3").glob("*.json"))
    assert best.ruleset == "big2"
    wins = best.against["greedy"].wins._replace(number=500)
    fewer = replace(best, against=best.against | {"greedy": best.against["greedy"]._replace(wins=wins)})
    assert preview(fewer, words(Language.EN)) == " (preview: 500 of 1,000 deals)"


BENCH_WORDS = {
    "zh-Hant": (
        "預覽，未打完全部 1,000 副牌",
        "4 副牌的 95% 信賴區間，每副牌輪流坐遍所有座位；得分以 0 為持平",
        "規則 ┃ 代理人 ┃ 單獨：random ┃ 單獨：greedy ┃ 單獨：heuristic ┃ 組隊：heuristic",
        "已停止：完成 0/4 副牌；加上 --resume 可繼續",
    ),
    "zh-Hans": (
        "预览，未打完全部 1,000 副牌",
        "4 副牌的 95% 置信区间，每副牌轮流坐遍所有座位；得分以 0 为持平",
        "规则 ┃ 智能体 ┃ 单独：random ┃ 单独：greedy ┃ 单独：heuristic ┃ 组队：heuristic",
        "已停止：完成 0/4 副牌；加上 --resume 可继续",
    ),
}


@pytest.mark.usefixtures("check_opponents_once")
@pytest.mark.parametrize("lang", BENCH_WORDS)
def test_bench__speaks_chinese_and_writes_the_same_rows(lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    title, caption, heads, stopped = BENCH_WORDS[lang]
    with monkeypatch.context() as patch:
        patch.setattr("big2_agents.evaluation.arena.command.played", interrupted)
        assert run_bench(tmp_path / "one", "--lang", lang) == (130, "", f"big2: {stopped}\n")
    status, out, err = run_bench(tmp_path / "one", "--resume", "--lang", lang)
    assert (status, err) == (0, "")
    assert title in out.splitlines()[0]
    assert caption in out.splitlines()[-1]
    assert heads in " ".join(out.split())
    assert strangers(out, Language(lang), frozenset(("big2-bench v3", "big2", FROZEN, "lowest", *OPPONENTS))) == []
    assert run_bench(tmp_path / "two", "--json").out == run_bench(tmp_path / "one", "--resume", "--json", "--lang", lang).out
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
