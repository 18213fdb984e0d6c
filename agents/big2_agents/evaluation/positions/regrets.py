"""Rows of big2-positions: the answers of an agent in a ruleset, its mean regret, and the tables of rows.

A row is a JSON file that can be added to a repository. Its regrets follow from its answers, and are checked when it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from big2_agents.evaluation.answers import COUNTS, Answers, price_of_environment
from big2_agents.evaluation.arena.answer_counts import CELLS, answers_table
from big2_agents.evaluation.arena.bench import file_stem
from big2_agents.evaluation.arena.results import is_counts
from big2_agents.evaluation.positions.answering import ANSWERS
from big2_agents.evaluation.positions.decisions import PROTOCOLS, Decisions, Kind, decisions, positions_rulesets
from big2_env.base.errors import NotationError
from big2_env.base.json_values import shown, text_at
from big2_env.base.language import Words
from big2_env.base.outside import file_digest
from big2_env.runs.intervals import Estimate, student
from big2_env.runs.rows import figures_table, read_row

SCHEMA: Final = 1
NO_MOVE: Final = "-"
"""Text for an answer without a legal move."""


@dataclass(frozen=True)
class RegretRow:
    """Answers of an agent to the decisions of a ruleset. Intervals are 95% over decisions (Student's t)."""

    protocol: str
    """Name of the decisions' version."""
    ruleset: str
    agent: str
    version: str
    """Version of big2_env."""
    answers: tuple[int | None, ...]
    """Action of each decision from the first on; `None` for no legal answer."""
    agent_protocol: str | None = None
    """Hash of the prompts and options of a language model."""
    transcript: str | None = None
    """Sixteen hexadecimal digits of the SHA-256 of a language model's transcript."""
    counts: Mapping[str, float] | None = None
    """Counts of a language model, summed over all answers."""

    @property
    def decisions(self) -> Decisions:
        """The decisions that were asked."""
        return decisions(self.ruleset, self.protocol)

    @property
    def is_preview(self) -> bool:
        """True if the agent has not answered all decisions."""
        return len(self.answers) < len(self.decisions.items)

    @cached_property
    def regrets(self) -> tuple[float, ...]:
        """Regret of each answer in points."""
        asked = zip(self.answers, self.decisions.items, strict=False)
        return tuple(item.worst if action is None else item.regret(action) for action, item in asked)

    @property
    def regret(self) -> Estimate:
        """Mean regret of all answers."""
        return student(self.regrets)

    @property
    def by_kind(self) -> Mapping[Kind, Estimate]:
        """Mean regret by kind of the decision."""
        found: dict[Kind, list[float]] = {}
        for regret, item in zip(self.regrets, self.decisions.items, strict=False):
            found.setdefault(item.kind, []).append(regret)
        return {kind: student(found[kind]) for kind in Kind if kind in found}

    @property
    def faults(self) -> int:
        """Number of decisions without a legal answer."""
        return self.answers.count(None)

    @classmethod
    def of(cls, path: Path) -> RegretRow:
        """Return the row for a results file.

        Args:
            path: The results file; a language model's transcript is in the same folder.

        Raises:
            NotationError: The file is malformed.
        """
        asked, found = ANSWERS.load(path)
        answers = list(found)
        counts = _counts([answer.counts for answer in answers if answer.counts is not None])
        transcript = path.with_suffix(".transcript.jsonl")
        return cls(
            protocol=asked.protocol,
            ruleset=asked.ruleset,
            agent=asked.agent,
            version=asked.version,
            answers=tuple(answer.action for answer in answers),
            agent_protocol=asked.agent_protocol,
            transcript=file_digest(transcript)[:16] if transcript.exists() else None,
            counts=counts,
        )

    @property
    def counted(self) -> Answers | None:
        """Counts of a language model, with the cost if its price is given."""
        return None if self.counts is None else Answers(self.counts, price_of_environment())

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON values; an incomplete row has its number of decisions under `preview`."""
        head: dict[str, Any] = {
            "schema": SCHEMA,
            "protocol": self.protocol,
            "hash": self.decisions.hash,
            "ruleset": self.ruleset,
            "agent": self.agent,
            "version": self.version,
        }
        head |= {} if self.agent_protocol is None else {"agent_protocol": self.agent_protocol}
        head |= {} if self.transcript is None else {"transcript": self.transcript}
        head |= {"preview": len(self.answers)} if self.is_preview else {}
        by_kind = {kind.value: _data(found) for kind, found in self.by_kind.items()}
        summary = {"regret": _data(self.regret), "kinds": by_kind, "faults": self.faults}
        counts = {} if self.counted is None else {"counts": self.counted.as_json()}
        return head | summary | counts | {"answers": _text(self.answers)}

    @classmethod
    def load(cls, path: Path) -> RegretRow:
        """Return the row in a file.

        Raises:
            NotationError: The file is malformed, has other decisions, or its regret does not follow from its answers.
        """
        return read_row(path, cls._from_json)

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> RegretRow:
        protocol, ruleset = data.get("protocol"), text_at(data, "ruleset")
        if data.get("schema") != SCHEMA or protocol not in PROTOCOLS:
            raise NotationError(f"expected schema {SCHEMA} of {' or '.join(PROTOCOLS)}, got {shown(protocol)}")
        if ruleset not in (known := positions_rulesets(protocol)):
            raise NotationError(f"expected a ruleset of {', '.join(known)}, got {shown(ruleset)}")
        asked = decisions(ruleset, protocol)
        if data.get("hash") != asked.hash:
            raise NotationError(f"expected hash {asked.hash}, got {shown(data.get('hash'))}")
        words = text_at(data, "answers").split(" ")
        if len(words) > len(asked.items):
            raise NotationError(f"expected at most {len(asked.items)} answers, got {len(words)}")
        answers: list[int | None] = []
        for number, (word, item) in enumerate(zip(words, asked.items, strict=False)):
            legal = {str(action): action for action in item.actions} | {NO_MOVE: None}
            if word not in legal:
                raise NotationError(f"answer {number}: expected a legal action or {NO_MOVE}, got {shown(word)}")
            answers.append(legal[word])
        row = cls(
            protocol,
            ruleset,
            text_at(data, "agent"),
            text_at(data, "version"),
            tuple(answers),
            text_at(data, "agent_protocol") if "agent_protocol" in data else None,
            text_at(data, "transcript") if "transcript" in data else None,
            _counts([data["counts"]]) if "counts" in data else None,
        )
        if data.get("regret") != (found := _data(row.regret)):
            raise NotationError(f"expected regret {shown(found)}, as the answers have it, got {shown(data.get('regret'))}")
        return row


def _counts(found: Sequence[dict[str, Any]]) -> dict[str, float] | None:
    """Return the sums of counts, None without any.

    Raises:
        NotationError: A value is not an object of counts.
    """
    if wrong := [each for each in found if not is_counts(each)]:
        raise NotationError(f"expected counts, got {shown(wrong[0])}")
    return {name: round(math.fsum(each.get(name, 0) for each in found), 3) for name in COUNTS} if found else None


def _text(answers: Iterable[int | None]) -> str:
    """Return answers in the format of a row: action ids separated by blanks."""
    return " ".join(NO_MOVE if action is None else str(action) for action in answers)


def _data(found: Estimate) -> dict[str, Any]:
    return found.as_json("decisions", 6)


def difference(row: RegretRow, other: RegretRow) -> Estimate:
    """Return the difference of two rows' mean regrets on the same decisions, with a paired interval."""
    return student([mine - theirs for mine, theirs in zip(row.regrets, other.regrets, strict=True)])


def answers_path(folder: Path, ruleset: str, agent: str) -> Path:
    """Return the results file of an agent in a folder; the row has the suffix `.json`."""
    return folder / f"positions-{file_stem(ruleset, agent)}.jsonl"


def ranked(rows: Iterable[RegretRow]) -> list[RegretRow]:
    """Return rows by ruleset, and within it by mean regret, the smallest first."""
    return sorted(rows, key=lambda row: (row.ruleset, row.regret.mean))


def cells(row: RegretRow) -> list[str]:
    """Return the regrets of a row: all decisions, then by kind; a dash for a kind that the ruleset does not have."""
    digits = 2 if row.regret.mean >= 1 else 3
    found = [row.regret, *(row.by_kind.get(kind) for kind in Kind)]
    return ["–" if each is None else f"{each:.{digits}f}" for each in found]


def heads(tr: Words) -> list[str]:
    """Return the headings of the columns, in the order of `cells`."""
    return [tr("positions.regret"), *(tr(f"positions.{kind.value}") for kind in Kind)]


def table(rows: Sequence[RegretRow], tr: Words) -> Table:
    """Return rows as a table for people."""
    return figures_table(
        (tr("bench.ruleset"), tr("bench.agent")),
        (*heads(tr), tr("positions.faults")),
        ((row.ruleset, Text(row.agent + _preview(row, tr)), *cells(row), str(row.faults)) for row in ranked(rows)),
        title=tr("positions.title", protocol=", ".join(dict.fromkeys(row.protocol for row in rows))),
        caption=tr("positions.caption"),
    )


def answers_tables(rows: Iterable[RegretRow]) -> Iterator[Table]:
    """Yield a table of answers for each language model, with a column per ruleset."""
    by_agent: dict[tuple[str, str], dict[str, Answers]] = {}
    for row in ranked(rows):
        if row.counted is not None:
            by_agent.setdefault((row.agent, row.agent_protocol or "-"), {})[row.ruleset] = row.counted
    for (agent, protocol), columns in by_agent.items():
        yield answers_table(agent, protocol, columns, CELLS)


def _preview(row: RegretRow, tr: Words) -> str:
    return tr("positions.preview", found=row.regret.number, all=len(row.decisions.items)) if row.is_preview else ""
