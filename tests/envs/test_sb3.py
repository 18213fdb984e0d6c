"""The vector environments for Stable-Baselines3, learning on them, greedy play for whole batches."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from places import ROOT
from row_moves import random_moves
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from sb3_small import QUIET, small
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from big2_env import BIG2, HONG_KONG, ConfigError, IllegalPlayError, RuleSet
from big2_env.envs.sb3 import LegalPolicy, SeatRolloutBuffer, SeatVecEnv, SelfPlayPPO, SelfPlayVecEnv

Array = np.ndarray[Any, Any]
pytestmark = QUIET


def test_self_play_vec_env__warns_once_who_reads_its_rows_as_if_they_were_players() -> None:
    model = MaskablePPO("MlpPolicy", SelfPlayVecEnv(16), n_steps=40, batch_size=640, n_epochs=1, device="cpu")
    with pytest.warns(UserWarning, match="learn by SelfPlayPPO, evaluate on SeatVecEnv") as warned:
        model.learn(1280)
    assert len(warned) == 1


@pytest.mark.parametrize("kind", [SelfPlayVecEnv, SeatVecEnv])
def test_vec_env__warns_once_of_a_learner_without_masks(kind: Any) -> None:
    model = PPO("MlpPolicy", kind(4), n_steps=16, batch_size=64, device="cpu")
    with pytest.warns(UserWarning, match="an illegal action ended a game") as warned:
        model.learn(256)
    assert len(warned) == 1


WRONG_SETUPS: dict[str, Callable[[], object]] = {
    "a batch of `make_vec`": lambda: MaskablePPO("MlpPolicy", gymnasium.make_vec("big2/Big2-v0", 4)),
    "`LegalPolicy` with plain `PPO`": lambda: PPO(LegalPolicy, SeatVecEnv(4), device="cpu"),
    "`SelfPlayPPO` on `SeatVecEnv`": lambda: SelfPlayPPO("MlpPolicy", SeatVecEnv(4), device="cpu"),
    "plain `PPO`, or `evaluate_policy` of Stable-Baselines3": lambda: small(SeatVecEnv(4), PPO, policy="MlpPolicy").learn(256),
    "`MaskablePPO` on `SelfPlayVecEnv`": lambda: small(SelfPlayVecEnv(4), MaskablePPO, policy="MlpPolicy").learn(512),
}


def test_page__quotes_the_messages_of_wrong_setups() -> None:
    page = (ROOT / "agents" / "big2_agents" / "train" / "README.md").read_text("utf-8")
    table = page.partition("\n| message | cause | remedy |\n")[2].partition("\n\n")[0].splitlines()[1:]
    quoted = {
        cause: message for message, cause in re.findall(r"\| `(.*?)`(?: \(warning[^)]*\))? \| (.*?) \| .*", "\n".join(table))
    }
    assert set(quoted) == set(WRONG_SETUPS)
    for cause, start in WRONG_SETUPS.items():
        with pytest.raises((ValueError, TypeError, UserWarning), match=re.escape(quoted[cause])):  # warnings are errors here
            start()


def test_self_play_vec_env__has_as_many_players_as_are_asked_for() -> None:
    venv = SelfPlayVecEnv(4, ruleset="big2", num_players=3, opponents=["random"], share=1.0)
    venv.seed(1)
    venv.reset()
    assert venv.num_players == 3
    rng, seats, ended = np.random.default_rng(1), set(), 0
    for _ in range(300):
        seats |= set(venv.seat.tolist())
        ended += sum("payoffs" in info for info in venv.step(random_moves(venv, rng))[3])
    assert venv.payoffs.shape == (4, 3)
    assert seats == {0, 1, 2}
    assert ended


@pytest.mark.parametrize("players", [2, 3])
def test_seat_vec_env__has_as_many_players_as_are_asked_for(players: int) -> None:
    venv = SeatVecEnv(4, num_players=players)
    venv.seed(1)
    venv.reset()
    rng, learners = np.random.default_rng(1), set()
    for _ in range(200):
        infos = venv.step(random_moves(venv, rng))[3]
        learners |= {info["seat"] for info in infos if info}
    assert venv.payoffs.shape == (4, players)
    assert learners == set(range(players))


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
    with pytest.raises(AttributeError, match="expected method 'action_masks' of a row, without arguments, got 'reset'"):
        venv.env_method("reset")
    assert venv.get_attr("num_players", [0, 1]) == [4, 4]
    venv.set_attr("note", "x")
    assert venv.get_attr("note") == ["x"] * 3
    with pytest.raises(ConfigError, match="expected all rows, which share attribute 'note', got rows 1"):
        venv.set_attr("note", "y", 1)
    assert venv.env_is_wrapped(Monitor) == [True] * 3
    assert venv.env_is_wrapped(VecMonitor, 0) == [False]
    venv.set_options({"seat": 1})
    with pytest.raises(ConfigError, match=r"expected no reset options, got \{'seat': 1\}"):
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
        seen, rewards, dones, infos = venv.step(random_moves(venv, rng))
        assert np.array_equal(kept, held)  # nothing given is written over
        held = seen.copy()
        venv.games.engine.show()
        assert np.array_equal(seen, venv.games.engine.observation)
        assert np.array_equal(venv.action_masks(), venv.games.engine.mask)
        assert np.array_equal(venv.actor, shown)
        assert not np.shares_memory(dones, venv.ended)
        lengths += 1
        returns += rewards
        assert venv.ended.tolist() == dones.tolist() == [bool(info) for info in infos]
        for row in np.flatnonzero(dones):
            info = infos[row]
            ends += 1
            assert info["episode"]["l"] == lengths[row]
            assert info["episode"]["r"] == pytest.approx(returns[row] if kind is SeatVecEnv else 0.0)
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
        moves = ids[np.arange(9), counts // 2]
        (a, rewards, dones, _), (b, all_rewards, all_dones, _) = few.step(moves[:2]), many.step(moves)
        assert np.array_equal(rewards, all_rewards[:2])
        assert np.array_equal(dones, all_dones[:2])
    again = few.reset()  # without a seed the rows deal on
    assert not np.array_equal(again, (few.seed(31), few.reset())[1])
    many.close()


def test_vec_env__illegal_moves_end_the_game_of_the_seat_alone_or_raise() -> None:
    for kind in (SelfPlayVecEnv, SeatVecEnv):
        venv = kind(4, illegal_reward=-5.0)
        venv.seed(0)
        venv.reset()
        shown, moves = venv.seat.copy(), venv.action_masks().argmax(axis=1)
        moves[2] = np.flatnonzero(~venv.action_masks()[2])[0]
        with pytest.warns(UserWarning, match="an illegal action ended a game"):
            _, rewards, dones, infos = venv.step(moves)
        assert rewards.tolist() == [0, 0, -5, 0]
        assert dones.tolist() == [False, False, True, False]
        assert infos[2]["illegal"] is True
        assert infos[2]["payoffs"].tolist() == [-5 * (s == shown[2]) for s in range(4)]
        strict = kind(4, on_illegal="raise")
        strict.seed(0)
        strict.reset()
        with pytest.raises(IllegalPlayError, match="row 2"):
            strict.step(moves)


def test_seat_vec_env__pays_the_learner_its_wins_and_its_losses() -> None:
    venv, rng, outcomes, seats = SeatVecEnv(256), np.random.default_rng(4), Counter[int](), Counter[int]()
    venv.seed(2)
    venv.reset()
    while outcomes.total() < 2000:
        _, rewards, dones, infos = venv.step(random_moves(venv, rng))
        for row in np.flatnonzero(dones):
            outcomes[round(rewards[row] * 3)] += 1
            seats[infos[row]["seat"]] += 1
            assert rewards[row] == infos[row]["payoffs"][infos[row]["seat"]]
    assert set(outcomes) == {3, -1}  # 1 for a win, a third of it lost
    assert 0.2 < outcomes[3] / outcomes.total() < 0.3  # all play at random
    assert min(seats.values()) > 400


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


def test_module__says_which_extra_it_needs() -> None:
    code = "import sys; sys.modules['sb3_contrib'] = None; import big2_env.envs.sb3"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "pip install 'big2_env[sb3]'" in result.stderr.splitlines()[-1]
