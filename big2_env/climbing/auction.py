"""Auctions (叫牌): how a game with one player against the rest finds that one. Decisions are plays without cards.

"No" is the pass. A decision is kept as (seat, value): 0 for no, else the power of the act.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from big2_env.checked import Checked
from big2_env.climbing.play import Play
from big2_env.errors import ConfigError

Decisions: TypeAlias = tuple[tuple[int, int], ...]
"""The decisions of one deal so far, each a seat and the value of what it said."""

CALL: Final = Play("call", 0, -1, 1)
"""叫地主: the first yes."""
ROB: Final = Play("rob", 0, -1, 1)
"""搶地主: each further yes."""


@cache
def bid(value: int) -> Play:
    """The bid (叫分) of a value."""
    return Play(f"bid_{value}", 0, -1, value)


class Award(NamedTuple):
    """How an auction ended."""

    landlord: int
    stake: int
    """The base of the settlement (底分)."""
    factor: int = 1
    """What the auction multiplies it by."""


class Auction(ABC):
    """Who is asked, what may be said, who gets the deal."""

    deals: int
    """Most deals: where nobody wants the last one, the seat that was asked first gets it."""

    @property
    @abstractmethod
    def vocabulary(self) -> tuple[Play, ...]:
        """Every act but the pass, in a fixed order."""

    @abstractmethod
    def acts(self, said: Decisions) -> tuple[Play, ...]:
        """The acts that the seat to decide may choose besides the pass, the cheapest first."""

    @abstractmethod
    def zh(self, play: Play, said: Decisions) -> str:
        """What a decision is in Chinese, the pass included, after what has been said."""

    @abstractmethod
    def next_seat(self, first: int, said: Decisions, players: int) -> int | None:
        """Who decides next, `None` when the auction is over. `first` was or is asked first."""

    @abstractmethod
    def award(self, said: Decisions) -> Award | None:
        """Who gets the deal in the end, `None` where nobody wants it."""

    @property
    def most_stake(self) -> int:
        """The highest stake that the auction may give."""
        return 1

    @abstractmethod
    def forced(self, first: int) -> Award:
        """What happens when nobody wants the last deal."""

    def _check_deals(self) -> None:
        if not 1 <= self.deals <= 100:
            raise ConfigError(f"expected 1 to 100 deals, got {self.deals}")


@dataclass(frozen=True)
class CallRob(Checked, Auction):
    """叫地主, 抢地主: each seat decides once; where several say yes, the first of them has the last word."""

    deals: int = 3
    stake: int = 1
    """The base of the settlement."""
    rob_factor: int = 2
    """What each yes after the first multiplies the stake by."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_deals()
        if self.stake < 1 or self.rob_factor < 1:
            raise ConfigError(f"expected stake and rob_factor of at least 1, got {self.stake} and {self.rob_factor}")

    @property
    def vocabulary(self) -> tuple[Play, ...]:
        """The call and the rob."""
        return CALL, ROB

    def acts(self, said: Decisions) -> tuple[Play, ...]:
        """A call before the first yes, then a rob."""
        return (ROB,) if any(value for _, value in said) else (CALL,)

    def zh(self, play: Play, said: Decisions) -> str:
        """叫地主 and 不叫 before the first yes, then 搶地主 and 不搶."""
        verb = "搶" if any(value for _, value in said) else "叫"
        return f"不{verb}" if play.is_pass else f"{verb}地主"

    def next_seat(self, first: int, said: Decisions, players: int) -> int | None:
        """Each seat in turn, then the caller if it was robbed."""
        if len(said) < players:
            return (first + len(said)) % players
        yes = [seat for seat, value in said if value]
        return yes[0] if len(said) == players and len(yes) > 1 else None

    def award(self, said: Decisions) -> Award | None:
        """The deal goes to the last who said yes."""
        yes = [seat for seat, value in said if value]
        return Award(yes[-1], self.stake, self.rob_factor ** (len(yes) - 1)) if yes else None

    @property
    def most_stake(self) -> int:
        """The stake, whoever gets the deal."""
        return self.stake

    def forced(self, first: int) -> Award:
        """The seat that was asked first plays for the stake."""
        return Award(first, self.stake)


@dataclass(frozen=True)
class Bid(Checked, Auction):
    """叫分: each seat bids once, higher than the highest so far, or passes; the highest possible bid ends the auction."""

    deals: int = 3
    most: int = 3
    """Highest bid; the lowest is 1."""
    forced_stake: int = 1
    """The base of the settlement where nobody bids in the last deal."""

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

    def acts(self, said: Decisions) -> tuple[Play, ...]:
        """The bids above the highest so far."""
        return self.vocabulary[max((value for _, value in said), default=0) :]

    def zh(self, play: Play, said: Decisions) -> str:
        """叫 2 分, or 不叫."""
        return "不叫" if play.is_pass else f"叫 {play.power} 分"

    def next_seat(self, first: int, said: Decisions, players: int) -> int | None:
        """Each seat in turn, up to the highest possible bid."""
        over = len(said) == players or (bool(said) and said[-1][1] == self.most)
        return None if over else (first + len(said)) % players

    def award(self, said: Decisions) -> Award | None:
        """The deal goes to the highest bid, which is the stake."""
        bids = [(value, seat) for seat, value in said if value]
        return Award(max(bids)[1], max(bids)[0]) if bids else None

    @property
    def most_stake(self) -> int:
        """The highest bid, or the stake of a deal that nobody wants."""
        return max(self.most, self.forced_stake)

    def forced(self, first: int) -> Award:
        """The seat that was asked first plays for the stake that is set for that."""
        return Award(first, self.forced_stake)
