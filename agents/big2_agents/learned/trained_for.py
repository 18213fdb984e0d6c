"""Which rules a file of weights was trained for, and whether it may be asked under others."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np

from big2_agents.learned.network_arrays import Network
from big2_agents.learned.weights import RULES, learned_patterns, learned_rules
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.errors import ConfigError, NotationError

ANY: Final = ",any"
"""What stands behind a path where its weights may play other rules too."""


def rules_array(ruleset: RuleSet) -> dict[str, Any]:
    """The array of a weights file that says which rules it was trained for, by its name; none where rules are no data."""
    try:
        return {RULES: np.array(json.dumps(identity(ruleset)))}
    except ConfigError:
        return {}


class TrainedFor:
    """What a file of weights says of the rules it was trained for.

    Args:
        weights: the path, with `,any` behind it where other rules are allowed as well.

    Raises:
        ConfigError: a file that is none, or that says something else in the place of the rules.
    """

    def __init__(self, weights: str) -> None:
        self._is_any = weights.endswith(ANY)
        self.path = Path(weights.removesuffix(ANY))
        """The file."""
        self._patterns = learned_patterns(self.path)
        self._rules = learned_rules(self.path)
        self._checked: Any = None

    def check(self, ruleset: RuleSet) -> None:
        """See if the weights may play a ruleset; whatever it pays is its own affair.

        Raises:
            ConfigError: they were trained for other rules, and nobody said that they may play any.
        """
        if ruleset is self._checked or self._is_same(ruleset):
            return
        learned = self._rules["ruleset"] if self._rules else ", ".join(self._patterns or ())
        if not self._is_any:
            raise ConfigError(
                f"weights {self.path}: trained for {learned}, asked to play {ruleset.name}; "
                f"'{self.path}{ANY}' lets them, where the cards are the same"
            )
        warnings.warn(f"weights {self.path}: trained for {learned}, they play {ruleset.name}", stacklevel=2)
        self._checked = ruleset

    def _is_same(self, ruleset: RuleSet) -> bool:
        """True for the rules they were trained for, by whatever is paid; for files that do not say which, by the patterns."""
        if self._rules is None:
            return self._patterns in (None, [rule.pattern.name for rule in ruleset.patterns])
        if identity(ruleset)["rules"]["digest"] == self._rules["rules"]["digest"]:
            return True
        try:
            return replace(ruleset, scoring=(learned := SavedRules().of(self._rules)).scoring) == learned
        except (ConfigError, NotationError):  # rules made of classes that are not here
            return False


def check_features(path: str | PathLike[str], net: Network, layout: Any, ruleset: RuleSet, num_players: int) -> None:
    """Refuse weights that were made for features of other sizes than a game has.

    Raises:
        ConfigError: they were; for other cards, say, or for another number of players.
    """
    made, given = (len(net.trunk1), len(net.play)), (int(layout.state_size), int(layout.play_size))
    if made != given:
        raise ConfigError(
            f"weights {path}: expected a network for {given[0]} and {given[1]} features, those of {ruleset.name} "
            f"with {num_players} players, got one for {made[0]} and {made[1]}"
        )
