"""Auctions (叫牌), which choose the player who plays against the others. Decisions are plays without cards.

"No" is the pass. Decisions are stored as (seat, value): 0 for a pass, otherwise the power of the play.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from big2_env.base.errors import ConfigError
from big2_env.base.validated import Checked
from big2_env.climbing.play import Play

Decisions: TypeAlias = tuple[tuple[int, int], ...]
"""Decisions of one deal so far, as (seat, value) pairs."""

CALL: Final = Play("call", 0, -1, 1)
"""叫地主: the first yes."""
ROB: Final = Play("rob", 0, -1, 1)
"""搶地主: each further yes."""


@cache
def bid(value: int) -> Play:
    """Return the bid (叫分) of a value."""
    return Play(f"bid_{value}", 0, -1, value)


class Award(NamedTuple):
    """Result of an auction.

    Args:
        landlord: Seat that plays against the others.
        stake: Base of the settlement (底分).
        factor: Multiplier of the stake that the auction produced.
    """

    landlord: int
    stake: int
    factor: int = 1


class Auction(ABC):
    """Rules of an auction: order of the decisions, choices, and result.

    Attributes:
        deals: Maximum number of deals. If no seat wants the last one, the seat asked first becomes the landlord.
    """

    deals: int

    @property
    @abstractmethod
    def vocabulary(self) -> tuple[Play, ...]:
        """Every decision except the pass, in a fixed order."""

    @abstractmethod
    def moves(self, said: Decisions) -> tuple[Play, ...]:
        """Return the decisions open to the next seat besides the pass, cheapest first."""

    @abstractmethod
    def zh(self, play: Play, said: Decisions) -> str:
        """Return the Chinese text of a decision, including the pass."""

    @abstractmethod
    def next_seat(self, first: int, said: Decisions, players: int) -> int | None:
        """Return the next seat to decide, or None if the auction is over.

        Args:
            first: Seat that is asked first.
            said: Decisions so far.
            players: Number of seats.
        """

    @abstractmethod
    def award(self, said: Decisions) -> Award | None:
        """Return the result, or None if no seat wants the deal."""

    @property
    def most_stake(self) -> int:
        """Highest stake that the auction can produce."""
        return 1

    @abstractmethod
    def forced(self, first: int) -> Award:
        """Return the result if no seat wants the last deal.

        Args:
            first: Seat that was asked first.
        """

    def _check_deals(self) -> None:
        if not 1 <= self.deals <= 100:
            raise ConfigError(f"expected 1 to 100 deals, got {self.deals}")


@dataclass(frozen=True)
class CallRob(Checked, Auction):
    """Auction by calling and robbing (叫地主, 搶地主).

    Each seat decides once. If several say yes, the first of them gets the final decision.

    Args:
        deals: Maximum number of deals.
        stake: Base of the settlement.
        rob_factor: Factor that each yes after the first adds to the stake.

    Raises:
        ConfigError: A value is out of range.
    """

    deals: int = 3
    stake: int = 1
    rob_factor: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_deals()
        if self.stake < 1 or self.rob_factor < 1:
            raise ConfigError(f"expected stake and rob_factor of at least 1, got {self.stake} and {self.rob_factor}")

    @property
    def vocabulary(self) -> tuple[Play, ...]:
        """The call and the rob."""
        return CALL, ROB

    def moves(self, said: Decisions) -> tuple[Play, ...]:
        """Return a call before the first yes, then a rob."""
        return (ROB,) if any(value for _, value in said) else (CALL,)

    def zh(self, play: Play, said: Decisions) -> str:
        """Return 叫地主 or 不叫 before the first yes, then 搶地主 or 不搶."""
        verb = "搶" if any(value for _, value in said) else "叫"
        return f"不{verb}" if play.is_pass else f"{verb}地主"

    def next_seat(self, first: int, said: Decisions, players: int) -> int | None:
        """Return each seat in turn, then the caller once more if it was robbed.

        Args:
            first: Seat that is asked first.
            said: Decisions so far.
            players: Number of seats.
        """
        if len(said) < players:
            return (first + len(said)) % players
        yes = [seat for seat, value in said if value]
        return yes[0] if len(said) == players and len(yes) > 1 else None

    def award(self, said: Decisions) -> Award | None:
        """Return the last seat that said yes."""
        yes = [seat for seat, value in said if value]
        return Award(yes[-1], self.stake, self.rob_factor ** (len(yes) - 1)) if yes else None

    @property
    def most_stake(self) -> int:
        """The stake, which does not depend on the decisions."""
        return self.stake

    def forced(self, first: int) -> Award:
        """Return the seat that was asked first, with the plain stake.

        Args:
            first: Seat that was asked first.
        """
        return Award(first, self.stake)


@dataclass(frozen=True)
class Bid(Checked, Auction):
    """Auction by bidding points (叫分).

    Each seat bids once, above the highest bid so far, or passes. The highest possible bid ends the auction.

    Args:
        deals: Maximum number of deals.
        most: Highest bid. The lowest is 1.
        forced_stake: Stake if no seat bids in the last deal.

    Raises:
        ConfigError: A value is out of range.
    """

    deals: int = 3
    most: int = 3
    forced_stake: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_deals()
        if not 1 <= self.most <= 100 or self.forced_stake < 1:
            raise ConfigError(
                f"expected bids up to 1 to 100 and forced_stake of at least 1, got {self.most} and {self.forced_stake}"
            )

    @property
    def vocabulary(self) -> tuple[Play, ...]:
        """The bids, ascending."""
        return tuple(bid(value) for value in range(1, self.most + 1))

    def moves(self, said: Decisions) -> tuple[Play, ...]:
        """Return the bids above the highest so far."""
        return self.vocabulary[max((value for _, value in said), default=0) :]

    def zh(self, play: Play, said: Decisions) -> str:
        """Return 叫 2 分 or similar for a bid, 不叫 for the pass."""
        return "不叫" if play.is_pass else f"叫 {play.power} 分"

    def next_seat(self, first: int, said: Decisions, players: int) -> int | None:
        """Return each seat in turn, until the highest possible bid.

        Args:
            first: Seat that is asked first.
            said: Decisions so far.
            players: Number of seats.
        """
        over = len(said) == players or (bool(said) and said[-1][1] == self.most)
        return None if over else (first + len(said)) % players

    def award(self, said: Decisions) -> Award | None:
        """Return the highest bidder, with its bid as the stake."""
        bids = [(value, seat) for seat, value in said if value]
        return Award(max(bids)[1], max(bids)[0]) if bids else None

    @property
    def most_stake(self) -> int:
        """The highest bid, or the forced stake if that is higher."""
        return max(self.most, self.forced_stake)

    def forced(self, first: int) -> Award:
        """Return the seat that was asked first, with the forced stake.

        Args:
            first: Seat that was asked first.
        """
        return Award(first, self.forced_stake)
