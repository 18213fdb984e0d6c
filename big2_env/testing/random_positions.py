"""Random positions of any ruleset that random games rarely reach, and random endings, dealt or reached by random play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from big2_env.base.cards import Card, as_mask, iter_cards
from big2_env.base.errors import ConfigError
from big2_env.base.rng import SplitMix64
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import Lead, PassLock, RuleSet
from big2_env.climbing.shapes import Kickers, Suits
from big2_env.climbing.table import Row

SORTS: Final[tuple[Callable[[Card], int], ...]] = (lambda card: 0, lambda card: card.rank, lambda card: card.suit or 0)
"""Sort keys applied before cards are cut into hands: any cards, few ranks, few suits."""


@lru_cache(maxsize=8)
def _rows_by_pattern(ruleset: RuleSet) -> list[list[Row]]:
    """Return the shapes for which the deck has enough cards, by pattern."""
    patterns: dict[str, list[Row]] = {}
    for row in ruleset.table.rows:
        if all(ruleset.order.rank_masks[rank].bit_count() >= count for rank, count in row.ranks):
            patterns.setdefault(row.pattern, []).append(row)
    return list(patterns.values())


def random_play(ruleset: RuleSet, rng: SplitMix64) -> Play:
    """Return a play of a random pattern, shape and cards, without listing all plays, which may be millions."""
    patterns = _rows_by_pattern(ruleset)
    while True:
        rows = patterns[rng.below(len(patterns))]
        row = rows[rng.below(len(rows))]
        within = ruleset.order.suit_masks[rng.below(4)] if row.shape.suits is Suits.SAME else ruleset.deck.mask
        counts = dict(row.ranks)
        if row.shape.kickers is not None:
            room = [mask.bit_count() - body for mask, body in zip(ruleset.order.rank_masks, row.shape.counts, strict=True)]
            for rank, count in _random_kickers(row.shape.kickers, room, rng):
                counts[rank] = counts.get(rank, 0) + count
        mask = 0
        for rank, count in counts.items():
            cards = list(iter_cards(ruleset.order.rank_masks[rank] & within))
            rng.shuffle(cards)
            mask |= as_mask(cards[:count])
        for play in ruleset.table.classify(mask):  # none where the suits do not fit
            if play.pattern == row.pattern:
                return play


def _random_kickers(kickers: Kickers, room: Sequence[int], rng: SplitMix64) -> list[tuple[int, int]]:
    """Return random kickers that fit, as (rank, number); sometimes too few."""
    found = [0] * len(room)
    for _ in range(64):
        rank = rng.below(len(room))
        used = any(found[other] for other in kickers.exclusive if other != rank)
        fits = found[rank] + kickers.unit <= min(room[rank], kickers.limits[rank])
        if sum(found) < kickers.size and fits and not (rank in kickers.exclusive and used):
            found[rank] += kickers.unit
    return [(rank, number) for rank, number in enumerate(found) if number]


def random_positions(ruleset: RuleSet, number: int, seed: int, num_players: int | None = None) -> Iterator[Position]:
    """Yield random positions: any pattern or none on the table, hands of any size, after any auction.

    Args:
        ruleset: Ruleset of the positions.
        number: Number of positions.
        seed: Seed of the first position.
        num_players: Number of players; `None` for the ruleset's default.

    Raises:
        ConfigError: If the ruleset does not allow that number of players.
    """
    rng, seats = SplitMix64(seed), ruleset.seats(num_players)
    each = ruleset.cards_each(seats)
    for _ in range(number):
        top = random_play(ruleset, rng) if rng.below(8) else None
        while top is not None and ruleset.table.is_final(top):  # its trick is over
            top = random_play(ruleset, rng)
        turn = rng.below(seats)
        top_seat = None if top is None else (turn + 1 + rng.below(seats - 1)) % seats
        rest = [card for card in ruleset.deck.cards if top is None or card not in top.cards]
        rng.shuffle(rest)
        rest.sort(key=SORTS[rng.below(len(SORTS))])
        cut = rng.below(len(rest))
        rest = rest[cut:] + rest[:cut]
        hands, played = [0] * seats, [0] * seats
        for step in range(seats):
            room = len(rest) - (seats - 1 - step)  # a card for each seat to come
            size = min(room, each if rng.below(2) else 1 + rng.below(each))
            hands[(turn + step) % seats] = as_mask(rest[:size])
            rest = rest[size:]
        pile = tuple(rest[: rng.below(len(rest) + 1)]) if ruleset.draw_pile and rest else ()
        for card in rest[len(pile) :]:
            played[rng.below(seats)] |= 1 << card
        if top is not None and top_seat is not None:
            played[top_seat] |= top.mask
        first = top is None and ruleset.lead is not Lead.ANY and not ruleset.auto_lead and rng.below(2)
        obligation = 1 << ruleset.order.lowest(hands[turn]) if first else 0
        passed = 0 if top is None else rng.below(1 << seats) & ~(1 << turn)
        position = Position(tuple(hands), turn, top, top_seat, passed, obligation, tuple(played), pile)
        yield _after_auction(ruleset, _after_lead(ruleset, position, rng), rng)


def _after_lead(ruleset: RuleSet, position: Position, rng: SplitMix64) -> Position:
    """With a round lock, exclude some seats, which stay excluded if the lead beats a play."""
    if ruleset.pass_lock is not PassLock.ROUND or position.top is not None or position.obligation or not rng.below(4):
        return position
    passed = rng.below(1 << len(position.hands)) & ~(1 << position.turn)
    return position._replace(passed=passed, lead_over=random_play(ruleset, rng))


def _after_auction(ruleset: RuleSet, position: Position, rng: SplitMix64) -> Position:
    """In a game with an auction, add a landlord, a stake and plays made."""
    if ruleset.auction is None:
        return position
    seats = len(position.hands)
    acted = tuple(rng.below(3) for _ in range(seats))
    stake, factor = 1 + rng.below(3), 1 << rng.below(6)
    return position._replace(landlord=rng.below(seats), acted=acted, stake=stake, factor=factor)


def dealt_ending(ruleset: RuleSet, cards: int, rng: SplitMix64, *, even: bool = True) -> Game:
    """Return a game with random hands of `cards` cards in total, a random seat to lead, and a random landlord, if any.

    Args:
        ruleset: Ruleset of the game; a draw pile is empty.
        cards: Total number of cards, at least one per seat.
        rng: Source of random numbers.
        even: True for hands as equal as possible. False gives each seat one card and each further card to a random seat.

    Raises:
        ConfigError: If there are too few cards for the seats, or too many for the hands.
    """
    number = ruleset.default_players
    each = ruleset.cards_each(number)
    if not number <= cards <= number * each:
        raise ConfigError(f"{ruleset.name}: expected an ending of {number} to {number * each} cards, got {cards}")
    deck = list(ruleset.deck.cards)
    rng.shuffle(deck)
    first = rng.below(number)
    seats = [(first + step) % number for step in range(number)]
    while len(seats) < cards:
        open_seats = [seat for seat in range(number) if seats.count(seat) < each]
        seats.append(seats[len(seats) - number] if even else open_seats[rng.below(len(open_seats))])
    hands = tuple(
        [as_mask([card for card, owner in zip(deck, seats, strict=False) if owner == seat]) for seat in range(number)]
    )
    landlord = rng.below(number) if ruleset.auction else None
    return Game.from_position(ruleset, Position(hands, turn=rng.below(number), landlord=landlord))


def played_ending(ruleset: RuleSet, cards: int, rng: SplitMix64) -> Game:
    """Return the first position of a random game with at most `cards` cards in all hands, as the start of a game.

    Games that end earlier are replaced by others.

    Raises:
        ConfigError: If there are fewer cards than seats.
    """
    if cards < ruleset.default_players:
        raise ConfigError(f"{ruleset.name}: expected an ending of {ruleset.default_players} or more cards, got {cards}")
    while True:
        game = Game.deal(ruleset, rng.below(1 << 62))
        while not game.position.finished:
            position = game.position
            if not position.bidding and not position.pile and sum(hand.bit_count() for hand in position.hands) <= cards:
                return Game.from_position(ruleset, position)
            moves = list(game.legal_plays())
            game.push(moves[rng.below(len(moves))])
