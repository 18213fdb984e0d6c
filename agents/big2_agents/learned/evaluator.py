"""The value of each legal move to the seat to move, against the players who sit at the table.

A certain win (`climbing.certain_wins`) comes first. Otherwise moves are played out on sampled deals, the same for each move.
Compiled versions of the players at the table hold the seats; people and other agents have a substitute, which the value names.
The moves that the network scores highest are compared on the first half of the deals, and the best others with the network's
on more and more deals until that is decided (sequential halving). The best one replaces the network's only if the interval of
their difference excludes 0. Values and differences are from the second half, which had no part in that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from big2_agents.kernels.codes import NET
from big2_agents.kernels.estimates import kind_of, with_alike
from big2_agents.models.formula import weights_of
from big2_agents.rule_based.heuristic import HeuristicAgent, player_of
from big2_env.agents.advice import Advice, Basis
from big2_env.agents.interface import make_agent
from big2_env.base.errors import ConfigError
from big2_env.base.rng import derived
from big2_env.climbing.actions import action_space
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation
from big2_env.runs.intervals import NORMAL_95

if TYPE_CHECKING:
    from big2_agents.kernels.rule_players import Player
    from big2_agents.learned.playouts import Floats, PolicyPlayouts

PlayOut: TypeAlias = Callable[[Sequence[int], int], list[list[float]]]
"""Returns the payoffs of a seat after some moves on a number of further deals."""
VERSION: Final = 4
"""Version of the values: stored ones of different versions are not comparable."""
CANDIDATES: Final = 8
"""Number of moves that are compared, those with the highest scores."""
FINALISTS: Final = 4
"""Number of moves that have values, in addition to moves that were made."""
GLANCES: Final = 32
"""Deals on which all candidates are compared."""
DEALS: Final = 128
"""Deals of either half, for the finalists."""
LOOKS: Final = ((1, 2), (4, 1), (24, 1))
"""Comparisons of other finalists with the first candidate: times as many deals, and the number of best ones left after it."""
VALUE_WORK: Final = 240_000
"""Most work (`PolicyPlayouts.work`) for values with `DEALS` deals: longer games get fewer deals."""
LOOK_WORK: Final = 600_000
"""The same for the comparisons of `LOOKS`; less if there are fewer deals."""
KNOWN: Final = ("random", "lowest", "greedy", "heuristic", "learned")
"""Agents that may have compiled versions for playouts."""


class Evaluator:
    """Values of moves in one game.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        path: File of the network's weights, `None` for the heuristic in its place.
        deals: Deals of either half.

    Raises:
        ConfigError: The weights do not fit.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, path: Path | None, deals: int = DEALS) -> None:
        self.game = ruleset, num_players
        """Rules and number of seats."""
        self._path, self._deals = path, deals
        self._compilation = compilation_of_values(path, *self.game)
        self._playouts: PolicyPlayouts | None = None
        self._seated: tuple[tuple[str, ...], tuple[int, ...]] = (), ()
        self._players: list[Player] = []
        self._given: tuple[str | None, ...] | None = None
        self.seat_players(())

    @property
    def substitute(self) -> str:
        """Name of the player for people, and for agents without a compiled version."""
        return "heuristic" if self._path is None else "learned"

    @property
    def has_values(self) -> bool:
        """True once playouts are compiled."""
        with suppress(ConfigError):  # kernels do not serve every ruleset
            return self._compilation.load()
        return False

    def prepare(self) -> None:
        """Compile now."""
        self._compilation.finish()

    def seat_players(self, players: Sequence[str | None]) -> None:
        """Tell who sits at the table.

        Args:
            players: Name of the agent in each seat, `None` for a person; none for a table of which nothing is known.
        """
        if self._given == tuple(players):  # agents need not be made again for each decision
            return
        ruleset, number = self.game
        own: Player = weights_of(ruleset) if self._path is None else NET
        chosen: list[Player] = []
        names, substituted = list[str](), list[int]()
        for seat, name in enumerate(players or [None] * number):
            player = None if name is None else _player(name, ruleset)
            player = own if name == "learned" and self._path is not None else player
            if player is None:
                substituted.append(seat)
            names.append(self.substitute if player is None or name is None else name)
            chosen.append(own if player is None else player)
        self._seated, self._players, self._own = (tuple(names), tuple(substituted)), chosen, own
        self._given = tuple(players)  # last: a call that is interrupted seats nobody

    def judge(
        self,
        view: View,
        legal: LegalPlays,
        ordered: Sequence[Advice],
        seed: int,
        also: Sequence[Play] = (),
        forced: Play | None = None,
        *,
        overrules: bool = True,
    ) -> list[Advice]:
        """Return every legal move, the best first; moves that were played out have values.

        Args:
            view: View of the seat to move.
            legal: Its legal moves.
            ordered: Candidates with the evaluator's own scores, the best first.
            seed: Seed of the deals.
            also: Moves that are played out in any case.
            forced: A move that starts a forced win, if the player has found one.
            overrules: False to leave the first candidate in its place.
        """
        found = certain_first(view, ordered, forced)
        if len(found) > 1 and self.has_values:
            found = self._valued(view, found, derived(seed, len(view.history)), also, overrules=overrules)
        return with_alike(found, legal)

    def payoffs(self, view: View, plays: Sequence[Play], deals: int, seed: int) -> list[list[float]]:
        """Return the payoff of the seat to move after each move, on the same sampled deals."""
        return _of_seat(_playing_out(self._open(view, seed), view, plays), view.seat)(range(len(plays)), deals)

    def _valued(self, view: View, ordered: list[Advice], seed: int, also: Sequence[Play], *, overrules: bool) -> list[Advice]:
        """Return advice with values, the best first."""
        playouts = self._open(view, seed)
        all_paid = _playing_out(playouts, view, [one.play for one in ordered])
        play_out = _of_seat(all_paid, view.seat)
        alive, glances = list(range(min(CANDIDATES, len(ordered)))), min(GLANCES, self._deals)
        paid = dict(zip(alive, play_out(alive, glances), strict=True))
        cost = max(1.0, playouts.work / (len(alive) * glances))
        deals = self._affordable(cost)
        alive = sorted(alive, key=lambda i: (i != 0, -math.fsum(paid[i])))[:FINALISTS]
        for i, more in zip(alive, play_out(alive, deals - glances), strict=True):
            paid[i] += more
        best = 0
        if overrules and not ordered[0].sure:
            best = _best(paid, alive[1:], self._looks(deals, cost), play_out)
        kinds = {kind_of(play) for play in also}
        alive += [i for i, one in enumerate(ordered) if i not in alive and kind_of(one.play) in kinds]
        alive.sort(key=lambda i: i != best)
        payoffs = all_paid(alive, deals)
        paid = dict(zip(alive, payoffs[:, :, view.seat].tolist(), strict=True))
        stakes = dict(zip(alive, ((payoffs**2).mean((1, 2)) ** 0.5).tolist(), strict=True))
        won = view.ruleset.scoring.won_or_lost(view.num_players)
        if ordered[0].sure and won is not None:
            paid[best] = [won[0]] * deals
        size, basis = _size(paid.values()), Basis(VERSION, *self._seated, deals=deals)
        found = [
            replace(
                ordered[i],
                value=math.fsum(paid[i]) / deals,
                interval=interval_of(paid[i], size),
                playouts=deals,
                stakes=stakes[i],
                behind=None if i == best else interval_of(_differences(paid[best], paid[i]), size),
                basis=basis,
            )
            for i in alive
        ]
        rest = [one for i, one in enumerate(ordered) if i not in alive]
        return [found[0], *sorted(found[1:], key=lambda one: -(one.value or 0.0)), *rest]

    def _affordable(self, cost: float) -> int:
        """Return the number of deals of either half, if a playout takes `cost` of work."""
        playouts = VALUE_WORK * self._deals / DEALS / cost
        found = int((playouts - (CANDIDATES - FINALISTS) * GLANCES) / (2 * FINALISTS))
        return min(self._deals, max(GLANCES, found))

    def _looks(self, deals: int, cost: float) -> list[tuple[int, int]]:
        """Return the numbers of deals and of moves left of `LOOKS`; see `_affordable`."""
        left, looks = int(LOOK_WORK * deals / DEALS / cost), [(deals, LOOKS[0][1])]
        for (_, rivals), (times, most) in pairwise(LOOKS):
            further = min(times * deals - looks[-1][0], left // (1 + rivals))
            left -= further * (1 + rivals)
            looks.append((looks[-1][0] + further, most))
        return looks

    def _open(self, view: View, seed: int) -> PolicyPlayouts:
        """Return the playouts at the beginning of a decision."""
        if self._playouts is None:
            self._playouts = _playouts(self._path, *self.game)
        players = list(self._players)
        players[view.seat] = self._own
        self._playouts.seat_players(players)
        self._playouts.open(view, seed)
        return self._playouts


def _playing_out(playouts: PolicyPlayouts, view: View, plays: Sequence[Play]) -> Callable[[Sequence[int], int], Floats]:
    """Return a function that plays some of the moves out on a number of further deals, as `PolicyPlayouts.more`."""
    space = action_space(view.ruleset)
    ids = [space.of_play(play, view.hand) for play in plays]
    return lambda chosen, deals: playouts.more([ids[i] for i in chosen], deals)


def _of_seat(play_out: Callable[[Sequence[int], int], Floats], seat: int) -> PlayOut:
    """Return a function for one seat's payoffs."""
    return lambda chosen, deals: list(play_out(chosen, deals)[:, :, seat].tolist())


def certain_first(view: View, ordered: Sequence[Advice], forced: Play | None = None) -> list[Advice]:
    """Return advice with a move that wins for certain in the first place, marked as such.

    Args:
        view: View of the seat to move.
        ordered: Advice on candidates.
        forced: A move that starts a forced win, if a player has found one.
    """
    certain = next(iter(certain_win(view)), forced)
    if certain is None:
        return list(ordered)
    same = [one for one in ordered if one.play == certain]
    same = same or [one for one in ordered if kind_of(one.play) == kind_of(certain)][:1]
    first = replace(same[0], play=certain, sure=True) if same else Advice(certain, sure=True)
    return [first, *(one for one in ordered if one not in same)]


def interval_of(values: Sequence[float], size: float) -> tuple[float, float]:
    """Return the 95% interval of the mean of a few values, or of differences of values on the same deals.

    Half an observation of plus and of minus `2 * size` and one of 0 are added: otherwise rare differences, which a few deals
    do not show, would give intervals without width (Agresti and Min, Statistics in Medicine 24, 2005).

    Args:
        values: The values.
        size: Size of payoffs, such as their root mean square.
    """
    number = len(values) + 2
    mean = math.fsum(values) / number
    spread = math.fsum(value * value for value in values) + (2 * size) ** 2 - number * mean * mean
    half = NORMAL_95 * math.sqrt(max(0.0, spread) / (number - 1) / number)
    return mean - half, mean + half


def _best(
    paid: dict[int, list[float]],
    rivals: Sequence[int],
    looks: Sequence[tuple[int, int]],
    play_out: PlayOut,
) -> int:
    """Return the best rival if it is better than candidate 0 in one of some looks, else 0.

    An interval of the difference that excludes 0 decides. A rival is left out if three quarters of the interval are below 0: it
    is then unlikely to be better than the first candidate, or than the best rival that is better than that.
    """

    def more(rival: int, other: int) -> tuple[float, float]:
        return interval_of(_differences(paid[rival], paid[other]), _size((paid[rival], paid[other])))

    def undecided(other: int) -> list[int]:
        intervals = {rival: more(rival, other) for rival in rivals if rival != other}
        return [rival for rival, (low, high) in intervals.items() if low + 3 * high >= 0.0]

    best = 0
    for number, most in looks:
        if number > len(paid[0]):
            for i, further in zip((0, *rivals), play_out((0, *rivals), number - len(paid[0])), strict=True):
                paid[i] += further
        rivals = sorted(undecided(0), key=lambda i: -math.fsum(paid[i]))[:most]
        best = rivals[0] if rivals and more(rivals[0], 0)[0] > 0.0 else 0
        rivals = [best, *undecided(best)] if best else rivals
        if not rivals or rivals == [best]:
            break
    return best


def _differences(paid: Sequence[float], less: Sequence[float]) -> list[float]:
    return [one - other for one, other in zip(paid, less, strict=True)]


def _size(paid: Iterable[Sequence[float]]) -> float:
    """Return the root mean square of payoffs."""
    values = [value for each in paid for value in each]
    return math.sqrt(math.fsum(value * value for value in values) / len(values))


def _player(name: str, ruleset: RuleSet) -> Player | None:
    """Return the compiled player that makes the moves of an agent, `None` if there is none."""
    if name.partition(":")[0] not in KNOWN:
        return None
    try:
        return player_of(make_agent(name), ruleset)
    except ConfigError:
        return None


class Evaluating:
    """Agent with the values of an evaluator, one for each game, ruleset and table."""

    def __init__(self, deals: int = DEALS) -> None:
        self._deals, self._seed = deals, 0
        self._seated: Sequence[str | None] = ()
        self._evaluator: Evaluator | None = None

    def reset(self, seed: int) -> None:
        """Start a game; deals for values are sampled from `seed`."""
        self._seed = seed % 2**64

    def seat_players(self, players: Sequence[str | None]) -> None:
        """Tell against whom values of moves are estimated, see `advice.seat_players`."""
        self._seated = tuple(players)

    def _weights(self, ruleset: RuleSet, num_players: int) -> Path | None:
        """Return the file of the network's weights, `None` for the heuristic in its place."""
        return None

    def _evaluating(self, view: View) -> Evaluator:
        game = view.ruleset, view.num_players
        if self._evaluator is None or self._evaluator.game != game:
            self._evaluator = Evaluator(*game, self._weights(*game), self._deals)
        self._evaluator.seat_players(self._seated)
        return self._evaluator


class HeuristicJudge(Evaluating):
    """The heuristic's moves with the evaluator's values, in games without a network. Values never overrule its choice."""

    def __init__(self, agent: HeuristicAgent) -> None:
        super().__init__()
        self._agent = agent

    def prepare(self, view: View) -> None:
        """Compile the code for values in games like the one in `view` now."""
        self._evaluating(view).prepare()

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the heuristic's move."""
        return self._agent.act(view, legal)

    def order(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return every legal move without values: a certain win, then the order of scores."""
        return certain_first(view, self._agent.advise(view, legal))

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """Return the result of `order`, in which the best moves and those in `also` have values."""
        return self._evaluating(view).judge(view, legal, self.order(view, legal), self._seed, also, overrules=False)


def _playouts(path: Path | None, ruleset: RuleSet, num_players: int) -> PolicyPlayouts:
    from big2_agents.learned.plain_learned import WeightsSource
    from big2_agents.learned.playouts import PolicyPlayouts  # numba takes half a second to load

    if path is None:
        return PolicyPlayouts(ruleset, num_players, players=[weights_of(ruleset)] * num_players)
    return PolicyPlayouts(ruleset, num_players, WeightsSource.settled(path))


@lru_cache(maxsize=64)
def compilation_of_values(path: Path | None, ruleset: RuleSet, num_players: int) -> Compilation:
    """Return the compilation of playouts with values.

    Args:
        path: File of the network's weights, `None` for the heuristic in its place.
        ruleset: The rules of the game.
        num_players: Number of seats.
    """

    def prepare() -> None:
        view, playouts = Game.deal(ruleset, 0, num_players).view(), _playouts(path, ruleset, num_players)
        first = next(iter(view.legal_plays()))
        playouts.payoffs(view, [action_space(ruleset).of_play(first, view.hand)], 1, 0)

    def kind() -> str:
        from big2_env.kernels.variants import variant_of

        return variant_of(ruleset).name

    return Compilation(prepare, "big2_agents.learned.playouts.play_out_actions", kind=kind)
