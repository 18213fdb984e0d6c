"""Judgement of one decision: estimated values of the moves, given what the seat could know, and the loss of the move made.

A judge is an agent with comparable values for the moves of a decision. An appraiser estimates each seat's expected payoff at a
moment of a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from big2_agents.learned.evaluator import HeuristicJudge
from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_env.agents.advice import ADVISERS, Advice, default_adviser
from big2_env.agents.interface import Agent, agents_with, make_agent
from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import Outcome
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.runs.intervals import NORMAL_95

NOBODY: Final = "none"
"""Name for no judge."""


@runtime_checkable
class Judge(Agent, Protocol):
    """An agent with comparable values: all moves tried to the end are tried on the same sampled deals."""

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """Return advice on each legal move, the agent's favorite first; moves in `also` are tried to the end."""


def prepare_many(agent: Agent, view: View) -> None:
    """Compile the code for many answers in games like the one in `view`, if the agent would otherwise start in plain Python."""
    prepare = getattr(agent, "prepare", None)
    if prepare is not None:
        prepare(view)


def default_judge(ruleset: RuleSet, num_players: int) -> str:
    """Return the name of the agent that judges by default: the one that advises, if its data is at hand."""
    name = default_adviser(ruleset, num_players)
    data_files = getattr(make_agent(name), "data_files", None)
    needed = [] if data_files is None else data_files(ruleset, num_players)
    return name if all(path.exists() for path in needed) else ADVISERS[-1]


def judge_named(spec: str) -> Judge:
    """Return the judge with a specification, `NAME` or `NAME:ARGUMENT`.

    Raises:
        ConfigError: The agent is unknown, or its values are not comparable.
    """
    made = make_agent(spec)
    agent = HeuristicJudge(made) if isinstance(made, HeuristicAgent) else made
    if isinstance(agent, Judge):
        return agent
    judges = ", ".join([ADVISERS[-1], *agents_with("judge"), NOBODY])
    raise ConfigError(f"agent {spec!r} gives no values to compare: expected {judges}")


@dataclass(frozen=True)
class Prospect:
    """Expected payoffs of the seats at one moment."""

    means: tuple[float, ...]
    """Mean payoff of each seat."""
    intervals: tuple[tuple[float, float], ...]
    """95% interval of each mean, from the spread of the playouts; of width 0 at the end of a game."""
    playouts: int = 0
    """Number of playouts; 0 at the end of a game."""


class Appraiser(Protocol):
    """Estimator of each seat's prospects."""

    def prospect(self, game: Game) -> Prospect:
        """Return each seat's expected payoff from the current position of a game."""


def paid(outcome: Outcome) -> Prospect:
    """Return the prospect at the end of a game, its payoffs."""
    payoffs = outcome.payoffs
    return Prospect(payoffs, tuple((one, one) for one in payoffs))


def estimated(sums: list[float], squares: list[float], playouts: int) -> Prospect:
    """Return the prospect estimated by playouts.

    Args:
        sums: Sum of payoffs, by seat.
        squares: Sum of squared payoffs, by seat.
        playouts: Number of playouts.
    """
    means = tuple(one / playouts for one in sums)
    halves = [
        NORMAL_95 * (max(0.0, square / playouts - mean**2) / playouts) ** 0.5
        for mean, square in zip(means, squares, strict=True)
    ]
    ends = tuple((mean - half, mean + half) for mean, half in zip(means, halves, strict=True))
    return Prospect(means, ends, playouts)


class Mark(Named):
    """Grade of a bad move, as in chess."""

    NONE = ""
    """Nothing to report, or nothing that the playouts can tell."""
    DUBIOUS = "?!"
    """A small loss."""
    MISTAKE = "?"
    """A large loss."""
    BLUNDER = "??"
    """A loss that may have cost the game."""


THRESHOLDS: Final = ((0.45, Mark.BLUNDER), (0.25, Mark.MISTAKE), (0.12, Mark.DUBIOUS))
"""Minimum loss of each mark, in units of a game's payoffs (`analysis.payoff_unit`).

If one seat of four wins 1 and the others lose a third each, the unit is 0.58. Marks then start at a loss of 5, 11 and 20
percentage points of winning chance.
"""


@dataclass(frozen=True)
class Decision:
    """One decision of a game, judged with the seat's knowledge."""

    ply: int
    """Number of moves made before it."""
    seat: int
    played: Play | None
    """The move made, `None` if the game ends here without one."""
    advice: tuple[Advice, ...]
    """Every legal move once, the judge's favorite first. Empty if only one move was legal."""

    @property
    def chosen(self) -> Advice | None:
        """The advice on the move made."""
        return next((one for one in self.advice if self.played == one.play or self.played in one.alike), None)

    @property
    def best(self) -> Advice | None:
        """The judge's choice; `None` if it has no value."""
        return self.advice[0] if self.advice and self.advice[0].value is not None else None

    @property
    def second(self) -> Advice | None:
        """The advice with the second highest value among the moves tried to the end; `None` if only one move was tried."""
        most = max((one.playouts for one in self.advice), default=0)
        tried = [one for one in self.advice[1:] if one.value is not None and (one.playouts == most or one is self.chosen)]
        return max(tried, key=_value, default=None)

    @property
    def loss(self) -> float | None:
        """Value of the best move minus value of the move made, at least 0.

        It is 0 without a choice, and `None` if no move was made or the move made has no value.
        """
        if self.played is None:
            return None
        if not self.advice:
            return 0.0
        chosen, best = self.chosen, self.best
        if chosen is None or best is None or chosen.value is None:
            return 0.0 if chosen is self.advice[0] else None
        return max(0.0, _value(best) - chosen.value)

    @property
    def loss_error(self) -> float:
        """Standard error of the loss; an upper bound if it was not measured on the same deals."""
        chosen, best = self.chosen, self.best
        if chosen is None or best is None or chosen is best:
            return 0.0
        if chosen.behind is not None:
            return (chosen.behind[1] - chosen.behind[0]) / (2 * NORMAL_95)
        return float(sum(_error(one) ** 2 for one in (chosen, best)) ** 0.5)

    @property
    def is_certain(self) -> bool:
        """True if the move made is worse than the best one: the interval of the difference excludes 0."""
        return _is_worse(self.chosen, self.best)

    @property
    def gain(self) -> float:
        """Value of the move made minus value of the second best move; 0 if that is not certain."""
        chosen, second = self.chosen, self.second
        if chosen is None or second is None or chosen is not self.best or not _is_worse(second, chosen):
            return 0.0
        return max(0.0, _value(chosen) - _value(second))

    def unit(self, usual: float) -> float:
        """Return the unit of losses: the ruleset's usual one, or the stakes of the best move if they are higher."""
        return max(usual, self.best.stakes) if self.best else usual

    def mark(self, usual: float) -> Mark:
        """Return the mark of the move made: by its loss in units, and none if the loss is not certain."""
        return mark_of_loss(self.loss or 0.0, self.unit(usual)) if self.is_certain else Mark.NONE

    def top(self, number: int) -> Sequence[Advice]:
        """Return the judge's choice, then the moves with the highest values.

        Args:
            number: Number of moves; the move made is added if missing.
        """
        first, *others = self.advice or (None,)
        if first is None:
            return ()
        others.sort(key=lambda one: (one.value is None, -_value(one)))
        shown = [first, *others][:number]
        return [*shown, *(one for one in others if one not in shown and one is self.chosen)]


def mark_of_loss(loss: float, unit: float) -> Mark:
    """Return the mark of a loss that is certain.

    >>> mark_of_loss(0.1, 0.58), mark_of_loss(0.01, 0.58)
    (Mark.DUBIOUS, Mark.NONE)
    """
    return next((mark for least, mark in THRESHOLDS if loss >= least * unit > 0), Mark.NONE)


def _value(advice: Advice) -> float:
    return float("-inf") if advice.value is None else advice.value


def _error(advice: Advice) -> float:
    return 0.0 if advice.interval is None else (advice.interval[1] - advice.interval[0]) / (2 * NORMAL_95)


def _is_worse(worse: Advice | None, best: Advice | None) -> bool:
    """Return True if a move is certainly worse: by the interval of the difference, or, without one, by two that are apart."""
    if worse is None or best is None or worse is best or worse.interval is None or best.interval is None:
        return False
    return worse.behind[0] > 0 if worse.behind is not None else worse.interval[1] < best.interval[0]
