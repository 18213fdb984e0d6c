"""Pages in a real headless Chromium: the browser, and pages that must not complain and must not look anywhere else."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from web_visitor import JudgedAtOnce

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LOCAL: Final = ("file:", "data:", "blob:", "http://127.0.0.1:", "about:")
"""Where a page may fetch from."""
DESKTOP: Final = {"width": 1280, "height": 800}
PHONE: Final = {"width": 390, "height": 844}

NewPage = Callable[..., Page]


@pytest.fixture(autouse=True)
def no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that are over are not judged unless a test says by whom: pages ask for it by themselves, and it takes long."""
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", lambda *_: None)


@pytest.fixture(scope="package")  # not session: while it lives, no other event loop starts in this thread
def browser() -> Iterator[Browser]:
    """Debian's Chromium without its own windows, or whatever of its names stands in the path."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no {' or '.join(NAMES)} in the path: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, headless=True, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Makes pages, each with cookies of its own; the test fails where one writes an error or asks another host.

    `new_page(phone=True)` has a phone's width and is touched; other options are those of `Browser.new_context`, such as
    `color_scheme="dark"`. A status of 400 or more that a test asks for on purpose goes into `page.expected` as a part of the
    message, such as `"409"`.
    """
    contexts, complaints, asked = [], [], []

    def make(*, phone: bool = False, **options: Any) -> Page:
        context = browser.new_context(viewport=PHONE if phone else DESKTOP, has_touch=phone, **options)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.expected = ()  # type: ignore[attr-defined]

        def on_console(message: Any) -> None:
            expected = any(part in message.text for part in page.expected)  # type: ignore[attr-defined]
            if message.type in ("error", "warning") and not expected:
                complaints.append(f"{message.type}: {message.text}")

        page.on("console", on_console)
        page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
        page.on("request", lambda request: asked.append(request.url))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in asked if not url.startswith(LOCAL)] == []


@pytest.fixture
def judged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every review is finished when it is opened."""
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", JudgedAtOnce)
