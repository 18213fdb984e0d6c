"""The review of a finished game as a file."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest

from big2_env.tables.session.review_file import open_page


class Pages(webbrowser.BaseBrowser):
    """A browser that notes what it opens."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.opened.append(url)
        return True


def test_open_page__asks_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages()
    monkeypatch.setattr(webbrowser, "get", lambda: pages)
    assert open_page(tmp_path / "復盤 1.html")
    assert pages.opened == [(tmp_path / "復盤 1.html").as_uri()]


def test_open_page__leaves_the_terminal_to_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("lynx"))
    assert not open_page(tmp_path)

    def none() -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    assert not open_page(tmp_path)
