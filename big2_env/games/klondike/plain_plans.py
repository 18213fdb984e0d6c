"""The best plan of `kernels.plans` in plain Python: one hint takes less time than compiling."""

from __future__ import annotations

from typing import Final

from big2_env.games.klondike.keys import D_SHIFT, F_SHIFT, P_SHIFT
from big2_env.games.klondike.plain_search import (
    BLACK,
    KINGS,
    PILES,
    RED,
    Budget,
    Layout,
    PlainSearch,
    cards_of,
    covered,
    hidden_below,
    root_gone,
    settled,
    slots,
)
from big2_env.rng import SplitMix64

_BARE: Final = (1 << P_SHIFT) - 1
Path = list[tuple[int, int]]


def most_kept(most: int) -> int:
    """How many positions a search of so many positions may keep, by the compiled one's table."""
    return (1 << max(13, (4 * most).bit_length())) // 8 * 5


def redealt(layout: Layout, key: int, rng: SplitMix64) -> Layout:
    """A layout with the face-down cards of a position dealt anew."""
    places = [(pile, place) for pile, shift, mask in PILES for place in range(1, key >> shift & mask)]
    cards = [layout.roots[pile][place] for pile, place in places]
    rng.shuffle(cards)
    roots = [list(pile) for pile in layout.roots]
    for pile, place in places:
        roots[pile][place] = cards.pop()
    return layout._replace(roots=roots, hidden=[hidden_below(pile) for pile in roots])


def best_plan(layout: Layout, key: int, seed: int, samples: int, most: int, budget: Budget) -> tuple[int, Path]:
    """On how many of the deals drawn the best plan wins, and the path to its turned card; empty for no plan.

    Plans are those by which the search wins one of the deals, and all of one move; each is tried on every deal.

    Args:
        layout: which cards lie where.
        key: the position.
        seed: of the stream that draws.
        samples: how many deals are drawn.
        most: positions of a search; a deal for which they do not do counts as lost.
        budget: of plain Python.

    Raises:
        BudgetSpentError: plain Python has no time left.
    """
    rng, deals, plans = SplitMix64(seed), list[Layout](), dict[int, Path]()
    for _ in range(samples):
        deal = redealt(layout, key, rng)
        path = _winning(deal, key, most, budget)
        if path is None:
            continue
        deals.append(deal)
        row, after = _first_turn(deal, key, path)
        if row >= 0:
            plans.setdefault(after, [*path[:row], (after, path[row][1])])
    for after, move in _turned_by_roots(layout, key):
        plans.setdefault(after, [(key, 0), (after, move)])
    best, chosen = -1, list[tuple[int, int]]()
    for after, path in plans.items():
        wins = 0
        for number, deal in enumerate(deals):
            if wins + len(deals) - number <= best:
                break
            wins += _winning(deal, after, most, budget) is not None
        if wins > best:
            best, chosen = wins, path
    return max(best, 0), chosen


def _winning(layout: Layout, key: int, most: int, budget: Budget) -> Path | None:
    """The path of a win that a search of so many positions finds, `None` where it finds none."""
    for pile, shift, mask in PILES:  # a king that lies at the very bottom is no root
        if key >> shift & mask == 1 and layout.roots[pile][1] & KINGS:
            key -= 1 << shift
    search = PlainSearch(layout, key, most_kept(most), budget)
    return search.path if search.run(most) else None


def _unseated(before: int, after: int) -> int:
    """The key after a card is turned, whatever card it is, a king at the very bottom too."""
    for _, shift, mask in PILES:
        if before >> shift & mask == 2 and after >> shift & mask == 0:
            after += 1 << shift
    return after


def _first_turn(layout: Layout, key: int, path: Path) -> tuple[int, int]:
    """The row of a path in which the first card is turned, and the key right then; row -1 where none is."""
    now = covered(key)
    if covered(path[0][0] & _BARE) < now:
        return 0, _unseated(key, settled(layout, key, True))
    for row in range(1, len(path)):
        if covered(path[row][0] & _BARE) == now:
            continue
        before, move = path[row - 1][0] & _BARE, path[row][1]
        number, cards, after = move >> 1, cards_of(layout, before), before
        if move & 1:
            after += 1 << F_SHIFT + 4 * (number & 3)
        if cards.deck >> number & 1:
            after ^= layout.place[number] << D_SHIFT
        elif cards.roots >> number & 1:
            after = root_gone(layout, after, 1 << number)
        if covered(after) == now:  # it is turned by what goes up by itself after the move
            return row, _unseated(after, settled(layout, after, True))
        return row, _unseated(before, after)
    return -1, key


def _turned_by_roots(layout: Layout, key: int) -> Path:
    """The single moves that turn a card, each with the key after it."""
    _, _, roots, shown, following, columns = cards_of(layout, key)
    loose = shown & ~roots
    black, red = slots(shown, loose)
    free = shown & (black * BLACK | red * RED)
    fits = (red >> 4) * BLACK | (black >> 4) * RED
    if columns + (loose & KINGS).bit_count() < 7:
        fits |= KINGS
    found = []
    for pile, shift, mask in PILES:
        place = key >> shift & mask
        if place < 2:
            continue
        card, after = layout.roots[pile][place], key - (1 << shift)
        number = card.bit_length() - 1
        if card & fits:
            found.append((after, 2 * number))
        if card & following & free:
            found.append((after + (1 << F_SHIFT + 4 * (number & 3)), 2 * number + 1))
    return found
