"""One decision judged: what the acts were worth to the seat as far as it could know, and what the act made has cost.

A judge is an agent that gives the acts of a decision values that can be compared. An appraiser tells what each seat could
expect at a moment of a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from big2_env.advice import Advice
from big2_env.agents import Agent, agents_with, make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import Outcome
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.named import Named
from big2_env.runs.intervals import NORMAL_95

DEFAULT_JUDGE: Final = "search:4000"
"""Who judges where nobody is named: 4,000 play-outs a decision are a game of `big2` in 5 to 12 s, once all is compiled."""
NOBODY: Final = "none"
"""The name that stands for no judge."""


@runtime_checkable
class Judge(Agent, Protocol):
    """An agent whose values can be compared: all acts that it tries to the end are tried on the same sampled deals."""

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """The legal acts, each in one piece of advice, the agent's favourite first; those of `also` are tried to the end."""
        ...


def prepare_many(judge: Judge, view: View) -> None:
    """Compile what many answers in games like that of a view need, for a judge that else gives some in plain Python first."""
    prepare = getattr(judge, "prepare", None)
    if prepare is not None:
        prepare(view)


def judge_named(spec: str) -> Judge:
    """A judge by name, `NAME` or `NAME:ARGUMENT`.

    Raises:
        ConfigError: no agent has that name, or it gives no values that can be compared.
    """
    agent = make_agent(spec)
    if isinstance(agent, Judge):
        return agent
    raise ConfigError(f"agent {spec!r} gives no values to compare: expected {', '.join([*agents_with('judge'), NOBODY])}")


@dataclass(frozen=True)
class Prospect:
    """What the seats could expect at one moment."""

    means: tuple[float, ...]
    """Mean payoff of each seat."""
    intervals: tuple[tuple[float, float], ...]
    """The 95 % interval of each mean, from the spread of the play-outs; without width at the end of a game."""
    size: float = 0.0
    """What is at stake: the root of the mean square of all payoffs in the play-outs."""
    playouts: int = 0
    """How many play-outs this comes from; 0 at the end of a game."""


class Appraiser(Protocol):
    """What tells each seat's prospects."""

    def prospect(self, game: Game) -> Prospect:
        """What each seat can expect from where a game stands."""
        ...


def paid(outcome: Outcome) -> Prospect:
    """The prospect at the end of a game: what it paid."""
    payoffs = outcome.payoffs
    size = (sum(one * one for one in payoffs) / len(payoffs)) ** 0.5
    return Prospect(payoffs, tuple((one, one) for one in payoffs), size)


def estimated(sums: list[float], squares: list[float], playouts: int) -> Prospect:
    """The prospect by play-outs.

    Args:
        sums: by seat, the sum of its payoffs.
        squares: by seat, the sum of their squares.
        playouts: how many there were.
    """
    means = tuple(one / playouts for one in sums)
    halves = [
        NORMAL_95 * (max(0.0, square / playouts - mean**2) / playouts) ** 0.5
        for mean, square in zip(means, squares, strict=True)
    ]
    ends = tuple((mean - half, mean + half) for mean, half in zip(means, halves, strict=True))
    return Prospect(means, ends, (sum(squares) / len(squares) / playouts) ** 0.5, playouts)


class Mark(Named):
    """How bad an act was, as in chess."""

    NONE = ""
    """Nothing to say, or nothing that the play-outs can tell."""
    DUBIOUS = "?!"
    """The act gave something away."""
    MISTAKE = "?"
    """The act gave much away."""
    BLUNDER = "??"
    """The act may have given the game away."""


THRESHOLDS: Final = ((0.45, Mark.BLUNDER), (0.25, Mark.MISTAKE), (0.12, Mark.DUBIOUS))
"""The least loss of each mark, in units of what a game pays (`analysis.payoff_unit`). Where one seat of four wins 1 and the
others pay a third each, the unit is 0.58: marks begin at 5 %, 11 % and 20 % less chance to win."""


@dataclass(frozen=True)
class Decision:
    """One decision of a game, as a judge sees it who knows what the seat knew."""

    ply: int
    """How many acts had been made."""
    seat: int
    played: Play | None
    """The act made, `None` where the game stands there."""
    advice: tuple[Advice, ...]
    """Every legal act, each once, the judge's favourite first. Empty where only one act was legal."""

    @property
    def chosen(self) -> Advice | None:
        """What the judge says of the act made."""
        return next((one for one in self.advice if self.played == one.play or self.played in one.alike), None)

    @property
    def best(self) -> Advice | None:
        """The act with the highest value among those tried to the end, and the act made; `None` where none has a value."""
        most = max((one.playouts for one in self.advice), default=0)
        tried = [one for one in self.advice if one.value is not None and (one.playouts == most or one is self.chosen)]
        return max(tried, key=_value, default=None)

    @property
    def loss(self) -> float | None:
        """What the act made is worth less than the best one, by their values, never below 0.

        0 as well where there was no choice; `None` where no act has been made or the act made has no value.
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
        """Standard error of the loss, as if the two values came from different deals: the true one is smaller."""
        chosen, best = self.chosen, self.best
        if chosen is None or best is None or chosen is best:
            return 0.0
        return float(sum(_error(one) ** 2 for one in (chosen, best)) ** 0.5)

    @property
    def is_certain(self) -> bool:
        """True if the intervals of the act made and of the best one do not touch."""
        chosen, best = self.chosen, self.best
        return _apart(chosen, best)

    @property
    def favourite_loss(self) -> float:
        """What the judge's own favourite is worth less than the best act, by the judge's own values; 0 if it is the best."""
        best = self.best
        if best is None or self.advice[0].value is None:
            return 0.0
        return max(0.0, _value(best) - _value(self.advice[0]))

    @property
    def is_favourite_worse_for_certain(self) -> bool:
        """True if the intervals of the judge's favourite and of the best act do not touch."""
        return bool(self.advice) and _apart(self.advice[0], self.best)

    def mark(self, unit: float) -> Mark:
        """The mark of the act made: by its loss in units, and none where the intervals touch."""
        return mark_of_loss(self.loss or 0.0, unit) if self.is_certain else Mark.NONE

    def top(self, number: int) -> Sequence[Advice]:
        """The favourite first, then the other acts by value, as many as asked for; the best one and the act made always."""
        first, *others = self.advice or (None,)
        if first is None:
            return ()
        others.sort(key=lambda one: (one.value is None, -_value(one)))
        shown = [first, *others][:number]
        return [*shown, *(one for one in others if one not in shown and one in (self.best, self.chosen))]


def mark_of_loss(loss: float, unit: float) -> Mark:
    """The mark of a loss that is certain.

    >>> mark_of_loss(0.1, 0.58), mark_of_loss(0.01, 0.58)
    (Mark.DUBIOUS, Mark.NONE)
    """
    return next((mark for least, mark in THRESHOLDS if loss >= least * unit > 0), Mark.NONE)


def _value(advice: Advice) -> float:
    return float("-inf") if advice.value is None else advice.value


def _error(advice: Advice) -> float:
    return 0.0 if advice.interval is None else (advice.interval[1] - advice.interval[0]) / (2 * NORMAL_95)


def _apart(worse: Advice | None, better: Advice | None) -> bool:
    """True if two intervals do not touch."""
    if worse is None or better is None or worse.interval is None or better.interval is None:
        return False
    return worse.interval[1] < better.interval[0]
