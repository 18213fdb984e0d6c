"""Scenes of Klondike: what the player may know, for renderers."""

from __future__ import annotations

from typing import Final

from big2_env.games.klondike.actions import act_text
from big2_env.games.klondike.cards import NUM_RANKS, NUM_SUITS, card_text, rank_of, suit_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.view import KlondikeView
from big2_env.language import Language, Words, language, words
from big2_env.scene import BACK, Area, CardFace, Scene

RANK_NAMES: Final = ("A", *map(str, range(2, 11)), "J", "Q", "K")
SUIT_NAMES: Final = ("club", "diamond", "heart", "spade")
LAST_EVENTS: Final = 8


def scene(source: KlondikeGame | KlondikeView, *, lang: Language | None = None, last: int = LAST_EVENTS) -> Scene:
    """What the player of a game of Klondike may know now.

    Args:
        source: the game, or the player's view of it, which knows no acts made.
        lang: the language; by default the user's.
        last: how many of the last acts are named.

    >>> shown = scene(KlondikeGame.deal(7), lang=Language.EN)
    >>> [area.key for area in shown.areas][:3], [len(area.cards) for area in shown.areas[-7:]]
    (['stock', 'waste', 'foundation_0'], [1, 2, 3, 4, 5, 6, 7])
    >>> shown.status
    'legal moves: 3'
    """
    tr = words(language() if lang is None else lang)
    view = source if isinstance(source, KlondikeView) else source.view()
    history = [] if isinstance(source, KlondikeView) else source.history
    is_stuck = not isinstance(source, KlondikeView) and len(view.acts) < 2 and source.is_stuck
    is_over = view.is_won or is_stuck
    ended = "side_tables.won" if view.is_won else "side_tables.stuck"
    moves = (tr("side_tables.moves", count=len(history)),) if history else ()
    return Scene(
        game="klondike",
        title=tr.name("game", "klondike"),
        language=tr.language,
        areas=(*_above(view, tr), *_piles(view, tr)),
        viewer=0,
        turn=None if is_over else 0,
        ply=len(history),
        status=tr(ended) if is_over else tr("side_tables.your_move", count=len(view.acts)),
        facts=(tr("side_tables.score", points=view.score), *moves),
        events=tuple(act_text(move.act) for move in history[max(0, len(history) - last) :]),
        is_over=is_over,
    )


def face(card: int, tr: Words) -> CardFace:
    """A card that lies face up."""
    rank, suit = RANK_NAMES[rank_of(card)], SUIT_NAMES[suit_of(card)]
    named = tr(f"cards.{suit}")
    return CardFace(card_text(card), rank, suit, f"{rank} of {named}" if tr.language is Language.EN else f"{named} {rank}")


def _above(view: KlondikeView, tr: Words) -> list[Area]:
    """Stock, dealt cards and foundations."""
    window = tuple(face(card, tr) for card in view.window)
    areas = [
        Area("stock", tr("side_tables.stock"), (), view.dealer - view.dealt, "pile"),
        Area("waste", tr("side_tables.waste"), window, view.dealt, "row"),
    ]
    for suit, count in zip(range(NUM_SUITS), view.foundations, strict=True):
        top = (face(suit * NUM_RANKS + count - 1, tr),) if count else ()
        areas.append(Area(f"foundation_{suit}", tr(f"cards.{SUIT_NAMES[suit]}"), top, count, "pile"))
    return areas


def _piles(view: KlondikeView, tr: Words) -> list[Area]:
    """The columns of the tableau."""
    return [
        Area(
            f"pile_{number}",
            tr("side_tables.tableau", number=number),
            (BACK,) * down + tuple(face(card, tr) for card in up),
            down + len(up),
            "column",
        )
        for number, (down, up) in enumerate(zip(view.down, view.up, strict=True), start=1)
    ]
