"""Questions as prompts, and who answers them: language models, and baselines without one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final, TypeAlias

from big2_agents.comprehension.items import LETTERS, Item, items
from big2_agents.comprehension.reasons import verdict
from big2_agents.language_model.asking import asking
from big2_agents.language_model.protocol import Options, digest
from big2_agents.language_model.settings import Settings
from big2_env.errors import ConfigError, quoted
from big2_env.language import Language, as_language
from big2_env.rng import SplitMix64
from big2_env.text.marked import MAX_TEXT, stated
from big2_env.text.names import cards_text, words_of
from big2_env.text.observation import observation

Answerer: TypeAlias = Callable[[int, Item], str | None]
"""Function from the number of a question and the question to a letter, None for an answer without one."""
MODEL: Final = "llm:"
SYSTEM: Final = (
    "You judge moves of a card game. The message has the rules, a position as one seat sees it, a proposed move of this seat, "
    "and five statements, of which exactly one is true. Think as long as you need, then state the letter of the true statement "
    "on the last line, as <answer>LETTER</answer>."
)
"""System prompt."""
_LETTER: Final = re.compile(
    rf"(?:(?:the )?(?:option|answer|statement|letter)(?: is)?:? |選項 ?|选项 ?)?\(?([{LETTERS}])\)?(?:[).:：、].*)?",
    re.IGNORECASE | re.DOTALL,
)


def prompt(item: Item, language: Language, *, rules: bool = True) -> str:
    """Return a question as text: rules, position, move and statements.

    Args:
        item: The question.
        language: Language of the text.
        rules: True for the whole rules instead of the order of cards and patterns.
    """
    view = item.view
    tr = words_of(view.ruleset, language)
    move = cards_text(view.ruleset, item.cards) or tr("cards.pass")
    texts = [tr(f"comprehension.{'legal' if option is None else option.value}") for option in item.options]
    return "\n".join(
        [
            observation(view, language, rules=rules),
            "",
            tr("comprehension.move", seat=view.seat, move=move),
            tr("comprehension.question"),
            *(tr("comprehension.option", letter=letter, text=text) for letter, text in zip(LETTERS, texts, strict=True)),
        ]
    )


def read_letter(text: str) -> str | None:
    r"""Return the letter that an answer states, or None.

    Args:
        text: The answer, with or without reasoning.

    >>> read_letter("Pairs need equal ranks.\n<answer>b</answer>"), read_letter("**C) Not legal: ...**"), read_letter("Bo")
    ('b', 'c', None)
    """
    if len(text) > MAX_TEXT:
        return None
    for move in stated(text).moves:
        if (found := _LETTER.fullmatch(move)) is not None:
            return found[1].lower()
    return None


def _oracle(number: int, item: Item) -> str:
    """Answer by the engine."""
    return LETTERS[item.options.index(verdict(item.view, item.cards))]


def _always_legal(number: int, item: Item) -> str:
    """Answer that the move is legal."""
    return LETTERS[item.options.index(None)]


def _random(number: int, item: Item) -> str:
    """Answer at random."""
    return LETTERS[SplitMix64(number).below(len(item.options))]


BASELINES: Final[dict[str, Answerer]] = {"oracle": _oracle, "always-legal": _always_legal, "random": _random}
"""Answerers without a language model."""


def _options(argument: str) -> Options:
    """Return the options of a language model.

    Raises:
        ConfigError: An option is invalid, or lists legal moves.
    """
    options = Options.parse(argument)
    if options.legal or options.history != "full":
        raise ConfigError(f"{MODEL}{argument}: legal and history= are not options of --comprehension")
    return options


class ModelAnswerer:
    """Asks a language model.

    Args:
        argument: Name of the model and options, as in `llm:MODEL,language=zh-Hans`.

    Raises:
        ConfigError: An option or setting is invalid.
        ImportError: The client is not installed.
    """

    def __init__(self, argument: str) -> None:
        self._options = _options(argument)
        self._asking = asking(Settings.of_environment())

    def __call__(self, number: int, item: Item) -> str | None:
        """Return the letter that the model states."""
        text = prompt(item, as_language(self._options.language), rules=self._options.rules)
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
        return read_letter(self._asking.reply(self._options.request(messages), number).answer)


def answerer(agent: str) -> Answerer:
    """Return the answerer with a given name.

    Args:
        agent: `llm:MODEL` with options, or one of `BASELINES`.

    Raises:
        ConfigError: The name is unknown, or an option or setting of the model is invalid.
        ImportError: The client is not installed.
    """
    language_of(agent)
    return ModelAnswerer(agent.removeprefix(MODEL)) if agent.startswith(MODEL) else BASELINES[agent]


@lru_cache(maxsize=16)
def protocol(agent: str) -> str:
    """Return the hash of everything that an answer depends on besides the model. Only equal hashes are comparable.

    Args:
        agent: Name of the answerer.
    """
    if not agent.startswith(MODEL):
        return digest([agent])[:12]
    options = Options.parse(agent.removeprefix(MODEL))
    texts = [prompt(item, as_language(options.language), rules=options.rules) for item in items()]
    request = replace(options, model="").request([])
    return digest([SYSTEM, request, texts])[:12]


def language_of(agent: str) -> str:
    """Return the tag of the language in which an agent is asked; empty for a baseline.

    Args:
        agent: Name of the answerer.

    Raises:
        ConfigError: The name is unknown, or an option of the model is invalid.
    """
    if agent.startswith(MODEL):
        return _options(agent.removeprefix(MODEL)).language
    if agent not in BASELINES:
        raise ConfigError(f"--comprehension: expected llm:MODEL, {', '.join(BASELINES)}, got {quoted(agent)}")
    return ""
