"""Replays: games as a sequence of scenes, without evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, language, words
from big2_env.base.side_game import SideGame
from big2_env.drawing.replay_page import Replay
from big2_env.notation.transcript import Transcript, replay
from big2_env.text.climbing_scene import moves_of, scene
from big2_env.text.names import seat_words

MAX_SHOWN: Final = 2_000
"""Maximum number of moves in the replay of a game without decisions."""


def game_replay(
    transcript: Transcript,
    viewer: int | None = None,
    *,
    open_hands: bool = True,
    lang: Language | None = None,
    title: str | None = None,
    start: int = 0,
) -> Replay:
    """Return the replay of a climbing game.

    Args:
        transcript: The game and its players' names.
        viewer: Seat at the front of the table, and the viewer unless `open_hands` is set.
        open_hands: True to show all hands.
        lang: Language; None for the user's.
        title: Title; None for ruleset and players.
        start: Number of the move before which the replay starts.

    Raises:
        ConfigError: `viewer` or `start` does not exist.
    """
    game = transcript.game
    chosen = language() if lang is None else lang
    tr = words(chosen)
    names = seat_words(transcript.names, tr)
    if not 0 <= start <= len(game.history):
        raise ConfigError(f"expected a move from 0 to {len(game.history)}, got {start}")
    frames = tuple(scene(frame.game, viewer, open_hands=open_hands, names=names, lang=chosen, last=0) for frame in replay(game))
    called = title or tr("review.title", game=frames[0].title, names=", ".join(names))
    return Replay(called, frames, tuple(moves_of(game, tr)), start=start)


def side_replay(
    game: SideGame, title: str | None = None, *, names: Sequence[str] | None = None, lang: Language | None = None
) -> Replay:
    """Return the replay of a side game with all hands open.

    A game without decisions is played until it stops, up to `MAX_SHOWN` moves.

    Args:
        game: The game, over or not. It is not changed.
        title: Title; None for the game's name.
        names: Name of each seat; None for `player_0`, `player_1`, ...
        lang: Language; None for the user's.
    """
    chosen = language() if lang is None else lang
    tr, again = words(chosen), game.restarted()
    frames = [again.scene(open_hands=True, names=names, lang=chosen, last=0)]
    moves = (made.move for made in game.history) if game.has_choices else repeat(0, MAX_SHOWN)
    for move in moves:
        if again.is_stopped:
            break
        again.play(move)
        frames.append(again.scene(open_hands=True, names=names, lang=chosen, last=0))
    shown = tuple(game.shown_move(made, tr) for made in again.history)
    return Replay(title or frames[0].title, tuple(frames), shown)
