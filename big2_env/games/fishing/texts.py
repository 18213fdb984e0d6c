"""A game of fishing in words."""

from __future__ import annotations

from big2_env.games.fishing.cards import RANKS, cards_text
from big2_env.games.fishing.game import FishingEnd, FishingGame, FishingOutcome, FishingPlay
from big2_env.language import Words


def hand_text(game: FishingGame, seat: int, say: Words) -> str:
    """What a seat was dealt, in one line."""
    return say("fishing.holds", seat=seat, cards=cards_text(game.start[seat]))


def play_text(play: FishingPlay, say: Words) -> str:
    """One play in one line; in English it is `str(play)`.

    >>> from big2_env.language import Language, words
    >>> play = FishingGame.of_hands("2 3 | 3 2").play()
    >>> play_text(play, words(Language.EN)) == str(play)
    True
    """
    text = say("fishing.plays", number=play.number, seat=play.seat, card=RANKS[play.card])
    if play.captured:
        text += say("fishing.captures", cards=cards_text(play.captured))
    return text if play.loser is None else text + say("fishing.loses", seat=play.loser)


def outcome_text(outcome: FishingOutcome, game: FishingGame, say: Words) -> str:
    """How a game ended; one that never ends has been played through its cycle once."""
    match outcome.end:
        case FishingEnd.EMPTY_HAND:
            return say("fishing.wins", seat=outcome.winner, plays=outcome.plays)
        case FishingEnd.CYCLE:
            begin = game.plays - (outcome.period or 0) + 1
            return say("fishing.cycle", begin=begin, period=outcome.period)
    return say("fishing.undecided", plays=outcome.plays)
