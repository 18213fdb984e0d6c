"""Deals by name, the same for everyone: the deal of a day, or the deal of a seed, against the same agents.

The seed of a day's deal is the first 8 bytes, as a big-endian number, of the SHA-256 of `big2 deal GAME DATE`, such as
`big2 deal big2 2026-11-24`. It is public, so players have to trust each other. On a day the person has the seat that is paid
most if the agents of the other seats play in all of them, so every day's hand can win.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Any, Final, NamedTuple

from big2_env.agents.advice import default_adviser
from big2_env.agents.interface import Agent, available_agents, can_play, make_agent, play_turn, reset_seats
from big2_env.base.errors import ConfigError, quoted
from big2_env.base.language import Words
from big2_env.base.rng import MASK_64
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import unknown_ruleset
from big2_env.climbing.rulesets import available_rulesets, named
from big2_env.tables.session.par import Par, ParPlayers, can_play_through, standing_of
from big2_env.tables.session.table_session import TableSession
from big2_env.text.names import points

SEAT: Final = 0
"""Seat of the person in the deal of a seed."""
SQUARES: Final = 5
"""Number of squares in the lines to share: all are green for a win, else the share of the hand that was played."""
MOST_KEPT: Final = 200
"""Number of deals whose results are kept in memory."""
_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SEED: Final = re.compile("[0-9]{1,20}")


@cache
def _data() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads((files(__package__) / "data" / "deals.json").read_text(encoding="utf-8"))
    return found


def daily_games() -> list[str]:
    """Return the games that have a deal of the day."""
    return _data()["daily"]


@dataclass(frozen=True)
class NamedDeal:
    """A deal that its name decides, with the agents of the other seats.

    Args:
        ruleset: Rules of the game.
        name: A date or a seed.
        seed: Seed of the deal.
        is_daily: True if the name is a date.
    """

    ruleset: RuleSet
    name: str
    seed: int
    is_daily: bool

    @property
    def seat(self) -> int:
        """The person's seat, found by a game of the agents for a day that is asked for the first time."""
        key = self.ruleset.name, self.name
        if not self.is_daily:
            return SEAT
        if key not in _SEATS:
            game = players_of(self.ruleset).played(self)
            assert game.outcome is not None
            _SEATS[key] = max(range(len(game.outcome.payoffs)), key=game.outcome.payoffs.__getitem__)
        return _SEATS[key]

    @property
    def opponents(self) -> list[str]:
        """Agent of each other seat: the strongest that runs without compiled code."""
        return [default_adviser(self.ruleset)] * (self.ruleset.default_players - 1)

    @property
    def compared(self) -> list[str]:
        """Agents whose results from the person's seat are compared, the strongest first."""
        installed, number = available_agents(), self.ruleset.default_players
        return [one for one in _data()["agents"] if one in installed and can_play(make_agent(one), self.ruleset, number)]

    def session(self, **options: Any) -> TableSession:
        """Return a session with this deal.

        Args:
            **options: Further arguments of `TableSession`.
        """
        return TableSession(self.ruleset, self.opponents, seat=self.seat, seed=self.seed, **options)


def named_deal(game: str, name: str) -> NamedDeal:
    """Return the deal of a name.

    Args:
        game: Name of a climbing game.
        name: A date such as `2026-11-24`, or a seed.

    Raises:
        ConfigError: The game does not exist, or the name is neither a date nor a seed.

    >>> named_deal("big2", "2026-11-24").seed == named_deal("big2", "2026-11-25").seed, named_deal("big2", "7").seed
    (False, 7)
    """
    rules = named(game)
    if rules is None:
        raise ConfigError(unknown_ruleset(game, available_rulesets()))
    if _DAY.fullmatch(name):
        try:
            date.fromisoformat(name)
        except ValueError:
            raise ConfigError(f"expected a date of the calendar, got {name}") from None
        digest = hashlib.sha256(f"big2 deal {rules.name} {name}".encode()).digest()
        return NamedDeal(rules, name, int.from_bytes(digest[:8], "big"), True)
    if _SEED.fullmatch(name) and int(name) <= MASK_64:
        return NamedDeal(rules, str(int(name)), int(name), False)
    raise ConfigError(f"expected a date such as 2026-11-24, or a seed from 0 to {MASK_64}, got {quoted(name)}")


class Result(NamedTuple):
    """Result of the person's seat in a deal."""

    payoff: float
    """Payoff, to seven decimals."""
    cards_left: int
    """Number of cards left."""
    play: str = ""
    """Digest of all moves of the game; empty if unknown."""

    @property
    def has_won(self) -> bool:
        """True if the seat was paid."""
        return self.payoff > 0


def result_of(game: Game, seat: int) -> Result:
    """Return the result of a seat in a finished game."""
    outcome = game.outcome
    assert outcome is not None
    moves = ";".join(f"{move.seat} {move.play}" for move in game.history)
    return Result(round(outcome.payoffs[seat], 7), outcome.cards_left[seat], hashlib.sha256(moves.encode()).hexdigest()[:8])


class DealPlayers:
    """Agents that play deals of one game from the person's seat. They are made once and reset for each deal, one at a time."""

    def __init__(self, deal: NamedDeal) -> None:
        self._opponents = deal.opponents
        self._others: list[Agent] = []
        self._own: dict[str, Agent] = {}
        self._par: ParPlayers | None = None
        self._last: tuple[NamedDeal, Game] | None = None
        """Last game with the same agent in all seats, which also decides the person's."""
        self._lock = Lock()

    def played(self, deal: NamedDeal, agent: str | None = None) -> Game:
        """Return a finished game with an agent in the person's seat.

        Args:
            deal: The deal.
            agent: The agent; `None` for the same one as in the other seats.

        Raises:
            ConfigError: An agent fails.
        """
        is_same = agent in (None, self._opponents[0])
        seat = SEAT if is_same else deal.seat
        with self._lock:
            if is_same and self._last is not None and self._last[0] == deal:
                return self._last[1]
            agents = self._seated(agent or self._opponents[0], seat)
            game = Game.deal(deal.ruleset, deal.seed, deal.ruleset.default_players)
            reset_seats(agents, game)
            while not game.is_over:
                play_turn(game, agents)
            if is_same:
                self._last = deal, game
            return game

    def par(self, deal: NamedDeal) -> Par:
        """Return the par of a deal.

        Raises:
            ConfigError: An agent fails.
        """
        seat = deal.seat
        with self._lock:
            self._par = self._par or ParPlayers(deal.ruleset)
            return self._par.par(deal.seed, seat)

    def prepare(self, deal: NamedDeal) -> None:
        """Compile the code of the agents now, instead of in the background."""
        view = Game.deal(deal.ruleset, deal.seed, deal.ruleset.default_players).view()
        for agent in (each for name in deal.compared for each in self._seated(name, SEAT)):
            if (prepare := getattr(agent, "prepare", None)) is not None:
                prepare(view)

    def _seated(self, agent: str, seat: int) -> list[Agent]:
        self._others = self._others or [make_agent(name) for name in self._opponents]
        if agent not in self._own:
            self._own[agent] = make_agent(agent)
        return [*self._others[:seat], self._own[agent], *self._others[seat:]]


class Comparison:
    """Results of the compared agents in a deal, computed one by one on request, and its par after them.

    Args:
        deal: The deal.
        players: Agents that play it, shared with other deals; by default its own.
    """

    def __init__(self, deal: NamedDeal, players: DealPlayers | None = None) -> None:
        self.deal = deal
        self.results: dict[str, Result] = {}
        """Results so far, by agent."""
        self._players = players or DealPlayers(deal)
        self.agents = deal.compared
        """Agents to compare, the strongest first."""
        self.par: Par | None = None
        """Results of many playthroughs; `None` until they are computed, and if they cannot be."""
        self.has_par = can_play_through(deal.opponents[0])
        """True if there is or will be a par."""
        self._lock = Lock()

    @property
    def is_done(self) -> bool:
        """True once all results are known."""
        return self.done == self.of

    @property
    def done(self) -> int:
        """Number of steps that are made."""
        return len(self.results) + (self.par is not None)

    @property
    def of(self) -> int:
        """Number of all steps."""
        return len(self.agents) + self.has_par

    def _next(self) -> str | None:
        return next((agent for agent in self.agents if agent not in self.results), None)

    def step(self) -> None:
        """Let one more agent play the deal, or at last compute the par; do nothing if all is known.

        Raises:
            ConfigError: An agent fails.
        """
        with self._lock:
            if (agent := self._next()) is not None:
                self.results[agent] = result_of(self._players.played(self.deal, agent), self.deal.seat)
            elif self.has_par and self.par is None:
                self.par = self._players.par(self.deal)

    def rows(self) -> Iterator[tuple[str, Result]]:
        """Yield the agents whose results are known, with their results."""
        yield from ((agent, self.results[agent]) for agent in self.agents if agent in self.results)


@cache
def players_of(ruleset: RuleSet) -> DealPlayers:
    """Return the agents that play the deals of a game in this process."""
    return DealPlayers(NamedDeal(ruleset, "0", 0, False))


_KEPT: Final[dict[tuple[str, str], Comparison]] = {}
"""Comparisons by game and name of the deal, the least recently used first."""
_KEPT_LOCK: Final = Lock()
_SEATS: Final[dict[tuple[str, str], int]] = {}
"""The person's seats by game and day, as far as they are known."""


def take_day(deal: NamedDeal, day: Mapping[str, Any], agents: Any) -> None:
    """Take the results of a day that `row_of` made; nothing of what is not such a row."""
    if results := results_in(day.get("row"), agents):
        _SEATS[deal.ruleset.name, deal.name] = int(day["seat"])
        found = comparison(deal, results)
        if (par := day.get("par")) is not None:
            found.par, found.has_par = Par(float(par[0]), tuple((one[0], one[1], one[2]) for one in par[1])), True


def comparison(deal: NamedDeal, known: Mapping[str, Result] | None = None) -> Comparison:
    """Return the comparison of a deal, which the process keeps for a while.

    Args:
        deal: The deal.
        known: Results by agent that are known already.
    """
    key = deal.ruleset.name, deal.name
    with _KEPT_LOCK:  # a server asks in several threads
        found = _KEPT.pop(key, None) or Comparison(deal, players_of(deal.ruleset))
        found.results |= known or {}  # the same ones, if they are there already
        _KEPT[key] = found
        while len(_KEPT) > MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        return found


def row_of(results: Mapping[str, Result], agents: Sequence[str]) -> list[Any]:
    """Return the results of agents as a compact list of JSON values."""
    found: list[Any] = [[one.payoff, one.cards_left] for one in (results[agent] for agent in agents)]
    return [*found, results[agents[0]].play]


def results_in(row: Any, agents: Any) -> dict[str, Result]:
    """Return the results in a list that `row_of` made; nothing if it is not such a list."""
    try:
        *pairs, play = row
        found = {str(agent): Result(float(payoff), int(left)) for agent, (payoff, left) in zip(agents, pairs, strict=True)}
        return found | {str(agents[0]): found[str(agents[0])]._replace(play=str(play))}
    except (TypeError, ValueError, KeyError, IndexError):
        return {}


def par_text(par: Par | None, game: Game, seat: int, tr: Words) -> str:
    """Return the place of a result among the playthroughs, in a few words; nothing without a par."""
    return "" if par is None else tr("deals.better", share=f"{par.share_below(standing_of(game, seat)):.0%}")


def share_lines(
    deal: NamedDeal, game: Game, undone: int, hints: int, tr: Words, seat: int, par: Par | None = None
) -> list[str]:
    """Return the first three of four lines to share, without cards and results of others. The caller adds a link.

    Args:
        deal: The deal.
        game: The person's finished game.
        undone: Number of choices taken back.
        hints: Number of hints.
        tr: Texts of the language.
        seat: The person's seat.
        par: Par of the deal, if it is known.
    """
    own, size = result_of(game, seat), game.start.hands[seat].bit_count()
    filled = SQUARES if own.has_won else max(0, (SQUARES - 1) * (size - own.cards_left) // size)
    squares = "🟩" * filled + "⬜" * (SQUARES - filled)
    result = tr("deals.won" if own.has_won else "deals.lost", count=own.cards_left, points=points(own.payoff))
    help_words = [tr(f"deals.{key}", count=count) for key, count in (("hints", hints), ("undone", undone)) if count]
    kind = "deals.share_day" if deal.is_daily else "deals.share_seed"
    return [
        tr(kind, game=tr.game(deal.ruleset.name, deal.ruleset.zh), name=deal.name),
        f"{squares} {' · '.join(filter(None, (result, par_text(par, game, seat, tr))))}",
        " · ".join(help_words) or tr("deals.no_help"),
    ]
