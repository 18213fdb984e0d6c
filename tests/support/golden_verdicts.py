"""What the golden files hold of searches with open cards and of UNO's players: a question and its answer per line."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple
from unittest import mock

import numpy as np
from golden_games import DECISIONS, FOLDER, RULESETS, replayed

from big2_agents.uno import view_players
from big2_env.base.rng import SplitMix64
from big2_env.base.side_game import seeded_move
from big2_env.climbing.actions import action_space
from big2_env.games.klondike import KlondikePosition
from big2_env.games.klondike.cards import shuffled
from big2_env.games.klondike.solver import solve as solve_klondike
from big2_env.games.uno import PRESETS, UnoGame
from big2_env.games.uno.players import uno_player
from big2_env.kernels.switch import Compilation, Switch
from big2_env.runs.progress import counting
from big2_env.solve import Goal, Solver

Case = list[Any]
"""A question, as JSON."""
ENDINGS: Final = 15
"""Endings per ruleset."""
ENDING_CARDS: Final = 15
"""Cards of an ending at most, in all hands and the pile."""
DEALS: Final = 120
"""Deals of Klondike."""
MOST: Final = 20_000
"""Positions that the search of a deal keeps at most: too few for some deals."""
UNO_PLAYERS: Final = ("automatic", "learned", "rule-v1", "search:10")
UNLIMITED: Final = 10**9


def endings() -> Iterator[Case]:
    """Ruleset, position of its games, goal: the endings with most cards that the games come to."""
    for name in RULESETS:
        found = [
            row
            for row, game in enumerate(replayed(name, range(DECISIONS)))
            if sum(hand.bit_count() for hand in game.position.hands) + len(game.position.pile) <= ENDING_CARDS
        ]
        for row in found[:: -(-len(found) // ENDINGS)]:
            yield from ([name, row, goal.value] for goal in Goal)


def solved(case: Case, is_compiled: bool) -> Case:
    """Verdict, payoff, and the actions of the line."""
    name, row, goal = case
    game = next(replayed(name, [row]))
    found = Solver(game, goal=Goal(goal), plain_positions=0 if is_compiled else UNLIMITED).solve()
    line, space, game = [], action_space(RULESETS[name]), game.copy()
    for move in found.line:
        line.append(space.of_play(move.play, game.legal_plays().hand))
        game.push(move.play)
    return [found.verdict.value, found.payoff, line]


def deals() -> Iterator[Case]:
    """Seeds of Klondike deals."""
    yield from ([seed] for seed in range(DEALS))


def deal_solved(case: Case, is_compiled: bool) -> Case:
    """Verdict, positions looked at, and the number and checksum of the moves that win."""
    state = KlondikePosition.deal(shuffled(case[0]))
    found = solve_klondike(state, max_positions=MOST, plain_positions=0 if is_compiled else UNLIMITED)
    moves = found.moves or ()
    return [found.verdict.value, found.positions, len(moves), zlib.crc32(np.array(moves, "<i8").tobytes())]


def uno_games() -> Iterator[Case]:
    """Rules, players, seed and acts of UNO games, half of them random."""
    for name in PRESETS:
        for seed, players in enumerate((2, 2, 3, 4, 7)):
            game, rng, moves = UnoGame.deal(PRESETS[name].having(players=players), seed), SplitMix64(seed), []
            while not game.is_over:
                legal, best = game.legal_moves(), seeded_move(uno_player("automatic"), game.view())
                moves.append(legal[rng.below(len(legal))] if rng.below(2) else best)
                game.play(moves[-1])
            yield [name, players, seed, moves]


def uno_choices(case: Case, is_compiled: bool) -> Case:
    """By player, its acts in the positions with a choice."""
    known = Compilation(lambda: None)
    if is_compiled:
        known.finish()
    switch = Switch(known, view_players._interpreted, view_players._compiled, is_shared=True)
    with mock.patch.object(view_players, "_SWITCH", switch):
        return _uno_choices(case)


def _uno_choices(case: Case) -> Case:
    name, players, seed, moves = case
    game, asked = UnoGame.deal(PRESETS[name].having(players=players), seed), [uno_player(player) for player in UNO_PLAYERS]
    found: list[list[int]] = [[] for _ in asked]
    for move in moves:
        if len(game.legal_moves()) > 1:
            for choices, player in zip(found, asked, strict=True):
                choices.append(seeded_move(player, game.view()))
        game.play(move)
    return found


class Verdicts(NamedTuple):
    """One kind of question."""

    cases: Callable[[], Iterator[Case]]
    ask: Callable[[Case, bool], Case]
    every: int
    """The tests of every change look at one of so many."""


VERDICTS: Final = {
    "solver": Verdicts(endings, solved, 11),
    "klondike": Verdicts(deals, deal_solved, 8),
    "uno": Verdicts(uno_games, uno_choices, 13),
}


def write_verdicts(kind: str) -> None:
    """Answer all questions of a kind, in plain Python where there is a choice."""
    cases, lines = [*VERDICTS[kind].cases()], []
    with counting(kind, len(cases)) as advance:
        for case in cases:
            lines.append(json.dumps([case, VERDICTS[kind].ask(case, False)], separators=(",", ":")))
            advance(1)
    (FOLDER / f"{kind}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def compare_verdicts(kind: str, *, is_compiled: bool, sample: bool = False) -> list[str]:
    """What differs from a golden file, a line each."""
    asked, faults = VERDICTS[kind], []
    lines = (FOLDER / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    for line in islice(lines, 0, None, asked.every if sample else 1):
        case, wanted = json.loads(line)
        found = asked.ask(case, is_compiled)
        if found != wanted:
            faults.append(f"{kind} {case}: expected {wanted}, got {found}")
    return faults
