"""`big2 site`: the card table as static pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_env.base.errors import ConfigError
from big2_env.base.language import language
from big2_env.runs.progress import counting


def command(
    folder: Annotated[Path, typer.Argument(help="Folder to write: new, empty, or written by this command.")],
    pyodide: Annotated[Path | None, typer.Option(help="Archive of Pyodide, instead of a download.")] = None,
    cdn: Annotated[bool, typer.Option("--cdn", help="Write pages that fetch Pyodide from cdn.jsdelivr.net.")] = False,
    days: Annotated[int, typer.Option(min=0, max=5_000, help="Number of days whose deals agents play in advance.")] = 400,
    lang: Annotated[str | None, typer.Option(help="Language before JavaScript runs: en, zh-Hant or zh-Hans.")] = None,
) -> None:
    """Write the card table as static pages that need no server.

    Rules, agents and reviews run in the browser, with Python compiled to WebAssembly (Pyodide). Any host that serves files will
    do, in any folder. file:// does not work, because browsers load no modules and no WebAssembly from there. Pyodide is
    downloaded once (6.5 MB, npm registry), verified and kept in the user's cache. Over https or on localhost, browsers can
    install the pages as an application, and open them without a network from the second time on.

    Agents play the deals of the day of the next 400 days, or of --days, for the comparison after the game. The results are kept
    in the user's cache. Without them the comparison is computed in the browser.

    Examples:
        big2 site public --cdn
        big2 site public --pyodide pyodide-314.0.7.tgz
        python -m http.server --directory public
    """
    from big2_env import __version__
    from big2_env.tables.site import runtime
    from big2_env.tables.site.build import build, check_folder

    if cdn and pyodide is not None:
        raise ConfigError("expected --pyodide or --cdn, got both")
    chosen = language(lang)
    check_folder(folder)
    archive = None
    if pyodide is not None:
        archive = pyodide
        runtime.check(archive, archive)
    elif not cdn:
        archive = _downloaded()
    built = build(folder, archive, __version__, chosen, days=days)
    typer.echo(f"wrote {built.files} files, {built.size / 1e6:.1f} MB, to {built.folder}")
    sizes = ", ".join(f"{game} {size / 1e6:.1f}" for game, size in built.weights.items() if size)
    typer.echo(f"weights of agents, fetched with their game: {sum(built.weights.values()) / 1e6:.1f} MB ({sizes})")
    typer.echo(f"to try it: python -m http.server --directory {built.folder}")


def _downloaded() -> Path:
    """Return the archive in the cache, downloaded if it is missing."""
    from big2_env.tables.site import runtime

    kept = runtime.kept_archive()
    if kept.exists():
        try:
            runtime.check(kept, kept)
        except ConfigError:
            kept.unlink()  # cut short, or spoilt
    if not kept.exists():
        typer.echo(f"big2: downloading {runtime.URL} ({runtime.SIZE / 1e6:.1f} MB), once", err=True)
        with counting("bytes", runtime.SIZE) as advance:
            runtime.download(kept, advance)
    return kept
