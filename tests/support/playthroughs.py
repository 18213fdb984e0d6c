"""Whole games as text, one file per ruleset and side game in `tests/data/playthroughs`, which every road must show.

    PYTHONPATH=tests/support python -m playthroughs [--write] [NAME...]

A file has a game of random moves. For each move it has the hand, the seat, its legal moves, hashes of mask and observation, the
id of the move, its text, and what it adds to the log. The payoffs come last. Without --write the files are compared on every
engine and environment.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Annotated, Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import typer
from places import DATA

from big2_env import Game
from big2_env.base.rng import SplitMix64
from big2_env.base.side_game import SideGame
from big2_env.base.side_games import side_games
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.events import TurnStarted
from big2_env.climbing.rulesets import available_rulesets
from big2_env.envs.aec import raw_env
from big2_env.envs.side_aec import GameStepper, SideAEC
from big2_env.kernels.engine import BatchEngine
from big2_env.notation.log import event_text

FOLDER: Final = DATA / "playthroughs"
SEED: Final = 2026
MOVES: Final = 300
"""Moves after which a file ends; random games of Klondike go on."""


COMPILED: Final = "aec, compiled"
"""The road that waits for compiled kernels."""
SHOWN: Final = 8
"""Legal moves whose ids are shown."""


class Road(Protocol):
    """A game on an engine or in an environment."""

    def look(self) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
        """Seat to move, its observation, its mask."""

    def move(self, action: int) -> None:
        """Make a move of that seat."""

    def payoffs(self) -> Sequence[float] | None:
        """Payoffs of the seats, None before the end."""


class ByRules:
    """The readable game."""

    def __init__(self, game: Game) -> None:
        self.game, self.space, self.layout = game, action_space(game.ruleset), ObservationLayout(game.ruleset)

    def look(self) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
        mask = np.zeros(self.space.n, np.int8)
        mask[self.space.ids(self.game.legal_plays())] = 1
        return self.game.turn, self.layout.encode(self.game.view(self.game.turn)), mask

    def move(self, action: int) -> None:
        self.game.push(self.space.verify(action, self.game.legal_plays()))

    def payoffs(self) -> Sequence[float] | None:
        return self.game.outcome.payoffs if self.game.outcome else None


class BySideGame:
    """The readable game of a side game."""

    def __init__(self, game: SideGame) -> None:
        self.game = game

    def look(self) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
        mask = np.zeros(self.game.num_moves, np.int8)
        mask[list(self.game.legal_moves())] = 1
        return self.game.turn, self.game.observe(self.game.view(self.game.turn)), mask

    def move(self, action: int) -> None:
        self.game.play(action)

    def payoffs(self) -> Sequence[float] | None:
        return self.game.payoffs()


class InEnvironment:
    """A PettingZoo environment that has been reset."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def look(self) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
        agent = self.env.agent_selection
        shown = self.env.observe(agent)
        return self.env.possible_agents.index(agent), shown["observation"], shown["action_mask"]

    def move(self, action: int) -> None:
        self.env.step(action)

    def payoffs(self) -> Sequence[float] | None:
        paid = [self.env.rewards[agent] for agent in self.env.possible_agents]
        return paid if all(self.env.terminations.values()) else None


class InBatch:
    """A row of the batch engine."""

    def __init__(self, game: Game, seed: int) -> None:
        self.engine = BatchEngine(game.ruleset, 1, num_players=game.num_players, may_interpret=True)
        self.engine.deal(np.array([seed], np.uint64))

    def look(self) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
        return int(self.engine.seat[0]), self.engine.observation[0], self.engine.mask[0]

    def move(self, action: int) -> None:
        self.engine.step(np.array([action], np.int64), reset=0)

    def payoffs(self) -> Sequence[float] | None:
        return self.engine.payoffs[0].tolist() if self.engine.status[0] else None


def roads_of(name: str) -> tuple[Game | SideGame, dict[str, Callable[[], Road]]]:
    """The game of a file, to be read for its texts, and the same game on every road."""
    entry = next((entry for entry in side_games() if entry.name == name), None)
    if entry is not None:
        deal = entry.kind().usual
        return deal(SEED), {"rules": lambda: BySideGame(deal(SEED)), "aec": lambda: InEnvironment(side_env(deal))}
    rules = available_rulesets()[name]

    def env(engine: str) -> Road:
        made = raw_env(rules, scoring=rules.scoring, engine=engine)
        made.reset(options={"position": game.start})
        return InEnvironment(made)

    game = Game.deal(rules, SEED)
    roads = {"rules": lambda: ByRules(Game.deal(rules, SEED)), "batch": lambda: InBatch(game, SEED)}
    return game, {**roads, "aec": lambda: env("reference"), COMPILED: lambda: env("compiled")}


def side_env(deal: Callable[[int], SideGame]) -> SideAEC:
    """The environment of a side game."""
    env = SideAEC(GameStepper(deal), set_up={"seed": lambda seed, _: deal(seed)})
    env.reset(options={"seed": SEED})
    return env


def hashed(array: npt.NDArray[Any]) -> str:
    """Twelve hexadecimal digits that depend on the entries of an array."""
    return sha256(np.ascontiguousarray(array, np.int8).tobytes()).hexdigest()[:12]


def seen(road: Road) -> str:
    """What a road shows before a move."""
    seat, observation, mask = road.look()
    legal = np.flatnonzero(mask).tolist()
    some = " ".join(map(str, legal[:SHOWN])) + " ..." * (len(legal) > SHOWN)
    return f"seat {seat}  legal {len(legal)}: {some}  mask {hashed(mask)}  observation {hashed(observation)}"


def paid(road: Road) -> str:
    """What a road pays."""
    payoffs = road.payoffs()
    return "no end" if payoffs is None else f"payoffs {' '.join(f'{float(payoff):g}' for payoff in payoffs)}"


def wording(game: Game | SideGame, action: int) -> Iterator[str]:
    """The texts of a move, which it makes: in notation, then what the log adds."""
    if isinstance(game, SideGame):
        yield game.move_text(action)
        game.play(action)
        return
    play = action_space(game.ruleset).verify(action, game.legal_plays())
    yield game.ruleset.text(play.mask) or str(play)
    before, names = len(game.events), [f"seat{seat}" for seat in range(game.num_players)]
    game.push(play)
    added = (event for event in game.events[before:] if not isinstance(event, TurnStarted))
    yield from "".join(event_text(event, game.ruleset, names) for event in added).splitlines()


def hand_of(game: Game | SideGame) -> str:
    """The hand of the seat to move."""
    if isinstance(game, SideGame):
        return " ".join(card.text for seat in game.scene(game.turn).seats if seat.hand for card in seat.hand)
    return str(game.ruleset.text(game.view(game.turn).hand))


def written(name: str) -> str:
    """The file of a game, from the readable rules; the moves are random."""
    game, roads = roads_of(name)
    road, rng, lines = roads["rules"](), SplitMix64(SEED), [f"{name}, seed {SEED}"]
    for number in range(1, MOVES + 1):
        legal = np.flatnonzero(road.look()[2]).tolist()
        action = legal[rng.below(len(legal))]
        lines += ["", f"{number}  hand {hand_of(game)}", seen(road), f"action {action}  {'  '.join(wording(game, action))}"]
        road.move(action)
        if road.payoffs() is not None:
            break
    return "\n".join([*lines, "", paid(road), ""])


def differences(name: str, text: str, skipped: str = "") -> Iterator[str]:
    """Where a road shows something else than the file of a game."""
    lines = text.splitlines()
    moves = [(line, lines[at - 1]) for at, line in enumerate(lines) if line.startswith("action ")]
    roads = roads_of(name)[1]
    for road_name in roads.keys() - {skipped}:
        road = roads[road_name]()
        for number, (line, expected) in enumerate(moves, 1):
            if (found := seen(road)) != expected:
                yield f"{name}, {road_name}, move {number}: expected {expected}, got {found}"
                break
            road.move(int(line.split()[1]))
        else:
            if (found := paid(road)) != lines[-1]:
                yield f"{name}, {road_name}: expected {lines[-1]}, got {found}"


NAMES: Final = [*available_rulesets(), *(entry.name for entry in side_games())]


def command(
    name: Annotated[list[str] | None, typer.Argument(help="Games.", show_default="all")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the files.")] = False,
) -> None:
    """Write or compare playthroughs. Exit status 1 where a road differs."""
    FOLDER.mkdir(exist_ok=True)
    status = 0
    for one in name or NAMES:
        path = FOLDER / f"{one}.txt"
        if write:
            path.write_text(written(one), "utf-8")
        else:
            text = path.read_text("utf-8")
            for fault in ([] if text == written(one) else [f"{one}: another text"]) + list(differences(one, text)):
                print(fault)
                status = 1
    sys.exit(status)


if __name__ == "__main__":
    typer.run(command)
