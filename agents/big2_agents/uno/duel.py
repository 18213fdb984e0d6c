"""Duels: matches of a player against another, and control matches of the other player on the same deals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Final

from big2_agents.uno.match import SEARCH, MatchResult, match, new_total, player_number, result_of
from big2_agents.uno.players import FIRST_DRAWING, LEARNED
from big2_agents.uno.weights import load_weights
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import UnoRules
from big2_env.runs.executors import Executor
from big2_env.runs.intervals import known
from big2_env.runs.resumable import Total

KIND: Final = "big2 uno strength"


@dataclass(frozen=True)
class Duel:
    """A player against another at a table, with its results so far."""

    rules: UnoRules
    player: str
    """Player at one seat."""
    other: str
    """Player at all other seats."""
    own: Total = field(default_factory=new_total)
    """Results of the player among the others."""
    same: Total = field(default_factory=new_total)
    """Results of the control match, with the other player in all seats."""

    @property
    def name(self) -> str:
        """Label of the progress bar."""
        return f"{self.rules.players} players, {self.other}"

    @property
    def played(self) -> int:
        """Number of games of the player."""
        return self.own.number * self.rules.players

    @property
    def done(self) -> int:
        """Number of games of both matches."""
        return (self.own.number + self.same.number) * self.rules.players

    @property
    def result(self) -> MatchResult:
        """Result of the player's games, at least one."""
        return result_of(self.own, self.rules.players)

    @property
    def same_result(self) -> MatchResult | None:
        """Result of the control match, `None` if it was not played."""
        return result_of(self.same, self.rules.players) if self.same.number else None

    def totals(self) -> dict[str, Total]:
        """Return the parts of the duel by their names in a file (`big2_env.runs.resumable`)."""
        name = f"{self.rules.players} players, {name_in_files(self.other)}"
        return {name: self.own, f"{name} in its place": self.same}

    def play(self, games: int, *, seed: int, salt: int = 0, executor: Executor, progress: Callable[[int], None]) -> None:
        """Play the missing games of both matches.

        Args:
            games: Number of games of each match.
            seed: Seed of the first deal.
            salt: Salt of the players' random numbers.
            executor: Processes that play.
            progress: Called with the number of games since the last call.

        Raises:
            ConfigError: As `match`.
        """
        for one, total in ((self.player, self.own), (self.other, self.same)):
            match(self.rules, one, self.other, games, seed=seed, salt=salt, executor=executor, progress=progress, total=total)

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON values."""
        found = {
            "players": self.rules.players,
            "against": self.other,
            **{name: known(value) for name, value in asdict(self.result).items()},
        }
        return found | {"their_left": None if self.same_result is None else self.same_result.left}


def name_in_files(player: str) -> str:
    """Return the name of a player in files, the same as in records of games."""
    return UnoGame.record_names.get(player, player)


def run_of(duels: Sequence[Duel], seed: int, salt: int = 0) -> dict[str, Any]:
    """Return the settings that determine the games of duels, for the header of their file (`big2_env.runs.resumable`)."""
    header = {
        "kind": KIND,
        "player": name_in_files(duels[0].player),
        "against": list(dict.fromkeys(name_in_files(duel.other) for duel in duels)),
        "rules": list({duel.rules.players: asdict(duel.rules) for duel in duels}.values()),
        "seed": seed,
    }
    numbers = {player_number(name)[0] for duel in duels for name in (duel.player, duel.other)}
    if numbers & {LEARNED, SEARCH}:
        header["weights"] = sha256(load_weights().tobytes()).hexdigest()[:16]
    if max(numbers) >= FIRST_DRAWING:
        header["agent_seed"] = salt
    return header
