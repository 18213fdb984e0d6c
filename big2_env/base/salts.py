"""Salts: numbers that give agents other random choices in every game.

An agent's seed is a hash of what its seat knows (`big2_env.agents.seeds`). Without a salt an agent that draws would therefore
play one pure strategy: the same move whenever a seat knows the same. Wherever a seed seeds many games, as in environments,
training and data sets, each game has a salt of its own.

An agent can compute the salt from its seed and its hand, because no function of `big2_env.base.rng` is one-way. Salts
therefore come from a stream apart from the deals, whose first state is a one-way hash of the seed. A seed that is small enough
to be guessed can still be found by trying: an agent could hash, or deal, all of them. If that matters, use random seeds
(`rng.drawn_seed`).
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from big2_env.base.errors import ConfigError, quoted
from big2_env.base.rng import SplitMix64, drawn_seed

MAX_SALT: Final = 2**63 - 1


def checked_salt(salt: int) -> int:
    """Return a salt for players' random numbers after checking it.

    Raises:
        ConfigError: The salt is not an integer from 0 to 2**63 - 1.
    """
    if isinstance(salt, bool) or not isinstance(salt, int) or not 0 <= salt <= MAX_SALT:
        raise ConfigError(f"expected an agent_seed of 0 to 2**63 - 1, got {quoted(repr(salt))}")
    return salt


class Salts:
    """Stream of salts of an environment, one per game.

    Args:
        agent_seed: Number that gives other salts for the same seeds, 0 to 2**63 - 1; `None` for none.

    Raises:
        ConfigError: If `agent_seed` is something else.

    >>> salts = Salts()
    >>> salts.begin(7)
    >>> salts.next() == salts.next(), salts.first(7) == Salts(agent_seed=1).first(7)
    (False, False)
    """

    def __init__(self, agent_seed: int | None = None) -> None:
        self._suffix = "" if agent_seed is None else f" {checked_salt(agent_seed)}"
        self._seed: int | None = None
        self._stream: SplitMix64 | None = None
        self._ahead = self._now = 0

    def first(self, seed: int) -> int:
        """Return the first state of the stream of a seed, 64 bits. It is the salt of a game that has a seed of its own."""
        digest = blake2b(f"{seed}{self._suffix}".encode(), digest_size=8, person=b"big2_env salt").digest()
        return int.from_bytes(digest, "little")

    def begin(self, seed: int | None) -> None:
        """Restart the stream with a seed; `None` continues it, or starts it with a seed from the operating system."""
        if seed is not None or self._seed is None:
            self._seed, self._stream, self._ahead = drawn_seed() if seed is None else seed, None, 0

    def advance(self) -> None:
        """Go on to the next game. Call `begin` first."""
        self._ahead += 1

    @property
    def now(self) -> int:
        """Salt of the current game, computed when it is asked for: hashing the seed takes as long as two moves."""
        if self._stream is None:
            assert self._seed is not None
            self._stream = SplitMix64(self.first(self._seed))
        while self._ahead:
            self._now = self._stream.next()
            self._ahead -= 1
        return self._now

    def next(self) -> int:
        """Return the salt of the next game. Call `begin` first."""
        self.advance()
        return self.now
