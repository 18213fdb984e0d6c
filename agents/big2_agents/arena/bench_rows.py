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

from big2_agents.arena.bench import OPPONENTS, PROTOCOLS, Protocol
from big2_agents.arena.report_tables import cell
from big2_agents.arena.results import load
from big2_agents.arena.stats import Standing, samples
from big2_env.errors import NotationError
from big2_env.json_values import parse_object, shown, text_at
from big2_env.language import Words
from big2_env.runs.intervals import Estimate
from big2_env.runs.replacing import replacing

MAX_FILE: Final = 1 << 16
"""Most bytes of a row's file."""


@dataclass(frozen=True)
class BenchRow:
    """What an agent reached in a ruleset."""

    protocol: Protocol
    ruleset: str
    agent: str
    version: str
    """Of big2_env."""
    against: Mapping[str, Standing]
    """By opponent: alone against copies of it; intervals are 95 %."""
    beside: Mapping[str, Standing]
    """By opponent: with copies of itself against it, as `Schedule.BOTH` seats them."""

    @property
    def deals(self) -> int:
        """The fewest deals against an opponent; below the protocol's the row is a preview, and no figure of the protocol."""
        return min(standing.wins.number for standing in self.against.values())

    @classmethod
    def of(cls, path: Path, protocol: Protocol) -> BenchRow:
        """The row of a results file that was made by a protocol.

        Raises:
            ImportError: scipy is not installed.
        """
        config, results = load(path)
        found = [by_agent[0].standing() for by_agent in samples(results, config.contests())]
        number = len(OPPONENTS)
        alone, beside = (dict(zip(OPPONENTS, half, strict=False)) for half in (found[:number], found[number:]))
        return cls(protocol, config.ruleset, config.agents[0], config.version, alone, beside)

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values, with the protocol's name and hash; `preview` is the number of deals where it has not all."""
        head: dict[str, Any] = {
            "protocol": self.protocol.name,
            "hash": self.protocol.hash,
            "ruleset": self.ruleset,
            "agent": self.agent,
            "version": self.version,
            "against": _standings(self.against),
        }
        if self.deals < self.protocol.deals:
            head["preview"] = self.deals
        return head | {"beside": _standings(self.beside)}

    @classmethod
    def load(cls, path: Path) -> BenchRow:
        """The row of a file.

        Raises:
            NotationError: it is none, or one of a protocol that is not known.
        """
        with path.open("rb") as stream:
            text = stream.read(MAX_FILE + 1)
        try:
            if len(text) > MAX_FILE:
                raise NotationError(f"expected at most {MAX_FILE:,} bytes, got more")
            return cls._from_json(parse_object(text.decode()))
        except UnicodeDecodeError:
            raise NotationError(f"{path}: expected UTF-8") from None
        except NotationError as error:
            raise NotationError(f"{path}: {error}") from None

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> BenchRow:
        by_name = {protocol.name: protocol for protocol in PROTOCOLS.values()}
        protocol = by_name.get(str(data.get("protocol")))
        if protocol is None:
            raise NotationError(f"expected a protocol of {', '.join(by_name)}, got {shown(data.get('protocol'))}")
        if data.get("hash") != protocol.hash:
            raise NotationError(f"expected hash {protocol.hash}, got {shown(data.get('hash'))}")
        ruleset = text_at(data, "ruleset")
        if ruleset not in protocol.scorings:
            raise NotationError(f"expected a ruleset of {', '.join(protocol.scorings)}, got {shown(ruleset)}")
        against, beside = (_by_opponent(data.get(key), protocol) for key in ("against", "beside"))
        return cls(protocol, ruleset, text_at(data, "agent"), text_at(data, "version"), against, beside)


def _standings(found: Mapping[str, Standing]) -> dict[str, Any]:
    return {name: {"wins": _data(standing.wins), "score": _data(standing.score)} for name, standing in found.items()}


def _by_opponent(data: Any, protocol: Protocol) -> dict[str, Standing]:
    if not isinstance(data, dict) or list(data) != list(OPPONENTS):
        raise NotationError(f"expected standings against {', '.join(OPPONENTS)}, got {shown(data)}")
    return {name: _standing(found, protocol) for name, found in data.items()}


def _data(found: Estimate) -> dict[str, Any]:
    return {"mean": found.mean, "half_width": found.half_width, "deals": found.number}


def _standing(data: Any, protocol: Protocol) -> Standing:
    match data:
        case {"wins": dict(wins), "score": dict(score)}:
            return Standing(_estimate(wins, protocol), _estimate(score, protocol))
    raise NotationError(f"expected wins and score, got {shown(data)}")


def _estimate(data: dict[str, Any], protocol: Protocol) -> Estimate:
    match data:
        case {"mean": float(mean), "half_width": float(half_width), "deals": int(deals)} if (
            math.isfinite(mean) and 0 <= half_width < math.inf and type(deals) is int and 2 <= deals <= protocol.deals
        ):
            return Estimate(mean, half_width, deals)
    raise NotationError(f"expected mean, half_width and 2 to {protocol.deals} deals, got {shown(data)}")


def file_stem(ruleset: str, agent: str) -> str:
    """The name of the files of a row, without a suffix.

    >>> file_stem("big2", "learned-search:50ms")
    'big2-learned-search_50ms'
    """
    return f"{ruleset}-{re.sub(r'[^A-Za-z0-9.-]', '_', agent)}"


def write_row(row: BenchRow, path: Path) -> None:
    """Write a row as JSON, the whole file at once."""
    with replacing(path) as new:
        new.write_text(json.dumps(row.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def ranked(rows: Iterable[BenchRow]) -> list[BenchRow]:
    """By ruleset, those first that score most against the last opponent."""

    def place(row: BenchRow) -> tuple[int, float]:
        return list(row.protocol.scorings).index(row.ruleset), -row.against[OPPONENTS[-1]].score.mean

    return sorted(rows, key=place)


def preview(row: BenchRow, tr: Words) -> str:
    """What is to be said of a row that has not all deals."""
    if row.deals == row.protocol.deals:
        return ""
    return tr("bench.preview", found=f"{row.deals:,}", deals=f"{row.protocol.deals:,}")


def heads(tr: Words) -> list[str]:
    """The heads of the columns with results."""
    return [*(tr("bench.alone", name=name) for name in OPPONENTS), tr("bench.teams", name=OPPONENTS[-1])]


def cells(row: BenchRow, between: str = "\n") -> list[str]:
    """The results of a row, in the order of `heads`: score and share of games won."""
    found = [*(row.against[name] for name in OPPONENTS), row.beside[OPPONENTS[-1]]]
    return [cell(standing, between) for standing in found]


def table(rows: Iterable[BenchRow], protocol: Protocol, tr: Words) -> Table:
    """Rows of one protocol as a table for people."""
    rows = ranked(rows)
    counts = sorted({row.deals for row in rows})
    title = "bench.title" if counts == [protocol.deals] else "bench.title_preview"
    made = Table(
        title=tr(title, protocol=protocol.name, hash=protocol.hash, deals=f"{protocol.deals:,}"),
        caption=tr("bench.caption", deals=tr("bench.or").join(f"{count:,}" for count in counts)),
        show_lines=True,
    )
    for key in ("bench.ruleset", "bench.agent"):
        made.add_column(tr(key), no_wrap=True)
    for name in heads(tr):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        made.add_row(row.ruleset, Text(row.agent + preview(row, tr)), *cells(row))
    return made
