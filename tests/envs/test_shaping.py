"""Shaped rewards: the sums telescope, the payoffs stay, in every environment that has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from row_moves import chosen, random_moves
from sb3_small import QUIET, small

from big2_env import ConfigError, ruleset
from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv
from big2_env.envs.seat import SeatEnv
from big2_env.envs.shaping import POTENTIALS, Shaper, Shaping
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.engine import BatchEngine

Array = np.ndarray[Any, Any]
pytestmark = QUIET


def held(observations: Array) -> Array:
    """A potential of one's own: the cards in the hand of a `big2` player."""
    return -observations[:, :52].sum(axis=1) / 13


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "wu_gua_pi"])
def test_potentials__are_told_by_the_cards(name: str) -> None:
    engine = BatchEngine(ruleset(name), 6)
    engine.reset(3)
    for _ in range(9):
        counts, ids = engine.legal_ids()
        engine.step(ids[np.arange(6), counts - 1].astype(np.int64))
    left = Shaper("cards_left", engine.layout).potentials(engine.observation)
    race = Shaper(Shaping("race", weight=2.0), engine.layout).potentials(engine.observation)
    most = engine.layout.windows["cards_left"].shape[1]
    for row in range(6):
        cards = [hand.bit_count() for hand in engine.position(row).hands]
        own = cards.pop(int(engine.seat[row]))
        assert left[row] == pytest.approx(1 - own / most)
        assert race[row] == pytest.approx(2 * (min(cards) - own) / most)


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("shaping", [*POTENTIALS, held, Shaping("cards_left", weight=0.5, gamma=0.9)])
def test_batch__adds_differences_of_potentials(shaping: Any, mode: str) -> None:
    shaped, plain = (BatchEnv(6, shaping=given, opponents="lowest", autoreset_mode=mode) for given in (shaping, None))
    shaper, ends = Shaper(shaping, shaped.layout), 0
    before = shaper.potentials(shaped.reset(seed=4)[0])
    plain.reset(seed=4)
    dealt = np.zeros(6, bool)
    for step in range(60):
        moves = chosen(plain, step)
        seen, rewards, ended, _, infos = shaped.step(moves)
        same, paid, *_ = plain.step(moves)
        assert np.array_equal(seen, same)
        now = shaper.potentials(seen)
        wanted = np.where(dealt, 0.0, paid + np.where(ended, 0.0, shaper.shaping.gamma * now) - before)
        np.testing.assert_allclose(rewards, wanted, atol=1e-6)
        np.testing.assert_allclose(infos["payoffs"][ended].sum(axis=1), 0, atol=1e-6)
        before, ends = now, ends + int(ended.sum())
        dealt = ended if mode == "NextStep" else dealt
    assert ends > 5


def test_seat__shapes_as_the_batch_does() -> None:
    env = SeatEnv("lowest", shaping="cards_left", seat=1)
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        start, total, done = Shaper("cards_left", env.layout).potentials(observation[None])[0], 0.0, False
        while not done:
            observation, reward, done, _, info = env.step(info["action_mask"].nonzero()[0][-1])
            total += reward
        assert total == pytest.approx(info["payoffs"][1] - start)


def test_self_play__shapes_each_seats_decisions_by_what_it_sees() -> None:
    models = []
    for given in (None, "cards_left"):
        models.append(small(SelfPlayVecEnv(4, shaping=given), n_steps=96, n_epochs=1, learning_rate=0.0))
        models[-1].learn(384)
    plain, shaped = (model.rollout_buffer for model in models)
    assert np.array_equal(plain.rows, shaped.rows)
    assert np.array_equal(plain.seats, shaped.seats)
    sums = []
    for row in range(4):
        for seat in range(4):
            mine = (plain.rows == row) & (plain.seats == seat)
            paid, gained = plain.rewards[mine], shaped.rewards[mine]
            ends = np.flatnonzero(paid)
            # From one payoff to the next lies a game: in sum it adds minus the potential of a full hand, 0.
            for first, last in zip(ends[:-1] + 1, ends[1:] + 1, strict=True):
                sums.append(gained[first:last].sum() - paid[first:last].sum())
    assert len(sums) >= 8
    np.testing.assert_allclose(sums, 0, atol=1e-6)
    assert not np.array_equal(plain.rewards, shaped.rewards)


def test_shaping__says_where_it_works() -> None:
    with pytest.raises(ConfigError, match=r"shaping needs mode='seat'; big2_env\.envs\.sb3\.SelfPlayVecEnv"):
        BatchEnv(1, mode="self_play", shaping="race")
    with pytest.raises(ConfigError, match=r"expected shaping by 'cards_left', 'race' or a function of .*, got 'tricks'"):
        SeatEnv(shaping="tricks")
    with pytest.raises(ConfigError, match=r"expected gamma from 0 to 1, got 1\.5"):
        Shaping("race", gamma=1.5)
    with pytest.raises(ConfigError, match="expected gamma from 0 to 1, got 'half'"):
        Shaping("race", gamma="half")  # type: ignore[arg-type]
    for weight in (float("inf"), float("nan"), "half"):
        with pytest.raises(ConfigError, match=f"expected a finite number as weight, got {weight!r}"):
            Shaping("race", weight=weight)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="expected 2 finite numbers from potential"):
        BatchEnv(2, shaping=lambda seen: seen.sum()).reset(seed=1)


def test_seat_vec_env__logs_shaped_returns_and_plain_payoffs() -> None:
    venv, rng = SeatVecEnv(16, shaping="cards_left"), np.random.default_rng(2)
    venv.seed(3)
    venv.reset()
    infos: list[Any] = []
    while len(infos) < 30:
        infos += [info for info in venv.step(random_moves(venv, rng))[3] if info]
    for info in infos:
        assert info["is_success"] == (info["payoffs"][info["seat"]] > 0)
        assert info["episode"]["r"] == pytest.approx(info["payoffs"][info["seat"]], abs=0.5)
