"""High Card, a game of the tests alone: each trick goes to the highest card; it has nothing but the protocol of side games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError, IllegalPlayError, NotationError, Refusal
from big2_env.language import Language, Words, language, words
from big2_env.notation.transcript import seat_names
from big2_env.rng import SplitMix64, hashed
from big2_env.scene import Area, CardFace, Scene, ShownAct, ShownSeat
from big2_env.side_game import SideGame, SideMove

CARDS = 20
HAND = 5


@dataclass(frozen=True)
class HighCardView:
    """What a seat may know."""

    seat: int
    turn: int
    hand: tuple[int, ...]
    cards_left: tuple[int, ...]
    played: tuple[tuple[int, int], ...]
    tricks: tuple[int, ...]
    moves: tuple[int, ...]

    def seed(self, salt: int = 0) -> int:
        return hashed(self.seat, self.turn, *self.hand, *(card for _, card in self.played), salt)


class HighCard(SideGame):
    """Three players, five of twenty cards each; the winner of a trick leads the next one."""

    name = "high_card"
    num_moves = CARDS
    num_players = 3
    scorings = ("tricks",)
    start_keys = ("hands",)

    def __init__(self, hands: Sequence[Sequence[int]]) -> None:
        self.start = tuple(tuple(sorted(hand)) for hand in hands)
        if [len(hand) for hand in self.start] != [HAND] * 3 or len({card for hand in self.start for card in hand}) != 3 * HAND:
            raise ConfigError(f"expected three hands of {HAND} different cards, got {self.start}")
        self.hands = [list(hand) for hand in self.start]
        self.history: list[SideMove] = []
        self.tricks = [0] * 3
        self.turn = 0

    @classmethod
    def usual(cls, seed: int = 0) -> HighCard:
        deck = list(range(CARDS))
        SplitMix64(seed).shuffle(deck)
        return cls([deck[seat * HAND : (seat + 1) * HAND] for seat in range(3)])

    @property
    def is_over(self) -> bool:
        return not any(self.hands)

    @property
    def trick(self) -> list[SideMove]:
        """The cards of the present trick."""
        return self.history[len(self.history) // 3 * 3 :]

    def legal_moves(self) -> tuple[int, ...]:
        return tuple(self.hands[self.turn])

    def play(self, move: int) -> None:
        if not 0 <= move < CARDS:
            raise ConfigError(f"expected an action of 0 to {CARDS - 1}, got {move}")
        if move not in self.hands[self.turn]:
            raise IllegalPlayError(f"{move + 1}: not in hand", Refusal.NOT_IN_HAND)
        self.hands[self.turn].remove(move)
        self.history.append(SideMove(self.turn, move))
        if self.trick:
            self.turn = (self.turn + 1) % 3
        else:
            self.turn = max(self.history[-3:], key=lambda made: made.move).seat
            self.tricks[self.turn] += 1

    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        self.checked_scoring(scoring)
        return tuple(won - HAND / 3 for won in self.tricks) if self.is_over else None

    def view(self, seat: int | None = None) -> HighCardView:
        seat = self.turn if seat is None else seat
        if seat not in range(3):
            raise ConfigError(f"expected a seat of 0 to 2, got {seat}")
        moves = self.legal_moves() if seat == self.turn else ()
        left, played = tuple(map(len, self.hands)), tuple((one.seat, one.move) for one in self.history)
        return HighCardView(seat, self.turn, tuple(self.hands[seat]), left, played, tuple(self.tricks), moves)

    def start_data(self) -> dict[str, Any]:
        return {"hands": [list(hand) for hand in self.start]}

    @classmethod
    def from_start(cls, data: dict[str, Any]) -> Self:
        hands = data.get("hands")
        if not isinstance(hands, list) or not all(isinstance(hand, list) for hand in hands):
            raise NotationError("hands: expected three lists")
        return cls(hands)

    def result_data(self) -> dict[str, Any]:
        return {"tricks": list(self.tricks) if self.is_over else None}

    @staticmethod
    def move_text(move: int, /) -> str:
        return str(move + 1)

    @staticmethod
    def parse_move(text: str, /) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= CARDS):
            raise NotationError(f"expected a card from 1 to {CARDS}, got {text!r}")
        return int(text) - 1

    def typed_moves(self, line: str, seat: int, tr: Words) -> tuple[int, ...]:
        move = self.parse_move(line.strip())
        if move not in self.view(seat).moves:
            raise NotationError(f"{line.strip()}: not in your hand")
        return (move,)

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
        tr, called = words(language() if lang is None else lang), seat_names(names, 3)
        acts = {made.seat: self.shown_move(made, tr) for made in self.trick}
        shown = range(3) if open_hands or self.is_over else () if viewer is None else (self.view(viewer).seat,)
        payoffs = self.payoffs()
        seats = tuple(
            ShownSeat(
                seat=seat,
                name=called[seat],
                count=len(hand),
                hand=tuple(map(face, hand)) if seat in shown else None,
                is_viewer=seat == viewer,
                is_turn=seat == self.turn and not self.is_over,
                act=acts.get(seat),
                payoff=None if payoffs is None else payoffs[seat],
                score=None if scores is None else scores[seat],
            )
            for seat, hand in enumerate(self.hands)
        )
        return Scene(
            game=self.name,
            title="High Card",
            language=tr.language,
            seats=seats,
            areas=(Area("trick", "trick", tuple(face(made.move) for made in self.trick), len(self.trick), "row", "centre"),),
            viewer=viewer,
            turn=None if self.is_over else self.turn,
            ply=len(self.history),
            status=f"tricks {self.tricks}",
            events=tuple(f"{called[seat]}: {move + 1}" for seat, move in self.history[max(0, len(self.history) - last) :]),
            is_over=self.is_over,
        )

    def shown_move(self, made: SideMove, tr: Words) -> ShownAct:
        return ShownAct(made.seat, self.move_text(made.move), (face(made.move),))

    def observe(self, view: HighCardView) -> npt.NDArray[np.int8]:
        array = np.zeros((2, CARDS), np.int8)
        array[0, list(view.hand)] = 1
        array[1, [card for _, card in view.played]] = 1
        return array.reshape(-1)


def face(card: int) -> CardFace:
    """A card face up."""
    return CardFace(str(card + 1), str(card + 1), "", str(card + 1))
