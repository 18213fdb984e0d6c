"""Random endings of any climbing game: dealt, or reached by random play."""

from __future__ import annotations

from big2_env.cards import as_mask
from big2_env.climbing.game import Game
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.rng import SplitMix64

__all__ = ["dealt_ending", "played_ending"]


def dealt_ending(ruleset: RuleSet, cards: int, rng: SplitMix64, *, even: bool = True) -> Game:
    """A game in which random hands of so many cards in all are left, and a random seat leads; with a random landlord, if any.

    Args:
        ruleset: the rules; a draw pile is empty.
        cards: how many cards, at least one for each seat.
        rng: where chance comes from.
        even: whether hands are as equal as can be; otherwise each seat has a card, and each further card goes to a random seat.

    Raises:
        ConfigError: too few cards for the seats, or too many for the hands.
    """
    number = ruleset.default_players
    if not number <= cards <= number * ruleset.hand_size:
        raise ConfigError(f"{ruleset.name}: expected an ending of {number} to {number * ruleset.hand_size} cards, got {cards}")
    deck = list(ruleset.deck.cards)
    rng.shuffle(deck)
    first = rng.below(number)
    seats = [(first + step) % number for step in range(number)]
    while len(seats) < cards:
        open_seats = [seat for seat in range(number) if seats.count(seat) < ruleset.hand_size]
        seats.append(seats[len(seats) - number] if even else open_seats[rng.below(len(open_seats))])
    hands = tuple(
        [as_mask([card for card, owner in zip(deck, seats, strict=False) if owner == seat]) for seat in range(number)]
    )
    landlord = rng.below(number) if ruleset.auction else None
    return Game.from_position(ruleset, Position(hands, turn=rng.below(number), landlord=landlord))


def played_ending(ruleset: RuleSet, cards: int, rng: SplitMix64) -> Game:
    """The first position of a game of random legal acts with at most so many cards in all hands, as the start of a game.

    Games that are over before are followed by others.
    """
    while True:
        game = Game.deal(ruleset, rng.below(1 << 62))
        while not game.position.finished:
            position = game.position
            if not position.bidding and not position.pile and sum(hand.bit_count() for hand in position.hands) <= cards:
                return Game.from_position(ruleset, position)
            acts = list(game.legal_plays())
            game.push(acts[rng.below(len(acts))])
