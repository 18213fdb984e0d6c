"""What `big2 fishing simulate` prints."""

from __future__ import annotations

import math
from typing import Any

from rich.table import Table

from big2_env.errors import ConfigError
from big2_env.games.fishing.analysis.tail import TAIL_FROM, Tail, fitted_tail
from big2_env.games.fishing.rules import rules_data
from big2_env.games.fishing.simulate import Run, Tally
from big2_env.language import Words
from big2_env.runs.intervals import Estimate


def table(run: Run, tally: Tally, tr: Words) -> Table:
    """The figures for people."""
    found = tally.summary()
    title = tr("figures.fishing_title", games=f"{found.games:,}", rules=repr(run.rules), seed=run.seed)
    shown = Table(title=title, show_header=False, title_justify="left")
    shown.add_column(no_wrap=True)
    shown.add_column(justify="right")
    if found.ended:
        shown.add_row(tr("figures.ended"), f"{found.ended:,}")
        shown.add_row(tr("figures.range"), f"{found.least:,}, {found.most:,}")
        shown.add_row(tr("figures.mean"), f"{found.mean:,.1f}")
        if found.ended > 1:
            shown.add_row(tr("figures.sd"), f"{found.sd:,.1f}")
        for percent, length in found.percentiles.items():
            shown.add_row(f"{percent:g} %", f"{length:,}")
        shown.add_row(tr("figures.first_loses"), f"{found.first_loses:.2%}")
    if found.cycles:
        some = ", ".join(f"{period} ({count})" for period, count in list(found.cycles.items())[:5])
        more = tr("figures.more", number=len(found.cycles) - 5) if len(found.cycles) > 5 else ""
        shown.add_row(tr("figures.cycles"), f"{sum(found.cycles.values()):,}; {some}{more}")
    if found.undecided:
        shown.add_row(tr("figures.given_up", plays=f"{run.max_plays:,}"), f"{found.undecided:,}")
    tail = _tail(tally)
    if tail is not None:
        shown.add_row(tr("figures.tail", start=f"{tail.start:,}"), f"{tail.weight:.3f} exp(-t / {tail.scale})")
    return shown


def as_json(run: Run, tally: Tally) -> dict[str, Any]:
    """The figures for programs; intervals are [value, half width]."""
    found, tail = tally.summary(), _tail(tally)
    return {
        "rules": rules_data(run.rules),
        "seed": run.seed,
        "games": found.games,
        "ended": found.ended,
        "cycles": {str(period): count for period, count in found.cycles.items()},
        "undecided": found.undecided,
        "least": found.least,
        "most": found.most,
        "mean": _interval(found.mean),
        "sd": _number(found.sd),
        "percentiles": {f"{percent:g}": length for percent, length in found.percentiles.items()},
        "first_loses": _interval(found.first_loses),
        "tail": tail
        and {
            "start": tail.start,
            "games": tail.games,
            "rate": tail.rate,
            "scale": _interval(tail.scale),
            "weight": tail.weight,
            "variation": tail.variation,
            "distance": tail.distance,
        },
    }


def _tail(tally: Tally) -> Tail | None:
    """The fitted tail, where enough games get there for one."""
    lengths, counts = tally.counts()
    if int(counts[lengths > TAIL_FROM].sum()) < 100:
        return None
    try:
        return fitted_tail(tally)
    except ConfigError:
        return None


def _interval(interval: Estimate) -> list[float | None]:
    return [_number(interval.mean), _number(interval.half_width)]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
