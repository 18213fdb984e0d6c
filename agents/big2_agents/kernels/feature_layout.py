"""Layouts of the learned agents' features: card by card, and by rank with sizes that depend on the ruleset.

This module is not compiled; interpreted code uses it without numba.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from big2_env.base.errors import ConfigError
from big2_env.climbing.parts import PassLock
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import CapturedPoints, FinishingOrder

Parts = dict[str, int]
MAX_CATEGORIES: Final = 8
"""Number of comparison groups that are tracked."""
SKIPS: Final = 3
"""Number of comparison groups, from the first, for which skipped plays are tracked."""
WORSE: Final = (0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 2.5, 4.0)
"""Steps of the loss in the heuristic's score, in turns."""
HOLDS: Final = (0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
"""Steps of the probability that a play is not beaten."""
VALUES: Final = (-6.0, -5.0, -4.0, -3.25, -2.5, -2.0, -1.5, -1.0, -0.6, -0.3, 0.0, 0.5)
"""Steps of the heuristic's value of the rest of a hand, in turns."""
STRENGTHS: Final = (-1.5, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 2.5)
"""Steps of the heuristic's strength of a hand in an auction, in standard deviations."""
HIGHER: Final = (0, 1, 2, 3, 6, 10, 20)
"""Steps of the number of unseen cards above a play of one rank."""
STAKES, PILES, SHARES, LONGEST = 10, 16, 10, 20
"""Number of steps of the stake (each twice the previous), of the draw pile and of captured points; maximum length of a play."""
REST: Final = 4
"""Maximum count of cards of one rank in the rest of a hand."""
MAX_PATTERNS: Final = 10
MAX_PLAYS: Final = 10
"""Maximum count of plays needed to empty a hand."""


def places(parts: dict[str, int]) -> tuple[dict[str, int], int]:
    """Return the start of each part, given its number of entries, and the total number of entries."""
    found, size = {}, 0
    for name, width in parts.items():
        found[name] = size
        size += width
    return found, size


STATE: Final = {
    "hand": 52,
    "hand_counts": 39,  # ranks held at least 2, 3, 4 times
    "unseen": 52,
    "unseen_counts": 39,
    "played": 156,  # by each of the others
    "left": 52,  # cards of each seat, as a thermometer of 13
    "top_value": 13,
    "top_suit": 4,
    "top_pattern": MAX_PATTERNS,
    "top_seat": 4,
    "leading": 1,
    "opening": 1,
    "passed": 3,
    "last_pattern": 3 * MAX_PATTERNS,  # of each of the others
    "last_value": 39,
    "passed_on": 3 * MAX_CATEGORIES * 13,  # the lowest value each of the others passed on, by category
    "plays": MAX_PLAYS,  # fewest plays to put down the hand
    "led": 3 * MAX_CATEGORIES,  # categories each of the others has led
    "skipped": 3 * SKIPS * 13,  # values each of the others left out, by category, as `track` says
}
PLAY: Final = {
    "pass": 1,
    "pattern": MAX_PATTERNS,
    "size": 5,
    "value": 13,
    "suit": 4,
    "counts": 13,  # cards by rank
    "certain": 1,  # no unseen cards beat it
    "unanswered": 1,  # more cards than any other seat holds
    "last": 1,  # it empties the hand
    "left": 13,
    "plays": MAX_PLAYS,  # fewest plays to put down the rest
    "lone": 13,  # ranks of which the rest has one card
    "next_out": 1,  # the next seat could go out on a play of so many cards
    "higher": 8,  # unseen cards above a play of one rank: 0, 1, 2, 3, 4 to 6, 7 to 10, 11 to 20, more
    "best": 1,  # the heuristic's choice; these three are written by `write_opinion`
    "worse": len(WORSE),  # by how much the heuristic likes it less than its choice, as a thermometer
    "hold": len(HOLDS),  # how likely nobody beats it, as a thermometer
}
HIDDEN: Final = {"hands": 156, "counts": 156, "plays": 3 * MAX_PLAYS}

OPINION: Final = ("strength", "worth", "best", "worse", "hold")
"""Parts of the features of a play that come from the heuristic's scores, in either layout."""

_S, STATE_SIZE = places(STATE)
_P, PLAY_SIZE = places(PLAY)
_H, HIDDEN_SIZE = places(HIDDEN)
(S_HAND, S_HAND_COUNTS, S_UNSEEN, S_UNSEEN_COUNTS, S_PLAYED, S_LEFT, S_TOP_VALUE, S_TOP_SUIT, S_TOP_PATTERN, S_TOP_SEAT,
 S_LEADING, S_OPENING, S_PASSED, S_LAST_PATTERN, S_LAST_VALUE, S_PASSED_ON, S_PLAYS, S_LED,
 S_SKIPPED) = _S.values()  # fmt: skip
(P_PASS, P_PATTERN, P_SIZE, P_VALUE, P_SUIT, P_COUNTS, P_CERTAIN, P_UNANSWERED, P_LAST, P_LEFT, P_PLAYS, P_LONE,
 P_NEXT_OUT, P_HIGHER, P_BEST, P_WORSE, P_HOLD) = _P.values()  # fmt: skip
H_HANDS, H_COUNTS, H_PLAYS = _H.values()


def has_card_features(ruleset: RuleSet, num_players: int | None = None) -> bool:
    """Return True if features are card by card: four players, 13 cards each of a deck of 52, no optional parts."""
    seats = ruleset.default_players if num_players is None else num_players
    has_extras = (
        ruleset.ranks_only
        or ruleset.auction is not None
        or ruleset.draw_pile
        or ruleset.pass_lock is PassLock.ROUND
        or ruleset.scoring.captures
        or isinstance(ruleset.scoring, FinishingOrder)
        or ruleset.max_players > 4
        or ruleset.deck.copies > 1
    )
    return not has_extras and (seats, ruleset.cards_each(seats), ruleset.deck.size) == (4, 13, 52)


def check_learnable(ruleset: RuleSet, num_players: int | None = None) -> None:
    """Raise if a game has no features card by card, which `ppo` and network search need.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats, the ruleset's default if `None`.

    Raises:
        ConfigError: The game is not for four players with 13 cards each of a deck of 52, or has optional parts.
    """
    if not has_card_features(ruleset, num_players):
        seats = f" with {num_players} players" if num_players else ""
        raise ConfigError(
            f"expected four players with 13 cards each of a deck of 52, without auction or pile, got {ruleset.name}{seats}"
        )


class RankLayout(NamedTuple):
    """Layout by rank: the parts with their numbers of entries, and the numbers from which these follow."""

    state: Parts
    play: Parts
    hidden: Parts
    numbers: dict[str, float]


def rank_layout(ruleset: RuleSet, num_players: int | None = None) -> RankLayout:
    """Return the layout by rank for a game.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats, the ruleset's default if `None`.

    Raises:
        ConfigError: The ruleset does not allow this number of seats.
    """
    seats, auction = ruleset.seats(num_players), ruleset.auction is not None
    values, copies, hand = len(ruleset.ranks), 4 * ruleset.deck.copies, ruleset.max_hand
    categories = sum(not category.last for category in ruleset.table.categories)  # a last play ends the game
    patterns, others = len(ruleset.usual_patterns), seats - 1
    sizes, cards = min(LONGEST, max(_sizes(ruleset))), values * copies
    said = 0 if ruleset.auction is None else 1 + max(move.power for move in ruleset.auction.vocabulary)
    captures = bool(ruleset.scoring.captures)
    single = 0 if ruleset.ranks_only else cards  # entries for cards one by one
    numbers: dict[str, float] = {
        "most": copies, "hand": hand, "categories": categories, "patterns": patterns, "sizes": sizes, "said": said,
        "by_suit": int(bool(single)),
        "points": float(sum(points_by_value(ruleset)) * copies),
    }  # fmt: skip
    state = {
        "hand": cards, "hand_cards": single, "unseen": cards, "unseen_cards": single, "played": others * cards,
        "left": seats * hand, "top_category": categories, "top_value": values, "top_size": sizes, "top_suit": 4,
        "top_seat": seats, "leading": 1, "opening": 1, "passed": others,
        "last_pattern": others * patterns, "last_value": others * values,
        "passed_on": others * MAX_CATEGORIES * values,  # the lowest value each of the others passed on, by category
        "led": others * MAX_CATEGORIES,  # categories each of the others has led
        "skipped": others * SKIPS * values,  # values each of the others left out, by category, as `track` says
        "bidding": int(auction),
        "calls": seats * (said + 1) if auction else 0,  # what each seat has said
        "landlord": seats if auction else 0,
        "known": cards if auction else 0,  # what the landlord took up, as far as it is unseen
        "acted": seats if auction else 0,  # who has played a hand
        "once": int(auction),  # the landlord has played just one
        "stake": STAKES if auction else 0,
        "pile": PILES if ruleset.draw_pile else 0,
        "captured": seats * SHARES if captures else 0, "trick": SHARES if captures else 0,
        "lock_category": categories, "lock_value": values,  # what a lead has to beat to keep others out
    }  # fmt: skip
    play = {
        "pass": 1, "call": said + 1 if auction else 0, "strength": len(STRENGTHS) if auction else 0,
        "category": categories, "pattern": patterns, "size": sizes, "value": values, "suit": 4,
        "body": values, "kickers": values,  # numbers of cards
        "bomb": 1,
        "certain": 1,  # no unseen cards beat it
        "unanswered": 1,  # more cards than any opponent holds
        "last": 1,  # it empties the hand
        "left": hand,
        "rest": REST * values,  # how many cards of each rank the rest has, one of these entries for each rank held
        "worth": len(VALUES),
        "next_out": 1, "enemy_out": 1, "partner_out": 1,  # the next seat, an opponent, a partner has as many cards
        "over_partner": 1,  # it beats a partner's play
        "locks": 1,  # it keeps out those who are locked
        "higher": len(HIGHER),
        "points": SHARES if captures else 0,
        "best": 1, "worse": len(WORSE), "hold": len(HOLDS),  # the heuristic's opinion (`opinion`)
    }  # fmt: skip
    hidden = {"hands": others * cards, "hands_cards": others * single, "bottom": cards if auction else 0}
    return RankLayout(state, play, hidden, numbers)


def feature_sizes(ruleset: RuleSet, num_players: int | None = None) -> tuple[int, int]:
    """Return the numbers of features of a state and of a play."""
    if has_card_features(ruleset, num_players):
        return STATE_SIZE, PLAY_SIZE
    layout = rank_layout(ruleset, num_players)
    return places(layout.state)[1], places(layout.play)[1]


def check_features(weights: object, made: tuple[int, int], ruleset: RuleSet, num_players: int) -> None:
    """Raise if a network was made for features of other sizes than a game has.

    Args:
        weights: Name of the weights in the message.
        made: Sizes of the network, as of `feature_sizes`.
        ruleset: The rules of the game.
        num_players: Number of seats.

    Raises:
        ConfigError: The sizes differ, for example because of other cards, another number of players or other payoffs.
    """
    given = feature_sizes(ruleset, num_players)
    if made != given:
        raise ConfigError(
            f"weights {weights}: expected a network for {given[0]} and {given[1]} features ({ruleset.name} "
            f"with {num_players} players), got one for {made[0]} and {made[1]}"
        )


def opinion_places(ruleset: RuleSet, num_players: int | None = None) -> list[int]:
    """Return the places of the heuristic's opinion (`OPINION`) among the features of a play."""
    parts = PLAY if has_card_features(ruleset, num_players) else rank_layout(ruleset, num_players).play
    starts, _ = places(parts)
    return [starts[name] + i for name in OPINION if name in parts for i in range(parts[name])]


def points_by_value(ruleset: RuleSet) -> list[int]:
    """Return the points of a card of each value for the winner of its trick."""
    found, scoring = [0] * len(ruleset.ranks), ruleset.scoring
    if isinstance(scoring, CapturedPoints):
        for rank, points in dict(scoring.points).items():
            if (value := ruleset.order.values[rank]) >= 0:
                found[value] = points
    return found


def _sizes(ruleset: RuleSet) -> Iterator[int]:
    """Yield the numbers of cards of all possible plays, without the plays that are legal only as the last one."""
    held, table = [mask.bit_count() for mask in ruleset.order.rank_masks], ruleset.table
    for row in table.rows:
        fits = row.shape.size <= ruleset.max_hand and all(held[rank] >= number for rank, number in row.ranks)
        if fits and not table.categories[row.category].last:
            yield row.shape.size
