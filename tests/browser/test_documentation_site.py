"""The documentation site builds without a warning, its links lead somewhere, and its search finds things; long."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urldefrag

from browser.conftest import NewPage
from places import ROOT

from big2_env.registration import env_ids

PUBLIC = (
    "big2_env",
    "big2_env.drawing",
    "big2_env.solve",
    "big2_env.testing",
    "big2_env.base.language",
    "big2_agents.data",
)
"""Modules whose `__all__` must be in the reference."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder, and provide the address."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    """Server of files that prints nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.anchors = set[str](), set[str]()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.add(value)
            elif value and name == "id":
                self.anchors.add(value)


def build(out: Path) -> None:
    """Build the site with every warning an error."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", ".docs", ".", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=550)
    assert done.returncode == 0, done.stderr


def broken_links(site: Path) -> set[tuple[str, str]]:
    """Return each link inside the site that leads nowhere, after the page that has it."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 50
    broken = set()
    for path, page in pages.items():
        for link in page.links:
            place, anchor = urldefrag(link)
            if re.match(r"[a-z]+:|//", place):
                continue
            target = (path.parent / unquote(place.partition("?")[0])).resolve() if place else path
            if not target.is_file() or (anchor and target in pages and unquote(anchor) not in pages[target].anchors):
                broken.add((path.relative_to(site).as_posix(), link))
    return broken


def undocumented(site: Path) -> set[str]:
    """Return the public names that the reference lacks."""
    documented = set()
    for path in (site / "api").glob("*.html"):
        documented |= {anchor.rpartition(".")[2] for anchor in Page(path).anchors if "." in anchor}
    return {f"{name}.{one}" for name in PUBLIC for one in import_module(name).__all__ if one not in documented}


def test_site__builds_with_links_names_environments_and_search(tmp_path: Path, new_page: NewPage) -> None:
    """One test, so that one process builds the site."""
    site = tmp_path.resolve() / "site"
    build(site)
    assert broken_links(site) == set()
    assert undocumented(site) == set()
    for identifier in [*env_ids(), "big2/Uno-v0", "big2/Klondike-v0"]:
        text = (site / "environments" / f"{identifier.partition('/')[2].lower()}.html").read_text("utf-8")
        assert identifier in text
        assert "<img" in text
    with served(site) as address:
        page = new_page()
        page.goto(f"{address}/search.html?q=BatchEnv")
        page.wait_for_selector("ul.search li a")
        page.wait_for_load_state("networkidle")
        assert "big2_env.envs.vector.BatchEnv" in page.inner_text("ul.search")
