"""What the environment of all seats prints: the log of the text format."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy

import pytest
from aec_states import moved
from drawn_position import DRAWN

from big2_env import BIG2, ConfigError, IllegalPlayError
from big2_env.envs import aec
from big2_env.envs.seat import SeatEnv
from big2_env.notation import log_reader
from big2_env.notation.log import BAD_PASS, BAD_PLAY, COMMA, dumps
from big2_env.notation.transcript import Transcript


def test_render__is_the_log_of_the_text_format(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["水球", "Ann", "火球", "b_2"]
    ansi, human = (aec.raw_env(render_mode=mode, names=names) for mode in ("ansi", "human"))
    printed = ""
    for moves in (0, 1, 30, 10**6):
        moved(ansi, 9, moves)
        moved(human, 9, moves)
        assert human.render() is None
        printed = capsys.readouterr().out
        assert ansi.render() == dumps(Transcript(ansi.game, names)) == printed
        assert ansi.render() == ansi.render()
    assert re.search(r"遊戲結束,遊戲的勝利者為 (水球|Ann|火球|b_2)\n$", printed)
    moved(human, 9, 5)
    assert capsys.readouterr().out == moved(ansi, 9, 5).render()  # as it happens: nobody called render


def test_render__of_a_set_up_position_begins_there() -> None:
    env = aec.raw_env(render_mode="ansi")
    env.reset(options={"position": DRAWN})
    assert env.render() == "輪到player_2了\n0    1    2\nD[8] H[8] C[A]\n"


def test_render__without_a_mode_is_warned_about() -> None:
    env = moved(aec.raw_env(), 1, 0)
    with pytest.warns(UserWarning, match=r"render\(\) without a render mode shows nothing"):
        assert env.render() is None
    env.close()
    env.close()


def test_render__keeps_refused_moves_as_big2_run_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    """The same game, the same attempts, once in the environment and once as text."""
    names = ["水球", "Ann", "火球", "b_2"]
    for engine in ("reference", "compiled"):
        ansi, human = (aec.raw_env(render_mode=mode, names=names, engine=engine) for mode in ("ansi", "human"))
        capsys.readouterr()
        for env in (ansi, human):
            env.reset(seed=9)
            while env.agents and not all(env.terminations.values()):
                legal = env.legal_ids()
                for action in {0, env.actions.n - 1}.difference(legal):
                    with pytest.raises(IllegalPlayError):
                        env.step(action)
                with pytest.raises(ConfigError):
                    env.step(env.actions.n)
                env.step(legal[-1])
        printed = capsys.readouterr().out
        assert ansi.render() == printed
        assert printed.count(BAD_PASS) > 1
        assert printed.count(BAD_PLAY.format(comma=COMMA)) > 3
        transcript = log_reader.loads(printed, BIG2, names).transcript
        assert transcript.game == ansi.game
        assert dumps(transcript) == printed
        ansi.reset(seed=10)
        assert BAD_PASS not in ansi.render()


def test_render__keeps_the_illegal_move_that_ends_an_episode() -> None:
    wrapped = aec.env(render_mode="ansi")
    wrapped.reset(seed=9)
    wrapped.step(0)
    assert all(wrapped.terminations.values())
    seat = SeatEnv(render_mode="ansi", seat=0)
    seat.reset(seed=9)
    raising = SeatEnv(render_mode="ansi", seat=0, on_illegal="raise")
    raising.reset(seed=9)
    illegal = int(seat.action_masks().argmin())
    assert seat.step(illegal)[2]
    with pytest.raises(IllegalPlayError):
        raising.step(illegal)
    for env in (wrapped, seat, raising):
        *_, refused, _, hand, end = env.render().split("\n")
        assert refused in (BAD_PASS, BAD_PLAY.format(comma=COMMA))
        assert f"\n{hand}\n{refused}\n" in env.render()
        assert end == ""
        env.reset(seed=9)
        assert refused not in env.render()


def test_render__keeps_refused_moves_in_copies() -> None:
    env = aec.raw_env(render_mode="ansi")
    env.reset(seed=9)
    with pytest.raises(IllegalPlayError):
        env.step(0)
    for copy in (deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert copy.render() == env.render()
        copy.step(copy.legal_ids()[0])
        assert copy.render().startswith(env.render())
        assert BAD_PASS in copy.render()
