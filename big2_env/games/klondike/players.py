"""The player of Klondike that follows hints (`big2_env.games.klondike.hint`), which use only visible cards.

In a batch, deal k has the seed (seed + k).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from big2_env.base.errors import IllegalPlayError
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.hint import MAX_POSITIONS, SAMPLES, hint
from big2_env.runs.executors import Executor

if TYPE_CHECKING:
    from big2_env.runs.resumable import Total

KIND: Final = "big2 klondike hint"


def played_with_hints(seed: int, *, samples: int = SAMPLES, max_positions: int = MAX_POSITIONS, salt: int = 0) -> KlondikeGame:
    """Play the game of a seed by following hints until it is won or no plan turns a card.

    Hints depend on the views and on `salt`, never on the seed of the deal.

    Args:
        seed: Seed of the deal.
        samples: Number of arrangements of the hidden cards per hint.
        max_positions: Positions to search per sample.
        salt: Seed of the sampling.
    """
    game = KlondikeGame.deal(seed)
    while not game.is_won:
        found = hint(game.view(), samples=samples, max_positions=max_positions, salt=salt)
        if found is None:
            break
        down = game.state.down
        try:
            game.play_all(found.moves)
        except IllegalPlayError as error:  # a plan is made of cards that are seen, so this is a fault of ours
            raise AssertionError(f"plan {found.moves}: {error}") from error
        if found.samples and game.state.down == down:
            break
    return game


@dataclass(frozen=True)
class HintRun:
    """Settings that determine which deals a run of the hint-following player wins."""

    seed: int
    """Seed of the first deal."""
    samples: int
    """Number of arrangements of the hidden cards per hint."""
    agent_seed: int = 0
    """Seed of the sampling."""

    def header(self) -> dict[str, Any]:
        """Return the header of the run's results file (`big2_env.runs.resumable`)."""
        return {"kind": KIND, "seed": self.seed, "samples": self.samples, "agent_seed": self.agent_seed}


def new_total() -> Total:
    """Return an empty total; its only sum is `won`."""
    from big2_env.runs.resumable import Total

    return Total({"won": 1})


def play(run: HintRun, games: int, total: Total, *, executor: Executor, progress: Callable[[int], Any] | None = None) -> None:
    """Play the deals still missing from a total, and add them.

    Args:
        run: Settings of the run.
        games: Number of deals in the finished total.
        total: Results of the first deals; updated in place.
        executor: Where to compute. It does not affect the results.
        progress: Callback with the number of deals played.
    """
    import numpy as np

    with executor.map(partial(_won, run), range(total.number, games)) as results:
        for won in results:
            total.add(1, np.array([int(won)]))
            if progress is not None:
                progress(1)


def _won(run: HintRun, number: int) -> bool:
    return played_with_hints(run.seed + number, samples=run.samples, salt=run.agent_seed).is_won
