"""Expected payoffs in words: as a chance to win where games are won or lost, elsewhere in points of the game's own payment."""

from __future__ import annotations

from big2_env.base.language import Words
from big2_env.climbing.ruleset import RuleSet
from big2_env.text.names import estimate


def percent(share: float) -> str:
    """Return a fraction as people read it: `34 %`, `<1 %`."""
    return "<1 %" if 0 < share < 0.005 else f"{share:.0%}".replace("%", " %")


class ValueText:
    """Expected payoffs of one game."""

    def __init__(self, ruleset: RuleSet, num_players: int) -> None:
        self._paid = ruleset.scoring.won_or_lost(num_players)
        self.is_chance = self._paid is not None
        """True if values are chances to win."""

    def of(self, value: float) -> float:
        """Return an expected payoff in its unit: points, or the chance to win in percent."""
        return value if self._paid is None else self.size(value - self._paid[1])

    def ends(self, interval: tuple[float, float]) -> tuple[float, float]:
        """Return the ends of an interval in its unit."""
        return self.of(interval[0]), self.of(interval[1])

    def size(self, difference: float) -> float:
        """Return a difference of expected payoffs in its unit: points or percentage points."""
        return difference if self._paid is None else 100 * difference / (self._paid[0] - self._paid[1])

    def number(self, value: float) -> str:
        """Return an expected payoff: `+0.45` points, `70 %`."""
        return percent(min(max(self.of(value) / 100, 0.0), 1.0)) if self.is_chance else estimate(value)

    def level(self, value: float, tr: Words) -> str:
        """Return an expected payoff in words: `+0.45 points`, `70 %`."""
        return self.number(value) if self.is_chance else tr("values.points", value=self.number(value))

    def difference(self, value: float, tr: Words) -> str:
        """Return the size of a difference in words: `0.45 points`, `24 percentage points`."""
        if self.is_chance:
            return tr("values.percentage_points", value=f"{abs(self.size(value)):.0f}")
        return tr("values.points", value=estimate(abs(value), signed=False))

    def change(self, before: float, after: float, tr: Words) -> str:
        """Return a change in words: `-0.55 points`, `chance to win 70 % -> 46 %`."""
        if self.is_chance:
            return tr("values.chance", before=self.level(before, tr), after=self.level(after, tr))
        return tr("values.points", value=estimate(after - before))
