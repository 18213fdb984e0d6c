"""A game by rounds (回合): chains of tricks in which each new lead beats the last play of the trick before.

The first one is the preparatory round (預備回合): the decisions of the auction, or in other games each seat's lowest card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from big2_env.cards import Card
from big2_env.climbing.events import Dealt, Passed, Played, Said, TrickOpened
from big2_env.climbing.game import Game
from big2_env.climbing.play import PASS, Play

Round: TypeAlias = tuple[tuple[int, Play], ...]
"""The acts of a round in order, each a seat and what it did; passes are among them."""


@dataclass(frozen=True)
class Rounds:
    """A game by rounds."""

    said: tuple[Said, ...]
    """The decisions of the present deal's auction; none in games without one."""
    lowest: tuple[Card | None, ...]
    """Each seat's lowest dealt card, `None` for no cards; empty in games with an auction."""
    rounds: tuple[Round, ...]
    """The rounds that were played."""


def rounds_of(game: Game) -> Rounds:
    """The rounds of a game.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> game = Game.deal(BIG2, seed=7)
    >>> for cards in ("C[3]", "", "", "", "S[3]"):
    ...     _ = game.play(cards)
    >>> [[str(play) for _, play in acts] for acts in rounds_of(game).rounds]
    [['single C[3]', 'pass', 'pass', 'pass', 'single S[3]']]
    """
    order = game.ruleset.order
    said: list[Said] = []
    rounds: list[list[tuple[int, Play]]] = []
    lowest: tuple[Card | None, ...] = ()
    is_lead, last = False, None
    for event in game.events:
        match event:
            case Dealt(hands):
                said.clear()
                lowest = tuple(order.lowest(hand) if hand else None for hand in hands)
            case Said():
                said.append(event)
            case TrickOpened():
                is_lead = True
            case Played(seat, play):
                if not rounds or (is_lead and not (last is not None and game.ruleset.covers(play, last))):
                    rounds.append([])
                rounds[-1].append((seat, play))
                is_lead, last = False, play
            case Passed(seat):
                if not rounds:
                    rounds.append([])
                rounds[-1].append((seat, PASS))
            case _:
                pass
    return Rounds(tuple(said), () if game.ruleset.auction is not None else lowest, tuple(map(tuple, rounds)))
