"""Stamps of kernel sources, by which numba's compile cache knows whether compiled code is up to date.

numba compares the time and size of the file that defines a function. It misses changes in other files, whose functions and
constants are compiled into the function, and it recompiles after a changed comment. The stamp of a module covers its
bytecode and the bytecode of our modules that it imports, directly or not, without line numbers and docstrings.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from opcode import opmap
from types import CodeType
from typing import Any

PACKAGES = ("big2_env", "big2_agents")
"""Packages whose sources are covered, besides the package of the stamped module."""
_IMPORT, _EXTENDED = opmap["IMPORT_NAME"], opmap["EXTENDED_ARG"]


@cache
def source_hash(module: str) -> str:
    """Return the stamp of a module, "" for one without a file, such as a script or a notebook.

    Files are read now, so ask when the module is imported.
    """
    packages, waiting, found = {*PACKAGES, module.partition(".")[0]}, [module], dict[str, str]()
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] not in packages:
            continue
        text, imported = _read(name)
        if text:
            found[name] = text
            waiting += imported
    if module not in found:
        return ""
    return sha256("".join(f"{name} {found[name]} " for name in sorted(found)).encode()).hexdigest()


@cache
def _read(name: str) -> tuple[str, tuple[str, ...]]:
    """Return a hash of a module's bytecode, and the names that it imports; "" for a name that does not belong to a module."""
    try:
        spec = find_spec(name)
        loader: Any = None if spec is None else spec.loader
        code = loader.get_code(name) if hasattr(loader, "get_code") else None
    except (ImportError, ValueError):
        return "", ()
    return ("", ()) if code is None else (sha256(_text(code).encode()).hexdigest(), tuple(_imported(code)))


def _imported(code: CodeType) -> Iterator[str]:
    """Yield the names of modules that a module imports at its top level, and `MODULE.NAME` for each name from one."""
    argument, listed = 0, tuple[Any, ...]()
    for place in range(0, len(code.co_code), 2):
        operation, argument = code.co_code[place], argument << 8 | code.co_code[place + 1]
        if operation == _EXTENDED:
            continue
        if operation == _IMPORT:
            name = code.co_names[argument]
            yield name
            yield from (f"{name}.{one}" for one in listed if isinstance(one, str))
        constant = code.co_consts[argument] if operation == opmap["LOAD_CONST"] else None
        listed, argument = constant if isinstance(constant, tuple) else (), 0


def _text(code: CodeType) -> str:
    """Return what bytecode does as a text. Strings with spaces, such as docstrings, cannot matter to a kernel."""
    constants = ", ".join(map(_constant, code.co_consts))
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} [{constants}]"


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return _text(value)
    if isinstance(value, (tuple, frozenset)):
        parts = map(_constant, value)
        return f"({', '.join(sorted(parts) if isinstance(value, frozenset) else parts)})"
    return "" if isinstance(value, str) and " " in value else repr(value)
