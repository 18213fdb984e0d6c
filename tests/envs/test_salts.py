"""Opponents that draw make other choices in every game, in every environment, and learn nothing about the deal from that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from seat_opponents import Drawn

from big2_env import BIG2, ConfigError, Game, RuleSet
from big2_env.agents.seeds import start_seed
from big2_env.base.rng import GOLDEN_GAMMA, MASK_64, MIX_1, MIX_2, SplitMix64, derived
from big2_env.base.salts import Salts
from big2_env.base.side_game import random_player
from big2_env.climbing.rulesets import ruleset
from big2_env.envs.aec import raw_env
from big2_env.envs.aec_policy import AgentPolicy
from big2_env.envs.chance import deals
from big2_env.envs.league import League
from big2_env.envs.seat import SeatEnv
from big2_env.envs.side_seat import SideSeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import uno_rules
from big2_env.games.uno.seat_env import UnoSeatEnv
from big2_env.games.uno.vector import UnoBatchEnv
from big2_env.kernels.opponents import RowRandom

GAMES = 30
STREAM = 12
"""State of the stream of deals of all rows, which then have one deal."""
DEAL = Game.deal(BIG2, SplitMix64(STREAM).next())
OPENER = DEAL.turn
LEARNER = (OPENER + 1) % 4
"""Seat that sees one move of an opponent before its own, the opening lead."""


def function(observations: Any, masks: Any, rng: RowRandom) -> Any:
    """Draw a legal action for each row."""
    return (rng.random()[:, None] * masks.sum(1)[:, None] < masks.cumsum(1)).argmax(1)


def model() -> Any:
    """A sampling snapshot of a policy that has learned nothing."""
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO
    from sb3_small import small

    from big2_env.envs.sb3 import PolicyOpponent, SeatVecEnv

    return PolicyOpponent(small(SeatVecEnv(2, "greedy"), MaskablePPO))


# What the learner sees at its first turn, in games with one deal.


def of_seat(opponent: Any, **how: Any) -> Iterator[bytes]:
    env = SeatEnv(opponent, seat=LEARNER, **how)
    for game in range(GAMES):
        yield env.reset(seed=None if game else 1, options={"hands": DEAL.position.hands})[0].tobytes()


def of_turns(opponent: Any, **how: Any) -> Iterator[bytes]:
    env = raw_env(**how)
    policy = AgentPolicy(env, opponent)
    for game in range(GAMES):
        env.reset(seed=None if game else 1, options={"hands": DEAL.position.hands})
        env.step(policy())
        yield env.observe(env.agent_selection)["observation"].tobytes()


def with_one_deal(env: Any) -> Any:
    """Deal all rows alike: each has its own salt."""
    env.reset(seed=1)
    env.engine._games.rng[:] = STREAM
    return env.reset()[0]


def of_rows(kind: Callable[..., Any], opponents: Any, **how: Any) -> Iterator[bytes]:
    yield from (row.tobytes() for row in with_one_deal(kind(GAMES, opponents=opponents, **how)))


def of_sb3_seats(opponent: Any, **how: Any) -> Iterator[bytes]:
    pytest.importorskip("sb3_contrib")
    from big2_env.envs.sb3 import SeatVecEnv

    yield from (row.tobytes() for row in with_one_deal(SeatVecEnv(GAMES, opponent, seat=LEARNER, **how).games))


def of_pool(opponent: Any, **how: Any) -> Iterator[bytes]:
    pytest.importorskip("sb3_contrib")
    from big2_env.envs.sb3 import SelfPlayVecEnv

    env: Any = SelfPlayVecEnv(GAMES, opponents=[opponent], share=1.0, **how)
    with_one_deal(env.games)
    env.pool.is_own[:] = False
    env.seat = env.games.engine.seat.copy()
    yield from (row.tobytes() for row in env.step(np.zeros(GAMES, np.int64))[0])


def of_texts(opponent: Any, **how: Any) -> Iterator[bytes]:
    """A seed gives one game: the same deal with other draws needs another `agent_seed`."""
    pytest.importorskip("textarena")
    from big2_env.envs.textarena import TextArenaEnv

    seed = next(seed for seed in range(9) if Game.deal(BIG2, seed).turn == 3)
    for number in range(GAMES):
        env = TextArenaEnv("big2", opponents=opponent, **{"agent_seed": number} | how)
        env.reset(1, seed=seed)
        yield env.get_observation()[1][-1][1].encode()


def of_side_seat(opponent: Any, **how: Any) -> Iterator[bytes]:
    env = SideSeatEnv(lambda seed: UnoGame.deal(uno_rules("table"), 1), opponent, seat=1, **how)
    for game in range(GAMES):
        yield env.reset(seed=None if game else 1)[0].tobytes()


def of_uno_rows(opponent: Any, **how: Any) -> Iterator[bytes]:
    yield from of_rows(UnoBatchEnv, opponent, seat=1, **how)


AGENTS: dict[str, Callable[[], Any]] = {"random": lambda: "random", "agent": lambda: Drawn}
ALL: dict[str, Callable[[], Any]] = AGENTS | {
    "function": lambda: function,
    "league": lambda: League(["random", Drawn, function]),
    "model": model,
}
ROWS = partial(of_rows, BatchEnv, seat=LEARNER)
SEEN: dict[str, tuple[Callable[..., Iterator[bytes]], dict[str, Callable[[], Any]]]] = {
    "make": (of_seat, ALL),
    "make_vec": (ROWS, ALL),
    "AEC": (of_turns, AGENTS),
    "SeatVecEnv": (of_sb3_seats, ALL),
    "SelfPlayVecEnv": (of_pool, ALL),
    "TextArena": (of_texts, AGENTS),
    "side game": (of_side_seat, {"random": lambda: "random", "function": lambda: lambda *given: random_player(*given)}),
    "make_vec of UNO": (of_uno_rows, {"random": lambda: "random"}),
}
CASES = [(kind, opponent) for kind, (_, opponents) in SEEN.items() for opponent in opponents]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch about itself
@pytest.mark.parametrize(("kind", "opponent"), CASES)
def test_opponents_that_draw__make_several_moves_where_they_know_the_same(kind: str, opponent: str) -> None:
    see, opponents = SEEN[kind]
    made = opponents[opponent]()
    seen = list(see(made))
    assert len(set(seen)) > 2
    assert list(see(made)) == seen, "the same seed gives the same moves"
    if kind != "TextArena":
        assert list(see(made, agent_seed=3)) != seen
    assert list(see(made, agent_seed=3)) == list(see(made, agent_seed=3))


def test_agents_in_rows__start_again_where_a_seed_deals_the_same_game_again() -> None:
    env = BatchEnv(4, opponents=Drawn, seat=LEARNER)
    assert len({env.reset(seed=1)[0].tobytes() for _ in range(3)}) == 1


KINDS: dict[str, Callable[..., Any]] = {
    "make": SeatEnv,
    "make_vec": BatchEnv,
    "AEC": raw_env,
    "UNO": UnoSeatEnv,
    "make_vec of UNO": UnoBatchEnv,
}


@pytest.mark.parametrize("given", [-1, 2**63, True, 1.0, "1"])
@pytest.mark.parametrize("kind", KINDS)
def test_agent_seed__of_another_type_or_range__is_refused_in_one_line(kind: str, given: Any) -> None:
    with pytest.raises(ConfigError, match=r"^expected an agent_seed of 0 to 2\*\*63 - 1, got [^\n]*$"):
        KINDS[kind](agent_seed=given)


DEALS: dict[str, Callable[[Any], Any]] = {
    "make": lambda env: env.game.start,
    "make_vec": lambda env: env.engine.deal_seeds.tolist(),
    "AEC": lambda env: env.game.start,
    "UNO": lambda env: env.game.start_data(),
    "make_vec of UNO": lambda env: env.engine.games.rng.tolist(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_agent_seed__changes_no_deal(kind: str) -> None:
    dealt = []
    for agent_seed in (None, 0, 5):
        env = KINDS[kind](agent_seed=agent_seed)
        env.reset(seed=1)
        env.reset()
        dealt.append(DEALS[kind](env))
    assert dealt[0] == dealt[1] == dealt[2]


# Values of small games between players that draw uniformly, exact and played.


@cache
def exact(rules: RuleSet) -> float:
    """The payoff of a seat in the games in which it is asked, the same for both seats."""
    known: dict[Any, tuple[float, float]] = {}

    def paid(game: Game, is_asked: bool) -> tuple[float, float]:
        """The expected payoff of seat 0 where it is asked, and the probability of that."""
        if game.outcome is not None:
            return game.outcome.payoffs[0] * is_asked, float(is_asked)
        key = game.position, is_asked
        if key not in known:
            found = []
            for play in game.legal_plays():
                after = Game.from_position(rules, game.position)
                after.push(play)
                found.append(paid(after, is_asked or game.turn == 0))
            known[key] = fmean(one for one, _ in found), fmean(one for _, one in found)
        return known[key]

    all_deals = [paid(Game.from_hands(rules, hands), False) for hands in deals(rules, 2)]
    return fmean(one for one, _ in all_deals) / fmean(one for _, one in all_deals)


def seat_payoffs(name: str, seat: int) -> Iterator[float]:
    env, rng = SeatEnv("random", ruleset=name, seat=seat), np.random.default_rng(1)
    seed: int | None = 1
    while True:
        info, over, reward = env.reset(seed=seed)[1], False, 0.0
        while not over:
            _, reward, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        seed = None
        yield reward


def row_payoffs(name: str, seat: int) -> Iterator[float]:
    env = BatchEnv(128, ruleset=name, seat=seat)
    env.reset(seed=1)
    while True:
        _, rewards, terminated, *_ = env.step(env.random_actions())
        yield from rewards[terminated].tolist()


def turn_payoffs(name: str, seat: int) -> Iterator[float]:
    """Payoffs of the learner's seat in games in which it was asked, as in the other environments."""
    env, rng = raw_env(ruleset=name), np.random.default_rng(1)
    policy, seed = AgentPolicy(env, "random"), 1
    while True:
        env.reset(seed=seed or None)
        is_asked, seed = False, 0
        while not any(env.terminations.values()):
            own = env.agent_selection == env.possible_agents[seat]
            is_asked |= own
            env.step(rng.choice(env.legal_ids()) if own else policy())
        if is_asked:
            yield env.rewards[env.possible_agents[seat]]


PAYOFFS: dict[str, tuple[Callable[[str, int], Iterator[float]], int]] = {
    "make": (seat_payoffs, 2_000),
    "make_vec": (row_payoffs, 12_000),
    "AEC": (turn_payoffs, 2_000),
}


@pytest.mark.long
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["mini6", "mini8"])
@pytest.mark.parametrize("kind", PAYOFFS)
def test_values__of_uniform_play_are_exact_up_to_chance(kind: str, name: str, seat: int) -> None:
    play, number = PAYOFFS[kind]
    paid = list(islice(play(name, seat), number))
    assert abs(fmean(paid) - exact(ruleset(name))) < 3 * stdev(paid) / number**0.5


# What an agent can compute from its seed.


def unmixed(number: int) -> int:
    """The state of SplitMix64 before the call of `next` that returned a number."""
    for factor, shift in ((None, 31), (MIX_2, 27), (MIX_1, 30)):
        number = number if factor is None else number * pow(factor, -1, 1 << 64) & MASK_64
        found = number
        for _ in range(64 // shift):
            found = number ^ found >> shift
        number = found
    return number - GOLDEN_GAMMA & MASK_64


def test_salt__gives_neither_the_deal_nor_the_stream_of_deals_back() -> None:
    """An agent knows the salt, for all else that its seed is a hash of it knows, and no step of `rng` is one-way."""
    env = BatchEnv(1, ruleset="big2", seat=0, opponents=Drawn)
    env.reset(seed=2**61 + 5)
    game, salt = Game.deal(BIG2, int(env.engine.deal_seeds[0])), int(env.engine.salts[0])
    known = 0
    for word in (1, 2, 1, game.start.hands[2], 1, 0, 1, 0, 1):
        known = SplitMix64(known ^ SplitMix64(word).next()).next()
    assert unmixed(unmixed(start_seed(game, 2, salt=salt)) ^ known) == salt
    state = unmixed(salt)
    numbers = {salt, state, state - GOLDEN_GAMMA & MASK_64, unmixed(state), SplitMix64(state).next(), derived(salt, 0)}
    numbers |= {unmixed(number) for number in numbers} | {SplitMix64(number).next() for number in numbers}
    assert all(Game.deal(BIG2, number).start.hands != game.start.hands for number in numbers)
    assert not numbers & {int(env.engine.games.rng[0]), 2**61 + 5}


def test_salts__are_a_stream_that_a_seed_restarts_and_none_continues() -> None:
    one, other = Salts(), Salts()
    one.begin(7)
    other.begin(7)
    first = [one.next() for _ in range(3)]
    assert first == [SplitMix64(one.first(7)).next(), *first[1:]]
    assert len(set(first)) == 3
    assert other.next() == first[0]
    other.begin(None)
    assert other.next() == first[1]
    other.begin(7)
    assert other.next() == first[0]
    drawn = [Salts(), Salts()]
    for salts in drawn:
        salts.begin(None)
    assert drawn[0].next() != drawn[1].next()
    assert len({Salts(agent_seed).first(seed) for agent_seed in (None, 0, 1) for seed in (0, 1, 10, 2**64)}) == 12
