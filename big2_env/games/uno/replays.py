"""Games of UNO to be looked through."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.scene import scene, shown_act
from big2_env.language import Language, language, words
from big2_env.show.replay_page import Replay


def game_replay(
    game: UnoGame, title: str | None = None, *, names: Sequence[str] | None = None, lang: Language | None = None
) -> Replay:
    """A game with a scene for each of its moments, all hands open.

    Args:
        game: the game, over or not; it is not changed.
        title: what it is called; by default UNO.
        names: a name for each seat; by default `player_0`, `player_1`, ...
        lang: the language; by default the user's.
    """
    chosen = language() if lang is None else lang
    tr = words(chosen)
    again = UnoGame(game.rules, game.deck, game.stream)
    frames = [scene(again, open_hands=True, names=names, lang=chosen, last=0)]
    for move in game.history:
        again.play(move.act)
        frames.append(scene(again, open_hands=True, names=names, lang=chosen, last=0))
    acts = tuple(shown_act(move.seat, move.act, tr) for move in game.history)
    return Replay(title or frames[0].title, tuple(frames), acts)
