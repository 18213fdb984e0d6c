"""The environments run on either engine and say the same; forced passes skipped or not, the games are the same."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from house_rules import DRAWING
from outside_patterns import OUTSIDE
from pettingzoo import AECEnv

from big2_env import BIG2, HONG_KONG, PASS, Card, ConfigError, Game, IllegalPlayError, LegalPlays, Play, RuleSet, View, ruleset
from big2_env.base.rng import SplitMix64
from big2_env.climbing.settlement import PairwiseDifference, Settlement, Standing, WinnerTakesOne
from big2_env.envs.aec import env, raw_env
from big2_env.envs.seat import SeatEnv
from big2_env.envs.turn_engine import CompiledEngine, InterimEngine, TurnEngine, make_engine
from big2_env.kernels.engine import BatchEngine, compilation
from big2_env.kernels.switch import Compilation

SEVEN = replace(ruleset("wu_gua_pi"), players=7, scoring=WinnerTakesOne())  # a sixth six times, which is not 1 in float64
BONUSES = BIG2.with_scoring(PairwiseDifference(((1, 0.1), (9, 0.7)), tuple((Card(card), 0.1 + card % 7) for card in range(52))))
RULES = [BIG2, HONG_KONG.with_scoring("cards"), OUTSIDE, SEVEN, BONUSES]
IDS = ["big2", "hong_kong", "outside", "seven", "bonuses"]


def everything(env: Any) -> list[Any]:
    """All that an AEC environment shows."""
    sights = [env.observe(agent) for agent in env.possible_agents]
    arrays = [array for sight in sights for array in (sight["observation"], sight["action_mask"])]
    arrays.append(env.state())
    others = (
        env.agents,
        env.agent_selection,
        env.legal_ids(),
        env.rewards,
        env._cumulative_rewards,
        env.terminations,
        env.truncations,
    )
    return [(array.dtype, array.tobytes()) for array in arrays] + [copy.copy(other) for other in others]


def legal(env: Any) -> list[int]:
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("rules", RULES, ids=IDS)
def test_raw_env__says_the_same_on_both_engines(rules: RuleSet, dtype: str, skip_forced: bool) -> None:
    reference, compiled = (
        raw_env(rules, dtype=dtype, engine=kind, skip_forced=skip_forced, render_mode="ansi")
        for kind in ("reference", "compiled")
    )
    rng = SplitMix64(3)
    for seed in range(4):
        for one in (reference, compiled):
            one.reset(seed=seed)
        while True:
            assert everything(reference) == everything(compiled)
            if rng.below(8) == 0:
                assert reference.render() == compiled.render()
                assert reference.game == compiled.game
            if not any(reference.terminations.values()):
                ids = legal(reference)
                for wrong in (rng.below(reference.actions.n), -1, reference.actions.n, 2**70):
                    if wrong not in ids:
                        messages = [str(refusal(one, wrong)) for one in (reference, compiled)]
                        assert messages[0] == messages[1]
                action = ids[rng.below(len(ids))]
            else:
                action = None
            for one in (reference, compiled):
                one.step(action)
            if not reference.agents:
                break
        assert reference.render() == compiled.render()


def refusal(env: Any, action: int) -> Exception:
    with pytest.raises((ConfigError, IllegalPlayError)) as caught:
        env.step(action)
    return caught.value


class Drawn:
    """An agent that draws whether it has a choice or not."""

    def reset(self, seed: int) -> None:
        self.rng = SplitMix64(seed)

    def act(self, view: View, legal: LegalPlays) -> Play:
        return list(legal)[self.rng.below(len(legal))]


@pytest.mark.parametrize("rules", RULES, ids=IDS)
def test_seat_env__says_the_same_on_both_engines(rules: RuleSet) -> None:
    reference, compiled = (SeatEnv(Drawn, ruleset=rules, engine=kind, render_mode="ansi") for kind in ("reference", "compiled"))
    rng = SplitMix64(3)
    for seed in range(6):
        results: list[Any] = [one.reset(seed=seed) for one in (reference, compiled)]
        while True:
            assert_same(*results)
            assert reference.render() == compiled.render()
            if len(results[0]) == 5 and results[0][2]:
                break
            ids = np.flatnonzero(reference.action_masks())
            assert ids.tolist() == np.flatnonzero(compiled.action_masks()).tolist()
            action = rng.below(reference.actions.n) if rng.below(30) == 0 else ids[rng.below(len(ids))]
            results = [one.step(action) for one in (reference, compiled)]


def assert_same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, tuple):
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def test_compiled_engine__is_copied_and_pickled_with_its_game() -> None:
    first = raw_env(engine="compiled", skip_forced=True)
    first.reset(seed=1)
    for _ in range(20):
        first.step(legal(first)[0])
    for other in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        assert isinstance(other._engine, CompiledEngine)
        assert everything(other) == everything(first)
        assert other.game == first.game
        assert other.game is not first.game
        before = everything(first)
        while not any(other.terminations.values()):
            other.step(legal(other)[-1])
        assert everything(first) == before
    unborn = pickle.loads(pickle.dumps(CompiledEngine(BIG2)))
    assert not unborn.is_started


def test_compiled_engine__shows_a_seat_again_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = CompiledEngine(BIG2)
    engine.start(Game.deal(BIG2, seed=7))
    before, show = engine.observation(engine.turn), BatchEngine.show

    def interrupted(batch: BatchEngine, viewers: Any) -> None:
        show(batch, viewers)
        raise KeyboardInterrupt

    monkeypatch.setattr(BatchEngine, "show", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.observation(engine.turn ^ 1)
    monkeypatch.setattr(BatchEngine, "show", show)
    assert np.array_equal(engine.observation(engine.turn), before)


def test_compiled_engine__arrays_are_new_each_time() -> None:
    engine = CompiledEngine(BIG2)
    engine.start(Game.deal(BIG2, 7))
    arrays = [array for _ in range(2) for seat in range(4) for array in engine.observe(seat)]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


@pytest.mark.parametrize("kind", ["compiled", "reference", "auto"])
@pytest.mark.parametrize("name", ["big2", "dou_dizhu_x"])
def test_legal_ids__are_those_of_the_mask(name: str, kind: str) -> None:
    table, rng, longest = raw_env(name, engine=kind), SplitMix64(5), 0
    with pytest.raises(ResetNeeded, match=r"^legal_ids\(\) before the first game: call reset\(\) first$"):
        table.legal_ids()
    for seed in range(3) if name == "big2" else (5,):
        table.reset(seed=seed)
        while not any(table.terminations.values()):
            if rng.below(3) == 0:
                table.observe(table.possible_agents[rng.below(3)])
            ids = table.legal_ids()
            assert ids == legal(table)
            longest = max(longest, len(ids))
            given = ids[rng.below(len(ids))]
            ids.clear()
            assert table.legal_ids() == legal(table)
            table.step(given)
        assert table.legal_ids() == []
    assert longest > (10 if name == "big2" else 64)  # longer than what a compiled engine begins with


@pytest.mark.parametrize("kind", ["reference", "compiled", "auto"])
@pytest.mark.parametrize("name", ["big2", "dou_dizhu"])
def test_masks__as_ids_leave_everything_else_as_it_is(name: str, kind: str) -> None:
    listed, masked = (raw_env(name, engine=kind, masks=masks, skip_forced=True) for masks in ("ids", "dense"))
    space, rng = listed.observation_space("player_0"), SplitMix64(5)
    assert list(space.spaces) == ["observation"]
    for seed in range(3):
        for one in (listed, masked):
            one.reset(seed=seed)
        while listed.agents:
            seen, *rest = listed.last()
            full, *expected = masked.last()
            assert space.contains(seen)
            assert (rest, listed.legal_ids()) == (expected, np.flatnonzero(full["action_mask"]).tolist())
            for agent in listed.agents:
                np.testing.assert_array_equal(listed.observe(agent)["observation"], masked.observe(agent)["observation"])
            np.testing.assert_array_equal(seen["observation"], full["observation"])
            ids = listed.legal_ids()
            action = ids[rng.below(len(ids))] if ids else None
            if rng.below(10) == 0:
                listed = copy.deepcopy(listed)
            for one in (listed, masked):
                one.step(action)


def test_masks__other_than_wrappers_and_engines_take_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected masks 'dense' or 'ids', got 'bits'"):
        raw_env(masks="bits")
    with pytest.raises(ConfigError, match="expected masks 'dense' in PettingZoo's wrappers, got 'ids': use raw_env"):
        env(masks="ids")


def test_legal_ids__of_a_game_ended_by_a_wrapper__are_none() -> None:
    table = env(engine="compiled")
    table.reset(seed=1)
    assert table.legal_ids() != []
    table.step(next(action for action in range(1379) if action not in table.legal_ids()))
    assert table.legal_ids() == []


def test_last__is_what_pettingzoo_would_give() -> None:
    table = raw_env(engine="compiled")
    table.reset(seed=2)
    while table.agents:
        for sees in (True, False):
            assert_same(table.last(sees), AECEnv.last(table, sees))
        seen, *_, terminated, _, _ = table.last()
        assert seen is not None
        assert not any(np.shares_memory(array, table.last()[0][name]) for name, array in seen.items())
        table.step(None if terminated else table.legal_ids()[-1])


def test_last__shows_the_observation_of_a_subclass() -> None:
    class Blind(raw_env):
        def observe(self, agent: str) -> dict[str, Any]:
            return {"observation": np.zeros(1), "action_mask": super().observe(agent)["action_mask"]}

    table = Blind(engine="compiled")
    table.reset(seed=1)
    assert_same(table.last()[0], table.observe(table.agent_selection))


@pytest.mark.parametrize("seed", [0, 2**64 - 1, 2**64 + 7, -1])
def test_compiled_engine__deals_any_seed_as_the_rules_do(seed: int) -> None:
    engine = CompiledEngine(BIG2)
    for number in (3, seed, seed):
        engine.deal(number)
        dealt = Game.deal(BIG2, number)
        assert engine.turn == dealt.turn
        assert engine.legal_ids() == sorted(engine.space.ids(dealt.legal_plays()))
        engine.act(engine.legal_ids()[0])
    assert engine.game.start == dealt.start


class Flat(Settlement):
    """A settlement from outside, which the kernels do not know."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        return tuple(3.0 if seat in standing.finished else -1.0 for seat in range(4))


def test_make_engine__takes_what_there_is() -> None:
    assert isinstance(make_engine(BIG2, kind="compiled"), CompiledEngine)
    assert type(make_engine(BIG2, kind="reference")) is TurnEngine
    assert isinstance(make_engine(DRAWING, kind="compiled"), CompiledEngine)
    unserved = BIG2.with_scoring(Flat())
    assert isinstance(make_engine(unserved), InterimEngine)
    with pytest.warns(UserWarning, match=r"cannot be compiled: it has the settlement .*; the readable rules serve it"):
        assert type(make_engine(unserved, kind="compiled")) is TurnEngine
    with pytest.raises(ConfigError, match=r"cannot be compiled: it has the settlement "):
        CompiledEngine(unserved)
    with pytest.raises(ConfigError, match=r"^expected engine 'auto', 'compiled', 'reference', got 'fast'$"):
        raw_env(engine="fast")
    with pytest.raises(ConfigError, match=r"^expected dtype 'int8' or 'float32', got 'int16'"):
        make_engine(BIG2, dtype="int16")
    with pytest.raises(ConfigError, match=r"^big2 needs 2 to 4 players, got 5"):
        make_engine(BIG2, 5)


def test_auto__begins_by_reference_and_goes_on_compiled_in_the_next_game(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Compilation(lambda: None)
    monkeypatch.setattr("big2_env.envs.turn_engine.compilation", lambda *given: known)
    seen = []
    for one in (raw_env(), SeatEnv()):
        known.is_ready, kinds = False, []
        for number in range(3):
            one.reset(seed=5)
            kinds.append(isinstance(one._engine, CompiledEngine))
            known.is_ready = number > 0  # in the middle of a game
            kinds.append(isinstance(one._engine, CompiledEngine))
        seen.append(kinds)
    assert seen == [[False] * 4 + [True] * 2] * 2


def test_auto__first_games_load_no_compiler_and_what_they_take_is_counted() -> None:
    code = """
import sys
import gymnasium
import big2_env
from big2_env.envs.aec import raw_env
from big2_env.kernels.engine import BatchEngine, compilation
env = gymnasium.make("big2/Big2-v0", opponents="lowest")
_, info = env.reset(seed=1)
env.step(int(info["action_mask"].nonzero()[0][0]))
game = raw_env("dou_dizhu")
game.reset(seed=1)
game.step(int(game.last()[0]["action_mask"].nonzero()[0][0]))
assert "numba" not in sys.modules
assert compilation(game.ruleset, 3, "int8").spent > 0.0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_compilation__makes_an_engine_ready() -> None:
    known = compilation(BIG2, 4, "int8")
    known.finish()
    assert known.is_ready
    assert isinstance(make_engine(BIG2), CompiledEngine)
    refused = compilation(BIG2.with_scoring(Flat()), 4, "int8")
    refused.finish()
    assert not refused.is_ready


def asks(env: Any) -> bool:
    """Whether the player to move has no choice but to pass."""
    return legal(env) == [0]


@pytest.mark.parametrize("kind", ["reference", "compiled"])
@pytest.mark.parametrize("rules", RULES, ids=IDS)
def test_skip_forced__aec_plays_and_logs_the_same_games(rules: RuleSet, kind: str) -> None:
    asking, skipping = (raw_env(rules, skip_forced=skip, engine=kind, render_mode="ansi") for skip in (False, True))
    forced = 0
    for seed in range(5):
        rng = SplitMix64(seed)
        for one in (asking, skipping):
            one.reset(seed=seed)
        while not any(skipping.terminations.values()):
            while asks(asking):
                asking.step(0)
                forced += 1
            assert asking.agent_selection == skipping.agent_selection
            ids = legal(skipping)
            assert ids == legal(asking) != [0]
            action = ids[rng.below(len(ids))]
            for one in (asking, skipping):
                one.step(action)
        assert asking.rewards == skipping.rewards
        assert asking.render() == skipping.render()
        assert asking.game == skipping.game
        assert PASS in [move.play for move in skipping.game.history]
    assert forced > 50


def test_skip_forced__a_set_up_game_begins_with_the_first_who_has_a_choice() -> None:
    game = Game.from_hands(BIG2, ["C[3] D[3] C[6]", "C[4]", "S[2]", "H[2] D[2]"])
    game.play("C[3] D[3]")
    for kind in ("reference", "compiled"):
        one = env(engine=kind, skip_forced=True)
        one.reset(options={"position": game.position})
        assert one.agent_selection == "player_3"
        assert [(move.seat, move.play) for move in one.unwrapped.game.history] == [(1, PASS), (2, PASS)]


@pytest.mark.parametrize("kind", ["reference", "compiled"])
@pytest.mark.parametrize("seat", [0, "random"])
def test_skip_forced__seat_env_plays_and_logs_the_same_games(seat: Any, kind: str) -> None:
    asking, skipping = (SeatEnv(Drawn, seat=seat, skip_forced=skip, engine=kind, render_mode="ansi") for skip in (False, True))
    forced = 0
    for seed in range(10):
        rng = SplitMix64(seed)
        results: list[Any] = [one.reset(seed=seed) for one in (asking, skipping)]
        assert_same(*results)  # the first turn is shown in any case
        ended = False
        while not ended:
            ids = np.flatnonzero(skipping.action_masks())
            action = ids[rng.below(len(ids))]
            results = [one.step(action) for one in (asking, skipping)]
            while not results[0][2] and asking.action_masks().nonzero()[0].tolist() == [0]:
                results[0] = asking.step(0)
                forced += 1
            assert_same(*results)
            ended = results[0][2]
        assert asking.render() == skipping.render()
        assert asking.game == skipping.game
    assert forced > 20


def test_compiled_engine__says_so_if_it_refuses_what_the_rules_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = CompiledEngine(BIG2)
    engine.start(Game.deal(BIG2, 7))
    engine.batch._games.hands[:] = 0
    with pytest.raises(RuntimeError, match=re.escape("action 1: the compiled engine refuses what the rules allow")):
        engine.act(1)
