"""Which file of weights plays a game: the one that was asked for, or the one that is shipped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from big2_agents.models import shipped_weights
from big2_env.climbing.ruleset import RuleSet

if TYPE_CHECKING:
    from big2_agents.learned.network_arrays import Network
    from big2_agents.learned.trained_for import TrainedFor


class AskedWeights:
    """The weights that a player was asked to play with.

    Args:
        weights: a file of your own; by default those shipped for each game's ruleset. With `,any` behind it the file plays
            rules that it was not trained for as well, where the cards and the seats are the same; it warns of that.

    Raises:
        ConfigError: a weights file that is none.
    """

    def __init__(self, weights: str | Path | None = None) -> None:
        self._settled: Path | None = None
        self._trained_for: TrainedFor | None = None
        self._given: Network | None = None
        if weights is not None:
            # Imported where it is used: a browser, where nobody gives files, has no numpy.
            from big2_agents.learned.network_arrays import load_network
            from big2_agents.learned.trained_for import TrainedFor

            self._trained_for = TrainedFor(str(weights))
            self._given = load_network(self._trained_for.path)

    @classmethod
    def settled(cls, path: Path) -> AskedWeights:
        """The weights of a file that has been checked against the rules before."""
        found = cls()
        found._settled = path
        return found

    def path(self, ruleset: RuleSet, num_players: int) -> Path:
        """The file of the weights for a game.

        Raises:
            ConfigError: there are none, or they were trained for other rules.
        """
        if self._settled is not None:
            return self._settled
        if self._trained_for is None:
            return shipped_weights(ruleset, num_players)
        self._trained_for.check(ruleset)
        return self._trained_for.path

    def network(self, path: Path) -> Network:
        """The arrays of the file that `path` gave. Raises ConfigError as `load_network` does."""
        from big2_agents.learned.network_arrays import load_network

        return self._given if self._given is not None else load_network(path)
