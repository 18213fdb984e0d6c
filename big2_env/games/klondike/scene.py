"""Klondike on screen: scenes, terminal texts and the rules in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from big2_env.base.language import Language, Words, language, words
from big2_env.base.scene import BACK, Area, CardFace, RulesPage, Scene, ShownMove
from big2_env.games.klondike.cards import FOUNDATION, NUM_RANKS, NUM_SUITS, card_move, card_text, move_text, rank_of, suit_of
from big2_env.games.klondike.check import Alive
from big2_env.games.klondike.view import KlondikeView

RANK_NAMES: Final = ("A", *map(str, range(2, 11)), "J", "Q", "K")
SUIT_NAMES: Final = ("club", "diamond", "heart", "spade")
LAST_EVENTS: Final = 8


def view_scene(
    view: KlondikeView,
    history: Sequence[Any] = (),
    *,
    is_stuck: bool = False,
    lang: Language | None = None,
    last: int = LAST_EVENTS,
) -> Scene:
    """Return the scene of a view.

    Args:
        view: The player's view.
        history: Moves so far; each has an attribute `move`.
        is_stuck: True if only deals are left and every card of the dealer area has been seen.
        lang: Language; by default the user's.
        last: Number of recent moves to include as events.
    """
    tr = words(language() if lang is None else lang)
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
        status=tr(ended) if is_over else tr("side_tables.your_move", count=len(view.moves)),
        facts=(tr("side_tables.score", points=view.score), *moves),
        events=tuple(move_text(made.move) for made in history[max(0, len(history) - last) :]),
        is_over=is_over,
    )


def shown_move(move: int, tr: Words) -> ShownMove:
    """Return a move in the form that screens show."""
    moved = card_move(move)
    if moved is None:
        return ShownMove(0, tr("side_play.deal"), (), "say")
    to_pile = tr("side_tables.tableau", number=moved.target + 1)
    return ShownMove(0, tr("replay.foundation") if moved.target == FOUNDATION else to_pile, (face(moved.card, tr),))


def face(card: int, tr: Words) -> CardFace:
    """Return a face-up card."""
    rank, suit = RANK_NAMES[rank_of(card)], SUIT_NAMES[suit_of(card)]
    named = tr(f"cards.{suit}")
    return CardFace(card_text(card), rank, suit, f"{rank} of {named}" if tr.language is Language.EN else f"{named} {rank}")


def _above(view: KlondikeView, tr: Words) -> list[Area]:
    """Return the areas above the tableau: stock, dealt cards and foundations."""
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
    """Return the piles of the tableau."""
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


def view_text(view: KlondikeView, tr: Words) -> str:
    """Return the view as terminal text. In English it equals `view.text()`."""
    tops = ["--" if not count else card_text(suit * 13 + count - 1) for suit, count in enumerate(view.foundations)]
    first = tr(
        "klondike.position",
        window=" ".join(map(card_text, view.window)) or "--",
        dealt=view.dealt,
        dealer=view.dealer,
        tops=" ".join(tops),
        score=view.score,
    )
    return "\n".join([first, *view.text().split("\n")[1:]])


def check_text(found: Alive, tr: Words) -> str:
    """Return the answer of the published check in words.

    In Chinese these are the two lines that the article's program prints. It names no card, and gives no reason for a negative
    answer. In English the text is `str(found)`.
    """
    if not found.alive:
        return tr("klondike.no_live_move")
    why = tr(f"klondike.{found.branch.name.lower()}")
    if found.card is not None and tr.language is Language.EN:
        why += f" ({card_text(found.card)})"
    return tr("klondike.live_move", why=why)


SUBJECTS: Final = {
    "aim": ("aim",),
    "cards": ("deal",),
    "turns": ("pile", "king", "foundation", "back", "dealer", "turn"),
    "score": ("score", "bonus"),
}
"""Text keys of the rules, by subject."""


def rules_page(lang: Language | None = None) -> RulesPage:
    """Return the rules of Klondike in words, by default in the user's language."""
    tr = words(language() if lang is None else lang)
    topics = {subject: [tr(f"rules_klondike.{name}") for name in names] for subject, names in SUBJECTS.items()}
    return RulesPage.of("klondike", tr.name("game", "klondike"), topics, tr)
