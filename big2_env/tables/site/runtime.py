"""Pyodide, the Python for browsers: one pinned release from the npm registry, verified before use."""

from __future__ import annotations

import os
import sys
import tarfile
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from typing import Final

from big2_env.base.errors import ConfigError
from big2_env.base.outside import file_digest
from big2_env.runs.atomic_files import replace_file

VERSION: Final = "314.0.7"
"""Release, with Python 3.14 for WebAssembly."""
SIZE: Final = 6_488_647
"""Size of the archive in bytes."""
SHA512: Final = (
    "d18bd7c4485f11da4b7dbfd790cd8114078c44eab488c517d9bcf31fda4eb6dc"
    "8c716930abe1db139bb2b860fcd8b37bcb6abe48dbe2ffa579244b0e943d91d4"
)
URL: Final = f"https://registry.npmjs.org/pyodide/-/pyodide-{VERSION}.tgz"
CDN: Final = f"https://cdn.jsdelivr.net/npm/pyodide@{VERSION}/"
"""Address of the same files for pages that fetch them from a CDN."""
FILES: Final = {
    "pyodide.mjs": 17_931,
    "pyodide.asm.mjs": 1_250_344,
    "pyodide.asm.wasm": 9_598_218,
    "python_stdlib.zip": 2_545_637,
    "pyodide-lock.json": 119_077,
}
"""Files of the archive that a browser needs, with their sizes in bytes."""
INTEGRITY: Final = {
    "pyodide.mjs": "sha384-Lp79fMwxa4n2BLtugpUAoQMlbxIdg8iCUiP1r3h7nJLkQjwlXT1JzZTeHVL+f4Dg",
    "pyodide.asm.mjs": "sha384-/2281iaC0Iimw0B3Kagy1DBfZcJG3W4KYW+EmOqhsdY3fR9BJ88FE2Zt6y0KQKpa",
    "pyodide.asm.wasm": "sha384-y++qrQ72KPA1fTjLIuGMP+jppgGxjbLCgfdb0zMrnNnQVhxRUXTOTF6rTxNzllSu",
    "python_stdlib.zip": "sha384-xW3A5jmenkrPXbsgrIaB1FCJh9OuLT7FRMagsJMgtlhVc19k/mSy3+7nMaF/d767",
    "pyodide-lock.json": "sha384-o8SQQvpVlZnOl04+3dFTJipKxul9GbViVusA379wlOrfHSgxbzt0yPiqCTxOiYES",
}
"""Hashes of these files, without which the page's worker does not use them (W3C Subresource Integrity)."""
FETCHED: Final = {name: size for name, size in FILES.items() if not name.endswith(".mjs")}
"""Files that the page's worker fetches itself, so that it can show the progress."""
SECONDS: Final = 60.0
"""Seconds without a byte after which a download fails."""
MOST_SECONDS: Final = 1800.0
"""Seconds of a whole download, however slowly it arrives."""
PIECE: Final = 1 << 16


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the system's cache folder for this package.

    Args:
        environ: Environment variables; by default the process's own.

    >>> cache_folder({"XDG_CACHE_HOME": "/tmp/cache"}).name
    'big2_env'
    """
    variables = os.environ if environ is None else environ
    if sys.platform == "win32" and (local := variables.get("LOCALAPPDATA")):
        return Path(local) / "big2_env" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "big2_env"
    shared = Path(variables.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "big2_env"


def kept_archive() -> Path:
    """Return the path of the downloaded archive."""
    return cache_folder() / f"pyodide-{VERSION}.tgz"


def download(path: Path, advance: Callable[[int], object] = lambda number: None) -> None:
    """Download and verify the archive; a failure leaves no file.

    Args:
        path: File to write.
        advance: Called with the number of bytes of each chunk.

    Raises:
        ConfigError: The registry cannot be reached, or returned something else.
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as new, new.open("wb") as out:
        left, end = SIZE, monotonic() + MOST_SECONDS
        try:
            with urllib.request.urlopen(URL, timeout=SECONDS) as answer:  # URL is a constant
                while left >= 0 and (piece := answer.read1(PIECE)):
                    if monotonic() > end:
                        raise TimeoutError(f"it takes longer than {MOST_SECONDS:.0f} seconds")
                    left -= len(piece)
                    out.write(piece)
                    advance(len(piece))
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise ConfigError(
                f"cannot download {URL}: {reason}; name the file with --pyodide, or let the pages fetch it with --cdn"
            ) from None
        out.flush()
        check(new, URL)


def check(path: Path, source: object) -> None:
    """Refuse a file that is not the archive of the release.

    Raises:
        ConfigError: The file differs from the release.
        OSError: The file cannot be read.
    """
    if path.stat().st_size != SIZE or file_digest(path, "sha512") != SHA512:
        raise ConfigError(f"expected pyodide-{VERSION}.tgz of the npm registry with its SHA-512, got another file: {source}")


def unpack(archive: Path, folder: Path) -> None:
    """Extract the files that a browser needs.

    Args:
        archive: Archive that `check` has accepted.
        folder: Folder for the files, created if it does not exist.

    Raises:
        OSError: A file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as package:
        for name, size in FILES.items():
            stream = package.extractfile(f"package/{name}")
            assert stream is not None, name
            with replace_file(folder / name) as new:
                new.write_bytes(stream.read(size))
