"""A game of Klondike in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from big2_env.errors import IllegalPlayError
from big2_env.games.klondike.actions import acts_text
from big2_env.games.klondike.cards import card_text
from big2_env.games.klondike.check import Alive, Branch
from big2_env.games.klondike.view import KlondikeView
from big2_env.language import Language, Words

if TYPE_CHECKING:
    from big2_env.games.klondike.hint import Hint

_BRANCHES: Final = {
    Branch.ACE: "klondike.ace",
    Branch.DEALER_FITS: "klondike.dealer_fits",
    Branch.RUN_FITS: "klondike.run_fits",
    Branch.FOUNDATION: "klondike.foundation",
}


def view_text(view: KlondikeView, tr: Words) -> str:
    """The view for a terminal; in English it is `view.text()`."""
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


def refusal_text(error: IllegalPlayError, tr: Words) -> str:
    """Why an act cannot be done; errors are in English, so other languages say no more than that."""
    return str(error) if tr.language is Language.EN else tr("klondike.refused")


def hint_text(found: Hint | None, tr: Words) -> str:
    """A hint in a line."""
    if found is None:
        return tr("klondike.no_hint")
    plan = acts_text(found.acts)
    if not found.samples:
        return tr("klondike.hint_deal", plan=plan)
    return tr("klondike.hint", plan=plan, wins=found.wins, samples=found.samples)


def check_text(found: Alive, tr: Words) -> str:
    """Return what the published check says: in Chinese the two lines of the article's program, in English `str(found)`.

    The article names no card, and gives no reason if it finds no live move.
    """
    if not found.alive:
        return tr("klondike.no_live_move")
    why = tr(_BRANCHES[found.branch])
    if found.card is not None and tr.language is Language.EN:
        why += f" ({card_text(found.card)})"
    return tr("klondike.live_move", why=why)
