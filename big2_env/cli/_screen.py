"""What `big2 play` shows: a seat's view as rich text, which is plain text where there are no colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from big2_env.cards import Card, Suit, iter_cards
from big2_env.climbing.events import Event, Passed, Played, Redealt, Refilled, Said, SeatOut, StakeMultiplied, TrickWon
from big2_env.climbing.hand_order import hand_order
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.slots import slots_of
from big2_env.climbing.view import View
from big2_env.notation.log import hand_lines

SUIT_STYLES: Final = {Suit.CLUB: "green", Suit.DIAMOND: "yellow", Suit.HEART: "red", Suit.SPADE: "cyan", None: "magenta"}
QUIET: Final = "dim"


def cards_text(cards: Sequence[Card]) -> Text:
    """Cards in notation, coloured by suit."""
    return Text(" ").join(Text(str(card), SUIT_STYLES[card.suit]) for card in cards)


def play_text(ruleset: RuleSet, play: Play) -> Text:
    """A play with its pattern's names, or the word of an act without cards.

    Where only ranks count, what is carried stands behind the body.
    """
    if not play:
        return Text(play.pattern, QUIET if play.is_pass else "bold")
    names = f"{play.pattern} {ruleset.zh_of(play.pattern)} "
    cards = hand_order(ruleset, play) if ruleset.ranks_only else ruleset.order.sort(play.mask)
    return Text.assemble(names, cards_text(cards))


def act_text(ruleset: RuleSet, name: str, play: Play) -> Text:
    """Who did what."""
    return Text.assemble(f"{name}: ", play_text(ruleset, play))


def event_text(ruleset: RuleSet, names: Sequence[str], event: Event) -> Text | None:
    """One line for an event that everybody at the table sees; `None` for one that needs none."""
    match event:
        case Played(seat, play) | Said(seat, play, _):
            return act_text(ruleset, names[seat], play)
        case Passed(seat):
            return act_text(ruleset, names[seat], PASS)
        case Redealt():
            return Text("nobody wants the deal: the cards are dealt anew", QUIET)
        case StakeMultiplied(_, by):
            return Text(f"the stake is multiplied by {by}", QUIET)
        case Refilled(seat, cards):
            return Text(f"{names[seat]} draws {cards.bit_count()}", QUIET)
        case SeatOut(seat):
            return Text(f"{names[seat]} is out", QUIET)
        case TrickWon(seat, _):
            return Text(f"{names[seat]} wins the trick", QUIET)
        case _:
            return None


def hand_text(view: View) -> Text:
    """The viewer's hand in two lines: the indices, each in the column where its card starts, and the cards."""
    indices, _ = hand_lines(view.ruleset, view.hand).split("\n")
    return Text.assemble((indices, QUIET), "\n", cards_text(view.ruleset.order.sort(view.hand)))


def table_text(view: View, names: Sequence[str]) -> Text:
    """How many cards each seat holds, and what has to be beaten."""
    counts = (f"{name} {left}" for name, left in zip(names, view.cards_left, strict=True))
    text = Text.assemble("\n", ("cards left: " + ", ".join(counts), QUIET), "\n")
    if view.landlord is not None:
        bottom = cards_text(view.ruleset.order.sort(view.bottom))
        text.append_text(
            Text.assemble(f"landlord: {names[view.landlord]}, stake {view.stake * view.factor}, took ", bottom, "\n")
        )
    if view.bidding:
        words = ", ".join(call.pattern for call in view.calls)
        text.append(f"the auction: {words}, or -1 for no")
    elif view.top is not None and view.top_seat is not None:
        text.append_text(Text.assemble(f"to beat: {names[view.top_seat]}'s ", play_text(view.ruleset, view.top)))
    elif view.obligation:
        text.append_text(Text.assemble("you open the game, with ", cards_text(list(iter_cards(view.obligation)))))
    else:
        text.append("you lead: any pattern, no pass")
    return text


def hint_text(view: View, play: Play) -> Text:
    """A play as one would type it, and what it is."""
    slots = " ".join(map(str, slots_of(view.ruleset, view.hand, play.mask)))
    typed = slots or ("-1" if play.is_pass else play.pattern)
    return Text.assemble("hint: ", (typed, "bold"), "  (", play_text(view.ruleset, play), ")")
