"""Patterns and comparisons in words, derived from the shapes, so patterns of other packages need no text of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from big2_env.base.cards import RANK_NAMES, Card, Rank
from big2_env.base.language import Language, Words
from big2_env.climbing.hands import hand_order
from big2_env.climbing.parts import Chop, PatternRule
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import Shape, Suits
from big2_env.climbing.table import Row
from big2_env.text.names import cards_text, pattern_name, rank_text, ranked_text

JOKERS = frozenset((Rank.LITTLE_JOKER, Rank.BIG_JOKER))
FEW = 4
"""Longest list of numbers that is written out. Longer lists show the first two numbers and the last."""


def pattern_words(ruleset: RuleSet, rule: PatternRule, tr: Words) -> str | None:
    """Return a pattern in one line (name, cards, strength and an example), or None if the deck lacks the cards.

    Args:
        ruleset: Rules of the game.
        rule: The pattern.
        tr: Texts in the user's language.
    """
    rows = [row for row in ruleset.table.rows if row.pattern == rule.pattern.name]
    if not rows:
        return None
    shapes = [row.shape for row in rows]
    sizes = sorted({shape.size for shape in shapes})
    parts = [
        tr("rules.pattern", name=pattern_name(ruleset, rule.pattern.name, tr), cards=card_numbers(sizes, tr)),
        tr("rules.sentence", text=tr("rules.comma").join(_structure(ruleset, rule, shapes, tr))),
    ]
    if rule.last:
        parts.append(tr("rules.last_play"))
    if strength := _strength(ruleset, rule, rows, tr):
        parts.append(tr("rules.sentence", text=tr("rules.strength", by=strength)))
    if example := example_of(ruleset, rows, tr):
        parts.append(tr("rules.sentence", text=tr("rules.example", cards=example)))
    return (" " if tr.language is Language.EN else "").join(parts)


def card_numbers(sizes: Sequence[int], tr: Words) -> str:
    """Return a number of cards in words: `5 cards`, `5 to 12 cards`, `6, 8, … 20 cards`.

    Args:
        sizes: Possible numbers, ascending.
        tr: Texts in the user's language.
    """
    return tr("rules.cards_1") if list(sizes) == [1] else tr("rules.cards", number=span(sizes, tr))


def span(numbers: Sequence[int], tr: Words) -> str:
    """Return numbers in words: `5`, `5 to 12`, `6, 9 or 12`, `6, 8, … 20`.

    Args:
        numbers: Numbers, ascending.
        tr: Texts in the user's language.
    """
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return tr("rules.from_to", low=numbers[0], high=numbers[-1])
    if len(numbers) > FEW:
        return tr("rules.and_so_on", low=numbers[0], next=numbers[1], high=numbers[-1])
    *some, last = map(str, numbers)
    return tr("look.or").join([tr("rules.list").join(some), last] if some else [last])


def example_of(ruleset: RuleSet, rows: Sequence[Row], tr: Words) -> str:
    """Return the cards of an example in canonical order, or only the ranks if suits never matter.

    Args:
        ruleset: Rules of the game.
        rows: Rows of the pattern in the play table.
        tr: Texts in the user's language.
    """
    names = {row.pattern for row in rows}
    ranked = sorted(rows, key=lambda row: _likeness(row.shape))
    alike = [row for row in ranked if _likeness(row.shape) == _likeness(ranked[0].shape)]
    middle = len(alike) // 2
    for row in [*alike[middle:], *alike[:middle], *ranked[len(alike) :]]:
        mask = _cards_of(ruleset, row.shape)
        for play in ruleset.table.classify(mask) if mask else ():
            if play.pattern in names:
                return ranked_text(ruleset, hand_order(ruleset, play), tr)
    return ""


def is_ambiguous(ruleset: RuleSet) -> bool:
    """Return True if some cards have several readings."""
    bodies: dict[tuple[int, ...], set[Suits]] = {}
    carrying = []
    for shape in (row.shape for row in ruleset.table.rows):
        if shape.kickers is not None:
            carrying.append(shape)
            continue
        others = bodies.setdefault(shape.counts, set())
        if shape.suits in others or (others and Suits.ANY in {shape.suits, *others}):
            return True
        others.add(shape.suits)
    masks = (_cards_of(ruleset, shape) for shape in carrying)
    return any(len(ruleset.table.classify(mask)) > 1 for mask in masks if mask)


def _cards_of(ruleset: RuleSet, shape: Shape) -> int:
    """Return some cards of a shape as a mask, or 0 if the first candidates do not form it."""
    order, mask, turn = ruleset.order, 0, 0
    for rank, count in enumerate(shape.counts):
        cards = order.sort(order.rank_masks[rank])
        first = 0 if shape.suits is Suits.SAME or count > 1 else turn
        mask |= sum(1 << cards[(first + i) % len(cards)] for i in range(count)) if count else 0
        turn += count
    if shape.kickers is not None:
        held = [(order.rank_masks[rank] & ~mask).bit_count() for rank in range(len(Rank))]
        chosen = next(iter(shape.kickers.choices(held, order.ranks)), None)
        if chosen is None:
            return 0
        for rank, count in chosen:
            cards = order.sort(order.rank_masks[rank] & ~mask)
            mask |= sum(1 << card for card in cards[:count])
    return mask


def _likeness(shape: Shape) -> tuple[bool, int, int]:
    """Return a sort key of a shape as an example: no jokers first, then many ranks unless it is a run, then few cards."""
    numbers = [number for number in shape.counts if number]
    return bool(_jokers(shape)), -len(numbers) if len(set(numbers)) > 1 else 0, shape.size


def _jokers(shape: Shape) -> list[int]:
    """Return the number of each joker in the body, without zeros."""
    return [shape.counts[joker] for joker in sorted(JOKERS) if shape.counts[joker]]


def _units(shape: Shape) -> tuple[int, ...]:
    return tuple(sorted(filter(None, shape.counts), reverse=True))


def _run(rule: PatternRule, ruleset: RuleSet, shape: Shape) -> tuple[Rank, ...] | None:
    """Return the run that forms the body of a shape, from bottom to top, or None."""
    runs = getattr(rule.pattern, "runs", None)
    if runs is None:
        return None
    ranks = {rank for rank in Rank if shape.counts[rank]}
    return next((run for run in runs.of(len(ranks), ruleset.order) if set(run) == ranks), None)


def _structure(ruleset: RuleSet, rule: PatternRule, shapes: Sequence[Shape], tr: Words) -> Iterator[str]:
    """Yield the cards of a body, its kickers, and possible jokers."""
    plain = [shape for shape in shapes if not _jokers(shape)] or shapes
    typical = max(plain, key=lambda shape: (len(_units(shape)), -shape.size))
    shortest = min(plain, key=lambda shape: shape.size)
    run = _run(rule, ruleset, shortest)
    if all(set(_ranks(shape)) <= JOKERS for shape in shapes):
        yield tr("rules.exactly", cards=cards_text(ruleset, map(Card, _joker_names(typical)), tr))
    elif run is not None:
        lengths = span(sorted({len(_units(shape)) for shape in plain}), tr)
        unit = _units(shortest)[0]
        yield tr("rules.run_1" if unit == 1 else "rules.run_units", ranks=lengths, unit=unit)
        runs = getattr(rule.pattern, "runs").of(len(run), ruleset.order)  # noqa: B009
        yield tr("rules.run_ends", first=_dashed(ruleset, runs[0]), last=_dashed(ruleset, runs[-1]))
        yield from {Suits.SAME: [tr("rules.one_suit")], Suits.MIXED: [tr("rules.mixed")]}.get(shortest.suits, [])
    elif typical.suits is Suits.SAME:
        yield tr("rules.one_suit")
        if hasattr(rule.pattern, "runs") and (runs := rule.pattern.runs.of(shortest.size, ruleset.order)):
            yield tr("rules.no_run", first=_dashed(ruleset, runs[0]), last=_dashed(ruleset, runs[-1]))
    elif len(_units(typical)) == 1:
        numbers = sorted({_units(shape)[0] for shape in plain})
        yield tr("rules.any_card") if numbers == [1] else tr("rules.of_one_rank", number=span(numbers, tr))
    else:
        yield tr("rules.plus").join(_unit(size, tr) for size in _units(typical))
        yield tr("rules.may_share") if any(len(_units(s)) < len(_units(typical)) for s in plain) else tr("rules.differ")
    if shortest.kickers is not None:
        yield from _carried(ruleset, rule, plain, tr)
    if plain is not shapes:
        yield from _with_jokers(shapes, len(_units(typical)), tr)


def _with_jokers(shapes: Sequence[Shape], units: int, tr: Words) -> Iterator[str]:
    """Yield the jokers that may be among the units of a body."""
    found = {tuple(_jokers(shape)) for shape in shapes} - {()}
    if (1, 1) in found:
        yield tr("rules.both_jokers_pair")
    if (2,) in found:
        yield tr("rules.same_jokers_pair")
    if (1,) in found and units > 1:
        yield tr("rules.joker_single")


def _carried(ruleset: RuleSet, rule: PatternRule, shapes: Sequence[Shape], tr: Words) -> Iterator[str]:
    """Yield the kickers of a body and their restrictions."""
    found = [(shape, shape.kickers) for shape in shapes if shape.kickers is not None]
    shape, kickers = found[0]
    unit = kickers.unit
    each = {(one.size / unit) / len(_units(body)) for body, one in found}
    if _run(rule, ruleset, shape) is not None and len(each) == 1 and len({one.size for _, one in found}) > 1:
        number, per = int(each.pop()), tr("rules.for_each_rank")
    else:
        number, per = kickers.size // unit, ""
    if unit == 2:
        yield tr("rules.carries_pair", per=per) if number == 1 else tr("rules.carries_pairs", number=number, per=per)
    else:
        yield tr("rules.carries_1", per=per) if number == 1 else tr("rules.carries", number=number, per=per)
    in_body = any(kickers.limits[rank] for rank in _ranks(shape))
    yield tr("rules.any_rank" if in_body else "rules.other_ranks")
    others = [rank for rank in ruleset.order.suited_ranks if not shape.counts[rank]]
    most = max((kickers.limits[rank] for rank in others), default=0)
    held = max((_held(ruleset, rank) for rank in others), default=0)
    if unit == 2:
        yield tr("rules.quad_as_pairs" if most >= 4 else "rules.pairs_differ")
    elif most < min(held, max(one.size for _, one in found)):
        yield tr("rules.at_most_of_rank", number=most)
        limited = [kickers.limits[rank] for rank in others if kickers.limits[rank] < min(most, _held(ruleset, rank))]
        if limited:
            yield tr("rules.fewer_beside", number=min(limited))
    yield from _carried_jokers(ruleset, found[0][1].limits, bool(kickers.exclusive), unit, tr)


def _held(ruleset: RuleSet, rank: Rank) -> int:
    """Return the number of cards of a rank in the deck."""
    return ruleset.order.rank_masks[rank].bit_count()


def _carried_jokers(ruleset: RuleSet, limits: Sequence[int], is_exclusive: bool, unit: int, tr: Words) -> Iterator[str]:
    jokers = [joker for joker in JOKERS if joker in ruleset.order.ranks]
    if not jokers:
        return
    if not any(limits[joker] for joker in jokers):
        yield tr("rules.no_jokers")
    elif unit == 2:
        yield tr("rules.same_jokers_pair")
    elif is_exclusive:
        yield tr("rules.not_both_jokers")


def _strength(ruleset: RuleSet, rule: PatternRule, rows: Sequence[Row], tr: Words) -> str:
    """Return the criterion that compares two plays of the pattern, or an empty text if all are equal."""
    if len({(row.power, row.top) for row in rows}) == 1 and rows[0].power == rows[0].top:
        return ""
    by_suit = any(row.by_suit for row in rows)
    shapes = [row.shape for row in rows]
    if any(shape.suit_first for shape in shapes):
        return tr("rules.by_suit_first")
    widest = max(shapes, key=lambda shape: (not _jokers(shape), len(_units(shape))))
    units = _units(widest)
    if len(units) == 1 and widest.kickers is None:
        what = tr("rules.by_rank")
    elif len(units) == 1:
        return tr("rules.by_unit", unit=_unit(units[0], tr))
    elif len(set(units)) > 1:
        return tr("rules.by_unit", unit=_unit(widest.counts[widest.key], tr))
    else:
        what = _of_highest(ruleset, rule, shapes, tr)
        return tr("rules.then_its_suit", by=what) if by_suit else what
    return tr("rules.then_suit", by=what) if by_suit else what


def _of_highest(ruleset: RuleSet, rule: PatternRule, shapes: Sequence[Shape], tr: Words) -> str:
    """Return the deciding card of different ranks: the highest, with an example if it may be inside a run, or the top of it."""
    values = ruleset.order.values
    others = [shape for shape in shapes if values[shape.key] < max(values[rank] for rank in _ranks(shape))]
    if not others:
        for shape in shapes:
            run = _run(rule, ruleset, shape)
            if run and run[-1] is not shape.key:
                return tr(
                    "rules.by_highest_wrapped",
                    low=tr("rules.by_low", run=_dashed(ruleset, run), rank=rank_text(ruleset, shape.key, tr)),
                )
        return tr("rules.by_highest")
    runs = [(shape.key, _run(rule, ruleset, shape) or ()) for shape in others]
    if getattr(rule.pattern, "low", None) is None:
        return tr("rules.by_top_of_run")
    low = tr("rules.list").join(
        tr("rules.by_low", run=_dashed(ruleset, run), rank=rank_text(ruleset, key, tr)) for key, run in runs
    )
    best = max(shapes, key=lambda shape: values[shape.key])
    return tr("rules.by_highest_but", low=low, best=_dashed(ruleset, _run(rule, ruleset, best) or ()))


def _ranks(shape: Shape) -> list[Rank]:
    return [rank for rank in Rank if shape.counts[rank]]


def _joker_names(shape: Shape) -> list[str]:
    return [RANK_NAMES[rank] for rank in _ranks(shape) for _ in range(shape.counts[rank])]


def _unit(size: int, tr: Words) -> str:
    return tr(f"rules.unit_{size}") if size <= 4 else tr("rules.unit_more", number=size)


def _dashed(ruleset: RuleSet, run: Sequence[Rank]) -> str:
    return "-".join(rank_text(ruleset, rank) for rank in run)


def beating(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    """Yield the comparison groups with their tiers, bombs, chops and other rules of comparison.

    Args:
        ruleset: Rules of the game.
        tr: Texts in the user's language.
    """
    yield tr("rules.beats")
    yield tr("rules.beats_strictly")
    yield from _groups(ruleset, tr)
    yield from _bombs(ruleset, tr)
    for group, over in ruleset.extra_covers:
        names = {name: " / ".join(_names(ruleset, name, tr)) for name in (group, over)}
        yield tr("rules.also_beats", group=names[group], over=names[over])
    for chop in ruleset.chops:
        yield _chop(ruleset, chop, tr)


def _names(ruleset: RuleSet, group: str, tr: Words) -> list[str]:
    return [pattern_name(ruleset, rule.pattern.name, tr) for rule in ruleset.patterns if rule.group_name == group]


def _sizes(ruleset: RuleSet, rule: PatternRule) -> list[int]:
    return sorted({row.shape.size for row in ruleset.table.rows if row.pattern == rule.pattern.name})


def _groups(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    """Yield the patterns by tier, for each comparison group of several patterns and each number of cards."""
    groups: dict[str, list[PatternRule]] = {}
    for rule in ruleset.patterns:
        groups.setdefault(rule.group_name, []).append(rule)
    for rules in groups.values():
        for size in sorted({size for rule in rules for size in _sizes(ruleset, rule)}):
            tiers: dict[int, list[str]] = {}
            for rule in sorted(rules, key=lambda rule: rule.tier):
                if size in _sizes(ruleset, rule):
                    tiers.setdefault(rule.tier, []).append(pattern_name(ruleset, rule.pattern.name, tr))
            listed = " < ".join(" = ".join(names) for names in tiers.values())
            if len(tiers) > 1:
                yield tr("rules.tiers", cards=card_numbers([size], tr), tiers=listed)
            if any(len(names) > 1 for names in tiers.values()):
                yield tr("rules.same_tier", cards=card_numbers([size], tr), tiers=listed)


def _bombs(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    levels: dict[int, list[str]] = {}
    for rule in ruleset.patterns:
        name = pattern_name(ruleset, rule.pattern.name, tr)
        for size in _sizes(ruleset, rule):
            if level := rule.bomb_level(size):
                sized = tr("rules.bomb_of", name=name, cards=card_numbers([size], tr)) if rule.bomb_per_card else name
                if sized not in levels.setdefault(level, []):
                    levels[level].append(sized)
    if not levels:
        return
    bombs = (pattern_name(ruleset, rule.pattern.name, tr) for rule in ruleset.patterns if rule.bomb or rule.bomb_per_card)
    yield tr("rules.bombs", names=tr("rules.list").join(bombs))
    if len(levels) > 1:
        yield tr("rules.bomb_levels", levels=" < ".join(" = ".join(levels[level]) for level in sorted(levels)))


def _chop(ruleset: RuleSet, chop: Chop, tr: Words) -> str:
    """Return the plays that a chop beats, in words."""
    beating, beaten = (pattern_name(ruleset, name, tr) for name in (chop.pattern, chop.over))
    own = {name: _sizes(ruleset, rule) for rule in ruleset.patterns for name in [rule.pattern.name]}
    if chop.sizes is not None:
        sizes = [size for size in own[chop.pattern] if chop.sizes[0] <= size <= chop.sizes[1]]
        beating = tr("rules.bomb_of", name=beating, cards=card_numbers(sizes or chop.sizes, tr))
    if chop.over_sizes is not None:
        sizes = [size for size in own[chop.over] if chop.over_sizes[0] <= size <= chop.over_sizes[1]]
        beaten = tr("rules.bomb_of", name=beaten, cards=card_numbers(sizes or chop.over_sizes, tr))
    if chop.rank is None:
        return tr("rules.chop", beating=beating, beaten=beaten)
    return tr("rules.chop_rank", beating=beating, beaten=beaten, rank=rank_text(ruleset, chop.rank, tr))
