from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from gymnasium.spaces import MultiBinary
from outside_patterns import OUTSIDE
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from big2_agents.compiled.greedy_batch import GreedyBatch
from big2_agents.greedy import GreedyAgent
from big2_env import BIG2, HONG_KONG, ConfigError, IllegalPlayError, RuleSet
from big2_env.climbing.actions import HandSlots
from big2_env.envs.sb3 import LegalPolicy, PolicyOpponent, SeatRolloutBuffer, SeatVecEnv, SelfPlayPPO, SelfPlayVecEnv
from big2_env.envs.sb3_policy import LegalDistribution
from big2_env.envs.seat import SeatEnv
from big2_env.kernels.engine import BatchEngine
from big2_env.rng import SplitMix64

Array = np.ndarray[Any, Any]

# torch about itself
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


def drawn(venv: SelfPlayVecEnv | SeatVecEnv, rng: np.random.Generator) -> Array:
    """A random legal act for each row."""
    counts, ids = venv.games.legal_ids()
    return ids[np.arange(venv.num_envs), (rng.random(venv.num_envs) * counts).astype(int)]


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
        self.by_guests: set[int] = set()
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
        acts = drawn(venv, self.rng)
        seen, rewards, dones, infos = venv.step(acts)
        first = len(self.decisions)
        numbers = torch.arange(first, first + count, dtype=torch.float32)
        self.buffer.add(
            self.seen, acts[:, None], rewards, self.starts, torch.tensor(values)[:, None], numbers, action_masks=masks
        )
        self.plain_rewards += rewards[rewards != 0].tolist()
        events: list[tuple[int, int, int, Array | None]] = []
        for row in range(count):
            self.decisions.append((row, int(shown[row]), self.seen[row], int(acts[row]), masks[row], float(values[row])))
            self.asked[row].add(int(shown[row]))
            if not venv.was_own[row]:
                self.by_guests.add(first + row)
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


def highest(seen: Array, masks: Array, luck: Any) -> Array:
    """An opponent: the legal act with the highest number."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize(
    "how",
    [
        {"skip_forced": True},
        {"skip_forced": False, "ruleset": OUTSIDE},
        {"scoring": "cards"},
        {"scoring": "cards", "opponents": (highest, "random"), "share": 0.8},
    ],
    ids=["forced passes skipped", "every pass asked", "cards", "guests"],
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
                if number not in play.by_guests:
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
    assert set(range(len(play.decisions))) - set(learned) - play.by_guests == set(waiting.values())
    assert not play.by_guests & set(learned)
    assert bool(play.by_guests) == ("opponents" in how)
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


def test_guests__make_their_own_acts_on_the_seats_drawn_for_a_share_of_the_games() -> None:
    venv, few = SelfPlayVecEnv(200, opponents=(highest, "random"), share=0.5), SelfPlayVecEnv(3, opponents=(highest, "random"))
    made: list[Array] = []
    step = venv.games.step
    venv.games.step = lambda acts: (made.append(acts), step(acts))[1]  # type: ignore[method-assign, assignment, func-returns-value]
    for each in (venv, few):
        each.seed(5)
        each.reset()
    seatings = [venv.guests.is_own.copy()]
    by_highest = other = 0
    for _ in range(150):
        masks, is_own = venv.action_masks(), venv.guests.is_own[np.arange(200), venv.seat]
        lowest = masks.argmax(axis=1)
        venv.step(lowest)
        few.step(lowest[:3])
        assert np.array_equal(venv.was_own, is_own)
        assert np.array_equal(made[-1][is_own], lowest[is_own])
        assert masks[np.arange(200), made[-1]].all()
        is_highest = made[-1] == highest(lowest, masks, None)
        by_highest, other = by_highest + (is_highest & ~is_own).sum(), other + (~is_highest & ~is_own).sum()
        assert np.array_equal(few.seat, venv.seat[:3])  # same seed, same guests and acts, whatever the number of rows
        assert np.array_equal(few.was_own, venv.was_own[:3])
        seatings.append(venv.guests.is_own[venv.ended])
    number = 4 - np.concatenate(seatings).sum(axis=1)
    shares = np.bincount(number, minlength=5) / len(number)
    assert len(number) > 400
    np.testing.assert_allclose(shares, [1 / 2, 1 / 6, 1 / 6, 1 / 6, 0], atol=0.1)
    assert by_highest > other > 100  # one of the two guests plays at random
    venv.guests.invite([lambda seen, masks, luck: np.full(len(seen), -1)])
    venv.reset()
    assert not venv.guests.is_own[np.arange(200), venv.seat].all()
    with pytest.raises(ConfigError, match=r"gave action -1 in row \d+: allowed are the legal ones"):
        venv.step(venv.action_masks().argmax(axis=1))
    for bad in ({"share": 1.5}, {"opponents": ["greedy"]}):
        with pytest.raises(ConfigError, match="allowed are"):
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
                _, _, seen, act, mask, value = play.decisions[number]
                assert np.array_equal(batch.observations[i], seen)
                assert batch.actions[i].tolist() == [act]
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
    with pytest.raises(ConfigError, match=r"SeatVecEnv with 2 rows: allowed is a SelfPlayVecEnv with 2$"):
        new_buffer(SeatVecEnv(2), 4)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"SelfPlayVecEnv with 2 rows: allowed is a SelfPlayVecEnv with 3$"):
        SeatRolloutBuffer(4, **space, n_envs=3).attach(venv)
    with pytest.raises(ConfigError, match="DummyVecEnv with 2 rows"):
        SelfPlayPPO("MlpPolicy", DummyVecEnv([SeatEnv, SeatEnv]), device="cpu")
    # A plain MaskablePPO does not say which environment it steps.
    model = MaskablePPO("MlpPolicy", venv, n_steps=8, rollout_buffer_class=SeatRolloutBuffer, device="cpu")
    with pytest.raises(ConfigError, match="without an environment"):
        model.learn(8)
    with pytest.raises(ConfigError, match="without action masks"):
        SelfPlayPPO("MlpPolicy", venv, n_steps=8, device="cpu").learn(8, use_masking=False)
    with pytest.raises(ConfigError, match=r"^[01] decisions to learn from in a rollout of 1 steps and 1 games"):
        SelfPlayPPO("MlpPolicy", SelfPlayVecEnv(1), n_steps=1, batch_size=2, device="cpu").learn(1)


def test_self_play_vec_env__warns_once_who_reads_its_rows_as_if_they_were_players() -> None:
    model = MaskablePPO("MlpPolicy", SelfPlayVecEnv(16), n_steps=40, batch_size=640, n_epochs=1, device="cpu")
    with pytest.warns(UserWarning, match="learn by SelfPlayPPO, evaluate on SeatVecEnv") as warned:
        model.learn(1280)
    assert len(warned) == 1


@pytest.mark.parametrize("kind", [SelfPlayVecEnv, SeatVecEnv])
def test_vec_env__is_what_sb3_asks_for(kind: type[SelfPlayVecEnv | SeatVecEnv]) -> None:
    venv = kind(3)
    with pytest.raises(ResetNeeded):
        venv.action_masks()
    assert is_masking_supported(venv)
    assert not venv.has_attr("nothing_like_it")
    seen = venv.reset()
    assert seen.shape == (3, *venv.observation_space.shape)
    assert seen.dtype == venv.observation_space.dtype
    masks = get_action_masks(venv)
    assert masks.shape == (3, venv.action_space.n)
    assert masks.dtype == bool
    assert np.array_equal(masks, venv.action_masks())
    assert np.array_equal(masks, venv.games.engine.mask)
    assert [mask.tolist() for mask in venv.env_method("action_masks", indices=[2, 0])] == masks[[2, 0]].tolist()
    assert len(venv.env_method("action_masks", indices=1)) == 1
    with pytest.raises(AttributeError, match="'reset' of a row: allowed is 'action_masks'"):
        venv.env_method("reset")
    assert venv.get_attr("num_players", [0, 1]) == [4, 4]
    venv.set_attr("note", "x")
    assert venv.get_attr("note") == ["x"] * 3
    with pytest.raises(ConfigError, match="'note' of rows 1: allowed is all rows"):
        venv.set_attr("note", "y", 1)
    assert venv.env_is_wrapped(Monitor) == [True] * 3
    assert venv.env_is_wrapped(VecMonitor, 0) == [False]
    venv.set_options({"seat": 1})
    with pytest.raises(ConfigError, match=r"reset options \{'seat': 1\}: this environment has none"):
        venv.reset()
    venv.close()


@pytest.mark.parametrize("kind", [SelfPlayVecEnv, SeatVecEnv])
@pytest.mark.parametrize("rules", [BIG2, HONG_KONG], ids=lambda rules: rules.name)
def test_vec_env__steps_as_the_batch_engine_and_tells_each_games_end(kind: type[Any], rules: RuleSet) -> None:
    venv, rng = kind(16, ruleset=rules, scoring="cards"), np.random.default_rng(0)
    venv.seed(9)
    seen, ends = venv.reset(), 0
    assert [info["seat"] for info in venv.reset_infos] == venv.seat.tolist()
    lengths, returns, held = np.zeros(16, int), np.zeros(16), seen.copy()
    for _ in range(120):
        kept = seen
        shown = venv.seat.copy()
        seen, rewards, dones, infos = venv.step(drawn(venv, rng))
        assert np.array_equal(kept, held)  # nothing given is written over
        held = seen.copy()
        venv.games.engine.show()
        assert np.array_equal(seen, venv.games.engine.observation)
        assert np.array_equal(venv.action_masks(), venv.games.engine.mask)
        assert np.array_equal(venv.acted, shown)
        assert not np.shares_memory(dones, venv.ended)
        lengths += 1
        returns += rewards
        assert venv.ended.tolist() == dones.tolist() == [bool(info) for info in infos]
        for row in np.flatnonzero(dones):
            info = infos[row]
            ends += 1
            assert info["episode"]["l"] == lengths[row]
            assert info["episode"]["r"] == pytest.approx(returns[row])
            assert info["seat"] == shown[row]
            assert info["TimeLimit.truncated"] is False
            assert "illegal" not in info
            assert info["payoffs"].sum() == 0
            assert rewards[row] == info["payoffs"][shown[row]]
            assert info["terminal_observation"].shape == seen[row].shape
            left = venv.games.layout.named(info["terminal_observation"])["cards_left"].sum(axis=1)
            assert np.array_equal(-left.astype(float), np.roll(np.minimum(info["payoffs"], 0), -shown[row]))
            assert info.get("is_success") == (info["payoffs"][shown[row]] > 0 if kind is SeatVecEnv else None)
            lengths[row], returns[row] = 0, 0.0
        assert (rewards[~dones] == 0).all()
    assert ends > 20


@pytest.mark.parametrize("kind", [SelfPlayVecEnv, SeatVecEnv])
def test_vec_env__plays_the_same_games_for_a_seed_whatever_the_number_of_rows(kind: type[Any]) -> None:
    few, many = kind(2), kind(9, threads=2)
    for venv in (few, many):
        venv.seed(31)
    a, b = few.reset(), many.reset()
    for _ in range(80):
        assert np.array_equal(a, b[:2])
        counts, ids = many.games.legal_ids()
        acts = ids[np.arange(9), counts // 2]
        (a, rewards, dones, _), (b, all_rewards, all_dones, _) = few.step(acts[:2]), many.step(acts)
        assert np.array_equal(rewards, all_rewards[:2])
        assert np.array_equal(dones, all_dones[:2])
    again = few.reset()  # without a seed the rows deal on
    assert not np.array_equal(again, (few.seed(31), few.reset())[1])
    many.close()


def test_vec_env__illegal_acts_end_the_game_of_the_seat_alone_or_raise() -> None:
    for kind in (SelfPlayVecEnv, SeatVecEnv):
        venv = kind(4, illegal_reward=-5.0)
        venv.seed(0)
        venv.reset()
        shown, acts = venv.seat.copy(), venv.action_masks().argmax(axis=1)
        acts[2] = np.flatnonzero(~venv.action_masks()[2])[0]
        _, rewards, dones, infos = venv.step(acts)
        assert rewards.tolist() == [0, 0, -5, 0]
        assert dones.tolist() == [False, False, True, False]
        assert infos[2]["illegal"] is True
        assert infos[2]["payoffs"].tolist() == [-5 * (s == shown[2]) for s in range(4)]
        strict = kind(4, on_illegal="raise")
        strict.seed(0)
        strict.reset()
        with pytest.raises(IllegalPlayError, match="row 2"):
            strict.step(acts)


def test_seat_vec_env__pays_the_learner_its_wins_and_its_losses() -> None:
    venv, rng, outcomes, seats = SeatVecEnv(256), np.random.default_rng(4), Counter[int](), Counter[int]()
    venv.seed(2)
    venv.reset()
    while outcomes.total() < 2000:
        _, rewards, dones, infos = venv.step(drawn(venv, rng))
        for row in np.flatnonzero(dones):
            outcomes[round(rewards[row] * 3)] += 1
            seats[infos[row]["seat"]] += 1
            assert rewards[row] == infos[row]["payoffs"][infos[row]["seat"]]
    assert set(outcomes) == {3, -1}  # 1 for a win, a third of it lost
    assert 0.2 < outcomes[3] / outcomes.total() < 0.3  # all play at random
    assert min(seats.values()) > 400


def small(venv: Any, kind: Any = SelfPlayPPO, **how: Any) -> Any:
    settings: dict[str, Any] = {"n_steps": 64, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 1.0}
    settings |= {"policy": LegalPolicy, "policy_kwargs": {"net_arch": [64]}, "seed": 1, "device": "cpu"}
    return kind(env=venv, **(settings | how))


def score(model: Any, opponents: Any = "random", games: int = 256) -> float:
    """Mean payoff over fixed games."""
    venv = SeatVecEnv(64, opponents)
    venv.seed(77)
    return float(evaluate_policy(model, venv, games)[0])


def test_self_play_ppo__learns_to_beat_random_players_and_goes_on_after_load(tmp_path: Path) -> None:
    venv = VecNormalize(SelfPlayVecEnv(32), norm_obs=False)  # payoffs come past its normalised rewards
    model = small(venv)
    assert isinstance(model.rollout_buffer, SeatRolloutBuffer)
    before = score(model)
    model.learn(8192)
    rewards = model.rollout_buffer.rewards
    assert {round(float(reward), 3) for reward in rewards} == {-0.333, 0.0, 1.0}
    after = score(model)
    assert after > before + 0.3
    model.save(tmp_path / "model")
    idle = SelfPlayPPO.load(tmp_path / "model", device="cpu")
    assert score(idle) == after
    idle.set_env(SelfPlayVecEnv(32))
    idle.learn(2048)
    other = SelfPlayPPO.load(tmp_path / "model", env=SelfPlayVecEnv(8), device="cpu")
    other.learn(512)
    assert len(other.rollout_buffer.rewards) > 400


def test_self_play_ppo__does_the_same_for_the_same_seed() -> None:
    weights = []
    for _ in range(2):
        model = small(SelfPlayVecEnv(8), n_steps=32)
        model.learn(512)
        weights.append(torch.cat([parameter.flatten() for parameter in model.policy.parameters()]))
    assert torch.equal(*weights)


def test_maskable_ppo__learns_on_the_seat_vec_env_as_it_is() -> None:
    # A mask that were not used would raise.
    model = small(SeatVecEnv(32, on_illegal="raise"), MaskablePPO, policy="MlpPolicy")
    assert type(model.rollout_buffer) is MaskableRolloutBuffer

    class Log(BaseCallback):
        rates: list[float]

        def _on_training_start(self) -> None:
            self.rates = []

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            self.rates.append(float(np.mean(self.model.ep_success_buffer)))

    before, log = score(model), Log()
    model.learn(6144, callback=log)
    assert score(model) > before + 0.2
    assert 0 <= log.rates[0] < log.rates[-1] <= 1


def test_policy_opponent__plays_a_snapshot_with_each_games_own_luck() -> None:
    model = small(SelfPlayVecEnv(4), n_steps=16)
    opponent = PolicyOpponent(model)

    def games(rows: int, opponent: Any) -> list[bytes]:
        """What the first rows show, and what their games pay."""
        venv, shown = SeatVecEnv(rows, ["random", opponent, opponent], on_illegal="raise"), []
        venv.seed(8)
        seen = venv.reset()
        for _ in range(40):
            shown.append(seen[:3].tobytes())
            seen, rewards, _, _ = venv.step(venv.action_masks().argmax(axis=1))
            shown.append(rewards[:3].tobytes())
        return shown

    first = games(3, opponent)
    assert games(7, opponent) == first
    model.learn(512)
    assert games(3, opponent) == first  # the snapshot stands
    opponent.update(model)
    assert games(3, opponent) != first
    best = PolicyOpponent(model, deterministic=True)
    assert games(3, best) == games(5, best) != games(3, opponent)


def test_policy_opponent__draws_as_the_policy_does() -> None:
    model, engine = small(SelfPlayVecEnv(4)), BatchEngine(BIG2, 64)
    engine.reset(seed=5)
    widest = engine.mask.sum(axis=1).argmax()
    view, legal = engine.observation[widest], engine.mask[widest]
    assert legal.sum() > 5

    class Luck:
        def random(self) -> Array:
            return (np.arange(2000) + 0.5) / 2000

    acts = PolicyOpponent(model)(np.tile(view, (2000, 1)), np.tile(legal, (2000, 1)), Luck())  # type: ignore[arg-type]
    with torch.no_grad():
        chances = model.policy.get_distribution(torch.tensor(view)[None], legal).distribution.probs[0].numpy()
    np.testing.assert_allclose(np.bincount(acts, minlength=len(chances)) / 2000, chances, atol=1 / 2000 + 1e-6)


def test_legal_policy__has_the_chances_entropies_and_gradients_of_the_maskable_distribution() -> None:
    rng, generator = np.random.default_rng(0), torch.Generator().manual_seed(0)
    masks = rng.random((50, 200)) < rng.random((50, 1)) * 0.2
    masks[np.arange(50), rng.integers(200, size=50)] = True
    masks[0] = True
    answers = []
    for kind in (MaskableCategoricalDistribution, LegalDistribution):
        for given in (masks, torch.tensor(masks, dtype=torch.float32), None):
            logits = torch.randn(50, 200, generator=generator.manual_seed(1)).requires_grad_()
            dist = kind(200).proba_distribution(logits)
            dist.apply_masking(~masks | (np.arange(200) < 3))
            dist.entropy()
            dist.apply_masking(given)
            legal = np.ones_like(masks) if given is None else masks
            acts = torch.tensor([np.flatnonzero(row)[-1] for row in legal])
            log_prob, entropy = dist.log_prob(acts), dist.entropy()
            (log_prob * torch.arange(50) + entropy).sum().backward()
            for _ in range(3):
                assert legal[np.arange(50), dist.sample()].all()
            answers.append([log_prob, entropy, dist.mode(), dist.distribution.probs, logits.grad, dist.log_prob(acts * 0)])
    for theirs, ours in zip(answers[:3], answers[3:], strict=True):
        for a, b in zip(theirs[:5], ours[:5], strict=True):
            torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-6)
        seldom = theirs[5] < -1e7
        assert torch.equal(seldom, ours[5] < -1e7)
        torch.testing.assert_close(ours[5][~seldom], theirs[5][~seldom])


@pytest.mark.parametrize("odds", [0.02, 0.5])
def test_legal_policy__computes_the_logits_of_the_legal_acts_as_its_last_layer_does(odds: float) -> None:
    torch.manual_seed(2)
    masks = np.random.default_rng(1).random((40, 300)) < odds
    masks[:, 7] = True
    acts, layer, answers = torch.tensor(masks.argmax(axis=1)), torch.nn.Linear(12, 300), []
    inputs = torch.randn(40, 12).requires_grad_()
    for way in ("layer", "logits"):
        dist = LegalDistribution(300)
        dist = dist.of_layer(inputs, layer) if way == "layer" else dist.proba_distribution(layer(inputs))
        for given in (masks, None):
            dist.apply_masking(given)
            torch.autograd.backward(dist.log_prob(acts).sum() + dist.entropy().sum())
            grads = [each.grad.clone() for each in (inputs, *layer.parameters()) if each.grad is not None]
            answers.append([dist.log_prob(acts), dist.entropy(), dist.mode(), dist.distribution.probs, *grads])
            assert len(grads) == 3
            for each in (inputs, *layer.parameters()):
                each.grad = None
            dist = dist.of_layer(inputs, layer) if way == "layer" else dist.proba_distribution(layer(inputs))
    for a, b in zip(answers[:2], answers[2:], strict=True):
        for x, y in zip(a, b, strict=True):
            torch.testing.assert_close(x, y, rtol=1e-4, atol=1e-5)


def test_legal_policy__draws_by_the_chances() -> None:
    logits, mask = torch.tensor([0.0, 1.0, 2.0, -1.0, 0.5]), np.array([True, False, True, True, False])
    dist = LegalDistribution(5).proba_distribution(logits.repeat(20000, 1))
    dist.apply_masking(np.tile(mask, (20000, 1)))
    torch.manual_seed(3)
    drawn = np.bincount(dist.sample(), minlength=5) / 20000
    np.testing.assert_allclose(drawn, dist.distribution.probs[0], atol=0.01)


def test_legal_policy__is_the_mlp_policy_with_the_same_networks(tmp_path: Path) -> None:
    venv = SelfPlayVecEnv(32)
    plain, ours = (SelfPlayPPO(kind, venv, n_steps=8, seed=4, device="cpu") for kind in ("MlpPolicy", LegalPolicy))
    seen, masks = venv.reset(), venv.action_masks()
    for deterministic in (True, False):
        acts = ours.predict(seen, action_masks=masks, deterministic=deterministic)[0]
        assert masks[np.arange(32), acts].all()
    assert np.array_equal(
        plain.predict(seen, action_masks=masks, deterministic=True)[0],
        ours.predict(seen, action_masks=masks, deterministic=True)[0],
    )
    plain.save(tmp_path / "plain")
    ours.set_parameters(str(tmp_path / "plain.zip"))  # the weights are the same
    with pytest.raises(ConfigError, match=r"action space MultiBinary\(3\): allowed is Discrete"):
        LegalPolicy(venv.observation_space, MultiBinary(3), lambda _: 1e-3)


@pytest.mark.parametrize("rules", [BIG2, HONG_KONG, OUTSIDE], ids=lambda rules: f"{rules.name}-{len(rules.patterns)}")
def test_greedy_batch__acts_as_the_greedy_agent(rules: RuleSet) -> None:
    engine, batch, agent, slots, rng = (
        BatchEngine(rules, 32),
        GreedyBatch(rules),
        GreedyAgent(),
        HandSlots(rules),
        SplitMix64(3),
    )
    engine.reset(seed=1)
    for _ in range(40):
        acts = batch(engine.observation, engine.mask)
        for row in range(32):
            view = engine.game(row).view()
            assert acts[row] == slots.of_play(agent.act(view, view.legal_plays()), view.hand)
        counts, ids = engine.legal_ids()
        # Now and then somebody else acts, so that many kinds of positions arise.
        others = np.array([ids[row, rng.below(int(counts[row]))] for row in range(32)])
        engine.step(np.where(rng.below(3) == 0, others, acts))


def test_module__says_which_extra_it_needs() -> None:
    code = "import sys; sys.modules['sb3_contrib'] = None; import big2_env.envs.sb3"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "pip install 'big2_env[sb3]'" in result.stderr.splitlines()[-1]
