"""Import of a user's own modules by name."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

from big2_env.base.errors import ConfigError, failure_text, quoted


def imported(module: str) -> ModuleType:
    """Return a module by name, imported also from the current directory.

    Raises:
        ModuleNotFoundError: The module does not exist.
        ConfigError: The import fails for another reason.
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
