"""The batch engine: the same games, however they are stepped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from outside_patterns import OUTSIDE

from big2_env import BIG2, HONG_KONG, ConfigError, Game, PassLock, Position, Rank, RuleSet, ruleset
from big2_env.base.rng import SplitMix64
from big2_env.kernels.batch import ENDED, NEXT_STEP, NO_RESET, SAME_STEP
from big2_env.kernels.engine import BatchEngine

RULES = {"big2": BIG2, "hong_kong": HONG_KONG, "outside": OUTSIDE}
AUTO = replace(HONG_KONG, auto_lead=True)
TRICK = replace(BIG2, pass_lock=PassLock.TRICK)
OTHER_ORDER = replace(HONG_KONG, ranks=(*list(Rank)[3:13], *list(Rank)[:3]))


def trace(engine: BatchEngine, steps: int, reset: int = SAME_STEP) -> list[list[tuple[Any, ...]]]:
    """By game: every decision where there is a choice, with what the seat saw, and every end; forced passes are left out."""
    events: list[list[tuple[Any, ...]]] = [[] for _ in range(engine.num_games)]
    for _ in range(steps):
        counts, lists = engine.legal_ids()
        actions = np.zeros(engine.num_games, np.int64)
        for i in range(engine.num_games):
            moves = sorted(lists[i, : counts[i]].tolist())
            assert moves == engine.mask[i].nonzero()[0].tolist()
            if moves == [0]:
                assert not engine.skip_forced
            elif moves:
                actions[i] = moves[SplitMix64(i * 1_000_003 + len(events[i])).below(len(moves))]
                events[i].append((int(engine.seat[i]), moves, engine.observation[i].tobytes(), int(actions[i])))
        engine.step(actions, reset)
        for i in (engine.status == ENDED).nonzero()[0]:
            events[i].append((int(engine.actor[i]), engine.payoffs[i].tolist(), engine.final_observation[i].tobytes()))
    return events


def dealt(rules: RuleSet, games: int, **options: Any) -> BatchEngine:
    engine = BatchEngine(rules, games, **options)
    engine.reset(seed=12)
    return engine


@pytest.mark.parametrize("reset", [SAME_STEP, NEXT_STEP], ids=["same_step", "next_step"])
@pytest.mark.parametrize("rules", [BIG2, AUTO, TRICK], ids=["big2", "hong_kong_auto", "trick"])
def test_skip_forced__plays_the_same_games_without_the_forced_passes(rules: RuleSet, reset: int) -> None:
    plain = trace(dealt(rules, 12), 400, reset)
    skipped = trace(dealt(rules, 12, skip_forced=True), 250, reset)
    for i in range(12):
        both = min(len(plain[i]), len(skipped[i]))
        assert plain[i][:both] == skipped[i][:both]
        assert both > 150
        assert sum(len(event) == 3 for event in plain[i][:both]) >= 3  # several games, the deals of which follow each other
    assert sum(map(len, skipped)) / 250 > 1.3 * sum(map(len, plain)) / 400  # more decisions a step: some were skipped


def test_skip_forced__is_any_truth_value() -> None:
    assert dealt(BIG2, 1, skip_forced="yes").skip_forced is True


@pytest.mark.parametrize(("games", "threads"), [(1, 1), (3, 1), (9, 2), (9, 4), (40, 3)])
def test_same_seed__same_games_for_every_batch_size_and_thread_count(games: int, threads: int) -> None:
    for rules in (BIG2, HONG_KONG):
        both = min(games, 9)
        expected = trace(dealt(rules, 9), 150)
        assert trace(dealt(rules, games, threads=threads), 150)[:both] == expected[:both]
        one, other = dealt(rules, 9), dealt(rules, games, threads=threads)
        for move in (lambda engine: engine.play_random(120), lambda engine: engine.rollouts()):
            results = [move(engine) for engine in (one, other)]
            assert one.games[:both].tobytes() == other.games[:both].tobytes()
            if isinstance(results[0], np.ndarray):
                assert (results[0][:both] == results[1][:both]).all()


def test_deal__is_the_deal_of_the_reference_game() -> None:
    seeds = [0, 1, 17, 2**63, 2**64 - 1]
    for rules in (BIG2, HONG_KONG, AUTO, OTHER_ORDER):
        engine = BatchEngine(rules, len(seeds))
        engine.deal(np.array(seeds, np.uint64))
        assert [engine.position(i) for i in range(len(seeds))] == [Game.deal(rules, seed).position for seed in seeds]
        engine.reset(seed=50)
        for i in range(len(seeds)):  # the documented stream of each game: its first number begins it, each next one deals
            stream = SplitMix64(SplitMix64(50 + i).next())
            assert engine.position(i) == Game.deal(rules, stream.next()).position


def test_rollouts__are_the_games_that_the_streams_give_step_by_step() -> None:
    for rules in (BIG2, AUTO):
        engine, by_hand = dealt(rules, 30), dealt(rules, 30)
        streams = [SplitMix64(int(state)) for state in by_hand.games.rng]
        totals = np.zeros((30, 4))
        while (by_hand.games.winner < 0).any():
            counts, lists = by_hand.legal_ids(512)
            choices = [stream.below(count) if count > 1 else 0 for stream, count in zip(streams, counts.tolist(), strict=True)]
            by_hand.step(lists[np.arange(30), choices].astype(np.int64), NO_RESET)
            totals += by_hand.payoffs
        payoffs = engine.rollouts()
        assert payoffs == pytest.approx(totals, abs=1e-6)
        assert (payoffs != 0).all() or rules is AUTO
        by_hand._games.rng = engine.games.rng
        assert engine.games.tobytes() == by_hand.games.tobytes()
        for i in range(30):
            assert engine.game(i).outcome.payoffs == tuple(payoffs[i])


def test_two_rulesets__step_side_by_side_without_touching_each_other() -> None:
    alone = {name: trace(dealt(rules, 6), 120) for name, rules in RULES.items()}
    with ThreadPoolExecutor(3) as pool:
        together = dict(zip(RULES, pool.map(lambda rules: trace(dealt(rules, 6), 120), RULES.values()), strict=True))
    assert together == alone
    engines = {name: dealt(rules, 6) for name, rules in RULES.items()}
    expected = {name: dealt(rules, 6) for name, rules in RULES.items()}
    for _ in range(40):
        for engine in engines.values():
            engine.play_random(3)
    for name, engine in expected.items():
        engine.play_random(120)
        assert engine.games.tobytes() == engines[name].games.tobytes()


def test_set_position__takes_what_the_reference_takes_and_refuses_what_it_refuses() -> None:
    engine = dealt(BIG2, 2)
    before = engine.games.tobytes()
    position = Game.deal(BIG2, 3).position
    twenty = Position((position.hands[0] | position.hands[1], 0, *position.hands[2:]), 0, played=position.played)
    for fault, says in [
        (twenty, r"position: expected hands of at most 13 cards, got \[26, 0, 13, 13\];"),
        (position._replace(turn=5), "position: expected a turn of a seat that holds cards, got 5; the"),
        (position._replace(hands=position.hands[:1], played=(0,)), "expected 2 to 4 hands for big2, got 1"),
    ]:
        with pytest.raises(ConfigError, match=says):
            engine.set_position(0, fault)
        assert engine.games.tobytes() == before
    engine.set_position(1, position)
    assert (engine.position(1), engine.games[0].tobytes()) == (position, before[: len(before) // 2])
    assert ruleset("big2") is BIG2
