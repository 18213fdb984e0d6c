"""Random games with illegal attempts among the moves, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from big2_env import Game, Play, RuleSet
from big2_env.base.rng import SplitMix64
from big2_env.notation.transcript import Transcript

NAMES = ("水球", "火球2", "Ann", "電", "了", "PASS.", "打出了")


def random_attempt(rng: SplitMix64, hand_size: int) -> tuple[int, ...]:
    """A pass, or some indices: mostly of the hand, some past its end, some twice, a few enormous."""
    kind = rng.below(8)
    if kind == 0:
        return ()
    if kind == 1:
        return (rng.below(hand_size + 3),) * 2
    if kind == 2:
        return (rng.below(hand_size), 10 ** rng.below(8) + hand_size)
    return tuple(rng.below(hand_size) for _ in range(1 + rng.below(5)))


def slots_of(ruleset: RuleSet, hand: int, play: Play) -> tuple[int, ...]:
    """The indices of a play's cards in the sorted hand."""
    return tuple(slot for slot, card in enumerate(ruleset.order.sort(hand)) if play.mask >> card & 1)


def random_transcripts(ruleset: RuleSet, seeds: Iterable[int], num_players: int | None = None) -> Iterator[Transcript]:
    """A game per seed, dealt and played to its end; about one attempt in four is random, and mostly refused."""
    for seed in seeds:
        rng = SplitMix64(~seed)
        game = Game.deal(ruleset, seed, num_players)
        start = rng.below(len(NAMES))
        transcript = Transcript(game, [NAMES[(start + seat) % len(NAMES)] for seat in range(game.num_players)])
        while not game.is_over:
            hand = game.position.hands[game.turn]
            if rng.below(4) == 0:
                transcript.act(random_attempt(rng, hand.bit_count()))
                continue
            passes = game.can_pass and rng.below(3) == 0
            plays = [] if passes else list(islice(ruleset.table.plays(hand, game.top), 1 + rng.below(40)))
            if not plays:
                game.pass_()
            elif transcript.act(slots_of(ruleset, hand, plays[-1])) is None:
                transcript.act(slots_of(ruleset, hand, next(iter(game.legal_plays()))))
        yield transcript
