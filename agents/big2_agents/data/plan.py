"""Plan of a data set, which determines every byte of it, and the list of its pieces in `dataset.jsonl`.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 export", `version`, `agents`, `identity`, `seed`, `games`, `games_per_piece`, |
| | `format`, `players`, `observation_size`, `num_actions`; of a chat also `language` and `values` |
| others | for each piece `piece` (its index), `rows`, `legal` (number of legal actions listed), `sha256` of its file |

`identity` has the ruleset's name, its scoring and the digest of its rules (`big2_env.climbing.saved_rules`). Piece i starts
with game `i * games_per_piece`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from big2_env import __version__
from big2_env.base.errors import NotationError
from big2_env.base.json_values import shown, texts_at, whole_at
from big2_env.base.language import Language
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.runs.resumable import Format

KIND: Final = "big2 export"
LIST: Final = "dataset.jsonl"
"""Name of the file that lists the pieces."""
MAX_LINE: Final = 1 << 16
"""Maximum length of a line in bytes."""
MAX_GAMES: Final = 10**8
MAX_PIECES: Final = 10**5
MAX_ROWS: Final = 10**8
"""Maximum number of rows of a piece; the maximum number of listed legal actions is a hundred times that."""
MAX_SIZE: Final = 1 << 20
"""Maximum number of entries of an observation, and of actions."""
CHAT: Final = "chat"
FORMATS: Final = ("npz", "parquet", CHAT)


class Piece(NamedTuple):
    """Entry of a written piece."""

    number: int
    rows: int
    legal: int
    """Number of legal actions listed in it."""
    sha256: str


@dataclass(frozen=True)
class Plan:
    """Plan of a data set: agents, rules, games and pieces."""

    agents: tuple[str, ...]
    """An agent for each seat: NAME or NAME:ARGUMENT."""
    rules: RuleSet
    """Rules with the scoring of returns."""
    seed: int
    games: int
    games_per_piece: int
    format: str
    """One of `FORMATS`."""
    version: str = __version__
    language: str = "en"
    """Language of the prompts of a chat."""
    values: str | None = None
    """Agent that values the moves of a chat, `None` for no values."""

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.agents)

    @property
    def observation_size(self) -> int:
        """Number of entries of an observation."""
        return ObservationLayout(self.rules, self.players).size

    @property
    def num_actions(self) -> int:
        """Number of actions of the ruleset."""
        return action_space(self.rules).n

    @property
    def num_pieces(self) -> int:
        """Number of pieces of the finished data set."""
        return -(-self.games // self.games_per_piece)

    def games_of(self, piece: int) -> tuple[int, int]:
        """Return the first game of a piece, and the game after its last."""
        first = piece * self.games_per_piece
        return first, min(first + self.games_per_piece, self.games)

    def file(self, folder: Path, piece: int) -> Path:
        """Return the file of a piece."""
        return folder / f"part-{piece:05}.{'jsonl' if self.format == CHAT else self.format}"


def header(plan: Plan) -> dict[str, Any]:
    """Return the settings in the first line of the list."""
    return {
        "version": plan.version,
        "agents": list(plan.agents),
        "identity": identity(plan.rules),
        "seed": plan.seed,
        "games": plan.games,
        "games_per_piece": plan.games_per_piece,
        "format": plan.format,
        "players": plan.players,
        "observation_size": plan.observation_size,
        "num_actions": plan.num_actions,
    } | ({"language": plan.language, "values": plan.values} if plan.format == CHAT else {})


def parse_plan(data: dict[str, Any], rulesets: Mapping[str, RuleSet] | None = None) -> Plan:
    """Parse the first line of a list.

    Args:
        data: The line.
        rulesets: Rulesets by name that take precedence over the available ones.

    Raises:
        NotationError: The line is malformed.
        ConfigError: The rules are unknown.
    """
    which, kind, version = (data.get(key) for key in ("identity", "format", "version"))
    if not 1 <= len(agents := texts_at(data, "agents")) <= 16:
        raise NotationError(f"expected agents for 1 to 16 seats, got {len(agents)}")
    if not isinstance(which, dict) or not isinstance(version, str) or kind not in FORMATS:
        raise NotationError(f"expected identity, version and format, got {shown(which)}, {shown(version)}, {shown(kind)}")
    seed = whole_at(data, "seed", least=None)
    games, each = (whole_at(data, key, MAX_GAMES, 1) for key in ("games", "games_per_piece"))
    if -(-games // each) > MAX_PIECES:
        raise NotationError(f"expected 1 to {MAX_PIECES} pieces, got {games} games, {each} a piece")
    language, values = data.get("language", "en"), data.get("values")
    if language not in [one.value for one in Language] or not isinstance(values, str | None):
        raise NotationError(f"expected a language and values, got {shown(language)} and {shown(values)}")
    rules = SavedRules(rulesets).of(which)
    plan = Plan(tuple(agents), rules, seed, games, each, kind, version, language, values)
    sizes = {"players": plan.players, "observation_size": plan.observation_size, "num_actions": plan.num_actions}
    for key, value in sizes.items():
        if whole_at(data, key, MAX_SIZE) != value:
            raise NotationError(f"expected {key} {value}, as {plan.rules.name} has it, got {shown(data[key])}")
    return plan


def piece_line(piece: Piece) -> dict[str, Any]:
    """Return the line of a piece."""
    return {"piece": piece.number, "rows": piece.rows, "legal": piece.legal, "sha256": piece.sha256}


def _pieces(plan: Plan) -> Callable[[dict[str, Any]], Piece]:
    """Return the function that reads the lines of a list, in the order of the pieces."""
    numbers = count()

    def piece(data: dict[str, Any]) -> Piece:
        number, expected = whole_at(data, "piece", plan.num_pieces - 1), next(numbers)
        if number != expected:
            raise NotationError(f"expected piece {expected}, got piece {number}; give --overwrite")
        digest = data.get("sha256")
        if not isinstance(digest, str) or len(digest) != 64:
            raise NotationError(f"expected sha256 of 64 digits, got {shown(digest)}")
        return Piece(number, whole_at(data, "rows", MAX_ROWS), whole_at(data, "legal", 100 * MAX_ROWS), digest)

    return piece


def lists(rulesets: Mapping[str, RuleSet] | None = None) -> Format[Plan, Piece]:
    """Return the format of `dataset.jsonl`.

    Args:
        rulesets: Rulesets by name that take precedence over the available ones.
    """
    return Format(KIND, header, lambda data: parse_plan(data, rulesets), _pieces, piece_line, MAX_LINE)
