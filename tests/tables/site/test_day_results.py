"""Results of agents in the deals of days: kept between builds, and the same in plain Python as when they were computed."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from io import BytesIO
from pathlib import Path
from textwrap import dedent
from zipfile import ZipFile

import pytest

from big2_agents.learned import evaluator
from big2_env.kernels.switch import Compilation
from big2_env.tables.session.deals import Comparison, NamedDeal, daily_games, named_deal, results_in
from big2_env.tables.session.par import Par
from big2_env.tables.site import day_results as module
from big2_env.tables.site.bundle import Bundle
from big2_env.tables.site.day_results import day_results, days_from, version_of

DAYS = list(days_from(date(2026, 11, 24), 2))
ALONE = dedent(
    """
    import json, sys
    sys.path.insert(0, sys.argv[1])
    from big2_env.tables.session.deals import DealPlayers, named_deal, result_of

    found = {}
    for game in sys.argv[2].split(","):
        for day in sys.argv[3].split(","):
            deal = named_deal(game, day)
            found[game + " " + day] = result_of(DealPlayers(deal).played(deal, "learned"), deal.seat)
    assert "numpy" not in sys.modules and "numba" not in sys.modules
    print(json.dumps(found))
    """
)


class Steps:
    """Counts the days that are computed, and breaks one off on request."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.days: list[str] = []
        self.broken = ""
        monkeypatch.setattr(module, "_row", self.row)
        monkeypatch.setattr(module.DealPlayers, "prepare", lambda *_: None)
        monkeypatch.setattr(module.DealPlayers, "par", lambda *_: Par(3.0, ((1.0, 7, 200),)))
        monkeypatch.setattr(module.NamedDeal, "seat", 2)

    def row(self, deal: object, players: object, agents: list[str]) -> list[object]:
        name = deal.name  # type: ignore[attr-defined]
        if name == self.broken:
            raise KeyboardInterrupt
        self.days.append(name)
        return [*([1.0, 0] for _ in agents), "0123abcd"]


def test_days__are_a_row_each() -> None:
    assert list(days_from(date(2026, 12, 31), 3)) == ["2026-12-31", "2027-01-01", "2027-01-02"]


def test_results__are_kept_and_a_build_that_was_stopped_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps, days = Steps(monkeypatch), list(days_from(date(2026, 11, 24), 5))
    steps.broken = days[3]
    with pytest.raises(KeyboardInterrupt):
        day_results("big2", days, tmp_path, "v")
    [path] = tmp_path.rglob("*.jsonl")
    path.write_text(path.read_text("utf-8")[:-3], "utf-8")  # half a line
    steps.broken, done = "", []
    found = day_results("big2", days, tmp_path, "v", done.append)
    assert steps.days == [*days[:3], *days[2:]]
    assert done == [2, 1, 1, 1]
    assert list(found["days"]) == days
    assert day_results("big2", days[1:], tmp_path, "v")["days"] == dict(list(found["days"].items())[1:])
    assert len(steps.days) == 6
    day_results("big2", days[:1], tmp_path, "other")  # another version of the agents
    assert len(steps.days) == 7
    assert day_results("big2", [], tmp_path, "v") == {"agents": [], "days": {}}


def test_results__have_a_par_if_opponents_can_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps, days = Steps(monkeypatch), list(days_from(date(2026, 11, 24), 4))
    par, row = [3.0, [[1.0, 7, 200]]], [*([1.0, 0] for _ in range(5)), "0123abcd"]
    for can_sample, computed in ((False, 4), (True, 8), (True, 8)):  # results without a par are replaced
        monkeypatch.setattr(module, "can_play_through", lambda _, can=can_sample: can)
        found = day_results("big2", days, tmp_path, "v")
        assert [day["par"] for day in found["days"].values()] == [par if can_sample else None] * 4
        assert {(day["seat"], json.dumps(day["row"])) for day in found["days"].values()} == {(2, json.dumps(row))}
        assert len(steps.days) == computed


def test_version__depends_on_rules_agents_and_weights() -> None:
    bundle = Bundle()
    names = [name for name, _ in bundle.sources(module.DECIDING)]
    assert {
        "big2_env.climbing.game",
        "big2_env.agents.seeds",
        "big2_agents.learned.agent",
        "big2_env.tables.session.deals",
    } <= {*names}
    assert "big2_env.agents.advice" in names
    assert not [beginning for beginning in module.DECIDING if not any(name.startswith(beginning) for name in names)]
    assert not [name for name in names if name.startswith(("big2_env.tables.browser", "big2_env.drawing"))]
    assert version_of(bundle, "big2") == version_of(Bundle(), "big2") != version_of(bundle, "dou_dizhu")


@pytest.mark.parametrize("name", ["compared", "opponents"])
def test_version__depends_on_the_names_of_the_agents(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = Bundle()
    before = version_of(bundle, "big2")
    monkeypatch.setattr(NamedDeal, name, ["lowest", "greedy", "heuristic"])
    assert version_of(bundle, "big2") != before


@pytest.mark.long
def test_results__of_learned_are_those_of_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpreted in a process with nothing but the modules of the pages, compiled here: move for move the same."""
    monkeypatch.setattr(module, "can_play_through", lambda _: False)
    monkeypatch.setattr(NamedDeal, "compared", ["learned"])  # the play-outs of a search take longer to compile
    monkeypatch.setattr(evaluator, "compilation_of_values", lambda *_: Compilation(lambda: None))  # which only advice needs
    bundle = Bundle()
    with ZipFile(BytesIO(bundle.archive("1.0"))) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "big2_agents" / "models").mkdir(exist_ok=True)
    for game in daily_games():
        for file in bundle.data_files()["learned"][game]:
            (tmp_path / file.place).write_bytes(file.path.read_bytes())
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path), ",".join(daily_games()), ",".join(DAYS)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    plays = set()
    for game in daily_games():
        recorded = day_results(game, DAYS, tmp_path / "cache", "v")
        for day in DAYS:
            found = results_in(recorded["days"][day]["row"], recorded["agents"])["learned"]
            assert plain[f"{game} {day}"] == list(found)
            plays.add(found.play)
    assert len(plays) == len(DAYS) * len(daily_games())


def test_results__are_what_a_comparison_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "can_play_through", lambda _: False)
    recorded = day_results("big2", DAYS[:1], tmp_path, "v")
    found = Comparison(named_deal("big2", DAYS[0]))
    found.has_par = False
    while not found.is_done:
        found.step()
    assert recorded["days"][DAYS[0]]["seat"] == found.deal.seat
    for agent, result in results_in(recorded["days"][DAYS[0]]["row"], recorded["agents"]).items():
        assert result[:2] == found.results[agent][:2], agent
