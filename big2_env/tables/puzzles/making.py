"""Search for puzzles in games of strong agents: one game after another, at most one puzzle per game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any, Final

from big2_env.agents.interface import Agent, available_agents, can_play, make_agent, play_turn, reset_seats
from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import shown
from big2_env.base.rng import hashed
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.saved_rules import identity
from big2_env.tables.puzzles.proving import MOST_SEARCHED, failures, proof_of, puzzle_of
from big2_env.tables.puzzles.puzzle import Puzzle, header_of, of_data

AGENTS: Final = ("learned", "heuristic")
"""Agents that play the games, and that are asked for the decisions of a puzzle."""
SHARE: Final = 0.4
"""Largest share of the puzzles with the same grade."""
LEARNED: Final = 8
"""Number of seats per seat of `learned`, whose moves take longer; `heuristic` has the others."""
GAMES: Final = 30
"""Most games per puzzle."""


class Maker:
    """Search for puzzles of a ruleset. The same settings give the same puzzles.

    Raises:
        ConfigError: No strong agent plays the game.
    """

    def __init__(self, ruleset: RuleSet, count: int, seed: int = 0) -> None:
        self.ruleset = ruleset
        """Rules of the game."""
        self.count = count
        """Number of puzzles wanted."""
        self.seed = seed
        """Number of the first game."""
        self.found: list[Puzzle] = []
        """Puzzles so far."""
        made = {name: make_agent(name) for name in AGENTS if name in available_agents()}
        self.agents: dict[str, Agent] = {
            name: agent for name, agent in made.items() if can_play(agent, ruleset, ruleset.default_players)
        }
        """Agents by name."""
        if not self.agents:
            raise ConfigError(f"expected an agent of {', '.join(AGENTS)} that plays {ruleset.name}, got none")

    @property
    def header(self) -> dict[str, Any]:
        """Header of the result file, with the settings that decide the puzzles except their number."""
        return header_of(self.ruleset) | {"seed": self.seed, "agents": list(self.agents), "searched": MOST_SEARCHED}

    def take(self, data: dict[str, Any]) -> None:
        """Add the puzzle of a line that an earlier run wrote.

        Raises:
            NotationError: The line is not a puzzle of these rules.
        """
        puzzle, wanted = of_data(data, self.ruleset.name), identity(self.ruleset)
        if {key: data["position"].get(key) for key in wanted} != wanted:
            raise NotationError(f"position: expected the rules of this run, {shown(wanted)}, got others of that name")
        self.found.append(puzzle)

    def run(self) -> Iterator[Puzzle | None]:
        """Yield the puzzle of each further game, `None` for a game without one, until there are enough.

        The number of games is bounded by `GAMES` per puzzle, so there may be fewer puzzles in the end.
        """
        following = self.found[-1].number + 1 if self.found else self.seed
        for number in range(following, self.seed + GAMES * self.count):
            if len(self.found) >= self.count:
                return
            puzzle = self._best(self._candidates(number))
            if puzzle is not None:
                self.found.append(puzzle)
            yield puzzle

    def _best(self, candidates: Sequence[Puzzle]) -> Puzzle | None:
        """Return the candidate with the rarest grade so far, among these the hardest."""
        grades, most = Counter(puzzle.grade for puzzle in self.found), ceil(SHARE * self.count)
        known = {puzzle.position for puzzle in self.found}
        fitting = [one for one in candidates if grades[one.grade] < most and one.position not in known]
        return max(fitting, key=lambda one: (-grades[one.grade], one.moves, one.only), default=None)

    def _candidates(self, number: int) -> list[Puzzle]:
        """Return the puzzles among the positions of a game, the last position first."""
        game, found = self._played(number), list[Puzzle]()
        for position in reversed(game.positions[:-1]):
            start = Game.from_position(self.ruleset, position)
            try:
                proof = proof_of(start)
            except ConfigError:  # too large, as earlier positions are
                break
            if proof is not None:
                found.append(puzzle_of(start, number, proof, failures(proof, self.agents)))
        return found

    def _played(self, number: int) -> Game:
        """Return a game of the agents, which take seats at random."""
        game = Game.deal(self.ruleset, number)
        names = [*self.agents][:1] + [*self.agents][-1:] * (LEARNED - 1)
        table = [make_agent(names[hashed(number, seat) % LEARNED]) for seat in range(game.num_players)]
        reset_seats(table, game)
        while not game.is_over:
            play_turn(game, table)
        return game
