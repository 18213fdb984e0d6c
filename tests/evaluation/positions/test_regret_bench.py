"""`big2 bench --positions`: answers, rows, what goes on after a kill, what is refused, language models."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from loopback_endpoint import NAME, first_legal, loopback, set_key_alone
from places import BENCHMARKS
from run_cli import Answer, run_cli

from big2_agents.evaluation.positions.answering import ANSWERS, Answerer
from big2_agents.evaluation.positions.decisions import PROTOCOLS, Kind, decisions, positions_rulesets
from big2_agents.evaluation.positions.regrets import RegretRow, difference
from big2_agents.rule_based.simple import LowestAgent
from big2_env import NotationError
from big2_env.climbing.forfeit import ForfeitError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View

ROWS = sorted(BENCHMARKS.glob("positions_v*/*.json"))


class GivesUp(LowestAgent):
    """Lowest, but gives every answer up that needs a choice of more than three."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        if len(legal) > 3:
            raise ForfeitError("no idea")
        return super().act(view, legal)


def bench(out: Path, *more: str, agent: str = "lowest") -> Answer:
    options = "--positions", "--ruleset", "big2", "--decisions", "24", "--jobs", "1", "--out", str(out)
    return run_cli("bench", agent, *options, *more)


def test_bench__writes_answers_and_row_and_goes_on(tmp_path: Path) -> None:
    status, out, err = bench(tmp_path)
    assert (status, err) == (0, "")
    for text in ("big2-positions v1: regret in points per decision", "lowest (preview: 24 of 300)", "leading", "ending"):
        assert text in out
    answers, row_file = tmp_path / "positions-big2-lowest.jsonl", tmp_path / "positions-big2-lowest.json"
    assert sorted(tmp_path.iterdir()) == [row_file, answers]
    row = RegretRow.load(row_file)
    assert row == RegretRow.of(answers)
    items = decisions("big2").items[:24]
    assert [round(regret, 6) for regret in row.regrets] == [answer.regret for answer in ANSWERS.load(answers)[1]]
    assert row.regret.mean == pytest.approx(math.fsum(row.regrets) / 24)
    assert {kind: found.number for kind, found in row.by_kind.items()} == {
        kind: sum(item.kind is kind for item in items) for kind in Kind if any(item.kind is kind for item in items)
    }
    assert json.loads(row_file.read_text())["preview"] == 24

    text, whole = row_file.read_text(), answers.read_bytes()
    answers.write_bytes(whole[:-30])  # as a killed run leaves it
    status, out, _ = bench(tmp_path, "--resume", "--json")
    assert (status, json.loads(out)) == (0, [json.loads(text)])
    assert (answers.read_bytes(), row_file.read_text()) == (whole, text)
    assert "already exists: give --resume, --overwrite or another --out" in bench(tmp_path)[2]


def test_answers__of_an_agent_that_gives_up_count_as_the_worst_move(tmp_path: Path) -> None:
    status, _, _ = bench(tmp_path, agent=f"{__name__}:GivesUp")
    assert status == 0
    [path] = tmp_path.glob("*.jsonl")
    row = RegretRow.load(path.with_suffix(".json"))
    items = decisions("big2").items
    given_up = [number for number, action in enumerate(row.answers) if action is None]
    assert row.faults == len(given_up) > 0
    assert all(row.regrets[number] == items[number].worst for number in given_up)
    assert {answer.fault for answer in ANSWERS.load(path)[1] if answer.number in given_up} == {"no idea"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--deals", "5"], "--positions: expected no --deals, --shard or --merge, which are for games"),
        (["--decisions", "301"], "expected at most 300 decisions, got --decisions 301"),
        (["--ruleset", "poker"], "no decisions of 'poker' in big2-positions v1; expected one of"),
        (["--protocol", "v2"], "no decisions of 'big2' in big2-positions v2; expected one of pao_de_kuai, taiwan"),
        (["--protocol", "v3"], "expected a protocol of big2-positions v1, big2-positions v2, got 'big2-positions v3'"),
        (["--price", "1"], "--price: expected dollars per million tokens as IN,OUT, such as 0.5,2, got '1'"),
        (["--resume", "--overwrite"], "expected one of --resume and --overwrite, got both"),
    ],
)
def test_wrong_options__are_one_line(tmp_path: Path, options: list[str], message: str) -> None:
    status, _, err = bench(tmp_path / "out", *options)
    assert status != 0
    assert err.startswith("big2: ")
    assert message in err
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize(("option", "value"), [("--decisions", "5"), ("--price", "1,2")])
def test_options_of_positions__are_refused_for_games(tmp_path: Path, option: str, value: str) -> None:
    status, _, err = run_cli("bench", "lowest", option, value, "--out", str(tmp_path))
    assert (status, err) == (2, f"big2: {option}: expected --positions too, got none\n")


def test_versions__of_decisions_and_of_games_are_not_mixed(tmp_path: Path) -> None:
    status, _, err = run_cli("bench", "lowest", "--protocol", "v2", "--out", str(tmp_path))
    assert (status, err) == (2, "big2: expected --protocol v3 or v4 for games, got v2\n")
    new = "--protocol", "v2", "--ruleset", "taiwan"
    status, out, _ = bench(tmp_path, *new)
    assert status == 0
    assert "big2-positions v2: regret" in out
    assert RegretRow.load(tmp_path / "positions-taiwan-lowest.json").protocol == "big2-positions v2"
    status, _, err = bench(tmp_path, "--ruleset", "taiwan", "--resume")
    assert status != 0
    assert "positions-taiwan-lowest.jsonl" in err


def test_row__that_was_changed_is_refused(tmp_path: Path) -> None:
    bench(tmp_path)
    path = tmp_path / "positions-big2-lowest.json"
    data = json.loads(path.read_text())
    first = data["answers"].split(" ")[0]
    other = next(str(action) for action in decisions("big2").items[0].actions if str(action) != first)
    for change, message in (
        ({"hash": "0" * 12}, "expected hash"),
        ({"regret": data["regret"] | {"mean": 0.0}}, "expected regret"),
        ({"answers": data["answers"].replace(first, "1378", 1)}, "answer 0: expected a legal action or -, got"),
        ({"answers": data["answers"].replace(first, other, 1)}, "expected regret"),
        ({"answers": " ".join(["-"] * 301)}, "expected at most 300 answers, got 301"),
        ({"ruleset": "poker"}, "expected a ruleset of"),
        ({"protocol": "big2-positions v0"}, "expected schema 1 of big2-positions v1"),
        ({"counts": {"calls": "x"}}, "expected counts, got"),
    ):
        path.write_text(json.dumps(data | change))
        with pytest.raises(NotationError, match=message):
            RegretRow.load(path)


@pytest.mark.parametrize("change", [{"action": 1378}, {"decision": 7}, {"action": "x"}])
def test_answers__that_were_changed_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    bench(tmp_path)
    path = tmp_path / "positions-big2-lowest.jsonl"
    head, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, json.dumps(json.loads(first) | change), *rest]) + "\n")
    status, _, err = bench(tmp_path, "--resume")
    assert status != 0
    assert "line 2: expected decision 0 with a legal action and its regret, got" in err


def test_language_model__answers_at_once_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_key_alone(monkeypatch)
    with loopback(lambda messages, number: "hm" if number == 3 else first_legal(messages)) as server:
        monkeypatch.setenv("BIG2_LLM_URL", server.url)
        monkeypatch.setenv("BIG2_LLM_ILLEGAL", "forfeit")
        status, out, err = bench(tmp_path, "--at-once", "4", "--price", "500,1000", agent=NAME)
        assert (status, err) == (0, "")
        assert server.calls == 24
    [answers] = (path for path in tmp_path.glob("*.jsonl") if path.suffixes == [".jsonl"])
    row = RegretRow.load(answers.with_suffix(".json"))
    assert (row.faults, len(row.answers)) == (1, 24)
    assert row.agent_protocol is not None
    assert row.transcript is not None
    assert "no legal answer" in out
    assert row == RegretRow.of(answers)
    assert row.counts is not None
    assert [row.counts[name] for name in ("calls", "unreadable", "tokens_in", "tokens_out")] == [24, 1, 2400, 168]
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    assert ["tokens in", "2,400"] in lines
    assert ["unreadable", "4.2%"] in lines
    assert ["cost", "$1.3680"] in lines
    status, out, _ = bench(tmp_path, "--resume", "--json", agent=NAME)
    assert "cost" not in json.loads(out)[0]["counts"]
    lowest = RegretRow.of(_lowest(tmp_path / "lowest"))
    same = [mine == theirs for mine, theirs in zip(row.answers, lowest.answers, strict=True)]
    assert same.count(False) <= 1  # the model plays the first legal move, as `lowest` does


def _lowest(folder: Path) -> Path:
    assert bench(folder)[0] == 0
    return folder / "positions-big2-lowest.jsonl"


def test_rows__of_the_page_are_complete_and_follow_from_their_answers() -> None:
    rows = [RegretRow.load(path) for path in ROWS]
    assert not any(row.is_preview for row in rows)
    by_ruleset: dict[tuple[str, str], dict[str, RegretRow]] = {}
    for row in rows:
        by_ruleset.setdefault((row.protocol, row.ruleset), {})[row.agent] = row
    assert set(by_ruleset) == {(protocol, name) for protocol in PROTOCOLS for name in positions_rulesets(protocol)}
    for found in by_ruleset.values():
        assert set(found) >= {"random", "greedy", "heuristic", "learned", "search"}
        assert difference(found["random"], found["learned"]).mean > 0


@pytest.mark.parametrize("which", [(PROTOCOLS[0], "big2"), (PROTOCOLS[1], "taiwan")])
def test_rows__of_the_pages_are_repeated(which: tuple[str, str]) -> None:
    for agent in ("greedy", "heuristic"):
        [row] = [row for row in map(RegretRow.load, ROWS) if (row.protocol, row.ruleset, row.agent) == (*which, agent)]
        answerer = Answerer(agent, row.ruleset, row.protocol)
        assert [answerer(number).action for number in range(60)] == list(row.answers[:60])
