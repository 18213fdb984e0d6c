"""What the player of a Klondike game may know."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from big2_env.games.klondike.cards import card_text
from big2_env.games.klondike.moves import legal_moves
from big2_env.games.klondike.position import WINDOW, Cards, KlondikePosition
from big2_env.rng import MASK_64, hashed


@dataclass(frozen=True)
class KlondikeView:
    """A position as the player sees it, with perfect memory of the dealer area; there is no field for what is hidden."""

    down: Cards
    """How many cards of each pile lie face down."""
    up: tuple[Cards, ...]
    """The face-up cards of each pile, the top one last."""
    seen: Cards
    """The cards of the dealer area that have been dealt at some time, in the order of dealing; those after them are unknown."""
    dealer: int
    """How many cards lie in the dealer area, the unknown ones included."""
    dealt: int
    """How many of them are dealt; the last three of those may be taken."""
    foundations: Cards
    """How many cards lie on each foundation, by suit."""
    score: int
    """The score, and once the game is won what the cards left add."""
    is_won: bool
    """Whether the game is done."""
    moves: Cards
    """The legal moves, ascending."""
    seat: int = 0
    """The only seat."""

    @classmethod
    def of(cls, state: KlondikePosition) -> KlondikeView:
        """The view of a position."""
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
        """The cards that may be taken from the dealer area, the newest last."""
        return self.seen[max(0, self.dealt - WINDOW) : self.dealt]

    @property
    def unknown(self) -> Cards:
        """The cards that have not been seen, ascending: they lie face down, or undealt in the dealer area."""
        up = {card for pile in self.up for card in pile}
        gone = {suit * 13 + rank for suit, count in enumerate(self.foundations) for rank in range(count)}
        return tuple(card for card in range(52) if card not in up and card not in gone and card not in self.seen)

    def seed(self, salt: int = 0, *, acts: int = 0) -> int:
        """Return the seed of a player who sees this: the same however the hidden cards lie, and whatever the deal's seed was.

        Args:
            salt: For another seed in the same view.
            acts: How many acts were made so far, for a player whose draws are to differ if the same view comes back.
        """
        cards = (card for pile in (*self.up, self.seen) for card in (len(pile), *pile))
        rest = (self.dealer, self.dealt, *self.foundations, self.score & MASK_64, acts, salt & MASK_64)
        return hashed(*self.down, *cards, *rest)

    def text(self) -> str:
        """The view for a terminal: dealer area, foundations and score above the piles, `##` for a face-down card."""
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
