"""Rows of big2-bench: what an agent reached in a ruleset, as a small file that can be kept, and as tables."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from big2_agents.arena.bench import DEALS, NAME, OPPONENTS, SCORINGS, protocol_hash
from big2_agents.arena.report import Report
from big2_agents.arena.report_tables import cell
from big2_agents.arena.stats import Standing
from big2_env.errors import NotationError
from big2_env.json_values import parse_object, shown
from big2_env.runs.intervals import Estimate

MAX_FILE: Final = 1 << 16
"""Most bytes of a row's file."""


@dataclass(frozen=True)
class BenchRow:
    """What an agent reached in a ruleset."""

    ruleset: str
    agent: str
    version: str
    """Of big2_env."""
    against: Mapping[str, Standing]
    """By opponent: alone against three of it; intervals are 95 %."""

    @property
    def deals(self) -> int:
        """The fewest deals against an opponent; below `DEALS` the row is a preview, and no figure of the protocol."""
        return min(standing.wins.number for standing in self.against.values())

    @classmethod
    def of(cls, report: Report) -> BenchRow:
        """The row of a run's report."""
        config = report.config
        found = {name: row.standing for name, row in zip(OPPONENTS, report.rows, strict=True)}
        return cls(config.ruleset, config.agents[0], config.version, found)

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values, with the protocol's name and hash; `preview` is the number of deals where it has not all."""
        head: dict[str, Any] = {
            "protocol": NAME,
            "hash": protocol_hash(),
            "ruleset": self.ruleset,
            "agent": self.agent,
            "version": self.version,
        }
        if self.deals < DEALS:
            head["preview"] = self.deals
        return head | {
            "against": {
                name: {"wins": _data(standing.wins), "score": _data(standing.score)} for name, standing in self.against.items()
            },
        }

    @classmethod
    def load(cls, path: Path) -> BenchRow:
        """The row of a file.

        Raises:
            NotationError: it is none, or one of another protocol.
        """
        with path.open("rb") as stream:
            text = stream.read(MAX_FILE + 1)
        try:
            if len(text) > MAX_FILE:
                raise NotationError(f"expected up to {MAX_FILE} bytes, got more")
            return cls._from_json(parse_object(text.decode()))
        except UnicodeDecodeError:
            raise NotationError(f"{path}: not UTF-8") from None
        except NotationError as error:
            raise NotationError(f"{path}: {error}") from None

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> BenchRow:
        for key, wanted in (("protocol", NAME), ("hash", protocol_hash())):
            if data.get(key) != wanted:
                raise NotationError(f"expected {key} {wanted}, got {shown(data.get(key))}")
        if data.get("ruleset") not in list(SCORINGS):
            raise NotationError(f"expected a ruleset of {', '.join(SCORINGS)}, got {shown(data.get('ruleset'))}")
        for key in ("agent", "version"):
            if not isinstance(data.get(key), str):
                raise NotationError(f"expected a text for {key}, got {shown(data.get(key))}")
        against = data.get("against")
        if not isinstance(against, dict) or list(against) != list(OPPONENTS):
            raise NotationError(f"expected results against {', '.join(OPPONENTS)}, got {shown(against)}")
        return cls(data["ruleset"], data["agent"], data["version"], {name: _standing(found) for name, found in against.items()})


def _data(found: Estimate) -> dict[str, Any]:
    return {"mean": found.mean, "half_width": found.half_width, "deals": found.number}


def _standing(data: Any) -> Standing:
    match data:
        case {"wins": dict(wins), "score": dict(score)}:
            return Standing(_estimate(wins), _estimate(score))
    raise NotationError(f"expected a standing of wins and score, got {shown(data)}")


def _estimate(data: dict[str, Any]) -> Estimate:
    match data:
        case {"mean": float(mean), "half_width": float(half_width), "deals": int(deals)} if (
            math.isfinite(mean) and 0 <= half_width < math.inf and type(deals) is int and 2 <= deals <= DEALS
        ):
            return Estimate(mean, half_width, deals)
    raise NotationError(f"expected mean, half_width and deals of 2 to {DEALS} deals, got {shown(data)}")


def file_stem(ruleset: str, agent: str) -> str:
    """The name of the files of a row, without a suffix.

    >>> file_stem("big2", "learned-search:50ms")
    'big2-learned-search_50ms'
    """
    return f"{ruleset}-{re.sub(r'[^A-Za-z0-9.-]', '_', agent)}"


def write_row(row: BenchRow, path: Path) -> None:
    """Write a row as JSON, the whole file at once."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(row.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def ranked(rows: Iterable[BenchRow]) -> list[BenchRow]:
    """By ruleset, those first that score most against the last opponent."""
    return sorted(rows, key=lambda row: (list(SCORINGS).index(row.ruleset), -row.against[OPPONENTS[-1]].score.mean))


def preview(row: BenchRow) -> str:
    """What is to be said of a row that has not all deals."""
    return "" if row.deals == DEALS else f" (preview: {row.deals:,} of {DEALS:,} deals)"


def table(rows: Iterable[BenchRow]) -> Table:
    """Rows as a table for people."""
    rows = ranked(rows)
    counts = sorted({row.deals for row in rows})
    made = Table(
        title=f"{NAME} (hash {protocol_hash()})"
        + ("" if counts == [DEALS] else f": a preview, not all of the {DEALS:,} deals"),
        caption=f"alone against three: score, and wins %\n"
        f"95 % intervals over {' or '.join(f'{count:,}' for count in counts)} deals, each in 4 rotations; par is 0 and 25%",
        show_lines=True,
    )
    for name in ("ruleset", "agent"):
        made.add_column(name, no_wrap=True)
    for name in OPPONENTS:
        made.add_column(f"3 x {name}", justify="right", no_wrap=True)
    for row in rows:
        cells = (cell(row.against[name]) for name in OPPONENTS)
        made.add_row(row.ruleset, Text(row.agent + preview(row)), *cells)
    return made
