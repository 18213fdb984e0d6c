"""Fishing games to be looked through."""

from __future__ import annotations

from big2_env.games.fishing.game import FishingGame
from big2_env.games.fishing.scene import scene
from big2_env.language import Language, language
from big2_env.show.replay_page import Replay

MAX_SHOWN = 2_000
"""Most plays of a game that are shown."""


def game_replay(game: FishingGame, title: str | None = None, *, lang: Language | None = None) -> Replay:
    """A game from its deal on with a scene for each of its moments, both hands open; of a long one the first plays.

    Args:
        game: the game; it is not changed.
        title: what it is called; by default the game's name.
        lang: the language; by default the user's.
    """
    chosen = language() if lang is None else lang
    again = FishingGame(game.rules, game.start)
    frames = [scene(again, open_hands=True, lang=chosen)]
    acts = []
    while again.loser is None and again.plays < MAX_SHOWN:
        made = again.play()
        frames.append(scene(again, [made], open_hands=True, lang=chosen))
        acts.append(next(seat.act for seat in frames[-1].seats if seat.act is not None))
    return Replay(title or frames[0].title, tuple(frames), tuple(acts))
