"""A game of fishing in words."""

from __future__ import annotations

from big2_env.games.fishing.cards import RANKS, cards_text
from big2_env.games.fishing.game import FishingEnd, FishingGame, FishingOutcome, FishingPlay
from big2_env.language import Words


def hand_text(game: FishingGame, seat: int, tr: Words) -> str:
    """What a seat was dealt, in one line."""
    return tr("fishing.holds", seat=seat, cards=cards_text(game.start[seat]))


def play_text(play: FishingPlay, tr: Words) -> str:
    """One play in one line; in English it is `str(play)`.

    >>> from big2_env.language import Language, words
    >>> play = FishingGame.of_hands("2 3 | 3 2").play()
    >>> play_text(play, words(Language.EN)) == str(play)
    True
    """
    text = tr("fishing.plays", number=play.number, seat=play.seat, card=RANKS[play.card])
    if play.captured:
        text += tr("fishing.captures", cards=cards_text(play.captured))
    return text if play.loser is None else text + tr("fishing.loses", seat=play.loser)


def state_text(game: FishingGame, tr: Words) -> str:
    """What lies on the board and in the hands now, in one line, the front cards first."""
    board, *hands = (cards_text(cards) or "-" for cards in (game.board, *game.hands))
    return tr("fishing.state", board=board, first=hands[0], second=hands[1])


def outcome_text(outcome: FishingOutcome, begin: int | None, tr: Words) -> str:
    """How a game ended.

    Args:
        outcome: the end.
        begin: after how many plays a game that never ends is in its cycle; `None` where that is not known.
        tr: the texts of a language.
    """
    match outcome.end:
        case FishingEnd.EMPTY_HAND:
            return tr("fishing.wins", seat=outcome.winner, plays=outcome.plays)
        case FishingEnd.CYCLE:
            if begin is None:
                return tr("fishing.cycle_in_the_end", period=f"{outcome.period:,}")
            return tr("fishing.cycle", begin=begin + 1, period=f"{outcome.period:,}")
    return tr("fishing.undecided", plays=f"{outcome.plays:,}")
