"""Reference implementation of UNO in plain Python, from the deal to the scores.

Source: 疯狂的UNO for the deck, the automatic player and the scores. `big2_env.games.uno.rules` lists the points that it leaves
open.

| key of a record | value |
| --- | --- |
| `rules` | number of players, and differences from the recommended rules |
| `deck` | the 108 cards from bottom to top |
| `stream` | state of the random generator that shuffles played cards |
| `winners`, `reason`, `scores` | result; all `null` before the end |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError, Refusal
from big2_env.base.json_values import shown, text_at, whole_at
from big2_env.base.language import Language, Words, words
from big2_env.base.rng import SplitMix64, derived
from big2_env.base.scene import RulesPage, Scene, ShownMove
from big2_env.base.side_game import Look, Player, SideGame, SideMove
from big2_env.games.uno.cards import (
    DECK,
    DRAW,
    DRAW_TWO,
    FOUR,
    KEEP,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_FACES,
    NUM_MOVES,
    PLAIN,
    REVERSE,
    SKIP,
    WILD_FOUR,
    Colour,
    card_text,
    cards_text,
    check_deck,
    check_move,
    colour_of,
    face_of,
    is_wild,
    move_text,
    parse_cards,
    parse_move,
    play_of,
    played_card,
    points_of,
)
from big2_env.games.uno.players import automatic_move, opponents, uno_player
from big2_env.games.uno.rules import HAND_SIZE, MAX_TURNS, SCORINGS, UnoEnd, UnoOutcome, UnoRules, rules_page, uno_rules
from big2_env.games.uno.scene import (
    COLOUR_NAMES,
    move_words,
    outcome_text,
    refusal_text,
    shown_move,
    stated_moves,
    top_text,
    turn_text,
    typed_move,
    view_scene,
)
from big2_env.games.uno.view import MOST_FRESH, UnoView

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def may_be_first(rules: UnoRules, card: int) -> bool:
    """Return True if a card may be turned up first: a number, or anything except a wild draw four by the official rule."""
    return card != FOUR if rules.official_first_card else face_of(card) < SKIP


class UnoGame(SideGame):
    """Game of UNO in progress, with any rules.

    Args:
        rules: Rules of the game.
        deck: The 108 cards from bottom to top. Hands are dealt from the top, one card to each seat in turn.
        stream: State of the random generator that shuffles played cards, for rules that reuse them.

    Raises:
        NotationError: The cards do not make up a deck.
        ConfigError: The deck leaves no card that may be turned up first, which is possible with 11 or more players.

    >>> game = UnoGame.deal(UnoRules(), seed=7)
    >>> game.text(), [move_text(act) for act in game.legal_moves()]
    ('G[3]', ['W[wild] R', 'W[wild] Y', 'W[wild] B', 'G[7]', 'G[skip]', 'W[wild] G', 'draw'])
    """

    name = "uno"
    num_moves = NUM_MOVES
    scorings = tuple(SCORINGS)
    usual_player = "automatic"
    record_names: ClassVar[Mapping[str, str]] = {"automatic": "article"}
    seats = (2, 10, 4)
    start_keys = ("rules", "deck", "stream")

    def __init__(self, rules: UnoRules, deck: Iterable[int], stream: int = 0) -> None:
        self.rules = rules
        self.num_players = rules.players
        self.deck = check_deck(deck)
        """Original deck, from bottom to top."""
        self.stream = stream
        self._rng = SplitMix64(stream)
        self.pile = list(self.deck)
        """Draw pile, top card last."""
        self.hands: list[list[int]] = [[] for _ in range(rules.players)]
        """Cards of each seat in drawing order."""
        self.discards: list[int] = []
        """Played cards, most recent last."""
        self.fresh = [[HAND_SIZE] * (NUM_COLOURS + 1) for _ in range(rules.players)]
        """Upper bound, by seat and color, on the cards of that color in a hand, if the seat draws only when it cannot play.

        It counts the cards taken since the seat last drew while that color was current, minus the cards of the color played
        since, up to `MOST_FRESH`.
        """
        self.turn, self.direction = 0, 1
        self.colour, self.face = 0, 0
        self.drawn: int | None = None
        """Card just drawn that may be played."""
        self.naming = False
        """True if the seat to move names the color of the card turned up."""
        self.turns = 0
        """Number of turns taken. A turn is a play or a draw, including a play of the card drawn."""
        self.outcome: UnoOutcome | None = None
        """Result of the game; `None` before the end."""
        self.history: list[SideMove] = []
        """Moves so far."""
        for _ in range(HAND_SIZE):
            for hand in self.hands:
                hand.append(self.pile.pop())
        self._turn_up()

    @classmethod
    def deal(cls, rules: UnoRules, seed: int) -> UnoGame:
        """Deal a game from a shuffled deck.

        If no remaining card may be turned up first, the deck is shuffled again with a seed derived from this one.
        """
        while True:
            rng, deck = SplitMix64(seed), list(DECK)
            rng.shuffle(deck)
            if any(may_be_first(rules, card) for card in deck[: NUM_CARDS - HAND_SIZE * rules.players]):
                return cls(rules, deck, rng.state)
            seed = derived(seed)

    @classmethod
    def usual(cls, seed: int = 0) -> UnoGame:
        """Deal a game for two players with the recommended rules."""
        return cls.deal(UnoRules(), seed)

    @classmethod
    def for_seats(cls, number: int, seed: int = 0) -> UnoGame:
        """Deal a game for a number of players with the recommended rules."""
        return cls.deal(UnoRules(players=cls.checked_seats(number)), seed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UnoGame):
            return NotImplemented
        mine, others = (
            (self.rules, self.deck, self.stream, self.history),
            (other.rules, other.deck, other.stream, other.history),
        )
        return mine == others

    __hash__ = None  # type: ignore[assignment]

    def text(self) -> str:
        """Return the current card, and the current color after a wild card."""
        return top_text(self.colour, self.face, words(Language.EN))

    @property
    def is_over(self) -> bool:
        """True once the game has ended."""
        return self.outcome is not None

    def _turn_up(self) -> None:
        rules, left = self.rules, len(self.pile)
        place = next((place for place in reversed(range(left)) if may_be_first(rules, self.pile[place])), None)
        if place is None:
            raise ConfigError(
                f"the deck: expected a number card among the {left} left after the deal, to turn up first, got none"
            )
        card = self.pile.pop(place)  # the cards above it stay where they are
        self.discards.append(card)
        self.colour, self.face = colour_of(card), face_of(card)
        if card == PLAIN:
            self.naming = not rules.blank_is_any
        elif rules.effects != "none":
            if self.face == REVERSE and (rules.players > 2 or rules.pure_direction):
                self.turn, self.direction = rules.players - 1, -1
            elif self.face == DRAW_TWO:
                self._take(0, 2)
                self.turn = 1 if rules.effects == "mattel" else 0
            elif self.face >= SKIP:
                self.turn = 1
        self._check_pile()

    def _take(self, seat: int, number: int) -> None:
        """Move up to `number` cards from the pile to a hand."""
        number = min(number, len(self.pile))
        for _ in range(number):
            self.hands[seat].append(self.pile.pop())
        self.fresh[seat] = [min(count + number, MOST_FRESH) for count in self.fresh[seat]]

    def after(self, seat: int) -> int:
        """Return the next seat in the direction of play."""
        return (seat + self.direction) % self.rules.players

    def _check_pile(self) -> None:
        """Apply the rule for an empty pile at the start of a turn."""
        if not self.pile and self.rules.empty_pile == "reshuffle":
            self.pile, self.discards = sorted(self.discards[:-1]), self.discards[-1:]
            self._rng.shuffle(self.pile)
        if not self.pile or self.turns >= MAX_TURNS:
            self._finish(UnoEnd.EXHAUSTED)

    def _finish(self, reason: UnoEnd) -> None:
        self.outcome = UnoOutcome.of(self.rules, reason, [sum(map(points_of, hand)) for hand in self.hands])
        self.drawn, self.naming = None, False

    def _fits(self, card: int, hand: list[int]) -> bool:
        """Return True if a card of a hand may be played."""
        rules = self.rules
        if card == PLAIN:
            return True
        if card == FOUR:
            if rules.wild_four == "free":
                return True
            if rules.wild_four == "last_resort":
                return not any(other != FOUR and self._fits(other, hand) for other in hand)
            return not any(not is_wild(other) and self.colour in (colour_of(other), Colour.BLANK) for other in hand)
        same_face = face_of(card) == self.face and (self.face != 0 or rules.match_zero)
        return same_face or self.colour in (colour_of(card), Colour.BLANK)

    def legal_moves(self) -> tuple[int, ...]:
        """Return the legal moves of the seat to move, ascending; empty when the game is over."""
        if self.is_over:
            return ()
        colours = range(NUM_COLOURS)
        if self.naming:
            return tuple(play_of(PLAIN, colour) for colour in colours)
        hand = self.hands[self.turn]
        cards = {card for card in (hand if self.drawn is None else [self.drawn]) if self._fits(card, hand)}
        named = (Colour.RED,) if self.rules.blank_is_any else colours
        plays = {play_of(card, colour) for card in cards for colour in (named if is_wild(card) else (0,))}
        if self.drawn is not None:
            plays.add(KEEP)
        elif self.rules.draw_when_able or not plays:
            plays.add(DRAW)
        return tuple(sorted(plays))

    def play(self, move: int) -> None:
        """Make a move for the seat to move. A refused move changes nothing.

        Args:
            move: Action id (`big2_env.games.uno.cards`).

        Raises:
            ConfigError: The number is not an action.
            IllegalPlayError: The move is illegal; the message gives the reason.
        """
        move = check_move(move)
        if move not in self.legal_moves():
            raise self._refusal(move)
        seat = self.turn
        self.history.append(SideMove(seat, move))
        if self.naming:
            self.naming, self.colour = False, move // NUM_FACES
        elif move == DRAW:
            self._draw(seat)
        elif move == KEEP:
            self._end_turn()
        else:
            self._put(seat, played_card(move), move // NUM_FACES)

    def _refusal(self, move: int) -> IllegalPlayError:
        text, legal = move_text(move), ", ".join(map(move_text, self.legal_moves()))
        if self.is_over:
            return IllegalPlayError(f"{text}: the game is over", Refusal.GAME_OVER)
        if move == DRAW and not self.naming and self.drawn is None:
            return IllegalPlayError(f"{text}: a card can be played; expected one of {legal}", Refusal.MUST_PLAY)
        if move < DRAW and not self.naming and played_card(move) not in self.hands[self.turn]:
            return IllegalPlayError(f"{text}: not in hand; expected one of {legal}", Refusal.NOT_IN_HAND)
        return IllegalPlayError(f"{text} on {self.text()}: expected one of {legal}", Refusal.DOES_NOT_COVER)

    def _draw(self, seat: int) -> None:
        rules = self.rules
        self._take(seat, 1)
        fits = range(NUM_COLOURS) if self.colour == Colour.BLANK else (self.colour,)
        for colour in (*fits, Colour.BLANK):
            self.fresh[seat][colour] = 1
        if not self.pile and rules.pile_test == "at_once" and rules.empty_pile == "end":
            self.turns += 1
            self._finish(UnoEnd.EXHAUSTED)
        elif rules.play_drawn and self._fits(self.hands[seat][-1], self.hands[seat]):
            self.drawn = self.hands[seat][-1]
        else:
            self._end_turn()

    def _end_turn(self) -> None:
        self.drawn = None
        self.turns += 1
        self.turn = self.after(self.turn)
        self._check_pile()

    def _put(self, seat: int, card: int, named: int) -> None:
        """Play a card from a hand: the card just drawn, or else the oldest copy."""
        rules, hand = self.rules, self.hands[seat]
        if self.drawn is None:
            hand.remove(card)
        else:
            hand.pop()
        self.drawn = None
        self.discards.append(card)
        colour, face = colour_of(card), face_of(card)
        fresh = self.fresh[seat]
        fresh[colour] = max(fresh[colour] - 1, 0)
        self.fresh[seat] = [min(count, len(hand)) for count in fresh]
        self.face = face
        self.colour = colour if colour != Colour.BLANK else Colour.BLANK if rules.blank_is_any else named
        misses = False
        if rules.effects != "none" and (hand or rules.last_card_acts):
            if face == REVERSE:
                self.direction = -self.direction
                misses = rules.players == 2 and not rules.pure_direction
            elif face == SKIP:
                misses = True
            elif face in (DRAW_TWO, WILD_FOUR):
                self._take(self.after(seat), 2 if face == DRAW_TWO else 4)
                misses = rules.effects == "mattel"
        self.turns += 1
        self.turn = self.after(self.after(seat)) if misses else self.after(seat)
        if hand:
            self._check_pile()
        else:
            self._finish(UnoEnd.OUT)

    def view(self, seat: int | None = None) -> UnoView:
        """Return the view of a seat, by default of the seat to move.

        Raises:
            ConfigError: The seat does not exist.
        """
        seat = self.checked_seat(seat)
        on_turn = seat == self.turn
        return UnoView(
            rules=self.rules,
            seat=seat,
            turn=self.turn,
            hand=tuple(self.hands[seat]),
            colour=self.colour,
            face=self.face,
            direction=self.direction,
            cards_left=tuple(map(len, self.hands)),
            discards=tuple(self.discards),
            pile=len(self.pile),
            fresh=tuple(map(tuple, self.fresh)),
            drawn=self.drawn if on_turn else None,
            naming=self.naming,
            moves=self.legal_moves() if on_turn else (),
            is_over=self.is_over,
        )

    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        """Return the payoff of each seat (`UnoOutcome.payoffs`); `None` before the end."""
        chosen = self.checked_scoring(scoring)
        return None if self.outcome is None else self.outcome.payoffs(chosen)

    # Data and text.

    def start_data(self) -> dict[str, Any]:
        """Return the changed rules, the deck from bottom to top, and the shuffle state, as JSON values."""
        return {"rules": self.rules.changed(), "deck": cards_text(self.deck), "stream": self.stream}

    @classmethod
    def from_start(cls, data: dict[str, Any]) -> Self:
        """Create a game from the output of `start_data`."""
        stream, rules = whole_at(data, "stream", 2**64 - 1), data.get("rules")
        if not isinstance(rules, dict):
            raise NotationError(f"rules: expected an object, got {shown(rules)}")
        try:
            chosen = uno_rules(**rules)
        except (ConfigError, TypeError) as error:
            raise NotationError(f"rules: {error}") from None
        return cls(chosen, parse_cards(text_at(data, "deck")), stream)

    def restarted(self) -> Self:
        """Return the same game at its start."""
        return type(self)(self.rules, self.deck, self.stream)

    def result_data(self) -> dict[str, Any]:
        """Return the winning seats, the reason for the end and the points left as JSON values."""
        outcome = self.outcome
        if outcome is None:
            return dict.fromkeys(("winners", "reason", "scores"))
        return {"winners": list(outcome.winners), "reason": outcome.reason.value, "scores": list(outcome.scores)}

    move_text = staticmethod(move_text)
    parse_move = staticmethod(parse_move)

    # What people see.

    def shown(self, look: Look) -> Scene:
        """Return the scene that a viewer sees; see `SideGame.scene`."""
        return view_scene(
            self.view(look.viewer),
            look.viewer,
            hands=dict(enumerate(self.hands)) if look.open_hands or self.is_over else None,
            history=self.history,
            outcome=self.outcome,
            names=look.names,
            lang=look.tr.language,
            last=look.last,
            scoring=look.scoring,
            scores=look.scores,
        )

    def drawing_data(self, seat: int) -> dict[str, Any]:
        """Return the current color and direction, the card that the seat has just drawn, and whether it names a color."""
        view = self.view(seat)
        drawn = None if view.drawn is None else card_text(view.drawn)
        naming = view.naming and view.turn == seat
        return {"colour": COLOUR_NAMES[view.colour], "direction": view.direction, "drawn": drawn, "naming": naming}

    def shown_move(self, made: SideMove, tr: Words) -> ShownMove:
        """Return a move in the form that all viewers may see; a drawn card is not named."""
        return shown_move(made.seat, made.move, tr, self.rules)

    def rules_page(self, lang: Language | None = None) -> RulesPage:
        """Return the rules in words."""
        return rules_page(self.rules, lang)

    def opening_text(self, tr: Words) -> str:
        """Return the card turned up first, as text."""
        return tr("uno.is_turned_up", card=top_text(self.colour, self.face, tr))

    def turn_text(self, move: int, tr: Words) -> str:
        """Return a move about to be made as text, with its seat, the hand and the current card."""
        return turn_text(self.view(), move, tr)

    def result_text(self, names: Sequence[str], tr: Words) -> str:
        """Return the result as text: reason, winners and points left."""
        return "" if self.outcome is None else outcome_text(self.outcome, tr, names)

    def typed_moves(self, line: str, seat: int, tr: Words) -> tuple[int, ...]:
        """Return the move that a person typed."""
        return (typed_move(line, self.view(seat), tr),)

    def stated_moves(self, text: str, seat: int, tr: Words) -> tuple[int, ...]:
        """Return the moves that a text can name as a whole."""
        return stated_moves(text, self.view(seat))

    def refusal_text(self, move: int, seat: int, tr: Words) -> str:
        """Return the reason why a move is illegal."""
        return refusal_text(move, self.view(seat), tr)

    def prompt_help(self, tr: Words) -> str:
        """Return the help text of the prompt."""
        return tr("side_play.uno_help")

    def hint_text(self, seat: int, tr: Words) -> str:
        """Return the automatic player's move as text."""
        return tr("side_play.uno_hint", move=move_words(automatic_move(self.view(seat)), tr, self.rules))

    def hinted_moves(self, seat: int) -> tuple[int, ...]:
        """Return the automatic player's move."""
        return (automatic_move(self.view(seat)),)

    @classmethod
    def opponents(cls) -> tuple[str, ...]:
        """Return the installed players that answer at once, the strongest first."""
        return opponents()

    @classmethod
    def player(cls, name: str) -> Player:
        """Return the player with this name (`uno_player`)."""
        return uno_player(name)

    def observe(self, view: UnoView) -> npt.NDArray[np.int8]:
        """Return the observation of a view, int8 `(size,)` (`UnoLayout`)."""
        from big2_env.games.uno.observation import windows_of  # numpy takes a tenth of a second to import

        return windows_of(view.rules)[0].encode(view)

    def observe_all(self) -> npt.NDArray[np.int8]:
        """Return the global state, int8 `(size,)` (`UnoStateLayout`)."""
        from big2_env.games.uno.observation import windows_of

        return windows_of(self.rules)[1].encode(self.hands, self.pile, self.view())
