"""The rollout buffer of `SelfPlayPPO`: the credit of each seat, opponents on some of the seats."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
import torch
from outside_patterns import OUTSIDE
from row_moves import highest, random_moves
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from sb3_small import QUIET
from stable_baselines3.common.vec_env import DummyVecEnv

from big2_env import ConfigError
from big2_env.envs.sb3 import SeatRolloutBuffer, SeatVecEnv, SelfPlayPPO, SelfPlayVecEnv
from big2_env.envs.seat import SeatEnv

Array = np.ndarray[Any, Any]
pytestmark = QUIET


class Rollouts:
    """Random play into a buffer as MaskablePPO fills it, with values out of the air, and a log of what happened.

    Every decision has a number of its own, which goes as its log probability.
    """

    def __init__(self, venv: SelfPlayVecEnv, buffer: SeatRolloutBuffer, seed: int) -> None:
        self.venv, self.buffer, self.rng = venv, buffer, np.random.default_rng(seed)
        self.decisions: list[tuple[int, int, Array, int, Array, float]] = []
        """Of each decision by its number: row, seat, observation, act, mask, value."""
        self.plain_rewards: list[float] = []
        self.paid: list[Array] = []
        """The payoffs of each game that ended, by seat."""
        self.unasked = 0
        """Payoffs of seats that made no decision in their game."""
        self.by_opponents: set[int] = set()
        """The decisions that the learner did not make."""
        self.restart(seed)

    def restart(self, seed: int) -> None:
        self.venv.seed(seed)
        self.seen, self.starts = self.venv.reset(), np.ones(self.venv.num_envs, bool)
        self.asked: list[set[int]] = [set() for _ in range(self.venv.num_envs)]

    def step(self) -> list[tuple[int, int, int, Array | None]]:
        """One step into the buffer: of each row its number, row, seat, and the payoffs if the game ended."""
        venv, count = self.venv, self.venv.num_envs
        shown, masks, values = self.venv.seat.copy(), get_action_masks(venv), self.rng.normal(size=count).astype(np.float32)
        moves = random_moves(venv, self.rng)
        seen, rewards, dones, infos = venv.step(moves)
        first = len(self.decisions)
        numbers = torch.arange(first, first + count, dtype=torch.float32)
        self.buffer.add(
            self.seen, moves[:, None], rewards, self.starts, torch.tensor(values)[:, None], numbers, action_masks=masks
        )
        self.plain_rewards += rewards[rewards != 0].tolist()
        events: list[tuple[int, int, int, Array | None]] = []
        for row in range(count):
            self.decisions.append((row, int(shown[row]), self.seen[row], int(moves[row]), masks[row], float(values[row])))
            self.asked[row].add(int(shown[row]))
            if not venv.was_own[row]:
                self.by_opponents.add(first + row)
            payoffs = infos[row].get("payoffs") if dones[row] else None
            if payoffs is not None:
                self.paid.append(payoffs)
                self.unasked += len(payoffs) - len(self.asked[row])
                self.asked[row] = set()
            events.append((first + row, row, int(shown[row]), payoffs))
        self.seen, self.starts = seen, dones
        return events

    def rollout(self) -> tuple[list[list[tuple[int, int, int, Array | None]]], Array]:
        """A rollout, its advantages computed: the events of its steps, and the values of the seats then to move."""
        self.buffer.reset()
        events = [self.step() for _ in range(self.buffer.buffer_size)]
        last = self.rng.normal(size=self.venv.num_envs).astype(np.float32)
        self.buffer.compute_returns_and_advantage(torch.tensor(last)[:, None], self.starts)
        return events, last


def new_buffer(venv: SelfPlayVecEnv, steps: int, **how: float) -> SeatRolloutBuffer:
    buffer = SeatRolloutBuffer(steps, venv.observation_space, venv.action_space, "cpu", n_envs=venv.num_envs, **how)
    buffer.attach(venv)
    return buffer


def plain_gae(
    following: list[tuple[str, float]], numbers: list[int], values: dict[int, float], gamma: float, lam: float
) -> dict[int, tuple[float, float]]:
    """By number: reward and advantage of a seat's decisions in one game and rollout, by the sum that defines it.

    `following` says what came last: ("end", payoff), ("moves", value of what it sees), or nothing that is known yet.
    """
    answers = {}
    for i, number in enumerate(numbers):
        if i == len(numbers) - 1 and not following:
            break
        total, paid = 0.0, 0.0
        for k in range(i, len(numbers)):
            is_last = k == len(numbers) - 1
            if is_last and not following:
                break  # a decision that waits: a bootstrap for those before it
            kind, after = following[0] if is_last else ("moves", values[numbers[k + 1]])
            reward, bootstrap = (after, 0.0) if kind == "end" else (0.0, after)
            delta = reward + gamma * bootstrap - values[numbers[k]]
            total += (gamma * lam) ** (k - i) * delta
            if k == i:
                paid = reward
        answers[number] = paid, total
    return answers


@pytest.mark.parametrize(
    "how",
    [
        {"skip_forced": True},
        {"skip_forced": False, "ruleset": OUTSIDE},
        {"scoring": "cards"},
        {"scoring": "cards", "opponents": (highest, "random"), "share": 0.8},
    ],
    ids=["forced passes skipped", "every pass asked", "cards", "opponents"],
)
@pytest.mark.parametrize("steps", [5, 40])
def test_buffer__has_the_advantages_of_plain_gae_by_seat(how: dict[str, Any], steps: int) -> None:
    venv, gamma, lam = SelfPlayVecEnv(6, **how), 0.9, 0.8
    play = Rollouts(venv, new_buffer(venv, steps, gamma=gamma, gae_lambda=lam), seed=5)
    waiting: dict[tuple[int, int], int] = {}
    learned: Counter[int] = Counter()
    for _ in range(240 // steps):
        events, last = play.rollout()
        values = {number: decision[5] for number, decision in enumerate(play.decisions)}
        # Each seat's decisions of this rollout, cut where games end; those that waited come first.
        trails: dict[tuple[int, int], list[int]] = defaultdict(list, {key: [number] for key, number in waiting.items()})
        expected: dict[int, tuple[float, float]] = {}
        for step in events:
            for number, row, seat, payoffs in step:
                if number not in play.by_opponents:
                    trails[row, seat].append(number)
                if payoffs is not None:
                    for who, payoff in enumerate(payoffs):
                        trail = trails.pop((row, who), [])
                        expected |= plain_gae([("end", float(payoff))], trail, values, gamma, lam)
        waiting = {}
        for (row, seat), trail in trails.items():
            moves = seat == venv.seat[row]
            expected |= plain_gae([("moves", float(last[row]))] if moves else [], trail, values, gamma, lam)
            if not moves:
                waiting[row, seat] = trail[-1]
        buffer = play.buffer
        numbers = buffer.log_probs.astype(int).tolist()
        learned.update(numbers)
        assert sorted(numbers) == sorted(expected)
        np.testing.assert_allclose(buffer.rewards, [expected[n][0] for n in numbers], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(buffer.advantages, [expected[n][1] for n in numbers], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(buffer.returns, buffer.advantages + [values[n] for n in numbers], rtol=1e-4, atol=1e-5)
        assert [(play.decisions[n][0], play.decisions[n][1]) for n in numbers] == list(
            zip(buffer.rows.tolist(), buffer.seats.tolist(), strict=True)
        )
    # Each decision is learned from exactly once, but for those that wait still.
    assert set(learned.values()) == {1}
    assert set(range(len(play.decisions))) - set(learned) - play.by_opponents == set(waiting.values())
    assert not play.by_opponents & set(learned)
    assert bool(play.by_opponents) == ("opponents" in how)
    assert len(play.paid) > 5


def test_buffer__pays_each_seats_win_or_loss_to_its_own_last_decision_where_plain_rewards_show_no_loss() -> None:
    venv = SelfPlayVecEnv(256)
    play = Rollouts(venv, new_buffer(venv, 64, gamma=1.0, gae_lambda=1.0), seed=1)
    credited: Counter[int] = Counter()
    total, by_seat, paid_by_seat = 0.0, np.zeros(4), np.zeros(4)
    while len(play.paid) < 3000:
        play.rollout()
        rewards, seats = play.buffer.rewards, play.buffer.seats
        credited.update(np.sign(rewards[rewards != 0]).astype(int).tolist())
        total += float(np.abs(rewards).sum())
        by_seat += np.bincount(seats, rewards, minlength=4)
    paid = np.array(play.paid)
    paid_by_seat = paid.sum(axis=0)
    games = len(paid)
    # A seat that was never asked in a game has lost it without a decision of its own: rare, and nobody else gets its loss.
    assert play.unasked < games // 100
    assert credited == {1: games, -1: 3 * games - play.unasked}
    assert total == pytest.approx(np.abs(paid).sum() - play.unasked / 3)
    np.testing.assert_allclose(by_seat, paid_by_seat, atol=(play.unasked + 1) / 3)
    # The usual wrapper's stream, the reward of who acted along the row, in the same games:
    assert Counter(np.sign(play.plain_rewards).astype(int).tolist()) == {1: games}


def test_opponent_pool__make_their_own_moves_on_the_seats_drawn_for_a_share_of_the_games() -> None:
    venv, few = SelfPlayVecEnv(200, opponents=(highest, "random"), share=0.5), SelfPlayVecEnv(3, opponents=(highest, "random"))
    made: list[Array] = []
    step = venv.games.step
    venv.games.step = lambda moves: (made.append(moves), step(moves))[1]  # type: ignore[method-assign, assignment, func-returns-value]
    for each in (venv, few):
        each.seed(5)
        each.reset()
    seatings = [venv.pool.is_own.copy()]
    by_highest = other = 0
    for _ in range(150):
        masks, is_own = venv.action_masks(), venv.pool.is_own[np.arange(200), venv.seat]
        lowest = masks.argmax(axis=1)
        venv.step(lowest)
        few.step(lowest[:3])
        assert np.array_equal(venv.was_own, is_own)
        assert np.array_equal(made[-1][is_own], lowest[is_own])
        assert masks[np.arange(200), made[-1]].all()
        is_highest = made[-1] == highest(lowest, masks, None)
        by_highest, other = by_highest + (is_highest & ~is_own).sum(), other + (~is_highest & ~is_own).sum()
        assert np.array_equal(few.seat, venv.seat[:3])  # same seed, same opponents and acts, whatever the number of rows
        assert np.array_equal(few.was_own, venv.was_own[:3])
        seatings.append(venv.pool.is_own[venv.ended])
    number = 4 - np.concatenate(seatings).sum(axis=1)
    shares = np.bincount(number, minlength=5) / len(number)
    assert len(number) > 400
    np.testing.assert_allclose(shares, [1 / 2, 1 / 6, 1 / 6, 1 / 6, 0], atol=0.1)
    assert by_highest > other > 100  # one of the two opponents plays at random
    venv.pool.draw_from([lambda seen, masks, rng: np.full(len(seen), -1)])
    venv.reset()
    assert not venv.pool.is_own[np.arange(200), venv.seat].all()
    with pytest.raises(ConfigError, match=r"on seat \d of game \d+, expected an action of 0 to 1378, got -1"):
        venv.step(venv.action_masks().argmax(axis=1))
    for bad in ({"share": 1.5}, {"opponents": ["nobody"]}):
        with pytest.raises(ConfigError, match=r"share|nobody"):
            SelfPlayVecEnv(2, **bad)


def test_buffer__gives_batches_of_what_was_seen_and_done() -> None:
    venv = SelfPlayVecEnv(5, dtype="float32")
    play = Rollouts(venv, new_buffer(venv, 16), seed=3)
    for batch_size in (7, None, 1, 2, 2, 2, 64, 1000):
        play.rollout()
        batches = list(play.buffer.get(batch_size))
        sizes = [len(batch.actions) for batch in batches]
        numbers = torch.cat([batch.old_log_prob for batch in batches]).long().tolist()
        assert sorted(numbers) == sorted(play.buffer.log_probs.astype(int))
        assert max(sizes) - min(sizes) <= 1
        assert min(sizes) >= 2
        assert max(sizes) <= max(batch_size or 10**9, 3)
        advantage = dict(zip(play.buffer.log_probs.astype(int), play.buffer.advantages, strict=True))
        for batch in batches:
            for i, number in enumerate(batch.old_log_prob.long().tolist()):
                _, _, seen, move, mask, value = play.decisions[number]
                assert np.array_equal(batch.observations[i], seen)
                assert batch.actions[i].tolist() == [move]
                assert batch.action_masks.dtype == torch.bool
                assert np.array_equal(batch.action_masks[i], mask)
                assert batch.old_values[i] == pytest.approx(value)
                assert batch.advantages[i] == advantage[number]
                assert batch.returns[i] == pytest.approx(advantage[number] + value, abs=1e-5)


def test_buffer__forgets_what_waited_when_games_are_dealt_anew_or_a_rollout_is_cut_short() -> None:
    venv = SelfPlayVecEnv(8)
    play = Rollouts(venv, new_buffer(venv, 10), seed=3)

    def new_numbers(first: int) -> bool:
        return int(play.buffer.log_probs.min()) >= first

    play.rollout()
    before = len(play.decisions)
    play.rollout()
    assert not new_numbers(before)  # something was carried over
    play.restart(seed=4)
    before = len(play.decisions)
    play.rollout()
    assert new_numbers(before)
    play.buffer.reset()
    play.step()  # the learner's callback stops it here
    before = len(play.decisions)
    play.rollout()
    assert new_numbers(before)
    play.buffer.attach(venv)
    before = len(play.decisions)
    play.rollout()
    assert new_numbers(before)


def test_buffer__refuses_what_it_cannot_serve() -> None:
    venv = SelfPlayVecEnv(2)
    space = {"observation_space": venv.observation_space, "action_space": venv.action_space}
    with pytest.raises(ConfigError, match=r"with 2 rows for a buffer by seats, got SeatVecEnv with 2 rows$"):
        new_buffer(SeatVecEnv(2), 4)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"with 3 rows for a buffer by seats, got SelfPlayVecEnv with 2 rows$"):
        SeatRolloutBuffer(4, **space, n_envs=3).attach(venv)
    with pytest.raises(ConfigError, match="DummyVecEnv with 2 rows"):
        SelfPlayPPO("MlpPolicy", DummyVecEnv([SeatEnv, SeatEnv]), device="cpu")
    # A plain MaskablePPO does not say which environment it steps.
    model = MaskablePPO("MlpPolicy", venv, n_steps=8, rollout_buffer_class=SeatRolloutBuffer, device="cpu")
    with pytest.raises(ConfigError, match="with an environment"):
        model.learn(8)
    illegal = pytest.warns(UserWarning, match="an illegal action ended a game")
    with illegal, pytest.raises(ConfigError, match="expected action masks"):
        SelfPlayPPO("MlpPolicy", venv, n_steps=8, device="cpu").learn(8, use_masking=False)
    with pytest.raises(ConfigError, match=r"to learn from, got [01] in a rollout of 1 steps and 1 games"):
        SelfPlayPPO("MlpPolicy", SelfPlayVecEnv(1), n_steps=1, batch_size=2, device="cpu").learn(1)
