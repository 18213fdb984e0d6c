"""The page's files, and the document that loads them."""

from __future__ import annotations

from importlib.resources import files

from big2_env.language import Language, words
from big2_env.web.answers import card_sheet


def page_files() -> dict[str, bytes]:
    """The files of the folder `page/` by their names, and the drawings of all cards."""
    found = {file.name: file.read_bytes() for file in (files(__package__) / "page").iterdir() if file.is_file()}
    return found | {"cards.svg": card_sheet().encode()}


def index_page(lang: Language) -> str:
    """The document, with the texts that it has before its script runs."""
    page = page_files()["index.html"].decode()
    texts = {"lang": lang.value, "title": words(lang)("web.title"), "noscript": words(lang)("web.noscript")}
    for field, text in texts.items():
        page = page.replace(f"{{{field}}}", text)
    return page
