"""The arrays of `BatchEnv`: new ones or the same again, the caller's own, lists of legal acts, random acts."""

from __future__ import annotations

import tracemalloc
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from gymnasium.utils import env_checker, passive_env_checker
from outside_patterns import OUTSIDE
from row_moves import chosen

from big2_env import ConfigError, Position
from big2_env.envs.vector import BatchEnv

Array = np.ndarray[Any, Any]


def test_legal_ids__are_the_mask_and_as_long_as_need_be() -> None:
    env = BatchEnv(2, ruleset=OUTSIDE, copy=False, mode="self_play")
    env.reset(seed=1)
    hands = [
        0xFFF | 1 << 51,
        0xFFF << 12,
        0xFFF << 24,
        0xFFF << 36,
    ]  # a hand of three fours leads, with 3 x 3 x 6 x 6 ways and more
    played = (0, 0, 0, 0)
    env.engine.set_position(1, Position(tuple(h & ~(1 << 51) if i else h for i, h in enumerate(hands)), 0, played=played))
    env.engine.show()
    counts, ids = env.legal_ids()
    assert counts[1] > 128
    assert ids.shape[1] >= counts[1]
    for step in range(30):
        counts, ids = env.legal_ids()
        for row in range(2):
            assert sorted(ids[row, : counts[row]]) == np.flatnonzero(env.engine.mask[row]).tolist()
            assert env.action_masks()[row].tolist() == env.engine.mask[row].astype(bool).tolist()
        env.step(chosen(env, step))


def test_legal_ids__stay_true_between_steps_into_the_callers_arrays() -> None:
    env = BatchEnv(1, ruleset=OUTSIDE, masks="ids", mode="self_play")
    env.engine.finish_compiling()
    arrays = np.zeros((1, env.layout.size), np.int8), np.zeros((1, 0), np.int8), np.zeros(1, np.float32), np.zeros(1, np.bool_)
    env.reset(seed=1)
    env.step_into(chosen(env, 0), *arrays)
    env.engine.set_position(0, Position((0xFFF, 0xFFF << 12, 0xFFF << 24, 0xFFF << 36), 0))
    assert env.legal_ids()[0][0] > 128  # more than the lists had room for
    for step in range(10):
        counts, ids = env.legal_ids()
        assert sorted(ids[0, : counts[0]]) == np.flatnonzero(env.engine.masks()[0]).tolist()
        env.step_into(chosen(env, step), *arrays)


@pytest.mark.parametrize("done_type", [np.bool_, np.int8, np.uint8])
@pytest.mark.parametrize(
    "options",
    [
        {"mode": "self_play"},
        {"mode": "seat", "dtype": "float32", "skip_forced": True, "illegal_reward": -3.0},
        {"mode": "seat", "opponents": "greedy"},
    ],
)
def test_step_into__writes_what_step_returns(options: Any, done_type: Any) -> None:
    one, other = BatchEnv(6, **options), BatchEnv(6, **options)
    one.reset(seed=8)
    obs, infos = other.reset(seed=8)
    reward, done = np.empty(6, np.float32), np.empty(6, done_type)
    obs, mask = obs.copy(), infos["action_mask"].copy()
    for step in range(120):
        moves = chosen(one, step)
        if step % 50 == 49:
            moves[step % 6] = 1378
        expected = one.step(moves)
        other.step_into(moves, obs, mask, reward, done)
        for a, b in zip((obs, reward, done, mask), (*expected[:3], expected[4]["action_mask"]), strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(other.engine.payoffs, expected[4]["payoffs"])
        np.testing.assert_array_equal(other.action_masks(), one.action_masks())


def test_step_into__takes_other_arrays_and_the_engines_own_at_any_step() -> None:
    one, other = BatchEnv(3, mode="self_play", copy=False), BatchEnv(3, mode="self_play", copy=False)
    for env in (one, other):
        env.reset(seed=2)
    done = np.empty(3, np.bool_)
    sets = [(np.empty((3, 547), np.int8), np.empty((3, 1379), np.int8), np.empty(3, np.float32)) for _ in range(2)]
    for step in range(60):
        moves = chosen(one, step)
        obs, mask, reward = sets[step // 3 % 2]
        obs = other.engine.observation if step % 7 == 3 else obs
        expected = one.step(moves)
        other.step_into(moves, obs, mask, reward, done)
        for a, b in zip((obs, reward, done, mask), (*expected[:3], one.engine.mask), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("threads", [1, 2])
def test_step_into__writes_to_arrays_that_were_the_engines_own(threads: int) -> None:
    one, other = BatchEnv(3, mode="self_play"), BatchEnv(3, mode="self_play", threads=threads)
    one.reset(seed=2)
    obs, infos = other.reset(seed=2)
    mask, reward, done = infos["action_mask"], np.empty(3, np.float32), np.empty(3, np.bool_)
    for step in range(60):
        moves = chosen(one, step)
        expected = one.step(moves)
        if step % 5 == 2:  # the engine takes other arrays, because these are held
            other.step(moves)
        else:
            other.step_into(moves, obs, mask, reward, done)
            for a, b in zip((obs, reward, done, mask), (*expected[:3], expected[4]["action_mask"]), strict=True):
                np.testing.assert_array_equal(a, b)


def test_step_into__refuses_arrays_that_do_not_fit() -> None:
    env = BatchEnv(2, mode="self_play")
    env.reset(seed=0)
    obs, mask = np.empty((2, 547), np.int8), np.empty((2, 1379), np.int8)
    reward, done, moves = np.empty(2, np.float32), np.empty(2, np.bool_), chosen(env, 0)
    before = env.engine.games.tobytes()
    frozen = reward.copy()
    frozen.flags.writeable = False
    for given, message in (
        ((moves, obs.astype(float), mask, reward, done), "array int8 (2, 547) in C order for obs, got float64 (2, 547)"),
        ((moves, obs[:1], mask, reward, done), "for obs, got int8 (1, 547)"),
        ((moves, obs, np.asfortranarray(mask), reward, done), "for mask, got int8 (2, 1379)"),
        ((moves, obs, mask, frozen, done), "expected a writeable array float32 (2,) in C order for reward"),
        ((moves, obs, mask, reward, np.empty(2)), "expected done as bool, int8 or uint8 (2,), got float64 (2,)"),
        ((moves[:1], obs, mask, reward, done), "expected integers (2,) as actions, got int32 (1,)"),
    ):
        with pytest.raises(ConfigError) as caught:
            env.step_into(*given)
        assert message in str(caught.value)
    assert env.engine.games.tobytes() == before


def returned(env: BatchEnv, calls: int) -> list[Any]:
    """What reset and steps return."""
    found: list[Any] = [env.reset(seed=0)]
    for step in range(calls):
        obs, reward, terminated, truncated, infos = env.step(chosen(env, step))
        found.append(((obs, reward, terminated, truncated), infos))
    found += [(env.action_masks(), {}), (env.legal_ids(), {}), env.reset(options={"reset_mask": np.arange(4) < 2})]
    return found


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_copy__returns_new_arrays_each_time(mode: str) -> None:
    found = returned(BatchEnv(4, mode=mode), 150)
    assert any("final_obs" in infos for _, infos in found)
    for (obs, infos), (old_obs, old_infos) in pairwise(found):
        assert not passive_env_checker.data_shares_objects(obs, old_obs)
        assert not passive_env_checker.data_shares_objects(infos, old_infos)


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_copy__false_gives_the_same_in_the_same_arrays(mode: str) -> None:
    fresh, kept = BatchEnv(4, mode=mode), BatchEnv(4, mode=mode, copy=False)
    first, _ = kept.reset(seed=0)
    fresh.reset(seed=0)
    for step in range(150):
        one, other = (env.step(chosen(env, step)) for env in (fresh, kept))
        assert other[0] is first
        assert other[4]["action_mask"] is kept.engine.mask
        assert np.shares_memory(kept.action_masks(), kept.engine.mask)
        assert ("final_obs" in one[4]) == ("final_obs" in other[4]) == bool(one[2].any())
        if one[2].any():  # what stands in the other rows has no meaning there
            ends, all_rows = one[4].pop("final_obs"), other[4].pop("final_obs")
            assert all_rows is kept.engine.final_observation
            np.testing.assert_array_equal(np.stack(ends[one[2]]), all_rows[one[2]])
            infos, others = one[4].pop("final_info"), other[4].pop("final_info")
            for name in ("seat", "payoffs"):
                np.testing.assert_array_equal(infos[name][one[2]], others[name][one[2]])
        assert env_checker.data_equivalence(one, other, exact=True)


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_random_actions__are_legal_and_the_same_for_the_same_seed(mode: str) -> None:
    one, other = (BatchEnv(5, mode=mode, autoreset_mode="NextStep") for _ in range(2))
    for env in (one, other):
        env.reset(seed=4)
    ended = 0
    for _ in range(150):
        moves, over = one.random_actions(), one.engine.games.winner >= 0
        assert (moves == other.random_actions()).all()
        assert (one.engine.are_legal(moves) != over).all()
        assert (moves[over] == 0).all()
        ended += one.step(moves)[2].sum()
        other.step(moves)
    assert ended > 3


def test_copy__what_was_returned_may_be_written_over() -> None:
    env, other = BatchEnv(3, mode="self_play"), BatchEnv(3, mode="self_play")
    for made in (env, other):
        made.reset(seed=1)
    for step in range(60):
        moves = chosen(env, step)
        obs, reward, terminated, _, infos = env.step(moves)
        seen, paid, ended, _, untouched = other.step(moves)
        np.testing.assert_equal((obs, reward, terminated, infos), (seen, paid, ended, untouched))
        np.testing.assert_array_equal(env.action_masks(), untouched["action_mask"])
        for array in (obs, reward, terminated, *(v for v in infos.values() if isinstance(v, np.ndarray) and v.dtype != object)):
            array[...] = 77


@pytest.mark.parametrize("mode", ["self_play", "seat"])
@pytest.mark.parametrize("name", ["big2", "dou_dizhu"])
def test_step__never_changes_what_was_kept(name: str, mode: str) -> None:
    env = BatchEnv(3, ruleset=name, mode=mode, skip_forced=True)
    obs, infos = env.reset(seed=4)
    kept: list[tuple[Array, Array, bytes]] = []
    parts: list[tuple[Array, bytes]] = []
    for step in range(1000):
        if step == 500:
            obs, infos = env.reset(seed=5, options={"reset_mask": np.array([True, False, True])})
        else:
            obs, reward, terminated, truncated, infos = env.step(env.random_actions())
            small = [reward, terminated, truncated, infos["illegal"], infos["actor"], infos["payoffs"]]
            parts += [(array, array.tobytes()) for array in small]
        kept.append((obs, infos["action_mask"], obs.tobytes() + infos["action_mask"].tobytes()))
        parts.append((infos["seat"], infos["seat"].tobytes()))
        if step % 3 == 0:  # a view alone keeps its array, too
            parts += [(obs[1:, ::2], obs[1:, ::2].tobytes()), (infos["action_mask"][2], infos["action_mask"][2].tobytes())]
            kept.pop()
        if step % 7 == 0:
            kept.pop() if kept else None  # arrays are free again
        if "final_obs" in infos:
            parts += [(last, last.tobytes()) for last in infos["final_obs"] if last is not None]
    assert all(obs.tobytes() + mask.tobytes() == content for obs, mask, content in kept)
    assert all(array.tobytes() == content for array, content in parts)


def test_step__uses_arrays_again_that_nobody_refers_to() -> None:
    env = BatchEnv(3, mode="self_play")
    env.reset(seed=4)
    obs = env.step(env.random_actions())[0]
    view, seen = obs[1:], set()
    for _ in range(20):
        obs, *_ = env.step(env.random_actions())
        assert not np.shares_memory(obs, view)
        seen.add(obs.ctypes.data)
    assert len(seen) <= 3


@pytest.mark.parametrize("name", ["big2", "dou_dizhu_x"])
@pytest.mark.parametrize("copy", [True, False])
def test_masks__have_the_same_actions_in_every_form(name: str, copy: bool) -> None:
    envs = [BatchEnv(3, ruleset=name, mode="self_play", masks=form, copy=copy) for form in ("dense", "bits", "ids")]
    infos = [env.reset(seed=2)[1] for env in envs]
    number = envs[0].engine.num_actions
    for step in range(150):
        dense, bits = infos[0]["action_mask"], infos[1]["action_bits"]
        assert (bits.dtype, bits.shape) == (np.uint8, (3, -(-number // 8)))
        assert (np.unpackbits(bits, axis=1, count=number, bitorder="little") == dense).all()
        assert not (bits[:, -1] >> (number % 8 or 8)).any()
        for row, (count, ids) in enumerate(zip(infos[2]["legal_counts"], infos[2]["legal_ids"], strict=True)):
            assert sorted(ids[:count]) == np.flatnonzero(dense[row]).tolist()
        for env in envs:
            assert (env.action_masks() == dense).all()
            assert not env.action_masks().flags.writeable
        moves = envs[2].random_actions()
        if step % 40 == 39:
            moves[step % 3] = number - 1
        infos = [env.step(moves)[-1] for env in envs]
        if step == 75:
            twins = [deepcopy(env) for env in envs]
            infos = [env.reset(seed=9, options={"reset_mask": np.array([False, True, False])})[1] for env in twins]
            envs = twins


def test_masks__of_many_actions_are_read_only() -> None:
    env = BatchEnv(2, ruleset="dou_dizhu", mode="self_play")
    _, infos = env.reset(seed=2)
    with pytest.raises(ValueError, match="read-only"):
        infos["action_mask"][0, 5] = 1
    few = BatchEnv(2, mode="self_play")
    few.reset(seed=2)[1]["action_mask"][0, 5] = 1
    first, second = few.reset(seed=2)[1]["action_mask"], few.engine.masks()
    assert (first == second).all()


def test_masks__of_many_actions_are_searched_without_a_copy() -> None:
    env = BatchEnv(3, ruleset="dou_dizhu", mode="self_play")
    env.reset(seed=2)
    mask = env.step(env.random_actions())[-1]["action_mask"]
    plain = np.array(mask)
    tracemalloc.start()
    first, in_row = mask.argmax(1), np.argmax(mask[1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < env.engine.num_actions
    assert (first == plain.argmax(1)).all()
    assert in_row == plain[1].argmax()
    assert not mask.flags.writeable
    assert not mask[1].flags.writeable
    kept = mask.copy()
    kept.flags.writeable = False
    assert (kept.argmax(1) == first).all()


def test_masks__refuse_another_form() -> None:
    with pytest.raises(ConfigError, match="expected masks 'dense', 'bits', 'ids', got 'packed'"):
        BatchEnv(2, masks="packed")


@pytest.mark.parametrize(
    ("name", "mode"),
    [("big2", "seat"), pytest.param("dou_dizhu_x", "self_play", marks=[pytest.mark.long, pytest.mark.release])],
)
def test_observation_bits__are_the_entries(name: str, mode: str) -> None:
    entries, bits = (BatchEnv(4, ruleset=name, mode=mode, observation=form) for form in ("entries", "bits"))
    size = entries.layout.size
    obs, packed = (env.reset(seed=6)[0] for env in (entries, bits))
    assert bits.single_observation_space.shape == (-(-size // 8),)
    ended = 0
    for _ in range(150):
        assert bits.observation_space.contains(packed)
        assert (np.unpackbits(packed, axis=1, count=size, bitorder="little") == obs).all()
        assert not (packed[:, -1] >> (size % 8 or 8)).any()
        moves = entries.random_actions()
        obs, *_, infos = entries.step(moves)
        packed, *_, packed_infos = bits.step(moves)
        for last, packed_last in zip(infos.get("final_obs", ()), packed_infos.get("final_obs", ()), strict=True):
            if last is not None:
                ended += 1
                assert (np.unpackbits(packed_last, count=size, bitorder="little") == last).all()
    assert ended


def test_observation_bits__refuse_what_does_not_fit() -> None:
    with pytest.raises(ConfigError, match="expected observation 'entries' or 'bits', got 'packed'"):
        BatchEnv(2, observation="packed")
    for options in ({"dtype": "float32"}, {"shaping": "race"}):
        with pytest.raises(ConfigError, match="has its own dtype, uint8, and cannot be shaped"):
            BatchEnv(2, observation="bits", **options)
