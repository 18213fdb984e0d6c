"""Replays: a game with a scene for each of its positions, without comments."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Final

from big2_env.errors import ConfigError
from big2_env.language import Language, language, words
from big2_env.notation.transcript import Transcript, replay
from big2_env.show.replay_page import Replay
from big2_env.side_game import SideGame
from big2_env.text.climbing_scene import acts_of, scene
from big2_env.text.names import seat_words

MAX_SHOWN: Final = 2_000
"""Most moves that the replay of a game without choices has."""


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
        viewer: Who sits in front; without open hands, whose eyes this is.
        open_hands: True to show all hands.
        lang: The language; by default the user's.
        title: The title; by default ruleset and players.
        start: The position that is shown first.

    Raises:
        ConfigError: no such seat, or no such position.
    """
    game = transcript.game
    chosen = language() if lang is None else lang
    tr = words(chosen)
    names = seat_words(transcript.names, tr)
    if not 0 <= start <= len(game.history):
        raise ConfigError(f"expected a move from 0 to {len(game.history)}, got {start}")
    frames = tuple(scene(frame.game, viewer, open_hands=open_hands, names=names, lang=chosen, last=0) for frame in replay(game))
    called = title or tr("review.title", game=frames[0].title, names=", ".join(names))
    return Replay(called, frames, tuple(acts_of(game, tr)), start=start)


def side_replay(
    game: SideGame, title: str | None = None, *, names: Sequence[str] | None = None, lang: Language | None = None
) -> Replay:
    """Return the replay of a side game, all hands open. A game without choices is played to its end, or `MAX_SHOWN` moves.

    Args:
        game: The game, over or not; it is not changed.
        title: The title; by default the game's name.
        names: A name for each seat; by default `player_0`, `player_1`, ...
        lang: The language; by default the user's.
    """
    chosen = language() if lang is None else lang
    tr, again = words(chosen), game.restarted()
    frames = [again.scene(open_hands=True, names=names, lang=chosen, last=0)]
    moves = (made.move for made in game.history) if game.has_choices else repeat(0, MAX_SHOWN)
    for move in moves:
        if again.is_over:
            break
        again.play(move)
        frames.append(again.scene(open_hands=True, names=names, lang=chosen, last=0))
    acts = tuple(game.shown_move(made, tr) for made in again.history)
    return Replay(title or frames[0].title, tuple(frames), acts)
