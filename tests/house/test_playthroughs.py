"""Every engine and environment shows the games of `tests/data/playthroughs` move by move."""

from __future__ import annotations

import pytest
from playthroughs import FOLDER, NAMES, differences, written


@pytest.mark.parametrize("name", NAMES)
def test_playthrough__is_the_same_on_every_road(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    assert written(name) == text, (
        f"if the change is intended, run PYTHONPATH=tests/support python -m playthroughs --write {name}"
    )
    assert list(differences(name, text)) == []


def test_playthroughs__are_of_all_games() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(NAMES)
