"""The climbing family told straight from its rules page, for tests only: nothing of the engine is used but the names of cards.

Cards are texts, `"S[3]"` or `"LJ"`. A reading is (pattern, strength), and strengths of one game and pattern compare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

POINTS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
SUITS = "DCHS"
VALUES = {
    "chu_da_di": "3 4 5 6 7 8 9 10 J Q K A 2",
    "three_two_one": "3 4 5 6 7 8 9 10 J Q K A 2",
    "dou_dizhu": "3 4 5 6 7 8 9 10 J Q K A 2 LJ BJ",
    "dou_dizhu_x": "3 4 5 6 7 8 9 10 J Q K A 2 LJ BJ",
    "dou_dizhu_4p": "3 4 5 6 7 8 9 10 J Q K A 2 LJ BJ",
    "wu_gua_pi": "6 7 8 9 10 J Q K A 2 3 4 5 LJ BJ",
    "qi_gui_521": "3 4 6 8 9 10 J Q K A 2 5 LJ BJ 7",
    "qi_gui_523": "4 6 8 9 10 J Q K A 3 2 5 LJ BJ 7",
    "pao_de_kuai": "3 4 5 6 7 8 9 10 J Q K A 2",
    "tien_len": "3 4 5 6 7 8 9 10 J Q K A 2",
    "taiwan": "3 4 5 6 7 8 9 10 J Q K A 2",
    "pusoy_dos": "3 4 5 6 7 8 9 10 J Q K A 2",
    "capsa": "3 4 5 6 7 8 9 10 J Q K A 2",
}
VALUES = {game: order.split() for game, order in VALUES.items()}
JOKERS = {"LJ", "BJ"}
Reading = tuple[str, tuple[int, ...]]


def point(card: str) -> str:
    return card if card in JOKERS else card[2:-1]


def runs(length: int, wrap: int) -> dict[frozenset[str], str]:
    """The point runs of a length with their top; of the same points the last way to pass the king counts."""
    ring = POINTS + POINTS[:wrap]
    return {frozenset(ring[i : i + length]): ring[i + length - 1] for i in range(len(ring) - length + 1)}


def value_runs(length: int) -> Iterator[list[str]]:
    row = ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    return (row[i : i + length] for i in range(len(row) - length + 1))


def readings(game: str, cards: list[str]) -> set[Reading]:
    """Every reading of some cards."""
    if game.startswith("dou_dizhu"):
        return set(_dou_dizhu(game, Counter(map(point, cards)), len(cards)))
    if game == "three_two_one":
        return set(_three_two_one(Counter(map(point, cards)), len(cards)))
    if game == "pao_de_kuai":
        return set(_pao_de_kuai(Counter(map(point, cards)), len(cards)))
    if game == "tien_len":
        return set(_tien_len(cards))
    poker = dict.fromkeys(("chu_da_di", "pusoy_dos", "capsa"), _poker)
    found = (poker | {"wu_gua_pi": _wu_gua_pi, "taiwan": _taiwan}).get(game, _qi_gui)(game, cards)
    return set() if found is None else {found}


def _dou_dizhu(game: str, held: Counter[str], n: int) -> Iterator[Reading]:
    value = VALUES[game].index
    four, free = game == "dou_dizhu_4p", game == "dou_dizhu_x"
    kinds = set(held.values())
    (first, *others) = held
    if n == 1:
        yield "single", (value(first),)
    if not others and n == 2:
        yield "pair", (value(first),)
    if not others and n == 3 and first not in JOKERS:
        yield "triple", (value(first),)
    if not others and 4 <= n <= (8 if four else 4) and first not in JOKERS:
        yield "bomb", (value(first),)
    if dict(held) == {"LJ": 1, "BJ": 1} and not four:
        yield "joker_pair", (value("BJ"),)
    if dict(held) == {"LJ": 2, "BJ": 2}:
        yield "joker_quad", (value("BJ"),)
    for unit, name, shortest in ((1, "straight", 5), (2, "pair_straight", 3), (3, "triple_straight", 2)):
        if kinds == {unit} and len(held) >= shortest:
            for run in value_runs(len(held)):
                if set(run) == set(held):
                    yield name, (value(run[-1]),)
    triples = [one for one, number in held.items() if number >= 3]
    for three in triples:
        rest = held - Counter({three: 3})
        if n == 4 and three not in rest and not four:
            yield "triple_single", (value(three),)
        if n == 5 and three not in rest and list(rest.values()) == [2]:
            yield "full_house", (value(three),)
    for quad in [one for one, number in held.items() if number >= 4 and not four]:
        rest = held - Counter({quad: 4})
        if n == 6 and (free or set(rest) != JOKERS):
            yield "quad_two_singles", (value(quad),)
        if n == 8 and not JOKERS & set(rest) and set(rest.values()) <= ({2, 4} if free else {2}):
            yield "quad_two_pairs", (value(quad),)
    for length in range(2, len(triples) + 1):
        for run in value_runs(length):
            if not set(run) <= set(triples):
                continue
            rest = held - Counter(dict.fromkeys(run, 3))
            beside = {one for pair in value_runs(2) if set(pair) & set(run) for one in pair}
            if n == 4 * length and not four:
                strict = not set(rest) & set(run) and not set(rest) >= JOKERS and max(rest.values()) < 4
                if free or (strict and not any(rest[one] >= 3 for one in beside)):
                    yield "triple_straight_singles", (value(run[-1]),)
            if n == 5 * length:
                allowed = set(rest.values()) <= ({2, 4} if free else {2}) and not set(rest) & set(run)
                if allowed and not (set(rest) >= JOKERS if four else set(rest) & JOKERS):
                    yield "triple_straight_pairs", (value(run[-1]),)


def _three_two_one(held: Counter[str], n: int) -> Iterator[Reading]:
    value = VALUES["three_two_one"].index
    shape = sorted(held.values(), reverse=True)
    if len(held) == 1:
        yield ("single", "pair", "triple", "four_of_a_kind")[n - 1], (value(*held),)
    straights = ((1, "straight", 3), (2, "pair_straight", 2), (3, "triple_straight", 2), (4, "quad_straight", 2))
    for unit, name, shortest in straights:
        if set(held.values()) == {unit} and len(held) >= shortest and (top := runs(len(held), 2).get(frozenset(held))):
            yield name, (value(top),)
        if unit > 1 and n % unit == 1:  # a run and one card more
            length = n // unit
            for extra in held:
                body = held - Counter([extra])
                top = runs(length, 2).get(frozenset(body))
                if set(body.values()) == {unit} and length >= (3 if unit == 2 else 2) and top:
                    yield f"{name}_single", (value(top),)
    for three in held:
        if shape == [3, 2] and held[three] == 3:
            yield "full_house", (value(three),)
        if shape == [4, 1] and held[three] == 4:
            yield "quad_single", (value(three),)
        if n == 6 and held[three] >= 3:
            rest = held - Counter({three: 3})
            if any(rest[pair] >= 2 and pair != three for pair in rest):
                yield "triple_pair_single", (value(three),)


def _pao_de_kuai(held: Counter[str], n: int) -> Iterator[Reading]:
    value = VALUES["pao_de_kuai"].index
    if len(held) == 1:
        yield {1: "single", 2: "pair", 3: "triple", 4: "bomb"}[n], (value(*held),)
    if sorted(held.values()) == [1, 3]:
        yield "triple_single", (value(max(held, key=lambda one: held[one])),)
    for unit, name, shortest in ((1, "straight", 5), (2, "pair_straight", 2)):
        if set(held.values()) == {unit} and len(held) >= shortest:
            for run in value_runs(len(held)):
                if set(run) == set(held):
                    yield name, (value(run[-1]),)
    triples = {one for one, number in held.items() if number == 3}
    for length in range(1, 4):
        for run in value_runs(length):
            if n == 5 * length and set(run) <= triples:
                rest = held - Counter(dict.fromkeys(run, 3))
                beside = {one for pair in value_runs(2) if set(pair) & set(run) for one in pair}
                if length == 1:
                    yield "triple_two", (value(*run),)
                elif max(rest.values()) < 4 and not any(rest[one] > 2 for one in beside):
                    yield "triple_straight_singles", (value(run[-1]),)


def _tien_len(cards: list[str]) -> Iterator[Reading]:
    held, high = Counter(map(point, cards)), _highest("tien_len", cards)
    if len(held) == 1:
        yield ("single", "pair", "triple", "four_of_a_kind")[len(cards) - 1], high[: 2 if len(cards) < 3 else 1]
    for unit, name in ((1, "straight"), (2, "pair_straight")):
        if set(held.values()) == {unit} and len(held) >= 3 and any(set(run) == set(held) for run in value_runs(len(held))):
            yield name, high


def _highest(game: str, cards: list[str]) -> tuple[int, ...]:
    suits = {"tien_len": "SCDH", "taiwan": "CDHS", "pusoy_dos": "CSHD"}.get(game, SUITS)
    return max((VALUES[game].index(point(card)), suits.find(card[0])) for card in cards)


TAIWAN_RUNS = ["5432A", "76543", "87654", "98765", "X9876", "JX987", "QJX98", "KQJX9", "AKQJX", "23456"]
"""Straights of `taiwan` from the lowest up, the card that decides first; X is a 10."""


def _taiwan(game: str, cards: list[str]) -> Reading | None:
    held, n = Counter(map(point, cards)), len(cards)
    value = VALUES[game].index
    if len(held) == 1 and n < 3:
        return ("single", "pair")[n - 1], _highest(game, cards)
    if n != 5:
        return None
    for place, run in enumerate(TAIWAN_RUNS):
        points = run.replace("X", "0")
        if sorted(points) == sorted(one[-1] for one in held):
            (decides,) = [card for card in cards if point(card)[-1] == points[0]]
            name = "straight_flush" if len({card[0] for card in cards}) == 1 else "straight"
            return name, (place, "CDHS".index(decides[0]))
    body, most = held.most_common(1)[0]
    if len(held) != 2:
        return None
    return "quad_single" if most == 4 else "full_house", (value(body),)


def _poker(game: str, cards: list[str]) -> Reading | None:
    held, n = Counter(map(point, cards)), len(cards)
    shape, value = sorted(held.values(), reverse=True), VALUES[game].index
    if len(held) == 1 and n < 4:
        if n == 3:
            return "triple", (value(*held),)
        return ("single", "pair")[n - 1], _highest(game, cards)
    if n != 5:
        return None
    body = held.most_common(1)[0][0]
    run, flush = frozenset(held) in runs(5, 1) and len(held) == 5, len({card[0] for card in cards}) == 1
    if run or flush:
        return "straight_flush" if run and flush else "straight" if run else "flush", _highest(game, cards)
    return {(4, 1): ("quad_single", (value(body),)), (3, 2): ("full_house", (value(body),))}.get(tuple(shape))


def _wu_gua_pi(game: str, cards: list[str]) -> Reading | None:
    held, n = Counter(map(point, cards)), len(cards)
    value, high = VALUES[game].index, _highest(game, cards)
    body, most = held.most_common(1)[0]
    if n == 1:
        return "single", high
    if n == 2:
        return ("joker_pair", high) if set(held) == JOKERS else ("pair", high) if most == 2 else None
    if n > 5:
        return None
    run = frozenset(held) in runs(n, 1) and len(held) == n
    flush = len({card[0] for card in cards}) == 1 and not set(held) & JOKERS
    if run or flush:
        return "straight_flush" if run and flush else "straight" if run else "flush", high
    if n == most:
        return ("triple", (value(body),)) if n == 3 else ("four_of_a_kind", (value(body),))
    if n == 5 and most == 4:
        return "quad_single", (value(body),)
    rest = {one: number for one, number in held.items() if one != body}
    if n == 5 and most == 3 and (list(rest.values()) == [2] or set(rest) == JOKERS):
        return "full_house", (value(body),)
    return None


def _qi_gui(game: str, cards: list[str]) -> Reading | None:
    held, high = set(map(point, cards)), _highest(game, cards)
    if held == JOKERS and len(cards) == 2:
        return "joker_pair", high
    if len(held) > 1:
        return None
    return ("single", "pair", "triple", "four_of_a_kind")[len(cards) - 1], high


POKER = {5: ["straight", "flush", "full_house", "quad_single", "straight_flush"]}
TIERS = {
    "chu_da_di": POKER,
    "pusoy_dos": POKER,
    "capsa": POKER,
    "wu_gua_pi": {
        2: ["pair", "joker_pair"],
        3: ["straight", "flush", "triple", "straight_flush"],
        4: ["straight", "flush", "four_of_a_kind", "straight_flush"],
        5: ["straight", "flush", "full_house", "quad_single", "straight_flush"],
    },
}


def beats(game: str, n: int, high: Reading, m: int, low: Reading) -> bool:
    """Whether n cards read as `high` beat m cards read as `low`."""
    (name, strength), (under, weaker) = high, low
    if game == "tien_len" and under in ("single", "pair", "triple") and weaker[0] == VALUES[game].index("2"):
        pairs = n // 2 if name == "pair_straight" else 0  # how long a run of pairs
        chops = {"single": name == "four_of_a_kind" or pairs >= 3, "pair": pairs >= 4, "triple": pairs >= 5}
        return chops[under] or (name == under and strength > weaker)
    if game.startswith("dou_dizhu") or game == "pao_de_kuai":
        bombs = {"bomb": 1, "joker_pair": 2, "joker_quad": 2}
        level, below = bombs.get(name, 0), bombs.get(under, 0)
        if level != below:
            return level > below
        if level == 1 and n != m:
            return n > m
    if game == "taiwan":
        bombs = {"quad_single": 1, "straight_flush": 2}
        if bombs.get(name, 0) != bombs.get(under, 0):
            return bombs.get(name, 0) > bombs.get(under, 0)
    if n != m:
        return False
    if game == "three_two_one" and (name, under, n) == ("triple_straight", "triple_pair_single", 6):
        return strength > weaker
    if game.startswith("qi_gui"):
        return strength > weaker
    tiers = TIERS.get(game, {}).get(n)
    if tiers:
        return (tiers.index(name), strength) > (tiers.index(under), weaker)
    return name == under and strength > weaker
