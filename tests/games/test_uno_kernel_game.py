"""One game of UNO by the kernels, interpreted or compiled: the reference engine's game, and when which is used."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_uno_compiled import RULES
from test_uno_laws import ANY_RULES, random_move

from big2_env import IllegalPlayError
from big2_env.base.rng import SplitMix64
from big2_env.games.uno import PRESETS, UnoGame, UnoRules
from big2_env.games.uno.kernel_game import KernelUnoGame
from big2_env.games.uno.observation import UnoLayout
from big2_env.kernels.dialect.loader import load
from big2_env.kernels.switch import PATIENCE, Compilation

COMPILING = "big2_env.games.uno.kernel_game.COMPILING"


def use(monkeypatch: pytest.MonkeyPatch, *, compiled: bool) -> Compilation:
    """Let games begin compiled or interpreted."""
    known = Compilation(lambda: None)
    if compiled:
        known.finish()
    monkeypatch.setattr(COMPILING, known)
    return known


def check(made: KernelUnoGame, game: UnoGame) -> None:
    """A game by the kernels is as the reference engine's: seats, what each sees, the result."""
    assert (made.turn, made.is_over) == (game.turn, game.is_over)
    assert made.outcome == game.outcome if game.is_over else made.game == game
    layout = UnoLayout(game.rules)
    for seat in {game.turn, len(game.history) % game.rules.players}:
        observation, mask = made.look(seat)
        view = game.view(seat)
        assert observation.tolist() == layout.encode(view).tolist()
        assert tuple(np.flatnonzero(mask)) == view.moves


def is_compiled(made: KernelUnoGame) -> bool:
    return made._kernels is not None and made._kernels.is_compiled


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("name", RULES)
def test_game__is_the_reference_engines(name: str, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, compiled=compiled)
    rules, rng = RULES[name], SplitMix64(11)
    made = KernelUnoGame(rules)
    for seed in range(4):
        game = UnoGame.deal(rules, seed)
        if seed % 2:
            made.start(game.restarted())
        else:
            made.deal(seed)
        assert is_compiled(made) == compiled
        for _ in range(250):
            check(made, game)
            if game.is_over:
                break
            if rng.below(10) == 0:
                with pytest.raises(IllegalPlayError):
                    made.play(next(move for move in range(62) if move not in game.legal_moves()))
            move = random_move(game, rng, cautious=seed > 1)
            game.play(move)
            made.play(move)


@settings(max_examples=60)
@given(ANY_RULES, st.integers(0, 2**64 - 1), st.booleans())
def test_kernels__interpreted_keep_to_the_reference_engine_under_any_rules(rules: UnoRules, seed: int, cautious: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        use(patch, compiled=False)
        made, game, rng = KernelUnoGame(rules), UnoGame.deal(rules, seed), SplitMix64(seed)
        made.deal(seed)
        for _ in range(150):
            check(made, game)
            if game.is_over:
                break
            move = random_move(game, rng, cautious)
            game.play(move)
            made.play(move)


def test_games__change_to_compiled_kernels_when_they_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    known, rules = use(monkeypatch, compiled=False), PRESETS["mattel"]
    made, game, rng, used = KernelUnoGame(rules), UnoGame.deal(rules, 0), SplitMix64(1), list[bool]()
    for seed in range(3):
        game = UnoGame.deal(rules, seed)
        made.deal(seed)
        while not game.is_over:
            check(made, game)
            used.append(is_compiled(made))
            move = random_move(game, rng, cautious=True)
            game.play(move)
            made.play(move)
            if seed == 1 and not known.is_ready:  # in the middle of a game
                assert known.thread is None
                known.spend(PATIENCE)
                known.finish()
        check(made, game)
        assert is_compiled(made) == (seed > 1)
    assert set(used) == {False, True}


def test_games__count_the_time_of_interpreted_moves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[float] = []
    for compiled in (False, True):
        known = use(monkeypatch, compiled=compiled)
        monkeypatch.setattr(known, "spend", spent.append)
        made = KernelUnoGame(PRESETS["article"])
        made.deal(0)
        for _ in range(5):
            made.play(60)
    assert len(spent) == 5
    assert min(spent) > 0


@pytest.mark.parametrize("after", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("before", [False, True], ids=["interpreted", "compiled"])
def test_game__is_the_same_of_a_copy(before: bool, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, compiled=before)
    rules, rng = PRESETS["mattel"].having(players=3), SplitMix64(2)
    made, game = KernelUnoGame(rules), UnoGame.deal(rules, 5)
    assert pickle.loads(pickle.dumps(made)).rules == rules
    made.start(game.restarted())
    for move in (random_move(game, rng, True) for _ in range(30)):
        game.play(move)
        made.play(move)
    use(monkeypatch, compiled=after)
    twins = [copy.deepcopy(made), pickle.loads(pickle.dumps(made))]
    move = random_move(game, rng, True)
    for twin in twins:
        check(twin, game)
        twin.play(move)
    check(made, game)
    game.play(move)
    for twin in twins:
        check(twin, game)


def run(program: str, tmp_path: Path) -> str:
    """What a program prints in a process of its own, numba's cache empty."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_raw_env__needs_no_numba_at_first(tmp_path: Path) -> None:
    program = """
import sys
from big2_env.games.uno.aec import raw_env
env = raw_env(players=4)
for seed in range(3):
    env.reset(seed=seed)
    for _ in range(20):
        if not env.terminations[env.agent_selection]:
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
print("numba" in sys.modules)
"""
    assert run(program, tmp_path) == "False\n"


def test_gym_env__compiles_nothing_at_first(tmp_path: Path) -> None:
    program = """
import gymnasium, big2_env
from big2_env.kernels.dialect.kernel import compiled_by
def play():
    env = gymnasium.make("big2/Uno-v0", players=3, opponents=["random", "automatic"])
    _, info = env.reset(seed=1)
    for _ in range(20):
        *_, ended, _, info = env.step(int(info["action_mask"].argmax()))
        if ended:
            _, info = env.reset()
print(compiled_by(play))
"""
    assert run(program, tmp_path) == "0\n"
    assert not [*tmp_path.rglob("*.nbi")]


def test_automatic_player__interpreted_plays_the_games_that_are_added_up() -> None:
    module = load(frozenset()).module
    kernels: Any = module("big2_env.games.uno.kernels.automatic")
    dtypes: Any = module("big2_env.games.uno.kernels.dtypes")
    from big2_env.games.uno.simulate import simulated

    for name in ("article", "odd", "hardest", "highest", "fourteen"):
        totals = [0] * kernels.SIZE
        kernels.simulate(dtypes.rules_record(RULES[name]), dtypes.new_games(1), 2**64 - 3, 6, totals)
        assert totals == simulated(RULES[name], 6, seed=2**64 - 3).totals.tolist()
