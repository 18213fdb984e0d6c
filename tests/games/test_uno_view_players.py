"""Players of UNO behind views: the same acts interpreted and compiled, and no compiler at first."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_uno_laws import ANY_RULES, random_move

from big2_agents.uno import view_players
from big2_agents.uno.features import describe, look_around
from big2_agents.uno.view_moves import ViewMoves, seen_game
from big2_agents.uno.weights import NUM_FEATURES, load_weights
from big2_env.base.rng import SplitMix64
from big2_env.base.side_game import seeded_move
from big2_env.games.uno import UnoGame, UnoRules, uno_rules
from big2_env.games.uno.kernels.dtypes import rules_record
from big2_env.games.uno.players import uno_player
from big2_env.games.uno.view import UnoView
from big2_env.kernels.dialect.loader import load
from big2_env.kernels.switch import PATIENCE, Compilation, Switch

MODULE = load(frozenset()).module
WEIGHTS = load_weights().tolist()
COMPILED, INTERPRETED = ViewMoves(WEIGHTS), MODULE("big2_agents.uno.view_moves").ViewMoves(WEIGHTS)


def features(view: UnoView, interpreted: bool) -> list[float]:
    """What the learned player sees of the cards that it may play."""
    given: Any = rules_record, seen_game, look_around, describe
    if interpreted:
        kernels, agents = "big2_env.games.uno.kernels", "big2_agents.uno"
        given = (
            MODULE(f"{kernels}.dtypes").rules_record,
            MODULE(f"{agents}.view_moves").seen_game,
            MODULE(f"{agents}.features").look_around,
            MODULE(f"{agents}.features").describe,
        )
    record, seen_from, look, row = given
    r = record(view.rules)
    g, seen, x = seen_from(view, r, 3), [0.0] * 22, [0.0] * NUM_FEATURES
    if not interpreted:
        seen, x = np.zeros(22), np.zeros(NUM_FEATURES)  # type: ignore[assignment]
    look(r, g, seen)
    found = [float(one) for one in seen]
    for move in view.moves:
        if move < 60:
            row(r, g, seen, move if move % 15 < 13 else 60 + move % 15, move // 15, x)
            found += [float(one) for one in x]
    return found


@settings(max_examples=40)
@given(ANY_RULES, st.integers(0, 2**64 - 1))
def test_players__move_alike_interpreted_and_compiled(rules: UnoRules, seed: int) -> None:
    game, rng = UnoGame.deal(rules, seed), SplitMix64(seed)
    for _ in range(40):
        view = game.view()
        if not view.naming and len(view.hand) > 1:
            np.testing.assert_allclose(features(view, True), features(view, False), rtol=1e-12)
        for players in (INTERPRETED, COMPILED):
            assert players.learned(view) in view.moves
        assert INTERPRETED.learned(view) == COMPILED.learned(view)
        drawn = rng.next()
        assert INTERPRETED.rule_v1(view, drawn) == COMPILED.rule_v1(view, drawn)
        game.play(random_move(game, rng, cautious=True))
        if game.is_over:
            break


def test_search__moves_alike_interpreted_and_compiled() -> None:
    rng, asked = SplitMix64(4), 0
    for players in (2, 3, 5):
        game = UnoGame.deal(uno_rules("mattel", players=players), 3)
        while not game.is_over and len(game.history) < 25:
            view = game.view()
            if len(view.moves) > 1:
                guess, seed, asked = rng.next(), rng.next(), asked + 1
                assert INTERPRETED.search(view, guess, seed, 3) == COMPILED.search(view, guess, seed, 3)
            game.play(random_move(game, rng, cautious=True))
    assert asked > 25


def test_players__answer_threads_as_they_answer_one() -> None:
    views, rng = list[UnoView](), SplitMix64(1)
    for seed in range(8):
        game = UnoGame.deal(UnoRules(3), seed)
        for _ in range(10):
            views.append(game.view())
            game.play(random_move(game, rng, cautious=True))
    interval = sys.getswitchinterval()
    for players in (INTERPRETED, COMPILED):

        def moves(nth: int, players: ViewMoves = players) -> tuple[int, int]:
            view = views[nth % len(views)]
            return players.learned(view), players.rule_v1(view, nth)

        asked = range(len(views) * 5)
        alone = [moves(nth) for nth in asked]
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(4) as pool:
                assert list(pool.map(moves, asked)) == alone
        finally:
            sys.setswitchinterval(interval)


def test_players__answer_interpreted_until_compiled_kernels_are_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    known, asked = Compilation(lambda: None), list[bool]()
    makers = [lambda players=players: asked.append(players.is_compiled) or players for players in (INTERPRETED, COMPILED)]
    monkeypatch.setattr(view_players, "_SWITCH", Switch(known, *makers))
    view, player = UnoGame.deal(UnoRules(), 1).view(), uno_player("learned")
    first = seeded_move(player, view)
    assert known.spent > 0
    known.spend(PATIENCE)
    known.finish()
    assert seeded_move(player, view) == first
    assert asked == [False, True]


def test_players__need_no_numba_at_first(tmp_path: Path) -> None:
    program = """
import sys
from big2_env.games.uno import UnoGame, UnoRules
from big2_env.games.uno.players import uno_player
from big2_env.base.side_game import seeded_move
view = UnoGame.deal(UnoRules(3), 4).view()
print([seeded_move(uno_player(name), view) in view.moves for name in ("learned", "rule-v1")], "numba" in sys.modules)
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[True, True] False\n"
