"""The unit of a ruleset's payoffs, by which losses get their marks: measured already for the games that are shipped."""

from __future__ import annotations

from typing import Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets

MEASURED: Final = {
    ("big2", 2): 1.0,
    ("big2", 3): 0.7071067811865476,
    ("big2", 4): 0.577350269189626,
    ("hong_kong", 2): 6.4368729468068056,
    ("hong_kong", 3): 9.004011451693197,
    ("hong_kong", 4): 10.685660173023159,
    ("chu_da_di", 2): 16.042651484921894,
    ("chu_da_di", 3): 20.29039181484675,
    ("chu_da_di", 4): 27.799430449801186,
    ("tien_len", 4): 10.52061468419661,
    ("pao_de_kuai", 3): 14.721111069179225,
    ("dou_dizhu", 3): 3.6742346141747673,
    ("wu_gua_pi", 2): 1.0,
    ("wu_gua_pi", 3): 1.4142135623730951,
    ("wu_gua_pi", 4): 1.7320508075688772,
    ("wu_gua_pi", 5): 2.0,
    ("wu_gua_pi", 6): 2.23606797749979,
    ("wu_gua_pi", 7): 2.449489742783178,
    ("wu_gua_pi", 8): 2.6457513110645907,
    ("wu_gua_pi", 9): 2.8284271247461903,
    ("wu_gua_pi", 10): 3.0,
    ("three_two_one", 4): 3.8133537295491835,
    ("qi_gui_521", 2): 1.0,
    ("qi_gui_521", 3): 1.4142135623730951,
    ("qi_gui_521", 4): 1.7320508075688772,
    ("qi_gui_521", 5): 2.0,
    ("qi_gui_521", 6): 2.23606797749979,
    ("qi_gui_521", 7): 2.449489742783178,
    ("qi_gui_523", 2): 1.0,
    ("qi_gui_523", 3): 1.4142135623730951,
    ("qi_gui_523", 4): 1.7320508075688772,
    ("qi_gui_523", 5): 2.0,
    ("qi_gui_523", 6): 2.23606797749979,
    ("qi_gui_523", 7): 2.449489742783178,
    ("dou_dizhu_x", 3): 3.6742346141747673,
    ("dou_dizhu_4p", 4): 5.433691194758863,
}
"""By ruleset and number of players: what `prospects.measured_unit` finds, which a test holds. Measuring compiles play-outs."""


def payoff_unit(ruleset: RuleSet, num_players: int) -> float:
    """What a game is about: the standard deviation of what a seat is paid, in games of rule players from many deals.

    Raises:
        ConfigError: a ruleset that is not shipped and cannot be compiled.
    """
    known = MEASURED.get((ruleset.name, num_players))
    if known is not None and available_rulesets().get(ruleset.name) == ruleset:
        return known
    from big2_agents.review.prospects import measured_unit  # compiles play-outs

    return measured_unit(ruleset, num_players)
