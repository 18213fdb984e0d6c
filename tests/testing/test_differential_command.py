"""The command that compares the engines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from places import SUPPORT
from table_faults import FAULTS, tampered

from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels import game_batch
from big2_env.testing import differential
from big2_env.testing.differential import Compared


def run(**options: Any) -> int:
    with pytest.raises(typer.Exit) as left:
        differential.command(**options)
    return left.value.exit_code


def test_command__compares_in_several_processes() -> None:
    command = [sys.executable, "-m", "big2_env.testing.differential", "--ruleset", "outside_patterns:OUTSIDE"]
    options = ["--games", "260", "--jobs", "2", "--seed", "3"]
    done = subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        cwd=SUPPORT,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.startswith("outside_patterns:OUTSIDE: 260 games, 52 positions, ")
    assert done.stdout.endswith("in full: the engines agree\n")


def test_command__says_what_it_did_and_how_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(rulesets=["hong_kong"], games=3) == 0
    assert capsys.readouterr().out.startswith("hong_kong: 3 games, 1 positions, ")
    assert run(games=3, players=2) == 0
    assert capsys.readouterr().out.startswith("big2: 3 games, 1 positions, ")
    assert run(games=3, players=5) == 2
    assert "big2 needs 2 to 4 players, got 5" in capsys.readouterr().err
    for name, says in [
        ("big3", "unknown ruleset 'big3'; did you mean big2? "),
        (
            "house_rules:TWO_DECKS",
            "two_decks cannot be compiled: it has hands of 27 cards with suits (limit 20), ",
        ),
        ("house_rules:Quad", "ruleset 'house_rules:Quad': expected a RuleSet, got ABCMeta"),
        ("lost_rules:X", "ruleset 'lost_rules:X': 'lost_rules' cannot be imported: No module named 'lost_rules'"),
        ("house_rules:X", "ruleset 'house_rules:X': expected a RuleSet, got nothing"),
    ]:
        assert run(rulesets=[name]) == 2
        assert says in capsys.readouterr().err

    def stop(share: Any) -> Compared:
        if share[1] > 0:
            raise KeyboardInterrupt
        return Compared(share[2])

    with monkeypatch.context() as patch:
        patch.setattr(differential, "_do", stop)
        assert run(games=1_000) == 130
    assert "big2: 250 games, 0 positions, 0 decisions, 0 of them in full: stopped" in capsys.readouterr().out
    monkeypatch.setattr(game_batch, "compile_tables", tampered(FAULTS["lead"][0]))
    assert run(games=3) == 1
    assert "replay(ruleset('big2'), " in capsys.readouterr().out


def test_command__goes_on_with_its_file_and_compares_every_ruleset(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out, shares = tmp_path / "differential.jsonl", []

    def do(share: Any) -> Compared:
        if len(shares) == 3:
            raise KeyboardInterrupt
        shares.append(share[:3])
        return Compared(share[2], 50, 1_000, 10)

    names = list(available_rulesets())
    monkeypatch.setattr(differential, "_do", do)
    assert run(rulesets=["all"], games=500, out=out) == 130
    assert shares == [(names[0], 0, 250), (names[0], 250, 250), (names[1], 0, 250)]
    assert f"{names[1]}: 250 games, 50 positions, 1,000 decisions, 10 of them in full: stopped" in capsys.readouterr().out
    monkeypatch.setattr(differential, "_do", lambda share: shares.append(share[:3]) or Compared(share[2], 50, 1_000, 10))
    assert run(rulesets=["all"], games=500, out=out, resume=True) == 0
    assert shares == [(name, start, 250) for name in names for start in (0, 250)]
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"{name}: 500 games, 100 positions, 2,000 decisions, 20 of them in full: the engines agree" for name in names
    ]


def test_command__refuses_files_of_other_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "differential.jsonl"
    monkeypatch.setattr(differential, "_do", lambda share: Compared(share[2]))
    assert run(games=3, out=out) == 0
    for options, says in [
        ({}, "already exists"),
        ({"resume": True, "seed": 1}, "made with seed 0, but this run has 1"),
        ({"resume": True, "players": 2}, "made with players None, but this run has 2"),
    ]:
        assert run(games=3, out=out, **options) == 2
        assert says in capsys.readouterr().err
    assert run(games=3, resume=True) == 2
    assert "--resume needs --out" in capsys.readouterr().err
    monkeypatch.setattr(differential, "source_hash", lambda name: "sources_of_another_time")
    assert run(games=3, out=out, resume=True) == 2
    assert "but this run has sources_of_another_time" in capsys.readouterr().err
    out.write_text(out.read_text().replace('"games"', '"matches"'))
    monkeypatch.undo()
    assert run(games=3, out=out, resume=True) == 2
    assert "line 2: games: expected a whole number of at least 0, got 'null'" in capsys.readouterr().err
