"""Fingerprints of behavior: a hash of an agent's choices in a fixed set of positions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from big2_env.agent_seeds import agent_seed
from big2_env.agents import Agent
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.rng import SplitMix64, derived


def positions(ruleset: RuleSet, seed: int, deals: int) -> Iterator[Game]:
    """Every position with a real choice in games of random acts; each game is yielded as it stands and then played on.

    Args:
        ruleset: the rules.
        seed: seed of the deals and of the acts.
        deals: how many games.
    """
    for deal in range(deals):
        own = derived(seed, deal)
        game = Game.deal(ruleset, own)
        rng = SplitMix64(own)
        while game.outcome is None:
            acts = list(game.legal_plays())
            if len(acts) > 1:
                yield game
            game.push(acts[rng.below(len(acts))])


def fingerprint(agent: Agent, games: Iterable[Game]) -> str:
    """Return sixteen hexadecimal digits of a hash of an agent's choices.

    Args:
        agent: the agent; it is reset before each choice, by a seed that follows from its view.
        games: the positions, as `positions` yields them.
    """
    digest = hashlib.sha256()
    for game in games:
        view = game.view()
        agent.reset(agent_seed(view))
        play = agent.act(view, view.legal_plays())
        digest.update(f"{play.mask:x} {play.pattern};".encode())
    return digest.hexdigest()[:16]
