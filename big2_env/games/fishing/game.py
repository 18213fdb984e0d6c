"""The fishing game, play by play: the reference engine. It is plain, and the compiled one must agree with it.

A play: the front card of the mover's hand goes onto the board. It captures the board from the card of the same rank on, or all
of it if it is a J; what is captured goes under the mover's hand, and the mover plays again. Whoever has no card then has lost.

Single games are played out in plain Python, many or very long ones by compiled code (`decide`). There are no choices, so a deal
is a whole game.

| key of a record | value |
| --- | --- |
| `rules` | as `rules.rules_data` gives them |
| `hands` | the deal, `"2 10 J ... | W 3 ..."`: seat 0's hand first, front cards first |
| `max_plays` | the game was given up at its first capture after this many plays, if it got there |
| `end`, `plays`, `loser`, `period` | the result; `null` for what there is not |
| `captures` | how many cards each capture took, in order; `null` for a game without an end |
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from big2_env.errors import ConfigError, IllegalPlayError, NotationError, Refusal, quoted
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
from big2_env.games.fishing.scene import shown_act, view_scene
from big2_env.json_values import shown, text_at
from big2_env.language import Language, Words
from big2_env.runs.progress import waiting
from big2_env.scene import RulesPage, Scene, ShownAct
from big2_env.side_game import SideGame

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class FishingGame(SideGame):
    """A game in progress.

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
    has_choices = False
    start_keys = ("rules", "hands", "max_plays")
    max_record = 1 << 24

    def __init__(self, rules: FishingRules, hands: Sequence[Sequence[int]], max_plays: int = MAX_PLAYS) -> None:
        """A game at its start.

        Args:
            rules: The reading of the rules.
            hands: By seat, front card first.
            max_plays: The result of a longer game is "undecided", by the first capture after this many plays.

        Raises:
            ConfigError: not two hands of equal size that make up the deck, or `max_plays` out of range.
        """
        if not 1 <= max_plays <= MAX_PLAYS:
            raise ConfigError(f"expected max_plays of 1 to {MAX_PLAYS:,}, got {max_plays}")
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
        self.max_plays = max_plays
        self.history: list[FishingPlay] = []
        """What `play` did; `play_all` and `play_out` keep nothing."""

    @classmethod
    def deal(cls, rules: FishingRules = LISTING, seed: int = 0) -> FishingGame:
        """The game of a seed."""
        return cls(rules, rules.deck.deal(seed))

    @classmethod
    def usual(cls, seed: int = 0) -> FishingGame:
        """Deal a game by the article's program."""
        return cls.deal(LISTING, seed)

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

    @property
    def is_over(self) -> bool:
        """True once a seat has lost."""
        return self.loser is not None

    def legal_moves(self) -> tuple[int, ...]:
        """The only move: 0 plays the front card; none once the game is over."""
        return () if self.is_over else (0,)

    def play(self, move: int = 0) -> FishingPlay:
        """Make the next play and return it.

        Raises:
            ConfigError: no move has that number.
            IllegalPlayError: the game is over.
        """
        if move != 0:
            raise ConfigError(f"expected an action of 0, got {move}")
        made = self._next()
        self.history.append(made)
        return made

    def _next(self) -> FishingPlay:
        """Make the next play and keep nothing of it."""
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
            play = self._next()
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

    # Data and text.

    @cached_property
    def result(self) -> FishingOutcome:
        """How the game ends, whatever has been played of it so far: `decide` within `max_plays`."""
        return decide(self.rules, self.start, max_plays=self.max_plays)

    @cached_property
    def captures(self) -> tuple[int, ...] | None:
        """How many cards each capture of the game takes, in order; `None` if it does not end."""
        if self.result.end is not FishingEnd.EMPTY_HAND:
            return None
        again = FishingGame(self.rules, self.start)
        return tuple(len(play.captured) for play in again.play_all() if play.captured)

    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        """1 for the winner and -1 for the loser, `None` before the end."""
        self.checked_scoring(scoring)
        return None if self.loser is None else tuple(-1.0 if seat == self.loser else 1.0 for seat in range(2))

    def view(self, seat: int | None = None) -> FishingView:
        """What a seat may know, by default the one to move."""
        seat = self.turn if seat is None else seat
        if seat not in (0, 1):
            raise ConfigError(f"expected a seat of 0 to 1, got {seat}")
        moves = self.legal_moves() if seat == self.turn else ()
        return FishingView(seat, self.turn, tuple(self.board), (len(self.hands[0]), len(self.hands[1])), moves)

    def start_data(self) -> dict[str, Any]:
        """The rules, the hands with front cards first, and the limit on plays."""
        return {
            "rules": rules_data(self.rules),
            "hands": " | ".join(map(cards_text, self.start)),
            "max_plays": self.max_plays,
        }

    @classmethod
    def from_start(cls, data: dict[str, Any]) -> Self:
        """The game of `start_data`."""
        max_plays = data.get("max_plays")
        if type(max_plays) is not int:
            raise NotationError(f"expected max_plays of 1 to {MAX_PLAYS:,}, got {shown(max_plays)}")
        rules = rules_of(data.get("rules"))
        game = cls.of_hands(text_at(data, "hands", 1000), rules)
        if game.rules != rules:
            raise NotationError(f"expected hands of the rules' deck {rules.deck}, got hands of {game.rules.deck}")
        return cls(rules, game.start, max_plays)

    def restarted(self) -> Self:
        """The same game at its start."""
        return type(self)(self.rules, self.start, self.max_plays)

    def result_data(self) -> dict[str, Any]:
        """How the game ends, and how many cards each capture takes; `null` for what there is not."""
        found = self.result
        ended = {"end": found.end.value, "plays": found.plays, "loser": found.loser, "period": found.period}
        return ended | {"captures": None if self.captures is None else list(self.captures)}

    @staticmethod
    def move_text(move: int, /) -> str:
        """The only move."""
        return "play"

    @staticmethod
    def parse_move(text: str, /) -> int:
        """The move of a text."""
        if text != "play":
            raise NotationError(f"expected play, got {quoted(text)}")
        return 0

    # What people see.

    def scene(
        self,
        viewer: int | None = None,
        *,
        open_hands: bool = False,
        names: Sequence[str] | None = None,
        lang: Language | None = None,
        last: int = 8,
        scoring: str = "",
        scores: Sequence[float] | None = None,
    ) -> Scene:
        """What anybody may know now: players do not look into their own hands either."""
        hands = (tuple(self.hands[0]), tuple(self.hands[1]))
        seen = self.history[-max(last, 2) :]
        return view_scene(
            hands, self.board, self.turn, self.plays, self.loser, seen, open_hands=open_hands, names=names, lang=lang, last=last
        )

    def shown_move(self, made: FishingPlay, tr: Words) -> ShownAct:
        """A play as it is shown."""
        return shown_act(made, tr)

    def rules_page(self, lang: Language | None = None) -> RulesPage:
        """The rules in words."""
        return rules_page(self.rules, lang)

    def observe(self, view: FishingView) -> npt.NDArray[np.int8]:
        """The sizes of the hands and the ranks on the board, zeros and ones."""
        import numpy as np

        size = self.rules.deck.size
        array = np.zeros((2 + size, max(size + 1, len(RANKS))), np.int8)
        for row, number in enumerate(view.cards_left):
            array[row, number] = 1
        for row, card in enumerate(view.board, start=2):
            array[row, card] = 1
        return array.reshape(-1)


PLAIN_PLAYS: Final = 400_000
"""Plays that plain Python makes in one process, a second's worth, before the rest is left to compiled code."""


class Ends:
    """Finds how games end.

    Args:
        plain_plays: plays that may be made in plain Python; after those, compiled code decides.
    """

    def __init__(self, plain_plays: int = PLAIN_PLAYS) -> None:
        self._plain_plays = plain_plays

    def decide(self, rules: FishingRules, hands: Sequence[Sequence[int]], *, max_plays: int = MAX_PLAYS) -> FishingOutcome:
        """How the game of two hands ends: what `FishingGame.play_out` says.

        Raises:
            ConfigError: hands that are not the deck.

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
"""The same for everybody in this process."""
