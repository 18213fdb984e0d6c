"""Sums of checked games by ruleset, in a results file that a stopped run continues."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import shown, text_at, whole_at
from big2_env.runs.resumable import opened


class Sums(Protocol):
    """A named tuple of whole numbers and floats, of which the line of a file has the fields as keys."""

    def plus(self, other: Self) -> Self:
        """Return the sum of both."""

    def _asdict(self) -> dict[str, Any]: ...


S = TypeVar("S", bound=Sums)


@contextmanager
def sums_by_ruleset(
    out: Path | None, header: dict[str, Any], nothing: S, *, resume: bool = False
) -> Iterator[tuple[Mapping[str, S], Callable[[str, S], None]]]:
    """Yield the sums so far by ruleset, and a function that adds some and writes their line.

    Args:
        out: Results file; `None` keeps nothing.
        header: `kind`, and the settings that decide the run.
        nothing: Sums of no games.
        resume: True to continue an existing file.

    Raises:
        ConfigError: An existing file is asked for, but none is named.
        ConfigError, NotationError, OSError: As of `runs.resumable.opened`.
    """
    if resume and out is None:
        raise ConfigError("--resume needs --out, the file of an earlier run")
    done: defaultdict[str, S] = defaultdict(lambda: nothing)

    def take(data: dict[str, Any]) -> None:
        numbers = {name: _number_at(data, name, type(value)) for name, value in nothing._asdict().items()}
        name = text_at(data, "ruleset")
        done[name] = done[name].plus(type(nothing)(**numbers))

    with opened(out, header, take, max_line=1 << 12, resume=resume) as write:

        def add(name: str, found: S) -> None:
            line = {"ruleset": name, **found._asdict()}
            write(line)
            take(line)

        yield done, add


def _number_at(data: dict[str, Any], name: str, kind: type) -> float:
    if kind is int:
        return whole_at(data, name)
    value = data.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0:
        raise NotationError(f"{name}: expected a number of at least 0, got {shown(value)}")
    return float(value)
