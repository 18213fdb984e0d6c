"""The player of `big2 train ppo` without torch: the actor's network from an `.npz` file, in numpy.

`h = relu(h W + b)` for each layer, and a score for each action: the same figures as the torch policy's logits.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from big2_agents.compiled.features import check_learnable
from big2_agents.compiled.finish import DEPTH, find_finish
from big2_agents.compiled.from_view import fill_game, to_cards
from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.compiled.track import GAME
from big2_agents.learned.weights import load_arrays
from big2_agents.models import shipped_ppo_weights
from big2_env.advice import Advice
from big2_env.climbing.actions import HandSlots
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.tables import as_record

Array = npt.NDArray[Any]
MAX_LAYERS: Final = 6
"""Most layers that a weights file may have before the actions."""


class PpoNetwork(NamedTuple):
    """Weights, float32; `layers` are pairs (inputs, outputs) and (outputs,), `action` is (actions, inputs)."""

    layers: tuple[tuple[Array, Array], ...]
    action: Array
    action_bias: Array

    def scores(self, observation: Array, actions: Array) -> npt.NDArray[np.float32]:
        """The scores of some actions, int (n,), for an observation of zeros and ones (size,): float32 (n,)."""
        first, *others = self.layers
        hidden = np.maximum(first[0][observation != 0].sum(axis=0) + first[1], 0.0)
        for weight, bias in others:
            hidden = np.maximum(hidden @ weight + bias, 0.0)
        found: npt.NDArray[np.float32] = self.action[actions] @ hidden + self.action_bias[actions]
        return found


def load_ppo_network(path: str | PathLike[str]) -> PpoNetwork:
    """The network of an `.npz` file; nothing in the file is run. Raises ConfigError as `load_arrays` does."""
    try:
        with ZipFile(path) as file:
            held = set(file.namelist())
    except (OSError, BadZipFile) as error:
        raise ConfigError(f"weights {path}: {error}") from None
    number = next(n for n in range(1, MAX_LAYERS + 2) if n > MAX_LAYERS or f"layer{n}.npy" not in held) - 1
    layers = [f"layer{n}" for n in range(1, max(number, 1) + 1)]
    names = [each for layer in [*layers, "action"] for each in (layer, f"{layer}_bias")]

    def shapes(arrays: dict[str, Array]) -> dict[str, tuple[int, ...]]:
        width = arrays["layer1"].shape[0] if arrays["layer1"].ndim else 0
        wanted: dict[str, tuple[int, ...]] = {}
        for layer in layers:
            out = arrays[f"{layer}_bias"].size
            wanted[layer], wanted[f"{layer}_bias"] = (width, out), (out,)
            width = out
        actions = arrays["action_bias"].size
        return wanted | {"action": (actions, width), "action_bias": (actions,)}

    found = load_arrays(path, names, shapes)
    return PpoNetwork(tuple((found[layer], found[f"{layer}_bias"]) for layer in layers), found["action"], found["action_bias"])


class PpoAgent:
    """Plays a sure win where it sees one, else the act that a network trained by MaskablePPO finds likeliest.

    Weights are those shipped for the game's ruleset, or a file of your own.

    Raises:
        ConfigError: a weights file that is none; by `act`, weights that do not fit the ruleset, or none for it.
    """

    def __init__(self, weights: str | Path | None = None) -> None:
        self._given = None if weights is None else load_ppo_network(weights)
        self._ruleset: Any = None
        self._game = as_record(np.zeros((), GAME))
        self._candidates = as_record(np.zeros((), CANDIDATES))
        self._stack = np.zeros(DEPTH, CANDIDATES).view(np.recarray)

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See if there are weights for a game. Raises ConfigError if there are none."""
        if self._given is None:
            shipped_ppo_weights(ruleset)

    def reset(self, seed: int) -> None:
        """Start a game; nothing the agent does is random."""

    def _prepare(self, view: View, legal: LegalPlays) -> None:
        view.check(legal)
        ruleset = view.ruleset
        if view.num_players != ruleset.default_players:
            raise ConfigError(f"expected a table of {ruleset.default_players} players for ppo, got {view.num_players}")
        if ruleset is self._ruleset:
            return
        check_learnable(ruleset)
        network = self._given or load_ppo_network(shipped_ppo_weights(ruleset))
        layout, actions = ObservationLayout(ruleset), HandSlots(ruleset)
        given, needed = (len(network.layers[0][0]), len(network.action_bias)), (layout.size, actions.n)
        if given != needed:
            raise ConfigError(f"ppo weights of {given} inputs and actions: {ruleset.name} has {needed}")
        self._tables = compile_tables(ruleset)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._network, self._layout, self._actions, self._ruleset = network, layout, actions, ruleset

    def scores(self, view: View, legal: LegalPlays) -> tuple[list[Play], npt.NDArray[np.float32]]:
        """The legal acts, the pass among them, and the network's score of each, float32 (n,)."""
        self._prepare(view, legal)
        plays = list(legal)
        return plays, self._network.scores(self._layout.encode(view), np.array(self._actions.ids(legal)))

    def act(self, view: View, legal: LegalPlays) -> Play:
        """An act that begins a sure win, else the likeliest one."""
        self._prepare(view, legal)
        t, g, c = self._tables, self._game, self._candidates
        fill_game(t, view, self._patterns, g)
        find_candidates(t, g.hands[view.seat], g.top_category, g.top_power, g.obligation[0], c)
        sure = 0 if c.count == 1 else int(find_finish(t, g, np.array(view.cards_left, np.int32), c, self._stack))
        if sure >= 0:
            mask = to_cards(t, int(c.mask[sure]))
            return legal.verify(mask) if mask else PASS
        plays, scores = self.scores(view, legal)
        return plays[int(scores.argmax())]

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal acts with score and probability, the one that is played first."""
        best = self.act(view, legal)
        plays, scores = self.scores(view, legal)
        chances = np.exp(scores - scores.max())
        found = [
            Advice(play, score=score, probability=chance)
            for play, score, chance in zip(plays, scores.tolist(), (chances / chances.sum()).tolist(), strict=True)
        ]
        return sorted(found, key=lambda advice: (advice.play != best, -(advice.probability or 0.0)))
