"""Environments as pictures: SVG and pixels, films by Gymnasium's recorder, and what happens without the extra."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RecordVideo
from PIL import Image

from big2_env.base import errors
from big2_env.base.language import Language, words
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import BIG2
from big2_env.drawing import raster, scene
from big2_env.drawing.raster import write_gif
from big2_env.envs import aec, screen
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.games.klondike.env import KlondikeEnv
from big2_env.games.uno import aec as uno
from big2_env.games.uno import scene as uno_scene
from big2_env.games.uno.seat_env import UnoSeatEnv
from big2_env.text.names import face

EN = words(Language.EN)


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIG2_LANG", "en")


def hidden(drawn: str, cards: int) -> bool:
    """True if none of these cards is named in a picture."""
    return not any(f'"{face(card, EN).name}"' in drawn for card in BIG2.deck.cards if cards >> card & 1)


MAKERS: list[tuple[Callable[..., Any], tuple[int, int, int]]] = [
    (lambda mode: aec.raw_env(render_mode=mode, engine="reference"), (600, 960, 3)),
    (lambda mode: SeatEnv("lowest", render_mode=mode, engine="reference"), (600, 960, 3)),
    (lambda mode: uno.raw_env(render_mode=mode, players=3), (600, 960, 3)),
    (lambda mode: UnoSeatEnv(render_mode=mode, players=3), (600, 960, 3)),
    (lambda mode: KlondikeEnv(render_mode=mode), (760, 860, 3)),
]


@pytest.mark.parametrize(("make", "shape"), MAKERS, ids=["aec", "seat", "uno", "uno-seat", "klondike"])
def test_render__draws_the_table_as_it_stands(make: Callable[..., Any], shape: tuple[int, int, int]) -> None:
    frames = []
    for mode in ("svg", "rgb_array"):
        env = make(mode)
        assert {"svg", "rgb_array"} <= set(env.metadata["render_modes"])
        assert env.metadata["render_fps"] > 0
        env.reset(seed=3)
        first = env.render()
        mask = env.action_masks() if hasattr(env, "action_masks") else env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[-1]))
        frames.append((first, env.render()))
        assert np.array_equal(env.render(), frames[-1][1])
    (svg, later), (pixels, moved) = frames
    assert svg.startswith("<svg ")
    assert svg != later
    assert pixels.shape == moved.shape == shape
    assert pixels.dtype == np.uint8
    assert (pixels != moved).any()
    assert np.array_equal(raster.pixels(svg), pixels)


def test_seat__draws_the_learners_hand_and_no_other() -> None:
    env = SeatEnv("lowest", seat=2, render_mode="svg", engine="reference")
    env.reset(seed=8)
    drawn, hands = env.render(), env.game.position.hands
    assert isinstance(drawn, str)
    assert "learner" in drawn
    assert all(hidden(drawn, hand) == (seat != 2) for seat, hand in enumerate(hands))
    open_table = aec.raw_env(render_mode="svg", engine="reference")
    open_table.reset(seed=8)
    assert not any(hidden(str(open_table.render()), hand) for hand in open_table.game.position.hands)


def test_uno_seat__draws_the_learners_hand_and_no_other() -> None:
    env = UnoSeatEnv(seat=1, players=3, render_mode="svg")
    env.reset(seed=8)
    drawn, own = str(env.render()), UnoSeatEnv(seat=1, players=3)
    shown = {uno_scene.face(card, EN).name for card in env.game.view(1).hand}
    top = uno_scene.face(env.game.discards[-1], EN).name
    for seat in (0, 2):
        hidden_faces = {uno_scene.face(card, EN).name for card in env.game.view(seat).hand} - shown
        assert not any(f'"{name}"' in drawn for name in hidden_faces - {top})
    assert all(f'"{name}"' in drawn for name in shown)
    own.reset(seed=8)
    assert own.game == env.game  # rendering changes nothing


@pytest.mark.parametrize("ruleset", ["big2", "dou_dizhu"])
@pytest.mark.parametrize("mode", ["self_play", "seat"])
@pytest.mark.parametrize("autoreset", AutoresetMode)
def test_vector__draws_games_without_a_winner(autoreset: AutoresetMode, mode: Any, ruleset: str) -> None:
    envs = BatchEnv(2, mode=mode, ruleset=ruleset, render_mode="svg", max_episode_steps=1, autoreset_mode=autoreset)
    _, infos = envs.reset(seed=1)
    legal, illegal = infos["action_mask"][0].argmax(), infos["action_mask"][1].argmin()
    *_, terminated, truncated, _ = envs.step(np.array([legal, illegal]))
    assert (terminated.tolist(), truncated.tolist()) == ([False, True], [True, True])
    assert envs.render().count(">won by") == 0


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_vector__draws_a_table_for_each_row(mode: str) -> None:
    envs = BatchEnv(3, mode=mode, render_mode="svg")
    envs.reset(seed=1)
    drawn = envs.render()
    assert isinstance(drawn, str)
    assert 'viewBox="0 0 2880 600"' in drawn
    hands = [envs.engine.position(row).hands for row in range(3)]
    seen = {card for row in range(3) for card in (hands[row] if mode == "self_play" else [hands[row][envs.engine.seat[row]]])}
    assert not any(hidden(drawn, hand) for hand in seen)
    pixels = BatchEnv(2, mode=mode, render_mode="rgb_array")
    with pytest.raises(gymnasium.error.ResetNeeded):
        pixels.render()
    pixels.reset(seed=1)
    frames = pixels.render()
    assert isinstance(frames, tuple)
    assert [frame.shape for frame in frames] == [(600, 960, 3)] * 2
    assert (frames[0] != frames[1]).any()
    with pytest.raises(errors.ConfigError, match="expected render_mode 'svg', 'rgb_array' or None, got 'ansi'"):
        BatchEnv(2, render_mode="ansi")


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_uno_vector__draws_a_table_for_each_row(mode: str) -> None:
    envs: Any = gymnasium.make_vec("big2/Uno-v0", num_envs=3, mode=mode, render_mode="svg", players=3)
    envs.reset(seed=1)
    assert 'viewBox="0 0 2880 600"' in envs.render()
    for row in range(3):
        shown = envs.scene(row)
        seen = [seat.seat for seat in shown.seats if seat.hand is not None]
        assert seen == ([0, 1, 2] if mode == "self_play" else [envs.engine.seat[row]])
        assert shown.viewer == (None if mode == "self_play" else envs.engine.seat[row])
        assert all(len(seat.hand) == seat.count for seat in shown.seats if seat.hand is not None)
    pixels = gymnasium.make_vec("big2/UnoSelfPlay-v0", num_envs=2, render_mode="rgb_array")
    pixels.reset(seed=1)
    assert [frame.shape for frame in pixels.render() or ()] == [(600, 960, 3)] * 2


class Clip:
    """What gymnasium's recorder hands its frames to, in place of moviepy's encoder."""

    made: list[Clip] = []  # noqa: RUF012  # what the test looks at

    def __init__(self, frames: list[Any], fps: int) -> None:
        self.frames, self.fps = frames, fps
        self.made.append(self)

    def write_videofile(self, path: str, logger: object = None) -> None:
        Path(path).write_bytes(b"film")


def record_game(folder: Path) -> int:
    """Film a short game with Gymnasium's recorder; returns how many acts it had."""
    position = Game.from_hands(BIG2, ["C[3] D[4] H[4]", "D[3] S[5]", "S[6] S[7]", "C[8] C[9]"]).position
    env = RecordVideo(SeatEnv("lowest", seat=0, render_mode="rgb_array", engine="reference"), str(folder), fps=2)
    _, info = env.reset(seed=2, options={"position": position})
    moves, is_over = 0, False
    while not is_over:
        _, _, is_over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        moves += 1
    env.close()
    return moves


def test_record_video__is_given_every_moment_of_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = ModuleType("moviepy.video.io.ImageSequenceClip")
    clip.ImageSequenceClip = Clip  # type: ignore[attr-defined]
    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, clip.__name__, clip)
    moves = record_game(tmp_path / "films")
    [film] = Clip.made
    assert film.fps == 2
    assert len(film.frames) == 1 + moves
    assert {frame.shape for frame in film.frames} == {(600, 960, 3)}
    assert (tmp_path / "films" / "rl-video-episode-0.mp4").exists()


if find_spec("moviepy") is not None:  # the extra `video`

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of moviepy and imageio
    def test_record_video__makes_a_film_that_can_be_read(tmp_path: Path) -> None:
        from imageio_ffmpeg import count_frames_and_secs

        moves = record_game(tmp_path / "films")
        frames, seconds = count_frames_and_secs(str(tmp_path / "films" / "rl-video-episode-0.mp4"))
        assert frames == 1 + moves
        assert seconds == pytest.approx(frames / 2, abs=0.6)


def test_render_modes__without_the_extra_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "has_rasteriser", lambda: False)
    for make in (lambda: SeatEnv(render_mode="rgb_array"), lambda: KlondikeEnv(render_mode="rgb_array")):
        with pytest.raises(TypeError, match=r"rgb_array.*pip install 'big2_env\[pictures\]'") as error:
            make()
        assert isinstance(error.value, errors.ConfigError)  # and a TypeError, on which make_vec_env makes one without pictures
    assert KlondikeEnv(render_mode="svg").render_mode == "svg"
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"pip install 'big2_env\[pictures\]'"):
        raster.png("<svg xmlns='http://www.w3.org/2000/svg'/>")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install 'big2_env\[pictures\]'"):
        write_gif("film.gif", [])


RENDERED = """
import sys, warnings
if sys.argv[1] == "without":
    sys.modules["resvg_py"] = None
from pettingzoo.test import render_test
from big2_env.envs import aec, seat, vector
from big2_env.games.klondike.env import KlondikeEnv
from big2_env.games.uno import aec as uno, seat_env
for kind in (aec.raw_env, uno.raw_env, seat.SeatEnv, seat_env.UnoSeatEnv, KlondikeEnv, vector.BatchEnv):
    print(*kind.metadata["render_modes"])
warnings.simplefilter("ignore")  # of PettingZoo, about modes of its own
sys.stdout = open(sys.argv[2], "w")
for kind in (lambda **given: aec.raw_env(engine="reference", **given), uno.raw_env):
    render_test(kind)
"""


@pytest.mark.parametrize(("extra", "pixels"), [("with", " rgb_array"), ("without", "")])
def test_render_modes__are_those_that_can_be_rendered(extra: str, pixels: str, tmp_path: Path) -> None:
    """In a process of its own, where the extra `pictures` cannot be imported, and in one where it can."""
    done = subprocess.run(
        [sys.executable, "-c", RENDERED, extra, str(tmp_path / "rendered")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"human ansi svg{pixels}\n" * 5 + f"svg{pixels}\n"


def test_film__shows_every_scene(tmp_path: Path) -> None:
    game = Game.deal(BIG2, seed=7)
    scenes = [scene(game, open_hands=True)]
    for _ in range(4):
        game.push(next(iter(game.legal_plays())))
        scenes.append(scene(game, open_hands=True))
    path = tmp_path / "game.gif"
    assert write_gif(path, iter(scenes), fps=2, width=480) == 5
    with Image.open(path) as film:
        assert (getattr(film, "n_frames", 1), film.size, film.info["duration"]) == (5, (480, 300), 500)
    for shown, fps, said in ((scenes, 0, "expected more than 0"), ([], 2, "at least one picture")):
        with pytest.raises(errors.ConfigError, match=said):
            write_gif(path, shown, fps)
