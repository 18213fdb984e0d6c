"""Leagues: who is drawn how often, snapshots of the learner, the same in every environment."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from row_moves import chosen, highest, random_moves
from sb3_contrib import MaskablePPO
from sb3_small import QUIET, small
from seat_opponents import Historian

from big2_agents.kernels.codes import GREEDY
from big2_agents.rule_based.batched import _compilation
from big2_env import BIG2, ConfigError
from big2_env.envs.league import League, Member
from big2_env.envs.opponents import LeagueRows
from big2_env.envs.sb3 import PolicyOpponent, SeatVecEnv, SelfPlayVecEnv, SnapshotCallback
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.opponents import RowGames, RowPlayer, RowRandom

Array = np.ndarray[Any, Any]
pytestmark = QUIET


def lowest(observations: Array, masks: Array, rng: Any) -> Array:
    return masks.argmax(axis=1)


class Counting(RowPlayer):
    """An opponent that notes the seeds of the games it acts in."""

    def __init__(self, asked: list[tuple[str, Any]], name: str) -> None:
        self.asked, self.name = asked, name

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> Array:
        self.asked.append((self.name, engine.deal_seeds[rows].tolist()))
        return engine.legal_ids_at(rows)[1][:, 0]


def test_league__draws_its_members_by_weight() -> None:
    league = League({"random": 1.0, "greedy": 3.0, "lowest": 0.0})
    places = league.draw(np.random.default_rng(1).random(4000))
    np.testing.assert_allclose(np.bincount(places, minlength=3) / 4000, [0.25, 0.75, 0], atol=0.03)
    assert league.draw([0.0, 0.24, 0.26, np.nextafter(1.0, 0.0)]).tolist() == [0, 0, 1, 1]
    league.set_weight("greedy", 0.0)
    assert set(league.draw(np.random.default_rng(1).random(50))) == {0}


def test_league__takes_snapshots_by_its_schedule_and_drops_the_oldest() -> None:
    league = League("random", snapshot_interval=100, max_snapshots=2, snapshot_weight=0.5)
    taken = [league.add_snapshot(steps, lowest).name for steps in range(0, 501, 50) if league.snapshot_due(steps)]
    assert taken == ["snapshot_100", "snapshot_200", "snapshot_300", "snapshot_400", "snapshot_500"]
    assert [(member.name, member.weight) for member in league.members] == [
        ("random", 1.0), ("snapshot_400", 0.5), ("snapshot_500", 0.5),
    ]  # fmt: skip
    assert not League("random").snapshot_due(10**9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: League(["greedy", "greedy"]), "expected members with names of their own, got 'greedy' twice"),
        (lambda: League({"greedy": -1.0}), "expected a weight of 0 or more for greedy, got -1"),
        (lambda: League("greedy", snapshot_interval=0), "expected at least 1 step between snapshots, got 0"),
        (lambda: League("greedy", max_snapshots=0), "expected to keep at least 1 snapshot, got 0"),
        (
            lambda: League("greedy", snapshot_interval=1000, snapshot_weight=-1.0),
            "expected a weight of 0 or more for snapshots, got -1",
        ),
        (
            lambda: League("greedy", snapshot_interval=1.5),  # type: ignore[arg-type]
            "expected at least 1 step between snapshots, got 1.5",
        ),
        (lambda: League("greedy", max_snapshots="all"), "expected to keep at least 1 snapshot, got 'all'"),
        (
            lambda: League({"mine": lambda seen, masks, rng: masks.argmax(1)}),
            "expected a weight of 0 or more for mine, got <fun",
        ),
        (lambda: League("greedy").add_snapshot("last", "greedy"), "expected steps of training, 0 or more, got 'last'"),  # type: ignore[arg-type]
        (lambda: League("greedy").set_weight("lowest", 1.0), "expected a member of League"),
        (lambda: League().draw([0.5]), "expected a league with a member of positive weight"),
        (lambda: League({"greedy": 0.0}).draw([0.5]), "expected a league with a member of positive weight"),
        (lambda: BatchEnv(1, opponents=League("nobody")), "agent 'nobody'"),
        (lambda: SnapshotCallback(League("greedy")), "expected a league with a schedule"),
    ],
)
def test_league__refuses_what_it_cannot_keep(make: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_league__puts_one_member_on_all_seats_of_a_game_and_a_list_of_leagues_one_on_each() -> None:
    for given, most in ((lambda league: league, 1), (lambda league: [copy.copy(league) for _ in range(3)], 2)):
        asked: list[tuple[str, Any]] = []
        league = League([Member("a", Counting(asked, "a")), Member("b", Counting(asked, "b"))])
        env = BatchEnv(40, opponents=given(league))
        env.reset(seed=3)
        for step in range(25):
            env.step(chosen(env, step))
        members: dict[int, set[str]] = {}
        for name, streams in asked:
            for stream in streams:
                members.setdefault(stream, set()).add(name)
        assert max(map(len, members.values())) == most
        assert set.union(*members.values()) == {"a", "b"}


def test_league__draws_the_same_members_for_a_seed_whatever_the_number_of_rows() -> None:
    few, many = (BatchEnv(rows, opponents=League(["greedy", "random", highest])) for rows in (2, 7))
    a, b = few.reset(seed=8)[0], many.reset(seed=8)[0]
    for step in range(60):
        assert np.array_equal(a, b[:2])
        moves = chosen(many, step)
        a, b = few.step(moves[:2])[0], many.step(moves)[0]
    twin = copy.deepcopy(many)
    assert np.array_equal(many.step(moves)[0], twin.step(moves)[0])


def test_league__games_that_run_keep_their_members_and_those_gone_are_forgotten() -> None:
    asked: list[tuple[str, Any]] = []
    league = League([Counting(asked, "lowest")], snapshot_interval=1, max_snapshots=1, snapshot_weight=1e9)
    env = BatchEnv(8, opponents=league)
    env.reset(seed=1)
    running = set(env.engine.deal_seeds.tolist())
    for steps in range(1, 9):
        league.add_snapshot(steps, Counting(asked, str(steps)))
        for step in range(8):
            env.step(chosen(env, step))
    members: dict[int, set[str]] = {}
    for name, deals in asked:
        for deal in deals:
            members.setdefault(deal, set()).add(name)
    assert all(len(names) == 1 for names in members.values())
    assert {name for deal in running & members.keys() for name in members[deal]} == {"lowest"}
    assert {name for names in members.values() for name in names} > {"lowest", "8"}
    [rows] = {id(one): one for one in env.engine.opponents}.values()
    assert isinstance(rows, LeagueRows)
    assert len(rows._made) <= 4


class Aging(Historian):
    """An agent that moves by the number of its games."""

    games = 0

    def reset(self, seed: int) -> None:
        self.games += 1
        self.seed = self.games


def test_league__members_go_on_in_a_copy_with_all_that_they_know() -> None:
    env = SeatEnv(League([Member("a", partial(Aging))]), seat=0)
    for seed in range(6):
        env.reset(seed=seed)
        twins = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
        for one in (env, *twins):
            one.reset(seed=seed + 50)
        for _ in range(4):
            move = int(env.action_masks().argmax())
            seen = [one.step(move)[0].tolist() for one in (env, *twins)]
            assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("kind", ["make_vec", "pool"])
def test_league__members_that_need_earlier_moves_get_them_whatever_the_number_of_rows(kind: str) -> None:
    for seed in range(8):
        shown = []
        for rows in (1, 3):
            league = League({"greedy": 1.0})
            if kind == "pool":
                venv = SelfPlayVecEnv(rows, opponents=league, share=1.0)
                venv.seed(seed)
                venv.reset()
                env: BatchEnv = venv.games
            else:
                env = BatchEnv(rows, opponents=league)
                env.reset(seed=seed)
            step = env.step if kind == "make_vec" else venv.step
            step(env.action_masks().argmax(axis=1))
            league.add_snapshot(1, Historian)
            league.set_weight("greedy", 0.0)
            shown.append([step(env.action_masks().argmax(axis=1))[0][0].tobytes() for _ in range(60)])
        assert shown[0] == shown[1]


def test_league__draws_anew_when_the_same_seed_begins_the_games_again() -> None:
    league = League({"greedy": 1.0, "random": 0.0})
    env, twin = BatchEnv(4, opponents=league), BatchEnv(4, opponents="random")
    env.reset(seed=7)
    for step in range(3):
        env.step(chosen(env, step))
    league.set_weight("greedy", 0.0)
    league.set_weight("random", 1.0)
    assert np.array_equal(env.reset(seed=7)[0], twin.reset(seed=7)[0])
    for step in range(20):
        moves = chosen(twin, step)
        assert np.array_equal(env.step(moves)[0], twin.step(moves)[0])


def test_league__members_whose_games_have_ended_are_forgotten() -> None:
    """Copies of games travel with those that play in them, so these must be few."""
    rows = LeagueRows(League([Counting([], "lowest")]), BIG2, 4)
    rows._drawn = np.full(8, -1)
    rows._draw(np.arange(8), np.arange(8, dtype=np.uint64))
    for row in range(8):
        rows.league = League([Counting([], str(row))])
        rows.leave(np.arange(8))  # the next games of the other rows have no opponent
        rows._draw(np.array([row]), np.array([row + 9], np.uint64))
    assert len(rows._made) <= 3


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_league__draws_anew_for_each_episode_of_one_game(engine: str) -> None:
    """With the compiled engine, `greedy` moves by a function that is prepared; other members must not."""
    asked: list[tuple[str, Any]] = []

    def noting(name: str) -> Any:
        def act(observations: Array, masks: Array, rng: RowRandom) -> Array:
            asked.append((name, None))
            return lowest(observations, masks, rng)

        return act

    env = SeatEnv(League([noting("a"), "greedy", Member("b", noting("b"))]), seat=3, engine=engine)
    _compilation(BIG2, GREEDY, 4).finish()
    drawn = []
    for seed in range(12):
        asked.clear()
        env.reset(seed=seed)
        drawn.append({name for name, _ in asked})
    assert max(map(len, drawn)) == 1
    assert {frozenset(names) for names in drawn} == {frozenset(), frozenset("a"), frozenset("b")}


@pytest.mark.parametrize("kind", [SeatVecEnv, SelfPlayVecEnv])
def test_snapshots__of_the_learner_join_while_it_learns(kind: Any) -> None:
    league = League({"greedy": 1.0}, snapshot_interval=512, max_snapshots=2, snapshot_weight=9.0)
    if kind is SeatVecEnv:
        model = small(SeatVecEnv(8, league), MaskablePPO, n_steps=32, n_epochs=1)
    else:
        model = small(SelfPlayVecEnv(8, opponents=league, share=1.0), n_steps=32, n_epochs=1)
    model.learn(2048, callback=SnapshotCallback(league, deterministic=True))
    assert [member.name for member in league.members] == ["greedy", "snapshot_1024", "snapshot_1536"]
    opponent = league.members[-1].opponent
    assert isinstance(opponent, PolicyOpponent)
    assert opponent.deterministic


def test_pool__draws_from_a_league_by_name() -> None:
    venv = SelfPlayVecEnv(64, opponents=League({"greedy": 1.0, "learned": 1.0}), share=1.0)
    venv.seed(1)
    venv.reset()
    rng, returns = np.random.default_rng(1), []
    for _ in range(80):
        returns += [info["episode"]["r"] for info in venv.step(random_moves(venv, rng))[3] if info]
    assert len(returns) > 50
    assert np.mean(returns) < -0.1  # random players against these
