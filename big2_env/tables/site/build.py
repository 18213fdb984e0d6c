"""Writing the static pages into a folder, for any host that serves files."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from big2_env.agents.advice import default_adviser
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.base.language.words import catalogue
from big2_env.climbing.rulesets import available_rulesets
from big2_env.runs.atomic_files import replace_file
from big2_env.runs.progress import counting
from big2_env.tables.browser import answers
from big2_env.tables.browser.answers import index_page, page_files
from big2_env.tables.session.deals import daily_games
from big2_env.tables.site import runtime
from big2_env.tables.site.bundle import Bundle, DataFile
from big2_env.tables.site.day_results import FOLDER as DEALS
from big2_env.tables.site.day_results import day_results, days_from, version_of

MARK: Final = "page/site.js"
"""File that identifies a folder written by this module."""
DATA: Final = "data"
"""Folder of agents' data files."""
MOST_TABLES: Final = 60
"""Number of tables that a browser keeps."""
STALL_SECONDS: Final = 20
"""Seconds without a byte after which a page says that it cannot be loaded."""
SERVICE_WORKER: Final = "sw.js"
"""Script that keeps the files in the browser, at the top because it may only answer for files of its folder."""
MANIFEST: Final = "manifest.webmanifest"
"""Description of the pages as an application that can be installed."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Policy of the page. Its worker, which fetches Python, is bound by the hashes instead."""
ROOM: Final = "site."
"""Prefix of texts that replace or extend the page's texts."""


class Built(NamedTuple):
    """Summary of the written files."""

    folder: Path
    files: int
    """Number of files."""
    size: int
    """Total size in bytes."""
    weights: Mapping[str, int]
    """Size in bytes of agents' data files, by game."""


def check_folder(folder: Path) -> None:
    """Check that a folder is empty or was written here before.

    Args:
        folder: Folder for the pages; need not exist.

    Raises:
        ConfigError: The path is a file, or the folder contains other files.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"expected a folder, got the file {folder}")
    if folder.is_dir() and any(path.is_file() for path in folder.rglob("*")) and not (folder / MARK).is_file():
        raise ConfigError(f"expected an empty folder or one that big2 site has written, got {folder}")


def build(
    folder: Path, archive: Path | None, version: str, lang: Language = Language.EN, *, days: int = 0, first: date | None = None
) -> Built:
    """Write the pages.

    Args:
        folder: Folder for the pages, created if it does not exist.
        archive: Checked archive of Pyodide; `None` for pages that fetch it from its CDN.
        version: Version of this package.
        lang: Language of the page before its script runs.
        days: Number of days whose deals agents play in advance.
        first: The first of these days; by default yesterday, as it is still today somewhere.

    Raises:
        ConfigError: The folder contains other files.
        OSError: A file cannot be written.
    """
    check_folder(folder)
    modules = Bundle()
    results = _results(modules, days, first or datetime.now(UTC).date() - timedelta(1)) if days else {}
    bundle, needed = modules.archive(version), modules.data_files()
    values = {
        "PYODIDE": runtime.CDN if archive is None else "../pyodide/",
        "STALL_SECONDS": STALL_SECONDS,
        "TOTAL": len(bundle) + sum(runtime.FETCHED.values()),
        "INTEGRITY": runtime.INTEGRITY,
        "MOST_TABLES": MOST_TABLES,
        "DATA": f"../{DATA}/",
        "NEEDED": {
            agent: {game: [file.place for file in files] for game, files in by_game.items()}
            for agent, by_game in needed.items()
        },
        "DEALS": sorted(results),
        "ADVISERS": {name: default_adviser(rules) for name, rules in available_rulesets().items()},
    }
    lines = [f"export const {name} = {json.dumps(value)};" for name, value in values.items()]
    mark = "\n".join(["// What big2 site has written, and where the rest is.", *lines, ""])
    pages = {MARK: mark.encode()}  # written first, so that a folder that was not written to its end is known
    own = {file.name: file.read_bytes() for file in (files(__package__) / "page").iterdir() if file.is_file()}
    service_worker = own.pop(SERVICE_WORKER)
    pages |= {f"page/{name}": content for name, content in {**page_files(), **own}.items() if name != "index.html"}
    for one in Language:
        text = json.dumps(site_words(one, _most_bytes(needed), is_from_cdn=archive is None), ensure_ascii=False)
        pages[f"page/words.{one.value}.json"] = text.encode()
    pages["big2.zip"] = bundle
    pages[MANIFEST] = json.dumps(_manifest(lang), ensure_ascii=False, indent=1).encode()
    head = f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    link = f'<link rel="manifest" href="{MANIFEST}">\n</head>'
    page = index_page(lang).replace('<meta charset="utf-8">', head).replace("</head>", link)
    pages["index.html"] = page.encode()
    data = {
        f"{DATA}/{file.place}": file.path.read_bytes()
        for by_game in needed.values()
        for each in by_game.values()
        for file in each
    }
    data |= {f"{DATA}/{DEALS}/{game}.json": content for game, content in results.items()}
    pages[SERVICE_WORKER] = _kept_files(pages, data, archive is None).encode() + service_worker
    for place, content in (pages | data).items():
        _write(folder / place, content)
    if archive is None:
        shutil.rmtree(folder / "pyodide", ignore_errors=True)  # of an earlier build
    else:
        runtime.unpack(archive, folder / "pyodide")
    weights = {
        game: sum(file.path.stat().st_size for file in {file for by_game in needed.values() for file in by_game.get(game, [])})
        for game in available_rulesets()
    }
    sizes = [*map(len, (pages | data).values()), *(runtime.FILES.values() if archive is not None else ())]
    return Built(folder, len(sizes), sum(sizes), weights)


def _results(modules: Bundle, days: int, first: date) -> dict[str, bytes]:
    """Return the results of agents in the deals of days as JSON, by game."""
    games = daily_games()
    found = {}
    with counting("deals", days * len(games)) as advance:
        for game in games:
            version = version_of(modules, game)
            results = day_results(game, list(days_from(first, days)), runtime.cache_folder(), version, advance)
            found[game] = json.dumps(results, separators=(",", ":")).encode()
    return found


def _manifest(lang: Language) -> dict[str, object]:
    """Return the description of the pages as an application (W3C Web Application Manifest)."""
    title = words(lang)("web.title")
    return {
        "name": title,
        "short_name": "big2",
        "lang": lang.value,
        "start_url": "./",
        "display": "standalone",
        "background_color": "#1d5a49",
        "theme_color": "#1d5a49",
        "icons": [{"src": "page/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
    }


def _kept_files(pages: Mapping[str, bytes], data: Mapping[str, bytes], is_from_cdn: bool) -> str:
    """Return the constants of the service worker: the files that it keeps from the start, and a hash of all.

    Args:
        pages: Content of the pages' files, by place.
        data: Content of agents' data files, by place.
        is_from_cdn: True if the pages fetch Python from its CDN.
    """
    digest = hashlib.sha256(runtime.VERSION.encode())
    for place, content in sorted({**pages, **data}.items()):
        digest.update(place.encode() + b"\0" + content)
    python = [(runtime.CDN if is_from_cdn else "pyodide/") + name for name in runtime.FILES]
    values = {"VERSION": digest.hexdigest()[:16], "FILES": ["./", *sorted(pages), *python], "LATER": f"{DATA}/"}
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as new:
        new.write_bytes(content)


def _most_bytes(needed: Mapping[str, Mapping[str, Sequence[DataFile]]]) -> int:
    """Return the largest size in bytes of an agent's data files for one game."""
    sizes = (sum(file.path.stat().st_size for file in each) for by_game in needed.values() for each in by_game.values())
    return max(sizes, default=0)


def site_words(lang: Language, most_bytes: int, *, is_from_cdn: bool) -> dict[str, object]:
    """Return the page's texts in a language, as `answers.page_words`, with those for pages without a server.

    Args:
        lang: Language of the texts.
        most_bytes: Largest size of an agent's data files for one game.
        is_from_cdn: True if the pages fetch Python from its CDN.
    """
    page, tr = answers.page_words(lang), words(lang)
    own = {key.removeprefix(ROOM): tr(key) for key in catalogue() if key.startswith(ROOM)}
    own["about"] = tr("site.about", count=MOST_TABLES, size=f"{most_bytes / 1e6:.1f} MB")
    del own["offline_cdn"]
    if is_from_cdn:
        own["offline"] = tr("site.offline_cdn", host=urlsplit(runtime.CDN).hostname or "")
    return page | {"words": page["words"] | own}
