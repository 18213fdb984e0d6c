from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from batch_replay import LearnerRow, Row, drawn
from gymnasium.error import ResetNeeded
from gymnasium.utils import env_checker, passive_env_checker, performance
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from outside_patterns import OUTSIDE

from big2_env import BIG2, HONG_KONG, ConfigError, Game, IllegalPlayError, Pattern, Position, RuleSet, Shape
from big2_env.climbing.order import CardOrder
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.seat_engine import RowRandom, SeatBatchEngine
from big2_env.rng import SplitMix64

ID = "big2/Big2-v0"
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Dragon(Pattern):
    """All thirteen ranks."""

    name = "dragon"
    zh = "一條龍"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        yield Shape.of(order.suited_ranks, key=order.suited_ranks[-1], key_suit=False)


def chosen(env: BatchEnv, step: int) -> Array:
    """A legal act for each row that depends on the row and the step alone."""
    counts, ids = env.legal_ids()
    picks = [SplitMix64(1000 * step + row).below(max(int(count), 1)) for row, count in enumerate(counts)]
    return np.where(counts > 0, ids[np.arange(env.num_envs), picks], 0)


def highest(observations: Array, masks: Array, luck: RowRandom) -> Array:
    """An outside opponent without luck: the legal act with the highest number."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def lucky(observations: Array, masks: Array, luck: RowRandom) -> Array:
    """An outside opponent with luck: any legal act."""
    picks = luck.integers(masks.sum(axis=1))
    return np.array([np.flatnonzero(mask)[pick] for mask, pick in zip(masks, picks, strict=True)])


# What a row shows is what the reference engine says.


@pytest.mark.parametrize(
    ("ruleset", "dtype", "games"),
    [
        (BIG2, "int8", 40),
        (BIG2.with_scoring("cards"), "float32", 12),
        (HONG_KONG, "int8", 12),
        (ruleset_of("dou_dizhu"), "float32", 8),
        (ruleset_of("wu_gua_pi"), "int8", 8),
    ],
)
def test_self_play__rows_are_games_of_the_reference_engine(ruleset: RuleSet, dtype: str, games: int) -> None:
    env = BatchEnv(3, ruleset=ruleset, dtype=dtype)
    obs, infos = env.reset(seed=5)
    rows = [Row(ruleset, 5 + i) for i in range(3)]
    ended = 0
    for step in range(10_000):
        for i, row in enumerate(rows):
            assert infos["seat"][i] == row.game.turn
            np.testing.assert_array_equal(obs[i], row.observation(row.game.turn))
            np.testing.assert_array_equal(infos["action_mask"][i], row.mask())
        acts = chosen(env, step)
        obs, reward, terminated, truncated, infos = env.step(acts)
        assert not truncated.any()
        for i, row in enumerate(rows):
            actor = row.game.turn
            row.act(int(acts[i]))
            assert infos["acted"][i] == actor
            assert terminated[i] == infos["_payoffs"][i] == row.game.is_over
            if outcome := row.game.outcome:
                ended += 1
                np.testing.assert_allclose(infos["payoffs"][i], outcome.payoffs, rtol=1e-6)
                assert reward[i] == infos["payoffs"][i, actor] > 0
                np.testing.assert_array_equal(infos["final_obs"][i], row.observation(actor))
                assert infos["final_info"]["seat"][i] == actor
                row.deal()
            else:
                assert reward[i] == 0
                assert not infos["payoffs"][i].any()
                assert "final_obs" not in infos or infos["final_obs"][i] is None
        if ended >= games:
            return
    pytest.fail("too few games ended")


OPPONENTS: dict[str, tuple[Any, Any]] = {
    "random": ("random", [drawn] * 3),
    "outside": (highest, [lambda ids, luck: max(ids)] * 3),
    "mixed": (
        [lucky, "random", highest],
        [lambda ids, luck: sorted(ids)[luck.below(len(ids))], drawn, lambda ids, luck: max(ids)],
    ),
}


@pytest.mark.parametrize("fixed", [None, 2], ids=["rotate", "seat 2"])
@pytest.mark.parametrize("name", OPPONENTS)
def test_seat__rows_are_games_of_the_reference_engine(name: str, fixed: int | None) -> None:
    opponents, choosers = OPPONENTS[name]
    env = BatchEnv(5, mode="seat", opponents=opponents, seat="rotate" if fixed is None else fixed)
    rows = [LearnerRow(BIG2, 11 + i, i % 4, choosers, fixed) for i in range(5)]
    assert replay(env, rows, 11, games=5) == [set(range(4)) if fixed is None else {2}] * 5


def replay(env: BatchEnv, rows: list[LearnerRow], seed: int, games: int) -> list[set[int]]:
    """Play until so many games have ended in each row, and compare all there is; the seats that the learners had."""
    obs, infos = env.reset(seed=seed)
    ended = np.zeros(len(rows), int)
    seats: list[set[int]] = [set() for _ in rows]
    for step in range(2_000):
        for i, row in enumerate(rows):
            assert infos["seat"][i] == row.seat == row.game.turn
            seats[i].add(row.seat)
            np.testing.assert_array_equal(obs[i], row.observation(row.seat))
            np.testing.assert_array_equal(infos["action_mask"][i], row.mask())
        acts = chosen(env, step)
        obs, reward, terminated, _, infos = env.step(acts)
        for i, row in enumerate(rows):
            row.act(int(acts[i]))
            assert infos["acted"][i] == row.seat
            assert terminated[i] == row.game.is_over
            if outcome := row.game.outcome:
                ended[i] += 1
                np.testing.assert_allclose(infos["payoffs"][i], outcome.payoffs, rtol=1e-6)
                assert reward[i] == infos["payoffs"][i, row.seat]
                np.testing.assert_array_equal(infos["final_obs"][i], row.observation(row.seat))
                assert infos["final_info"]["seat"][i] == row.seat
                row.deal()
        if ended.min() >= games:
            return seats
    raise AssertionError("too few games ended")


def test_seat__a_deal_that_ends_before_the_learner_is_asked_is_nobodys() -> None:
    rules = BIG2.with_patterns(Dragon()).with_scoring("cards")
    search = BatchEnv(4096, ruleset=rules)
    for seed in range(0, 400_000, 4096):
        search.reset(seed=seed)
        search.reset()
        games = search.engine.games
        opener = games.hands[np.arange(4096), games.turn]
        held = np.array([opener >> np.uint64(4 * rank) & np.uint64(15) for rank in range(13)])
        if (held > 0).all(axis=0).any():
            break
    row = int((held > 0).all(axis=0).argmax())  # whose second game the opener wins at once
    learner = int(games.turn[row] + 1) % 4
    env = BatchEnv(1, ruleset=rules, mode="seat", opponents=highest, seat=learner)
    replayed = LearnerRow(rules, seed + row, 0, [lambda ids, luck: max(ids)] * 3, learner)
    replay(env, [replayed], seed + row, games=2)
    assert isinstance(env.engine, SeatBatchEngine)
    assert env.engine.learners.deals[0] == replayed.next_seat == 4


# Same seed, same games.


def trace(rows: int, of: int, steps: int = 60, **options: Any) -> list[Array]:
    """Everything that the first rows of a batch show in some steps."""
    env = BatchEnv(of, copy=False, **options)
    obs, infos = env.reset(seed=9)
    seen = [obs[:rows].copy(), infos["action_mask"][:rows].copy()]
    for step in range(steps):
        obs, reward, terminated, _, infos = env.step(chosen(env, step))
        arrays = (obs, infos["action_mask"], infos["seat"], infos["acted"], infos["payoffs"], reward, terminated)
        seen += [array[:rows].copy() for array in arrays]
    env.close()
    return seen


@pytest.mark.parametrize(
    "options",
    [{}, {"skip_forced": True}, {"mode": "seat"}, {"mode": "seat", "opponents": lucky, "dtype": "float32"}],
    ids=["self-play", "skip_forced", "random", "outside"],
)
def test_games__are_the_same_for_every_number_of_rows_and_threads(options: Any) -> None:
    alone = trace(3, 3, **options)
    for of, threads in ((64, 1), (64, 2), (7, 3), (3, 8)):
        for a, b in zip(alone, trace(3, of, threads=threads, **options), strict=True):
            np.testing.assert_array_equal(a, b)


def test_reset__seeds_count_up_from_the_number_or_stand_for_their_rows() -> None:
    env = BatchEnv(3)
    first, _ = env.reset(seed=4)
    again, _ = env.reset()
    assert not np.array_equal(first, again)
    for seeds in (4, [4, 5, 6], np.array([4, 5, 6]), 4 + 2**64):
        np.testing.assert_array_equal(env.reset(seed=seeds)[0], first)
        np.testing.assert_array_equal(env.reset()[0], again)
    np.testing.assert_array_equal(env.reset(seed=[6, 6, 4])[0], first[[2, 2, 0]])
    assert not np.array_equal(BatchEnv(1).reset()[0], BatchEnv(1).reset()[0])


# Ends: who gets what, and what comes then.


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_payoffs__are_paid_once_for_each_game(mode: str, skip_forced: bool) -> None:
    env = BatchEnv(64, mode=mode, skip_forced=skip_forced)
    env.reset(seed=2)
    paid, games, got = np.zeros(4), 0, []
    for step in range(400):
        _, reward, terminated, _, infos = env.step(chosen(env, step))
        assert (terminated == (infos["payoffs"] != 0).any(axis=1)).all()
        np.testing.assert_allclose(infos["payoffs"].sum(axis=1), 0, atol=1e-6)
        paid += infos["payoffs"].sum(axis=0)
        games += int(terminated.sum())
        got += reward[terminated].tolist()
        assert (reward[~terminated] == 0).all()
    assert games > 150
    assert len(got) == games
    assert set(np.round(got, 3)) == ({1.0} if mode == "self_play" else {1.0, -0.333})
    assert (paid < games).all()
    np.testing.assert_allclose(paid.sum(), 0, atol=1e-3)
    if isinstance(env.engine, SeatBatchEngine):
        assert games == env.engine.learners.deals.sum() - env.num_envs
        assert 0.1 < got.count(1.0) / games < 0.45  # about a quarter: losses are seen


def play_to_an_end(env: BatchEnv, start: int = 0) -> tuple[int, Any]:
    """Steps until games end; the number of the step and what it returned."""
    for step in range(start, start + 1000):
        result = env.step(chosen(env, step))
        if result[2].any():
            return step, result
    raise AssertionError("no game ended")


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_autoreset__modes_show_the_same_games(mode: str) -> None:
    same, later, never = (
        BatchEnv(4, mode=mode, autoreset_mode=kind) for kind in ("SameStep", AutoresetMode.NEXT_STEP, "Disabled")
    )
    for env in (same, later, never):
        env.reset(seed=21)
    for start in (0, 1000):
        (step, s), (_, n), (_, d) = (play_to_an_end(env, start) for env in (same, later, never))
        ended = s[2]
        for other in (n, d):
            np.testing.assert_array_equal(other[2], ended)
            np.testing.assert_array_equal(other[1], s[1])
            np.testing.assert_array_equal(other[4]["payoffs"], s[4]["payoffs"])
            assert "final_obs" not in other[4]
            assert not other[4]["action_mask"][ended].any()
            for row in range(4):
                now = s[4]["final_obs"][row] if ended[row] else s[0][row]
                np.testing.assert_array_equal(other[0][row], now)
            np.testing.assert_array_equal(other[4]["seat"][ended], other[4]["acted"][ended])
        counts, _ = never.legal_ids()
        assert ((counts == 0) == ended).all()
        with pytest.raises(ResetNeeded, match=f"row {ended.argmax()}: reset them by reset_mask"):
            never.step(chosen(never, 0))
        mask = ended.copy()
        obs, infos = never.reset(options={"reset_mask": mask})
        np.testing.assert_array_equal(obs, s[0])
        np.testing.assert_array_equal(infos["action_mask"], s[4]["action_mask"])
        np.testing.assert_array_equal(infos["seat"], s[4]["seat"])
        # The step after: rows that are over are dealt, the others act; the action of the former does not matter.
        acts = chosen(later, step + 1)
        acts[ended] = -5
        obs, reward, terminated, _, infos = later.step(acts)
        assert not terminated[ended].any()
        assert not reward[ended].any()
        assert (infos["acted"][ended] == -1).all()
        assert not infos["illegal"].any()
        np.testing.assert_array_equal(obs[ended], s[0][ended])
        np.testing.assert_array_equal(infos["action_mask"][ended], s[4]["action_mask"][ended])
        for env in (same, later, never):
            env.reset(seed=22)


@pytest.mark.parametrize("mode", ["self_play", "seat"])
@pytest.mark.parametrize("action", [-1, 1379, 2**40, 1378, 0])
def test_illegal_act__ends_the_game_of_its_row_alone(mode: str, action: int) -> None:
    for reward_for in (-1.0, -5.0):
        env = BatchEnv(3, mode=mode, illegal_reward=reward_for, autoreset_mode="Disabled")
        _, infos = env.reset(seed=3)
        actor = infos["seat"][1]
        acts = np.array([chosen(env, 0)[0], action, chosen(env, 0)[2]])
        if action == 0 and infos["action_mask"][1, 0]:  # in seat mode somebody has led
            env.engine.set_position(1, Game.deal(BIG2, 7).position)
            actor = env.engine.games.turn[1]
            if mode == "seat":
                assert isinstance(env.engine, SeatBatchEngine)
                env.engine.learners.seat[1] = actor
        _, reward, terminated, _, infos = env.step(acts)
        assert infos["illegal"].tolist() == terminated.tolist() == [False, True, False]
        assert reward[1] == infos["payoffs"][1, actor] == reward_for
        assert np.count_nonzero(infos["payoffs"]) == np.count_nonzero(reward) == 1
        assert infos["seat"][1] == actor
        assert not infos["action_mask"][1].any()


def test_illegal_act__raises_where_that_is_asked_for_and_changes_nothing() -> None:
    env = BatchEnv(3, on_illegal="raise")
    env.reset(seed=3)
    before = env.engine.games.tobytes()
    acts = chosen(env, 0)
    acts[2] = 0
    with pytest.raises(IllegalPlayError, match=r"^row 2, action 0: pass: whoever opens a round must play$"):
        env.step(acts)
    acts[2] = 1379
    with pytest.raises(ConfigError, match=r"^row 2, action 1379: allowed is 0 to 1378$"):
        env.step(acts)
    assert env.engine.games.tobytes() == before
    later = BatchEnv(2, on_illegal="raise", autoreset_mode="NextStep")
    later.reset(seed=3)
    step, _ = play_to_an_end(later)
    later.step(chosen(later, step + 1))  # a row that is over takes any action


# Forced passes.


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_skip_forced__plays_the_same_games(mode: str) -> None:
    def games(skip: bool) -> list[tuple[Any, ...]]:
        """The payoffs and the last sight of each game, when every choice is the highest act."""
        env = BatchEnv(8, mode=mode, skip_forced=skip, **({"opponents": [lucky, "random", highest]} if mode == "seat" else {}))
        _, infos = env.reset(seed=6)
        found: dict[int, list[Any]] = {row: [] for row in range(8)}
        asked = forced = 0
        while min(map(len, found.values())) < 4:
            counts, ids = env.legal_ids()
            asked += 8
            forced += int(((counts == 1) & (ids[:, 0] == 0)).sum())
            acts = highest(np.empty(0), infos["action_mask"], RowRandom(np.empty(0, np.uint64), np.empty(0, np.int32)))
            _, _, terminated, _, infos = env.step(acts)
            for row in np.flatnonzero(terminated):
                found[int(row)].append((infos["payoffs"][row].tolist(), infos["final_obs"][row].tobytes()))
        shown = forced / asked
        assert shown > 0.3 if not skip else shown == 0 if mode == "self_play" else shown < 0.2
        return [game for row in found.values() for game in row[:4]]

    assert games(True) == games(False)


# Lists, masks, buffers.


def test_legal_ids__are_the_mask_and_as_long_as_need_be() -> None:
    env = BatchEnv(2, ruleset=OUTSIDE, copy=False)
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


@pytest.mark.parametrize("done_type", [np.bool_, np.int8, np.uint8])
@pytest.mark.parametrize("options", [{}, {"mode": "seat", "dtype": "float32", "skip_forced": True, "illegal_reward": -3.0}])
def test_step_into__writes_what_step_returns(options: Any, done_type: Any) -> None:
    one, other = BatchEnv(6, **options), BatchEnv(6, **options)
    one.reset(seed=8)
    obs, infos = other.reset(seed=8)
    reward, done = np.empty(6, np.float32), np.empty(6, done_type)
    obs, mask = obs.copy(), infos["action_mask"].copy()
    for step in range(120):
        acts = chosen(one, step)
        if step % 50 == 49:
            acts[step % 6] = 1378
        expected = one.step(acts)
        other.step_into(acts, obs, mask, reward, done)
        for a, b in zip((obs, reward, done, mask), (*expected[:3], expected[4]["action_mask"]), strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(other.engine.payoffs, expected[4]["payoffs"])
        np.testing.assert_array_equal(other.action_masks(), one.action_masks())


def test_step_into__refuses_arrays_that_do_not_fit() -> None:
    env = BatchEnv(2)
    env.reset(seed=0)
    obs, mask = np.empty((2, 547), np.int8), np.empty((2, 1379), np.int8)
    reward, done, acts = np.empty(2, np.float32), np.empty(2, np.bool_), chosen(env, 0)
    before = env.engine.games.tobytes()
    frozen = reward.copy()
    frozen.flags.writeable = False
    for given, message in (
        ((acts, obs.astype(float), mask, reward, done), "obs is float64 (2, 547): allowed is a writeable int8 (2, 547)"),
        ((acts, obs[:1], mask, reward, done), "obs is int8 (1, 547)"),
        ((acts, obs, np.asfortranarray(mask), reward, done), "mask is int8 (2, 1379)"),
        ((acts, obs, mask, frozen, done), "reward is float32 (2,): allowed is a writeable"),
        ((acts, obs, mask, reward, np.empty(2)), "done is float64 (2,): allowed is bool, int8 or uint8 (2,)"),
        ((acts[:1], obs, mask, reward, done), "actions are int32 (1,): allowed are integers (2,)"),
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
        acts, over = one.random_actions(), one.engine.games.winner >= 0
        assert (acts == other.random_actions()).all()
        assert (one.engine.are_legal(acts) != over).all()
        assert (acts[over] == 0).all()
        ended += one.step(acts)[2].sum()
        other.step(acts)
    assert ended > 3


def test_copy__what_was_returned_may_be_written_over() -> None:
    env, other = BatchEnv(3), BatchEnv(3)
    for made in (env, other):
        made.reset(seed=1)
    for step in range(60):
        acts = chosen(env, step)
        obs, reward, terminated, _, infos = env.step(acts)
        _, _, _, _, untouched = other.step(acts)
        for array in (obs, reward, terminated, *(v for v in infos.values() if isinstance(v, np.ndarray) and v.dtype != object)):
            array[...] = 77
        np.testing.assert_array_equal(env.action_masks(), untouched["action_mask"])


# What Gymnasium asks for.


def test_make_vec__gives_the_batch() -> None:
    for identifier, name in ((ID, "big2"), ("big2/HongKong-v0", "hong_kong")):
        envs = gymnasium.make_vec(identifier, num_envs=5, mode="seat", scoring="cards")
        assert isinstance(envs, BatchEnv)
        assert (envs.num_envs, envs.ruleset.name, envs.mode) == (5, name, "seat")
        assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        assert envs.spec is not None
        assert envs.observation_space == batch_space(envs.single_observation_space, 5)
        assert envs.action_space == batch_space(envs.single_action_space, 5)
        assert envs.reset(seed=0)[0] in envs.observation_space
        again = gymnasium.make_vec(envs.spec)
        np.testing.assert_array_equal(again.reset(seed=0)[0], envs.reset(seed=0)[0])


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("options", [{}, {"mode": "seat"}, {"autoreset_mode": "NextStep"}])
def test_checks_of_gymnasium__pass_for_one_row(options: Any, dtype: str) -> None:
    env: Any = gymnasium.make_vec(ID, num_envs=1, dtype=dtype, **options)
    env_checker.check_action_space(env.action_space)
    env_checker.check_observation_space(env.observation_space)
    env_checker.check_space_limit(env.observation_space, "observation")
    env_checker.check_seed_deprecation(env)
    env_checker.check_reset_return_info_deprecation(env)
    env_checker.check_reset_return_type(env)
    env_checker.check_reset_seed_determinism(env)
    env_checker.check_reset_options(env)
    env_checker.check_returned_data_not_reused(env)
    passive_env_checker.env_reset_passive_checker(env)
    one, other = (
        [env.reset(seed=3), *(env.step(action) for action in env.action_space.seed(1) and acts)]
        for acts in ([np.array([5]), np.array([1])],) * 2
    )
    assert env_checker.data_equivalence(one, other, exact=True)


def test_wrappers_of_gymnasium__understand_the_infos() -> None:
    wrapped = RecordEpisodeStatistics(BatchEnv(8, mode="seat"))
    listed = DictInfoToList(BatchEnv(8, mode="seat"))
    wrapped.reset(seed=0)
    listed.reset(seed=0)
    ended = 0
    for step in range(80):
        env = wrapped.env
        assert isinstance(env, BatchEnv)
        acts = chosen(env, step)
        _, reward, terminated, _, infos = wrapped.step(acts)
        _, _, _, _, each = listed.step(acts)
        for row in range(8):
            assert ("final_obs" in each[row]) == ("payoffs" in each[row]) == bool(terminated[row])
            if terminated[row]:
                ended += 1
                np.testing.assert_array_equal(each[row]["final_info"]["payoffs"], each[row]["payoffs"])
                assert infos["episode"]["r"][row] == reward[row]
    assert ended > 10
    assert performance.benchmark_vector_step(BatchEnv(4, autoreset_mode="Disabled"), target_duration=0, seed=0) > 0


def test_infos__name_final_observations_as_gymnasium_does() -> None:
    ours: Any = BatchEnv(4, mode="seat")
    theirs: Any = SyncVectorEnv([SeatEnv] * 4, autoreset_mode=AutoresetMode.SAME_STEP)
    kinds = []
    for env in (ours, theirs):
        env.reset(seed=0)
        for _ in range(3):
            _, _, terminated, _, infos = env.step(np.full(4, 1378))  # not legal: all end at once
            assert terminated.all()
        kinds.append(
            (type(infos["final_obs"]), infos["final_obs"].dtype, infos["final_obs"].shape, infos["final_obs"][0].shape)
        )
        kinds.append(
            (infos["_final_obs"].dtype, infos["_final_info"].tolist(), sorted({"seat", "_seat"} & set(infos["final_info"])))
        )
    assert kinds[:2] == kinds[2:]


# Bad input.


def says(answer: Any) -> Any:
    def opponent(observations: Array, masks: Array, luck: RowRandom) -> Any:
        return answer(len(masks))

    return opponent


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "0 games on 1 threads: allowed are 1 or more of each"),
        ({"threads": 0}, "1 games on 0 threads"),
        ({"dtype": "int16"}, "int16: allowed are int8 and float32"),
        ({"mode": "solo"}, "mode 'solo': allowed are 'self_play', 'seat'"),
        ({"opponents": highest}, "opponents and seat: allowed with mode='seat'"),
        ({"seat": 1}, "opponents and seat: allowed with mode='seat'"),
        ({"mode": "seat", "seat": 4}, "seat 4: allowed are 0 to 3"),
        ({"mode": "seat", "seat": "north"}, "seat 'north': allowed are 'rotate' and 0 to 3"),
        ({"mode": "seat", "opponents": "greedy"}, "opponent 'greedy': allowed are 'random' and functions"),
        ({"mode": "seat", "opponents": [highest, "random"]}, "2 opponents: allowed is one for all or one for each of the 3"),
        ({"autoreset_mode": "Always"}, "autoreset_mode 'Always': allowed are 'NextStep', 'SameStep', 'Disabled'"),
        ({"on_illegal": "ignore"}, "on_illegal 'ignore': allowed are 'terminate', 'raise'"),
        ({"ruleset": "bridge"}, "bridge"),
        ({"ruleset": replace(BIG2, ranks=BIG2.ranks[::-1]), "scoring": "tricks"}, "tricks"),
    ],
)
def test_arguments__are_refused_in_one_line(options: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        BatchEnv(**options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.zeros(n), "gave float64"),
        (lambda n: np.zeros(n + 1, int), "allowed are"),
        (lambda n: np.full(n, 1379), "action 1379: "),
        (lambda n: np.full(n, 1378), "action 1378: "),
    ],
)
def test_opponents__that_give_no_legal_acts_are_named(answer: Any, message: str) -> None:
    opponent = says(answer)
    env = BatchEnv(8, mode="seat", opponents=opponent)
    with pytest.raises((ConfigError, IllegalPlayError), match=f"opponent <function says.*{message}"):
        env.reset(seed=0)


def test_calls__out_of_order_or_of_another_shape_are_refused() -> None:
    env = BatchEnv(2)
    for call in (lambda: env.step([1, 1]), env.action_masks, env.legal_ids):
        with pytest.raises(ResetNeeded, match="call reset"):
            call()
    some = np.array([True, False])
    with pytest.raises(ResetNeeded, match="before the first reset of all"):
        env.reset(options={"reset_mask": some})
    env.reset(seed=1)
    for actions in ([1], [[1, 1]], [1.0, 2.0], ["a", "b"], None):
        with pytest.raises(ConfigError, match=r"^actions are .*: allowed are integers \(2,\)$"):
            env.step(actions)
    for mask in (some[:1], ~some & some, some.astype(int), [True, False]):
        with pytest.raises(ConfigError, match=r"^reset option reset_mask is .*: allowed is a bool array"):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(ConfigError, match=r"^3 seeds: allowed is one, or one for each of the 2 games$"):
        env.reset(seed=[1, 2, 3])
    with pytest.warns(UserWarning, match=r"reset options \['deck'\] are not known"):
        env.reset(options={"deck": 1})
    many = BatchEnv(4, threads=2)
    many.reset(seed=0)
    many.close()
    many.close()
    with pytest.raises(RuntimeError):
        many.step([0, 0, 0, 0])
