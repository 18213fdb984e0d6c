"""The article's automatic player: same face, then same colour, then a wild card, else it draws."""

from __future__ import annotations

from big2_env.games.uno.actions import DRAW, play_of
from big2_env.games.uno.cards import NUM_COLOURS, SKIP, WILD, WILD_FOUR, Colour, card_of, colour_of, face_of, is_wild
from big2_env.games.uno.rules import UnoRules
from big2_env.games.uno.view import UnoView

PLAIN = card_of(Colour.BLANK, WILD)
FOUR = card_of(Colour.BLANK, WILD_FOUR)


def automatic_act(view: UnoView) -> int:
    """What the automatic player does, one of `view.acts`."""
    named = most_frequent(view.hand)
    if view.naming:
        return play_of(PLAIN, named)
    if view.drawn is not None:
        return play_of(view.drawn, _named(view, named))
    card = automatic_card(view.rules, view.hand, view.colour, view.face)
    return DRAW if card is None else play_of(card, _named(view, named))


def _named(view: UnoView, colour: int) -> int:
    return Colour.RED if view.rules.blank_is_any else colour


def automatic_card(rules: UnoRules, hand: tuple[int, ...], colour: int, face: int) -> int | None:
    """The card that it plays on a colour and a face, from a hand in the order of drawing; `None` where it draws."""
    same_face = [card for card in hand if face_of(card) == face]
    matched = face > 0 or rules.match_zero
    if face >= WILD:  # a wild four only where it is legal whatever else is held
        matched = rules.match_wild and (face == WILD or rules.wild_four == "free")
    if same_face and matched:
        return same_face[0]
    same = [card for card in hand if not is_wild(card) and colour in (colour_of(card), Colour.BLANK)]
    if same:
        if rules.colour_order == "draw_order":
            return same[0]
        actions_first = rules.colour_order == "actions_first"
        return min(same, key=lambda card: (face_of(card) >= SKIP) is not actions_first)  # the first of the smallest
    wild = [card for card in hand if is_wild(card)]
    if rules.wild_order != "draw_order" or rules.wild_four == "last_resort":
        plain_first = rules.wild_order == "wild_first" or rules.wild_four == "last_resort"
        wild.sort(key=lambda card: (card == FOUR) is plain_first)  # keeps the order of drawing else
    return wild[0] if wild else None


def most_frequent(hand: tuple[int, ...]) -> int:
    """The colour of which a hand has most cards, the first of them in the colours' order."""
    return max(range(NUM_COLOURS), key=lambda colour: sum(colour_of(card) == colour for card in hand))
