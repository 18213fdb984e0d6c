"""Protocol of a language model: the options in the agent's name, the prompts, and a hash that identifies both.

The hash covers everything that decides a request: the system prompt, the answers to faults, the options, and the text of a
sample position. It changes if any of these does. Results with different hashes are not comparable.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, Literal, TypeAlias

from big2_agents.language_model.faults import CUT_OFF, WITHHELD, IllegalPolicy, Unfinished
from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.json_values import parse_object
from big2_env.base.language import Language, words
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.climbing.view import View
from big2_env.text.answers import Ambiguous, Illegal, Played, Refused, Unreadable, fault_text
from big2_env.text.names import example_cards
from big2_env.text.observation import observation

Messages: TypeAlias = list[dict[str, str]]
"""Messages of a conversation, as the endpoint takes them."""

MAX_TOKENS: Final = 32_000
"""Most tokens of an answer, reasoning included."""
_ANSWER: Final = "<answer>{}</answer>"
_CARD: Final = re.compile(r"([CDHS])\[(10|[2-9JQKA])\]")
_OPTION: Final = re.compile(
    r"legal|no-rules|history=(?:full|trick)|language=[\w-]+|temperature=[0-9.]+|tokens=[0-9]{1,6}|effort=[a-z]{1,20}"
    r"|timeout=[0-9.]{1,8}|extra={.{,2000}}"
)
_OWN: Final = ("messages", "model", "n", "stream", "max_tokens", "max_completion_tokens")
"""Keys of a request that `extra` may not set."""


@dataclass(frozen=True)
class Options:
    """Options of a language model, which follow its name: `llm:MODEL,legal,temperature=0`.

    Args:
        model: Name of the model, as the endpoint knows it.
        legal: True to list the legal moves in each prompt.
        rules: True to begin each prompt with the rules of the game.
        history: Moves in the prompt: `full`, or `trick` for the current trick only.
        language: Language of the prompt.
        temperature: Temperature of the request; None for the endpoint's default.
        tokens: Most tokens of an answer.
        effort: Effort of reasoning, as the endpoint names it; empty for its default.
        timeout: Seconds per call; None for the setting of the run.
        extra: More keys of the request, a JSON object as text; empty for none.
    """

    model: str
    legal: bool = False
    rules: bool = True
    history: str = "full"
    language: str = "en"
    temperature: float | None = None
    tokens: int = MAX_TOKENS
    effort: str = ""
    timeout: float | None = None
    extra: str = ""

    @classmethod
    def parse(cls, argument: str) -> Options:
        """Return the options of an agent's argument.

        Args:
            argument: Text after `llm:`.

        Raises:
            ConfigError: The model is missing, or an option is unknown or out of range.

        >>> Options.parse("qwen3:8b,legal").legal
        True
        """
        model, *given = _split(argument)
        if not model.strip() or model != model.strip():
            raise ConfigError(f"expected the name of a model, llm:MODEL, got {quoted(f'llm:{argument}')}")
        values: dict[str, Any] = {}
        for text in given:
            name, _, value = text.partition("=")
            if not _OPTION.fullmatch(text) or name in values:
                raise ConfigError(
                    f"llm:{model}: expected options legal, no-rules, history=trick, language=TAG, temperature=T, tokens=N, "
                    f"effort=WORD, timeout=SECONDS and extra={{...}}, each once, got {quoted(text)}"
                )
            values[name] = value
        try:
            language = Language(values.get("language", "en")).value
            temperature, timeout = (float(values[name]) if name in values else None for name in ("temperature", "timeout"))
            extra = values.get("extra", "")
            if wrong := [key for key in parse_object(extra or "{}") if key in _OWN]:
                raise ConfigError(f"extra: {wrong[0]} is set by the agent itself")
        except (ValueError, ConfigError, NotationError) as error:
            raise ConfigError(f"llm:{model}: {error}") from None
        if timeout is not None and not 0 < timeout <= 3600:
            raise ConfigError(f"llm:{model}: expected a timeout from 0 to 3600 seconds, got {timeout:g}")
        tokens = int(values.get("tokens", MAX_TOKENS))
        if tokens < 1 or (temperature is not None and not (math.isfinite(temperature) and temperature <= 2)):
            raise ConfigError(f"llm:{model}: expected temperature from 0 to 2 and tokens of at least 1")
        return cls(
            model,
            "legal" in values,
            "no-rules" not in values,
            values.get("history", "full"),
            language,
            temperature,
            tokens,
            values.get("effort", ""),
            timeout,
            extra,
        )

    def request(self, messages: Messages) -> dict[str, Any]:
        """Return the request for the next answer of a conversation."""
        request: dict[str, Any] = {"model": self.model, "messages": messages, "max_tokens": self.tokens}
        if self.temperature is not None:
            request["temperature"] = self.temperature
        if self.effort:
            request["reasoning_effort"] = self.effort
        if self.timeout is not None:
            request["timeout"] = self.timeout
        if self.extra:
            request["extra_body"] = parse_object(self.extra)
        return request

    def prompt(self, view: View) -> str:
        """Return the description of a position.

        Args:
            view: View of the seat that is asked.
        """
        history: Literal["full", "trick"] = "trick" if self.history == "trick" else "full"
        return _short(observation(view, self.language, legal=self.legal, history=history, rules=self.rules))

    def conversation(self, view: View) -> Messages:
        """Return the conversation that asks for a move.

        Args:
            view: View of the seat that is asked.
        """
        content = system(view.ruleset, Language(self.language))
        return [{"role": "system", "content": content}, {"role": "user", "content": self.prompt(view)}]


def _split(argument: str) -> list[str]:
    """Return the model and the options of an argument. The value of `extra`, which is JSON, may contain commas."""
    found, depth = [""], 0
    for character in argument:
        depth += (character == "{") - (character == "}")
        if character == "," and depth <= 0:
            found.append("")
        else:
            found[-1] += character
    return found


def system(ruleset: RuleSet, language: Language = Language.EN) -> str:
    """Return the system prompt, with cards as the game writes them."""
    tr = words(language)
    return tr("observation.task", cards=_ANSWER.format(example_cards(ruleset)), skip=_ANSWER.format("pass"))


SYSTEM: Final = system(BIG2)
"""System prompt in English of games with the standard names of cards."""


def _short(text: str) -> str:
    """Return a text with cards as answers write them, `3H` for `H[3]`."""
    return _CARD.sub(r"\2\1", text)


def complaint(verdict: Refused | Unfinished, language: Language = Language.EN) -> str:
    """Return the message to a model whose answer was refused. Each fault has a message of its own."""
    if isinstance(verdict, Unfinished):
        return words(language)(f"observation.retry_{verdict.name}", answer=_ANSWER.format("MOVE"))
    text = fault_text(verdict, words(language), "retry", answer=_ANSWER.format("MOVE"))
    return text if isinstance(verdict, Unreadable) else _short(text)


def corrected(messages: Messages, answer: str, text: str) -> Messages:
    """Return a conversation with a refused answer and the message about it. An empty answer is left out, with its turn."""
    if answer.strip():
        return [*messages, {"role": "assistant", "content": answer}, {"role": "user", "content": text}]
    return [*messages[:-1], {"role": "user", "content": f"{messages[-1]['content']}\n\n{text}"}]


def verdict_text(verdict: Played[Any] | Illegal | Unreadable | Ambiguous | Unfinished) -> str:
    """Return how an answer was read, in one line.

    Args:
        verdict: Result of `read_answer`.
    """
    match verdict:
        case Played(play):
            return f"played {play}"
        case Illegal(reason):
            return f"illegal: {reason}"
        case Unreadable(expected):
            return f"unreadable: expected {expected}"
        case Ambiguous(readings):
            return f"ambiguous: {', '.join(readings)}"
        case Unfinished(name):
            return name.replace("_", " ")


@lru_cache(maxsize=64)
def protocol_hash(options: Options, policy: IllegalPolicy) -> str:
    """Return the hash of a protocol.

    Args:
        options: Options of the model.
        policy: Action after a refused answer.
    """
    language = Language(options.language)
    refused = Illegal("{reason}"), Unreadable("{expected}"), Ambiguous(("{readings}",)), CUT_OFF, WITHHELD
    faults = [complaint(verdict, language) for verdict in refused]
    sample = options.conversation(Game.deal(BIG2, 7).view())
    return digest([*faults, asdict(options), asdict(policy), sample])[:12]


def digest(values: Sequence[Any]) -> str:
    """Return a hash of JSON values, as 32 hexadecimal digits."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return blake2b(text.encode(), digest_size=16).hexdigest()
