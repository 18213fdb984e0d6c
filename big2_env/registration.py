"""The environment ids, told to Gymnasium and PettingZoo when those are imported, and not a moment before.

For each ruleset of the package there is an id: `big2/Big2-v0` for `big2`, `big2/HongKong-v0` for `hong_kong`. With Gymnasium
it is the environment of one seat (`big2_env.envs.seat`) and, for `make_vec`, a batch of them (`big2_env.envs.vector`); with
PettingZoo 1.27 or newer it is the AEC environment (`big2_env.envs.aec`). `big2/Big2SelfPlay-v0` is a batch in which one policy
plays all seats, for `make_vec` alone.

Importing `big2_env` must not import either library, so a finder waits on `sys.meta_path` for each that is not there yet: it
lets the others find the module, and once that has run it registers the ids and takes itself away.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, NoReturn

from big2_env.errors import ConfigError

NAMESPACE: Final = "big2"
ENV_VERSION: Final = 0
"""Changes when an environment's behaviour does in a way that may affect learning."""


SINGLE_PLAYER_IDS: Final = {
    f"{NAMESPACE}/Klondike-v{ENV_VERSION}": (
        "big2_env.games.klondike.env:KlondikeEnv",
        "big2_env.games.klondike.vector:KlondikeBatchEnv",
    )
}
"""Games without rulesets and opponents, known to Gymnasium alone: the environment and the batch of them."""
UNWRAPPED: Final = {"order_enforce": False, "disable_env_checker": True}
"""`gymnasium.make` gives the environment itself, with the `action_masks()` that learners ask for: Gymnasium's wrappers hide it.
The environments themselves refuse calls in a wrong order and illegal actions."""
UNO_ID: Final = f"{NAMESPACE}/Uno-v{ENV_VERSION}"
"""UNO: the AEC environment for PettingZoo, one learner's seat for Gymnasium's `make` and `make_vec`."""
UNO_SELF_PLAY_ID: Final = f"{NAMESPACE}/UnoSelfPlay-v{ENV_VERSION}"
"""UNO with one policy in all seats, for `make_vec` alone."""
NOT_A_BATCH: Final = "big2_env.registration:refuse_one_game"
"""What `gymnasium.make` finds under the ids of self-play."""


def env_id(ruleset_name: str) -> str:
    """The id of a ruleset's environments.

    >>> env_id("big2"), env_id("hong_kong"), env_id("dou_dizhu_4p")
    ('big2/Big2-v0', 'big2/HongKong-v0', 'big2/DouDizhu4P-v0')
    """
    name = ruleset_name.title().replace("_", "")
    return f"{NAMESPACE}/{name}-v{ENV_VERSION}"


def self_play_id(ruleset_name: str) -> str:
    """The id of a ruleset's batch in which one policy plays all seats, for `gymnasium.make_vec` alone.

    >>> self_play_id("big2")
    'big2/Big2SelfPlay-v0'
    """
    return env_id(f"{ruleset_name}_self_play")


def env_ids() -> dict[str, str]:
    """The ids of the rulesets that the package has: id -> name of the ruleset."""
    from big2_env.climbing.rulesets import available_rulesets

    return {env_id(name): name for name in available_rulesets()}


def refuse_one_game(**arguments: Any) -> NoReturn:
    """Refuse `gymnasium.make` under an id of self-play, which is a batch.

    Raises:
        ConfigError: always.
    """
    raise ConfigError(
        "expected gymnasium.make_vec for an id of self-play, got gymnasium.make, or a vectorization_mode that calls it; one "
        "game with all seats is an AEC environment"
    )


def _register_with_gymnasium(gymnasium: ModuleType) -> None:
    for identifier, name in env_ids().items():
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                entry_point="big2_env.envs.seat:SeatEnv",
                vector_entry_point="big2_env.envs.vector:BatchEnv",
                kwargs={"ruleset": name},
                **UNWRAPPED,
            )
        if (alone := self_play_id(name)) not in gymnasium.registry:
            vector, options = "big2_env.envs.vector:BatchEnv", {"ruleset": name, "mode": "self_play"}
            gymnasium.register(alone, entry_point=NOT_A_BATCH, vector_entry_point=vector, kwargs=options)
    for identifier, (single, vector) in SINGLE_PLAYER_IDS.items():
        if identifier not in gymnasium.registry:
            gymnasium.register(identifier, entry_point=single, vector_entry_point=vector, **UNWRAPPED)
    if UNO_ID not in gymnasium.registry:
        gymnasium.register(
            UNO_ID,
            entry_point="big2_env.games.uno.seat_env:UnoSeatEnv",
            vector_entry_point="big2_env.games.uno.vector:UnoBatchEnv",
            **UNWRAPPED,
        )
    if UNO_SELF_PLAY_ID not in gymnasium.registry:
        vector, options = "big2_env.games.uno.vector:UnoBatchEnv", {"mode": "self_play"}
        gymnasium.register(UNO_SELF_PLAY_ID, entry_point=NOT_A_BATCH, vector_entry_point=vector, kwargs=options)


def _register_with_pettingzoo(pettingzoo: ModuleType) -> None:
    if not hasattr(pettingzoo, "register"):  # before 1.27
        return
    for identifier, name in env_ids().items():
        if identifier not in pettingzoo.aec_registry:
            pettingzoo.register("aec", identifier, entry_point="big2_env.envs.aec:env", kwargs={"ruleset": name})
    if UNO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", UNO_ID, entry_point="big2_env.games.uno.aec:env")


REGISTRARS: Final[dict[str, Callable[[ModuleType], None]]] = {
    "gymnasium": _register_with_gymnasium,
    "pettingzoo": _register_with_pettingzoo,
}
"""What is done with each library once it is there."""


def _register(library: str, module: ModuleType) -> None:
    """Register the ids with a library. What goes wrong is a warning: neither import may fail of it."""
    try:
        REGISTRARS[library](module)
    except Exception as error:
        warnings.warn(f"big2_env: no environment ids for {library}: {type(error).__name__}: {error}", stacklevel=2)


class _Finder:
    """Waits on `sys.meta_path` until a library has been imported."""

    def __init__(self, library: str) -> None:
        self.big2_env_waits_for = library

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The library's spec as the other finders give it, with a loader that registers in the end; `None` for all else."""
        if name != self.big2_env_waits_for:
            return None
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    self._follow(spec.loader)
                    return spec
        return None

    def _follow(self, loader: Any) -> None:
        """Make a loader call `_done` when it has run the library. It stays the same loader: others look at its type."""
        run = getattr(loader, "exec_module", None)
        if run is None:
            return

        def exec_module(module: ModuleType) -> None:
            run(module)
            if module.__name__ == self.big2_env_waits_for:  # a loader may serve several modules
                vars(loader).pop("exec_module", None)
                self._done(module)

        with suppress(AttributeError):  # of a loader that can not be added to there will be no ids, but the library
            loader.exec_module = exec_module

    def _done(self, module: ModuleType) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        _register(self.big2_env_waits_for, module)


def install() -> None:
    """Register the ids with each library: now, where it has been imported, else when it is. Twice is as good as once."""
    for library in REGISTRARS:
        if sys.modules.get(library) is not None:
            _register(library, import_module(library))  # waits for a library that another thread is importing
        elif not any(getattr(finder, "big2_env_waits_for", None) == library for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder(library))
