"""Modules of a user's own, by name."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

from big2_env.errors import ConfigError, failure_text, quoted


def imported(module: str) -> ModuleType:
    """A module by name, looked for in the current directory as well.

    Raises:
        ModuleNotFoundError: there is no module of that name.
        ConfigError: it cannot be imported, whatever it raises.
    """
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as for `python -m`; it stays, for what the module imports later
    try:
        return importlib.import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
            raise
        raise ConfigError(f"{quoted(module)} cannot be imported: {failure_text(error)}") from error
