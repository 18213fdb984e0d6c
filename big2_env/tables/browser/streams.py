"""Server-sent events: one open answer for each page, which receives every change of the visitor's shared tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Refused

KEEP_ALIVE: Final = 15.0
"""Seconds after which an idle stream sends a comment."""
MAX_OF_VISITOR: Final = 8
"""Most streams of one visitor; beyond that the oldest is closed."""
MAX_OF_ADDRESS: Final = 64
"""Most streams of one client address."""
MAX_STREAMS: Final = 2_000
"""Most streams of the server."""
RETRY: Final = "retry: 1000\n\n"
"""First line of a stream: milliseconds until a client opens a new one if it breaks. The page has times of its own."""


class Stream:
    """One open stream. It stores which tables have changed, not their states, so a slow reader takes no memory.

    Args:
        owner: Digest of the visitor's secret.
        address: Address of the client.
        lang: Language of the texts.
    """

    def __init__(self, owner: str, address: str, lang: Language) -> None:
        self.owner = owner
        """Digest of the visitor's secret."""
        self.address = address
        """Address of the client."""
        self.lang = lang
        """Language of the texts."""
        self.is_closed = False
        """True once the server has closed it."""
        self._changed: dict[str, None] = {}
        self._wake = asyncio.Event()

    def push(self, key: str) -> None:
        """Send the state of a table soon."""
        self._changed[key] = None
        self._wake.set()

    def close(self) -> None:
        """End the stream."""
        self.is_closed = True
        self._wake.set()

    async def events(self, text_of: Callable[[Stream, str], Awaitable[str | None]]) -> AsyncIterator[str]:
        """Yield the parts of the answer.

        Args:
            text_of: Returns the data of a table's event as one line; `None` for no event.
        """
        yield RETRY
        while not self.is_closed:
            try:
                async with asyncio.timeout(KEEP_ALIVE):
                    await self._wake.wait()
            except TimeoutError:
                yield ": keep-alive\n\n"
                continue
            self._wake.clear()
            changed, self._changed = self._changed, {}
            for key in changed:
                if (text := await text_of(self, key)) is not None:
                    yield f"event: table\ndata: {text}\n\n"


class Streams:
    """The open streams of a server."""

    def __init__(self) -> None:
        self._of_visitor: dict[str, dict[Stream, None]] = {}
        self._addresses: dict[str, int] = {}
        self._number = 0

    def of(self, owner: str) -> tuple[Stream, ...]:
        """Return a visitor's streams, oldest first.

        Args:
            owner: Digest of the visitor's secret.
        """
        return tuple(self._of_visitor.get(owner, ()))

    def open(self, owner: str, address: str, lang: Language) -> Stream:
        """Return a new stream. The visitor's oldest one is closed if there are too many.

        Args:
            owner: Digest of the visitor's secret.
            address: Address by which the client is counted, see `counted_address`.
            lang: Language of the texts.

        Raises:
            Refused: The client address or the server has too many streams (429).
        """
        own = self.of(owner)
        surplus = own[: max(0, len(own) - MAX_OF_VISITOR + 1)]
        others = self._addresses.get(address, 0) - sum(stream.address == address for stream in surplus)
        if self._number - len(surplus) >= MAX_STREAMS or others >= MAX_OF_ADDRESS:
            raise Refused(429, "too_many_streams", words(lang)("web.error_busy"))
        for stream in surplus:
            stream.close()
            self.leave(stream)
        stream = Stream(owner, address, lang)
        self._of_visitor.setdefault(owner, {})[stream] = None
        self._addresses[address] = self._addresses.get(address, 0) + 1
        self._number += 1
        return stream

    def leave(self, stream: Stream) -> None:
        """Forget a stream."""
        own = self._of_visitor.get(stream.owner, {})
        if stream not in own:
            return
        del own[stream]
        if not own:
            del self._of_visitor[stream.owner]
        self._number -= 1
        self._addresses[stream.address] -= 1
        if not self._addresses[stream.address]:
            del self._addresses[stream.address]
