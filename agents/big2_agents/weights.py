"""The weights that the heuristic plays each ruleset with, and the files that hold them: JSON, read without numpy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from big2_agents.formula import Weights, first_weights_of
from big2_agents.models import models_folder
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import preset
from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.json_values import parse_object, shown, text_at
from big2_env.runs.replacing import replacing

KIND: Final = "big2 heuristic weights"
MAX_FILE: Final = 1 << 16
"""Most bytes of a weights file."""


@dataclass(frozen=True)
class WeightsFile:
    """Fitted weights of a ruleset, and how they were found."""

    ruleset: str
    weights: Weights
    made: dict[str, Any] = field(default_factory=dict)
    """How `big2 train weights` found them: command, version, generations, games, minutes, field."""
    gain: dict[str, Any] = field(default_factory=dict)
    """Mean payoff a game alone against others, by these: `mean`, `half_width` of the 95 % interval, `deals`."""

    @classmethod
    def load(cls, path: Path) -> WeightsFile:
        """The content of a file.

        Raises:
            ConfigError: it cannot be read, or is no file of weights.
        """
        try:
            with path.open("rb") as stream:
                text = stream.read(MAX_FILE + 1)
            if len(text) > MAX_FILE:
                raise NotationError(f"expected at most {MAX_FILE:,} bytes")
            data = parse_object(text.decode())
            if data.get("kind") != KIND:
                raise NotationError(f"expected kind {KIND!r}, got {shown(data.get('kind'))}")
            found = [data.get(key) for key in ("weights", "made", "gain")]
            weights, made, gain = (value if isinstance(value, dict) else {} for value in found)
            return cls(text_at(data, "ruleset", 200), Weights.from_json(weights), made, gain)
        except (OSError, UnicodeDecodeError, NotationError, ConfigError) as error:
            raise ConfigError(f"heuristic weights {path}: {error}") from None

    def write(self, path: Path) -> None:
        """Write the file, the whole of it at once."""
        data = {
            "kind": KIND,
            "ruleset": self.ruleset,
            "weights": self.weights.as_json(),
            "made": self.made,
            "gain": self.gain,
        }
        with replacing(path) as new:
            new.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


FIRST: Final = "first"
"""The version of the first weights."""


def _frozen_folder() -> Path:
    return models_folder() / "weights" / "frozen"


def frozen_versions() -> list[str]:
    """The names of the weights that never change."""
    return [FIRST, *sorted(path.stem for path in _frozen_folder().glob("*.json"))]


@lru_cache(maxsize=64)
def frozen_weights_of(version: str, ruleset: RuleSet) -> Weights:
    """The weights of a version, which never change: those it has for the ruleset of that name, else the first ones.

    Raises:
        ConfigError: an unknown version.
    """
    if version not in frozen_versions():
        raise ConfigError(f"expected a version of the heuristic: {', '.join(frozen_versions())}; got {quoted(version)}")
    if version == FIRST:
        return first_weights_of(ruleset)
    by_ruleset = parse_object((_frozen_folder() / f"{version}.json").read_text(encoding="utf-8"))
    data = by_ruleset.get(ruleset.name)
    return first_weights_of(ruleset) if data is None else Weights.from_json(data)


def shipped_files() -> dict[str, Path]:
    """The files of fitted weights that are shipped, by ruleset."""
    return {path.stem: path for path in sorted((models_folder() / "weights").glob("*.json"))}


@lru_cache(maxsize=64)
def weights_of(ruleset: RuleSet) -> Weights:
    """The weights that the heuristic plays a ruleset with: those fitted to what it pays, else the first ones.

    They change where better ones are found. Fitted weights are for the patterns and the settlement of the ruleset that is
    shipped under its name; house rules that change these have the first weights.
    """
    known, path = preset(ruleset.name), shipped_files().get(ruleset.name)
    if path is None or known is None:
        return first_weights_of(ruleset)
    is_same = (known.patterns, known.scoring) == (ruleset.patterns, ruleset.scoring)
    return WeightsFile.load(path).weights if is_same else first_weights_of(ruleset)
