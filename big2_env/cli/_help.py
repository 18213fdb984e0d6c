"""Help of verbs, in the language of the user.

The Chinese texts are in `big2_env/base/language/help/*.toml`, by the English text: a paragraph of a docstring, the help of an
option, a default in words, or the title of a panel. They are read only for help in Chinese. Texts of other
packages stay English.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import ModuleType
from typing import Any, Final, TypeAlias

Texts: TypeAlias = Mapping[str, str]
"""Texts of a language by the English ones."""

EXAMPLES: Final = "Examples:"
"""First line of a paragraph of examples, which are commands and not translated."""
FIXED: Final = (
    "ARGUMENTS_PANEL_TITLE",
    "COMMANDS_PANEL_TITLE",
    "DEFAULT_STRING",
    "OPTIONS_PANEL_TITLE",
    "REQUIRED_LONG_STRING",
)
"""Words that typer's renderer adds, by their names in `typer.rich_utils`."""
_OPEN, _SHUT, _HAN = "（「“", "，。：；、）」”？！", "\u3400-\u9fff"
BREAKABLE: Final = re.compile(rf"\s*(?:[{_OPEN}]*(?:[{_HAN}]|[^\s{_HAN}{_OPEN}{_SHUT}]+)[{_SHUT}]*[)\]]*|[{_OPEN}{_SHUT}]+)\s*")
"""Unbreakable piece of a line: a Chinese character or a word, with its punctuation and the spaces around it."""


@cache
def catalogue() -> tuple[dict[str, str], ...]:
    """Return all texts of the help; each has a text per language tag."""
    import tomllib
    from importlib.resources import files

    found = sorted((files("big2_env.base.language") / "help").iterdir(), key=lambda file: file.name)
    return tuple(text for file in found for text in tomllib.loads(file.read_text(encoding="utf-8"))["text"])


def texts(lang: str | None) -> Texts:
    """Return the texts of a language; empty for English, and for a language that does not exist.

    Args:
        lang: Value of `--lang`, `None` for the user's language.
    """
    from big2_env.base.errors import ConfigError
    from big2_env.base.language import Language, language

    try:
        chosen = language(lang)
    except ConfigError:  # the verb reports it; help is in English
        chosen = Language.EN
    return {} if chosen is Language.EN else {text["en"]: text[chosen.value] for text in catalogue()}


def asked(args: Sequence[str]) -> str | None:
    """Return the last value of `--lang` in a command line, which may come after `--help`; `None` if there is none."""
    found = None
    for word, following in zip(args, [*args, None][1:], strict=True):
        if word == "--lang":
            found = following
        elif word.startswith("--lang="):
            found = word.removeprefix("--lang=")
    return found


def only_help(args: Sequence[str]) -> bool:
    """Return whether a command line asks for help in a language, and for nothing else."""
    words = re.sub(r"--lang(?:=| |$)\S*", "", " ".join(args)).split()
    return words in ([], ["--help"]) and any(word.startswith("--lang") for word in args)


def paragraphs(docstring: str) -> list[str]:
    """Return the paragraphs of a docstring; those without indented lines in one line."""
    found = re.split(r"\n\s*\n", cleandoc(docstring))
    return [text if "\n " in text else " ".join(text.split()) for text in found]


def for_typer(docstring: str | None) -> str:
    """Return a docstring as help for typer: paragraphs with indented lines keep their lines, brackets are not markup."""
    # \b at the start of a line asks typer to leave it as it is, and is not printed.
    kept = (re.sub("(?m)^", "\b", text) if "\n" in text else text for text in paragraphs(docstring or ""))
    return "\n\n".join(kept).replace("[", "\\[")


def translated(help_text: str, known: Texts) -> str:
    """Return help for typer in another language.

    Args:
        help_text: Result of `for_typer`.
        known: Texts of the language.
    """
    found = paragraphs(help_text.replace("\b", "").replace("\\[", "["))
    return for_typer("\n\n".join(known.get(text) or _with_heading(text, known) for text in found))


def _with_heading(text: str, known: Texts) -> str:
    """Return a paragraph of examples with its first line in another language, and any other paragraph as it is."""
    return text.replace(EXAMPLES, known[EXAMPLES], 1) if text.startswith(EXAMPLES) else text


def line_breaks(text: str, width: int, fold: bool = True) -> list[int]:
    """Return the positions of line breaks in a text. The function of rich that it replaces breaks at spaces only.

    Args:
        text: Text without line breaks.
        width: Cells of a line.
        fold: Ignored; words that are longer than a line are always broken.
    """
    from rich.cells import cell_len, chop_cells

    found, used = [], 0
    for match in BREAKABLE.finditer(text):
        start = match.start()
        for part in chop_cells(match[0], max(width, 2)):
            if used and used + cell_len(part) > width:
                found.append(start)
                used = 0
            used += cell_len(part)
            start += len(part)
    return found


class _Later(type):
    """Stand-in for a class of the same name in `module`, which is imported when the class is used."""

    module: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(cls.module), cls.__name__)(*args, **kwargs)

    def __getattr__(cls, name: str) -> Any:
        return getattr(getattr(import_module(cls.module), cls.__name__), name)


def load_renderer() -> None:
    """Import typer's renderer of help without rich's Markdown and tracebacks, which take a third of the time of help.

    The renderer imports both and uses neither, because our help is in rich's own markup and typer's tracebacks are off.
    """
    if "typer.rich_utils" in sys.modules:
        return
    left_out = [name for name in ("Markdown", "Traceback") if f"rich.{name.lower()}" not in sys.modules]
    for name in left_out:
        module = ModuleType(f"rich.{name.lower()}")
        setattr(module, name, _Later(name, (), {"module": module.__name__}))
        sys.modules[module.__name__] = module
    try:
        import_module("typer.rich_utils")
    except ImportError:  # another version of typer needs more of them, and imports them below
        sys.modules.pop("typer.rich_utils", None)
    finally:
        for name in left_out:
            del sys.modules[f"rich.{name.lower()}"]


@contextmanager
def in_language(command: Any, ctx: Any, lang: str | None) -> Iterator[None]:
    """Let a command show its help in a language; English changes nothing.

    Args:
        command: Command or group, which is changed.
        ctx: Its context.
        lang: Value of `--lang`, `None` for the user's language.
    """
    load_renderer()
    known = texts(lang)
    if not known:
        yield
        return

    from rich import text as rich_text
    from typer import rich_utils

    _translate(command, ctx, known)
    words = {name: known.get(text := getattr(rich_utils, name), text) for name in FIXED}
    with _replaced(rich_utils, words), _replaced(rich_text, {"divide_line": line_breaks}):
        yield


@contextmanager
def _replaced(module: ModuleType, values: Mapping[str, object]) -> Iterator[None]:
    """Replace values of a module for a while."""
    before = {name: getattr(module, name) for name in values}
    vars(module).update(values)
    try:
        yield
    finally:
        vars(module).update(before)


def _translate(command: Any, ctx: Any, known: Texts) -> None:
    """Translate a command, its parameters, and the verbs that it lists."""
    command.help = translated(command.help or "", known)
    for parameter in command.get_params(ctx):
        for part in ("help", "rich_help_panel", "show_default"):
            if isinstance(text := getattr(parameter, part, None), str):
                setattr(parameter, part, known.get(text, text))
    usage = command.get_usage(ctx).replace("Usage:", known["Usage:"], 1)
    command.get_usage = lambda ctx: usage
    if names := getattr(command, "list_commands", None):
        verbs = {name: command.get_command(ctx, name) for name in names(ctx)}
        for verb in verbs.values():
            verb.help = translated(verb.help or "", known)
        command.get_command = lambda ctx, name: verbs[name]
