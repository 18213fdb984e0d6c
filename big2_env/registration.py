"""Registration of the environment ids with Gymnasium, PettingZoo and TextArena, as soon as the library is imported.

Each ruleset of the package and each mini game has an id: `big2/Big2-v0` for `big2`, `big2/HongKong-v0` for `hong_kong`,
`big2/Mini6-v0` for `mini6`. In Gymnasium it refers to the environment of one seat (`big2_env.envs.seat`) and, for `make_vec`,
to a batch of games (`big2_env.envs.vector`). In PettingZoo 1.27 or newer it refers to the AEC environment
(`big2_env.envs.aec`), and in TextArena to `big2_env.envs.textarena`.
`big2/Big2SelfPlay-v0` is a batch in which one policy plays all seats; it works with `make_vec` only.

Importing `big2_env` must not import any of these libraries. So a finder on `sys.meta_path` waits for each library that is not
imported yet. It lets the other finders locate the module, registers the ids after the module has run, and then removes
itself.
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

from big2_env.base.errors import ConfigError

NAMESPACE: Final = "big2"
ENV_VERSION: Final = 0
"""Version of the ids; increases if an environment's behavior changes in a way that may affect learning."""


SINGLE_PLAYER_IDS: Final = {
    f"{NAMESPACE}/Klondike-v{ENV_VERSION}": (
        "big2_env.games.klondike.env:KlondikeEnv",
        "big2_env.games.klondike.vector:KlondikeBatchEnv",
    )
}
"""Ids of single-player games, for Gymnasium only: the environment, and the batch of games."""
UNWRAPPED: Final = {"order_enforce": False, "disable_env_checker": True}
"""Options that make `gymnasium.make` return the environment itself, with the `action_masks()` that learners need.

Gymnasium's wrappers would hide that method. The environments check call order and actions themselves.
"""
UNO_ID: Final = f"{NAMESPACE}/Uno-v{ENV_VERSION}"
"""Id of UNO: the AEC environment in PettingZoo, one learner's seat in Gymnasium's `make` and `make_vec`."""
UNO_SELF_PLAY_ID: Final = f"{NAMESPACE}/UnoSelfPlay-v{ENV_VERSION}"
"""Id of UNO with one policy in all seats, for `make_vec` only."""
NOT_A_BATCH: Final = "big2_env.registration:refuse_one_game"
"""Entry point of the self-play ids for `gymnasium.make`, which always raises an error."""


def env_id(ruleset_name: str) -> str:
    """Return the id of a ruleset's environments.

    >>> env_id("big2"), env_id("hong_kong"), env_id("dou_dizhu_4p")
    ('big2/Big2-v0', 'big2/HongKong-v0', 'big2/DouDizhu4P-v0')
    """
    name = ruleset_name.title().replace("_", "")
    return f"{NAMESPACE}/{name}-v{ENV_VERSION}"


def self_play_id(ruleset_name: str) -> str:
    """Return the id of a ruleset's self-play batch, for `gymnasium.make_vec` only.

    >>> self_play_id("big2")
    'big2/Big2SelfPlay-v0'
    """
    return env_id(f"{ruleset_name}_self_play")


def env_ids() -> dict[str, str]:
    """Return the ids of all rulesets with a name, mini games last, as a dict of id to ruleset name."""
    from big2_env.climbing.mini_games import MINI_GAMES
    from big2_env.climbing.rulesets import available_rulesets

    return {env_id(name): name for name in (*available_rulesets(), *MINI_GAMES)}


def refuse_one_game(**arguments: Any) -> NoReturn:
    """Reject `gymnasium.make` for a self-play id, which is a batch.

    Raises:
        ConfigError: Always.
    """
    raise ConfigError(
        "self-play ids are vectorized: use gymnasium.make_vec() without vectorization_mode, or pettingzoo.make('aec', ID) for "
        "a single game"
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


def _register_with_textarena(textarena: ModuleType) -> None:
    """Register the ids with the wrapper that turns messages into one text, which all games of TextArena have."""
    known = textarena.envs.registration.ENV_REGISTRY
    wrappers = [textarena.wrappers.LLMObservationWrapper]
    for identifier, name in env_ids().items():
        if identifier not in known:
            entry = "big2_env.envs.textarena:TextArenaEnv"
            textarena.register(identifier, entry_point=entry, default_wrappers=wrappers, ruleset=name)


REGISTRARS: Final[dict[str, Callable[[ModuleType], None]]] = {
    "gymnasium": _register_with_gymnasium,
    "pettingzoo": _register_with_pettingzoo,
    "textarena": _register_with_textarena,
}
"""By library: the function that registers the ids."""


def _register(library: str, module: ModuleType) -> None:
    """Register the ids with a library. Errors become warnings, because they must not break the import."""
    try:
        REGISTRARS[library](module)
    except Exception as error:
        warnings.warn(f"big2_env: no environment ids for {library}: {type(error).__name__}: {error}", stacklevel=2)


class _Finder:
    """Finder on `sys.meta_path` that waits for a library to be imported."""

    def __init__(self, library: str) -> None:
        self.big2_env_waits_for = library

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the library's spec from the other finders, with a loader that registers the ids; `None` for other modules."""
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
        """Make a loader call `_done` after running the library. It stays the same object, since other code checks its type."""
        run = getattr(loader, "exec_module", None)
        if run is None:
            return

        def exec_module(module: ModuleType) -> None:
            run(module)
            if module.__name__ == self.big2_env_waits_for:  # a loader may serve several modules
                vars(loader).pop("exec_module", None)
                self._done(module)

        with suppress(AttributeError):  # a loader that rejects attributes still loads its library, without ids
            loader.exec_module = exec_module

    def _done(self, module: ModuleType) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        _register(self.big2_env_waits_for, module)


def install() -> None:
    """Register the ids with each library: now if it has been imported, otherwise on its import. Repeated calls are harmless."""
    for library in REGISTRARS:
        if sys.modules.get(library) is not None:
            _register(library, import_module(library))  # waits for a library that another thread is importing
        elif not any(getattr(finder, "big2_env_waits_for", None) == library for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder(library))
