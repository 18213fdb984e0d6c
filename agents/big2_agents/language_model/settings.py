"""Settings of language models, from environment variables. The options of verbs set these variables.

| variable | content |
| --- | --- |
| `BIG2_LLM_URL` | URL of the endpoint, or `cache` to answer from the cache only; otherwise `OPENAI_BASE_URL`, or OpenAI |
| `OPENAI_API_KEY` | key of the endpoint, if it needs one |
| `BIG2_LLM_ILLEGAL` | `forfeit`, `retry:N`, `lowest` or `random`, see `--illegal` |
| `BIG2_LLM_CACHE` | file with replies (JSON lines) |
| `BIG2_LLM_TRANSCRIPT` | file for a line per answer (JSON lines) |
| `BIG2_LLM_BUDGET` | most calls per run, or `CALLS,TOKENS` |
| `BIG2_LLM_TIMEOUT` | seconds per call, 600 by default |
| `BIG2_LLM_PRICE` | dollars per million tokens of prompts and of answers, `IN,OUT`, for reports |
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from big2_agents.language_model.faults import IllegalPolicy
from big2_env.base.errors import ConfigError, quoted

CACHE_ONLY: Final = "cache"
"""Value of `--llm-url` that answers from the cache and calls no endpoint."""
TIMEOUT: Final = 600.0
"""Seconds per call."""


@dataclass(frozen=True)
class Settings:
    """Settings of all language models of a process.

    Args:
        url: URL of the endpoint; None for the client's default, `CACHE_ONLY` for none.
        key: Key of the endpoint; None without one.
        cache: File with replies.
        transcript: File for the transcript.
        calls: Most calls; None for any number.
        tokens: Most tokens, of prompts and answers; None for any number.
        timeout: Seconds per call.
    """

    url: str | None = None
    key: str | None = field(default=None, repr=False)
    cache: Path | None = None
    transcript: Path | None = None
    calls: int | None = None
    tokens: int | None = None
    timeout: float = TIMEOUT

    @classmethod
    def of_environment(cls) -> Settings:
        """Return the settings in the environment variables.

        Raises:
            ConfigError: A value is malformed, or a file is missing that the settings need.
        """
        url = os.environ.get("BIG2_LLM_URL") or os.environ.get("OPENAI_BASE_URL") or None
        key = os.environ.get("OPENAI_API_KEY") or None
        files = [Path(name) if (name := os.environ.get(f"BIG2_LLM_{what}")) else None for what in ("CACHE", "TRANSCRIPT")]
        if url == CACHE_ONLY and files[0] is None:
            raise ConfigError("endpoint cache: expected --llm-cache or BIG2_LLM_CACHE with the file of replies, got none")
        if url is not None and url != CACHE_ONLY:
            _check_url(url)
        calls, tokens = _budget(os.environ.get("BIG2_LLM_BUDGET") or None)
        timeout = _timeout(os.environ.get("BIG2_LLM_TIMEOUT") or None)
        return cls(url, key, files[0], files[1], calls, tokens, timeout)


def policy_of_environment() -> IllegalPolicy:
    """Return the action after an answer that is not a legal move.

    Raises:
        ConfigError: The value is malformed.
    """
    text = os.environ.get("BIG2_LLM_ILLEGAL")
    return IllegalPolicy.parse(text) if text else IllegalPolicy()


def _check_url(url: str) -> None:
    """Refuse anything but a plain URL. A password is not repeated in the message.

    Raises:
        ConfigError: It is not a URL of HTTP, or contains a user, a query or a fragment.
    """
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
        _ = parts.port
    except ValueError:
        parts, is_plain = None, False
    if parts is not None and "@" in parts.netloc:
        raise ConfigError("endpoint: expected a URL without user and password; put the key into OPENAI_API_KEY")
    if not is_plain or not url.isprintable():
        raise ConfigError(f"endpoint: expected a URL such as http://localhost:8000/v1, or cache, got {quoted(url)}")


def _budget(text: str | None) -> tuple[int | None, int | None]:
    if text is None:
        return None, None
    found = re.fullmatch("([0-9]{1,12})(?:,([0-9]{1,15}))?", text)
    if not found:
        raise ConfigError(f"--llm-budget or BIG2_LLM_BUDGET: expected CALLS or CALLS,TOKENS, got {quoted(text)}")
    return int(found[1]), int(found[2]) if found[2] else None


def _timeout(text: str | None) -> float:
    try:
        seconds = TIMEOUT if text is None else float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 3600:
        raise ConfigError(f"BIG2_LLM_TIMEOUT: expected seconds from 0 to 3600, got {quoted(str(text))}")
    return seconds
