"""What answers the page where there is no server: the same acts at the same tables, in a web worker of the page itself.

The page keeps every table as a text of its own and sends it along with what it asks. So two tabs see the same table, and a page
that is reloaded goes on.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Final

from big2_env.climbing.rulesets import named
from big2_env.errors import ConfigError, NotationError
from big2_env.language import Language, words
from big2_env.play.sitting import DEFAULT_ADVISER, DEFAULT_OPPONENT
from big2_env.text.rules import rules_page
from big2_env.web import answers, messages, table_acts
from big2_env.web.messages import Refused, bad
from big2_env.web.table_acts import CHANGES, QUESTIONS
from big2_env.web.table_store import KEY, table_data, table_of, table_text
from big2_env.web.web_table import WebTable, new_sitting

OWNER: Final = "browser"
REVIEWER: Final = "plain"
"""Who judges games here: without compiled code."""
MOST: Final = 8
"""How many tables stay as objects; others are read from their texts."""
TAGS: Final = {one.value: one for one in Language}


class PageWorker:
    """Answers the messages of one page, one at a time."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[str, WebTable]] = {}
        """By name, the text that the page keeps, and the table that it is; the one used last at the end."""

    def answer(self, message: str) -> str:
        """The answer to a message, both JSON.

        The message has the keys `path`, `body` (a text, or null for a question without one), `lang`, and `tables`, pairs of a
        name and the text that the page keeps of it: those that the path is about. The answer has `status` and `data`, as a
        server's would, and `keep`, such a pair, where a table has changed.
        """
        asked = json.loads(message)
        self._kept: tuple[str, str] | None = None
        lang = TAGS[asked["lang"]]
        try:
            status, data = self._answer(asked["path"].split("/"), asked["body"], dict(asked["tables"]), lang)
        except Refused as refusal:
            status, data = refusal.status, {"error": refusal.code, "message": str(refusal)}
            if refusal.state is not None:
                data["state"] = refusal.state
        return json.dumps({"status": status, "data": data, "keep": self._kept}, ensure_ascii=False)

    def _answer(self, path: list[str], body: str | None, kept: Mapping[str, str], lang: Language) -> tuple[int, Any]:
        match path, body:
            case ["lobby"], None:
                tables = [(key, data) for key, text in kept.items() if (data := _data(text)) is not None]
                return 200, answers.lobby(lang, tables, DEFAULT_OPPONENT)
            case ["rules", game], None if (rules := named(game)) is not None:
                return 200, rules_page(rules, lang).as_json()
            case ["tables"], str():
                return 201, self._create(body, lang)
            case ["tables", key], None:
                return 200, answers.state(self._table(key, kept, lang), lang)
            case ["tables", key, "record"], None:
                return 200, {"line": table_acts.record(self._table(key, kept, lang), lang)}
            case ["tables", key, name], str() if name in CHANGES:
                return 200, self._change(name, self._table(key, kept, lang), body, lang)
            case ["tables", key, name], str() if name in QUESTIONS:
                act = QUESTIONS[name]
                return 200, act.do(self._table(key, kept, lang), messages.read(body.encode(), act.fields), lang)
        raise Refused(404, "http", "Not Found")

    def _create(self, body: str, lang: Language) -> dict[str, Any]:
        asked = messages.read(body.encode(), messages.CREATE)
        sitting = new_sitting(asked["game"], asked["opponents"], asked["seat"], asked["seed"], DEFAULT_ADVISER)
        table = WebTable(secrets.token_urlsafe(12), OWNER, sitting, reviewer=REVIEWER)
        self._keep(table)
        return answers.state(table, lang)

    def _change(self, name: str, table: WebTable, body: str, lang: Language) -> dict[str, Any]:
        """An act that changes a table, answered with what came of it."""
        act = CHANGES[name]
        asked = messages.read(body.encode(), act.fields)
        try:
            table.expect(asked["version"], lang)
            act.do(table, asked, lang)
        except Refused as refusal:
            if refusal.status == 409:  # the page sees where the table stands
                refusal.state = answers.state(table, lang)
            raise
        self._keep(table)
        return answers.state(table, lang)

    def _table(self, key: str, kept: Mapping[str, str], lang: Language) -> WebTable:
        """The table whose text the page keeps.

        Raises:
            Refused: with status 404; the page keeps none, or what it keeps is none.
        """
        text = kept.get(key)
        if text is None or not KEY.fullmatch(key):
            raise Refused(404, "unknown_table", words(lang)("web.error_unknown"))
        known = self._tables.pop(key, None)
        if known is not None and known[0] == text:
            table = known[1]
        else:  # the page was reloaded, or another tab has played on
            try:
                table = table_of(OWNER, key, text.encode(), DEFAULT_ADVISER)
            except ConfigError as error:
                raise bad(f"{key}: {error}") from None
            table.reviewer = REVIEWER
        self._remember(key, text, table)
        return table

    def _keep(self, table: WebTable) -> None:
        """Have the page keep a table."""
        text = table_text(table)
        self._kept = table.key, text
        self._tables.pop(table.key, None)
        self._remember(table.key, text, table)

    def _remember(self, key: str, text: str, table: WebTable) -> None:
        self._tables[key] = text, table
        while len(self._tables) > MOST:
            del self._tables[next(iter(self._tables))]


def _data(text: str) -> dict[str, Any] | None:
    """The object of a table's text; `None` where it is none."""
    try:
        data = table_data(text.encode())
    except NotationError:
        return None
    return data if isinstance(data.get("record"), dict) else None
