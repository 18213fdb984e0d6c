"""Work that compiles nothing, and says that it does."""

from __future__ import annotations

from big2_env.base.compile_note import NOTE


def announce(number: int) -> int:
    """Announce a compilation in a worker."""
    NOTE.announce()
    return number
