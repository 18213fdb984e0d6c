"""Acts as numbers, 62 of them, the same under every set of rules.

| ids | act |
| --- | --- |
| 0 to 59 | play the card `colour * 15 + face`; a wild card stands under the colour that it names |
| 60 | draw |
| 61 | keep the card just drawn |

While the first player names the colour of a wild card turned up, the acts are 13, 28, 43 and 58. Where blank fits any colour a
wild card names none and stands under red. Ids 0 to 60 are in the order of RLCard's, with the colours in another order.
"""

from __future__ import annotations

from typing import Final

from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.games.uno.cards import LETTERS, NUM_COLOURS, NUM_FACES, WILD, Colour, card_of, card_text, parse_card

DRAW: Final = NUM_COLOURS * NUM_FACES
KEEP: Final = DRAW + 1
NUM_ACTS: Final = KEEP + 1


def play_of(card: int, colour: int = Colour.RED) -> int:
    """The act of playing a card; `colour` is the one that a wild card names."""
    return card if card < DRAW else card_of(colour, card % NUM_FACES)


def played_card(act: int) -> int:
    """The card that an act below `DRAW` takes out of the hand."""
    return act if act % NUM_FACES < WILD else card_of(Colour.BLANK, act % NUM_FACES)


def act_text(act: int) -> str:
    """An act in notation.

    >>> act_text(7), act_text(29), act_text(DRAW)
    ('R[7]', 'W[+4] Y', 'draw')
    """
    if act >= DRAW:
        return "draw" if act == DRAW else "keep"
    card = played_card(act)
    return card_text(card) if card == act else f"{card_text(card)} {LETTERS[act // NUM_FACES]}"


def parse_act(text: str) -> int:
    """The act of a text.

    Raises:
        NotationError: there is none.

    >>> parse_act("W[+4] Y"), parse_act("keep")
    (29, 61)
    """
    if text in ("draw", "keep"):
        return DRAW if text == "draw" else KEEP
    name, blank, letter = text.partition(" ")
    card = parse_card(name)
    if card < DRAW and not blank:
        return card
    if card < DRAW or len(letter) != 1 or letter not in LETTERS[:NUM_COLOURS]:
        raise NotationError(f"expected a card, a wild card with R, Y, B or G, draw, or keep, got {quoted(text)}")
    return play_of(card, LETTERS.index(letter))


def check_act(act: int) -> int:
    """The number given, once it is an act's.

    Raises:
        ConfigError: it is none.
    """
    if not 0 <= act < NUM_ACTS:
        raise ConfigError(f"expected an action of 0 to {NUM_ACTS - 1}, got {act}")
    return act
