"""Duplicate deals: a policy plays each deal from every seat, so that luck of the cards and of the seat cancel."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.settlement import Settlement
from big2_env.envs.opponents import OpponentLike, batch_opponent, batch_opponents, takes
from big2_env.kernels.batch import NO_RESET
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import Opponent, RowRandom, ask, refuse_act, uses_history
from big2_env.runs.intervals import Estimate, student
from big2_env.runs.progress import counting

Array = npt.NDArray[Any]
MOST_GAMES: Final = 2048
"""Games played at the same time."""


class Evaluation(NamedTuple):
    """Results of a policy, by deal: means over the seats from which the deal was played."""

    won: npt.NDArray[np.float64]
    """Share of games won, (deals,). The teammate of the first player out wins too."""
    paid: npt.NDArray[np.float64]
    """Payoff in points per game, (deals,)."""

    @property
    def wins(self) -> Estimate:
        """Share of games won, with its 95% interval by deal."""
        return student(self.won.tolist())

    @property
    def payoff(self) -> Estimate:
        """Points per game, with its 95% interval by deal."""
        return student(self.paid.tolist())

    def gain(self, other: Evaluation) -> Estimate:
        """Return the difference to the points per game of another policy on the same deals, with its paired interval.

        Raises:
            ConfigError: The numbers of deals differ.
        """
        if len(self.paid) != len(other.paid):
            raise ConfigError(f"expected an evaluation of {len(self.paid)} deals, got one of {len(other.paid)}")
        return student((self.paid - other.paid).tolist())

    def __str__(self) -> str:
        return f"wins {self.wins:.1%}, {self.payoff:.2f} points per game, {len(self.won)} deals"


def evaluate(
    policy: Any,
    opponents: OpponentLike | Sequence[OpponentLike] = "greedy",
    deals: int = 1000,
    *,
    seed: int = 0,
    ruleset: str | RuleSet = "big2",
    num_players: int | None = None,
    scoring: str | Settlement | None = None,
    dtype: npt.DTypeLike | None = None,
    by_row: bool = False,
) -> Evaluation:
    """Play deals from every seat by a policy, against the same opponents.

    Equal arguments give equal games, so that two policies meet the same deals. Deals do not depend on the number of deals.

    Args:
        policy: A function `f(observations, masks) -> actions` of M decisions at a time, with observations (M, size), masks int8
            (M, actions) and integers (M,); a Stable-Baselines3 model, which plays its most likely actions; or anything that
            environments take as an opponent.
        opponents: One opponent for the other seats, or one for each in order of play.
        deals: Number of deals.
        seed: Seed of the first deal; the next ones have the next numbers. A deal is the first one of a row of `make_vec` that
            is reset with its seed.
        ruleset: Ruleset or its name.
        num_players: Number of seats, the ruleset's default if `None`.
        scoring: Payment, the ruleset's own if `None`.
        dtype: Observation dtype, int8 or float32; by default the model's, int8 for others.
        by_row: True for a function of one decision: an observation (size,) and a mask (actions,).

    Raises:
        ConfigError: An argument is invalid, or a player does not play the ruleset.
        IllegalPlayError: A player chose an illegal action.

    >>> import numpy as np
    >>> print(evaluate(lambda observations, masks: (masks * np.arange(masks.shape[1])).argmax(axis=1), "random", deals=50))
    wins 23.5% ± 5.8%, -0.02 ± 0.08 points per game, 50 deals
    """
    rules = ruleset_named(ruleset) if isinstance(ruleset, str) else ruleset
    rules = rules if scoring is None else rules.with_scoring(scoring)
    if isinstance(deals, bool) or not isinstance(deals, int) or deals < 1:
        raise ConfigError(f"expected 1 deal or more, got {deals!r}")
    seats = rules.seats(num_players)
    at_once = min(deals, MOST_GAMES // seats)
    given = getattr(getattr(policy, "observation_space", None), "dtype", np.int8) if dtype is None else dtype
    engine = BatchEngine(rules, at_once * seats, num_players=seats, dtype=given)
    players = _player(policy, rules, seats, by_row), *batch_opponents(opponents, rules, seats)
    if any(map(uses_history, players)):
        engine.keep_history()
    found = []
    with counting("deals", deals) as advance:
        for first in range(0, deals, at_once):
            found.append(_play(engine, players, seed + first))
            advance(min(at_once, deals - first))
    won, paid = (np.concatenate(parts)[:deals] for parts in zip(*found, strict=True))
    return Evaluation(won, paid)


def _player(policy: Any, rules: RuleSet, seats: int, by_row: bool) -> Opponent:
    """Return a policy as a player of many games."""
    if hasattr(policy, "predict"):
        if "action_masks" not in inspect.signature(policy.predict).parameters:
            return lambda observations, masks, rng: policy.predict(observations, deterministic=True)[0]
        from big2_env.envs.sb3_policy import PolicyOpponent  # torch takes seconds to load

        return PolicyOpponent(policy, deterministic=True)
    if not callable(policy) or isinstance(policy, type) or hasattr(policy, "act") or not takes(policy, 2):
        return batch_opponent(policy, rules, seats)
    if by_row:
        return lambda observations, masks, rng: np.array([int(policy(*each)) for each in zip(observations, masks, strict=True)])

    def at_once(observations: Array, masks: Array, rng: RowRandom) -> Array:
        if (given := np.asarray(policy(observations, masks))).ndim:
            return given
        raise ConfigError(f"expected {len(masks)} actions of {policy!r}, got {given}: by_row=True passes one row at a time")

    return at_once


def _play(engine: BatchEngine, players: Sequence[Opponent], first: int) -> tuple[Array, Array]:
    """Play deals from every seat; return wins and payoffs of the first player by deal."""
    seats, number = len(players), engine.num_games
    rows = np.arange(number)
    own, paid, is_over = rows % seats, np.zeros((number, seats)), np.zeros(number, np.bool_)
    asked: dict[int, list[int]] = {}  # by player, of whom one may sit at several distances
    for place, player in enumerate(players):
        asked.setdefault(id(player), []).append(place)
    engine.seed([first + row // seats for row in range(number)])
    engine.redeal(~is_over)
    while not is_over.all():
        distance, actions = (engine.games.turn - own) % seats, np.zeros(number, np.int64)
        for places in asked.values():
            player, waiting = players[places[0]], np.flatnonzero(~is_over & np.isin(distance, places))
            if len(waiting):
                actions[waiting] = ask(engine, player, waiting, RowRandom(engine.move_streams(waiting)))
        wrong = np.flatnonzero(~is_over & ~engine.are_legal(actions))
        if len(wrong):
            row = int(wrong[0])
            who = f"opponent {players[distance[row]]!r}" if distance[row] else "the policy"
            refuse_act(engine, who, row, int(actions[row]))
        engine.step(actions, NO_RESET)
        ended = (engine.games.winner >= 0) & ~is_over
        paid[ended] = engine.paid[ended]
        is_over |= ended
    winner = engine.games.winner
    got, best = paid[rows, own], paid[rows, winner]
    won = (own == winner) | ((got == best) & (best > 0))
    return won.reshape(-1, seats).mean(axis=1), got.reshape(-1, seats).mean(axis=1)
