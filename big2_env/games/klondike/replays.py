"""Games of Klondike to be looked through."""

from __future__ import annotations

from big2_env.games.klondike.actions import FOUNDATION, move_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.scene import face, scene
from big2_env.language import Language, Words, language, words
from big2_env.scene import ShownAct
from big2_env.show.replay_page import Replay


def game_replay(game: KlondikeGame, title: str | None = None, *, lang: Language | None = None, start: int = 0) -> Replay:
    """A game with a scene for each of its moments, as the player saw it.

    Args:
        game: the game, over or not; it is not changed.
        title: what it is called; by default Klondike.
        lang: the language; by default the user's.
        start: the moment that is shown first.
    """
    chosen = language() if lang is None else lang
    tr = words(chosen)
    again = game.restarted()
    frames = [scene(again, lang=chosen, last=0)]
    for move in game.history:
        again.play(move.act)
        frames.append(scene(again, lang=chosen, last=0))
    return Replay(title or frames[0].title, tuple(frames), tuple(_act(move.act, tr) for move in game.history), start=start)


def _act(act: int, tr: Words) -> ShownAct:
    move = move_of(act)
    if move is None:
        return ShownAct(0, tr("side_play.deal"), (), "say")
    to_pile = tr("side_tables.tableau", number=move.target + 1)
    return ShownAct(0, tr("replay.foundation") if move.target == FOUNDATION else to_pile, (face(move.card, tr),))
