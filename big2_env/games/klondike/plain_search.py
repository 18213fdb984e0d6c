"""The search of `kernels.tree_search` in plain Python: most deals take it some dozen positions, and compiling takes seconds.

It looks at the same positions in the same order, and so finds the same line. What it leaves out, and why, is said there;
`kernels.packed` tells how positions are numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from big2_env.games.klondike.cards import KING, NUM_RANKS, rank_of
from big2_env.games.klondike.keys import D_SHIFT, F_SHIFT, P_SHIFT, PILE_MASKS, PILE_SHIFTS, bit_of
from big2_env.games.klondike.position import KlondikePosition

PLAIN_POSITIONS: Final = 60_000
"""Positions that plain Python looks at in one process, a second's worth or two, before the rest is left to compiled code."""
PIECE: Final = 1_000
"""Positions between two looks at the clock."""

ONES: Final = 0x1111111111111
BLACK, RED = 0x9, 0x6
KINGS: Final = 0xF << 48
ALL: Final = (1 << 52) - 1
_RED_CARDS: Final = 0x6666666666666
_CARRIERS: Final = ALL ^ 0xFF
"""Cards that may have to carry another one: no aces, and no twos, for an ace goes up at once."""
NOTHING, CAME_DOWN, COLUMN, SLOT = 0, 1, 2, 3
"""Needs, as in `tree_search`."""
PILES: Final = tuple(zip(range(7), PILE_SHIFTS, PILE_MASKS, strict=True))
SUITS: Final = tuple((suit, F_SHIFT + 4 * suit) for suit in range(4))
GONE: Final = [[sum(1 << 4 * rank + suit for rank in range(number)) for number in range(NUM_RANKS + 1)] for suit in range(4)]
"""The cards of each foundation, by their number."""
NEXT: Final = [[1 << 4 * number + suit if number < NUM_RANKS else 0 for number in range(NUM_RANKS + 1)] for suit in range(4)]
"""The next card of each foundation, by their number."""
_OTHERS: Final = ((1, 2), (0, 3), (0, 3), (1, 2))
"""The suits of the other colour."""


class Budget:
    """How many positions may be looked at in plain Python."""

    def __init__(self, positions: int = PLAIN_POSITIONS) -> None:
        self.positions = positions


SHARED: Final = Budget()
"""The budget of this process."""


class BudgetSpentError(Exception):
    """Too many positions were looked at in plain Python."""


class Layout(NamedTuple):
    """Which cards lie where in a position."""

    hidden: list[list[int]]
    """The cards below the root of each pile, by how many are where they were dealt."""
    roots: list[list[int]]
    """Its root, the same way."""
    deck: list[list[int]]
    """The cards of the dealer area, by eight places of it."""
    place: dict[int, int]
    """The bit of a card's place in the dealer area, by the number of the card."""


def layout_of(state: KlondikePosition) -> tuple[Layout, int]:
    """Which cards lie where in a position, and its key."""
    key, hidden, roots = 0, [], []
    # A pile's number of face-down cards never grows, so by those the piles fit the bits of the key.
    for number, pile in enumerate(sorted(range(len(state.piles)), key=lambda pile: state.down[pile])):
        dealt = state.piles[pile][: state.down[pile] + 1]
        roots.append([0, *(1 << bit_of(card) for card in dealt)])
        hidden.append(hidden_below(roots[-1]))
        if not (len(dealt) == 1 and rank_of(dealt[0]) == KING):  # such a king has been moved there as well as not
            key |= len(dealt) << PILE_SHIFTS[number]
    for suit, count in enumerate(state.foundations):
        key |= count << (F_SHIFT + 4 * suit)
    key |= ((1 << len(state.dealer)) - 1) << D_SHIFT
    cards = [1 << bit_of(card) for card in state.dealer]
    deck = [
        [sum([card for i, card in enumerate(cards[start : start + 8]) if byte >> i & 1]) for byte in range(256)]
        for start in (0, 8, 16)
    ]
    return Layout(hidden, roots, deck, {bit_of(card): 1 << place for place, card in enumerate(state.dealer)}), key


def hidden_below(roots: list[int]) -> list[int]:
    """The cards below the root of a pile, by how many are where they were dealt."""
    found = [0]
    for number in range(1, len(roots)):
        found.append(found[-1] | roots[number - 1])
    return found


class Cards(NamedTuple):
    """What a key says of a layout, as sets of cards."""

    deck: int
    hidden: int
    roots: int
    shown: int
    """All face-up cards of the tableau."""
    following: int
    """The next cards of the foundations."""
    columns: int
    """How many piles are in use."""


def cards_of(layout: Layout, key: int) -> Cards:
    """Which cards of a position are where."""
    hidden = roots = columns = 0
    for pile, shift, mask in PILES:
        if number := key >> shift & mask:
            hidden |= layout.hidden[pile][number]
            roots |= layout.roots[pile][number]
            columns += 1
    gone = following = 0
    for suit, shift in SUITS:
        number = key >> shift & 15
        gone |= GONE[suit][number]
        following |= NEXT[suit][number]
    low, middle, high = layout.deck
    deck = low[key >> D_SHIFT & 255] | middle[key >> D_SHIFT + 8 & 255] | high[key >> D_SHIFT + 16 & 255]
    return Cards(deck, hidden, roots, ALL & ~(hidden | gone | deck), following, columns)


def slots(shown: int, loose: int) -> tuple[int, int]:
    """Where there are slots: the lowest bit of each rank's four, for black cards and for red ones."""
    carried = loose & ~KINGS
    black = (shown & ONES) + (shown >> 3 & ONES) - ((carried >> 1 & ONES) + (carried >> 2 & ONES) << 4)
    red = (shown >> 1 & ONES) + (shown >> 2 & ONES) - ((carried & ONES) + (carried >> 3 & ONES) << 4)
    return (black | black >> 1) & ONES, (red | red >> 1) & ONES


def foundation_of(key: int, suit: int) -> int:
    """How many cards lie on a foundation."""
    return key >> (F_SHIFT + 4 * suit) & 15


def is_safe(key: int, suit: int, rank: int, less: int) -> bool:
    """True if all below a rank but one (and `less` more) are up in the other colour, and all but two in the twin's suit."""
    other, another = _OTHERS[suit]
    least = rank - 1 - less
    others = foundation_of(key, other) >= least and foundation_of(key, another) >= least
    return others and foundation_of(key, 3 - suit) >= least - 1


def covered(key: int) -> int:
    """How many cards lie face down."""
    return sum([max((key >> shift & mask) - 1, 0) for _, shift, mask in PILES])


def root_gone(layout: Layout, key: int, card: int) -> int:
    """The key when a root has left its place; a king that lies at the very bottom is no root."""
    for pile, shift, mask in PILES:
        number = key >> shift & mask
        if layout.roots[pile][number] == card:
            key -= 1 << shift
            if number == 2 and layout.roots[pile][1] & KINGS:
                key -= 1 << shift
            break
    return key


def settled(layout: Layout, key: int, one_turn: bool = False) -> int:
    """The key after all that goes up by itself; it has no need. With `one_turn` only up to the first card that is turned."""
    while True:
        deck, hidden, roots, shown, following, _ = cards_of(layout, key)
        if not hidden:
            return key
        black, red = slots(shown, shown & ~roots)
        free, before = shown & (black * BLACK | red * RED), key
        todo = following & (free | deck)
        while todo:
            card = todo & -todo
            todo ^= card
            number = card.bit_length() - 1
            rank, suit = number >> 2, number & 3
            if card & deck:
                if is_safe(key, suit, rank, 1):
                    key += 1 << F_SHIFT + 4 * suit
                    key ^= layout.place[number] << D_SHIFT
            elif card & roots:
                if is_safe(key, suit, rank, 0):
                    key = root_gone(layout, key, card) + (1 << F_SHIFT + 4 * suit)
                    if one_turn and covered(key) < covered(before):
                        return key
                    break  # its twin may have no slot to spare any more
            else:
                key += 1 << F_SHIFT + 4 * suit
                break
        if key == before:
            return key


class PlainSearch:
    """A search from a key: depth first over the positions of a layout.

    Args:
        layout: which cards lie where.
        key: the position.
        most_kept: positions that are kept at most; with more the search stops.
        budget: of plain Python; with none left `BudgetSpentError` is raised.
    """

    def __init__(self, layout: Layout, key: int, most_kept: int, budget: Budget = SHARED) -> None:
        key = settled(layout, key)
        self._layout, self._most_kept, self._budget = layout, most_kept, budget
        self._kept = {key}
        self._stack = [(key, 0, 0)]
        self.path: list[tuple[int, int]] = []
        """The positions from the start to the last one, and the move to each, card * 2 + (1 for up)."""
        self.looked = 0
        """How many positions were looked at."""

    @property
    def kept(self) -> int:
        """How many positions are kept."""
        return len(self._kept)

    def run(self, most: int, goes_on: Callable[[], bool] = lambda: True) -> bool | None:
        """True where a win is found, False where there is none, `None` where it is not known after so many positions.

        Raises:
            BudgetSpentError: plain Python has no time left.
        """
        while self.looked < most and len(self._kept) + 64 <= self._most_kept:
            if not self._stack:
                return False
            self.looked += 1
            self._budget.positions -= 1
            if self._budget.positions < 0:
                raise BudgetSpentError
            if self.looked % PIECE == 0 and not goes_on():
                return None
            key, depth, move = self._stack.pop()
            self.path[depth:] = [(key, move)]
            if self._expand(key, depth + 1):
                return True
        return None

    def _push(self, key: int, depth: int, move: int) -> None:
        if key not in self._kept:
            self._kept.add(key)
            self._stack.append((key, depth, move))

    def _expand(self, key: int, depth: int) -> bool:
        """Put what may come after a position on the stack; True if it is won."""
        layout = self._layout
        deck, hidden, roots, shown, following, columns = cards_of(layout, key)
        if not hidden:
            return True
        need, bare = key >> P_SHIFT, key & (1 << P_SHIFT) - 1
        loose = shown & ~roots
        empty = 7 - columns - (loose & KINGS).bit_count()
        black, red = slots(shown, loose)
        free = shown & (black * BLACK | red * RED)
        without = ~(black * BLACK | red * RED)
        fits = (red >> 4) * BLACK | (black >> 4) * RED
        if empty > 0:
            fits |= KINGS
        tops = 0
        for suit in range(4):
            if number := foundation_of(key, suit):
                tops |= 1 << 4 * (number - 1) + suit
        ups, allowed = following & free, fits
        if need == COLUMN:
            ups, allowed = 0, fits & KINGS
        elif need >= SLOT:
            rank, is_red = need - SLOT >> 1, need - SLOT & 1
            ups &= (RED if is_red else BLACK) << 4 * rank
            allowed = fits & (BLACK if is_red else RED) << 4 * (rank - 1)
        # The last pushed is tried first, so what promises least comes first.
        for number in _numbers(tops & allowed & _CARRIERS):
            if self._is_useful_below(key, number, without):
                self._push(bare - (1 << F_SHIFT + 4 * (number & 3)) | CAME_DOWN << P_SHIFT, depth, 2 * number)
        for number in _numbers(deck & allowed & without & ~following & _CARRIERS):
            slot = SLOT + 2 * (number >> 2) + (_RED_CARDS >> number & 1)
            self._push(bare ^ layout.place[number] << D_SHIFT | slot << P_SHIFT, depth, 2 * number)
        if need != COLUMN:
            if not empty and (roots | deck | tops) & KINGS:
                for pile, shift, mask in PILES:
                    if key >> shift & mask == 1 and (card := layout.roots[pile][1]) & allowed:
                        self._push(bare - (1 << shift) | COLUMN << P_SHIFT, depth, 2 * (card.bit_length() - 1))
            for number in _numbers(following & deck) if need == NOTHING else ():
                child = bare + (1 << F_SHIFT + 4 * (number & 3)) ^ layout.place[number] << D_SHIFT
                self._push(settled(layout, child), depth, 2 * number + 1)
            for number in _numbers(ups):
                child = bare + (1 << F_SHIFT + 4 * (number & 3))
                if 1 << number & roots:
                    child = root_gone(layout, child, 1 << number)
                self._push(settled(layout, child), depth, 2 * number + 1)
        for pile, shift, mask in PILES:
            if (number := key >> shift & mask) >= 2 and (card := layout.roots[pile][number]) & allowed:
                self._push(settled(layout, root_gone(layout, bare, card)), depth, 2 * (card.bit_length() - 1))
        return False

    @staticmethod
    def _is_useful_below(key: int, number: int, without: int) -> bool:
        """True if the rank and colour of a card, or of a lower one of its suit, has no slot."""
        rank, suit = number >> 2, number & 3
        for lower in range(rank, 1, -1):
            if is_safe(key, suit, lower, 0):
                return False
            if without >> 4 * lower + suit & 1:
                return True
        return False


def _numbers(cards: int) -> list[int]:
    """The numbers of some cards, ascending."""
    found = []
    while cards:
        low = cards & -cards
        found.append(low.bit_length() - 1)
        cards ^= low
    return found
