"""The games of the golden files: the seed of each deal, the actions made, and the positions that agents are asked about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from places import DATA

from big2_agents.models.formula import weights_of
from big2_agents.rule_based.heuristic import view_scores
from big2_env import Game, RuleSet
from big2_env.base.rng import SplitMix64, derived
from big2_env.climbing.actions import action_space
from big2_env.climbing.earlier_rules import EARLIER
from big2_env.climbing.rulesets import own_rulesets
from big2_env.runs.progress import counting

FOLDER: Final = DATA / "golden"
SEED: Final = 39_000_000
DECISIONS: Final = 2_000
"""Positions per ruleset."""
QUARTERS: Final = 4
"""Games in turn have no random moves, a quarter of random moves, a half, three quarters; the other moves are `heuristic`'s."""
Arrays = dict[str, npt.NDArray[Any]]
RULESETS: Final = {**own_rulesets(), **EARLIER}
"""Rules that have changed since are the earlier ones."""


def read(name: str) -> Arrays:
    """The arrays of a golden file."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        return dict(file)


def write(name: str, arrays: Arrays) -> None:
    """Write a golden file; the same arrays give the same bytes."""
    (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(FOLDER / f"{name}.npz", allow_pickle=False, **arrays)


def played(rules: RuleSet) -> Arrays:
    """Games of a ruleset: all positions with a choice, up to `DECISIONS`."""
    heuristic, space = view_scores(rules, weights_of(rules), rules.default_players), action_space(rules)
    seeds: list[int] = []
    lengths: list[int] = []
    actions: list[int] = []
    positions: list[tuple[int, int]] = []
    with counting(f"games/{rules.name}", DECISIONS) as advance:
        while len(positions) < DECISIONS:
            number, before = len(seeds), len(positions)
            seeds.append(derived(SEED, number))
            game, rng, length = Game.deal(rules, seeds[-1]), SplitMix64(seeds[-1]), 0
            while not game.is_over and len(positions) < DECISIONS:
                legal = game.legal_plays()
                moves = list(legal)
                if len(moves) > 1:
                    positions.append((number, length))
                is_random = rng.below(QUARTERS) < number % QUARTERS
                move = moves[rng.below(len(moves))] if is_random else heuristic.act(game.view(), legal)
                actions.append(space.of_play(move, legal.hand))
                game.push(move)
                length += 1
            lengths.append(length)
            advance(len(positions) - before)
    return {
        "seeds": np.array(seeds, np.uint64),
        "lengths": np.array(lengths, np.int32),
        "actions": np.array(actions, np.int32),
        "positions": np.array(positions, np.int32),
    }


def replayed(name: str, rows: Sequence[int]) -> Iterator[Game]:
    """The positions of a ruleset's file that have these numbers, in rising order; each game is as it was until the next one."""
    rules, file = RULESETS[name], read(f"games/{name}")
    space, starts = action_space(rules), np.cumsum(file["lengths"]) - file["lengths"]
    now, done = -1, 0
    for number, length in file["positions"][list(rows)].tolist():
        if number != now:
            game, now, done = Game.deal(rules, int(file["seeds"][number])), number, 0
        for action in file["actions"][starts[number] + done : starts[number] + length].tolist():
            game.push(space.verify(action, game.legal_plays()))
        done = length
        yield game
