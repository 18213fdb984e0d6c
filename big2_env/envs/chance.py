"""Games with chance events for the deal, and a seat's memory with perfect recall, for libraries of game theory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.base.cards import CARDS, Card, Rank, as_mask, iter_cards
from big2_env.base.errors import ConfigError
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.layout import Layout
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game, max_moves
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.table import TIER_POWER
from big2_env.envs.turn_engine import RecordEngine, record_engine
from big2_env.kernels.engine import compilation

CHANCE, OVER = -1, -4
"""Values of `ChanceGame.turn` if no seat is to move, as OpenSpiel numbers them."""
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
def _ids(ruleset: RuleSet) -> tuple[int, ...]:
    return tuple(map(int, ruleset.deck.cards))


@lru_cache(maxsize=32)
def _chances(ruleset: RuleSet, num_players: int) -> int:
    """Return how many cards of a deal are chance events of their own."""
    return ruleset.deck.size - 1 if _has_order(ruleset, num_players) else ruleset.cards_each(num_players) * num_players


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


@lru_cache(maxsize=32)
def layout_of(ruleset: RuleSet, num_players: int) -> ObservationLayout:
    """Return the layout of observations."""
    return ObservationLayout(ruleset, num_players)


class ChanceGame:
    """Game that begins with chance events: all deals at once if there are few, otherwise one card after the other.

    In a game with an auction, a new deal that follows when no seat wants the first is made of chance events too. Moves after
    an auction are made by compiled rules, once these are ready.

    Attributes:
        turn: Seat to move, or `CHANCE`, or `OVER`.
        payoffs: Payoff of each seat, zeros until the game ends.
    """

    def __init__(self, ruleset: RuleSet, num_players: int) -> None:
        self.ruleset, self.num_players = ruleset, num_players
        self.turn, self.payoffs = CHANCE, (0.0,) * num_players
        self._game: Game | None = None
        self._record: bytes | None = None
        """The game as compiled rules know it; None while readable rules make the moves."""
        self._moves: list[int] = []
        """Actions made by compiled rules, of which `_game` does not know yet."""
        self._ids: list[int] | None = None
        self._decks: list[list[Card]] = []
        """Complete decks of the deals so far, from bottom to top."""
        self._dealt: list[Card] | None = []
        """Cards of the deal in progress, the first one dealt first; None while seats move."""
        self._left = list(_ids(ruleset))
        """Cards that this deal has not dealt yet."""
        self._last: Play | None = None
        """Decision after which the deal in progress follows; it is not in the history before the deal is complete."""

    @property
    def game(self) -> Game | None:
        """The game with its history; None before the first deal. Read-only."""
        game = self._game
        if self._moves and game is not None:
            for action in self._moves:
                game.push(action_space(self.ruleset).verify(action, game.legal_plays()))
            self._moves = []
        return game

    @property
    def is_dealing(self) -> bool:
        """True if a chance event is next."""
        return self._dealt is not None

    def outcomes(self) -> range | list[int]:
        """Return the outcomes of the next chance event, all equally likely: indices of `deals`, or cards."""
        found = deals(self.ruleset, self.num_players)
        return range(len(found)) if found else self._left.copy()

    def allows(self, event: int) -> bool:
        """Return whether the outcome or action may come next."""
        if self._dealt is None:
            return event in self.actions()
        if found := deals(self.ruleset, self.num_players):
            return 0 <= event < len(found)
        return event in self._left

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
            self._game, self._dealt = Game.from_hands(self.ruleset, found[outcome]), None
            self._note()
            return
        self._dealt.append(CARDS[outcome])
        self._left.remove(outcome)
        if len(self._dealt) < _chances(self.ruleset, self.num_players):
            return
        rest = [CARDS[card] for card in self._left]  # in any order, if no seat gets them
        self._decks.append([*rest, *reversed(self._dealt)])
        self._dealt, self._left = None, list(_ids(self.ruleset))
        history = [] if self.game is None else self.game.history
        self._game = self._begun()
        for play in (*(move.play for move in history), *(() if self._last is None else (self._last,))):
            self._game.push(play)
        self._last = None
        self._note()

    def _note(self) -> None:
        """Follow a change of the game, and hand it to compiled rules if they are ready."""
        game = self._game
        assert game is not None
        self._ids = self._record = None
        self.turn = CHANCE if self._dealt is not None else OVER if game.is_over else game.turn
        if game.outcome is not None:
            self.payoffs = game.outcome.payoffs
        elif self.turn != CHANCE and not game.position.bidding and (engine := record_engine(self.ruleset, self.num_players)):
            self._record = engine.record_of(game)

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.turn == OVER

    def legal(self) -> dict[int, Play]:
        """Return the legal moves of the seat to move by action, ascending."""
        assert self.game is not None
        plays = self.game.legal_plays()
        return dict(sorted(zip(action_space(self.ruleset).ids(plays), plays, strict=True)))

    def actions(self) -> list[int]:
        """Return the legal actions of the seat to move, ascending."""
        if self._ids is None:
            if self._record is not None:
                self._ids = self._taken_up(self._record).legal_ids()
            else:
                with self._timed():
                    self._ids = list(self.legal())
        return self._ids

    def _timed(self) -> AbstractContextManager[None]:
        return compilation(self.ruleset, self.num_players, "int8").timed()

    def _taken_up(self, record: bytes) -> RecordEngine:
        engine = record_engine(self.ruleset, self.num_players)
        assert engine is not None  # it is ready, for it made the record
        engine.take_up(record)
        return engine

    def observation(self, seat: int) -> npt.NDArray[np.int8]:
        """Return what a seat sees, int8 `(size,)`: zeros before the deal."""
        if self._record is not None:
            return self._taken_up(self._record).observation(seat)
        layout = layout_of(self.ruleset, self.num_players)
        seen = np.zeros(layout.size, np.int8)
        if self.game is not None:
            with self._timed():
                layout.encode(self.game.view(seat), seen)
        return seen

    def act(self, action: int) -> None:
        """Make the move of an action.

        Args:
            action: One of `actions`.
        """
        if self._record is not None:
            engine = self._taken_up(self._record)
            self._record, self._ids = engine.move(action), None
            self._moves.append(action)
            self.turn = OVER if engine.is_over else engine.turn
            self.payoffs = engine.payoffs()
            return
        game = self.game
        assert game is not None
        before, play = len(game.position.redeals), action_space(self.ruleset).verify(action, game.legal_plays())
        with self._timed():
            game.push(play)
        if game.position.bidding and len(game.position.redeals) < before:
            game.undo()
            self._dealt, self._last = [], play
        self._note()

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
                other._note()
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
        if self._decks:
            other._decks = [[new.get(card, card) for card in deck] for deck, new in zip(self._decks, moved, strict=True)]
            other._game = game = other._begun()
        else:
            hands = [as_mask(moved[0].get(card, card) for card in iter_cards(hand)) for hand in self.game.start.hands]
            other._game = game = Game.from_hands(self.ruleset, hands)
        for seat, play in self.game.history:
            if game.turn != seat or game.legal_plays().listed(play) != play:
                return None
            game.push(play)
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
        dealt = _chances(self.ruleset, self.num_players)
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
        vars(other).update(vars(self))
        other._game = None if self._game is None else self._game.copy()
        other._decks, other._left, other._moves = self._decks.copy(), self._left.copy(), self._moves.copy()
        other._dealt = None if self._dealt is None else self._dealt.copy()
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> ChanceGame:
        return self.copy()

    def __str__(self) -> str:
        """Return all hands, then all moves."""
        game = self.game
        if game is None:
            return f"dealing: {' '.join(map(str, self._dealt or ()))}"
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
