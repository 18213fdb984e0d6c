"""Choice of the language for people."""

from __future__ import annotations

import locale
import os
import re
from collections.abc import Mapping
from typing import Final

from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError, quoted

VARIABLE: Final = "BIG2_LANG"
"""Environment variable with the language, used if no option gives one."""


class Language(Named):
    """A language, by its BCP 47 tag."""

    EN = "en"
    HANT = "zh-Hant"
    """Chinese in traditional characters."""
    HANS = "zh-Hans"
    """Chinese in simplified characters."""


def as_language(given: Language | str) -> Language:
    """Return a language given as a member or by its tag.

    Args:
        given: The language, or its tag in any case.

    Raises:
        ConfigError: The tag names none of the three.

    >>> as_language("zh-hans"), as_language(Language.EN)
    (Language.HANS, Language.EN)
    """
    if isinstance(given, Language):
        return given
    for one in Language:
        if one.value.lower() == str(given).lower():
            return one
    raise ConfigError(f"expected {', '.join(one.value for one in Language)}, got {quoted(str(given))}")


_TRADITIONAL: Final = {"hant", "tw", "hk", "mo", "traditional", "taiwan"}
"""Scripts and regions that use traditional characters, also as Windows names them. A simplified script overrides a region."""


def language(given: str | None = None, environ: Mapping[str, str] | None = None) -> Language:
    """Return the language of an option, else of `BIG2_LANG`, else of the locale, else English.

    Args:
        given: Value of the option: `en`, `zh-Hant` or `zh-Hans`, in any case.
        environ: Environment variables; by default the process's own.

    Raises:
        ConfigError: The option or `BIG2_LANG` names none of the three.

    >>> language("zh-hant"), language(None, {"BIG2_LANG": "en"}), language(None, {"LANG": "zh_CN.UTF-8"})
    (Language.HANT, Language.EN, Language.HANS)
    """
    variables = os.environ if environ is None else environ
    asked = given or variables.get(VARIABLE)
    if asked:
        try:
            return as_language(asked)
        except ConfigError as error:
            raise ConfigError(f"{'--lang' if given else VARIABLE}: {error}") from None
    return of_locale(_locale(variables, environ is None))


def of_locale(tag: str) -> Language:
    """Return the language of a locale such as `zh_TW.UTF-8`; English for all but Chinese ones.

    Args:
        tag: Locale or BCP 47 tag.

    >>> of_locale("zh_TW.UTF-8"), of_locale("zh"), of_locale("zh-Hans-HK"), of_locale("de_DE"), of_locale("C")
    (Language.HANT, Language.HANS, Language.HANS, Language.EN, Language.EN)
    """
    first, *rest = re.split("[^a-z]+", tag.lower())
    if first not in ("zh", "chinese"):
        return Language.EN
    return Language.HANT if _TRADITIONAL.intersection(rest) and not {"hans", "simplified"}.intersection(rest) else Language.HANS


def _locale(variables: Mapping[str, str], ask_system: bool) -> str:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if variables.get(name):
            return variables[name]
    return (locale.getlocale()[0] or "") if ask_system else ""
