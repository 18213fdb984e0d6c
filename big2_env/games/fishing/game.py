"""Reference implementation of the fishing game. It favors readability; the compiled implementation must agree with it.

On each play the front card of the mover's hand goes onto the board. It captures the board from the card of equal rank to the
end; a J captures the whole board. Captured cards go under the mover's hand, and the mover plays again. A player with no cards
left after a play loses.

Plain Python plays single games to their end; `decide` hands long or numerous games to compiled code.

| key of a record | value |
| --- | --- |
| `rules` | output of `rules.rules_data` |
| `hands` | the deal, `"2 10 J ... | W 3 ..."`: seat 0 first, front card first |
| `max_plays` | limit on plays, checked after each capture |
| `end`, `plays`, `loser`, `period` | result; `null` if not applicable |
| `captures` | cards taken by each capture, in order; `null` for a game that does not end |
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError, Refusal, quoted
from big2_env.base.json_values import shown, text_at
from big2_env.base.language import Language, Words
from big2_env.base.scene import RulesPage, Scene, ShownMove
from big2_env.base.side_game import Look, SideGame, card_numbers
from big2_env.games.fishing.cards import JACK, RANKS, FishingDeck, cards_text, parse_cards
from big2_env.games.fishing.plays import MAX_PLAYS, FishingEnd, FishingOutcome, FishingPlay, FishingState, FishingView
from big2_env.games.fishing.rules import (
    LISTING,
    CaptureOrder,
    FishingRules,
    check_cycles_watched,
    rules_data,
    rules_of,
    rules_page,
)
from big2_env.games.fishing.scene import shown_move, view_scene
from big2_env.runs.progress import waiting

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class FishingGame(SideGame):
    """Game in progress. The players make no decisions, so the hands determine every play.

    Args:
        rules: Rules of the game.
        hands: Cards by seat, front card first.
        max_plays: Limit on plays, checked after each capture. The result of a longer game is "undecided".

    Raises:
        ConfigError: The hands are not two equal halves of the deck, or `max_plays` is out of range.

    >>> game = FishingGame.of_hands("2 3 2 3 | 3 J 3 2")
    >>> [str(game.play()) for _ in range(3)]
    ['1 seat 0 plays 2', '2 seat 1 plays 3', '3 seat 0 plays 3, captures 3 3']
    >>> print(game.state)
    2 3 3 3 | J 3 2 | board 2 | seat 0
    >>> FishingGame.of_hands("2 2 2 3 | 3 3 2 3").play_out()
    FishingOutcome(end=<FishingEnd.CYCLE: 'cycle'>, plays=None, loser=None, period=8)
    """

    name = "fishing"
    num_moves = 1
    num_players = 2
    scorings = ("winner",)
    seats = (2, 2, 2)
    has_choices = False
    move_texts = ("play",)
    start_keys = ("rules", "hands", "max_plays")
    max_record = 1 << 24

    def __init__(self, rules: FishingRules, hands: Sequence[Sequence[int]], max_plays: int = MAX_PLAYS) -> None:
        if not 1 <= max_plays <= MAX_PLAYS:
            raise ConfigError(f"expected max_plays of 1 to {MAX_PLAYS:,}, got {max_plays}")
        if len(hands) != 2 or len(hands[0]) != len(hands[1]):
            raise ConfigError(f"expected two hands of one size, got {', '.join(str(len(hand)) for hand in hands)} cards")
        self.start: Final = rules.deck.halves(card_numbers([*hands[0], *hands[1]]))
        """Hands as dealt."""
        self.rules = rules
        self.hands = (deque(self.start[0]), deque(self.start[1]))
        self.board: list[int] = []
        self.turn = 0
        self.plays = 0
        """Number of plays made."""
        self.loser: int | None = None
        self.max_plays = max_plays
        self.history: list[FishingPlay] = []
        """Plays made with `play`; `play_all` and `play_out` record none."""

    @classmethod
    def deal(cls, rules: FishingRules = LISTING, seed: int = 0) -> FishingGame:
        """Deal the game of a seed.

        Args:
            rules: Rules of the game; the deck is part of them.
            seed: Seed of the deal.
        """
        return cls(rules, rules.deck.deal(seed))

    @classmethod
    def usual(cls, seed: int = 0) -> FishingGame:
        """Deal a game with the rules of the article's program."""
        return cls.deal(LISTING, seed)

    @classmethod
    def of_hands(cls, text: str, rules: FishingRules = LISTING) -> FishingGame:
        """Create a game from two hands in text form, `2 3 J | 3 2 J`, front card first. The hands make up the deck.

        Args:
            text: The hands, separated by `|`.
            rules: Rules of the game; their deck is replaced.

        Raises:
            NotationError: The text does not have two hands, or a word is not a card.
            ConfigError: The hands differ in size, or do not make up a valid deck.
        """
        parts = text.split("|")
        if len(parts) != 2:
            raise NotationError(f"expected two hands with a | between them, got {quoted(text)}")
        hands = [parse_cards(part) for part in parts]
        cards = hands[0] + hands[1]
        return cls(rules.with_deck(FishingDeck.of(cards)), hands)

    @property
    def state(self) -> FishingState:
        """Current position as a value."""
        return FishingState((tuple(self.hands[0]), tuple(self.hands[1])), tuple(self.board), self.turn)

    def _captured_from(self, card: int) -> int | None:
        """Return the place of the board from which a card, not yet on the board, captures; `None` if it does not capture."""
        rules = self.rules
        if card == JACK and rules.j_power:
            return 0 if self.board or rules.j_on_empty else None
        return self.board.index(card) if card in self.board else None

    @property
    def is_over(self) -> bool:
        """True once a seat has lost."""
        return self.loser is not None

    @property
    def is_stopped(self) -> bool:
        """True if the game is over, or has reached its first capture after `max_plays` plays."""
        return self.is_over or (len(self.history) >= self.max_plays and bool(self.history[-1].captured))

    def legal_moves(self) -> tuple[int, ...]:
        """Return the only move, 0 (play the front card); empty once the game is over."""
        return () if self.is_over else (0,)

    def play(self, move: int = 0) -> FishingPlay:
        """Make the next play and return it.

        Args:
            move: 0, the only move.

        Raises:
            ConfigError: `move` is not 0.
            IllegalPlayError: The game is over.
        """
        if move != 0:
            raise ConfigError(f"expected an action of 0, got {move}")
        made = self._next()
        self.history.append(made)
        return made

    def _next(self) -> FishingPlay:
        """Make the next play without recording it."""
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
        """Yield the plays up to the end, or up to the first capture after `max_plays` plays.

        Cycles are not detected; see `play_out`.
        """
        while self.loser is None:
            play = self._next()
            yield play
            if play.captured and self.plays >= max_plays:
                return

    def play_out(self, max_plays: int = MAX_PLAYS, watch_cycles: bool = True) -> FishingOutcome:
        """Play the game until it ends, repeats a state, or reaches its first capture after `max_plays` plays.

        Brent's algorithm detects repeated states: it keeps the state after 1, 2, 4, 8, ... plays and compares later
        states with it. The distance between two equal states is the period.

        Args:
            max_plays: Limit on plays, checked after each capture.
            watch_cycles: False to skip cycle detection.

        Raises:
            ConfigError: The rules have `j_on_empty` and `watch_cycles` is false.
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

    # Data and text.

    @cached_property
    def result(self) -> FishingOutcome:
        """Outcome of the game within `max_plays`, independent of the plays made so far."""
        return decide(self.rules, self.start, max_plays=self.max_plays)

    @cached_property
    def captures(self) -> tuple[int, ...] | None:
        """Number of cards taken by each capture of the whole game, in order; `None` if the game does not end."""
        if self.result.end is not FishingEnd.EMPTY_HAND:
            return None
        again = FishingGame(self.rules, self.start)
        return tuple(len(play.captured) for play in again.play_all() if play.captured)

    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        """Return 1 for the winner and -1 for the loser, by seat; `None` before the end."""
        self.checked_scoring(scoring)
        return None if self.loser is None else tuple(-1.0 if seat == self.loser else 1.0 for seat in range(2))

    def view(self, seat: int | None = None) -> FishingView:
        """Return the view of a seat, by default of the seat to move."""
        seat = self.checked_seat(seat)
        moves = self.legal_moves() if seat == self.turn else ()
        return FishingView(seat, self.turn, tuple(self.board), (len(self.hands[0]), len(self.hands[1])), moves)

    def start_data(self) -> dict[str, Any]:
        """Return the rules, the hands (front card first) and the limit on plays as JSON values."""
        return {
            "rules": rules_data(self.rules),
            "hands": " | ".join(map(cards_text, self.start)),
            "max_plays": self.max_plays,
        }

    @classmethod
    def from_start(cls, data: dict[str, Any]) -> Self:
        """Create a game from the output of `start_data`."""
        max_plays = data.get("max_plays")
        if type(max_plays) is not int:
            raise NotationError(f"expected max_plays of 1 to {MAX_PLAYS:,}, got {shown(max_plays)}")
        rules = rules_of(data.get("rules"))
        game = cls.of_hands(text_at(data, "hands", 1000), rules)
        if game.rules != rules:
            raise NotationError(f"expected hands of the rules' deck {rules.deck}, got hands of {game.rules.deck}")
        return cls(rules, game.start, max_plays)

    def restarted(self) -> Self:
        """Return the same game at its start."""
        return type(self)(self.rules, self.start, self.max_plays)

    def result_data(self) -> dict[str, Any]:
        """Return the outcome and the size of each capture as JSON values; `null` if not applicable."""
        found = self.result
        ended = {"end": found.end.value, "plays": found.plays, "loser": found.loser, "period": found.period}
        return ended | {"captures": None if self.captures is None else list(self.captures)}

    # What people see.

    def shown(self, look: Look) -> Scene:
        """Return the scene of the current position; see `SideGame.scene`. No viewer sees a hand."""
        return view_scene(self.state, self.plays, self.loser, self.history[-max(look.last, 2) :], look)

    def shown_move(self, made: FishingPlay, tr: Words) -> ShownMove:
        """Return a play in the form that screens show."""
        return shown_move(made, tr)

    def rules_page(self, lang: Language | None = None) -> RulesPage:
        """Return the rules in words."""
        return rules_page(self.rules, lang)

    def observe(self, view: FishingView) -> npt.NDArray[np.int8]:
        """Return hand sizes and ranks on the board as zeros and ones, int8."""
        import numpy as np

        size = self.rules.deck.size
        array = np.zeros((2 + size, max(size + 1, len(RANKS))), np.int8)
        for row, number in enumerate(view.cards_left):
            array[row, number] = 1
        for row, card in enumerate(view.board, start=2):
            array[row, card] = 1
        return array.reshape(-1)


PLAIN_PLAYS: Final = 400_000
"""Plays per process in plain Python, about one second of work, before compiled code takes over."""


class Ends:
    """Computes outcomes of games, first in plain Python and then with compiled code.

    Args:
        plain_plays: Number of plays to make in plain Python before compiled code takes over.
    """

    def __init__(self, plain_plays: int = PLAIN_PLAYS) -> None:
        self._plain_plays = plain_plays

    def decide(self, rules: FishingRules, hands: Sequence[Sequence[int]], *, max_plays: int = MAX_PLAYS) -> FishingOutcome:
        """Return the outcome of a game; same result as `FishingGame.play_out`.

        Args:
            rules: Rules of the game.
            hands: Cards by seat, front card first.
            max_plays: Limit on plays, checked after each capture.

        Raises:
            ConfigError: The hands do not make up the deck.

        >>> from big2_env.games.fishing.rules import LISTING
        >>> Ends().decide(LISTING, LISTING.deck.deal(7))
        FishingOutcome(end=<FishingEnd.EMPTY_HAND: 'empty hand'>, plays=275, loser=1, period=None)
        """
        if self._plain_plays > 0:
            game, most = FishingGame(rules, hands), min(max_plays, self._plain_plays)
            found = game.play_out(most)
            self._plain_plays -= game.plays
            if found.end is not FishingEnd.UNDECIDED or most == max_plays:
                return found
        with waiting():
            from big2_env.games.fishing.kernels import loops

            return loops.decide(rules, hands, max_plays=max_plays)


decide: Final = Ends().decide
"""`Ends.decide` of an instance that is shared by the whole process."""
