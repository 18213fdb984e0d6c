"""Quick checks that a ruleset works in every part of the package. `big2 rules GAME --check` prints their results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np

from big2_env.agents.interface import available_agents, check_seats, make_agent, play_out, reset_seats
from big2_env.base.errors import failure_text, one_line
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.hands import slots_of
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs import aec
from big2_env.kernels.batch import MASKS
from big2_env.notation import log, records, sources, spec_input
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.testing.differential import compare, compare_positions
from big2_env.testing.masks import check_masks
from big2_env.testing.random_play import play

AGENTS: Final = ("greedy", "heuristic", "search:4")
"""Agents that are tried, if they are installed."""
ENV_ID: Final = "big2/Big2-v0"
"""Id of the environments; `ruleset=` replaces its rules."""
ROWS: Final = 4
"""Games of a vector environment."""
STEPS: Final = 50
"""Steps of a vector environment."""


class RulesetCheck(NamedTuple):
    """Result of one check. `CHECKS[part](ruleset)` raises the error itself."""

    part: str
    """Part of the package: a name of `CHECKS`, or the name of an agent."""
    reason: str
    """Reason of the failure in one line; empty if the check passed."""


def check_ruleset(
    ruleset: RuleSet, *, during: Callable[[str], AbstractContextManager[object]] = lambda part: nullcontext()
) -> Iterator[RulesetCheck]:
    """Yield the result of each check of a ruleset, in the order of `CHECKS`, then of the installed agents of `AGENTS`.

    If the rules fail, the other checks are left out. Compiled parts compile on first use, which takes up to a minute.

    Args:
        ruleset: Ruleset to check.
        during: Function from the name of a part to a context in which it is checked, for messages about progress.

    >>> from big2_env import BIG2
    >>> next(check_ruleset(BIG2))
    RulesetCheck(part='rules', reason='')
    >>> next(check_ruleset(BIG2.without_patterns("single"))).reason[:54]
    'big2: expected a pattern that plays any card alone, su'
    """
    checks: dict[str, Callable[[RuleSet], None]] = dict(CHECKS)
    checks |= {name: partial(_agent, name) for name in AGENTS if name.partition(":")[0] in available_agents()}
    for part, check in checks.items():
        reason = ""
        try:
            with during(part), warnings.catch_warnings(action="ignore", category=UserWarning):  # a check of its own fails then
                check(ruleset)
        except (ValueError, AssertionError) as error:
            reason = one_line(str(error)) or failure_text(error)
        except Exception as error:
            reason = failure_text(error)
        yield RulesetCheck(part, reason)
        if reason and part == "rules":
            return


def _rules(ruleset: RuleSet) -> None:
    """Check invariants and action masks in games with every number of players."""
    numbers = range(ruleset.min_players, ruleset.max_players + 1)
    play(ruleset, 2 * len(numbers))
    for number in numbers:
        check_masks(aec.raw_env(ruleset, num_players=number, engine="reference"), games=1)


def _transcript(ruleset: RuleSet) -> Transcript:
    """Return a random game that the text format can express: first legal readings of cards, and no second deal."""
    transcript, rng = Transcript(Game.deal(ruleset, 0)), SplitMix64(0)
    while not transcript.game.is_over:
        legal = transcript.game.legal_plays()
        moves = legal.calls or tuple(legal)
        move = moves[rng.below(len(moves))]
        transcript.act(slots_of(ruleset, legal.hand, move.mask) if move or move.is_pass else move.pattern)
    return transcript


def _check_read(text: str, transcript: Transcript) -> None:
    """Check that the game of a text has the log of the game that it was written from."""
    [again] = sources.load(text, transcript.game.ruleset, transcript.names)[1]
    if log.dumps(again.transcript) != log.dumps(transcript):
        raise AssertionError(f"a game is read differently from its text: {one_line(text)}")


def _text_format(ruleset: RuleSet) -> None:
    """Write a game as input and log, and read back what tells all cards of the ruleset apart."""
    transcript = _transcript(ruleset)
    logged = log.dumps(transcript)
    if ruleset.deck.copies == 1:
        _check_read(spec_input.dumps(transcript), transcript)
    if log.is_readable(ruleset):
        _check_read(logged, transcript)


def _record(ruleset: RuleSet) -> None:
    """Write and read a game as a record."""
    transcript = _transcript(ruleset)
    deck = tuple(spec_input.deck_of(transcript.game))
    _check_read(records.dumps(GameRecord(transcript, deck)), transcript)


def _aec(ruleset: RuleSet) -> None:
    """Check the AEC environment with and without PettingZoo's wrappers."""
    check_masks(aec.env(ruleset=ruleset), games=1)
    check_masks(aec.raw_env(ruleset), games=1)


def _seat(ruleset: RuleSet) -> None:
    """Check the environment of one seat."""
    check_masks(gymnasium.make(ENV_ID, ruleset=ruleset), games=1)


def _vector(ruleset: RuleSet) -> None:
    """Check the vector environment in both modes: the legal actions, in each form, against the readable rules."""
    space = action_space(ruleset)
    for mode, masks in [("self_play", "dense"), *(("seat", form) for form in MASKS)]:
        envs: Any = gymnasium.make_vec(ENV_ID, num_envs=ROWS, ruleset=ruleset, mode=mode, masks=masks).unwrapped
        _, infos = envs.reset(seed=0)
        for step in range(STEPS):
            for row, ids in enumerate(_ids(infos, masks)):
                legal = envs.engine.game(row).legal_plays()
                expected = sorted(space.ids(legal))
                if ids != expected:
                    raise AssertionError(
                        f"mode={mode!r}, masks={masks!r}, row {row}, step {step}: expected actions {expected}, got {ids}"
                    )
            infos = envs.step(envs.random_actions())[-1]


def _ids(infos: dict[str, Any], masks: str) -> list[list[int]]:
    """Return the legal actions of each row in ascending order, from the infos of a vector environment."""
    if masks == "ids":
        return [sorted(row[:count].tolist()) for row, count in zip(infos["legal_ids"], infos["legal_counts"], strict=True)]
    bits = infos["action_mask"] if masks == "dense" else np.unpackbits(infos["action_bits"], axis=1, bitorder="little")
    return [np.flatnonzero(row).tolist() for row in bits]


def _compiled(ruleset: RuleSet) -> None:
    """Compare the compiled engine with the readable rules, from deals and from random positions."""
    compare(ruleset, 4)
    compare_positions(ruleset, 2)


def _agent(name: str, ruleset: RuleSet) -> None:
    """Play a game with an agent in seat 0 and copies of the first agent in all others."""
    game = Game.deal(ruleset, 0)
    agents = [make_agent(name), *(make_agent(AGENTS[0]) for _ in range(game.num_players - 1))]
    check_seats(agents, ruleset, game.num_players)
    reset_seats(agents, game)
    play_out(game, agents)


CHECKS: Final[dict[str, Callable[[RuleSet], None]]] = {
    "rules": _rules,
    "text_format": _text_format,
    "record": _record,
    "aec": _aec,
    "seat": _seat,
    "make_vec": _vector,
    "compiled": _compiled,
}
"""Checks without agents, by part of the package."""
