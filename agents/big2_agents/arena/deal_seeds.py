"""The seeds of a run's deals: counted from a number that the user chose, or drawn so that no agent can predict one.

A drawn run is named by a text such as `drawn:1234`, which repeats it. Each deal's seed is a hash of that number and the deal's.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final, TypeAlias

from big2_env.errors import ConfigError, quoted
from big2_env.rng import drawn_seed

RunSeed: TypeAlias = int | str
"""An integer, from which the deals' seeds count up, or `drawn:` and an integer."""
_DRAWN: Final = "drawn:"
_FORM: Final = re.compile(r"-?[0-9]{1,20}|drawn:[0-9]{1,20}", re.ASCII)


def drawn_run() -> RunSeed:
    """Draw the seeds of a run."""
    return f"{_DRAWN}{drawn_seed()}"


def run_seed(text: str) -> RunSeed:
    """Read the seed of a run.

    Raises:
        ConfigError: neither an integer nor `drawn:` and an integer.

    >>> run_seed("7"), run_seed("drawn:7")
    (7, 'drawn:7')
    """
    if not _FORM.fullmatch(text):
        raise ConfigError(f"expected a seed as 7 or drawn:7, got {quoted(text)}")
    return text if text.startswith(_DRAWN) else int(text)


def deal_seed(seed: RunSeed, deal: int) -> int:
    """Return the seed by which `Game.deal` deals a run's deal, counted from 0.

    >>> deal_seed(7, 2), deal_seed("drawn:7", 2) != deal_seed("drawn:7", 1) + 1
    (9, True)
    """
    if isinstance(seed, int):
        return seed + deal
    digest = blake2b(f"{seed}/{deal}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
