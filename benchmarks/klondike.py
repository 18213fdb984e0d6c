"""Klondike: speed of play, speed of the solver, and accuracy of the published check and of the hints.

    OMP_NUM_THREADS=1 python benchmarks/klondike.py --deals 2000 --record

| table | content |
| --- | --- |
| random legal play | moves per second of the reference engine, the environments and OpenSpiel's `solitaire`; then ratios |
| the solver | share of fresh deals and of positions of random play decided within a CPU time, lines included |
| pyksolve | the first fresh deals solved by this wrapper of Klondike-Solver in C++; verdicts must not contradict ours |
| the published check | its answer to "is there still a way?" on the positions of random play, compared with the solver's |
| deals played | wins of random play, a rule of thumb, and the hints by number of samples; they see what a player sees |

OpenSpiel's game is the only other environment with Klondike. Its stock shows every third card, and its games end after 150
moves; the loops of this table stop after as many. Intervals are 95% (Wilson).

Needs `open-spiel` and `pyksolve` for the peers. The example takes about five minutes on one core.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Annotated, Any

import numpy as np
import typer
from klondike_players import played_by, random_player, rule_player
from measured_rows import JsonOption, Recorder, RecordOption, Row, rates, relative, rounds_of
from rich.table import Table
from side_by_side import Contestant, measure, pairwise_ratio, print_figures, print_table, report, wide_console

from big2_env.games.klondike import KlondikeGame, KlondikePosition, published_check
from big2_env.games.klondike.cards import rank_of, shuffled, suit_of
from big2_env.games.klondike.check import Branch
from big2_env.games.klondike.players import played_with_hints
from big2_env.games.klondike.solver import Verdict, solve
from big2_env.runs.intervals import wilson

LIMITS = (0.001, 0.01, 0.1, 1, 10, 120)
"""Seconds."""
PEER_POSITIONS = 100_000
"""Positions that pyksolve may visit per deal."""
ROWS = 2048
"""Games of the vector environment."""
PLAYED = 60_000
"""Seed of the first deal that is played if `--seed` is 0."""
PERCENTAGES = (5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.8, 100)


def reference() -> Callable[[], int]:
    """Return moves of the reference engine."""
    rng, seeds = random.Random(7), count()

    def play() -> int:
        game = KlondikeGame.deal(next(seeds))
        while len(game.history) < 150 and (legal := game.legal_moves()):
            game.play(rng.choice(legal))
        return len(game.history)

    return play


def environment() -> Callable[[], int]:
    """Return steps of the environment, with observation and mask."""
    from big2_env.games.klondike.env import KlondikeEnv

    env, rng = KlondikeEnv(max_moves=150), np.random.default_rng(7)
    env.reset(seed=7)

    def play() -> int:
        _, info = env.reset()
        done, steps = False, 0
        while not done:
            _, _, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            done, steps = terminated or truncated, steps + 1
        return steps

    return play


def vector(**options: Any) -> Callable[[], int]:
    """Return steps of the vector environment, with observations, masks and random legal actions."""
    import gymnasium

    import big2_env  # noqa: F401  # registers the id

    envs: Any = gymnasium.make_vec("big2/Klondike-v0", num_envs=ROWS, max_moves=150, **options).unwrapped
    envs.reset(seed=7)

    def work() -> int:
        for _ in range(50):
            envs.step(envs.random_actions())
        return 50 * ROWS

    return work


def open_spiel() -> Callable[[], int]:
    """Return actions of OpenSpiel's game, with legal actions and observation tensor; turned cards do not count."""
    import pyspiel

    game, rng = pyspiel.load_game("solitaire"), random.Random(7)

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
                continue
            state.observation_tensor()
            state.apply_action(rng.choice(state.legal_actions()))
            steps += 1
        return steps

    return play


CONTESTANTS = [
    Contestant("reference engine", "big2_env", reference),
    Contestant("KlondikeEnv", "big2_env", environment),
    Contestant("make_vec, copy=False", "big2_env", lambda: vector(copy=False)),
    Contestant("make_vec", "big2_env", vector),
    Contestant("open_spiel solitaire", "open_spiel", open_spiel),
]
PEERS = ("open_spiel solitaire", "KlondikeEnv")
"""Loops that the vector environment is compared with."""


def print_ratios() -> dict[str, float]:
    """Print the speed of the vector environment relative to its peers, medians of the rounds, and return these ratios."""
    loops = {one.name: one for one in CONTESTANTS if one.rates}
    found = {}
    for peer in PEERS:
        if peer not in loops:
            wide_console().print(f"no ratio to {peer}: it is not installed")
            continue
        for name in loops:
            if name.startswith("make_vec"):
                found[f"{name}: times {peer}"] = pairwise_ratio(loops[name], loops[peer])
    print_figures(found, "ratios of moves", decimals=0)
    return found


def played(seed: int) -> KlondikePosition:
    """Return a position after 20 to 300 random moves, none of which takes a card from the foundations."""
    rng = random.Random(seed)
    game = KlondikeGame.deal(10**9 + seed)
    for _ in range(rng.randrange(20, 300)):
        legal = game.legal_moves()
        move = rng.choice(legal) if legal else None
        if move is None:
            break
        if game.play(move) < 0:
            game.undo()
    return game.state if not game.is_won else game.history[-1].before


def solved(states: list[KlondikePosition], most: float) -> list[tuple[float, Verdict, int]]:
    """Return CPU seconds, verdict and number of visited positions for each position."""
    found = []
    for state in states:
        start = time.process_time()
        solution = solve(state, seconds=most, plain_positions=0)
        found.append((time.process_time() - start, solution.verdict, solution.positions))
    return found


def figures(found: list[tuple[float, Verdict, int]]) -> dict[str, Any]:
    """Return verdicts, shares decided by time, and statistics of times and positions."""
    times = np.array([seconds for seconds, _, _ in found])
    decided = np.array([verdict is not Verdict.OPEN for _, verdict, _ in found])
    return {
        "number": len(found),
        "verdicts": {verdict.value: number for verdict, number in Counter(verdict for _, verdict, _ in found).items()},
        "decided within": {str(limit): float((decided & (times <= limit)).mean()) for limit in LIMITS},
        "ms at %": {str(percent): float(np.percentile(times, percent) * 1e3) for percent in PERCENTAGES},
        "mean ms": float(times.mean() * 1e3),
        "positions": {"median": float(np.median([n for _, _, n in found])), "most": max(n for _, _, n in found)},
    }


def pyksolved(states: list[KlondikePosition], most: int) -> list[tuple[float, Verdict]]:
    """Return CPU seconds and pyksolve's verdict for each fresh deal, drawing one card, with at most `most` positions."""
    from pyksolve.solver import Solitaire, SolveResult

    found = []
    for state in states:
        rows = [state.piles[pile][row] for row in range(7) for pile in range(row, 7)]
        game = Solitaire()
        game.draw_count = 1
        game.load_solitaire("".join(f"{rank_of(card) + 1:02}{suit_of(card) + 1}" for card in (*rows, *state.dealer)))
        game.reset_game()
        start = time.process_time()
        result = game.solve_fast(max_closed_count=most)
        solved = result in (SolveResult.SolvedMinimal, SolveResult.SolvedMayNotBeMinimal)
        verdict = Verdict.WON if solved else Verdict.LOST if result is SolveResult.Impossible else Verdict.OPEN
        found.append((time.process_time() - start, verdict))
    return found


def beside_pyksolve(states: list[KlondikePosition], found: list[tuple[float, Verdict, int]], most: int) -> dict[str, Any]:
    """Return counts of deals by both verdicts, ours first, and the mean seconds of both solvers.

    Raises:
        AssertionError: One solver has won a deal that the other has proven lost.
    """
    theirs = pyksolved(states, most)
    pairs = Counter((mine[1], other[1]) for mine, other in zip(found, theirs, strict=False))
    assert not pairs[Verdict.WON, Verdict.LOST] + pairs[Verdict.LOST, Verdict.WON], pairs
    return {
        "deals": len(theirs),
        "positions": most,
        "verdicts": {f"{mine} / {other}": number for (mine, other), number in sorted(pairs.items())},
        "seconds": [float(np.mean([one[0] for one in both])) for both in (found[: len(theirs)], theirs)],
    }


def players(games: int, samples: list[int], seed: int) -> dict[str, dict[str, Any]]:
    """Return games, wins, the 95% interval of their share and CPU seconds per game of each player."""
    hands: dict[str, Callable[[int], KlondikeGame]] = {
        "random": lambda deal: played_by(random_player, deal),
        "rule of thumb": lambda deal: played_by(rule_player, deal),
    }
    hands |= {f"hints, {number} samples": lambda deal, n=number: played_with_hints(deal, samples=n) for number in samples}
    found = {}
    for name, play in hands.items():
        play(seed)  # compiles what is not cached
        start = time.process_time()
        won = sum(play(seed + number).is_won for number in range(games))
        each = (time.process_time() - start) / games
        found[name] = {"games": games, "won": won, "interval": wilson(won, games), "seconds": each}
    return found


def rows(data: dict[str, Any]) -> Iterator[Row]:
    """Yield speeds, shares solved, error rates of the published check, and wins of the players."""
    yield from rates(data["acts"])
    for peer in PEERS:
        yield from relative(rounds_of(data["acts"]), ["make_vec, copy=False"], peer)
    for name, one in data["solver"].items():
        yield Row(f"{name} decided within 1 s of CPU time", 100 * one["decided within"]["1"], "%")
        yield Row(f"median CPU time to solve {name}", one["ms at %"]["50"], "ms")
    if "pyksolve" in data:
        own, other = data["pyksolve"]["seconds"]
        yield Row(f"CPU time of pyksolve relative to our solver, {data['pyksolve']['deals']} deals", other / own, "ratio")
    for answer, truth in (("no", Verdict.WON), ("yes", Verdict.LOST)):
        counts = {key: number for key, number in data["check"].items() if key.startswith(Branch.NOTHING) == (answer == "no")}
        wrong, total = sum(number for key, number in counts.items() if key.endswith(f"/ {truth}")), sum(counts.values())
        if total:
            low, high = wilson(wrong, total)
            yield Row(f'wrong "{answer}" of the published check', 100 * wrong / total, "%", (100 * low, 100 * high))
    for name, one in data["players"].items():
        low, high = one["interval"]
        yield Row(f"deals won by {name}", 100 * one["won"] / one["games"], "%", (100 * low, 100 * high))


def main(
    seconds: Annotated[float, typer.Option(help="Seconds per loop of the first table.")] = 5.0,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of the first table.")] = 5,
    deals: Annotated[int, typer.Option(min=1, help="Fresh deals to solve.")] = 2000,
    peer_deals: Annotated[int, typer.Option(min=0, help="Fresh deals for pyksolve.")] = 100,
    positions: Annotated[int, typer.Option(min=1, help="Positions of random play to solve.")] = 1000,
    games: Annotated[int, typer.Option(min=1, help="Deals per player.")] = 1000,
    samples: Annotated[list[int], typer.Option(min=1, help="Samples per hint, repeatable.")] = [4, 24, 100],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Seed of the first deal.")] = 0,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure play, solver, check and hints."""
    recorder = Recorder("klondike")
    console = wide_console()
    measure(CONTESTANTS, seconds, rounds)
    print_table(CONTESTANTS, "random legal play", "move")
    ratios = print_ratios()
    solve(KlondikePosition.deal(shuffled(0)), plain_positions=0)  # compiles what is not cached
    asked = {"fresh deals": [KlondikePosition.deal(shuffled(seed + number)) for number in range(deals)]}
    asked["random play"] = [played(seed + number) for number in range(positions)]
    found = {name: solved(states, LIMITS[-1]) for name, states in asked.items()}
    data: dict[str, Any] = {
        "acts": report(CONTESTANTS, "moves per second", {"seconds": seconds, "rounds": rounds, "seed": seed})
    }
    data["ratios"] = ratios
    data["solver"] = {name: figures(one) for name, one in found.items()}
    try:
        data["pyksolve"] = beside_pyksolve(asked["fresh deals"][:peer_deals], found["fresh deals"], PEER_POSITIONS)
        console.print(f"pyksolve on {data['pyksolve']['deals']} of the fresh deals (ours / theirs): {data['pyksolve']}")
    except ImportError as error:
        console.print(f"left out: pyksolve (not installed: {error.name})")
    table = Table(title="the solver, share decided by CPU time")
    for column in ("", "number", "won", "lost", *(f"{limit:g} s" for limit in LIMITS), "median ms", "mean ms", "most ms"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for name, one in data["solver"].items():
        shares = ["all" if share == 1 else f"{share:.1%}" for share in one["decided within"].values()]
        verdicts = [str(one["verdicts"].get(verdict, 0)) for verdict in (Verdict.WON, Verdict.LOST)]
        ms = [f"{one['ms at %']['50']:.2f}", f"{one['mean ms']:.2f}", f"{one['ms at %']['100']:,.0f}"]
        table.add_row(name, str(one["number"]), *verdicts, *shares, *ms)
    console.print(table)
    said = Counter(
        (published_check(state).branch, verdict)
        for state, (_, verdict, _) in zip(asked["random play"], found["random play"], strict=True)
    )
    table = Table("the published check", *Verdict, title="positions of random play")
    for branch in dict.fromkeys(branch for branch, _ in sorted(said)):
        table.add_row(branch, *(str(said[branch, verdict]) for verdict in Verdict))
    console.print(table)
    data["check"] = {f"{branch} / {verdict}": number for (branch, verdict), number in sorted(said.items())}
    data["players"] = players(games, samples, PLAYED + seed)
    table = Table("player", "won", "of", "%", "95% interval", "CPU s per deal", title=f"deals from seed {PLAYED + seed} played")
    for name, one in data["players"].items():
        low, high = one["interval"]
        share = f"{one['won'] / games:.1%}"
        table.add_row(name, str(one["won"]), str(games), share, f"{low:.1%} to {high:.1%}", f"{one['seconds']:.3f}")
    console.print(table)
    recorder.save(data, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
