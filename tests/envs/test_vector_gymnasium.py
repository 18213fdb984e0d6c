"""`BatchEnv` as Gymnasium has it: `make_vec`, its checks, its wrappers, its infos; and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils import env_checker, passive_env_checker, performance
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics, TransformObservation
from row_moves import chosen, highest

from big2_env import BIG2, ConfigError, IllegalPlayError
from big2_env.envs import options, vector
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.opponents import RowRandom
from big2_env.registration import self_play_id

ID = "big2/Big2-v0"


Array = np.ndarray[Any, Any]


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
        assert gymnasium.make_vec(identifier, num_envs=1).mode == "seat"
        alone = gymnasium.make_vec(self_play_id(name), num_envs=1)
        assert (alone.mode, alone.ruleset.name) == ("self_play", name)
        np.testing.assert_array_equal(again.reset(seed=0)[0], envs.reset(seed=0)[0])


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("options", [{}, {"mode": "self_play"}, {"autoreset_mode": "NextStep"}])
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
        [env.reset(seed=3), *(env.step(action) for action in env.action_space.seed(1) and moves)]
        for moves in ([np.array([5]), np.array([1])],) * 2
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
        moves = chosen(env, step)
        _, reward, terminated, _, infos = wrapped.step(moves)
        _, _, _, _, each = listed.step(moves)
        for row in range(8):
            assert ("final_obs" in each[row]) == ("payoffs" in each[row]) == bool(terminated[row])
            if terminated[row]:
                ended += 1
                np.testing.assert_array_equal(each[row]["final_info"]["payoffs"], each[row]["payoffs"])
                assert infos["episode"]["r"][row] == reward[row]
    assert ended > 10
    assert performance.benchmark_vector_step(BatchEnv(4, autoreset_mode="Disabled"), target_duration=0, seed=0) > 0


def test_wrappers_of_observations__work_as_the_pages_say() -> None:
    cards = gymnasium.spaces.Box(0, 1, (52,), np.float32)
    with pytest.raises(ValueError, match=r"NEXT_STEP or DISABLED, got AutoresetMode\.SAME_STEP"):
        TransformObservation(BatchEnv(2), lambda seen: seen[:, :52], single_observation_space=cards)
    for mode in ("NextStep", "Disabled"):
        envs = TransformObservation(
            gymnasium.make_vec(ID, num_envs=3, autoreset_mode=mode, opponents="lowest"),
            lambda seen: seen[:, :52].astype(np.float32),
            single_observation_space=cards,
        )
        observations, infos = envs.reset(seed=4)
        assert envs.observation_space.contains(observations)
        assert (observations.sum(axis=1) == 13).all()
        observations = envs.step(infos["action_mask"].argmax(axis=1))[0]
        assert envs.observation_space.contains(observations)
    for page in (BatchEnv.__doc__, options.Encoder.__doc__, Path(vector.__file__).with_name("README.md").read_text("utf-8")):
        assert 'autoreset_mode="NextStep"' in (page or "")


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
    def opponent(observations: Array, masks: Array, rng: RowRandom) -> Any:
        return answer(len(masks))

    return opponent


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "expected 1 or more games and threads, got 0 games on 1 threads"),
        ({"threads": 0}, "1 games on 0 threads"),
        ({"num_envs": 2.5}, "expected 1 or more games and threads, got 2.5 games on 1 threads"),
        ({"num_envs": True}, "expected 1 or more games and threads, got True games on 1 threads"),
        ({"threads": True}, "expected 1 or more games and threads, got 1 games on True threads"),
        ({"num_envs": 2, "threads": 1.5}, "2 games on 1.5 threads"),
        ({"num_players": 4.0}, "expected a whole number of players, got 4.0"),
        ({"dtype": "int16"}, "expected observations int8 or float32 or uint8, got int16"),
        ({"dtype": "uint8"}, "expected dtype int8 or float32, got uint8: observation='bits' packs"),
        ({"dtype": "foo"}, "expected observations int8 or float32 or uint8, got 'foo'"),
        ({"mode": "solo"}, "expected mode 'seat' or 'self_play', got 'solo'"),
        ({"mode": "self_play", "opponents": highest}, "opponents and seat need mode='seat'"),
        ({"mode": "self_play", "seat": 1}, "opponents and seat need mode='seat'"),
        ({"mode": "seat", "seat": 4}, "expected seat 'rotate', 'random' or 0 to 3, got 4"),
        ({"mode": "seat", "seat": "north"}, "expected seat 'rotate', 'random' or 0 to 3, got 'north'"),
        ({"mode": "seat", "opponents": "nobody"}, "agent 'nobody'"),
        ({"mode": "seat", "opponents": [highest, "random"]}, "expected one opponent, or one for each of the 3 other"),
        ({"autoreset_mode": "Always"}, "expected autoreset_mode 'NextStep', 'SameStep', 'Disabled', got 'Always'"),
        ({"on_illegal": "ignore"}, "expected on_illegal 'terminate' or 'raise', got 'ignore'"),
        ({"ruleset": "bridge"}, "bridge"),
        ({"encoder": object()}, "encoder is an option of single games; make_vec takes it with vectorization_mode='sync'"),
        ({"max_episode_steps": 0}, "expected max_episode_steps from 1, or None, got 0"),
        ({"max_episode_steps": True}, "expected max_episode_steps from 1, or None, got True"),
        ({"ruleset": replace(BIG2, ranks=BIG2.ranks[::-1]), "scoring": "tricks"}, "tricks"),
    ],
)
def test_arguments__are_refused_in_one_line(options: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        BatchEnv(**options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["Big2", "Big2SelfPlay", "Uno", "UnoSelfPlay", "Klondike"])
@pytest.mark.parametrize("autoreset", AutoresetMode)
def test_max_episode_steps__truncates_games_as_a_time_limit_does(name: str, autoreset: AutoresetMode) -> None:
    limit, rows = 3, 6
    envs = gymnasium.make_vec(f"big2/{name}-v0", rows, max_episode_steps=limit, autoreset_mode=autoreset, render_mode="svg")
    envs.reset(seed=1)
    batch: Any = envs.unwrapped
    moves, ended = np.zeros(rows, int), np.zeros(rows, bool)
    for _ in range(40):
        is_dealt = ended if autoreset is AutoresetMode.NEXT_STEP else np.zeros(rows, bool)
        if autoreset is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ResetNeeded):
                envs.step(batch.random_actions())
            envs.reset(options={"reset_mask": ended})
        observations, rewards, terminated, truncated, infos = envs.step(batch.random_actions())
        moves = np.where(is_dealt, 0, moves + 1)
        assert truncated.tolist() == (moves >= limit).tolist()
        ended = terminated | truncated
        cut = truncated & ~terminated
        assert not rewards[cut].any()
        assert name == "Klondike" or not infos["payoffs"][cut].any()
        assert envs.render() is not None
        if autoreset is AutoresetMode.SAME_STEP and ended.any():
            assert (batch.engine.games.winner < 0).all()
            for row in np.flatnonzero(cut):
                assert infos["final_obs"][row].tolist() != observations[row].tolist()
                assert "Big2" not in name or len(batch.engine.game(int(row)).history) <= 3  # opponents may have led
        else:
            assert np.array_equal(infos["action_mask"].any(axis=1), ~ended)
        moves[ended] = 0


@pytest.mark.parametrize("masks", ["dense", "bits", "ids"])
@pytest.mark.parametrize("mode", ["seat", "self_play"])
def test_max_episode_steps__ends_games_as_other_ends_do(mode: str, masks: str) -> None:
    options: dict[str, Any] = {"mode": mode, "masks": masks, "max_episode_steps": 3, "skip_forced": True}
    kinds = {kind: BatchEnv(6, autoreset_mode=kind, **options) for kind in AutoresetMode}
    for env in kinds.values():
        env.reset(seed=1)
    for _ in range(3):
        moves = kinds[AutoresetMode.NEXT_STEP].random_actions()
        found = {kind: env.step(moves) for kind, env in kinds.items()}
    ends = found.pop(AutoresetMode.SAME_STEP)
    cut = ends[3]
    assert cut.all()
    for kind, (observations, _, _, truncated, infos) in found.items():
        env = kinds[kind]
        assert truncated.tolist() == cut.tolist()
        assert infos["seat"].tolist() == infos["actor"].tolist() == ends[4]["final_info"]["seat"].tolist()
        assert not infos[{"dense": "action_mask", "bits": "action_bits", "ids": "legal_counts"}[masks]].any()
        assert not env.action_masks().any()
        assert not env.legal_ids()[0].any()
        assert np.array_equal(np.stack(ends[4]["final_obs"]), observations)
        for row, seat in enumerate(infos["actor"].tolist()):
            seen = env.layout.encode(env.engine.game(row).view(seat))
            assert np.array_equal(env.layout.named(seen)["hand"], env.layout.named(observations[row])["hand"])


def test_max_episode_steps__is_refused_where_results_are_written_elsewhere() -> None:
    envs = BatchEnv(2, max_episode_steps=5)
    envs.reset(seed=1)
    arrays = np.zeros((2, envs.layout.size), np.int8), np.zeros((2, 1379), np.int8), np.zeros(2, np.float32), np.zeros(2, bool)
    with pytest.raises(ConfigError, match="step_into serves games without max_episode_steps: use step"):
        envs.step_into(envs.random_actions(), *arrays)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.zeros(n), "gave float64"),
        (lambda n: np.zeros(n + 1, int), "gave int64 .*: expected"),
        (lambda n: np.full(n, 1379), "expected an action of 0 to 1378, got 1379"),
        (lambda n: np.full(n, 1378), "action 1378: "),
    ],
)
def test_opponents__that_give_no_legal_moves_are_named(answer: Any, message: str) -> None:
    opponent = says(answer)
    env = BatchEnv(8, mode="seat", opponents=opponent)
    with pytest.raises((ConfigError, IllegalPlayError), match=f"opponent <function says.*{message}"):
        env.reset(seed=0)


def test_opponents__that_raise_leave_games_that_have_to_be_reset() -> None:
    """A step that stopped halfway cannot be made again: the games wait for opponents, and the learner would pay."""
    calls = 0

    def raises_once(observations: Array, masks: Array, rng: RowRandom) -> Array:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise KeyboardInterrupt
        return highest(observations, masks, rng)

    def play() -> None:
        while True:
            env.step(env.random_actions())

    fails_at = 10
    env, calm = (BatchEnv(8, mode="seat", opponents=opponent) for opponent in (raises_once, highest))
    env.reset(seed=0)
    with pytest.raises(KeyboardInterrupt):
        play()
    for call in (lambda: env.step(np.ones(8, int)), env.action_masks, env.legal_ids, env.random_actions):
        with pytest.raises(ResetNeeded, match="after an opponent's error stopped a step halfway: call reset"):
            call()
    with pytest.raises(ResetNeeded, match="reset of some rows after an opponent's error"):
        env.reset(options={"reset_mask": np.arange(8) < 3})
    calls, fails_at = 0, 2
    with pytest.raises(KeyboardInterrupt):
        env.reset(seed=1)
    with pytest.raises(ResetNeeded):
        env.step(np.ones(8, int))
    seen, _ = env.reset(seed=2)
    assert np.array_equal(seen, calm.reset(seed=2)[0])
    for _ in range(30):
        *_, infos = env.step(env.random_actions())
        assert not infos["illegal"].any()


def test_calls__out_of_order_or_of_another_shape_are_refused() -> None:
    env = BatchEnv(2, mode="self_play")
    for call in (lambda: env.step([1, 1]), env.action_masks, env.legal_ids):
        with pytest.raises(ResetNeeded, match="call reset"):
            call()
    some = np.array([True, False])
    with pytest.raises(ResetNeeded, match="reset of some rows before the first game"):
        env.reset(options={"reset_mask": some})
    env.reset(seed=1)
    for actions in ([1], [[1, 1]], [1.0, 2.0], ["a", "b"], None):
        with pytest.raises(ConfigError, match=r"^expected integers \(2,\) as actions, got .*"):
            env.step(actions)
    for mask in (some[:1], ~some & some, some.astype(int), [True, False]):
        with pytest.raises(ConfigError, match=r"^expected a bool array \(2,\) with a true one as reset option reset_mask"):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(ConfigError, match=r"^expected one seed, or one for each of the 2 games, got 3$"):
        env.reset(seed=[1, 2, 3])
    for seed in (1.5, "ab", [1, 2.5]):
        with pytest.raises(ConfigError, match=r"^expected an integer seed, or one for each of the 2 games, got "):
            env.reset(seed=seed)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match=r"reset options \['deck'\] are not known"):
        env.reset(options={"deck": 1})
    many = BatchEnv(4, mode="self_play", threads=2)
    many.reset(seed=0)
    many.close()
    many.close()
    with pytest.raises(RuntimeError):
        many.step([0, 0, 0, 0])
