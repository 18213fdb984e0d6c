"""Games in which the cards that one seat cannot see lie differently."""

from __future__ import annotations

from collections.abc import Iterator

from big2_env import Game, IllegalPlayError, Position, RuleSet
from big2_env.base.cards import as_mask, iter_cards
from big2_env.base.rng import SplitMix64


def reshuffled(position: Position, seat: int, seed: int, keep: int = 0) -> Position:
    """The position with all cards that `seat` does not see dealt anew, as many to each place, but for those of `keep`."""
    places = [[card for card in iter_cards(hand) if not keep >> card & 1] for hand in position.hands]
    others = [i for i in range(len(places)) if i != seat]
    piled = [card for card in position.pile if not keep >> card & 1]
    cards = [card for i in others for card in places[i]] + piled
    SplitMix64(seed).shuffle(cards)
    hands = list(position.hands)
    for i in others:
        mine, cards = cards[: len(places[i])], cards[len(places[i]) :]
        hands[i] = hands[i] & keep | as_mask(mine)
    left = iter(cards)
    pile = tuple(card if keep >> card & 1 else next(left) for card in position.pile)
    return position._replace(hands=tuple(hands), pile=pile)


def same_moves(game: Game, seat: int, seed: int) -> Game:
    """A game in which the others held other cards and everybody did the same, every act checked again."""
    public = game.start.obligation | game.position.hands[seat]  # the leader's card is public; drawn cards are the seat's own
    for mask in game.position.played:
        public |= mask
    twin = Game.from_position(game.ruleset, reshuffled(game.start, seat, seed, public))
    for move in game.history[len(twin.history) :]:  # a first play that the deal forces is made already
        assert twin.turn == move.seat
        twin.play(move.play)
    return twin


def exchanged(game: Game, seat: int, seed: int) -> Game | None:
    """A game in which cards that `seat` cannot see lie elsewhere and the public history is the same and legal.

    None if 40 tries find no such game: a pass where a play must be beaten says much about a hand.
    """
    for number in range(40):
        try:
            twin = same_moves(game, seat, seed + number)
        except (IllegalPlayError, AssertionError):
            continue
        if twin.position.hands != game.position.hands and twin.history == game.history:  # with the same suits, too
            return twin
    return None


def random_moment(ruleset: RuleSet, seed: int) -> Game:
    """A game after some random moves, with a real choice to make."""
    rng, game = SplitMix64(seed), Game.deal(ruleset, seed)
    for _ in range(rng.below(30)):
        moves = list(game.legal_plays())
        game.push(moves[rng.below(len(moves))])
        if game.is_over:
            game.undo()
            break
    return game


def openings(rules: RuleSet, number: int = 3) -> Iterator[tuple[Game, Game]]:
    """Deals before any move, each with one that looks the same to the seat to move."""
    found = 0
    for seed in range(60):
        game = Game.deal(rules, seed)
        if not game.history and (twin := exchanged(game, game.turn, 1000 * seed)) is not None:
            yield game, twin
            found += 1
            if found == number:
                return
    assert rules.auto_lead or found == number
