"""Many deals played by the hints. Deal k is dealt by the seed (seed + k)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from big2_env.runs.executors import Executor

if TYPE_CHECKING:
    from big2_env.runs.resumable import Total

KIND: Final = "big2 klondike hint"


@dataclass(frozen=True)
class HintRun:
    """What decides which deals are won."""

    seed: int
    """Of the first deal."""
    samples: int
    """How many ways the hidden cards may lie are tried for a hint."""
    agent_seed: int = 0
    """The salt of the hints."""

    def header(self) -> dict[str, Any]:
        """The run, for the header of its file (`big2_env.runs.resumable`)."""
        return {"kind": KIND, "seed": self.seed, "samples": self.samples, "agent_seed": self.agent_seed}


def new_total() -> Total:
    """The sums of no deals: how many are `won`."""
    from big2_env.runs.resumable import Total

    return Total({"won": 1})


def play(run: HintRun, games: int, total: Total, *, executor: Executor, progress: Callable[[int], Any] | None = None) -> None:
    """Play the deals that a total lacks up to so many, and add them to it.

    Args:
        run: what decides the games.
        games: how many deals there are to be in the end.
        total: the first deals.
        executor: where they are played. What comes out does not depend on it.
        progress: told of each deal.
    """
    import numpy as np

    with executor.map(partial(_won, run), range(total.number, games)) as results:
        for won in results:
            total.add(1, np.array([int(won)]))
            if progress is not None:
                progress(1)


def _won(run: HintRun, number: int) -> bool:
    from big2_env.games.klondike.hint import played_with_hints

    return played_with_hints(run.seed + number, samples=run.samples, salt=run.agent_seed).is_won
