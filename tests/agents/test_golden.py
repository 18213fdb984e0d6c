"""Agents and searches answer as in the golden files, which `tests/support/golden.py` writes: a sample; in long tests, all."""

from __future__ import annotations

from math import inf
from pathlib import Path

import golden
import golden_agents
import golden_games
import numpy as np
import pytest
import typer
from golden import NAMES, remedy
from golden_agents import PARTS, compare
from golden_games import FOLDER, RULESETS
from golden_verdicts import VERDICTS, compare_verdicts

from big2_env import BIG2
from big2_env.climbing.actions import action_space

MODES = pytest.mark.parametrize(
    "is_compiled", [pytest.param(False, marks=pytest.mark.release), True], ids=["interpreted", "compiled"]
)
"""The sample is answered by interpreted kernels in every run."""


def check_agent(part: str, *, is_compiled: bool = False, sample: bool = False) -> None:
    """No ruleset differs, and of 1,000 moves fewer than one is another whose score is nearly the same."""
    names = golden_agents.rulesets_of(part)
    if sample and part == "search":  # a second for each move
        names = names[::3]
    found = [compare(part, name, is_compiled=is_compiled, sample=sample) for name in names]
    faults = [line for one in found for line in one.faults]
    number, ties = (sum(each) for each in zip(*((one.number, one.ties) for one in found), strict=True))
    print(f"{part}: {ties} near-ties in {number:,} decisions")
    assert not faults, "\n".join([*faults[:20], f"{len(faults)} differences; {remedy(part)}"])
    assert number == sum(PARTS[part].sample if sample else PARTS[part].number for _ in names)
    assert sample or ties * 1000 < number


def check_verdicts(kind: str, *, is_compiled: bool = False, sample: bool = False) -> None:
    faults = compare_verdicts(kind, is_compiled=is_compiled, sample=sample)
    assert not faults, "\n".join([*faults[:20], f"{len(faults)} differences; {remedy(kind)}"])


@pytest.mark.parametrize("part", PARTS)
def test_agent__answers_a_sample_as_before(part: str) -> None:
    check_agent(part, sample=True)


@pytest.mark.parametrize("kind", VERDICTS)
def test_search__answers_a_sample_as_before(kind: str) -> None:
    check_verdicts(kind, sample=True)


@pytest.mark.long
@pytest.mark.release
@MODES
@pytest.mark.parametrize("part", PARTS)
def test_agent__answers_all_as_before(part: str, is_compiled: bool) -> None:
    check_agent(part, is_compiled=is_compiled)


@pytest.mark.long
@pytest.mark.parametrize("kind", VERDICTS)
def test_search__compiled_answers_a_sample_as_before(kind: str) -> None:
    check_verdicts(kind, is_compiled=True, sample=True)


@pytest.mark.long
@pytest.mark.release
@MODES
@pytest.mark.parametrize("kind", VERDICTS)
def test_search__answers_all_as_before(kind: str, is_compiled: bool) -> None:
    check_verdicts(kind, is_compiled=is_compiled)


def test_files__are_all_there_and_small() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    frozen = {f"weights/{name}" for name in ("big2", "dou_dizhu")}
    assert {path.relative_to(FOLDER).with_suffix("").as_posix() for path in files} == {*NAMES, *frozen}
    assert sum(path.stat().st_size for path in files) < 5_000_000
    assert all(len(golden_games.read(f"games/{name}")["positions"]) == golden_games.DECISIONS for name in RULESETS)


def faults_of(name: str, folder: Path, **arrays: object) -> list[str]:
    """What a file of big2 says of today's answers that is like the golden one but for these arrays."""
    with pytest.MonkeyPatch.context() as patch:
        files = {"games/big2": golden_games.read("games/big2"), name: golden_games.read(name) | arrays}
        patch.setattr(golden_games, "FOLDER", folder)
        for each, file in files.items():
            golden_games.write(each, file)  # type: ignore[arg-type]
        found = compare(name.split("/")[0], "big2", is_compiled=False, sample=True)
    return [*found.faults, *["near-tie"] * found.ties]


def test_compare__reports_other_scores_numbers_and_weights(tmp_path: Path) -> None:
    file = golden_games.read("heuristic/big2")
    assert faults_of("heuristic/big2", tmp_path) == []
    assert faults_of("heuristic/big2", tmp_path, scores=file["scores"] + 5e-10) == []
    faults = faults_of("heuristic/big2", tmp_path, scores=file["scores"] + 5e-9)
    assert len(faults) == PARTS["heuristic"].sample
    assert faults[0].startswith("big2 5: expected the scores [")
    faults = faults_of("heuristic/big2", tmp_path, numbers=file["numbers"] + 1)
    assert faults[0].startswith("big2 5: expected the numbers [")
    faults = faults_of("learned/big2", tmp_path, weights=np.array("0" * 64))
    assert faults == ["learned/big2: made with other weights than today's"]


def test_compare__counts_other_moves_of_nearly_the_same_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = golden_games.read("heuristic/big2")["moves"]
    for row, game in zip((5, 15), golden_games.replayed("big2", (5, 15)), strict=True):
        moves[row] = next(action for action in action_space(BIG2).ids(game.legal_plays()) if action != moves[row])
    faults = faults_of("heuristic/big2", tmp_path, moves=moves)
    assert [line.split(",")[0] for line in faults] == [f"big2 {row}: expected the move {moves[row]}" for row in (5, 15)]
    monkeypatch.setattr(golden_agents, "TIE", inf)
    assert faults_of("heuristic/big2", tmp_path, moves=moves) == ["near-tie"] * 2
    moves[5] = 1378
    assert len(faults_of("heuristic/big2", tmp_path, moves=moves)) == 2


def test_write__gives_the_same_bytes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games, written = golden_games.read("games/big2"), []
    monkeypatch.setitem(golden_agents.PARTS, "search", PARTS["search"]._replace(number=4))
    for folder in ("first", "second"):
        monkeypatch.setattr(golden_games, "FOLDER", tmp_path / folder)
        golden_games.write("games/big2", games)
        golden.command(["search/big2"], write=True)
        written.append([path.read_bytes() for path in sorted((tmp_path / folder).rglob("*.npz"))])
    assert len(written[0]) == 2
    assert written[0] == written[1]


def test_command__lists_the_files_and_refuses_other_names(capsys: pytest.CaptureFixture[str]) -> None:
    golden.command(["search", "learned/big2"])  # without --write
    assert capsys.readouterr().out.split() == ["learned/big2", *(f"search/{name}" for name in RULESETS)]
    with pytest.raises(typer.BadParameter, match="unknown: learned/chess; expected some of games/big2, "):
        golden.command(["uno", "learned/chess"])
