"""Klondike as its users meet it: the environment, records, the terminal."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from klondike_states import state_of
from run_cli import run_cli

import big2_env  # registers the environment
from big2_env import ConfigError, IllegalPlayError, NotationError
from big2_env.games.klondike import (
    KlondikeGame,
    cards_text,
    move_of,
    parse_move,
)
from big2_env.games.klondike.env import KlondikeEnv
from big2_env.notation.side_records import SideRecord, dump, dumps, load
from big2_env.tables.prompt import side_play
from big2_env.testing import check_masks

assert big2_env
AGAIN = r"kept in .*\nto continue: big2 klondike play --resume .*\nthe same deal again: big2 klondike play --seed 7\n$"
"""What leaving a game prints last, as a pattern."""


def test_env__keeps_gymnasiums_and_our_laws() -> None:
    env: Any = gymnasium.make("big2/Klondike-v0", max_moves=150)
    assert isinstance(env.unwrapped, KlondikeEnv)
    check_env(env.unwrapped, skip_render_check=True)
    assert check_masks(env, games=3, legal=lambda env: set(env.unwrapped.game.legal_moves())) > 100
    assert env.observation_space.shape == (1910,)
    env.close()


def test_env__shows_the_view_and_pays_the_score() -> None:
    env = KlondikeEnv(reward="score", render_mode="ansi", on_illegal="raise", max_moves=400)
    rng = np.random.default_rng(0)
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            view, windows = env.game.view(), env.layout.named(observation)
            assert windows["up"].sum() == sum(map(len, view.up))
            assert np.flatnonzero(windows["dealer"].any(0)).tolist() == sorted(view.seen)
            assert windows["window"].argmax(1)[: len(view.window)].tolist() == list(reversed(view.window))
            assert [windows[name].sum() for name in ("down", "foundations", "dealt", "left")] == [
                sum(view.down),
                sum(view.foundations),
                view.dealt,
                view.dealer,
            ]
            assert env.render() == view.text()
            before = env.game.state
            with pytest.raises(IllegalPlayError, match=r"^action \d+: "):
                env.step(np.flatnonzero(info["action_mask"] == 0)[-1])
            assert env.game.state is before
            legal = np.flatnonzero(info["action_mask"])
            move = rng.choice(legal[1:]) if len(legal) > 1 and rng.random() < 0.8 else legal[0]
            observation, reward, terminated, truncated, info = env.step(move)
            total, done = total + reward, terminated or truncated
        assert total == env.game.score == info["score"]
        assert terminated == (env.game.is_won or info.get("stuck", False))
        assert not info["action_mask"].any()
    env = KlondikeEnv()
    env.reset(options={"deck": cards_text(range(52))})
    assert env.game.deck == tuple(range(52))
    assert env.step(move_of(51, 0))[1:3] == (-1.0, True)


def test_first_answers__of_a_process_need_no_compiled_code() -> None:
    """A verdict and a hint load no numpy either."""
    code = """
import sys
from big2_env.games.klondike import KlondikeGame
from big2_env.games.klondike.hint import hint
from big2_env.games.klondike.solver import solve
game = KlondikeGame.deal(6)
game.play_all([0] * 24)
print(solve(game.start).verdict, hint(game.view(), samples=5).samples, {"numpy", "numba"} & set(sys.modules))
import gymnasium
import big2_env
env = gymnasium.make("big2/Klondike-v0")
_, info = env.reset(seed=1)
for _ in range(20):
    info = env.step(info["action_mask"].argmax())[4]
print(env.unwrapped.game.history[-1], "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True)
    assert done.stdout == "winnable 5 set()\ndeal False\n"


def test_env__pays_one_for_a_win() -> None:
    env = KlondikeEnv()
    env.reset()
    env.game.state = state_of("(2C) 9H | TS", "5H 6H 7H")
    _, reward, terminated, truncated, info = env.step(parse_move("9H>2"))
    assert (reward, terminated, truncated, info["is_won"], info["score"]) == (1.0, True, False, True, 170)


def test_records__come_back_the_same_and_contradictions_are_refused(tmp_path: Path) -> None:
    rng, games = random.Random(3), []
    for seed in range(3):
        game = KlondikeGame.deal(seed)
        for _ in range(60):
            game.play(rng.choice(game.legal_moves()))
        games.append(SideRecord(game, {"seed": seed}))
    path = tmp_path / "games.jsonl"
    with path.open("w") as file:
        assert dump(games, file) == 3
    for record, again in zip(games, load(path.read_text(), KlondikeGame), strict=True):
        assert (again.game.state, again.game.history, again.extra) == (record.game.state, record.game.history, record.extra)
    assert run_cli("klondike", "replay", str(path)) == (0, "records replayed: 3; all agree with the rules\n", "")
    good = json.loads(dumps(games[0]))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"score": good["score"] + 5}, "score .*: the moves give"),
        ({"won": 0}, "won '0': the moves give 'false'"),
        ({"acts": ["AC>F", *good["acts"]]}, "move 1: AC cannot be taken"),
        ({"acts": ["XC>F"]}, "move 1: expected a card"),
        ({"deck": "AC AC"}, "each of the 52 cards once, got 2 cards"),
        ({"schema": 2}, "expected game klondike, schema 1"),
        ({"schema": True}, "expected game klondike, schema 1"),
    ]
    for change, message in wrong:
        with pytest.raises(NotationError, match=f"^line 1: .*{message}"):
            list(load(json.dumps(good | change), KlondikeGame))
    with pytest.raises(ConfigError, match="extra key deck"):
        SideRecord(games[0].game, {"deck": 1})


def test_cli__deals_and_plays(tmp_path: Path) -> None:
    status, out, err = run_cli("klondike", "deal", "--seed", "7", "--acts", "deal*25 AH>F", "--reveal")
    assert (status, err) == (0, "")
    assert "foundations -- -- AH --   score 20" in out
    assert "still a way? yes: " in out
    assert "pile 2: (" in out
    path = tmp_path / "mine.jsonl"
    turns = "?\ncheck\nd\nAH\nu\nAH>F\n5H>5\nXX\nKD>1\nq\n"
    status, out, err = run_cli("klondike", "play", "--seed", "7", "--record", str(path), stdin=turns)
    assert (status, err) == (0, "")
    assert "taken back: AH>F +20" in out
    assert "'XX'? moves (" in out
    assert re.search(
        r"> stopped, score 25, 3 moves\n" + AGAIN,
        out,
    )
    (record,) = load(path.read_text(), KlondikeGame)
    assert [str(move) for move in record.game.history] == ["deal", "AH>F +20", "5H>5 +5"]
    for arguments, message in [
        (["deal", "--acts", "KS>1"], "move 1, KS>1: KS cannot be taken"),
        (["deal", "--deck", "AC"], "each of the 52 cards once, got 1 cards"),
    ]:
        status, _, err = run_cli("klondike", *arguments)
        assert status == 2
        assert message in err


def test_play__what_a_hint_prints_and_what_people_type__is_understood() -> None:
    typed = "deal*7 deal\nundo\nUNDO\nHELP\n5h > 99\nQ\n"
    found = run_cli("klondike", "play", "--seed", "7", stdin=typed)
    assert found.status == 0
    assert found.out.count("taken back: ") == 2
    assert "5H>99" in found.out or "got '5h>99'" in found.out
    assert re.search(
        r"stopped, score 0, 6 moves\n" + AGAIN,
        found.out,
    )


def test_play__moves_of_which_one_cannot_be_done__are_not_done_at_all() -> None:
    found = run_cli("klondike", "play", "--seed", "7", stdin="deal*3 KS>F\nq\n")
    assert "KS>F: " in found.out
    assert found.out.endswith("stopped, score 0, 0 moves\nthe same deal again: big2 klondike play --seed 7\n")


class Interrupted(StringIO):
    """A person who types a line and then Ctrl-C."""

    def readline(self, size: int | None = -1) -> str:
        line = super().readline(-1 if size is None else size)
        if not line:
            raise KeyboardInterrupt
        return line


def test_play__ctrl_c__keeps_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    monkeypatch.setattr(side_play, "standard_input", lambda: Interrupted("d\nd\n"))
    said = run_cli("klondike", "play", "--seed", "7", "--record", str(path)).out
    assert re.search(
        r"stopped, score 0, 2 moves\n" + AGAIN,
        said,
    )
    assert run_cli("klondike", "replay", str(path)).out == "records replayed: 1; all agree with the rules\n"


@pytest.mark.parametrize("place", ["/", "/no/such/folder/a.jsonl"])
def test_play__a_record_that_cannot_be_written__is_said_before_the_game(place: str) -> None:
    found = run_cli("klondike", "play", "--seed", "7", "--record", place, stdin="d\nq\n")
    assert (found.status, found.out) == (2, "")
    assert found.err.count("\n") == 1
