"""Pattern classes drawn at random, as users might write them, and one check over everything that plays by a ruleset.

    python -m generated_patterns --classes 1000 --seed 7

Each number of classes adds one to a shipped game in which suits matter, and removes some of the game's own patterns. What may
be played is found by brute force over all subsets of the hand, from the shapes alone, and everything must agree with it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any

import gymnasium
import numpy as np
import typer

from big2_env import BIG2, ConfigError, Game, Kickers, Pattern, PatternRule, Play, Rank, RuleSet, Shape, Suits, ruleset
from big2_env.agents.interface import make_agent
from big2_env.climbing.actions import action_space
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.order import CardOrder
from big2_env.climbing.parts import Ending
from big2_env.climbing.table import SUIT_FIRST, TIER_POWER
from big2_env.envs.aec import raw_env
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.variants import variant_of
from big2_env.notation import log, log_reader
from big2_env.notation.transcript import Transcript
from big2_env.runs.executors import Local
from big2_env.runs.progress import counting
from big2_env.testing.differential import compare, compare_positions
from big2_env.testing.interpreted import replay_interpreted

Choice = random.Random
GAMES = ("big2", "big2", "hong_kong", "taiwan", "capsa", "pusoy_dos", "chu_da_di", "tien_len")
"""Shipped games in which suits matter; `big2` is drawn most often."""
MOST_SHAPES = 240


@dataclass(frozen=True)
class Generated(Pattern):
    """A pattern whose shapes depend on a number and on the order of the cards."""

    seed: int = 0
    name = "generated"
    zh = "生成"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        choose, seen = random.Random(f"shapes of {self.seed}"), set()
        for _ in range(choose.randint(1, 3)):
            draw = choose.choice([_sets, _runs, _suited, _carrying, _carrying, _overlapping])
            for shape in draw(choose, order):
                same = shape.counts, shape.key, shape.suits, shape.kickers
                if same not in seen and len(seen) < MOST_SHAPES:
                    seen.add(same)
                    yield shape


def _parts(choose: Choice, most: int) -> list[int]:
    """How many cards of each of several ranks, at most so many together."""
    parts = [choose.choice([1, 1, 2, 2, 3, 4])]
    while sum(parts) < most and choose.random() < 0.7:
        parts.append(choose.choice([1, 1, 1, 2, 2, 3, 4]))
    return parts if sum(parts) <= most else parts[:1]


def _sets(choose: Choice, order: CardOrder) -> Iterator[Shape]:
    """Some choices of ranks, each with its number of cards, or all choices of one or two."""
    ranks, parts = order.suited_ranks, _parts(choose, 13)
    by_suit, key = choose.random() < 0.6, choose.randrange(len(parts))
    every = list(combinations(ranks, len(parts))) if len(parts) < 3 else [choose.sample(ranks, len(parts)) for _ in range(40)]
    for chosen in every:
        yield Shape.of(dict(zip(chosen, parts, strict=True)), key=chosen[key], key_suit=by_suit)


def _runs(choose: Choice, order: CardOrder) -> Iterator[Shape]:
    """Neighbors in the order of values, each so many times."""
    ranks, times = order.suited_ranks, choose.choice([1, 1, 2, 2, 3, 4])
    length = choose.randint(2, min(13, 13 // times)) if times < 4 else choose.randint(2, 3)
    by_suit = choose.random() < 0.6
    for start in range(len(ranks) - length + 1):
        run = ranks[start : start + length]
        yield Shape.of(dict.fromkeys(run, times), key=run[-1], key_suit=by_suit)


def _suited(choose: Choice, order: CardOrder) -> Iterator[Shape]:
    """Ranks whose cards must be, or must not be, of one suit."""
    size, suits = choose.randint(2, 13), choose.choice([Suits.SAME, Suits.SAME, Suits.MIXED])
    by_suit = choose.random() < 0.7
    suit_first = by_suit and suits is Suits.SAME and choose.random() < 0.4
    for _ in range(choose.choice([13, 120])):
        chosen = sorted(choose.sample(order.suited_ranks, size), key=order.values.__getitem__)
        yield Shape.of(chosen, key=chosen[-1], key_suit=by_suit, suits=suits, suit_first=suit_first)


def _carrying(choose: Choice, order: CardOrder) -> Iterator[Shape]:
    """Bodies with kickers."""
    ranks, parts = order.suited_ranks, _parts(choose, 6)
    unit = choose.choice([1, 1, 1, 2, 2, 3])
    size = unit * choose.randint(1, max(1, min(3, (13 - sum(parts)) // unit)))
    key, by_suit, in_body = choose.randrange(len(parts)), choose.random() < 0.5, choose.random() < 0.3
    exclusive = tuple(choose.sample(ranks, choose.choice([0, 0, 2])))
    most = choose.randint(1, 4)
    for _ in range(choose.choice([5, 13])):
        chosen = choose.sample(ranks, len(parts))
        body = dict(zip(chosen, parts, strict=True))
        limits = tuple(most * (rank in ranks and (in_body or rank not in body)) for rank in Rank)
        yield Shape.of(body, key=chosen[key], key_suit=by_suit, kickers=Kickers(size, limits, unit, exclusive))


def _overlapping(choose: Choice, order: CardOrder) -> Iterator[Shape]:
    """Shapes of a shipped pattern, read in another way."""
    pattern = BIG2.pattern(choose.choice(["pair", "straight", "full_house"]))
    by_suit, same = choose.random() < 0.5, choose.random() < 0.4
    for shape in pattern.shapes(order):
        held = [rank for rank in Rank if shape.counts[rank]]
        suits = Suits.SAME if same and max(shape.counts) == 1 else Suits.ANY
        yield replace(shape, key=choose.choice(held), key_suit=by_suit, suits=suits)


def generated_rules(seed: int) -> RuleSet:
    """A shipped game with the pattern of a seed, and without some of its own patterns."""
    choose = random.Random(seed)
    base = ruleset(choose.choice(GAMES))
    name = f"generated_{seed}"
    pattern = type(name, (Generated,), {"name": name, "__module__": __name__})(seed)
    groups = ["", *(rule.group_name for rule in base.patterns)]
    bomb = choose.choice([0, 0, 0, 1, 2])
    rule = PatternRule(pattern, choose.choice(groups), choose.randrange(3), bomb, choose.choice([0, 0, 1]) if bomb else 0)
    rule = replace(rule, last=random.Random(f"last of {seed}").random() < 0.25 and base.ending is Ending.FIRST_OUT)
    rules = replace(base.with_patterns(rule), name=name, scoring=BIG2.scoring)
    if choose.random() < 0.5 and rules.usual_patterns == rules.patterns:  # among the first, to read the same cards first
        rules = replace(rules, patterns=(rules.patterns[0], rules.patterns[-1], *rules.patterns[1:-1]))
    for other in base.patterns:
        if other.pattern.name != "single" and choose.random() < 0.3:
            try:
                rules = rules.without_patterns(other.pattern.name)
            except ConfigError:  # another rule names it
                continue
    return rules


class BruteForce:
    """What may be played by a ruleset, found from the shapes of its patterns by trying every subset of a hand."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules, self.order = rules, rules.order
        self.plain: dict[tuple[int, ...], list[Any]] = {}
        self.carrying: dict[int, list[Any]] = {}
        for number, rule in enumerate(rules.patterns):
            for shape in rule.pattern.shapes(rules.order):
                kinds: Any = (self.carrying, shape.size) if shape.kickers else (self.plain, shape.counts)
                kinds[0].setdefault(kinds[1], []).append((number, rule, shape))
        self.is_last = {rule.pattern.name: rule.last for rule in rules.patterns}
        self._known: dict[tuple[int, ...], list[Any]] = {}

    def moves(self, legal: LegalPlays) -> dict[int, str]:
        """Name of the pattern by cards, for all subsets of the hand that may be played; of a legal pass, none."""
        hand, found = list(self.order.sort(legal.hand)), dict[int, str]()
        for chosen in range(1, 1 << len(hand)):
            cards = [card for i, card in enumerate(hand) if chosen >> i & 1]
            mask = sum(1 << card for card in cards)
            if legal.obligation and not (
                mask & legal.obligation if legal.ruleset.lead.value != "exact" else mask == legal.obligation
            ):
                continue
            name = self.reading(cards, legal.top)
            if name is not None and (mask == legal.hand or not self.is_last[name]):
                found[mask] = name
        singles = [mask for mask in found if mask.bit_count() == 1]
        if legal.highest and singles:
            highest = self.order.sort(sum(singles))[-1]
            equal = 1 << highest if self.rules.suits_compare else self.order.rank_masks[highest.rank]
            for mask in singles:
                if not mask & equal:
                    del found[mask]
        return found

    def reading(self, cards: list[Any], top: Play | None) -> str | None:
        """The first pattern as which cards may be played."""
        counts = [0] * len(Rank)
        for card in cards:
            counts[card.rank] += 1
        rows = self._known.get(tuple(counts))
        if rows is None:
            rows = self._known[tuple(counts)] = sorted(self._rows(counts), key=lambda row: (row[0], row[2]))
        suits = {card.suit for card in cards}
        for _, rule, power, shape, chops in rows:
            if shape.suits is not Suits.ANY and (len(suits) == 1) is not (shape.suits is Suits.SAME):
                continue
            if shape.key_suit and self.rules.suits_compare:
                highest = max(self.order.suit_values[card.suit] for card in cards if card.rank is shape.key)
                power += highest * (SUIT_FIRST if shape.suit_first else 1)
            if top is None or self._beats(rule, len(cards), power, chops, top):
                return rule.pattern.name
        return None

    def _rows(self, counts: list[int]) -> Iterator[Any]:
        for number, rule, shape in [*self.plain.get(tuple(counts), ()), *self.carrying.get(sum(counts), ())]:
            rest = [n - body for n, body in zip(counts, shape.counts, strict=True)]
            if min(rest) < 0 or not (shape.kickers.fits(rest) if shape.kickers else not any(rest)):
                continue
            power = rule.tier * TIER_POWER + self.order.values[shape.key] * (1 if shape.suit_first else 4)
            chops = {i for i, chop in enumerate(self.rules.chops) if chop.by(rule.pattern.name, shape.size)}
            yield number, rule, power, shape, chops

    def _beats(self, rule: PatternRule, size: int, power: int, chops: set[int], top: Play) -> bool:
        table = self.rules.table
        if table.is_final(top):
            return False
        other = table.categories[top.category]
        bomb = rule.bomb_level(size)
        if bomb > other.bomb or chops & set(other.chopped):
            return True
        groups = rule.group_name == other.group or (rule.group_name, other.group) in self.rules.extra_covers
        level = bomb == other.bomb or (rule.group_name, other.group) in self.rules.extra_covers
        return groups and size == other.size and level and power > top.power


class Check:
    """All roads for the rules of one seed, compared with the brute force.

    Raises:
        AssertionError: The first difference.
    """

    def __init__(self, seed: int) -> None:
        self.seed, self.rules = seed, generated_rules(seed)
        self.space, self.brute = action_space(self.rules), BruteForce(self.rules)
        self.agents = [make_agent(name) for name in ("greedy", "heuristic", "search:4")]

    def run(self) -> None:
        self.aec()
        self.kernels()
        self.seat()
        self.vector()

    def agree(self, game: Game, ids: list[int]) -> None:
        """Compare the legal moves of a game, and ids in any order, with the brute force."""
        legal = game.legal_plays()
        moves = self.brute.moves(legal)
        listed = [play for play in legal if play]
        assert {play.mask: play.pattern for play in listed} == moves, self.text(game)
        assert len(listed) == len(moves), self.text(game)
        assert sorted(ids) == sorted({self.space.of_play(play, legal.hand) for play in legal}), self.text(game)
        assert len(ids) == len(listed) + legal.can_pass, self.text(game)

    def text(self, game: Game) -> str:
        position = game.position
        return f"seed {self.seed}: {self.rules.text(position.hands[position.turn])} over {position.top}"

    def aec(self) -> None:
        """A game in the AEC environment, its agents, and its log."""
        env, choose = raw_env(self.rules, engine="reference"), random.Random(self.seed)
        env.reset(seed=self.seed)
        transcript = Transcript(env.game.copy())
        for step in range(400):
            if env.game.is_over:
                break
            ids = env.legal_ids()
            if step % 8 == 0:
                mask = env.observe(env.agent_selection)["action_mask"]
                assert np.flatnonzero(mask).tolist() == ids
                self.agree(env.game, ids)
                self.ask(env.game, step)
            action = choose.choice(ids)
            transcript.act(self.space.slots(action))
            env.step(action)
        assert transcript.game == env.game
        names = [f"seat {seat}" for seat in range(env.game.num_players)]
        text = log.dumps(transcript)
        assert log_reader.loads(text, self.rules, transcript.names).dumps() == text, names

    def ask(self, game: Game, step: int) -> None:
        """Let each agent choose a legal move, and the heuristic of batches the same one."""
        view, legal = game.view(), game.legal_plays()
        chosen = {}
        for agent in self.agents if step % 24 == 0 else self.agents[:2]:
            agent.reset(step)
            chosen[type(agent).__name__] = play = agent.act(view, legal)
            assert play in legal, (self.text(game), agent, play)
        rows = self.agents[1].batched(self.rules, game.num_players)
        engine = BatchEngine(self.rules, 1, num_players=game.num_players, may_interpret=True)
        engine.set_position(0, game.position)
        [action] = rows.moves(engine, np.zeros(1, np.int64), None)
        assert self.space.play(int(action), legal) == chosen["HeuristicAgent"], self.text(game)

    def kernels(self) -> None:
        """The compiled engine; larger tables, which are compiled code of their own, interpreted."""
        if not variant_of(self.rules).is_large:
            compare(self.rules, 2, seed=self.seed, every=16)
            compare_positions(self.rules, 6, seed=self.seed, every=16)
            return
        game, choose, moves = Game.deal(self.rules, self.seed), random.Random(self.seed), []
        while not game.is_over and len(moves) < 40:
            moves.append(choose.choice(self.space.ids(game.legal_plays())))
            game.push(self.space.verify(moves[-1], game.legal_plays()))
        replay_interpreted(self.rules, self.seed, moves)

    def seat(self) -> None:
        """A learner's decisions in the Gymnasium environment."""
        env = gymnasium.make("big2/Big2-v0", ruleset=self.rules, opponents="heuristic")
        _, info = env.reset(seed=self.seed)
        for step in range(3):
            ids = np.flatnonzero(info["action_mask"]).tolist()
            if not step:
                self.agree(env.unwrapped.game, ids)
            assert ids == sorted(self.space.ids(env.unwrapped.game.legal_plays()))
            _, _, ended, _, info = env.step(ids[step % len(ids)])
            if ended:
                break

    def vector(self) -> None:
        """Rows with the three kinds of masks."""
        batches = [BatchEnv(2, ruleset=self.rules, masks=masks, opponents="greedy") for masks in ("dense", "bits", "ids")]
        for batch in batches:
            batch.reset(seed=self.seed)
        for step in range(5):
            counts, ids = batches[0].legal_ids()
            found = [sorted(row[:count].tolist()) for row, count in zip(ids, counts, strict=True)]
            for batch in batches:
                masks = batch.action_masks()
                assert [np.flatnonzero(row).tolist() for row in masks] == found, (self.seed, step)
            for row, listed in enumerate(found):
                assert listed == sorted(self.space.ids(batches[0].engine.game(row).legal_plays())), (self.seed, step)
            actions = np.array([row[step % len(row)] for row in found])
            for batch in batches:
                batch.step(actions)


def check(seed: int) -> int:
    """Check the rules of a seed; return it."""
    Check(seed).run()
    return seed


def command(
    classes: Annotated[int, typer.Option(min=1, help="How many classes.")] = 40,
    seed: Annotated[int, typer.Option(help="The seed of the first one.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes.")] = 1,
) -> None:
    """Check generated patterns. Exit status 1 at the first difference."""
    try:
        with Local(jobs).map(check, range(seed, seed + classes)) as results, counting("classes", classes) as advance:
            for _ in results:
                advance(1)
    except AssertionError as error:
        print(error)
        sys.exit(1)
    print(f"{classes} generated patterns from seed {seed}: every road agrees")


if __name__ == "__main__":
    typer.run(command)
