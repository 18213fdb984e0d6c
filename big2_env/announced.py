"""What installed packages announce under an entry-point group."""

from __future__ import annotations

from collections.abc import Iterator

from big2_env.errors import ConfigError


def announced(group: str) -> Iterator[tuple[str, object]]:
    """Where each thing of a group comes from, in words, with the thing.

    Raises:
        ConfigError: one that cannot be loaded.
    """
    from importlib.metadata import entry_points  # a sixth of the whole import; most processes never ask

    for entry in entry_points(group=group):
        source = f"entry point {entry.value!r}"
        try:
            yield source, entry.load()
        except (ImportError, AttributeError, ConfigError) as error:
            raise ConfigError(f"{source} of group {group} cannot be loaded: {error}") from error
