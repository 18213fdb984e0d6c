"""Answers to pages: everything the person at a table may see, as JSON values, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files
from typing import Any, Final

from big2_env.base.cards import CARDS, NUM_FACES
from big2_env.base.language import Language, Words, words
from big2_env.base.language.words import catalogue
from big2_env.base.scene import BACK, CardFace
from big2_env.base.side_game import SideGame, SideMove
from big2_env.base.side_games import side_games
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.drawing import scene
from big2_env.drawing.card_svg import card_symbols
from big2_env.drawing.felt import felt_style
from big2_env.games.fishing.cards import RANKS
from big2_env.tables.browser.table import Table
from big2_env.text.names import face, no_name, pattern_name, shown_move

ROOM = "web."
"""Prefix of the keys of the page's own texts."""
SIDE_ROOM = "web_side."
"""Prefix of the keys of the page's texts about side games, which begin with `side.` on the page."""
FRIENDS_ROOM = "web_friends."
"""Prefix of the keys of the page's texts about games with friends, which begin with `friends.` on the page."""
HOUSE_RULES: Final = {
    Language.EN: "HOUSE_RULES.md",
    Language.HANT: "HOUSE_RULES.zh-Hant.md",
    Language.HANS: "HOUSE_RULES.zh-Hant.md",
}
"""Files by language; people who read either Chinese script get the traditional one."""
_HOUSE_RULES_PAGE: Final = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'">
<title>{title}</title>
<link rel="stylesheet" href="felt.css">
<link rel="stylesheet" href="style.css">
</head>
<body>
<main class="prose">
{text}</main>
</body>
</html>
"""


def state(table: Table, owner: str, lang: Language) -> dict[str, Any]:
    """Return the game at a table as a person sees it now. Before the end of a deal a spectator sees the shown hand, or none.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        lang: Language of the texts.
    """
    with table.guard:
        return _state(table, owner, lang)


def written(table: Table, owner: str, lang: Language) -> str:
    """Return the game at a table as a person sees it now, as JSON text; see `state`.

    The text of each edition is written once for all who see the same.
    """
    with table.guard:
        if (text := ready(table, owner, lang)) is None:
            text = json.dumps(_state(table, owner, lang), ensure_ascii=False)
            table.written[table.seat_of(owner), table.viewer_of(owner), lang] = table.edition, text
        return text


def ready(table: Table, owner: str, lang: Language) -> str | None:
    """Return the text of `written`, or `None` if it is not there yet. Never waits for a change of the table."""
    edition, text = table.written.get((table.seat_of(owner), table.viewer_of(owner), lang), (-1, ""))
    return text if edition == table.edition else None


def _state(table: Table, owner: str, lang: Language) -> dict[str, Any]:
    session, seat, viewer, tr = table.session, table.seat_of(owner), table.viewer_of(owner), words(lang)
    found: dict[str, Any] = {"table": table.key, "version": table.version}
    if session is None:
        return found | table.about(lang)
    game, is_asked = session.game, table.waits_for(seat)
    found |= {
        "deal": table.deal,
        "asked": is_asked,
        "waiting": session.has_choices and not is_asked and not session.is_over,
        "can_undo": table.can_undo(seat),
    }
    if session.is_over:
        found["seed"] = str(session.seed)  # a page cannot hold 64 bits as a number
    shown = {"names": table.names_for(owner, lang), "lang": lang, "last": 1000, "scores": session.scores, **table.shown(lang)}
    if table.is_climbing:
        place = viewer or 0  # of which only public values are used if it is not the viewer's
        found |= choices(game.view(place), session.legal_of(place), is_asked, tr)
    else:
        found["moves"] = moves(game, seat, tr) if seat is not None and is_asked else []
        found["drawing"] = game.drawing_data((game.turn + 1) % game.num_players if viewer is None else viewer)
        found["watch"] = None
    drawn = scene(game, viewer, **shown) if table.is_climbing else game.scene(viewer, **shown)
    return found | {"scene": drawn.as_json()} | table.about(lang)


def moves(game: SideGame, seat: int, tr: Words) -> list[dict[str, Any]]:
    """Return a seat's legal moves in a side game: text in the notation of records, words and cards.

    Args:
        game: The game.
        seat: The seat.
        tr: Texts in the person's language.
    """
    shown = ((move, game.shown_move(SideMove(seat, move), tr)) for move in game.view(seat).moves)
    return [
        {"text": game.move_text(move), "words": look.words, "cards": [asdict(card) for card in look.cards]}
        for move, look in shown
    ]


def choices(view: View, legal: LegalPlays, is_asked: bool, tr: Words) -> dict[str, Any]:
    """Return what a person may do besides playing cards, and the state of an auction.

    Args:
        view: View of the person's seat.
        legal: The person's legal moves.
        is_asked: True if it is the person's turn.
        tr: Texts in the person's language.
    """
    calls = legal.calls if is_asked else ()
    return {
        "can_pass": is_asked and legal.can_pass,
        "bidding": view.bidding,
        "calls": [{"word": call.pattern, "words": pattern_name(legal.ruleset, call.pattern, tr)} for call in calls],
        "landlord": view.landlord,
        "decline": no_name(legal.calls, tr),
    }


def shown_move_json(rules: RuleSet, seat: int, play: Play, tr: Words) -> dict[str, Any]:
    """Return a move of the person as JSON values."""
    move = shown_move(rules, seat, play, tr)
    return {"words": move.words, "kind": move.kind, "cards": [asdict(one) for one in move.cards]}


def card_sheet() -> str:
    """Return all cards of two decks and their back, in two and in four colors, as one SVG document."""
    tr = words(Language.EN)
    drawn = [face(card, tr) for card in CARDS[:NUM_FACES]] + [BACK, *_side_faces()]
    symbols = card_symbols(drawn, four_colours=None)
    return f'<svg xmlns="http://www.w3.org/2000/svg"><defs>{symbols}</defs></svg>'


def _side_faces() -> Iterator[CardFace]:
    """Yield the cards that only side games use."""
    tr = words(Language.EN)
    yield from (CardFace(rank, rank) for rank in RANKS)  # a deck without suits
    for entry in side_games():
        kind = entry.kind()
        if kind.has_choices:
            game = kind.for_seats(kind.seats[2])
            for move in range(kind.num_moves):
                yield from game.shown_move(SideMove(0, move), tr).cards


def page_words(lang: Language) -> dict[str, Any]:
    """Return the page's own texts in a language, and the list of languages."""
    tr = words(lang)
    found = {key.removeprefix(ROOM): texts[lang.value] for key, texts in catalogue().items() if key.startswith(ROOM)}
    found |= {
        key.removeprefix("web_"): texts[lang.value]
        for key, texts in catalogue().items()
        if key.startswith((SIDE_ROOM, FRIENDS_ROOM))
    }
    found |= {f"side.{name}": tr(f"side_tables.{name}") for name in ("red", "yellow", "blue", "green", "any")}
    found |= {name: tr(f"table.{name}") for name in ("landlord", "passed")}
    found |= {f"deal_{name}": tr(f"deals.{name}") for name in ("who", "left", "points")}
    found |= {f"step_{name}": tr(f"replay.{name}") for name in ("first", "back", "run", "next", "last")}
    found["course_long"] = tr("course.too_long")
    return {
        "language": lang.value,
        "languages": [{"tag": one.value, "name": words(one)("web.language")} for one in Language],
        "words": found | {name: tr(f"cards.{name}") for name in ("little_joker", "big_joker")},
    }


def page_files() -> dict[str, bytes]:
    """Return the files of the folder `page/`, the style sheet shared with replays, the card sheet, and house rules, by name."""
    found = {file.name: file.read_bytes() for file in (files(__package__) / "page").iterdir() if file.is_file()}
    return found | {"felt.css": felt_style().encode(), "cards.svg": card_sheet().encode()} | house_rules_pages()


def house_rules_pages() -> dict[str, bytes]:
    """Return `climbing/HOUSE_RULES.md` as HTML by file name. Links to other pages of the documentation are plain text."""
    from markdown_it import MarkdownIt  # browsers lack it

    found = {}
    for lang, name in HOUSE_RULES.items():
        text = MarkdownIt("commonmark").enable("table").render((files("big2_env.climbing") / name).read_text("utf-8"))
        text = re.sub(r"<a [^>]*>(.*?)</a>", r"\1", text).replace("<pre>", '<pre tabindex="0">')
        text = re.sub(r"</h1>\n<p>[^<]*</p>", "</h1>", text, count=1)  # the line with the other language
        title = re.findall("<h1>(.*?)</h1>", text)[0]
        tag = name.split(".")[1] if name.count(".") > 1 else "en"
        found[f"house_rules.{lang.value}.html"] = _HOUSE_RULES_PAGE.format(lang=tag, title=title, text=text).encode()
    return found


def index_page(lang: Language) -> str:
    """Return the HTML document with the texts that are visible before its script runs."""
    page = (files(__package__) / "page" / "index.html").read_text("utf-8")
    texts = {"lang": lang.value, "title": words(lang)("web.title"), "noscript": words(lang)("web.noscript")}
    for field, text in texts.items():
        page = page.replace(f"{{{field}}}", text)
    return page
