"""Games of candidate PPO: seating of players, play to the end, and credit for each decision of the learner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.kernels.acts import GREEDY, HEURISTIC, LOWEST, NET, RANDOM
from big2_agents.kernels.selfplay import Features, PlayedGames
from big2_agents.train.hyper_parameters import CandidatePpoParameters, opponent_names
from big2_agents.train.loop import Evaluation
from big2_agents.train.network import NUM_RULE_PLAYERS, Choices, Critic, Policy, draw
from big2_env.kernels.dialect.kernel import kernel

Array = npt.NDArray[Any]
PAST: Final = -2
"""Controller code of a snapshot of the learner."""
_CODES: Final = {"greedy": GREEDY, "heuristic": HEURISTIC, "random": RANDOM, "lowest": LOWEST}


@dataclass
class Batch:
    """Decisions of the learner in chronological order: n decisions among m plays."""

    features: Features
    chosen: Array
    """Index of the chosen play within its decision, int64 (n,)."""
    log_prob: Array
    """Log probability of every play, float32 (m,)."""
    gain: Array
    """Gain of every play, float32 (m,); see `gains`."""
    advantage: Array
    """Advantage of each chosen play in the actual game, float32 (n,)."""
    target: Array
    """Target of the critic, float32 (n,)."""
    payoff: float
    """Mean payoff of the learner's seats."""


@dataclass
class _Step:
    """Decisions of the learner at one step of all games: k decisions among j plays."""

    made: Choices
    play_values: Array
    """Values of plays from `Judge.look_ahead`, float32 (j,)."""
    value: Array
    """Values predicted by the critic, float32 (k,)."""
    is_played_out: Array
    """True if the chosen play was also tried by a playout, bool (k,)."""
    key: Array
    """game * seats + seat, int64 (k,)."""


def opponent_codes(text: str) -> tuple[int, ...]:
    """Return the controller codes of weighted rule-based agents such as `greedy=2,random=1`, each repeated by its weight.

    Raises:
        ConfigError: The text has another form.
    """
    return tuple(_CODES[name] for name in opponent_names(text))


def seat_players(
    rng: np.random.Generator,
    num_games: int,
    seats: int,
    opponent_share: float,
    opponents: Sequence[int],
    with_past: bool,
    solo_share: float = CandidatePpoParameters.solo_share,
) -> Array:
    """Draw the controller of each seat, int32 (N, seats).

    Most games with one learner's seat have opponents of one kind, as in evaluations. They teach the learner to recognize
    opponents by their plays and to exploit them, which self-play alone does not teach.

    Args:
        rng: Generator of the seats.
        num_games: Number of games, N.
        seats: Seats per game.
        opponent_share: Fraction of games with opponents.
        opponents: Controller codes to draw opponents from.
        with_past: True if a snapshot of the learner is one of the opponents.
        solo_share: Fraction of these games in which the learner has one seat.
    """
    codes = np.array([*opponents, *(PAST,) * 3 * with_past], np.int32)
    number = np.where(rng.random(num_games) < solo_share, seats - 1, rng.integers(1, max(2, seats - 1), num_games))
    number[rng.random(num_games) >= opponent_share] = 0
    is_opponent = rng.permuted(np.tile(np.arange(seats), (num_games, 1)), axis=1) < number[:, None]
    of_one_kind = rng.random(num_games) < 0.85
    kinds = np.where(of_one_kind[:, None], rng.choice(codes, (num_games, 1)), rng.choice(codes, (num_games, seats)))
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


def other_players(controllers: Array, rows: Array, seats: Array, number: int) -> Array:
    """Return the player of each other seat, one-hot, in turn order from each seat, int8 (n, others * number).

    The entries of a seat that the learner plays are 0.

    Args:
        controllers: Controllers of all games, int32 (N, seats).
        rows: Games of the decisions, int64 (n,).
        seats: Seats of the decisions, int (n,).
        number: Number of players that are distinguished, in the order of `player_codes`.
    """
    players = controllers.shape[1]
    others = controllers[rows[:, None], (seats[:, None] + np.arange(1, players)) % players]
    found: Array = (others[:, :, None] == player_codes(number)).astype(np.int8)
    return found.reshape(len(rows), (players - 1) * number)


@dataclass
class Judge:
    """Estimator of a position's value: the payoff of a finished game, otherwise the critic's value or a playout."""

    policy: Policy
    critic: Critic
    args: CandidatePpoParameters
    scale: float
    """Divisor of payoffs."""

    def rewards(self, games: PlayedGames) -> Array:
        """Return scaled payoffs plus the bonus for beating rule-based agents, float32 (N, seats); 0 in unfinished games."""
        has_opponent = (games.controllers >= 0).any(axis=1, keepdims=True)
        won = has_opponent & games.won()
        rewards: Array = (games.payoffs() / self.scale + self.args.win_bonus * won).astype(np.float32)
        return rewards

    def values(self, features: Features) -> Array:
        """Return the critic's value of each decision, float32 (n,)."""
        return self.critic.values(features.states, features.hidden)

    def look_ahead(self, games: PlayedGames, rows: Array, made: Choices) -> tuple[Array, Array]:
        """Return the values of likely plays, chosen or not; call under `torch.no_grad`.

        Each play is made in a copy of its game. The copy is played up to the learner's next decision, which the critic values.
        With a weight of `playout_weight`, it is played to the end by the policy's best plays. Only games in which all other
        seats are rule-based are tried, because there it is cheap.

        Args:
            games: The games.
            rows: Games of the decisions, int64 (k,).
            made: The decisions, with j plays.

        Returns:
            Values of plays, float32 (j,), and whether the chosen play was played out, bool (k,). Unlikely plays and plays in
            games with other networks have the value NaN. A likely chosen play that was not played out has 0, because the game
            itself shows its value.
        """
        owner = np.repeat(np.arange(len(rows)), np.diff(made.features.offsets))
        picks = made.features.places(made.chosen)
        is_alone = (games.controllers[rows] < 0).sum(axis=1) == 1
        is_likely = (made.log_prob > np.log(self.args.min_prob)) & is_alone[owner]
        is_tried = is_likely.copy()
        is_tried[picks] = False
        if self.args.playout_weight:
            is_tried[picks] = is_likely[picks] & np.isin(np.arange(len(rows)), owner[is_tried])
        plays = np.flatnonzero(is_tried)
        at = rows[owner[plays]]
        ahead = games.branch(at, plays - made.features.offsets[owner[plays]])
        found = self._values_ahead(ahead, games.games.turn[at])
        play_values = np.full(len(owner), np.nan, np.float32)
        play_values[picks[is_likely[picks]]] = 0
        play_values[plays] = found
        return play_values, is_tried[picks]

    def _values_ahead(self, games: PlayedGames, seats: Array) -> Array:
        """Play games up to the learner's next decision, and return the value of each for one seat, float32 (N,)."""
        on = games.advance()
        found: Array = self.rewards(games)[np.arange(len(seats)), seats]
        if len(on):
            found[on] = self.values(features_of(games, on, self.critic.players, plays=False))
            if weight := self.args.playout_weight:
                play_to_end(games, on, {NET: self.policy})
                found[on] += weight * (self.rewards(games)[on, seats[on]] - found[on])
        return found


def play_to_end(games: PlayedGames, rows: Array, networks: Mapping[int, Policy]) -> None:
    """Play games to the end by the networks' best plays; call under `torch.no_grad`.

    Args:
        games: The games.
        rows: Games that have a decision now, int64 (n,).
        networks: The networks by controller code.
    """
    while len(rows):
        whose = games.controllers[rows, games.games.turn[rows]]
        games.choose(rows, draw(networks, games.features(rows), whose, None)[0])
        rows = games.advance()


def features_of(games: PlayedGames, rows: Array, players: int, *, plays: bool = True) -> Features:
    """Return the features of the decisions in some games.

    The features `hidden`, int8 (n, sizes.hidden + others * players), include the other players.

    Args:
        games: The games.
        rows: Games that have a decision now, int64 (n,).
        players: Number of other players that the critic distinguishes.
        plays: False to leave out the features of plays.
    """
    features = games.features(rows, hidden=True, plays=plays)
    others = other_players(games.controllers, rows, games.games.turn[rows], players)
    features.hidden = np.concatenate([features.hidden, others], axis=1)
    return features


@torch.no_grad()
def collect(
    games: PlayedGames,
    policy: Policy,
    critic: Critic,
    past: Policy | None,
    rng: np.random.Generator,
    args: CandidatePpoParameters,
    *,
    scale: float,
    opponents: Sequence[int] = (),
    league: Mapping[int, Policy] | None = None,
) -> Batch:
    """Deal and play all games, and return the learner's decisions with their credit.

    Args:
        games: The games of a round.
        policy: The learner's policy.
        critic: Its critic.
        past: Snapshot of the policy among the opponents; `None` for none.
        rng: Generator of deals, seats and plays.
        args: Hyper-parameters.
        scale: Divisor of payoffs.
        opponents: Controller codes to draw opponents from; by default the rule-based agents of `args`.
        league: Trained opponents by controller code.
    """
    number = len(games.games)
    opponents = opponents or opponent_codes(args.opponents)
    controllers = seat_players(rng, number, games.seats, args.opponent_share, opponents, past is not None, args.solo_share)
    marks = {}
    if games.has_auction:
        joins = draw_team_games(rng, controllers, args.team_share)
        marks = {"joins": joins, "is_drawn": rng.random(number) < args.random_auctions}
    games.deal(rng.integers(0, 2**63, number), controllers, **marks)
    networks = {NET: policy, **(league or {})} | ({} if past is None else {PAST: past})
    networks, critic = {code: network.for_play() for code, network in networks.items()}, critic.for_play()
    judge = Judge(networks[NET], critic, args, scale)
    steps: list[_Step] = []
    while len(rows := games.advance()):
        features = features_of(games, rows, critic.players)
        seats = games.games.turn[rows]
        chosen, by_network = draw(networks, features, games.controllers[rows, seats], rng)
        if own := by_network.get(NET):
            at = rows[own.where]
            play_values, is_played_out = judge.look_ahead(games, at, own)
            key = at * games.seats + seats[own.where]
            steps.append(_Step(own, play_values, judge.values(own.features), is_played_out, key))
        games.choose(rows, chosen)
    payoff = float(games.payoffs()[games.controllers == NET].mean())
    return _batch(steps, judge.rewards(games).reshape(-1), args.gae_lambda, payoff)


def _batch(steps: list[_Step], final: Array, gae_lambda: float, payoff: float) -> Batch:
    """Return the decisions of all steps with their credit; `final` is the reward of each seat, by key."""

    def joined(parts: Iterable[Array]) -> Array:
        return np.concatenate(list(parts))

    made = [step.made for step in steps]
    features = Features(
        joined(each.features.states for each in made),
        joined(each.features.hidden for each in made),
        joined(each.features.plays for each in made),
        np.concatenate([[0], np.cumsum(joined(np.diff(each.features.offsets) for each in made))]),
    )
    chosen, log_prob = joined(each.chosen for each in made), joined(each.log_prob for each in made)
    value, play_values = joined(step.value for step in steps), joined(step.play_values for step in steps)
    advantage, target, outcome = advantages(joined(step.key for step in steps), value, final, gae_lambda)
    is_played_out = joined(step.is_played_out for step in steps)
    outcome = np.where(is_played_out, play_values[features.places(chosen)], outcome)
    credit = np.where(is_played_out, outcome - value, advantage)  # nothing comes after the end
    gain = gains(features.offsets, chosen, log_prob, play_values, value, credit, outcome)
    return Batch(features, chosen, log_prob, gain, advantage, target, payoff)


@torch.no_grad()
def evaluate(
    games: PlayedGames, policy: Policy, opponent: int, seed: int, opponents: Mapping[int, Policy] | None = None
) -> Evaluation:
    """Evaluate the policy's best plays in one seat against copies of another agent.

    Args:
        games: The games; each deal is played from every seat.
        policy: The policy.
        opponent: Controller code of the opponent: a rule-based agent's in `kernels.acts`, or a key of `opponents`.
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
    payoffs = games.payoffs()[controllers == NET][:number].reshape(-1, seats).mean(axis=1)
    return Evaluation(float(games.won()[controllers == NET][:number].mean()), payoffs)


@kernel(entry=True)
def advantages(key: Array, value: Array, final: Array, gae_lambda: float) -> tuple[Array, Array, Array]:
    """Estimate generalized advantages along each seat's own decisions, with one reward at the end of the game, undiscounted.

    Source: Schulman et al., arXiv 1506.02438.

    Args:
        key: game * seats + seat of each decision, int64 (n,), in chronological order.
        value: The critic's value of each decision, float32 (n,).
        final: Reward of each seat, by key, float32.
        gae_lambda: Lambda.

    Returns:
        Three arrays, float32 (n,): advantages; targets of the critic; and outcomes. An outcome is the critic's value of the
        seat's next decision, or the seat's reward if there is none.
    """
    n = len(key)
    advantage, outcome = np.empty(n, np.float32), np.empty(n, np.float32)
    next_value, next_advantage = final.copy(), np.zeros(len(final), np.float32)
    for i in range(n - 1, -1, -1):
        outcome[i] = next_value[key[i]]
        delta = outcome[i] - value[i]
        next_advantage[key[i]] = advantage[i] = delta + gae_lambda * next_advantage[key[i]]
        next_value[key[i]] = value[i]
    return advantage, advantage + value, outcome


@kernel(entry=True)
def gains(
    offsets: Array,
    chosen: Array,
    log_prob: Array,
    play_values: Array,
    value: Array,
    advantage: Array,
    outcome: Array,
) -> Array:
    """Estimate the derivative of the policy's expected payoff with respect to the score of each play.

    Every play with a known value counts by its probability, chosen or not. This is an expectation over the policy instead of a
    sample (Asadi et al., arXiv 1709.00503). Plays without a value count as the critic's value of the decision. A chosen play
    without a value also gets its advantage. Later rewards beyond the outcome are added to the chosen play. In expectation the
    result equals the estimate from plain advantages.

    Args:
        offsets: Start of the plays of each decision, int64 (n + 1,), with the end, m.
        chosen: Index of the chosen play within its decision, int64 (n,).
        log_prob: Log probability of every play, float32 (m,).
        play_values: Value of every play, float32 (m,), NaN if unknown. Any number marks a chosen play as known; its value is
            the outcome.
        value: The critic's value of each decision, float32 (n,).
        advantage: Advantages of the chosen plays, float32 (n,).
        outcome: Outcomes of the chosen plays, float32 (n,).

    Returns:
        The gain of every play, float32 (m,). It is 0 for plays not chosen in decisions without play values.
    """
    out = np.zeros(len(log_prob), np.float32)
    for n in range(len(chosen)):
        pick, mean = offsets[n] + chosen[n], np.float32(0)
        for i in range(offsets[n], offsets[n + 1]):
            if not np.isnan(play_values[i]):
                out[i] = (outcome[n] if i == pick else play_values[i]) - value[n]
                mean += np.exp(log_prob[i]) * out[i]
        rest = advantage[n] - out[pick]  # all of it if the play has no value
        for i in range(offsets[n], offsets[n + 1]):
            out[i] = np.exp(log_prob[i]) * (out[i] - mean)
        out[pick] += rest
    return out
