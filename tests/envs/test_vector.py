"""`BatchEnv` plays the games of the reference engine, the same for every batch; ends, illegal acts, forced passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from batch_replay import LearnerRow, Row, drawn
from row_moves import chosen, highest

from big2_env import BIG2, HONG_KONG, ConfigError, Pattern, RuleSet, Shape
from big2_env.climbing.order import CardOrder
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.opponents import RowRandom

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Dragon(Pattern):
    """All thirteen ranks."""

    name = "dragon"
    zh = "一條龍"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        yield Shape.of(order.suited_ranks, key=order.suited_ranks[-1], key_suit=False)


def random_move(observations: Array, masks: Array, rng: RowRandom) -> Array:
    """An outside opponent with luck: any legal act."""
    picks = rng.integers(masks.sum(axis=1))
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
    ids=["big2", "by cards", "hong_kong", "dou_dizhu", "wu_gua_pi"],
)
def test_self_play__rows_are_games_of_the_reference_engine(ruleset: RuleSet, dtype: str, games: int) -> None:
    env = BatchEnv(3, ruleset=ruleset, dtype=dtype, mode="self_play")
    obs, infos = env.reset(seed=5)
    rows = [Row(ruleset, 5 + i) for i in range(3)]
    ended = 0
    for step in range(10_000):
        for i, row in enumerate(rows):
            assert infos["seat"][i] == row.game.turn
            np.testing.assert_array_equal(obs[i], row.observation(row.game.turn))
            np.testing.assert_array_equal(infos["action_mask"][i], row.mask())
        moves = chosen(env, step)
        obs, reward, terminated, truncated, infos = env.step(moves)
        assert not truncated.any()
        for i, row in enumerate(rows):
            actor = row.game.turn
            row.act(int(moves[i]))
            assert infos["actor"][i] == actor
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
    "outside": (highest, [lambda ids, rng: max(ids)] * 3),
    "mixed": (
        [random_move, "random", highest],
        [lambda ids, rng: sorted(ids)[rng.below(len(ids))], drawn, lambda ids, rng: max(ids)],
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
        moves = chosen(env, step)
        obs, reward, terminated, _, infos = env.step(moves)
        for i, row in enumerate(rows):
            row.act(int(moves[i]))
            assert infos["actor"][i] == row.seat
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
    search = BatchEnv(4096, ruleset=rules, mode="self_play")
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
    replayed = LearnerRow(rules, seed + row, 0, [lambda ids, rng: max(ids)] * 3, learner)
    replay(env, [replayed], seed + row, games=2)
    assert env.engine.has_learner
    assert env.engine.learners.deals[0] == replayed.next_seat == 4


# Same seed, same games.


def trace(rows: int, of: int, steps: int = 60, **options: Any) -> list[Array]:
    """Everything that the first rows of a batch show in some steps."""
    env = BatchEnv(of, copy=False, **options)
    obs, infos = env.reset(seed=9)
    seen = [obs[:rows].copy(), infos["action_mask"][:rows].copy()]
    for step in range(steps):
        obs, reward, terminated, _, infos = env.step(chosen(env, step))
        arrays = (obs, infos["action_mask"], infos["seat"], infos["actor"], infos["payoffs"], reward, terminated)
        seen += [array[:rows].copy() for array in arrays]
    env.close()
    return seen


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "self_play"},
        {"mode": "self_play", "skip_forced": True},
        {"mode": "seat"},
        {"mode": "seat", "opponents": random_move, "dtype": "float32"},
    ],
    ids=["self-play", "skip_forced", "random", "outside"],
)
def test_games__are_the_same_for_every_number_of_rows_and_threads(options: Any) -> None:
    alone = trace(3, 3, **options)
    for of, threads in ((64, 1), (64, 2), (7, 3), (3, 8)):
        for a, b in zip(alone, trace(3, of, threads=threads, **options), strict=True):
            np.testing.assert_array_equal(a, b)


def test_reset__seeds_count_up_from_the_number_or_stand_for_their_rows() -> None:
    env = BatchEnv(3, mode="self_play")
    first, _ = env.reset(seed=4)
    again, _ = env.reset()
    assert not np.array_equal(first, again)
    for seeds in (4, [4, 5, 6], np.array([4, 5, 6]), 4 + 2**64):
        np.testing.assert_array_equal(env.reset(seed=seeds)[0], first)
        np.testing.assert_array_equal(env.reset()[0], again)
    np.testing.assert_array_equal(env.reset(seed=[6, 6, 4])[0], first[[2, 2, 0]])
    assert not np.array_equal(BatchEnv(1, mode="self_play").reset()[0], BatchEnv(1, mode="self_play").reset()[0])


def test_reset__seeds_for_rows_seed_the_environments_own_rng_and_any_may_be_none() -> None:
    env = BatchEnv(3, mode="self_play")
    drawn = []
    for seeds in ([4, 5, 6], [4, 5, 6], [None, 4, 9], [4, None, 6], [4, None, 6], [None] * 3, [None] * 3):
        seen, _ = env.reset(seed=seeds)
        drawn.append((env.random_actions(), env.np_random_seed, seen))
    np.testing.assert_array_equal(drawn[0][0], drawn[1][0])
    np.testing.assert_array_equal(drawn[3][2], drawn[4][2])
    np.testing.assert_array_equal(drawn[3][2][[0, 2]], drawn[0][2][[0, 2]])
    assert not np.array_equal(drawn[3][2][1], drawn[0][2][1])
    assert not np.array_equal(drawn[5][2], drawn[6][2])
    assert {seed for _, seed, _ in drawn} == {4}
    for given in (0.5, "x", [0.5] * 3, np.full(3, 1j)):
        with pytest.raises(ConfigError, match=r"^expected an integer seed, or one for each of the 3 games, got"):
            env.reset(seed=given)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="expected one seed, or one for each of the 3 games, got 2"):
        env.reset(seed=[8, None])
    assert env.np_random_seed == 4


# Forced passes.


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_skip_forced__plays_the_same_games(mode: str) -> None:
    def games(skip: bool) -> list[tuple[Any, ...]]:
        """The payoffs and the last sight of each game, when every choice is the highest act."""
        env = BatchEnv(
            8, mode=mode, skip_forced=skip, **({"opponents": [random_move, "random", highest]} if mode == "seat" else {})
        )
        _, infos = env.reset(seed=6)
        found: dict[int, list[Any]] = {row: [] for row in range(8)}
        asked = forced = 0
        while min(map(len, found.values())) < 4:
            counts, ids = env.legal_ids()
            asked += 8
            forced += int(((counts == 1) & (ids[:, 0] == 0)).sum())
            moves = highest(np.empty(0), infos["action_mask"], RowRandom(np.empty(0, np.uint64)))
            _, _, terminated, _, infos = env.step(moves)
            for row in np.flatnonzero(terminated):
                found[int(row)].append((infos["payoffs"][row].tolist(), infos["final_obs"][row].tobytes()))
        shown = forced / asked
        assert shown > 0.3 if not skip else shown == 0 if mode == "self_play" else shown < 0.2
        return [game for row in found.values() for game in row[:4]]

    assert games(True) == games(False)
