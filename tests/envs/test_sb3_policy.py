"""The policy over legal acts and opponents that play a snapshot of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.spaces import MultiBinary
from row_moves import random_moves
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_small import QUIET, small
from stable_baselines3.common.vec_env import VecNormalize

from big2_env import BIG2, ConfigError
from big2_env.envs.sb3 import LegalPolicy, PolicyOpponent, SeatVecEnv, SelfPlayPPO, SelfPlayVecEnv
from big2_env.envs.sb3_policy import LegalDistribution
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowRandom

Array = np.ndarray[Any, Any]
pytestmark = QUIET


def test_policy_opponent__plays_a_snapshot_with_each_games_own_rng() -> None:
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

    class Rng:
        def random(self) -> Array:
            return (np.arange(2000) + 0.5) / 2000

    moves = PolicyOpponent(model)(np.tile(view, (2000, 1)), np.tile(legal, (2000, 1)), Rng())  # type: ignore[arg-type]
    with torch.no_grad():
        chances = model.policy.get_distribution(torch.tensor(view)[None], legal).distribution.probs[0].numpy()
    np.testing.assert_allclose(np.bincount(moves, minlength=len(chances)) / 2000, chances, atol=1 / 2000 + 1e-6)


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
            moves = torch.tensor([np.flatnonzero(row)[-1] for row in legal])
            log_prob, entropy = dist.log_prob(moves), dist.entropy()
            (log_prob * torch.arange(50) + entropy).sum().backward()
            for _ in range(3):
                assert legal[np.arange(50), dist.sample()].all()
            answers.append([log_prob, entropy, dist.mode(), dist.distribution.probs, logits.grad, dist.log_prob(moves * 0)])
    for theirs, ours in zip(answers[:3], answers[3:], strict=True):
        for a, b in zip(theirs[:5], ours[:5], strict=True):
            torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-6)
        seldom = theirs[5] < -1e7
        assert torch.equal(seldom, ours[5] < -1e7)
        torch.testing.assert_close(ours[5][~seldom], theirs[5][~seldom])


@pytest.mark.parametrize("odds", [0.02, 0.5])
def test_legal_policy__computes_the_logits_of_the_legal_moves_as_its_last_layer_does(odds: float) -> None:
    torch.manual_seed(2)
    masks = np.random.default_rng(1).random((40, 300)) < odds
    masks[:, 7] = True
    moves, layer, answers = torch.tensor(masks.argmax(axis=1)), torch.nn.Linear(12, 300), []
    inputs = torch.randn(40, 12).requires_grad_()
    for variant in ("layer", "logits"):
        dist = LegalDistribution(300)
        dist = dist.of_layer(inputs, layer) if variant == "layer" else dist.proba_distribution(layer(inputs))
        for given in (masks, None):
            dist.apply_masking(given)
            torch.autograd.backward(dist.log_prob(moves).sum() + dist.entropy().sum())
            grads = [each.grad.clone() for each in (inputs, *layer.parameters()) if each.grad is not None]
            answers.append([dist.log_prob(moves), dist.entropy(), dist.mode(), dist.distribution.probs, *grads])
            assert len(grads) == 3
            for each in (inputs, *layer.parameters()):
                each.grad = None
            dist = dist.of_layer(inputs, layer) if variant == "layer" else dist.proba_distribution(layer(inputs))
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
        moves = ours.predict(seen, action_masks=masks, deterministic=deterministic)[0]
        assert masks[np.arange(32), moves].all()
    assert np.array_equal(
        plain.predict(seen, action_masks=masks, deterministic=True)[0],
        ours.predict(seen, action_masks=masks, deterministic=True)[0],
    )
    plain.save(tmp_path / "plain")
    ours.set_parameters(str(tmp_path / "plain.zip"))  # the weights are the same
    with pytest.raises(ConfigError, match=r"expected a Discrete action space, got MultiBinary\(3\)"):
        LegalPolicy(venv.observation_space, MultiBinary(3), lambda _: 1e-3)


def test_policy_opponent__sees_what_its_model_was_trained_on() -> None:
    """Behind `VecNormalize` the learner's observations are other numbers than the games'; a snapshot keeps its statistics."""
    venv = VecNormalize(SeatVecEnv(8, dtype="float32"), norm_reward=False)
    model = small(venv, MaskablePPO, n_steps=64, n_epochs=1)
    model.learn(512)
    opponent, raw = PolicyOpponent(model, deterministic=True), SeatVecEnv(8, dtype="float32")
    raw.seed(4)
    seen, masks = raw.reset(), raw.action_masks()
    wanted, _ = model.predict(venv.normalize_obs(seen), action_masks=masks, deterministic=True)
    rng = RowRandom(np.zeros(8, np.uint64))
    assert np.array_equal(opponent(seen, masks.view(np.int8), rng), wanted)
    unfit, _ = model.predict(seen, action_masks=masks, deterministic=True)
    kept = opponent._normalized(seen)
    assert kept.dtype == np.float32
    np.testing.assert_allclose(kept, venv.normalize_obs(seen), rtol=1e-5, atol=1e-6)
    venv.obs_rms.mean += 1.0  # what the wrapper learns later is not the snapshot's
    assert np.array_equal(opponent._normalized(seen), kept)
    loaded = PolicyOpponent(model, normalize=venv)
    assert not np.array_equal(loaded._normalized(seen), kept)
    assert unfit.shape == wanted.shape
    plain = PolicyOpponent(small(SeatVecEnv(2), MaskablePPO, n_steps=2))
    assert plain._normalized(seen) is seen


def test_self_play_ppo__keeps_normalised_observations_as_they_are() -> None:
    model = small(VecNormalize(SelfPlayVecEnv(4)), n_steps=32, n_epochs=1)
    model.learn(128)
    kept = model.rollout_buffer._seen
    assert kept.dtype == np.float32
    assert (kept != np.rint(kept)).any()


def test_self_play__logs_the_mean_payoff_of_the_learners_seats() -> None:
    """Of a row's own rewards the sum would be a win in every game: whoever ends it has won it."""
    alone, pool = SelfPlayVecEnv(16), SelfPlayVecEnv(16, opponents="random", share=1.0)
    for venv in (alone, pool):
        venv.seed(2)
        venv.reset()
    means: dict[int, list[float]] = {id(alone): [], id(pool): []}
    rng = np.random.default_rng(3)
    for _ in range(120):
        for venv in (alone, pool):
            is_own = venv.pool.is_own.copy()
            infos = venv.step(random_moves(venv, rng))[3]
            for row, info in enumerate(infos):
                if info:
                    assert info["episode"]["r"] == pytest.approx(info["payoffs"][is_own[row]].mean(), abs=1e-6)
                    means[id(venv)].append(info["episode"]["r"])
    assert np.allclose(means[id(alone)], 0.0, atol=1e-6)
    assert len({round(value, 3) for value in means[id(pool)]}) > 1
