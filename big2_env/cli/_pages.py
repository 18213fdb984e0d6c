"""Pages of games, as several verbs write them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from big2_env.runs.replacing import replacing

if TYPE_CHECKING:
    from big2_env.show.replay_page import Replay

Html = Annotated[Path | None, typer.Option("--html", help="Write a page to look through the games: one file, no network.")]


def write_page(path: Path, replays: Sequence[Replay]) -> None:
    """Write games as one page.

    Raises:
        ConfigError: no game, or more moves than one page may hold.
        OSError: the file cannot be written.
    """
    from big2_env.show.replay_page import replay_page

    page = replay_page(replays)
    with replacing(path) as new:
        new.write_text(page, encoding="utf-8")
