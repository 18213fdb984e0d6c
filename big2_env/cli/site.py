"""`big2 site`: the table as static pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_env.errors import ConfigError
from big2_env.language import language
from big2_env.runs.progress import counting


def command(
    folder: Annotated[Path, typer.Argument(help="The folder to write: a new or an empty one, or one written before.")],
    pyodide: Annotated[Path | None, typer.Option(help="The archive of Pyodide as a file, instead of downloading it.")] = None,
    cdn: Annotated[bool, typer.Option("--cdn", help="Write pages that fetch Pyodide from cdn.jsdelivr.net.")] = False,
    lang: Annotated[str | None, typer.Option(help="en, zh-Hant or zh-Hans, of what the page says without JavaScript.")] = None,
) -> None:
    """Write the table as static pages: rules, agents and reviews run in the browser alone, without a server or an install.

    The pages work from any host that serves files, in any folder of it; not from file://, because browsers load no modules and
    no WebAssembly from there. Pyodide, Python for browsers, is downloaded once (6.5 MB, npm registry), checked and kept in the
    user's cache.

    Examples:
        big2 site public --cdn
        big2 site public --pyodide pyodide-314.0.7.tgz
        python -m http.server --directory public
    """
    from big2_env import __version__
    from big2_env.site import runtime
    from big2_env.site.build import build, check_folder

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
    built = build(folder, archive, __version__, chosen)
    typer.echo(f"wrote {built.files} files, {built.size / 1e6:.1f} MB, to {built.folder}")
    typer.echo(f"to try it: python -m http.server --directory {built.folder}")


def _downloaded() -> Path:
    """The archive in the cache, fetched if it is not there."""
    from big2_env.site import runtime

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
