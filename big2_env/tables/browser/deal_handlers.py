"""Requests about deals by name: what they are, a table with one, and the comparison with agents after the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session.deals import (
    NamedDeal,
    comparison,
    daily_games,
    named_deal,
    par_text,
    result_of,
    share_lines,
)
from big2_env.tables.session.par import POLICY
from big2_env.text.names import agent_words


def deal_of(game: str, name: str, lang: Language) -> NamedDeal:
    """Return the deal that an address names.

    Raises:
        Refused: The name is not valid (404).
    """
    try:
        return named_deal(game, name)
    except ConfigError as error:
        raise Refused(404, "unknown_deal", words(lang)("deals.refused", reason=str(error))) from None


def info(game: str, name: str, lang: Language) -> dict[str, Any]:
    """Return what a page shows before the deal: the game and the agents.

    Raises:
        Refused: The name is not valid (404).
    """
    deal, tr = deal_of(game, name, lang), words(lang)
    return {
        "game": deal.ruleset.name,
        "name": deal.name,
        "title": tr.game(deal.ruleset.name, deal.ruleset.zh),
        "daily": deal.is_daily and deal.ruleset.name in daily_games(),
        "date": deal.is_daily,
        "opponents": [agent_words(one, tr) for one in deal.opponents],
        "compared": [agent_words(one, tr) for one in deal.compared],
    }


def compare(table: WebTable, owner: str, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the results of agents in the person's seat, one more with each request, and three lines to share.

    Args:
        table: Table whose game is over.
        owner: Digest of the person's secret.
        asked: Message.
        lang: Language of the texts.

    Raises:
        Refused: The game is not over or has no name, or an agent fails (409).
    """
    tr = words(lang)
    with table.guard:
        session = table.expect_over(lang)
        game = session.game.copy()
    if table.linked is None:
        raise Refused(409, "not_named", tr("deals.not_named"))
    try:
        deal = named_deal(session.ruleset.name, table.linked)
        found = comparison(deal)
        found.step()
    except ConfigError as error:
        raise Refused(409, "agent_failed", tr("web.error_agent", reason=str(error))) from None
    own, par = result_of(game, session.seat), found.par
    better = par_text(par, game, session.seat, tr)
    return {
        "version": table.version,
        "done": found.done,
        "of": found.of,
        "par": "" if par is None else tr("deals.par", better=better, count=par.playthroughs, name=agent_words(POLICY, tr)),
        "you": {"payoff": own.payoff, "left": own.cards_left},
        "rows": [
            {"title": agent_words(agent, tr), "payoff": one.payoff, "left": one.cards_left} for agent, one in found.rows()
        ],
        "share": share_lines(deal, game, session.undone, session.hints, tr, session.seat, par),
    }
