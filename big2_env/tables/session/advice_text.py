"""Advice in words and numbers, with the chance that a play is beaten, estimated from one seat's view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from big2_env.agents.advice import Advice
from big2_env.base.cards import iter_cards
from big2_env.base.language import Words
from big2_env.base.rng import SplitMix64
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.runs.intervals import NORMAL_95
from big2_env.tables.session.move_reasons import sentences
from big2_env.text.events import play_text
from big2_env.text.names import no_name
from big2_env.text.values import ValueText, percent

if TYPE_CHECKING:
    from rich.text import Text


def numbers(view: View, advice: Advice, beaten: float | None, tr: Words) -> list[str]:
    """Return the numbers behind a suggested move: its value, its probability, and the chance that an opponent can beat it.

    Args:
        view: View of the seat to move.
        advice: Output of the adviser.
        beaten: Chance from 0 to 1; `None` if it was not computed.
        tr: Texts in one language.
    """
    found = []
    value_text = ValueText(view.ruleset, view.num_players)
    unit = "chance" if value_text.is_chance else "points"
    if advice.value is not None and advice.interval is not None:
        low, high = map(value_text.number, advice.interval)
        found.append(tr(f"hint.value_interval_{unit}", value=value_text.number(advice.value), low=low, high=high))
    elif advice.value is not None:
        found.append(tr(f"hint.value_{unit}", value=value_text.number(advice.value)))
    if advice.probability is not None:
        found.append(tr("hint.probability", share=percent(advice.probability)))
    if beaten is not None and advice.play and percent(beaten) != percent(1):
        found.append(tr("hint.beaten", share=percent(beaten)))
    return found


def _named(ruleset: RuleSet, advice: Sequence[Advice], play: Play, tr: Words) -> str:
    """Return a move in words, among suggested ones. A pass in an auction is a "no"."""
    if not play.is_pass:
        return play_text(ruleset, play, tr)
    return no_name([one.play for one in advice if not one.play and not one.play.is_pass], tr)


def hint_line(view: View, advice: Sequence[Advice], tr: Words, then: str = "") -> str:
    """Return the best move with a sentence about it, and the second best one, as one line.

    Args:
        view: View of the seat to move.
        advice: Output of the adviser, best first.
        tr: Texts in one language.
        then: Text on the next key, inserted after the sentence.
    """
    rules = view.ruleset
    best = _named(rules, advice, advice[0].play, tr)
    parts = [tr("hint.hint_is", play=best), *sentences(view, advice[:1], tr), *filter(None, [then])]
    if len(advice) > 1:
        parts.append(tr("hint.instead", play=_named(rules, advice, advice[1].play, tr)))
    return " · ".join(parts)


BLUNDER: Final = 0.25
"""Smallest loss of a blunder, in standard deviations of the payoff after either move."""
ROUNDING: Final = 1e-6
"""Fraction of a value up to which two values are equal."""


def warning_text(view: View, advice: Sequence[Advice], play: Play, tr: Words) -> str | None:
    """Return a question to ask before a blunder, as far as the adviser can tell; `None` for other moves.

    A blunder loses much against the best move, on the same deals and for certain, or misses a certain win. Other moves
    without values are not questioned.

    Args:
        view: View of the seat to move.
        advice: Output of the adviser, best first.
        play: Move that the person is about to make.
        tr: Texts in one language.
    """
    own = next((one for one in advice if play == one.play or play in one.alike), None)
    best = advice[0]
    if own is None or own is best or not (_loses_much(best, own) if own.behind is not None else best.sure and not own.sure):
        return None
    made, rather = (_named(view.ruleset, advice, one, tr) for one in (play, best.play))
    return tr("hint.warning", own=made, best=rather, why=sentences(view, advice[:1], tr)[0])


def _loses_much(best: Advice, own: Advice) -> bool:
    """Return True for a loss that is large and not due to chance."""
    if best.value is None or own.value is None or own.behind is None:
        return False
    loss = best.value - own.value
    spread = max((one.interval[1] - one.interval[0]) / 2 / NORMAL_95 * one.playouts**0.5 for one in (best, own) if one.interval)
    return own.behind[0] > 0 and loss > max(BLUNDER * spread, ROUNDING * abs(best.value))


def values_text(view: View, advice: Sequence[Advice], tr: Words) -> Text:
    """Return the best moves, each with a sentence and its numbers. Takes some time, for the chances that they are beaten.

    Args:
        view: View of the seat to move.
        advice: Output of the adviser, best first.
        tr: Texts in one language.
    """
    from rich.text import Text  # a terminal's; the browser has none

    text, said = Text(), sentences(view, advice, tr)
    beaten = beaten_chances(view, [one.play for one in advice], samples=100)
    for number, (one, chance, sentence) in enumerate(zip(advice, beaten, said, strict=True)):
        text.append(f"{number + 1}  {_named(view.ruleset, advice, one.play, tr)}\n", "bold")
        text.append(f"   {' · '.join([sentence, *numbers(view, one, chance, tr)])}\n")
    return text.append(f"\n{tr('hint.values_note')}", "dim")


def beaten_chances(view: View, plays: Sequence[Play], samples: int = 200, seed: int = 0) -> list[float]:
    """Return for each play the fraction of sampled deals in which an opponent holds cards that beat it.

    Unseen cards are dealt uniformly to the other seats, keeping their hand sizes. Unplayed cards of the landlord's bottom stay
    in the landlord's hand. Teammates and seats that are out of the trick do not count. The chance for a pass is 0.

    Args:
        view: View of the seat.
        plays: Legal moves of that seat.
        samples: Number of deals to sample; the standard error is at most `0.5 / samples ** 0.5`.
        seed: Seed of the samples.
    """
    rng = SplitMix64(seed)
    known = [0] * view.num_players
    if view.landlord is not None and view.landlord != view.seat:
        known[view.landlord] = view.bottom & ~view.played[view.landlord]
    unseen = list(iter_cards(view.unseen & ~sum(known)))
    rivals = [
        seat
        for seat in range(view.num_players)
        if seat not in view.team and view.cards_left[seat] and not view.passed >> seat & 1
    ]
    found = [0] * len(plays)
    for _ in range(samples):
        rng.shuffle(unseen)
        hands, start = {}, 0
        for seat in range(view.num_players):
            if seat != view.seat:
                end = start + view.cards_left[seat] - known[seat].bit_count()
                hands[seat] = known[seat] | sum(1 << card for card in unseen[start:end])
                start = end
        for i, play in enumerate(plays):
            if play and any(next(view.ruleset.table.plays(hands[seat], play), None) is not None for seat in rivals):
                found[i] += 1
    return [count / samples for count in found]
