"""Games with chance events for the deal, and a seat's memory with perfect recall, for libraries of game theory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy.typing as npt

from big2_env.base.cards import Card, Rank, as_mask, iter_cards
from big2_env.base.errors import ConfigError
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.layout import Layout
from big2_env.climbing.game import Game, max_moves
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.table import TIER_POWER

MAX_DEALS: Final = 1000
"""Most deals that are the outcomes of one chance event. With more, each card is a chance event."""
SWAPS: Final = 20
"""Attempts to exchange cards on a walk over deals, per card."""
MAX_TRIES: Final = 10_000
"""Most deals that are tried until one explains the game so far."""


def number_of_deals(ruleset: RuleSet, num_players: int) -> int:
    """Return the number of different deals to the seats, without an order of the cards left over."""
    found, left, each = 1, ruleset.deck.size, ruleset.cards_each(num_players)
    for _ in range(num_players):
        found, left = found * comb(left, each), left - each
    return found


def _has_order(ruleset: RuleSet, num_players: int) -> bool:
    """Return True if cards that are not dealt to a seat matter, and so does their order."""
    return ruleset.auction is not None or ruleset.draw_pile or ruleset.rest_of(num_players) is Rest.LOWEST_HOLDER


@lru_cache(maxsize=32)
def deals(ruleset: RuleSet, num_players: int) -> tuple[tuple[int, ...], ...]:
    """Return every deal as the hands of the seats, or nothing if there are more than `MAX_DEALS` or other hidden cards."""
    if _has_order(ruleset, num_players) or number_of_deals(ruleset, num_players) > MAX_DEALS:
        return ()

    def choose(cards: tuple[Card, ...], seats: int) -> Iterator[tuple[int, ...]]:
        if not seats:
            yield ()
            return
        for hand in combinations(cards, ruleset.cards_each(num_players)):
            for others in choose(tuple(card for card in cards if card not in hand), seats - 1):
                yield (as_mask(hand), *others)

    return tuple(choose(ruleset.deck.cards, num_players))


class ChanceGame:
    """Game that begins with chance events: all deals at once if there are few, otherwise one card after the other.

    In a game with an auction, a new deal that follows when no seat wants the first is made of chance events too.

    Attributes:
        game: The game with its history; None before the first deal.
    """

    __slots__ = ("_dealt", "_decks", "_last", "_legal", "game", "num_players", "ruleset")

    def __init__(self, ruleset: RuleSet, num_players: int) -> None:
        self.ruleset, self.num_players = ruleset, num_players
        self.game: Game | None = None
        self._decks: list[list[Card]] = []
        """Complete decks of the deals so far, from bottom to top."""
        self._dealt: list[Card] | None = []
        """Cards of the deal in progress, the first one dealt first; None while seats move."""
        self._last: Play | None = None
        """Decision after which the deal in progress follows; it is not in the history before the deal is complete."""
        self._legal: dict[int, Play] | None = None

    @property
    def is_dealing(self) -> bool:
        """True if a chance event is next."""
        return self._dealt is not None

    def outcomes(self) -> range | list[int]:
        """Return the outcomes of the next chance event, all equally likely: indices of `deals`, or cards."""
        found = deals(self.ruleset, self.num_players)
        return (
            range(len(found)) if found else [int(card) for card in self.ruleset.deck.cards if card not in (self._dealt or ())]
        )

    def allows(self, event: int) -> bool:
        """Return whether the outcome or action may come next."""
        if self._dealt is None:
            return event in self.legal()
        if found := deals(self.ruleset, self.num_players):
            return 0 <= event < len(found)
        return event in self.ruleset.deck.cards and event not in self._dealt

    def outcome_text(self, outcome: int) -> str:
        """Return an outcome of the next chance event in words.

        Args:
            outcome: One of `outcomes`.
        """
        found = deals(self.ruleset, self.num_players)
        return " | ".join(map(self.ruleset.text, found[outcome])) if found else str(Card(outcome))

    def deal(self, outcome: int) -> None:
        """Make a chance event happen.

        Args:
            outcome: One of `outcomes`.
        """
        assert self._dealt is not None
        if found := deals(self.ruleset, self.num_players):
            self.game, self._dealt = Game.from_hands(self.ruleset, found[outcome]), None
            return
        self._dealt.append(Card(outcome))
        rules, number = self.ruleset, self.num_players
        if len(self._dealt) < (rules.deck.size - 1 if _has_order(rules, number) else rules.cards_each(number) * number):
            return
        rest = [card for card in rules.deck.cards if card not in self._dealt]  # in any order, if no seat gets them
        self._decks.append([*rest, *reversed(self._dealt)])
        self._dealt = None
        history = [] if self.game is None else self.game.history
        self.game = self._begun()
        for play in (*(move.play for move in history), *(() if self._last is None else (self._last,))):
            self.game.push(play)
        self._last = None

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.game is not None and self.game.is_over

    def legal(self) -> dict[int, Play]:
        """Return the legal moves of the seat to move by action, ascending."""
        assert self.game is not None
        if self._legal is None:
            plays = self.game.legal_plays()
            self._legal = dict(sorted(zip(action_space(self.ruleset).ids(plays), plays, strict=True)))
        return self._legal

    def act(self, action: int) -> None:
        """Make the move of an action.

        Args:
            action: One of `legal`.
        """
        assert self.game is not None
        before, play = len(self.game.position.redeals), self.legal()[action]
        self.game.push(play)
        self._legal = None
        if self.game.position.bidding and len(self.game.position.redeals) < before:
            self.game.undo()
            self._dealt, self._last = [], play

    def returns(self) -> tuple[float, ...]:
        """Return the payoff of each seat, zeros until the game ends."""
        outcome = None if self.game is None else self.game.outcome
        return (0.0,) * self.num_players if outcome is None else outcome.payoffs

    def resampled(self, seat: int, draw: Callable[[], float]) -> ChanceGame:
        """Return a game with the same memory of a seat (`Recall`), whose other cards are dealt again.

        Cards that the seat has not seen change places at random, until each move that was made is legal again. All such deals
        are equally likely.

        Args:
            seat: The viewer.
            draw: Draws from 0 to 1, without 1.

        Raises:
            ConfigError: Cards are being dealt, or no such deal was found.
        """
        if self.game is None or self._dealt is not None:
            raise ConfigError("expected a state in which a seat is to move, got one during a deal")
        recall = Recall(self.ruleset, self.num_players)
        memory, hidden = recall.text(self.game, seat), self._hidden_from(seat)
        floors = self._floors(hidden[-1]) if self.ruleset.ranks_only and not self.ruleset.draw_pile else []
        for _ in range(MAX_TRIES):
            dealt = [_shuffled(cards, draw) for cards in hidden]
            if floors:
                dealt[-1] = self._swapped(hidden[-1], floors, draw)
            other = self._dealt_anew(hidden, dealt)
            if other is not None and recall.text(other.game, seat) == memory:
                return other
        raise ConfigError(f"no other deal was found in {MAX_TRIES:,} tries that explains the moves as seat {seat} saw them")

    def _hidden_from(self, seat: int) -> list[list[Card]]:
        """Return, for each deal so far, the cards whose places a seat does not know."""
        assert self.game is not None
        view = self.game.view(seat)
        known = 0 if view.landlord is None or view.landlord == seat else view.bottom & ~view.played[view.landlord]
        earlier = [Game.from_deck(self.ruleset, deck, self.num_players).start.hands[seat] for deck in self._decks[:-1]]
        everything = as_mask(self.ruleset.deck.cards)
        return [list(iter_cards(mask)) for mask in (*(everything & ~hand for hand in earlier), view.unseen & ~known)]

    def _floors(self, cards: list[Card]) -> list[dict[Rank, int]]:
        """Return, for the holder of each card, the highest card played of each rank, by its place in the order."""
        assert self.game is not None
        view, places = self.game.view(), self.ruleset.order.positions
        played = [
            {card.rank: places[card] for card in sorted(iter_cards(mask), key=places.__getitem__)} for mask in view.played
        ]
        hands = self.game.position.hands
        return [next((played[seat] for seat, hand in enumerate(hands) if hand >> card & 1), {}) for card in cards]

    def _swapped(self, cards: list[Card], floors: list[dict[Rank, int]], draw: Callable[[], float]) -> list[Card]:
        """Return cards in other places, by a walk over deals in which no seat keeps a lower card of a rank that it played.

        Actions that are ranks play the lowest cards, so other deals would be refused, and nearly all of them are others.
        """
        found, number, places = cards.copy(), len(cards), self.ruleset.order.positions

        def fits(card: Card, place: int) -> bool:
            return places[card] > floors[place].get(card.rank, -1)

        for _ in range(SWAPS * number):
            one, other = int(draw() * number), int(draw() * number)
            if fits(found[one], other) and fits(found[other], one):
                found[one], found[other] = found[other], found[one]
        return found

    def _dealt_anew(self, hidden: list[list[Card]], shuffled: list[list[Card]]) -> ChanceGame | None:
        """Return the same moves after deals in which hidden cards have changed places, None if one is not legal then."""
        assert self.game is not None
        moved = [dict(zip(cards, others, strict=True)) for cards, others in zip(hidden, shuffled, strict=True)]
        other = self.copy()
        other._legal = None
        if self._decks:
            other._decks = [[new.get(card, card) for card in deck] for deck, new in zip(self._decks, moved, strict=True)]
            other.game = other._begun()
        else:
            hands = [as_mask(moved[0].get(card, card) for card in iter_cards(hand)) for hand in self.game.start.hands]
            other.game = Game.from_hands(self.ruleset, hands)
        for seat, play in self.game.history:
            legal = other.legal().values() if self.ruleset.ranks_only else other.game.legal_plays()
            if other.game.turn != seat or play not in legal:
                return None
            other.game.push(play)
            other._legal = None
        return other

    def _begun(self) -> Game:
        """Return the game before its first move, with the decks dealt so far."""
        rules = self.ruleset
        more = 0 if rules.auction is None else rules.auction.deals - len(self._decks)
        unknown = [list(rules.deck.cards)] * more  # replaced before a seat sees them
        return Game.from_deck(rules, self._decks[0], self.num_players, (*self._decks[1:], *unknown))

    def events(self) -> Iterator[int | Play]:
        """Yield the events of a game in which a seat is to move: outcomes of chance events, and moves."""
        assert self.game is not None
        if found := deals(self.ruleset, self.num_players):
            yield found.index(self.game.start.hands[: self.num_players])
        each = self.ruleset.cards_each(self.num_players) * self.num_players
        dealt = self.ruleset.deck.size - 1 if _has_order(self.ruleset, self.num_players) else each
        decks = [list(map(int, reversed(deck)))[:dealt] for deck in self._decks]
        left = None
        for position, move in zip(self.game.positions, (*self.game.history, None), strict=True):
            if left is None or (position.bidding and len(position.redeals) != left):
                left = len(position.redeals)
                yield from decks.pop(0) if decks else ()
            if move is not None:
                yield move.play

    def copy(self) -> ChanceGame:
        """Return an independent copy."""
        other = object.__new__(ChanceGame)
        other.ruleset, other.num_players = self.ruleset, self.num_players
        other.game = None if self.game is None else self.game.copy()
        other._decks, other._legal, other._last = self._decks.copy(), self._legal, self._last
        other._dealt = None if self._dealt is None else self._dealt.copy()
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> ChanceGame:
        return self.copy()

    def __str__(self) -> str:
        """Return all hands, then all moves."""
        if self.game is None:
            return f"dealing: {' '.join(map(str, self._dealt or ()))}"
        game = self.game
        hands = " | ".join(self.ruleset.text(game.position.hands[seat]) or "-" for seat in range(self.num_players))
        dealing = "" if self._dealt is None else f" {self._last}; dealing: {' '.join(map(str, self._dealt))}"
        return f"{hands}; {' '.join(f'{seat}:{move_text(self.ruleset, play)}' for seat, play in game.history)}{dealing}"


def _shuffled(cards: list[Card], draw: Callable[[], float]) -> list[Card]:
    found = cards.copy()
    for last in range(len(found) - 1, 0, -1):
        place = int(draw() * (last + 1))
        found[last], found[place] = found[place], found[last]
    return found


@lru_cache(maxsize=1 << 14)
def move_text(ruleset: RuleSet, play: Play) -> str:
    """Return a move in words that tell apart all moves."""
    return f"{ruleset.reading_name(play)} {ruleset.text(play.mask)}" if play.mask else play.pattern


class Recall(Layout):
    """Layout of a seat's memory with perfect recall: its cards as dealt and every public move since.

    Two positions are the same to a seat if and only if their texts are equal, and the text of a later position begins with
    the text of each earlier one. The array has the same contents.
    """

    def __init__(self, ruleset: RuleSet, num_players: int) -> None:
        self.ruleset, self.num_players = ruleset, num_players
        self.patterns = [rule.pattern.name for rule in ruleset.patterns]
        calls = () if ruleset.auction is None else ruleset.auction.vocabulary
        self.words = {word: i for i, word in enumerate(("pass", *(call.pattern for call in calls)))}
        self.draws = ruleset.draw_pile or ruleset.auction is not None
        cards, ranks = ruleset.deck.size, len(ruleset.ranks) if ruleset.ranks_only else 0
        parts = {"seat": num_players, "word": len(self.words), "cards": cards, "pattern": len(self.patterns), "key": ranks}
        parts["hand"] = cards if self.draws else 0
        self.starts: dict[str, int] = {}
        width = 0
        for name, size in parts.items():
            self.starts[name], width = width, width + size
        super().__init__(
            [
                ("viewer", (num_players,), "this seat is the viewer"),
                ("opener", (num_players,), "this seat has the first move"),
                ("dealt", (cards,), "the viewer was dealt the card"),
                ("bottom", (cards if ruleset.auction is not None else 0,), "the card is one of the bottom cards"),
                (
                    "moves",
                    (max_moves(ruleset, num_players), width),
                    "seat, word, cards, pattern, key rank, new hand of each move",
                ),
            ]
        )

    def _learned(self, game: Game, seat: int) -> Iterator[tuple[int, Play, int, int]]:
        """Yield seat and play of each move, the viewer's hand if it gained cards, and the bottom once it is shown."""
        positions = game.positions
        for before, after, (actor, play) in zip(positions, positions[1:], game.history, strict=False):
            hand = after.hands[seat]
            bottom = after.bottom if before.bidding and not after.bidding else 0
            yield actor, play, hand if hand & ~before.hands[seat] else 0, bottom

    def text(self, game: Game | None, seat: int) -> str:
        """Return a seat's memory as text.

        Args:
            game: The game; None before the deal.
            seat: The viewer.
        """
        if game is None:
            return f"seat {seat}"
        rules = self.ruleset
        found = [f"seat {seat}: {rules.text(game.start.hands[seat])}; {game.start.turn} opens;"]
        for actor, play, hand, bottom in self._learned(game, seat):
            found.append(f"{actor} {move_text(rules, play)};")
            if bottom:
                found.append(f"bottom {rules.text(bottom)};")
            if hand:
                found.append(f"hand {rules.text(hand)};")
        return " ".join(found)

    def encode(self, game: Game | None, seat: int, out: npt.NDArray[Any]) -> None:
        """Write a seat's memory to an array `(size,)`.

        Args:
            game: The game; None before the deal.
            seat: The viewer.
            out: Array to overwrite.
        """
        out[:] = 0
        windows = self.named(out)
        windows["viewer"][seat] = 1
        if game is None:
            return
        places, starts = self.ruleset.order.positions, self.starts

        def mark(window: npt.NDArray[Any], mask: int) -> None:
            window[[places[card] for card in iter_cards(mask)]] = 1

        windows["opener"][game.start.turn] = 1
        mark(windows["dealt"], game.start.hands[seat])
        for row, (actor, play, hand, bottom) in zip(windows["moves"], self._learned(game, seat), strict=False):
            row[actor] = 1
            if play.mask:
                mark(row[starts["cards"] :], play.mask)
                row[starts["pattern"] + self.patterns.index(play.pattern)] = 1
                if self.ruleset.ranks_only:
                    row[starts["key"] + play.power % TIER_POWER // 4] = 1
            else:
                row[starts["word"] + self.words[play.pattern]] = 1
            if hand:
                mark(row[starts["hand"] :], hand)
            if bottom:
                mark(windows["bottom"], bottom)
