"""Rulesets by the names that people write: identifiers, titles and synonyms, in English and in either Chinese script.

Case, spaces, `_`, `-`, commas and brackets make no difference. A name is looked for as it is, and then with its digits read as
Chinese numerals, so `7鬼523` is 七鬼五二三. Titles are the catalogue's `game`, synonyms its `game_synonyms`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import quoted
from big2_env.language.words import catalogue

MAX_NAME: Final = 100
"""Most characters that the name of a ruleset may have."""
NEAREST: Final = 3
"""How many names are suggested for one that is unknown."""
ALIKE: Final = 0.65
"""How much a suggested name has to be like the one that is unknown, from 0 to 1."""
_NUMERALS: Final = str.maketrans("0123456789", "〇一二三四五六七八九")
_IGNORED: Final = re.compile(r"[\s_\-(),]+")


def folded(name: str) -> str:
    """A name without what makes no difference.

    >>> folded("Dou_Dizhu"), folded("竞技二打一（扑克）")
    ('doudizhu', '竞技二打一扑克')
    """
    return _IGNORED.sub("", unicodedata.normalize("NFKC", name).casefold())


def find(name: str, rulesets: Mapping[str, RuleSet]) -> RuleSet | None:
    """The ruleset that a name stands for, `None` if it stands for none. Its own identifier comes before all other names.

    >>> from big2_env.climbing.rulesets import available_rulesets
    >>> rules = find("7鬼523", available_rulesets())
    >>> rules.name
    'qi_gui_523'
    """
    if name in rulesets:
        return rulesets[name]
    if len(name) > MAX_NAME:
        return None
    names, asked = _names(rulesets), folded(name)
    found = names.get(asked) or names.get(asked.translate(_NUMERALS))
    return None if found is None else rulesets[found]


def unknown(name: str, rulesets: Mapping[str, RuleSet], more: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """The error text for a name that stands for no ruleset: the nearest names if there are any, else all that are expected.

    Args:
        name: what was given.
        rulesets: the rulesets by their identifiers.
        more: further names that would do.
        others: what else would do and is no name.
    """
    names = _names(rulesets) | {folded(one): one for one in more}
    asked = folded(name[:MAX_NAME])
    close = [one for form in (asked, asked.translate(_NUMERALS)) for one in get_close_matches(form, names, NEAREST, ALIKE)]
    if nearest := list(dict.fromkeys(names[one] for one in close))[:NEAREST]:
        return f"unknown ruleset {quoted(name)}; did you mean {_listed(nearest)}? (big2 games lists all)"
    return f"unknown ruleset {quoted(name)}; expected {_listed([*rulesets, *more, *others])}"


def _listed(names: Sequence[str]) -> str:
    """Names with commas between, and `or` before the last."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _names(rulesets: Mapping[str, RuleSet]) -> dict[str, str]:
    """The identifiers by every folded name. Of a shared name, identifiers win over titles, and titles over synonyms."""
    found: dict[str, str] = {}
    titles = [(name, [rules.zh, *catalogue().get(f"game.{name}", {}).values()]) for name, rules in rulesets.items()]
    synonyms = [(name, catalogue().get(f"game_synonyms.{name}", {}).values()) for name in rulesets]
    for name, called in [
        *((name, [name]) for name in rulesets),
        *titles,
        *((name, [one for text in texts for one in text.split(",")]) for name, texts in synonyms),
    ]:
        for one in called:
            found.setdefault(folded(one), name)
    return found
