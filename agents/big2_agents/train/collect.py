"""Self-play for the strong learner: whole games, every choice of the learner with what its plays gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt
import torch

from big2_agents.compiled.features import HIDDEN_SIZE
from big2_agents.compiled.lookahead import Lookahead
from big2_agents.compiled.policies import GREEDY, HEURISTIC, LOWEST, RANDOM
from big2_agents.compiled.selfplay import NET, Inputs, PlayedGames
from big2_agents.train.credit import advantages, gains
from big2_agents.train.network import NUM_GUESTS, Critic, Policy, as_input, log_softmax

Array = npt.NDArray[Any]
PAST: Final = -2
"""Controller code of an earlier self."""
FLOOR: Final = 0.004
"""Plays less likely than this are not looked at unless they are made."""


@dataclass
class Batch:
    """Choices of the learner in the order they were made; n choices with m plays in all."""

    inputs: Inputs
    chosen: Array
    """int64 (n,): index among the plays of its choice."""
    log_prob: Array
    """float32 (m,): of every play."""
    gain: Array
    """float32 (m,): what the policy gains by each play, as `credit.gains` says."""
    advantage: Array
    """float32 (n,): of the chosen plays, along the game as it went."""
    target: Array
    """float32 (n,): what the critic should have said."""
    payoff: float
    """Mean payoff of the learner's seats."""
    games: int


GUESTS: Final = (GREEDY,) * 4 + (HEURISTIC,) * 4 + (RANDOM,) * 3 + (LOWEST,)
"""Rule players beside the learner, each as often as it stands here; earlier selves count three."""


def seat_players(rng: np.random.Generator, num_games: int, share: float, with_past: bool) -> Array:
    """Who sits where, int32 (N, 4): in a `share` of the games guests, rule players or an earlier self, have one to three seats.

    Mostly the learner is alone against three guests of one kind, as in the tables of comparison: a seat alone learns to
    tell from their plays who they are, and what is best against them; self-play alone does not teach that.
    """
    guests = np.array(GUESTS + (PAST,) * 3 * with_past, np.int32)
    number = np.where(rng.random(num_games) < 0.9, 3, rng.integers(1, 3, num_games))
    number[rng.random(num_games) >= share] = 0
    is_guest = rng.permuted(np.tile(np.arange(4), (num_games, 1)), axis=1) < number[:, None]
    of_one_kind = rng.random(num_games) < 0.85
    kinds = np.where(of_one_kind[:, None], rng.choice(guests, (num_games, 1)), rng.choice(guests, (num_games, 4)))
    return np.where(is_guest, kinds, NET).astype(np.int32)


def guests_of(controllers: Array, rows: Array, seats: Array) -> Array:
    """Which rule player each of the others is, in turn order from each seat, int8 (n, 3 * NUM_GUESTS); networks are all 0."""
    others = controllers[rows[:, None], (seats[:, None] + np.arange(1, 4)) % 4]
    kinds: Array = (others[:, :, None] == np.arange(NUM_GUESTS)).astype(np.int8)
    return kinds.reshape(len(rows), -1)


def scores(policy: Policy, inputs: Inputs) -> tuple[torch.Tensor, torch.Tensor]:
    """The log probability of every play and the choice it belongs to."""
    counts = torch.from_numpy(np.diff(inputs.offsets))
    owner = torch.repeat_interleave(torch.arange(len(counts)), counts)
    return log_softmax(policy(as_input(inputs.states), as_input(inputs.plays), owner), owner, len(counts)), owner


def sample(log_prob: Array, offsets: Array, rng: np.random.Generator | None) -> Array:
    """A play for each choice, int64 (n,): drawn by its probability, or the most likely one without `rng`."""
    if rng is not None:  # the largest of log p + Gumbel noise is a draw
        log_prob = log_prob - np.log(-np.log(rng.random(len(log_prob)) + 1e-20) + 1e-20)
    picks: Array = _arg_max(log_prob, offsets)
    return picks


@nb.njit(cache=True)
def _arg_max(values: Array, offsets: Array) -> Array:
    out = np.empty(len(offsets) - 1, np.int64)
    for n in range(len(out)):
        best = offsets[n]
        for i in range(offsets[n], offsets[n + 1]):
            if values[i] > values[best]:
                best = i
        out[n] = best - offsets[n]
    return out


@nb.njit(cache=True)
def take(offsets: Array, plays: Array, rows: Array) -> tuple[Array, Array]:
    """The plays of some choices one after the other, and their offsets."""
    out_offsets = np.zeros(len(rows) + 1, np.int64)
    for n, row in enumerate(rows):
        out_offsets[n + 1] = out_offsets[n] + offsets[row + 1] - offsets[row]
    out = np.empty((out_offsets[-1], plays.shape[1]), plays.dtype)
    for n, row in enumerate(rows):
        out[out_offsets[n] : out_offsets[n + 1]] = plays[offsets[row] : offsets[row + 1]]
    return out, out_offsets


def subset(inputs: Inputs, rows: Array) -> Inputs:
    """The inputs of some of the choices."""
    plays, offsets = take(inputs.offsets, inputs.plays, rows)
    hidden = inputs.hidden[rows] if len(inputs.hidden) else inputs.hidden
    return Inputs(inputs.states[rows], hidden, plays, offsets)


@dataclass
class _Step:
    """The learner's choices at one step of all games, k choices with j plays."""

    inputs: Inputs
    chosen: Array
    """int64 (k,)."""
    log_prob: Array
    """float32 (j,)."""
    looked_at: Array
    """float32 (j,): what plays lead to, by the critic or in the end; NaN where that was not looked at, see `credit.gains`."""
    value: Array
    """float32 (k,): what the critic says of the choice."""
    key: Array
    """int64 (k,): game * 4 + seat."""


@dataclass
class _Rewards:
    """What the end of a game counts: the payoff divided by `scale`, and `win_bonus` for winning against rule players."""

    scale: float
    win_bonus: float

    def __call__(self, payoff: Array, won: Array) -> Array:
        """float32, shaped as the payoffs."""
        return (payoff / self.scale + self.win_bonus * won).astype(np.float32)


def _look_ahead(
    look: Lookahead,
    games: PlayedGames,
    critic: Critic,
    rewards: _Rewards,
    rows: Array,
    part: Inputs,
    log_prob: Array,
    picks: Array,
) -> Array:
    """`looked_at` of a step: of the plays that are likely enough, where the others are rule players alone."""
    owner = np.repeat(np.arange(len(rows)), np.diff(part.offsets))
    is_alone = (games.controllers[rows] < 0).sum(axis=1) == 1
    worth = is_alone[owner] & (log_prob > np.log(FLOOR))
    looked_at = np.where(worth, np.float32(0), np.float32(np.nan))
    worth[part.offsets[:-1] + picks] = False
    plays = np.flatnonzero(worth)
    owner = owner[plays]
    ahead = look(games, rows[owner], plays - part.offsets[owner])
    found = rewards(ahead.payoff, ahead.won)
    on = np.flatnonzero(~ahead.over)
    hidden = np.concatenate([ahead.hidden, part.hidden[owner, HIDDEN_SIZE:]], axis=1)  # the guests stay who they are
    found[on] = critic(as_input(ahead.states[on]), as_input(hidden[on])).numpy()
    looked_at[plays] = found
    return looked_at


@torch.no_grad()
def collect(
    games: PlayedGames,
    policy: Policy,
    critic: Critic,
    past: Policy | None,
    rng: np.random.Generator,
    *,
    share: float,
    scale: float,
    decay: float,
    win_bonus: float = 0.0,
) -> Batch:
    """Deal all games anew, play them to the end, and return the learner's choices.

    A payoff counts divided by `scale`; a game won against a rule player counts `win_bonus` more.
    """
    number = len(games.games)
    controllers = seat_players(rng, number, share, past is not None)
    games.deal(rng.integers(0, 2**63, number), controllers)
    rewards, look = _Rewards(scale, win_bonus), Lookahead()
    steps: list[_Step] = []
    while len(rows := games.advance()):
        inputs = games.inputs(rows, hidden=True)
        seats = games.games.turn[rows]
        inputs.hidden = np.concatenate([inputs.hidden, guests_of(controllers, rows, seats)], axis=1)
        own = controllers[rows, seats] == NET
        chosen = np.zeros(len(rows), np.int64)
        for net, mine in ((policy, own), (past, ~own)):
            if net is None or not mine.any():
                continue
            which = np.flatnonzero(mine)
            part = inputs if len(which) == len(rows) else subset(inputs, which)
            log_prob = scores(net, part)[0].numpy()
            picks = sample(log_prob, part.offsets, rng)
            chosen[which] = picks
            if net is policy:
                value = critic(as_input(part.states), as_input(part.hidden)).numpy()
                looked_at = _look_ahead(look, games, critic, rewards, rows[which], part, log_prob, picks)
                steps.append(_Step(part, picks, log_prob, looked_at, value, rows[which] * 4 + seats[which]))
        games.choose(rows, chosen)
    payoffs = games.payoffs()
    has_guest = (controllers >= 0).any(axis=1, keepdims=True)
    final = rewards(payoffs, has_guest & (games.games.winner[:, None] == np.arange(4))).reshape(-1)
    picks, log_prob, looked_at, value, key = (
        np.concatenate([getattr(step, name) for step in steps]) for name in ("chosen", "log_prob", "looked_at", "value", "key")
    )
    states, hidden, plays = (
        np.concatenate([getattr(step.inputs, name) for step in steps]) for name in ("states", "hidden", "plays")
    )
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(step.inputs.offsets) for step in steps]))])
    advantage, target, led_to = advantages(key, value, final, decay)
    return Batch(
        Inputs(states, hidden, plays, offsets),
        picks,
        log_prob,
        gains(offsets, picks, log_prob, looked_at, value, advantage, led_to),
        advantage,
        target,
        float(payoffs[controllers == NET].mean()),
        number,
    )


@torch.no_grad()
def evaluate(games: PlayedGames, policy: Policy, opponent: int, seed: int) -> tuple[float, float, float]:
    """Win rate, mean payoff and its standard error of the policy's best plays alone against three of one rule player.

    Each deal is played in all four seats; the deal is the unit of the error.
    """
    number = len(games.games) // 4 * 4
    controllers = np.full((len(games.games), 4), opponent, np.int32)
    controllers[np.arange(len(games.games)), np.arange(len(games.games)) % 4] = NET
    games.deal(seed + np.arange(len(games.games)) // 4, controllers)
    while len(rows := games.advance()):
        inputs = games.inputs(rows)
        games.choose(rows, sample(scores(policy, inputs)[0].numpy(), inputs.offsets, None))
    own = games.payoffs()[controllers == NET][:number].reshape(-1, 4).mean(axis=1)
    won = games.games.winner == np.arange(len(games.games)) % 4
    return float(won[:number].mean()), float(own.mean()), float(own.std() / np.sqrt(len(own)))
