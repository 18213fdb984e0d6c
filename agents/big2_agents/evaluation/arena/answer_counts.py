"""Answers of language models in a run: faults, retries, tokens and time, by agent, seat and role, or by ruleset.

Counts are sums over all games of the results file. Shares are of the answers, so they include answers to retries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from rich.table import Table
from rich.text import Text

from big2_agents.evaluation.answers import COUNTS, Answers, price_of_environment
from big2_agents.evaluation.arena.results import GameResult, UnitResult
from big2_agents.evaluation.arena.schedule import Contest
from big2_agents.evaluation.arena.stats import Sample, Standing, win_share
from big2_env.runs.intervals import known
from big2_env.runs.rows import figures_table

A = TypeVar("A", bound="Answers")
ALL: Final = "all"
"""Place of the row with all games of an agent."""
SHARES: Final = ("illegal", "unreadable", "ambiguous", "cut_off", "withheld")
"""Counts that tables show as shares of the answers."""
SUMS: Final = ("retries", "fallbacks", "failures", "tokens_in", "tokens_cached", "tokens_out", "tokens_reasoning")
"""Counts that tables show as sums."""


@dataclass(frozen=True)
class AnswerRow(Answers):
    """Answers of an agent in some of its games."""

    agent: int
    place: str
    """`all`, `seat 0` and so on, or a role: `landlord` or `farmer`."""
    games: int
    forfeits: int
    standing: Standing
    """Score and wins in these games, with intervals over deals."""

    def record(self, agents: Sequence[str], protocols: Mapping[str, str]) -> dict[str, Any]:
        """Return the row as JSON values."""
        (wins, score), name = self.standing, agents[self.agent]
        head = {"agent": name, "protocol": protocols.get(name), "place": self.place, "games": self.games}
        results = {"forfeits": self.forfeits, "wins": known(wins.mean), "score": known(score.mean)}
        return head | results | self.as_json()


class _Sum:
    """Games of an agent in one place, added up."""

    def __init__(self) -> None:
        self.games = self.forfeits = 0
        self.counts: Counter[str] = Counter()
        self.sample = Sample()

    def add(self, counts: Mapping[str, float], is_forfeit: bool) -> None:
        """Add a game."""
        self.games += 1
        self.forfeits += is_forfeit
        for name in COUNTS:
            self.counts[name] += counts.get(name, 0)  # type: ignore[assignment]


def answer_rows(results: Iterable[UnitResult], contests: Sequence[Contest]) -> list[AnswerRow]:
    """Return the rows of all agents that count answers: all games, then by seat, then by role."""
    sums: dict[tuple[int, str], _Sum] = {}
    for result in results:
        means: dict[tuple[int, str], list[tuple[float, float]]] = {}
        for rotation, game in enumerate(result.games):
            for seat, agent in enumerate(contests[result.unit.contest].seating(rotation)):
                if (counts := _counts(game, seat)) is not None:
                    for place in _places(game, seat):
                        sums.setdefault((agent, place), _Sum()).add(counts, game.forfeited_by == seat)
                        means.setdefault((agent, place), []).append((win_share(game, seat), game.payoffs[seat]))
        for key, games in means.items():
            wins, scores = (sum(values) / len(games) for values in zip(*games, strict=True))
            sums[key].sample.add(result.unit.deal, wins, scores)
    order = sorted(sums, key=lambda key: (key[0], key[1] != ALL, not key[1].startswith("seat"), key[1]))
    price = price_of_environment()
    return [_row(agent, place, sums[agent, place], price) for agent, place in order]


def _row(agent: int, place: str, total: _Sum, price: tuple[float, float] | None) -> AnswerRow:
    return AnswerRow(total.counts, price, agent, place, total.games, total.forfeits, total.sample.standing())


def _counts(game: GameResult, seat: int) -> Mapping[str, float] | None:
    """Return the counts of a seat, None if it has none."""
    return None if game.notes is None else game.notes["counts"].get(str(seat))


def _places(game: GameResult, seat: int) -> Iterator[str]:
    yield ALL
    yield f"seat {seat}"
    if game.notes is not None and "landlord" in game.notes:
        yield "landlord" if game.notes["landlord"] == seat else "farmer"


def answers_tables(rows: Sequence[AnswerRow], agents: Sequence[str], protocols: Mapping[str, str]) -> Iterator[Table]:
    """Yield a table for each agent, with a column for all games, each seat and each role."""
    for agent in dict.fromkeys(row.agent for row in rows):
        own = [row for row in rows if row.agent == agent]
        name = agents[agent]
        yield answers_table(name, protocols.get(name, "-"), {row.place: row for row in own}, _GAME_CELLS | CELLS)


def answers_table(agent: str, protocol: str, columns: Mapping[str, A], cells: Mapping[str, Callable[[A], str]]) -> Table:
    """Return the table of an agent's answers.

    Args:
        agent: Name of the agent.
        protocol: Its protocol.
        columns: Its answers by heading.
        cells: Functions that show the cells of a line, by label.
    """
    has_price = any(answers.price for answers in columns.values())
    return figures_table(
        [""],
        columns,
        ([label, *map(cell, columns.values())] for label, cell in cells.items() if label != "cost" or has_price),
        title=Text(f"Answers of {agent}"),
        caption=f"protocol {protocol}; % of answers",
    )


def share_text(row: Answers, fault: str) -> str:
    """Return the share of answers with a fault in percent, a dash without answers."""
    share = row.share(fault)
    return "-" if share is None else f"{100 * share:.1f}%"


def _half(width: float) -> str:
    return "-" if width != width else f"{width:.2f}"


def _sum_of(name: str) -> Callable[[Answers], str]:
    """Return the function that shows a count of a row."""
    return lambda row: f"{row.counts[name]:,.0f}"


def _share_of(name: str) -> Callable[[Answers], str]:
    """Return the function that shows the share of a fault."""
    return lambda row: share_text(row, name)


_GAME_CELLS: Final[dict[str, Callable[[AnswerRow], str]]] = {
    "games": lambda row: f"{row.games:,}",
    "score": lambda row: f"{row.standing.score.mean:+.2f} ± {_half(row.standing.score.half_width)}",
    "wins": lambda row: f"{100 * row.standing.wins.mean:.1f}%",
    "forfeits": lambda row: f"{row.forfeits:,}",
}
CELLS: Final[dict[str, Callable[[Answers], str]]] = {
    "answers": _sum_of("calls"),
    **{name.replace("_", " "): _share_of(name) for name in SHARES},
    **{name.replace("_", " "): _sum_of(name) for name in SUMS},
    "cost": lambda row: f"${row.cost or 0:,.4f}",
    "seconds per answer": lambda row: f"{row.counts['seconds'] / max(1, row.counts['calls']):.1f}",
}
"""Functions that show the cells of answers, by label."""
