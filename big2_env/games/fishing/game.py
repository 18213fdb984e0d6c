"""The fishing game, play by play: the reference engine. It is plain, and the compiled one must agree with it.

A play: the front card of the mover's hand goes onto the board. It captures the board from the card of the same rank on, or all
of it if it is a J; what is captured goes under the mover's hand, and the mover plays again. Whoever has no card then has lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from big2_env.errors import ConfigError, IllegalPlayError, NotationError, Refusal, quoted
from big2_env.games.fishing.cards import JACK, RANKS, FishingDeck, cards_text, parse_cards
from big2_env.games.fishing.rules import LISTING, CaptureOrder, FishingRules, check_cycles_watched

MAX_PLAYS: Final = 30_000_000
"""Plays after which a game is given up where nothing else is said. By the measured tail, no game that ends gets there."""

CYCLE: Final = 2
UNDECIDED: Final = 3
"""Ends of games in arrays, where a seat (0, 1) says who has lost."""


class FishingEnd(StrEnum):
    """Why a game is over."""

    EMPTY_HAND = "empty hand"
    CYCLE = "cycle"
    """The whole state has come back: the game never ends."""
    UNDECIDED = "undecided"
    """Given up after a number of plays; no state was seen to come back."""


@dataclass(frozen=True)
class FishingOutcome:
    """How a game ended."""

    end: FishingEnd
    plays: int | None
    """How many plays were made; `None` for a cycle."""
    loser: int | None = None
    """The seat without cards; `None` where nobody has lost."""
    period: int | None = None
    """After how many plays the state comes back, where it does: the least such number."""

    @property
    def winner(self) -> int | None:
        """The other seat, `None` where nobody has lost."""
        return None if self.loser is None else 1 - self.loser


class FishingState(NamedTuple):
    """All there is to a position: what comes after follows from it."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    """By seat, front card first."""
    board: tuple[int, ...]
    """Oldest card first."""
    turn: int
    """The seat to play."""

    def __str__(self) -> str:
        shown = (cards_text(cards) or "-" for cards in (*self.hands, self.board))
        return "{} | {} | board {} | seat {}".format(*shown, self.turn)


@dataclass(frozen=True)
class FishingPlay:
    """One play, as the event log has it."""

    number: int
    """Counted from 1."""
    seat: int
    card: int
    captured: tuple[int, ...]
    """In the board's order, the played card last; empty where nothing was captured."""
    loser: int | None
    """The seat that has lost by this play, `None` while the game goes on."""

    def __str__(self) -> str:
        text = f"{self.number} seat {self.seat} plays {RANKS[self.card]}"
        if self.captured:
            text += f", captures {cards_text(self.captured)}"
        return text if self.loser is None else f"{text}; seat {self.loser} has no cards and loses"


class FishingGame:
    """A game in progress.

    >>> game = FishingGame.of_hands("2 3 2 3 | 3 J 3 2")
    >>> [str(game.play()) for _ in range(3)]
    ['1 seat 0 plays 2', '2 seat 1 plays 3', '3 seat 0 plays 3, captures 3 3']
    >>> print(game.state)
    2 3 3 3 | J 3 2 | board 2 | seat 0
    >>> FishingGame.of_hands("2 2 2 3 | 3 3 2 3").play_out()
    FishingOutcome(end=<FishingEnd.CYCLE: 'cycle'>, plays=None, loser=None, period=8)
    """

    def __init__(self, rules: FishingRules, hands: Sequence[Sequence[int]]) -> None:
        """A game at its start.

        Raises:
            ConfigError: not two hands of equal size that make up the deck.
        """
        if len(hands) != 2 or len(hands[0]) != len(hands[1]):
            raise ConfigError(f"expected two hands of one size, got {', '.join(str(len(hand)) for hand in hands)} cards")
        rules.deck.halves([*hands[0], *hands[1]])
        self.rules = rules
        self.start: Final = (tuple(hands[0]), tuple(hands[1]))
        """The hands that were dealt."""
        self.hands = (deque(hands[0]), deque(hands[1]))
        self.board: list[int] = []
        self.turn = 0
        self.plays = 0
        """How many plays were made."""
        self.loser: int | None = None

    @classmethod
    def deal(cls, rules: FishingRules = LISTING, seed: int = 0) -> FishingGame:
        """The game of a seed."""
        return cls(rules, rules.deck.deal(seed))

    @classmethod
    def of_hands(cls, text: str, rules: FishingRules = LISTING) -> FishingGame:
        """The game of two hands given as text, `2 3 J | 3 2 J`, front cards first; the deck is what they have.

        Raises:
            NotationError: not two hands, or a word that is no card.
            ConfigError: hands of different sizes, or a deck that cannot be.
        """
        parts = text.split("|")
        if len(parts) != 2:
            raise NotationError(f"expected two hands with a | between them, got {quoted(text)}")
        hands = [parse_cards(part) for part in parts]
        cards = hands[0] + hands[1]
        return cls(rules.with_deck(FishingDeck.of(cards)), hands)

    @property
    def state(self) -> FishingState:
        """The position as a value."""
        return FishingState((tuple(self.hands[0]), tuple(self.hands[1])), tuple(self.board), self.turn)

    def _captured_from(self, card: int) -> int | None:
        """The place of the board from which a card captures, `None` where it does not; the card is not there yet."""
        rules = self.rules
        if card == JACK and rules.j_power:
            return 0 if self.board or rules.j_on_empty else None
        return self.board.index(card) if card in self.board else None

    def play(self) -> FishingPlay:
        """What the next play does; it is made.

        Raises:
            IllegalPlayError: somebody has lost.
        """
        if self.loser is not None:
            raise IllegalPlayError(f"the game is over: seat {self.loser} has lost after {self.plays} plays", Refusal.GAME_OVER)
        seat, hand = self.turn, self.hands[self.turn]
        card = hand.popleft()
        self.plays += 1
        place = self._captured_from(card)
        self.board.append(card)
        captured: tuple[int, ...] = ()
        if self.rules.empty_first and not hand:
            self.loser = seat
        elif place is not None:
            captured = tuple(self.board[place:])
            del self.board[place:]
            hand.extend(captured if self.rules.order is CaptureOrder.BOARD else reversed(captured))
        if not hand:
            self.loser = seat
        if not (captured and self.rules.again):
            self.turn = 1 - seat
        return FishingPlay(self.plays, seat, card, captured, self.loser)

    def play_all(self, max_plays: int = MAX_PLAYS) -> Iterator[FishingPlay]:
        """The plays to the end, or to the first capture after `max_plays` plays. Cycles are not looked for: see `play_out`."""
        while self.loser is None:
            play = self.play()
            yield play
            if play.captured and self.plays >= max_plays:
                return

    def play_out(self, max_plays: int = MAX_PLAYS, watch_cycles: bool = True) -> FishingOutcome:
        """How the game ends: it is played out, until a state comes back, or to the first capture after `max_plays` plays.

        A state that comes back is found by Brent's algorithm: the state after 1, 2, 4, 8, ... plays is kept and every later one
        compared with it, so the distance at which it is met again is the period.

        Raises:
            ConfigError: `j_on_empty` without watching for cycles.
        """
        check_cycles_watched(self.rules, watch_cycles)
        kept, kept_at, next_at = self.state, self.plays, 1
        for play in self.play_all(max_plays):
            if not watch_cycles or self.loser is not None:
                continue
            sizes = (len(self.board), len(self.hands[0])) == (len(kept.board), len(kept.hands[0]))
            if sizes and self.state == kept:
                return FishingOutcome(FishingEnd.CYCLE, None, period=play.number - kept_at)
            if play.number >= next_at:
                kept, kept_at, next_at = self.state, play.number, 2 * next_at
        if self.loser is None:
            return FishingOutcome(FishingEnd.UNDECIDED, self.plays)
        return FishingOutcome(FishingEnd.EMPTY_HAND, self.plays, self.loser)
