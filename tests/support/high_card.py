"""High Card, a game of the tests alone: each trick goes to the highest card; it has nothing but the protocol of side games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError, Refusal
from big2_env.base.language import Words
from big2_env.base.rng import SplitMix64, hashed
from big2_env.base.scene import Area, CardFace, Scene, ShownMove, ShownSeat
from big2_env.base.side_game import Look, SideGame, SideMove
from big2_env.base.side_games import SideGameEntry
from big2_env.notation.transcript import seat_names

CARDS = 20
HAND = 5


@dataclass(frozen=True)
class HighCardView:
    """What a seat may know."""

    seat: int
    hand: tuple[int, ...]
    played: tuple[SideMove, ...]
    moves: tuple[int, ...]

    def seed(self, salt: int = 0) -> int:
        return hashed(self.seat, *self.hand, *(made.move for made in self.played), salt)


class HighCard(SideGame):
    """Three players, five of twenty cards each; the winner of a trick leads the next one."""

    name = "high_card"
    num_moves = CARDS
    move_texts = tuple(f"c{number}" for number in range(1, CARDS + 1))
    num_players = 3
    seats = (3, 3, 3)
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
        seat = self.checked_seat(seat)
        moves = self.legal_moves() if seat == self.turn else ()
        return HighCardView(seat, tuple(self.hands[seat]), tuple(self.history), moves)

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

    def shown(self, look: Look) -> Scene:
        called, payoffs = seat_names(look.names, 3), self.payoffs(look.scoring)
        opened = range(3) if look.open_hands or self.is_over else [seat for seat in range(3) if seat == look.viewer]
        seats = tuple(
            ShownSeat(
                seat=seat,
                name=called[seat],
                count=len(hand),
                hand=tuple(map(face, hand)) if seat in opened else None,
                is_viewer=seat == look.viewer,
                is_turn=seat == self.turn and not self.is_over,
                payoff=None if payoffs is None else payoffs[seat],
                score=None if look.scores is None else look.scores[seat],
            )
            for seat, hand in enumerate(self.hands)
        )
        return Scene(
            game=self.name,
            title="High Card",
            language=look.tr.language,
            seats=seats,
            areas=(Area("trick", "trick", tuple(face(made.move) for made in self.trick), len(self.trick), "row", "centre"),),
            viewer=look.viewer,
            turn=None if self.is_over else self.turn,
            ply=len(self.history),
            status=f"tricks {self.tricks}",
            events=tuple(f"{called[seat]}: {move + 1}" for seat, move in self.history[max(0, len(self.history) - look.last) :]),
            is_over=self.is_over,
        )

    def shown_move(self, made: SideMove, tr: Words) -> ShownMove:
        return ShownMove(made.seat, self.move_text(made.move), (face(made.move),))

    def observe(self, view: HighCardView) -> npt.NDArray[np.int8]:
        played = [made.move for made in view.played]
        return np.concatenate([np.isin(np.arange(CARDS), cards) for cards in (view.hand, played)]).astype(np.int8)


def face(card: int) -> CardFace:
    """A card face up."""
    return CardFace(str(card + 1), str(card + 1), "", str(card + 1))


ENTRY = SideGameEntry("high_card", "high_card", "HighCard", (3, 3), 20)
