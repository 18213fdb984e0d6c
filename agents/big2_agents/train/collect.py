"""Self-play for candidate PPO: whole games, every choice of the learner with what its plays gain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.kernels.acts import NET
from big2_agents.kernels.selfplay import Features, PlayedGames
from big2_agents.train.choices import Made, draw, sample, scores
from big2_agents.train.credit import advantages, gains
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Policy
from big2_agents.train.seating import PAST, games_joined, opponents_named, rule_players_of, seat_players

Array = npt.NDArray[Any]


@dataclass
class Batch:
    """Choices of the learner in the order they were made; n choices with m plays in all."""

    features: Features
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


@dataclass
class _Step:
    """The learner's choices at one step of all games, k choices with j plays."""

    made: Made
    looked_at: Array
    """float32 (j,): what plays lead to, as `Judge.look_ahead` says."""
    value: Array
    """float32 (k,): what the critic says of the choice."""
    is_played_out: Array
    """bool (k,): whether the play made was looked at as well."""
    key: Array
    """int64 (k,): game * seats + seat."""


@dataclass
class Judge:
    """What choices are worth: in the end what the game counts, before that what the critic says and how the policy ends it."""

    policy: Policy
    critic: Critic
    scale: float
    """What a payoff is divided by."""
    win_bonus: float
    """What a game won against a rule player counts more."""
    play_out: float = 0.0
    """Weight of how the policy ends a game that is looked at; the critic has the rest."""
    floor: float = CandidatePpoParameters.floor
    """Plays less likely than this are not looked at; one that is made has its advantage."""

    def rewards(self, games: PlayedGames) -> Array:
        """Scaled payoffs, and the bonus for winning against a rule player, float32 (N, seats); 0 while a game goes on."""
        has_opponent = (games.controllers >= 0).any(axis=1, keepdims=True)
        won = has_opponent & games.won()
        rewards: Array = (games.payoffs() / self.scale + self.win_bonus * won).astype(np.float32)
        return rewards

    def values(self, features: Features) -> Array:
        """What the critic says of choices, float32 (n,)."""
        return self.critic.values(features.states, features.hidden)

    def look_ahead(self, games: PlayedGames, rows: Array, made: Made) -> tuple[Array, Array]:
        """What likely plays lead the learner to, made or not, in the games `rows`, int64 (k,).

        Copies of the games are played on from there to the learner's next real choice, for the critic, and with a weight of
        `play_out` to the end by the policy's best plays; only where all others are rule players, for that is cheap. To be
        called under `torch.no_grad`.

        Returns:
            Float32 (j,) for the j plays of these choices: NaN for unlikely ones, and for all where another network plays. A
            likely play that was made has 0, for the game itself tells, but where it was played out beside others. And
            whether it was, bool (k,).
        """
        owner = np.repeat(np.arange(len(rows)), np.diff(made.features.offsets))
        picks = made.features.places(made.chosen)
        is_alone = (games.controllers[rows] < 0).sum(axis=1) == 1
        is_likely = (made.log_prob > np.log(self.floor)) & is_alone[owner]
        is_asked = is_likely.copy()
        is_asked[picks] = False
        if self.play_out:
            is_asked[picks] = is_likely[picks] & np.isin(np.arange(len(rows)), owner[is_asked])
        plays = np.flatnonzero(is_asked)
        at = rows[owner[plays]]
        ahead = games.branch(at, plays - made.features.offsets[owner[plays]])
        found = self._values_ahead(ahead, games.games.turn[at])
        looked_at = np.full(len(owner), np.nan, np.float32)
        looked_at[picks[is_likely[picks]]] = 0
        looked_at[plays] = found
        return looked_at, is_asked[picks]

    def _values_ahead(self, games: PlayedGames, seats: Array) -> Array:
        """What games are worth to a seat each, int (N,), float32 (N,); they are played on."""
        on = games.advance()
        found: Array = self.rewards(games)[np.arange(len(seats)), seats]
        if len(on):
            found[on] = self.values(features_of(games, on, plays=False))
            if self.play_out:
                finish(games, on, self.policy)
                found[on] += self.play_out * (self.rewards(games)[on, seats[on]] - found[on])
        return found


def finish(games: PlayedGames, rows: Array, policy: Policy) -> None:
    """Play games to the end by the policy's best plays; `rows` have a choice now. To be called under `torch.no_grad`."""
    while len(rows):
        features = games.features(rows)
        games.choose(rows, sample(scores(policy, features)[0].cpu().numpy(), features.offsets, None))
        rows = games.advance()


def features_of(games: PlayedGames, rows: Array, *, plays: bool = True) -> Features:
    """The features of the choices that games stand at.

    `hidden` is int8 (n, sizes.hidden + others * NUM_RULE_PLAYERS): it says besides who of the others is a rule player.
    """
    features = games.features(rows, hidden=True, plays=plays)
    features.hidden = np.concatenate(
        [features.hidden, rule_players_of(games.controllers, rows, games.games.turn[rows])], axis=1
    )
    return features


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
    alone: float = CandidatePpoParameters.alone,
    partners: float = CandidatePpoParameters.partners,
    drawn: float = CandidatePpoParameters.drawn,
    win_bonus: float = 0.0,
    play_out: float = 0.0,
    opponents: Sequence[int] = opponents_named(CandidatePpoParameters.opponents),
    league: Mapping[int, Policy] | None = None,
    floor: float = CandidatePpoParameters.floor,
) -> Batch:
    """Deal all games anew, play them to the end, and return the learner's choices with their credit.

    A payoff counts divided by `scale`; a game won against a rule player counts `win_bonus` more. `share` and `alone` are
    those of `seat_players`, `partners` that of `games_joined`, `drawn` that of auctions left to chance. `decay` is the lambda
    of the advantages and of the critic's targets, `play_out` the weight of games played out; `opponents` as of
    `opponents_named`, with the codes of players in `league`; plays less likely than `floor` are not looked at.
    """
    number = len(games.games)
    controllers = seat_players(rng, number, games.seats, share, opponents, past is not None, alone)
    marks = {}
    if games.has_auction:
        marks = {"joins": games_joined(rng, controllers, partners), "is_drawn": rng.random(number) < drawn}
    games.deal(rng.integers(0, 2**63, number), controllers, **marks)
    networks = {NET: policy, **(league or {})} | ({} if past is None else {PAST: past})
    networks, critic = {code: network.for_play() for code, network in networks.items()}, critic.for_play()
    judge = Judge(networks[NET], critic, scale, win_bonus, play_out, floor)
    steps: list[_Step] = []
    while len(rows := games.advance()):
        features = features_of(games, rows)
        seats = games.games.turn[rows]
        chosen, by_network = draw(networks, features, games.controllers[rows, seats], rng)
        if own := by_network.get(NET):
            at = rows[own.where]
            looked_at, is_played_out = judge.look_ahead(games, at, own)
            steps.append(_Step(own, looked_at, judge.values(own.features), is_played_out, at * games.seats + seats[own.where]))
        games.choose(rows, chosen)
    return _batch(steps, judge.rewards(games).reshape(-1), decay, float(games.payoffs()[games.controllers == NET].mean()))


def _batch(steps: list[_Step], final: Array, decay: float, payoff: float) -> Batch:
    """The choices of all steps with their credit; `final` is what each seat got, by key."""

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
    value, looked_at = joined(step.value for step in steps), joined(step.looked_at for step in steps)
    advantage, target, led_to = advantages(joined(step.key for step in steps), value, final, decay)
    is_played_out = joined(step.is_played_out for step in steps)
    led_to = np.where(is_played_out, looked_at[features.places(chosen)], led_to)
    credit = np.where(is_played_out, led_to - value, advantage)  # nothing comes after the end
    gain = gains(features.offsets, chosen, log_prob, looked_at, value, credit, led_to)
    return Batch(features, chosen, log_prob, gain, advantage, target, payoff)


@torch.no_grad()
def evaluate(games: PlayedGames, policy: Policy, opponent: int, seed: int) -> tuple[float, float, float]:
    """Win rate, mean payoff and its standard error of the policy's best plays alone against the agents of one name.

    Each deal is played in every seat; the deal is the unit of the error.
    """
    seats, every = games.seats, np.arange(len(games.games))
    number = len(every) // seats * seats
    controllers = np.full((len(every), seats), opponent, np.int32)
    controllers[every, every % seats] = NET
    games.deal(seed + every // seats, controllers)
    finish(games, games.advance(), policy.for_play())
    own = games.payoffs()[controllers == NET][:number].reshape(-1, seats).mean(axis=1)
    won = games.won()[controllers == NET][:number]
    return float(won.mean()), float(own.mean()), float(own.std() / np.sqrt(len(own)))
