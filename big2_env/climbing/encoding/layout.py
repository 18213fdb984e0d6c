"""Named windows of flat arrays, including windows that only some games have.

| window | shape | games |
| --- | --- | --- |
| `top_key` | ranks | suits never matter: key rank of the top play, which identifies its reading |
| `lead_over` | cards | `PassLock.ROUND`: play that a lead must beat to keep others locked out |
| `pile_left` | cards of the pile | draw pile: more than this many cards are left (observations only) |
| `bidding` | 1 | auction: in progress |
| `said` | seats x (1 + highest value) | auction: decision of each seat, 0 for a pass, then a call, a rob or a bid of 1, ... |
| `redeals_left` | deals - 1 | auction: number of deals left if no seat wants this one |
| `landlord` | seats | auction: seat that plays against the others |
| `bottom` | cards | auction: bottom cards, in observations once there is a landlord |
| `has_acted` | seats x 2 | auction: seats that have made one play, and more than one, which decides springs |
| `multiplier` | 12 | auction: doublings of the stake |
| `captured` | seats x cards | captured points: cards that each seat has won |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from big2_env.base.cards import iter_cards
from big2_env.base.errors import ConfigError
from big2_env.base.validated import Frozen
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import PassLock, RuleSet
from big2_env.climbing.table import TIER_POWER
from big2_env.climbing.view import View

if TYPE_CHECKING:
    import numpy.typing as npt

MULTIPLIER_STEPS: Final = 12
"""Number of doublings of the stake that are distinguished."""

WINDOWS: Final = (
    *("hand", "slots", "top", "top_pattern", "top_seat", "passed", "cards_left", "played", "obligation", "leading"),
    *("top_key", "lead_over", "pile_left", "bidding", "said", "redeals_left", "landlord", "bottom", "has_acted"),
    *("multiplier", "captured"),
)
"""Every possible window of an observation, in the order of the array. Compiled code refers to windows by their index here."""

Windows: TypeAlias = "list[tuple[str, tuple[int, ...], str]]"


class Window(NamedTuple):
    """Named part of an array.

    Args:
        start: Index of the first entry.
        shape: Shape of the window.
        meaning: Meaning of a 1, in words.
    """

    start: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def stop(self) -> int:
        """Index after the last entry."""
        return self.start + prod(self.shape)


class Layout(Frozen):
    """Layout of a flat array of zeros and ones with named windows.

    Args:
        windows: Name, shape and meaning of each window, in the order of the array.

    Attributes:
        windows: The windows by name.
        size: Number of entries.
    """

    def __init__(self, windows: Iterable[tuple[str, tuple[int, ...], str]]) -> None:
        self.windows: dict[str, Window] = {}
        self.size = 0
        for name, shape, meaning in windows:
            self.windows[name] = Window(self.size, shape, meaning)
            self.size = self.windows[name].stop

    def named(self, array: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """Return the windows of an array as views of it, by name.

        Args:
            array: An array, or a batch of them along the last axis.

        Raises:
            ConfigError: The last axis does not have `size` entries.
        """
        given = tuple(getattr(array, "shape", ()))
        if not given or given[-1] != self.size:
            got = given or f"a {type(array).__name__}"
            raise ConfigError(f"expected an array with {self.size} entries along its last axis, got {got}")
        batch = given[:-1]
        return {name: array[..., w.start : w.stop].reshape(*batch, *w.shape) for name, w in self.windows.items()}


def extra_windows(ruleset: RuleSet, seats: int, seat: str) -> Windows:
    """Return the windows that a ruleset needs besides the common ones; none for `big2`."""
    cards = ruleset.deck.size
    found: Windows = []
    if ruleset.ranks_only:
        found.append(("top_key", (len(ruleset.ranks),), "this is the value of the rank that the top play is strong by"))
    if ruleset.pass_lock is PassLock.ROUND:
        found.append(("lead_over", (cards,), "the card is part of the play that a lead has to beat to keep others out"))
    if ruleset.draw_pile:
        pile = cards - seats * ruleset.hand_size
        found.append(("pile_left", (pile,), "more than this many cards are left to draw"))
    if ruleset.auction is not None:
        values = max(move.power for move in ruleset.auction.vocabulary)
        found += [
            ("bidding", (1,), "the auction goes on"),
            (
                "said",
                (seats, 1 + values),
                f"{seat} has said this in the auction: 0 for no, 1 for a call, a rob or a bid of 1, ...",
            ),
            ("redeals_left", (ruleset.auction.deals - 1,), "more than this many deals are left where nobody wants this one"),
            ("landlord", (seats,), f"{seat} plays against the rest"),
            ("bottom", (cards,), "the card is one of the bottom cards, known once there is a landlord"),
            ("has_acted", (seats, 2), f"{seat} has played a hand; and more than one"),
            ("multiplier", (MULTIPLIER_STEPS,), "the stake with its factors is at least 2 to the power of this place + 1"),
        ]
    if ruleset.scoring.captures:
        found.append(("captured", (seats, cards), f"{seat} has won the trick that the card was played in"))
    return found


def fill_extra(ruleset: RuleSet, windows: dict[str, npt.NDArray[Any]], of: View | Position, around: Sequence[int]) -> None:
    """Fill the windows that `extra_windows` describes.

    Args:
        ruleset: Rules of the game.
        windows: Windows of the array, by name.
        of: View or position to encode.
        around: Seats in the order of the array.
    """
    places = ruleset.order.positions

    def mark(window: npt.NDArray[Any], mask: int) -> None:
        window[[places[card] for card in iter_cards(mask)]] = 1

    if "top_key" in windows and of.top is not None:
        windows["top_key"][of.top.power % TIER_POWER // 4] = 1
    if "lead_over" in windows and of.lead_over is not None:
        mark(windows["lead_over"], of.lead_over.mask)
    if "pile_left" in windows:
        windows["pile_left"][: of.pile_left if isinstance(of, View) else len(of.pile)] = 1
    for row, seat in enumerate(around if "captured" in windows else ()):
        mark(windows["captured"][row], of.captured[seat])
    if "bidding" not in windows:
        return
    windows["bidding"][0] = of.bidding
    rows = {seat: row for row, seat in enumerate(around)}
    for seat, value in of.said:
        windows["said"][rows[seat], value] = 1
    windows["redeals_left"][: of.redeals_left if isinstance(of, View) else len(of.redeals)] = 1
    if of.landlord is not None:
        windows["landlord"][rows[of.landlord]] = 1
    mark(windows["bottom"], of.bottom)
    for seat, row in rows.items():
        windows["has_acted"][row, : of.acted[seat]] = 1
    windows["multiplier"][: (of.stake * of.factor).bit_length() - 1] = 1
