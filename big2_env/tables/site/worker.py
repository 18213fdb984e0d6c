"""Answers to a page without a server: the same requests at the same tables, handled in a web worker of the page.

The page stores every table as text and sends the text with each request. So two tabs share a table, and a reloaded page
continues.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.tables.browser import answers, course_handlers, deal_handlers, messages, puzzle_answers, table_handlers
from big2_env.tables.browser.messages import Refused, bad, unknown
from big2_env.tables.browser.new_tables import NEW, NewTables
from big2_env.tables.browser.start_page import rules_of, start_page
from big2_env.tables.browser.table import Table
from big2_env.tables.browser.table_handlers import CHANGES, QUESTIONS
from big2_env.tables.browser.table_store import KEY, listed_tables, table_of, table_text
from big2_env.tables.session.deals import named_deal, take_day
from big2_env.tables.session.table_session import DEFAULT_OPPONENT

OWNER: Final = "browser"
TABLES: Final = NewTables(reviewer="plain")
"""Maker of tables, whose judge needs no compiled code."""
MOST: Final = 8
"""Number of tables that stay in memory; others are parsed again from their text."""


class PageWorker:
    """Handler of the messages of one page, one at a time."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[str, Table]] = {}
        """Text and table by key, the least recently used first."""

    def answer(self, message: str) -> str:
        """Return the answer to a message, both JSON.

        A message has the keys `path`, `body` (text, or null for a `GET`), `lang`, and `tables`: pairs of key and text of the
        tables that the path is about. The answer has `status` and `data` like a server's, and `keep`, such a pair if a table
        has changed. For the deal of a day the page adds `known`, the `day` that `big2 site` computed, with its `game`,
        `name` and `agents`.
        """
        asked = json.loads(message)
        self._kept: tuple[str, str] | None = None
        lang = Language(asked["lang"])
        if (known := asked.get("known")) is not None:
            take_day(named_deal(known["game"], known["name"]), known["day"], known["agents"])
        try:
            status, data = self._answer(asked["path"].split("/"), asked["body"], dict(asked["tables"]), lang)
        except Refused as refusal:
            status, data = refusal.status, refusal.as_json()
        return json.dumps({"status": status, "data": data, "keep": self._kept}, ensure_ascii=False)

    def _answer(self, parts: list[str], body: str | None, kept: Mapping[str, str], lang: Language) -> tuple[int, Any]:
        match parts, body:
            case ["lobby"], None:
                tables = listed_tables((key, text.encode()) for key, text in kept.items())
                return 200, start_page(lang, tables, DEFAULT_OPPONENT)
            case ["rules", game], None if (page := rules_of(game, lang)) is not None:
                return 200, page
            case ["deals", game, name], None:
                return 200, deal_handlers.info(game, name, lang)
            case ["course"], None:
                return 200, course_handlers.sample()
            case ["course"], str():
                return 200, course_handlers.course(messages.read(body.encode(), course_handlers.COURSE), lang)
            case ["puzzles"], None:
                return 200, puzzle_answers.listed(lang)
            case ["puzzles", key, name], str() if name in puzzle_answers.ACTS:
                return 200, puzzle_answers.answer(key, name, messages.read(body.encode(), messages.PUZZLE), lang)
            case [path], str() if path in NEW:
                fields, make = NEW[path]
                made = make(TABLES, OWNER, messages.read(body.encode(), fields), lang)
                self._keep(made)
                return 201, answers.state(made, OWNER, lang)
            case ["tables", key], None:
                return 200, answers.state(self._table(key, kept, lang), OWNER, lang)
            case ["tables", key, "record"], None:
                return 200, {"line": table_handlers.record(self._table(key, kept, lang), lang)}
            case ["tables", key, name], str() if name in CHANGES:
                return 200, self._change(name, self._table(key, kept, lang), body, lang)
            case ["tables", key, name], str() if name in QUESTIONS:
                act, table = QUESTIONS[name], self._table(key, kept, lang)
                answer = act.at(table, OWNER, messages.read(body.encode(), act.fields), lang)
                if act.is_kept:
                    self._keep(table)
                return 200, answer() if callable(answer) else answer
        raise Refused(404, "http", "Not Found")

    def _change(self, name: str, table: Table, body: str, lang: Language) -> dict[str, Any]:
        """Change a table as requested, and return its new state."""
        act = CHANGES[name]
        asked = messages.read(body.encode(), act.fields)
        try:
            act.at(table, OWNER, asked, lang)
        except Refused as refusal:
            if refusal.status == 409:  # the page sees where the table stands
                refusal.state = answers.state(table, OWNER, lang)
            raise
        self._keep(table)
        return answers.state(table, OWNER, lang)

    def _table(self, key: str, kept: Mapping[str, str], lang: Language) -> Table:
        """Return the table whose text the page stores.

        Raises:
            Refused: The page stores no such table (404), or its text is not valid (400).
        """
        text = kept.get(key)
        if text is None or not KEY.fullmatch(key):
            raise unknown(lang)
        known = self._tables.pop(key, None)
        if known is not None and known[0] == text:
            table = known[1]
        else:  # the page was reloaded, or another tab has played on
            try:
                table = table_of(OWNER, key, text.encode())
            except ConfigError as error:
                raise bad(str(error)) from None
            table.reviewer = TABLES.reviewer
        self._remember(key, text, table)
        return table

    def _keep(self, table: Table) -> None:
        """Tell the page to store a table."""
        text = table_text(table)
        self._kept = table.key, text
        self._tables.pop(table.key, None)
        self._remember(table.key, text, table)

    def _remember(self, key: str, text: str, table: Table) -> None:
        self._tables[key] = text, table
        while len(self._tables) > MOST:
            del self._tables[next(iter(self._tables))]
