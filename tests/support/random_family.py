"""Random rulesets of the whole family: any deck, two to ten players, piles, auctions, locks, chops, kickers, any settlement.

`random_rulesets.py` draws games of `big2`'s kind; these draw everything that the compiled engine serves. As a command this
compares the engines over many of them, and where they disagree makes the ruleset as small as it can be:

    PYTHONPATH=tests/support python -m random_family --rulesets 2000 --jobs 2
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import comb
from typing import Annotated, Any, TypeAlias

import typer
from outside_patterns import Triple, TwoPairs
from random_rulesets import PARTS, RUNS, named
from shrinking import shrunk

from big2_env import (
    CardsLeft,
    ConfigError,
    Deck,
    Doubling,
    LastCard,
    Lead,
    PassLock,
    PatternRule,
    Rank,
    RuleSet,
    Shape,
    StepTable,
    Suit,
    Suits,
    When,
    available_patterns,
)
from big2_env.climbing.auction import Auction, Bid, CallRob
from big2_env.climbing.parts import Chop, Ending, Multiplier, Refill, RefillOrder, Rest
from big2_env.climbing.patterns import pattern
from big2_env.climbing.patterns.single import Single
from big2_env.climbing.settlement import (
    CapturedPoints,
    FinishingOrder,
    PairwiseDifference,
    Settlement,
    TeamStake,
    WinnerTakesOne,
)
from big2_env.climbing.shapes import Kickers
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.tables import MAX_SLOTS
from big2_env.kernels.variants import variant_of
from big2_env.runs.executors import Local
from big2_env.testing.differential import Compared, DisagreementError, compare, compare_positions

MOST_SLOT_ACTIONS, MOST_RANK_ACTIONS = 8_000, 12_000
"""Most actions: a table of more takes long to make."""
ATTEMPTS = 1_000
Choice: TypeAlias = random.Random


def random_family(seed: int) -> RuleSet:
    """The ruleset of a seed: the first of those drawn that is one, and that can be compiled."""
    choose = random.Random(seed)
    for _ in range(ATTEMPTS):
        try:
            rules = _draw(choose, f"family_{seed}")
            check_compiles(rules)
        except ConfigError:  # parts that contradict each other, too much
            continue
        rules = _with_more(random.Random(f"more of {seed}"), rules)
        rules = rules if rules.ranks_only else _with_patterns(random.Random(f"patterns of {seed}"), rules)
        return _with_last(random.Random(f"last of {seed}"), rules)
    raise AssertionError(f"seed {seed} gives no ruleset")


def _with_more(choose: Choice, rules: RuleSet) -> RuleSet:
    """The ruleset with more parts, drawn apart from the others so that they stay as they were."""
    scoring, sizes = rules.scoring, rules.hand_sizes
    ranks = sorted({card.rank for card in rules.deck.cards})
    if isinstance(scoring, CardsLeft) and choose.random() < 0.6:
        points = tuple((rank, choose.randint(0, 12)) for rank in choose.sample(ranks, choose.choice([0, 2, len(ranks)])))
        scoring = replace(scoring, points=points, doublings=tuple(_doublings(choose, rules, ranks)))
    if rules.rest is not Rest.NONE and choose.random() < 0.5:
        number = choose.randint(rules.min_players, rules.max_players)
        most = min(rules.deck.size // number, MAX_SLOTS)
        sizes = ((number, most if choose.random() < 0.5 else choose.randint(1, most)),)
    is_final = rules.suits_compare and rules.pass_lock is not PassLock.ROUND and choose.random() < 0.4
    last_card, rests = choose.choice(list(LastCard)), rules.rests
    if rules.rest is not Rest.NONE and choose.random() < 0.5:
        rests = ((rules.min_players, choose.choice([Rest.ASIDE, Rest.LOWEST_HOLDER])),)
    try:
        more = replace(rules, scoring=scoring, hand_sizes=sizes, top_single_final=is_final, last_card=last_card, rests=rests)
        check_compiles(more)
    except ConfigError:  # too large hands
        return rules
    return more


def _doublings(choose: Choice, rules: RuleSet, ranks: list[Rank]) -> Iterator[Doubling]:
    """Doublings of all kinds, by parts that the ruleset has."""
    for rank in choose.sample(ranks, choose.choice([0, 1, 2])):
        yield Doubling(When.LEFT, rank=rank, once=choose.random() < 0.4)
    more = choose.random()
    if more < 0.4:
        for rule in choose.sample(rules.patterns, min(2, len(rules.patterns))):
            yield Doubling(When.LEFT, pattern=rule.pattern.name, factor=choose.choice([2, 3]))
    if more < 0.2:
        yield Doubling(When.LEFT, card=choose.choice(rules.deck.cards))
    if more < 0.6 and rules.ending is Ending.FIRST_OUT:
        yield Doubling(When.LAST, pattern=choose.choice(rules.patterns).pattern.name)
        yield Doubling(When.LAST, rank=choose.choice(ranks), factor=choose.choice([2, 5]))


def _with_patterns(choose: Choice, rules: RuleSet) -> RuleSet:
    """The ruleset with kickers, other readings of its own cards, patterns of the package or from outside."""
    more = list[PatternRule]()
    held = _held(rules.deck)
    if choose.random() < 0.4:
        shapes = _carrying(choose, held, rules.max_hand, choose.random() < 0.5)
        more.append(_rule(choose, 100, shapes))
    if choose.random() < 0.4:
        own = [shape for rule in choose.sample(rules.patterns, 1) for shape in rule.pattern.shapes(rules.order)]
        keys = [choose.choice([rank for rank in Rank if shape.counts[rank]]) for shape in own]
        more.append(
            _rule(choose, 101, [replace(shape, key=key, suit_first=False) for shape, key in zip(own, keys, strict=True)])
        )
    number = choose.choice([*[0] * 10, 2, 6, 26])
    names = [name for name in choose.sample(list(available_patterns()), number) if name != "single"]
    more += [PatternRule(pattern(name), choose.choice(["", "g", "h"]), choose.randrange(3)) for name in names]
    if choose.random() < 0.2:
        more += map(PatternRule, (Triple(), TwoPairs()))
    choose.shuffle(more)
    known = {rule.pattern.name for rule in rules.patterns}
    distinct = {rule.pattern.name: rule for rule in more if rule.pattern.name not in known}
    try:
        found = replace(rules, patterns=(*rules.patterns, *distinct.values()))
        check_compiles(found)
    except ConfigError:  # too many actions
        return rules
    return found


def _with_last(choose: Choice, rules: RuleSet) -> RuleSet:
    """The ruleset with some patterns that are legal only as the last play."""
    named = {name for chop in rules.chops for name in (chop.pattern, chop.over)}
    chosen = [replace(rule, last=rule.pattern.name not in named and choose.random() < 0.5) for rule in rules.patterns[1:]]
    if rules.ending is not Ending.FIRST_OUT or choose.random() < 0.3:
        return rules
    try:
        found = rules.with_patterns(*chosen)
        check_compiles(found)
    except ConfigError:  # groups that nothing beats
        return rules
    return found


def _carrying(choose: Choice, held: dict[Rank, int], hand: int, by_suit: bool) -> list[Shape]:
    """Bodies of one or two ranks with kickers."""
    parts, unit, shapes = choose.choice([[2], [3], [3], [2, 2], [1, 1]]), choose.choice([1, 1, 2]), dict[Any, Shape]()
    size, most = unit * choose.randint(1, 2), choose.randint(unit, 4)
    for _ in range(choose.choice([3, 13])):
        ranks = choose.sample(list(held), min(len(parts), len(held)))
        counts = dict(zip(ranks, parts, strict=False))
        if len(ranks) == len(parts) and sum(parts) + size <= hand and all(held[rank] >= n for rank, n in counts.items()):
            limits = tuple(most if rank in held and choose.random() < 0.8 else 0 for rank in Rank)
            exclusive = tuple(choose.sample(list(held), choose.choice([0, 0, min(2, len(held))])))
            kickers = Kickers(size, limits, unit, exclusive)
            shapes[ranks[0], frozenset(ranks)] = Shape.of(counts, key=ranks[0], key_suit=by_suit, kickers=kickers)
    return list(shapes.values())


def players_of(rules: RuleSet, seed: int) -> int:
    """A number of players that a ruleset allows."""
    return random.Random(seed).randint(rules.min_players, rules.max_players)


def _draw(choose: Choice, name: str) -> RuleSet:
    by_ranks = choose.random() < 0.5
    deck = _deck(choose, by_ranks)
    deal = _deal(choose, deck, by_ranks)
    ranks = sorted({card.rank for card in deck.cards})
    patterns = tuple(_by_ranks(choose, deck, deal["hand_size"]) if by_ranks else _by_slots(choose, deck, deal["hand_size"]))
    suits_compare = not by_ranks and choose.random() < 0.8
    groups = sorted({rule.group_name for rule in patterns})
    auction = deal.get("auction")
    lead = Lead.ANY if auction else choose.choice(list(Lead))
    ending = deal.pop("ending", choose.choice([Ending.FIRST_OUT] * 3 + [Ending.LAST_HOLDER]))
    ending = Ending.FIRST_OUT if auction else ending
    rules = RuleSet(
        name=name,
        zh="",
        patterns=patterns,
        deck=deck,
        ranks=tuple(choose.sample(ranks, len(ranks))),
        suits=tuple(choose.sample(list(Suit), 4)),
        suits_compare=suits_compare,
        ranks_only=by_ranks,
        extra_covers=tuple(edge for edge in product(groups, groups) if choose.random() < 0.08),
        chops=tuple(_chops(choose, patterns)),
        must_cover=choose.random() < 0.3,
        lead=lead,
        auto_lead=lead is Lead.EXACT and choose.random() < 0.5,
        pass_lock=choose.choice(list(PassLock)),
        auto_skip_unbeatable=choose.random() < 0.2,
        ending=ending,
        scoring=_scoring(choose, deck, auction, ending),
        **deal,
    )
    if not auction:
        return rules
    factors = [Multiplier(rule.pattern.name, choose.randint(1, 2)) for rule in patterns[1:] if choose.random() < 0.2]
    factors = [replace(one, led=choose.randint(1, 2)) if choose.random() < 0.5 else one for one in factors]
    return replace(rules, multipliers=tuple(factors[:3]), spring=choose.randint(1, 3), anti_spring=choose.randint(1, 3))


def _deck(choose: Choice, by_ranks: bool) -> Deck:
    """Any deck; of places in the hand there is one copy."""
    jokers = choose.random() < 0.5
    if by_ranks and choose.random() < 0.4:
        return Deck(copies=2, jokers=jokers)
    if choose.random() < 0.5:
        return Deck(jokers=jokers)
    full = Deck(jokers=jokers)
    gone = choose.sample(full.cards, choose.choice([1, 2, 4, 12, 20]))
    if choose.random() < 0.3:  # a whole rank
        rank = choose.choice(list(Rank)[:13])
        gone = [card for card in full.cards if card.rank is rank]
    return Deck(jokers=jokers, without=tuple(sorted(gone)))


def _deal(choose: Choice, deck: Deck, by_ranks: bool) -> dict[str, Any]:
    """How many play, with how many cards; what becomes of the others."""
    most = 30 if by_ranks else MAX_SLOTS
    kind = choose.choice(["all", "aside", "lowest", "pile", "pile", "auction", "auction"])
    players = choose.randint(3 if kind == "auction" else 2, choose.choice([4, 10]))
    deal: dict[str, Any] = {"min_players": players, "max_players": players}
    fair = deck.size // players
    if kind == "all":
        return deal | {"hand_size": fair}  # refused where cards are left over
    if kind == "lowest":
        left = choose.choice([0, 1, 2, 3])
        return deal | {"hand_size": min(fair, most - left - deck.size % players), "rest": Rest.LOWEST_HOLDER}
    if kind == "auction":
        auction: Auction = (
            Bid(most=choose.randint(1, 3), deals=choose.randint(1, 4), forced_stake=choose.randint(1, 3))
            if choose.random() < 0.5
            else CallRob(deals=choose.randint(1, 4), stake=choose.randint(1, 5), rob_factor=choose.randint(1, 3))
        )
        return deal | {"hand_size": (deck.size - choose.randint(1, 6)) // players, "auction": auction}
    fewest = max(2, players - choose.choice([0, 0, 1, 3]))
    deal |= {"min_players": fewest, "players": choose.choice([None, players]), "hand_size": choose.randint(1, min(fair, most))}
    if kind == "aside":
        return deal | {"rest": Rest.ASIDE}
    return deal | {
        "draw_pile": True,
        "ending": Ending.LAST_HOLDER,
        "refill": choose.choice(list(Refill)),
        "refill_order": choose.choice(list(RefillOrder)),
        "hand_size": min(deal["hand_size"], choose.randint(2, 9)),
    }


def _scoring(choose: Choice, deck: Deck, auction: Auction | None, ending: Ending) -> Settlement:
    """A settlement that suits the auction."""
    given: list[Settlement] = [WinnerTakesOne(), CardsLeft(), CardsLeft(((3, 2), (10, 3))), StepTable(((2, 1), (6, 2.5)))]
    if auction:
        return choose.choice([*given, TeamStake(), TeamStake(), TeamStake()])
    dear = tuple((card, choose.choice([0.5, 2.0])) for card in choose.sample(deck.cards, 3))
    points = tuple((rank, choose.randint(1, 9)) for rank in choose.sample(list(Rank), 3))
    given += [PairwiseDifference(((3, 2.0),), dear), CapturedPoints(), CapturedPoints(points)]
    return choose.choice([*given, FinishingOrder()] if ending is Ending.LAST_HOLDER else given)


def _rule(choose: Choice, number: int, shapes: list[Shape]) -> PatternRule:
    """A pattern of some shapes, somewhere among the others."""
    pattern = named(f"fuzzed_{number}")(tuple(shapes))
    bomb = choose.choice([0, 0, 0, 1, 2])
    per_card = choose.choice([0, 0, 1]) if bomb else 0
    return PatternRule(pattern, choose.choice(["", "g", "h"]), choose.randrange(3), bomb, per_card)


def _chops(choose: Choice, patterns: tuple[PatternRule, ...]) -> Iterator[Chop]:
    names = [rule.pattern.name for rule in patterns]
    for _ in range(choose.choice([0, 0, 1, 3])):
        sizes, over_sizes = (choose.choice([None, None, (1, 4), (3, 6)]) for _ in range(2))
        rank = choose.choice([None, *list(Rank)[:13]])
        yield Chop(choose.choice(names), choose.choice(names), rank, sizes, over_sizes)


def _by_slots(choose: Choice, deck: Deck, hand: int) -> Iterator[PatternRule]:
    """Patterns over places in the hand; no cards have two readings."""
    held = _held(deck)
    taken = {(Shape.of([rank], key=rank).counts, True) for rank in held}
    sizes = {1}
    yield PatternRule(Single(), choose.choice(["", "g"]))
    for number in range(choose.randint(1, 7)):
        shapes = []
        for _ in range(choose.randint(1, 3)):
            parts = choose.choice(choose.choice([PARTS, RUNS]))
            if sum(comb(hand, size) for size in sizes | {sum(parts)}) > MOST_SLOT_ACTIONS:
                continue
            suits = choose.choice(list(Suits)) if max(parts) == 1 else Suits.ANY
            by_suit, key_part = choose.random() < 0.7, choose.randrange(len(parts))
            suit_first = suits is Suits.SAME and by_suit and choose.random() < 0.5
            fitting = [rank for rank in held if suits is Suits.ANY or rank <= Rank.TWO]
            for _ in range(choose.choice([1, 13, 60])):
                if len(fitting) < len(parts):
                    break
                ranks = choose.sample(fitting, len(parts))
                counts = dict(zip(ranks, parts, strict=True))
                if any(held[rank] < count for rank, count in counts.items()):
                    continue
                shape = Shape.of(counts, key=ranks[key_part], key_suit=by_suit, suits=suits, suit_first=suit_first)
                readings = {(shape.counts, one_suit) for one_suit in (True, False)}
                if suits is not Suits.ANY:
                    readings = {(shape.counts, suits is Suits.SAME)}
                if not readings & taken:
                    taken |= readings
                    shapes.append(shape)
                    sizes.add(sum(parts))
        if shapes:
            yield _rule(choose, number, shapes)


def _by_ranks(choose: Choice, deck: Deck, hand: int) -> Iterator[PatternRule]:
    """Patterns over ranks; some carry kickers, and cards may have several readings."""
    held = _held(deck)
    yield PatternRule(Single(), choose.choice(["", "g"]))
    for number in range(choose.randint(1, 8)):
        parts = choose.choice(choose.choice([PARTS, RUNS]))
        carries = max(parts) > 1 and choose.random() < 0.6
        key_part, known, shapes = choose.randrange(len(parts)), set[Any](), []
        units, unit = choose.randint(1, 3), choose.choice([1, 1, 2])
        for _ in range(choose.choice([1, 13, 40])):
            ranks = choose.sample(list(held), min(len(parts), len(held)))
            counts = dict(zip(ranks, parts, strict=False))
            if len(ranks) < len(parts) or any(held[rank] < count for rank, count in counts.items()):
                continue
            key = ranks[key_part]
            same = (key,) if carries else (key, frozenset(counts.items()))
            if same in known or sum(parts) + units * unit * carries > hand:
                continue  # with kickers a body for each key: else two ways to the same play
            known.add(same)
            limits = [min(held.get(rank, 0) - counts.get(rank, 0), choose.randint(0, 3)) for rank in Rank]
            exclusive = tuple(choose.sample(list(held), choose.choice([0, 0, 2, 3])))
            kickers = Kickers(units * unit, tuple(limits), unit, exclusive) if carries else None
            shapes.append(Shape.of(counts, key=key, key_suit=False, kickers=kickers))
        if shapes:
            yield _rule(choose, number, shapes)


def _held(deck: Deck) -> dict[Rank, int]:
    """How many cards of each rank a deck has."""
    ranks = [card.rank for card in deck.cards]
    return {rank: ranks.count(rank) for rank in sorted(set(ranks))}


# The comparison.


def compare_family(seed: int, games: int, positions: int) -> Compared:
    """Both engines over the ruleset of a seed.

    Raises:
        DisagreementError: the first difference, with the seed.
    """
    rules = random_family(seed)
    number = players_of(rules, seed)
    try:
        return compare_rules(rules, seed, games, positions, number)
    except DisagreementError as error:
        small = shrunk(rules, lambda one: _disagrees(one, seed, games, positions))
        raise DisagreementError(
            f"the ruleset is random_family.random_family({seed}), {number} players\n{error}\nas small as it can be: {small!r}"
        ) from None


def compare_rules(rules: RuleSet, seed: int, games: int, positions: int, number: int) -> Compared:
    """Both engines over a ruleset, with that many players.

    Raises:
        DisagreementError: the first difference.
    """
    done = compare(rules, games, every=32, num_players=number)
    return done.plus(compare_positions(rules, positions, seed=seed, every=32, num_players=number))


def _disagrees(rules: RuleSet, seed: int, games: int, positions: int) -> bool:
    """True if the engines disagree over a ruleset.

    Raises:
        ConfigError: it cannot be compiled.
    """
    check_compiles(rules)
    try:
        compare_rules(rules, seed, games, positions, players_of(rules, seed))
    except DisagreementError:
        return True
    return False


def _share(share: tuple[int, int, int]) -> tuple[Compared, str]:
    return compare_family(*share), variant_of(random_family(share[0])).name


def command(
    rulesets: Annotated[int, typer.Option(min=1, help="How many rulesets.")] = 100,
    seed: Annotated[int, typer.Option(help="The seed of the first one.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="Random games of each.")] = 6,
    positions: Annotated[int, typer.Option(min=1, help="Random positions of each.")] = 8,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes.")] = 1,
) -> None:
    """Compare the engines over random rulesets of the whole family. Exit status 1 where they disagree."""
    done, kinds = Compared(), dict[str, int]()
    shares = [(number, games, positions) for number in range(seed, seed + rulesets)]
    try:
        with Local(jobs).map(_share, shares) as results:
            for compared, kind in results:
                done = done.plus(compared)
                kinds[kind] = kinds.get(kind, 0) + 1
    except DisagreementError as error:
        print(error)
        sys.exit(1)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())))
    print(f"{rulesets} rulesets, {done.games:,} games, {done.positions:,} positions, {done.decisions:,} decisions: all agree")


if __name__ == "__main__":
    typer.run(command)
