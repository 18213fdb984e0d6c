"""Every engine and environment shows the games of `tests/data/playthroughs` move by move."""

from __future__ import annotations

import pytest
from playthroughs import COMPILED, FOLDER, NAMES, differences, written


@pytest.mark.parametrize("name", NAMES)
def test_playthrough__is_the_same_on_every_road(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    assert written(name) == text, f"if this is intended: PYTHONPATH=tests/support python -m playthroughs --write {name}"
    assert list(differences(name, text, skipped=COMPILED)) == []


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_playthrough__is_the_same_in_compiled_environments(name: str) -> None:
    assert list(differences(name, (FOLDER / f"{name}.txt").read_text("utf-8"))) == []


def test_playthrough__a_changed_line_is_noticed() -> None:
    lines = (FOLDER / "big2.txt").read_text("utf-8").splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("seat"))
    lines[at] = lines[at].replace("mask ", "mask 0")
    (found, *_) = differences("big2", "\n".join(lines), skipped=COMPILED)
    assert "move 1: expected seat" in found


def test_playthroughs__are_of_all_games() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(NAMES)
