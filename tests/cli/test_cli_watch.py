"""`big2 watch`: without a terminal the printed game, with one the viewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env.tables.prompt import watch_command as watch
from big2_env.tables.session.watching import Watching

TABLE = ("heuristic", "greedy")


@pytest.mark.parametrize(
    "options", [("--seed", "7"), ("--seed", "7", "--game", "tien_len", "--players", "3", "--lang", "zh-Hans")]
)
def test_watch__without_a_terminal_prints_what_match_prints(options: tuple[str, ...]) -> None:
    assert run_cli("watch", *TABLE, *options) == run_cli("match", *TABLE, *options, "--log", "text")


def test_watch__opens_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Watching] = []
    monkeypatch.setattr(watch, "has_table", lambda plain: not plain)
    monkeypatch.setattr("big2_env.tables.terminal.show", lambda screen, watching, **_: opened.append(watching))
    assert run_cli("watch", *TABLE, "--seed", "7").status == 0
    game = tmp_path / "game.jsonl"
    game.write_text(run_cli("match", *TABLE, "--players", "3", "--seed", "3", "--log", "jsonl").out)
    assert run_cli("watch", "lowest", "--from", f"{game}:5").status == 0
    dealt, given = opened
    assert (dealt.agents, dealt.seed, dealt.shown_seed) == (("heuristic", "greedy") * 2, 7, 7)
    assert (given.agents, len(given.game.history), given.shown_seed) == (("lowest",) * 3, 5, None)
    assert run_cli("watch", *TABLE, "--plain", "--seed", "7").out.startswith("Big Two, seed 7\n")
    assert len(opened) == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("greedy",) * 5, "big2 needs 2 to 4 players, got 5"),
        (("nobody",), "unknown agent 'nobody'; expected one of "),
        (("greedy", "--game", "whist"), "unknown ruleset 'whist'; expected big2"),
    ],
)
def test_watch__refuses_in_one_line(args: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "has_table", lambda plain: not plain)
    status, out, err = run_cli("watch", *args)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
