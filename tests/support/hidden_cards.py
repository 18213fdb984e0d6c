"""Games in which the cards that one seat cannot see lie differently."""

from __future__ import annotations

from big2_env import Game, Position
from big2_env.cards import as_mask, iter_cards
from big2_env.rng import SplitMix64


def reshuffled(position: Position, seat: int, seed: int, keep: int = 0) -> Position:
    """The position with all cards that `seat` does not see dealt anew, as many to each place, but for those of `keep`."""
    places = [[card for card in iter_cards(hand) if not keep >> card & 1] for hand in position.hands]
    others = [i for i in range(len(places)) if i != seat]
    cards = [card for i in others for card in places[i]] + list(position.pile)
    SplitMix64(seed).shuffle(cards)
    hands = list(position.hands)
    for i in others:
        mine, cards = cards[: len(places[i])], cards[len(places[i]) :]
        hands[i] = hands[i] & keep | as_mask(mine)
    return position._replace(hands=tuple(hands), pile=tuple(cards))


def same_moves(game: Game, seat: int, seed: int) -> Game:
    """A game in which the others held other cards and everybody did the same, every act checked again."""
    public = game.start.obligation  # whoever leads holds it, and everybody knows
    for mask in game.position.played:
        public |= mask
    twin = Game.from_position(game.ruleset, reshuffled(game.start, seat, seed, public))
    for move in game.history:
        assert twin.turn == move.seat
        twin.play(move.play)
    return twin
