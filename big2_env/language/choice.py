"""Which language a person reads."""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from typing import Final

from big2_env.errors import ConfigError, quoted
from big2_env.named import Named

VARIABLE: Final = "BIG2_LANG"
"""The environment variable that names the language where no option does."""


class Language(Named):
    """A language, by its BCP 47 tag."""

    EN = "en"
    HANT = "zh-Hant"
    """Chinese in traditional characters."""
    HANS = "zh-Hans"
    """Chinese in simplified characters."""


_TRADITIONAL: Final = ("hant", "tw", "hk", "mo")
"""The scripts and regions that write traditional characters."""


def language(given: str | None = None, environ: Mapping[str, str] | None = None) -> Language:
    """The language asked for by an option, else by `BIG2_LANG`, else by the locale, else English.

    Args:
        given: what the option says: `en`, `zh-Hant` or `zh-Hans`, in any case.
        environ: the environment; by default the process's own.

    Raises:
        ConfigError: an option or a `BIG2_LANG` that names none of the three.

    >>> language("zh-hant"), language(None, {"BIG2_LANG": "en"}), language(None, {"LANG": "zh_CN.UTF-8"})
    (Language.HANT, Language.EN, Language.HANS)
    """
    variables = os.environ if environ is None else environ
    asked = given or variables.get(VARIABLE)
    if asked:
        for one in Language:
            if one.value.lower() == asked.lower():
                return one
        place = "--lang" if given else VARIABLE
        raise ConfigError(f"{place}: expected {', '.join(one.value for one in Language)}, got {quoted(asked)}")
    return of_locale(_locale(variables, environ is None))


def of_locale(tag: str) -> Language:
    """The language of a locale such as `zh_TW.UTF-8`; English for all but Chinese ones.

    >>> of_locale("zh_TW.UTF-8"), of_locale("zh"), of_locale("de_DE"), of_locale("C")
    (Language.HANT, Language.HANS, Language.EN, Language.EN)
    """
    first, *rest = tag.lower().replace("-", "_").partition(".")[0].split("_")
    if first not in ("zh", "chinese"):
        return Language.EN
    return Language.HANT if any(part in _TRADITIONAL for part in rest) else Language.HANS


def _locale(variables: Mapping[str, str], ask_system: bool) -> str:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if variables.get(name):
            return variables[name]
    return (locale.getlocale()[0] or "") if ask_system else ""
