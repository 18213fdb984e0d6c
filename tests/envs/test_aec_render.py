"""What the environment of all seats prints: the log of the text format."""

from __future__ import annotations

import re

import pytest
from aec_states import moved
from drawn_position import DRAWN

from big2_env.envs import aec
from big2_env.notation.log import dumps
from big2_env.notation.transcript import Transcript


def test_render__is_the_log_of_the_text_format(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["水球", "Ann", "火球", "b_2"]
    ansi, human = (aec.raw_env(render_mode=mode, names=names) for mode in ("ansi", "human"))
    printed = ""
    for acts in (0, 1, 30, 10**6):
        moved(ansi, 9, acts)
        moved(human, 9, acts)
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
