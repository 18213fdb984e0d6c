"""The pages as files, and where their Python comes from: one release, checked, or an error of one line."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from itertools import count
from pathlib import Path
from urllib.error import URLError

import pytest
from run_cli import run_cli

from big2_env.base.errors import ConfigError
from big2_env.tables.session.deals import daily_games
from big2_env.tables.site import build, runtime
from big2_env.tables.site.build import check_folder


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[object], None]:
    """Makes the registry answer with bytes or an error; the cache is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def answers(given: object) -> None:
        def opened(url: str, timeout: float) -> BytesIO:
            assert url == runtime.URL
            if isinstance(given, bytes):
                return BytesIO(given)
            assert isinstance(given, Exception)
            raise given

        monkeypatch.setattr(runtime.urllib.request, "urlopen", opened)

    return answers


@pytest.mark.parametrize("sent", [b"", b"short", b"x" * runtime.SIZE, b"x" * (runtime.SIZE + (1 << 20))])
def test_download__keeps_nothing_but_the_release(sent: bytes, offline: Callable[[object], None], tmp_path: Path) -> None:
    offline(sent)
    with pytest.raises(ConfigError, match=r"^expected pyodide-.*\.tgz of the npm registry with its SHA-512, got another file"):
        runtime.download(tmp_path / "kept" / "pyodide.tgz")
    assert list((tmp_path / "kept").iterdir()) == []


def test_download__has_one_deadline_however_slowly_it_arrives(
    offline: Callable[[object], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offline(b"x" * runtime.SIZE)
    ticks = count(step=1000)
    monkeypatch.setattr(runtime, "monotonic", lambda: next(ticks))
    with pytest.raises(ConfigError, match="takes longer than 1800 seconds; name the file"):
        runtime.download(tmp_path / "kept" / "pyodide.tgz")
    assert list((tmp_path / "kept").iterdir()) == []


def test_site__says_in_one_line_that_there_is_no_network(offline: Callable[[object], None], tmp_path: Path) -> None:
    offline(URLError("no route to host"))
    answer = run_cli("site", str(tmp_path / "public"))
    assert answer.status == 2
    assert "Traceback" not in answer.err
    assert answer.err.splitlines()[-1].startswith(f"big2: cannot download {runtime.URL}: no route to host; ")
    assert not (tmp_path / "public").exists()


@pytest.mark.parametrize("games", [["big2"], pytest.param(daily_games(), marks=[pytest.mark.long, pytest.mark.release])])
def test_site__from_the_cdn_is_complete_and_relative(games: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "daily_games", lambda: games)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "public"
    answer = run_cli("site", str(folder), "--cdn", "--days", "2", "--lang", "zh-Hans")
    assert answer.status == 0, answer.err
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert re.search(r"fetched with their game: [0-9.]+ MB \(big2 [0-9.]+, ", answer.out)
    assert {
        "index.html",
        "big2.zip",
        "sw.js",
        "manifest.webmanifest",
        "page/app.js",
        "page/worker.js",
        "page/words.zh-Hant.json",
        "page/cards.svg",
    } <= names
    assert not (folder / "pyodide").exists()
    assert runtime.CDN in (folder / "page" / "site.js").read_text("utf-8")
    index = (folder / "index.html").read_text("utf-8")
    assert '<html lang="zh-Hans">' in index
    assert re.findall(r'(?:src|href)="(/[^"]*)"', index) == []
    assert "script-src 'self';" in index
    for path in folder.rglob("*.html"):
        head = path.read_text("utf-8").partition("<script")[0]
        assert "Content-Security-Policy\" content=\"default-src 'none';" in head, path
    for name in runtime.FILES:
        assert re.fullmatch("sha384-[A-Za-z0-9+/]{64}", runtime.INTEGRITY[name])
        assert runtime.INTEGRITY[name] in (folder / "page" / "site.js").read_text("utf-8")
    for path in (folder / "page").glob("*.js"):
        assert re.findall(r'(?:from|fetch\(|import\()\s*[`"](/[^`"]*)', path.read_text("utf-8")) == [], path.name
    kept = (folder / "sw.js").read_text("utf-8")
    assert "page/app.js" in kept
    assert ".npz" not in kept
    assert sorted(path.stem for path in (folder / "data" / "deals").iterdir()) == sorted(games)
    (folder / "pyodide").mkdir()
    (folder / "pyodide" / "pyodide.mjs").write_text("of a build without --cdn", "utf-8")
    assert run_cli("site", str(folder), "--cdn", "--days", "2", "--lang", "zh-Hans").status == 0  # written again
    assert not (folder / "pyodide").exists()
    assert (folder / "sw.js").read_text("utf-8") == kept
    assert run_cli("site", str(folder), "--cdn", "--days", "2").status == 0
    assert (folder / "sw.js").read_text("utf-8").splitlines()[0] != kept.splitlines()[0]  # another build


def test_site__writes_over_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"^expected an empty folder or one that big2 site has written, got "):
        check_folder(tmp_path)
    with pytest.raises(ConfigError, match=r"^expected a folder, got the file "):
        check_folder(tmp_path / "mine.txt")
    answer = run_cli("site", str(tmp_path), "--cdn")
    assert (answer.status, [path.name for path in tmp_path.iterdir()]) == (2, ["mine.txt"])


def test_site__is_written_again_after_a_stop_at_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(archive: Path, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "pyodide.mjs").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(runtime, "unpack", stopped)
    with pytest.raises(KeyboardInterrupt):
        build.build(tmp_path, tmp_path / "pyodide.tgz", "1.0")
    check_folder(tmp_path)


def test_site__takes_no_other_archive(tmp_path: Path) -> None:
    other = tmp_path / "pyodide.tgz"
    other.write_bytes(b"x" * runtime.SIZE)
    answer = run_cli("site", str(tmp_path / "public"), "--pyodide", str(other))
    assert (answer.status, "got another file" in answer.err) == (2, True)
    both = run_cli("site", str(tmp_path / "public"), "--pyodide", str(other), "--cdn")
    assert "expected --pyodide or --cdn, got both" in both.err
