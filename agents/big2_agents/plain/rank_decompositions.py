"""A hand parted into plays where actions are ranks. Cards are numbers by value here (`rank_plays.Counts`), of one deck or two.

Plays of one rank are chosen rank by rank, exactly. The others are set aside first, without their kickers: in combinations that
the hand has the cards for, up to `MAX_BODY_SETS` of those. Then each carries, of the cards that are left, those that are worth
least where they are.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from big2_agents.formula import LOOSE
from big2_agents.plain.outlook import Outlook, Prospect
from big2_agents.plain.rank_plays import Carried, Counts, RankRow, RankRows, by_value, has, kickers_allowed

MAX_BODIES, MAX_BODY_SETS, MAX_CARRIED = 32, 160, 4
"""Most plays of several ranks or with kickers that are combined, most combinations, and most plays with kickers in one."""
NEVER: Final = -1e300
MANY: Final = 99
"""More plays than any hand has."""


class _OneRank(NamedTuple):
    """The best decomposition of 0, 1, 2, ... cards of one value."""

    utility: list[float]
    hold: list[float]
    """The product of the holds of its plays."""
    least: list[float]
    """The least of them."""
    unsure: list[int]
    """How many plays that can be covered any decomposition has at least."""
    most_gain: list[float]
    """The most that it can gain to be rid of so many of the cards held."""


_NO_CARDS: Final = _OneRank([0.0], [1.0], [1.0], [0], [0.0])


class _Set(NamedTuple):
    """A combination of bodies."""

    cards: Counts
    utility: float
    hold: float
    least: float
    unsure: int
    carried: tuple[Carried, ...]
    """What its bodies have to carry."""


class RankDecompositions:
    """A hand with its decompositions, where actions are ranks."""

    def __init__(self, rows: RankRows, outlook: Outlook, hand: int) -> None:
        self._rows, self._outlook = rows, outlook
        self.hand: Counts = rows.counts(hand)
        """The hand by value."""
        held = [*by_value(self.hand)]
        self._ranks = [self._one_rank(value, number) if number else _NO_CARDS for value, number in enumerate(held)]
        self._carry_found: dict[tuple[Carried, Counts], tuple[float, Counts]] = {}
        self._best_found: dict[Counts, tuple[float, float, Counts]] = {}
        self._bodies = self._find_bodies()
        self._sets = self._combine()
        self._values = [self._value_of(one, self.hand)[0] for one in self._sets]

    def best(self, cards: int) -> tuple[float, float]:
        """The best decomposition of some cards of the hand: what it is worth, and the chance that its lead holds to the end."""
        utility, run, _ = self._best(self._rows.counts(cards))
        return utility, run

    def best_hold(self, category: int, cards: int) -> float:
        """The best hold of a play of a category that some cards have, 0 without one; of bodies those listed are seen."""
        counts, best = self._rows.counts(cards), 0.0
        for value, number in enumerate(by_value(counts)):
            for size, row in self._rows.alone[value].items() if number else ():
                if row.category == category and number >= size:
                    best = max(best, self._prospect(row).hold)
        for row in self._bodies:
            if row.category == category and has(counts, row.body):
                best = max(best, self._prospect(row).hold)
        return best

    def goes_out(self, cards: int) -> bool:
        """True if some cards are plays of which at most one can be covered, as far as the combinations tell."""
        counts = self._rows.counts(cards)
        for one in self._sets:
            if one.unsure > 1 or not has(counts, one.cards):
                continue
            rest, unsure = counts - one.cards, one.unsure
            for carried in one.carried:
                more, rest = self._carry(carried, rest)
                if more == NEVER:
                    unsure = MANY
            for rank, number in zip(self._ranks, by_value(rest), strict=True):
                if number:
                    unsure += rank.unsure[number]
            if unsure < 2:
                return True
        return False

    def kickers(self, row: RankRow, carried: Carried) -> Counts:
        """The kickers of a play that are worth least where the rest of the hand has them."""
        rest = self.hand - row.body
        apart = self._best(rest)[2]
        more, left = self._carry(carried, apart)  # of what the best decomposition leaves apart
        if more != NEVER:
            return apart - left
        return rest - self._carry(carried, rest)[1]

    def _prospect(self, row: RankRow) -> Prospect:
        return self._outlook.prospect(row.category, row.power)

    def _one_rank(self, value: int, held: int) -> _OneRank:
        found = _OneRank([0.0], [1.0], [1.0], [0], [0.0])
        for number in range(1, held + 1):
            best, its_hold, its_least, fewest = NEVER, 1.0, 1.0, MANY
            for taken in range(number + 1):  # 0 for a card that is in no play
                rest, (utility, hold), unsure = number - max(taken, 1), LOOSE, MANY
                if taken:
                    row = self._rows.alone[value].get(taken)
                    if row is None:
                        continue
                    hold, utility, _, sure = self._prospect(row)
                    unsure = 1 - sure
                fewest = min(fewest, unsure + found.unsure[rest])
                if utility + found.utility[rest] > best:
                    best = utility + found.utility[rest]
                    its_hold, its_least = hold * found.hold[rest], min(hold, found.least[rest])
            found.utility.append(best)
            found.hold.append(its_hold)
            found.least.append(its_least)
            found.unsure.append(fewest)
        for taken in range(1, held + 1):
            gains = [found.utility[number - taken] - found.utility[number] for number in range(taken, held + 1)]
            found.most_gain.append(max(gains))
        return found

    def _find_bodies(self) -> list[RankRow]:
        """The shapes of several ranks or with kickers that the hand has the cards for, those first that gain most."""
        size, gains = sum(by_value(self.hand)), list[tuple[float, RankRow]]()
        for row in self._rows.rows:
            if row.is_alone or row.size > size or not has(self.hand, row.body):
                continue
            gain = self._prospect(row).utility - self._utility_apart(row.body)
            if row.carried:
                more, _ = self._carry(row.carried, self.hand - row.body)
                if more == NEVER:
                    continue
                gain += more
            gains.append((gain, row))
        gains.sort(key=lambda pair: -pair[0])
        return [row for _, row in gains[:MAX_BODIES]]

    def _utility_apart(self, counts: Counts) -> float:
        """What cards are worth when no play of several ranks is set aside."""
        utility = 0.0
        for rank, number in zip(self._ranks, by_value(counts), strict=True):
            if number:
                utility += rank.utility[number]
        return utility

    def _carry(self, carried: Carried, rest: Counts) -> tuple[float, Counts]:
        """Choose kickers among some cards: what it gains to be rid of them there, the cards left; `NEVER` where there are none.

        One unit after the other is taken where that gains most.
        """
        found = self._carry_found.get((carried, rest))
        if found is None:
            found = self._carry_found[carried, rest] = self._choose(carried, rest)
        return found

    def _choose(self, carried: Carried, rest: Counts) -> tuple[float, Counts]:
        left, taken, used, total = list(by_value(rest)), dict[int, int](), False, 0.0
        for _ in range(carried.units):
            best, most = -1, NEVER
            for value, held in enumerate(left):
                if held < carried.unit or not kickers_allowed(carried, value, taken.get(value, 0), used):
                    continue
                utility = self._ranks[value].utility
                gain = utility[held - carried.unit] - utility[held]
                if gain > most:
                    best, most = value, gain
            if best < 0:
                return NEVER, rest
            used = used or best in carried.exclusive
            taken[best] = taken.get(best, 0) + carried.unit
            left[best] -= carried.unit
            total += most
        return total, int.from_bytes(bytes(left), "little")

    def _combine(self) -> list[_Set]:
        """Combinations of bodies that the hand has the cards for."""
        sets = [_Set(0, 0.0, 1.0, 1.0, 0, ())]
        for row in self._bodies:
            hold, utility, _, sure = self._prospect(row)
            more = (row.carried,) if row.carried else ()
            for one in sets[: MAX_BODY_SETS - len(sets)]:
                if not has(self.hand - one.cards, row.body) or len(one.carried + more) > MAX_CARRIED:
                    continue
                cards, total, product = one.cards + row.body, one.utility + utility, one.hold * hold
                sets.append(_Set(cards, total, product, min(one.least, hold), one.unsure + 1 - sure, one.carried + more))
        return sets

    def _value_of(self, one: _Set, counts: Counts) -> tuple[float, Counts]:
        """What some cards are worth by a combination, and the cards left apart; `NEVER` where they do not have it."""
        if not has(counts, one.cards):
            return NEVER, counts
        rest, utility = counts - one.cards, one.utility
        for carried in one.carried:
            more, rest = self._carry(carried, rest)
            if more == NEVER:
                return NEVER, counts
        return utility + self._utility_apart(rest), rest

    def _best(self, counts: Counts) -> tuple[float, float, Counts]:
        """The best decomposition of some cards of the hand: (utility, run, what it leaves apart)."""
        found = self._best_found.get(counts)
        if found is None:
            found = self._best_found[counts] = self._find_best(counts)
        return found

    def _find_best(self, counts: Counts) -> tuple[float, float, Counts]:
        bound = 0.0
        for rank, number in zip(self._ranks, by_value(self.hand - counts), strict=True):
            if number:
                bound += rank.most_gain[number]
        best, best_utility, best_rest = self._sets[0], NEVER, counts
        for one, value in zip(self._sets, self._values, strict=True):
            if value + bound > best_utility:
                utility, rest = self._value_of(one, counts)
                if utility > best_utility:
                    best, best_utility, best_rest = one, utility, rest
        hold, least = best.hold, best.least
        for rank, number in zip(self._ranks, by_value(best_rest), strict=True):
            if number:
                hold *= rank.hold[number]
                least = min(least, rank.least[number])
        return best_utility, hold / least, best_rest
