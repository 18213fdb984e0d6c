"""Random games for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from big2_env import Game, RuleSet
from big2_env.base.rng import SplitMix64


def random_games(ruleset: RuleSet, seeds: Iterable[int], num_players: int | None = None) -> Iterator[Game]:
    """A dealt game per seed, played by uniformly random legal acts: yielded before every act, and again when it is over."""
    for seed in seeds:
        rng = SplitMix64(~seed)
        game = Game.deal(ruleset, seed, num_players)
        while not game.is_over:
            yield game
            moves = list(game.legal_plays())
            game.push(moves[rng.below(len(moves))])
        yield game
