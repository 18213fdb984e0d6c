"""Information available to the player of a Klondike game."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from big2_env.base.rng import MASK_64, hashed
from big2_env.games.klondike.cards import card_text
from big2_env.games.klondike.moves import legal_moves
from big2_env.games.klondike.position import WINDOW, Cards, KlondikePosition


@dataclass(frozen=True)
class KlondikeView:
    """Position as the player sees it, with perfect memory of the dealer area. It has no fields for hidden cards."""

    down: Cards
    """Number of face-down cards in each pile."""
    up: tuple[Cards, ...]
    """Face-up cards of each pile, top card last."""
    seen: Cards
    """Cards of the dealer area dealt at least once, in dealing order. The cards after them are unknown."""
    dealer: int
    """Number of cards in the dealer area, including unknown ones."""
    dealt: int
    """Number of dealer cards currently dealt. The last three dealt cards may be taken."""
    foundations: Cards
    """Number of cards on each foundation, by suit."""
    score: int
    """Score; includes the final bonus once the game is won."""
    is_won: bool
    """True if all cards of the tableau are face up, which ends the game."""
    moves: Cards
    """Legal moves, ascending."""
    seat: int = 0
    """Seat of the only player."""

    @classmethod
    def of(cls, state: KlondikePosition) -> KlondikeView:
        """Return the view of a position."""
        return cls(
            down=state.down,
            up=tuple(pile[down:] for pile, down in zip(state.piles, state.down, strict=True)),
            seen=state.dealer[: state.seen],
            dealer=len(state.dealer),
            dealt=state.dealt,
            foundations=state.foundations,
            score=state.final_score,
            is_won=state.is_won,
            moves=legal_moves(state),
        )

    @property
    def window(self) -> Cards:
        """Cards that may be taken from the dealer area, most recent last."""
        return self.seen[max(0, self.dealt - WINDOW) : self.dealt]

    @property
    def unknown(self) -> Cards:
        """Cards not seen yet, ascending: face down in piles or undealt in the dealer area."""
        up = {card for pile in self.up for card in pile}
        gone = {suit * 13 + rank for suit, count in enumerate(self.foundations) for rank in range(count)}
        return tuple(card for card in range(52) if card not in up and card not in gone and card not in self.seen)

    def seed(self, salt: int = 0, *, moves: int = 0) -> int:
        """Return a seed for a player with this view. It does not depend on hidden cards or on the seed of the deal.

        Args:
            salt: Number that gives different seeds for the same view.
            moves: Number of moves so far, for players whose decisions should vary if the same view comes back.
        """
        cards = (card for pile in (*self.up, self.seen) for card in (len(pile), *pile))
        rest = (self.dealer, self.dealt, *self.foundations, self.score & MASK_64, moves, salt & MASK_64)
        return hashed(*self.down, *cards, *rest)

    def text(self) -> str:
        """Return the view as terminal text: dealer area, foundations and score above the piles, `##` for a face-down card."""
        tops = ["--" if not count else card_text(suit * 13 + count - 1) for suit, count in enumerate(self.foundations)]
        shown = " ".join(map(card_text, self.window)) or "--"
        lines = [
            f"dealer [{shown}] {self.dealt}/{self.dealer}   foundations {' '.join(tops)}   score {self.score}",
            "  ".join(f" {number}" for number in range(1, len(self.down) + 1)),
        ]
        columns = [["##"] * down + list(map(card_text, up)) for down, up in zip(self.down, self.up, strict=True)]
        rows = zip_longest(*columns, fillvalue="  ")
        lines += ["  ".join(row).rstrip() for row in rows]
        return "\n".join(lines) + "\n"
