"""Pictures of a simulation: distribution of game lengths, or one dot per game as in the article."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from big2_env.base.errors import ConfigError, needing
from big2_env.games.fishing.analysis.tail import TAIL_FROM, fitted_tail
from big2_env.games.fishing.simulate import Run, Tally
from big2_env.runs.atomic_files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_DOTS: Final = 10_000
"""Maximum number of games in a scatter plot, the same as in the article."""


def check_installed() -> None:
    """Check that matplotlib is installed.

    Raises:
        ImportError: matplotlib is missing; the message names the extra.
    """
    with needing("pictures need matplotlib: pip install 'big2_env[plots]'"):
        import matplotlib  # noqa: F401


def figure(tally: Tally, bins: int = 100) -> Figure:
    """Draw a histogram of the lengths next to P(T > t) on a logarithmic scale with the fitted exponential.

    Raises:
        ConfigError: No game has ended.
        ImportError: matplotlib is not installed.
    """
    lengths, counts = tally.counts()
    if not len(lengths):
        raise ConfigError("a picture needs at least one game that has ended, got none")
    check_installed()
    from matplotlib.figure import Figure

    summary = tally.summary()
    made = Figure(figsize=(11, 4.2), layout="constrained")
    histogram, survival = made.subplots(1, 2)
    histogram.hist(lengths, bins=bins, weights=counts, color="#4878a8")
    histogram.axvline(summary.mean.mean, color="#c44e52", label=f"mean {summary.mean.mean:,.1f}")
    histogram.set(
        xlabel="plays", ylabel="games", title=f"Length of {summary.ended:,} games: {summary.least} to {summary.most:,}"
    )
    histogram.legend()
    left = summary.ended - np.cumsum(counts)
    survival.step(lengths[:-1], left[:-1] / summary.ended, where="post", color="#4878a8", label="P(T > t)")
    tail = fitted_tail(tally, TAIL_FROM) if int(counts[lengths > TAIL_FROM].sum()) > 1 else None
    if tail is not None:
        ends = np.array([0.0, float(lengths[-1])])
        label = f"{tail.weight:.3f} exp(-t / {tail.scale.mean:,.1f}), fitted from {TAIL_FROM:,} on"
        survival.plot(ends, tail.survival(ends), "--", color="#c44e52", label=label)
    survival.set(yscale="log", ylim=(0.5 / summary.ended, 1.5), xlabel="t, plays", title="Games that are longer")
    survival.legend()
    for axes in (histogram, survival):
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlim(0, _round_up(int(lengths[-1])))
    return made


def scatter(run: Run, games: int) -> Figure:
    """Draw the article's picture: length against game number, from 1. Games that did not end are left out.

    Args:
        run: Settings of the simulation.
        games: Number of games; at most the first `MAX_DOTS` are drawn.

    Raises:
        ImportError: matplotlib is not installed.
    """
    check_installed()
    from matplotlib.figure import Figure

    from big2_env.games.fishing.kernels.loops import play_seeds

    shown = min(games, MAX_DOTS)
    plays, ends = play_seeds(run.rules, run.seed, shown, max_plays=run.max_plays, watch_cycles=run.watch_cycles)
    ended = ends < len(Tally().lost)
    made = Figure(figsize=(11, 4.2), layout="constrained")
    axes = made.subplots()
    axes.plot(np.arange(1, shown + 1)[ended], plays[ended], ".", markersize=3, color="#4878a8")
    if ended.any():
        axes.axhline(plays[ended].mean(), color="#c44e52", label=f"mean {plays[ended].mean():,.1f}")
        axes.legend(loc="upper right")
    axes.set(xlabel="game", ylabel="plays", title=f"Length of {int(ended.sum()):,} games", xlim=(0, shown + 1))
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    return made


def save(made: Figure, path: Path) -> None:
    """Write a picture as PNG.

    Raises:
        OSError: The file cannot be written.
    """
    with replace_file(path) as new:
        made.savefig(new, dpi=120, format="png")


def _round_up(length: int) -> float:
    step = 10.0 ** math.floor(math.log10(length))
    return step * math.ceil(length / step * 2) / 2
