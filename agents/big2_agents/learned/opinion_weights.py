"""The heuristic whose opinion a network was trained to see."""

from __future__ import annotations

from os import PathLike
from typing import Final

from big2_agents.formula import Weights, first_weights_of
from big2_agents.learned.npz import read_text
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.json_values import parse_object

HEURISTIC: Final = "heuristic"
"""The array of a weights file with the weights of the heuristic whose opinion the network sees, a text with a JSON object."""


def opinion_weights(path: str | PathLike[str], ruleset: RuleSet) -> Weights:
    """The heuristic's weights that a file names, or the first ones where it names none.

    Raises:
        ConfigError: no such file, or something else in the place of the heuristic's weights.
    """
    text = read_text(path, HEURISTIC)
    try:
        return first_weights_of(ruleset) if text is None else Weights.from_json(parse_object(text))
    except (ConfigError, ValueError) as error:
        raise ConfigError(f"weights {path}: {HEURISTIC}: {error}") from None
