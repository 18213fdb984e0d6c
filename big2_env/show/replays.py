"""Climbing games to be looked through, with nothing said about them."""

from __future__ import annotations

from big2_env.errors import ConfigError
from big2_env.language import Language, language, words
from big2_env.notation.replay import replay
from big2_env.notation.transcript import Transcript
from big2_env.show.replay_page import Replay
from big2_env.text.climbing_scene import acts_of, scene
from big2_env.text.names import seat_words


def game_replay(
    transcript: Transcript,
    viewer: int | None = None,
    *,
    open_hands: bool = True,
    lang: Language | None = None,
    title: str | None = None,
    start: int = 0,
) -> Replay:
    """A game with a scene for each of its moments.

    Args:
        transcript: the game and its players' names.
        viewer: who sits in front; without open hands, whose eyes this is.
        open_hands: True if all hands lie open.
        lang: the language; by default the user's.
        title: what the game is called; by default its ruleset and its players.
        start: the moment that is shown first.

    Raises:
        ConfigError: no such seat, or no such moment.
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
