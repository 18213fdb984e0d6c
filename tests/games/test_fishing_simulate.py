"""Many fishing games: what comes out, that it does not depend on who plays, and that a killed run goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from run_cli import run_cli

from big2_env import ConfigError, NotationError
from big2_env.games.fishing import READINGS, simulate
from big2_env.games.fishing.kernels.loops import play_seeds
from big2_env.games.fishing.plot import scatter
from big2_env.games.fishing.rules import LISTING
from big2_env.games.fishing.simulate import RESULTS, Block, Run, Tally, load, rules_data
from big2_env.runs.executors import LOCAL, Executor, Local

SHORT = Run(READINGS["turn passes"], seed=5)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "BLOCK", 500)


def cli(path: Path, games: int, *more: str) -> tuple[int, str, str]:
    arguments = ["--turn-passes", "--seed", "5", "--games", str(games), "--jobs", "1", "--out", str(path)]
    return run_cli("fishing", "simulate", *arguments, *more)


def blocks(games: int, first: int = 0, executor: Executor = LOCAL) -> list[Block]:
    with simulate.blocks(SHORT, games, first=first, executor=executor) as found:
        return list(found)


def test_simulate__gives_the_games_of_its_seeds_whatever_the_threads() -> None:
    plays, ends = play_seeds(SHORT.rules, 5, 2001)
    whole = Tally.of([Block.of(0, plays, ends)])
    for jobs in (1, 3):
        found = blocks(2001, executor=Local(jobs))
        assert [(block.first, block.games) for block in found] == [(0, 500), (500, 500), (1000, 500), (1500, 500), (2000, 1)]
        assert Tally.of(found) == whole
    assert Tally.of([*blocks(700), *blocks(2001, first=700)]) == whole


@pytest.mark.parametrize(
    ("games", "size"),
    [(1, 500), (250_000, 500), (1_000_000, 2_000), (10**12, simulate.LONG_BLOCK)],
)
def test_blocks__of_long_runs_are_longer_so_that_their_files_stay_short(games: int, size: int) -> None:
    taken: list[range] = []

    class Asked(Local):
        def map(self, move: object, items: range, **more: object) -> object:  # type: ignore[override]
            taken.append(items)
            return nullcontext(iter(()))

    with simulate.blocks(SHORT, games, executor=Asked(1)):
        assert [items.step for items in taken] == [size]


def test_summary__is_what_numpy_says_of_the_games() -> None:
    plays, ends = play_seeds(SHORT.rules, 5, 2001)
    found = Tally.of([Block.of(0, plays, ends)]).summary()
    assert (found.games, found.ended, found.least, found.most) == (2001, 2001, plays.min(), plays.max())
    assert found.mean.mean == pytest.approx(plays.mean())
    assert found.sd == pytest.approx(plays.std(ddof=1))
    assert found.mean.half_width == pytest.approx(1.959964 * plays.std(ddof=1) / 2001**0.5)
    for percent, length in found.percentiles.items():
        assert length == np.percentile(plays, percent, method="inverted_cdf")
    assert found.first_loses.mean == pytest.approx((ends == 0).mean())


def test_summary__of_games_that_do_not_end_says_so() -> None:
    rules = READINGS["j on empty"].with_deck("2x4 3x4 Jx2")
    found = simulate.simulate(Run(rules, max_plays=1000), 400).summary()
    assert found.ended + sum(found.cycles.values()) + found.undecided == 400
    assert found.ended < sum(found.cycles.values())
    nothing = Tally(3, undecided=3).summary()
    assert (nothing.ended, nothing.least, nothing.percentiles) == (0, None, {})
    assert run_cli("fishing", "simulate", "--deck", "2x4 3x4 Jx2", "--j-on-empty", "--games", "20").status == 0


@pytest.mark.parametrize("cut", [0, 1, 150, -1, -3000])
def test_resume__goes_on_as_if_nothing_had_happened(tmp_path: Path, cut: int) -> None:
    """Cut anywhere, the header or a line in half, the file is the same in the end."""
    whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
    assert cli(whole, 2000)[0] == 0
    data = whole.read_bytes()
    half.write_bytes(data[:cut])
    assert cli(half, 2000, "--resume") == cli(whole, 2000, "--resume")
    assert half.read_bytes() == data
    assert cli(whole, 2600, "--resume", "--jobs", "2")[0] == 0
    assert whole.read_bytes().startswith(data)
    run, tally = load(whole)
    assert (run, tally) == (SHORT, simulate.simulate(SHORT, 2600))


def test_resume__after_kill_9_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    path, games = tmp_path / "killed.jsonl", 200_000
    arguments = ["fishing", "simulate", "--turn-passes", "--games", str(games), "--out", str(path), "--jobs", "1"]
    process = subprocess.Popen([sys.executable, "-m", "big2_env", *arguments], stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while time.monotonic() < until and not (path.exists() and path.read_bytes().count(b"\n") >= 3):
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    kept = load(path)[1].games
    assert 40_000 <= kept < games
    simulate.BLOCK = 20_000
    assert run_cli(*arguments, "--resume", "--games", "80000" if kept < 80_000 else str(games)).status == 0
    run, tally = load(path)
    assert tally == simulate.simulate(run, tally.games, executor=Local(1))
    assert tally.games in (80_000, games)


@pytest.mark.parametrize("text", ['{"my": "data"}', "{ ", '{"schema":1,"kind":"big2 klondike"'])
def test_resume__refuses_a_file_without_a_whole_line_that_is_not_its_own(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    before = path.read_bytes()
    message = f"big2: {path}: not results of this run: expected a file that it wrote, an empty one or another --out\n"
    assert cli(path, 10, "--resume") == (2, "", message)
    assert path.read_bytes() == before


def test_results__of_another_run_or_with_a_wrong_line_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert cli(path, 1000)[0] == 0
    refused = [
        ((2000,), "already exists: give --resume, --overwrite or another --out"),
        ((2000, "--resume", "--overwrite"), "expected one of --resume and --overwrite"),
        ((500, "--resume"), "has 1000 games, expected at least as many, got 500"),
        ((2000, "--resume", "--seed", "6"), "made with seed 5, but this run has 6"),
        ((2000, "--resume", "--deck", "52"), "made with rules deck 54, but this run has 52"),
    ]
    data = path.read_bytes()
    for arguments, message in refused:
        status, out, err = cli(path, *arguments)  # type: ignore[arg-type]
        assert (status, out) == (2, "")
        assert message in err
        assert path.read_bytes() == data
    tally = Tally()
    with (
        RESULTS.open(path, SHORT, tally.add, resume=True),
        pytest.raises(ConfigError, match="is being written by another process"),
        RESULTS.open(path, SHORT, resume=True),
    ):
        pass
    with pytest.raises(ConfigError, match="expected the block from game 1000 on, got the one from game 0 on"):
        tally.add(Block(0, 1, ({5: 1}, {})))
    header, first, *_ = data.splitlines(keepends=True)
    block = json.loads(first)
    wrong = [
        (block | {"first": 7}, "expected the block from game 0 on, got the one from game 7 on"),
        (block | {"games": block["games"] + 1}, "games: the line has"),
        (block | {"lost": [[5, 1], [5]]}, "expected \\[plays, games, plays"),
        (block | {"lost": [[5, 1, 5, 1], []]}, "expected ascending"),
        (block | {"cycles": [[0, 2.5]]}, "period: expected a whole number"),
        (block | {"undecided": [-1]}, "game: expected a whole number"),
    ]
    for line, message in wrong:
        path.write_bytes(header + json.dumps(line).encode() + b"\n")
        with pytest.raises(NotationError, match=f"line 2: .*{message}"):
            load(path)
    path.write_bytes(b'{"kind": "big2 arena", "schema": 1}\n')
    with pytest.raises(NotationError, match="line 1: expected kind big2 fishing"):
        load(path)


def test_cli__prints_the_figures_of_the_10_000_games_of_the_article() -> None:
    simulate.BLOCK = 20_000
    status, out, err = run_cli("fishing", "simulate", "--games", "10000", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["rules"] == rules_data(READINGS["listing"])
    # A block of 10,000 games has a mean of 1303.8 with deviation 13.1; 1 % of a block's longest games are outside these bounds.
    assert abs(found["mean"][0] - 1303.8) < 4 * 13.1
    assert 61 <= found["least"] < 80
    assert 9_500 < found["most"] < 22_000
    assert found["cycles"] == {}
    table = run_cli("fishing", "simulate", "--games", "10000").out
    shown = re.search(r"mean +│ +([0-9,.]+) ±", table)
    assert shown is not None
    assert float(shown[1].replace(",", "")) == pytest.approx(found["mean"][0], abs=0.06)


def test_cli__play_prints_the_log_and_replay_checks_records(tmp_path: Path) -> None:
    out = run_cli("fishing", "play", "--seed", "7").out.splitlines()
    (plays,), (loser,) = play_seeds(first=7)
    assert out[-1] == f"seat {1 - loser} wins after {plays} plays"
    assert out[-2].endswith(f"seat {loser} has no cards and loses")
    assert len(out) == plays + 3
    path = tmp_path / "games.jsonl"
    first = run_cli("fishing", "play").out.splitlines()
    path.write_text(run_cli("fishing", "play", "--games", "3", "--log", "jsonl").out, encoding="utf-8")
    assert run_cli("fishing", "replay", str(path)).out == "records replayed: 3; all agree with the rules\n"
    read, write = os.pipe()  # like a shell's <(...), which can be read only once
    with open(read, "rb"), open(write, "wb") as pipe:
        pipe.write(path.read_bytes())
        pipe.close()
        shown = run_cli("fishing", "replay", f"/dev/fd/{read}", "--log").out.splitlines()
    assert shown[: len(first)] == first
    assert shown[-1] == "records replayed: 3; all agree with the rules"
    path.write_text(path.read_text(encoding="utf-8").replace('"end": "empty hand"', '"end": "cycle"', 1), encoding="utf-8")
    answer = run_cli("fishing", "replay", str(path))
    assert answer.status == 2
    assert answer.err == "big2: line 1: end '\"cycle\"': the rules give '\"empty hand\"'\n"
    assert "expected --hands alone" in run_cli("fishing", "play", "--hands", "2 | 2", "--games", "2").err


def test_play__of_a_game_that_takes_for_ever__shows_its_first_plays() -> None:
    for seed, ending in (
        ("0", "never ends: in the end it repeats itself every 270 plays"),
        ("3", "undecided after 30,000,002 plays"),
    ):
        lines = run_cli("fishing", "play", "--j-on-empty", "--seed", seed).out.splitlines()
        assert len(lines) == 10_004
        assert lines[-2:] == ["... the plays after the first 10,000 are left out", ending]


def test_plot__a_place_for_no_picture__is_refused_before_the_games(tmp_path: Path) -> None:
    for place in ("/", str(tmp_path / "a.pdf"), str(tmp_path / "none" / "a.png")):
        for option in ("--plot", "--scatter"):
            found = run_cli("fishing", "simulate", "--games", "1000000000", option, place)
            assert found.status == 2
            assert found.err.startswith("big2: expected a ")
            assert found.err.count("\n") == 1


def test_scatter__has_a_dot_for_each_game_that_ended() -> None:
    made = scatter(Run(), 50)
    line = made.axes[0].lines[0]
    plays, _ = play_seeds(LISTING, 0, 50)
    assert np.array_equal(line.get_xdata(), np.arange(1, 51))
    assert np.array_equal(line.get_ydata(), plays)
    endless = scatter(Run(replace(LISTING, j_on_empty=True), max_plays=10_000), 40).axes[0].lines[0]
    assert 0 < len(endless.get_xdata()) < 40


def test_log__with_boards_shows_board_and_hands_after_each_play() -> None:
    lines = run_cli("fishing", "play", "--hands", "2 3 4 | 5 2 6", "--log", "boards", "--lang", "en").out.splitlines()
    assert lines[2:6] == [
        "1 seat 0 plays 2",
        "    board 2; seat 0 3 4; seat 1 5 2 6",
        "2 seat 1 plays 5",
        "    board 2 5; seat 0 3 4; seat 1 2 6",
    ]


def test_cli__of_few_games_has_no_interval() -> None:
    assert "±" not in run_cli("fishing", "simulate", "--games", "4").out
    assert json.loads(run_cli("fishing", "simulate", "--games", "4", "--json").out)["mean"][1] is None
    assert "±" in run_cli("fishing", "simulate", "--games", "5").out


def test_cli__of_one_game_has_no_deviation_and_no_interval() -> None:
    shown = run_cli("fishing", "simulate", "--games", "1").out
    assert "plays: min, max" in shown
    assert not re.search(r"nan|±|deviation", shown)
    assert "standard deviation" in run_cli("fishing", "simulate", "--games", "2").out
