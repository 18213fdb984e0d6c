"""Bytes from outside are parsed by `base.outside` and `base.json_values`, or by a file listed here with a reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from places import ROOT

PARSERS = re.compile(
    r"(json|pickle|torch|np|marshal|tomllib)\.loads?|ast\.literal_eval|(\w+\.)*(urlopen|ZipFile)|tarfile\.open|"
    r".*\.(raw_decode|recv_bytes|recv|readlines|read_bytes|read_text|stream)"
)
"""Calls that parse, unpack or receive bytes, or read them without a limit."""
UNBOUNDED = re.compile(r".*\.(read|readline)\(\)")
"""Calls that read up to the end, or to the end of a line."""
NO_READING = re.compile(r"\(*(files|models_folder|_frozen_folder)\(|Path\(__file__\)|self\.(read_text|_lines)|ZipFile\(.*'w'")
"""Starts of calls that read files of the package, write, or read no bytes."""
REASONS = {
    "the module itself": "big2_env/base/outside.py big2_env/base/json_values.py",
    "pieces of the body, kept within the limit by `whole`": "big2_env/tables/browser/app.py",
    "headers of arrays with up to 10,000 bytes": "agents/big2_agents/learned/npz.py",
    "members of a model, each within its limit, and torch's weights_only": "agents/big2_agents/learned/sb3_zip.py",
    "checkpoints of an own run, with torch's weights_only": "agents/big2_agents/train/loop.py",
    "messages between processes of one run": (
        "agents/big2_agents/train/ppo.py big2_env/runs/batches.py big2_env/runs/executors.py"
    ),
    "lines whose length was checked before": "big2_env/runs/resumable.py",
    "objects within a reply of bounded length": "big2_env/text/marked.py",
    "an archive with a known digest": "big2_env/tables/site/runtime.py",
    "messages of the page that started the worker": "big2_env/tables/site/worker.py",
    "JSON that the process has written itself": (
        "big2_env/climbing/saved_rules.py big2_env/tables/puzzles/puzzle.py "
        "big2_env/tables/browser/lobby.py big2_env/tables/browser/table_store.py"
    ),
    "files of the installation or of its cache": (
        "agents/big2_agents/evaluation/positions/decisions.py big2_env/cli/_help.py big2_env/kernels/dialect/loader.py "
        "big2_env/base/language/words.py big2_env/runs/origin.py big2_env/tables/site/build.py big2_env/tables/site/bundle.py "
        "big2_env/tables/site/day_results.py big2_env/tables/browser/answers.py"
    ),
}
"""Files with such calls, by the reason."""


def readings(source: str) -> Iterator[str]:
    """Yield the calls of a file that read bytes from outside, as they are written."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name, call = ast.unparse(node.func), ast.unparse(node)
            if (PARSERS.fullmatch(name) or UNBOUNDED.fullmatch(call)) and not NO_READING.match(call.replace("json.loads(", "")):
                yield call


def test_bytes_from_outside__are_read_in_one_module() -> None:
    paths = [path for folder in ("big2_env", "agents/big2_agents") for path in (ROOT / folder).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): calls for path in paths if (calls := [*readings(path.read_text("utf-8"))])}
    allowed = {file for files in REASONS.values() for file in files.split()}
    assert {file: calls for file, calls in found.items() if file not in allowed} == {}
    assert allowed <= found.keys()


def test_readings__are_found() -> None:
    for call in ("json.loads(text)", "path.read_text('utf-8')", "np.load(path)", "urllib.request.urlopen(url)", "file.read()"):
        assert list(readings(f"found = {call}\n")) == [call]
    for call in ("read_text(path, 100)", "(files(__package__) / 'a.json').read_text()", "stream.read(100)"):
        assert list(readings(f"found = {call}\n")) == []
