"""Games of candidate PPO: seating of players, play to the end, and credit for each decision of the learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.evaluation import Evaluation
from big2_agents.kernels.codes import GREEDY, HEURISTIC, LOWEST, NET, RANDOM
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.hyper_parameters import CandidatePpoParameters, opponent_names
from big2_agents.train.network import NUM_RULE_PLAYERS, Decisions, Networks, Policy, sample, scores
from big2_env.kernels.dialect.kernel import kernel

Array = npt.NDArray[Any]
PAST: Final = -2
"""Controller code of a snapshot of the learner."""
_CODES: Final = {"greedy": GREEDY, "heuristic": HEURISTIC, "random": RANDOM, "lowest": LOWEST}


@dataclass
class Batch:
    """Decisions of the learner in chronological order: n decisions among m plays."""

    features: Decisions
    chosen: Array
    """Index of the chosen play within its decision, int64 (n,)."""
    log_prob: Array
    """Log probability of every play, float32 (m,)."""
    gain: Array
    """Gain of every play, float32 (m,); see `gains`."""
    advantage: Array
    """Advantage of each chosen play, float32 (n,)."""
    target: Array
    """Target of the critics, float32 (n,)."""
    payoff: float
    """Mean payoff of the learner's seats."""


class Choices(NamedTuple):
    """Decisions made by one network: k decisions among j plays."""

    features: Decisions
    chosen: Array
    """Index of the chosen play within its decision, int64 (k,)."""
    log_prob: Array
    """Log probability of every play, float32 (j,)."""
    game: Array
    """int64 (k,)."""
    seat: Array
    """int (k,)."""
    controllers: Array
    """Controllers of the game, int32 (k, seats)."""


class Round(NamedTuple):
    """Request for a round of games."""

    args: CandidatePpoParameters
    opponents: tuple[int, ...]
    """Controller codes to draw opponents from; a code's weight is how often it appears."""
    rng: np.random.Generator
    past: dict[str, Array] | None = None
    """Weights of the snapshot in the opponent pool; `None` for none."""


def opponent_codes(text: str) -> tuple[int, ...]:
    """Return the controller codes of weighted rule-based agents such as `greedy=2,random=1`, each repeated by its weight.

    Raises:
        ConfigError: The text has another form.
    """
    return tuple(_CODES[name] for name in opponent_names(text))


def seat_players(
    rng: np.random.Generator, games: int, seats: int, args: CandidatePpoParameters, opponents: Sequence[int], with_past: bool
) -> Array:
    """Draw the controller of each seat, int32 (N, seats).

    Most games with one learner's seat have opponents of one kind, as in evaluations. They teach the learner to recognize
    opponents by their plays and to exploit them, which self-play alone does not teach.

    Args:
        rng: Generator of the seats.
        games: Number of games, N.
        seats: Seats per game.
        args: Hyper-parameters with the shares of games.
        opponents: Controller codes to draw opponents from.
        with_past: True if a snapshot of the learner is one of the opponents.
    """
    codes = np.array([*opponents, *(PAST,) * 3 * with_past], np.int32)
    number = np.where(rng.random(games) < args.solo_share, seats - 1, rng.integers(1, max(2, seats - 1), games))
    number[rng.random(games) >= args.opponent_share] = 0
    is_opponent = rng.permuted(np.tile(np.arange(seats), (games, 1)), axis=1) < number[:, None]
    of_one_kind = rng.random(games) < 0.85
    kinds = np.where(of_one_kind[:, None], rng.choice(codes, (games, 1)), rng.choice(codes, (games, seats)))
    return np.where(is_opponent, kinds, NET).astype(np.int32)


def draw_team_games(rng: np.random.Generator, controllers: Array, team_share: float) -> Array:
    """Draw the one-seat games in which the learner also plays its partners, bool (N,).

    A farmer (农民) whose partner is always a rule-based agent does not learn to cooperate with a network like itself.

    Args:
        rng: Generator.
        controllers: Controllers from `seat_players`, int32 (N, seats).
        team_share: Fraction of one-seat games to draw.
    """
    is_alone = (controllers == NET).sum(axis=1) == 1
    drawn: Array = is_alone & (rng.random(len(controllers)) < team_share)
    return drawn


def player_codes(number: int) -> Array:
    """Return the controller codes of the first players that a critic distinguishes, int64 (number,).

    They are the rule-based agents, the snapshot, and the members of the league.
    """
    codes = np.arange(number)
    return np.where(codes < NUM_RULE_PLAYERS, codes, PAST + NUM_RULE_PLAYERS - codes)


def other_players(controllers: Array, seats: Array, number: int) -> Array:
    """Return the player of each other seat, one-hot, in turn order from each seat, int8 (n, others * number).

    The entries of a seat that the learner plays are 0.

    Args:
        controllers: Controllers of the game of each decision, int32 (n, seats).
        seats: Seats of the decisions, int (n,).
        number: Number of players that are distinguished, in the order of `player_codes`.
    """
    rows, players = controllers.shape
    others = np.take_along_axis(controllers, (seats[:, None] + np.arange(1, players)) % players, axis=1)
    found: Array = (others[:, :, None] == player_codes(number)).astype(np.int8)
    return found.reshape(rows, (players - 1) * number)


def rewards_of(games: PlayedGames, args: CandidatePpoParameters, scale: float) -> Array:
    """Return scaled payoffs plus the bonus for beating rule-based agents, float32 (N, seats); 0 in unfinished games."""
    has_opponent = (games.controllers >= 0).any(axis=1, keepdims=True)
    return (games.payoffs() / scale + args.win_bonus * (has_opponent & games.won())).astype(np.float32)


def choose(
    games: PlayedGames, rows: Array, networks: Mapping[int, Policy], rng: np.random.Generator | None, *, hidden: bool = False
) -> Choices | None:
    """Make the choices of some games by the networks that play there; return the learner's, `None` for none.

    Args:
        games: The games.
        rows: Games that have a decision now, int64 (n,).
        networks: The networks by controller code.
        rng: Generator to draw plays; `None` for the most likely ones.
        hidden: True to return the learner's choices with the features of the hidden hands.
    """
    seat, own = games.games.turn[rows], None
    whose = games.controllers[rows, seat]
    for code, network in networks.items():
        where = np.flatnonzero(whose == code)
        if len(where):
            part, is_own = rows[where], code == NET
            features = Decisions.of(games.features(part, hidden=hidden and is_own), network.device)
            chosen, log_prob = sample(scores(network, features)[0].cpu().numpy(), features.offsets.numpy(), rng)
            if is_own:
                own = Choices(features, chosen, log_prob, part, seat[where], games.controllers[part])
            games.choose(part, chosen)
    return own


def play_to_end(games: PlayedGames, rows: Array, networks: Mapping[int, Policy]) -> None:
    """Play games to the end by the networks' best plays; call under `torch.no_grad`.

    Args:
        games: The games.
        rows: Games that have a decision now, int64 (n,).
        networks: The networks by controller code.
    """
    while len(rows):
        choose(games, rows, networks, None)
        rows = games.advance()


@torch.no_grad()
def collect(
    games: PlayedGames, networks: Networks, request: Round, scale: float, others: Mapping[int, Policy] | None = None
) -> Batch:
    """Deal and play all games, and return the learner's decisions with their credit.

    Args:
        games: The games of a round.
        networks: The learner's networks.
        request: The round.
        scale: Divisor of payoffs.
        others: Networks among the opponents, by controller code: the league, and the snapshot of the policy.
    """
    others = others or {}
    args, rng, number = request.args, request.rng, len(games.games)
    controllers = seat_players(rng, number, games.seats, args, request.opponents, PAST in others)
    marks = {}
    if games.has_auction:
        joins = draw_team_games(rng, controllers, args.team_share)
        marks = {"joins": joins, "is_drawn": rng.random(number) < args.random_auctions}
    games.deal(rng.integers(0, 2**63, number), controllers, **marks)
    networks = networks.for_play()
    players = {NET: networks.policy} | {code: policy.for_play() for code, policy in others.items()}
    steps = []
    while len(rows := games.advance()):
        made = choose(games, rows, players, rng, hidden=True)
        steps += [] if made is None else [made]
    payoff = float(games.payoffs()[games.controllers == NET].mean())
    return _batch(steps, networks, rewards_of(games, args, scale).reshape(-1), args, payoff)


def _batch(steps: list[Choices], networks: Networks, final: Array, args: CandidatePpoParameters, payoff: float) -> Batch:
    """Return the decisions of all steps with their credit; `final` is the reward of each seat, by game and seat."""
    parts, *joined = zip(*steps, strict=True)
    chosen, log_prob, game, seat, controllers = map(np.concatenate, joined)
    features = Decisions.joined(parts)
    others = torch.from_numpy(other_players(controllers, seat, networks.critic.players)).to(features.device)
    features.hidden = torch.cat([features.hidden, others], dim=1)
    offsets = features.offsets.numpy()
    picks = offsets[:-1] + chosen
    valued = np.split(valued_plays(offsets, picks, log_prob, args.min_prob), offsets[args.minibatch :: args.minibatch])
    play_values = torch.cat(list(map(networks.play_values, features.split(args.minibatch), valued))).cpu().numpy()
    value = np.add.reduceat(np.exp(log_prob) * play_values, offsets[:-1])
    key = game * controllers.shape[1] + seat
    target = play_values[picks] + surprises(key, value, play_values[picks], final, args.gae_lambda)
    gain = gains(offsets, picks, log_prob, play_values, value, target, args.min_prob)
    return Batch(features, chosen, log_prob, gain, target - value, target, payoff)


def valued_plays(offsets: Array, picks: Array, log_prob: Array, min_prob: float) -> Array:
    """Return which plays get values of their own, bool (m,): chosen and likely ones, if a decision has at least two.

    All others count as the value of their decision, so nothing is computed for them. Arguments as for `gains`.
    """
    found: Array = np.exp(log_prob) > min_prob
    found[picks] = True
    counts = np.add.reduceat(found, offsets[:-1], dtype=np.int64)
    return found & (counts > 1).repeat(np.diff(offsets))


@torch.no_grad()
def evaluate(
    games: PlayedGames, policy: Policy, opponent: int, seed: int, opponents: Mapping[int, Policy] | None = None
) -> Evaluation:
    """Evaluate the policy's best plays in one seat against copies of another agent.

    Args:
        games: The games; each deal is played from every seat.
        policy: The policy.
        opponent: Controller code of the opponent: a rule-based agent's in `kernels.codes`, or a key of `opponents`.
        seed: Seed of the first deal.
        opponents: Trained opponents by controller code.
    """
    seats, every = games.seats, np.arange(len(games.games))
    number = len(every) // seats * seats
    controllers = np.full((len(every), seats), opponent, np.int32)
    controllers[every, every % seats] = NET
    games.deal(seed + every // seats, controllers)
    networks = {code: network.for_play() for code, network in {NET: policy, **(opponents or {})}.items()}
    play_to_end(games, games.advance(), networks)
    won, paid = (of[controllers == NET][:number].reshape(-1, seats).mean(axis=1) for of in (games.won(), games.payoffs()))
    return Evaluation(won, paid)


@kernel(entry=True)
def surprises(key: Array, value: Array, chosen_value: Array, final: Array, lambda_: float) -> Array:
    """Estimate how much better than predicted each chosen play turned out, float32 (n,).

    This is the error of expected SARSA(lambda) along each seat's own decisions, with one reward at the end of the game,
    undiscounted. If `chosen_value` equals `value`, it is the generalized advantage estimate. Sources: Schulman et al.,
    arXiv 1506.02438; van Seijen et al., "A theoretical and empirical analysis of Expected Sarsa", 2009.

    Args:
        key: game * seats + seat of each decision, int64 (n,), in chronological order.
        value: Predicted value of each decision, float32 (n,).
        chosen_value: Predicted value of each chosen play, float32 (n,).
        final: Reward of each seat, by key, float32.
        lambda_: Lambda.
    """
    surprise = np.empty(len(key), np.float32)
    next_value, next_surprise = final.copy(), np.zeros(len(final), np.float32)
    for i in range(len(key) - 1, -1, -1):
        seat = key[i]
        next_surprise[seat] = surprise[i] = next_value[seat] - chosen_value[i] + lambda_ * next_surprise[seat]
        next_value[seat] = value[i]
    return surprise


@kernel(entry=True)
def gains(
    offsets: Array, picks: Array, log_prob: Array, play_values: Array, value: Array, target: Array, min_prob: float
) -> Array:
    """Estimate the derivative of the policy's expected payoff with respect to the score of each play, float32 (m,).

    Every play counts, chosen or not, by its probability and its predicted value (Asadi et al., arXiv 1709.00503). Plays less
    likely than `min_prob` count as the value of the decision, because critics rarely see them chosen. The chosen play also
    gets the difference between its target and what it counts as. So the estimate is right on average even if the critics are
    not, and the better they are, the less it varies.

    Args:
        offsets: Start of the plays of each decision, int64 (n + 1,), with the end, m.
        picks: Indices of the chosen plays among all plays, int64 (n,).
        log_prob: Log probability of every play, float32 (m,).
        play_values: Predicted value of every play, float32 (m,).
        value: Predicted value of each decision, float32 (n,).
        target: Target of each chosen play, float32 (n,).
        min_prob: Lowest probability of a play whose predicted value counts.
    """
    out = np.zeros(len(log_prob), np.float32)
    for n in range(len(picks)):
        first, end, mean = offsets[n], offsets[n + 1], np.float32(0)
        for i in range(first, end):
            if np.exp(log_prob[i]) > min_prob:
                out[i] = play_values[i] - value[n]
                mean += np.exp(log_prob[i]) * out[i]
        surprise = target[n] - value[n] - out[picks[n]]
        for i in range(first, end):
            out[i] = np.exp(log_prob[i]) * (out[i] - mean)
        out[picks[n]] += surprise
    return out
