"""The command line itself: how verbs are found, what errors become, what is loaded."""

from __future__ import annotations

import errno
import inspect
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from places import DATA
from run_cli import run_cli

import big2_env
from big2_env import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, Refusal, cli
from big2_env.cli import _group, _verbs

SAMPLE = DATA / "game.in"
BIG2 = [sys.executable, "-m", "big2_env"]


def verb(monkeypatch: pytest.MonkeyPatch, function: Callable[[], None] | cli.Family) -> None:
    """Make a function the verb `probe`."""
    found = _verbs.load_verb
    monkeypatch.setattr(_verbs, "load_verb", lambda name: function if name == "probe" else found(name))


def test_version__is_that_of_the_package() -> None:
    assert run_cli("--version") == (0, f"big2_env {version('big2_env')}\n", "")
    assert version("big2_env") == big2_env.__version__


def test_help__shows_every_verb_and_examples() -> None:
    status, out, err = run_cli("--help")
    assert (status, err) == (0, "")
    for word in ["run", "convert", "Examples:", "big2 run game.in", "--version"]:
        assert word in out
    names = [row.split()[1] for row in out[out.index("Commands") :].splitlines() if re.match(r"│ \S", row)]
    assert names == cli.available_verbs()
    for name in cli.available_verbs():
        status, out, err = run_cli(name, "--help")
        assert (status, err) == (0, "")
        example = out[out.index("Examples:") :].split("\n")[1]
        assert example.startswith(f"     big2 {name}"), f"{name}: examples keep their lines"


def test_help__is_what_no_arguments_get() -> None:
    status, out, err = run_cli()
    assert status == 2
    assert "Examples:" in out + err


def test_verb__that_is_none_is_answered_with_those_there_are() -> None:
    status, out, err = run_cli("ruin")
    assert (status, out) == (2, "")
    assert "unknown verb 'ruin'" in err
    assert "convert" in err
    assert run_cli("run", "--loud").status == 2


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (NotationError("line 3: 'x' is no card"), 2, "big2: line 3: 'x' is no card\n"),
        (ConfigError("two\nlines"), 2, "big2: two lines\n"),
        (IllegalPlayError("no", Refusal.NO_PATTERN), 2, "big2: no\n"),
        (AmbiguousPlayError("name one"), 2, "big2: name one\n"),
        (FileNotFoundError(errno.ENOENT, "No such file", "games.jsonl"), 2, "big2: games.jsonl: No such file\n"),
        (UnicodeDecodeError("utf-8", b"ab\xff", 2, 3, "bad"), 2, "big2: byte 2 (0xff): the text is not UTF-8\n"),
        (ImportError("the arena needs openskill: pip install 'big2_env[arena]'"), 2, "pip install 'big2_env[arena]'\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_error__becomes_one_line_and_a_status(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, line: str
) -> None:
    def probe() -> None:
        print("so far")
        raise error

    verb(monkeypatch, probe)
    answer = run_cli("probe")
    assert (answer.status, answer.out) == (status, "so far\n")
    assert answer.err.endswith(line)
    assert answer.err.count("\n") == (1 if line else 0)


@pytest.mark.parametrize("error", [ValueError("ours"), KeyError("ours"), OSError("no file"), ImportError("ours")])
def test_error__of_the_program_itself_is_not_hidden(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def probe() -> None:
        raise error

    verb(monkeypatch, probe)
    with pytest.raises(type(error)):
        run_cli("probe")


def test_file__that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        status, out, err = run_cli("run", str(path))
        assert (status, out) == (2, "")
        assert err.startswith(f"big2: {path}: ")


def test_file__with_a_name_that_is_no_utf_8_is_named(tmp_path: Path) -> None:
    done = subprocess.run([*map(os.fsencode, BIG2), b"run", b"\xff.in"], capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"big2: \\udcff.in: No such file or directory\n")


PLUGIN = """
import functools


def command(seed: int = 1) -> None:
    '''Deal.

    Examples:
        big2 deal
    '''
    print("dealt", seed)


@functools.wraps(command)
def wrapped() -> None:
    print("wrapped")
"""
BROKEN_PLUGIN = """
import no_such_library


def command() -> None:
    '''Shuffle.'''
"""


def test_verbs__of_installed_packages_are_found_and_those_of_ours_ask_for_none(tmp_path: Path) -> None:
    (tmp_path / "deal_plugin.py").write_text(PLUGIN)
    (tmp_path / "shuffle_plugin" / "inner").mkdir(parents=True)
    for name in ("__init__.py", "inner/__init__.py"):
        (tmp_path / "shuffle_plugin" / name).write_text("raise RuntimeError('imported')")
    (tmp_path / "shuffle_plugin" / "inner" / "verb.py").write_text(BROKEN_PLUGIN)
    info = tmp_path / "deal_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: deal-plugin\nVersion: 1.0\n")
    entries = {
        "deal": "deal_plugin:command",
        "again": "deal_plugin:wrapped",
        "lost": "no_such_module:command",
        "shuffle": "shuffle_plugin.inner.verb:command",
        "uno.deal": "deal_plugin:command",
        "uno.lost": "no_such_module:command",
    }
    lines = ["[big2_env.commands]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "COLUMNS": "200"}

    def big2(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*BIG2, *args], capture_output=True, encoding="utf-8", env=env, check=False)

    assert big2("deal", "--seed", "4").stdout == big2("uno", "deal", "--seed", "4").stdout == "dealt 4\n"
    for verb, cause in (
        ("lost", "ModuleNotFoundError"),
        ("uno.lost", "ModuleNotFoundError"),
        ("shuffle", "RuntimeError: imported"),
    ):
        failed = big2(*verb.split("."))
        assert failed.returncode == 2
        assert failed.stderr.startswith(
            f"big2: entry point {verb} = '{entries[verb]}' of group big2_env.commands cannot be loaded: {cause}"
        )
        assert failed.stderr.count("\n") == 1
    listed = big2("--help")
    assert listed.returncode == 0
    rows = {row.split()[1]: row.split(maxsplit=2)[2].strip(" │") for row in listed.stdout.splitlines() if row.startswith("│ ")}
    assert rows["deal"] == rows["again"] == "Deal."
    assert rows["shuffle"] == "Shuffle."
    assert rows["lost"].startswith("(entry point lost = 'no_such_module:command' of group big2_env.commands cannot be loaded: ")
    assert "convert" in rows
    family = big2("uno", "--help").stdout
    assert re.search(r"^│ deal +Deal\. +│$", family, re.MULTILINE)
    assert "(entry point uno.lost = " in family


def test_documentation__is_the_docstring_of_each_verb() -> None:
    for name in cli.available_verbs():
        found, verb = _verbs.documentation(name), cli.load_verb(name)
        assert verb is not None
        assert found is not None
        assert inspect.cleandoc(found) == inspect.cleandoc(verb.__doc__ or ""), name
    assert _verbs.documentation("ruin") is None


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def verb():\n  'Deal.'", "Deal."),
        ("verb = Family('Deal.', deal=deal)", "Deal."),
        ("def verb():\n  'Deal.'\ndef verb():\n  'Again.'", "Again."),
        ("def verb():\n  'Deal.'\nverb = wrapped(verb)", None),
        ("@wrapped\ndef verb():\n  'Deal.'", None),
        ("verb = Family(TEXT)", None),
        ("from deal import verb", None),
        ("def verb(): pass", None),
        ("", None),
    ],
)
def test_documentation__is_read_only_where_the_source_shows_it(source: str, found: str | None) -> None:
    assert _verbs._documentation_in(source, "verb") == found


def test_family__has_verbs_of_its_own_and_help_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    def deal(seed: int = 1) -> None:
        """Deal.

        Examples:
            big2 probe deal
        """
        print("dealt", seed)
        if seed < 0:
            raise ConfigError("seed -1")

    verb(monkeypatch, cli.Family("Piles.\n\nExamples:\n    big2 probe deal", deal=deal))
    assert run_cli("probe", "deal", "--seed", "4") == (0, "dealt 4\n", "")
    assert run_cli("probe", "deal", "--seed", "-1") == (2, "dealt -1\n", "big2: seed -1\n")
    assert "     big2 probe deal" in run_cli("probe", "--help").out
    assert "     big2 probe deal" in run_cli("probe", "deal", "--help").out
    assert run_cli("probe").status == run_cli("probe", "ruin").status == 2
    assert "ruin" in run_cli("probe", "ruin").err


def test_verbs_and_options__have_no_name_that_the_help_hides() -> None:
    for name in cli.available_verbs():
        command = _group._command(name)
        for each in (command, *getattr(command, "commands", {}).values()):
            assert not each.hidden, each.name
            assert not each.context_settings, name  # it could rename options
            assert not [option.name for option in each.params if getattr(option, "hidden", False)], each.name


HEAVY = {
    "numpy",
    "numba",
    "llvmlite",
    "torch",
    "gymnasium",
    "pettingzoo",
    "stable_baselines3",
    "scipy",
    "openskill",
    "matplotlib",
    "pyarrow",
    "starlette",
    "textual",
}
"""Libraries that only some verbs need."""
LOADED = """
import sys
{code}
print(*sorted(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "code",
    [
        "import big2_env",
        "from big2_env.cli import main\ntry: main(['run', {sample!r}])\nexcept SystemExit as end: assert end.code == 3",
    ],
    ids=["import", "run"],
)
def test_start__loads_nothing_heavy(code: str) -> None:
    script = LOADED.format(code=code.format(sample=str(SAMPLE)))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    loaded = set(done.stderr.split("\n")[-2].split())
    assert "big2_env.climbing.game" in loaded
    assert not (HEAVY | {"rich"}) & loaded
    assert not {"big2_env.cli.convert", "big2_env.notation.records", "big2_agents", "big2_env.kernels"} & loaded
    assert "big2_env.climbing.invented" not in loaded
    assert len(loaded) < 230  # mostly of the standard library; start-up is most of what a game costs


@pytest.mark.parametrize("args", [["--help"], ["rules"], ["games"], ["sample"]], ids=" ".join)
def test_light_verbs__load_nothing_heavy(args: list[str]) -> None:
    script = LOADED.format(
        code=f"from big2_env.cli import main\ntry: main({args!r})\nexcept SystemExit as end: assert not end.code"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    loaded = set(done.stderr.split("\n")[-2].split())
    assert "typer" in loaded
    assert not (HEAVY | {"big2_agents", "big2_env.kernels"}) & loaded
    verbs = {name for name in cli.available_verbs() if f"big2_env.cli.{name}" in loaded}
    assert verbs == set(args) - {"--help"}


def test_ctrl_c__is_quiet() -> None:
    def heed_interrupts() -> None:  # also where the tests run in the background of a script, which ignores them
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen([*BIG2, "run"], stdin=-1, stdout=-1, stderr=-1, preexec_fn=heed_interrupts) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(SAMPLE.read_bytes())
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"")


@pytest.mark.parametrize(("args", "module"), [(["run"], "big2_env.cli._text_game"), (["games"], "big2_env.cli._group")])
def test_ctrl_c__while_a_verb_is_imported_is_quiet(args: list[str], module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def find_spec(self, name: str, *_: object) -> None:
            if name == module:
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert run_cli(*args) == (130, "", "")


@pytest.mark.parametrize("args", [("run", str(SAMPLE)), ("games",), ("--help",), ("--version",), ("klondike", "deal")])
def test_broken_pipe__is_quiet(args: tuple[str, ...]) -> None:
    """Whoever prints: a plain verb, rich, typer."""
    with subprocess.Popen([*BIG2, *args], stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (141, b"")


def test_closed_stdin__is_an_empty_input() -> None:
    done = subprocess.run(f"exec {sys.executable} -m big2_env run <&-", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("big2: line 1: the deck is missing: the input is empty")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("match random random random random > /dev/full", "input or output: No space left on device"),
        ("games > /dev/full", "input or output: No space left on device"),
        ("--version > /dev/full", "input or output: No space left on device"),
        ("klondike survey --deals 1 --out /dev/full --overwrite", "expected a file to write, got /dev/full"),
        ("games >&-", "standard output is closed: expected a terminal, a file or a pipe"),
        ("play <&-", "standard input is closed: expected a terminal, a file or a pipe"),
        ("klondike play <&-", "standard input is closed: expected a terminal, a file or a pipe"),
        ("mcp <&-", "standard input is closed: expected a terminal, a file or a pipe"),
    ],
)
def test_streams__that_cannot_be_used_are_told_in_one_line(command: str, says: str) -> None:
    line = f"exec {sys.executable} -m big2_env {command}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"big2: {says}\n")


@pytest.mark.parametrize("stderr", ["2>&-", *["2> /dev/full"] * Path("/dev/full").exists()])
@pytest.mark.parametrize(
    "command", ["run no_such_file", "match nobody", "games --no-such-option", "arena lowest random --deals 0", "play --seat 7"]
)
def test_errors__where_stderr_cannot_be_used__leave_stdout_empty(command: str, stderr: str) -> None:
    line = f"exec {sys.executable} -m big2_env {command} {stderr}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_closed_stderr__does_not_change_results(tmp_path: Path) -> None:
    """Neither those on stdout nor those in a file, which would get the number of stderr."""
    for name, stderr in (("open", ""), ("closed", "2>&-")):
        out = tmp_path / f"{name}.jsonl"
        line = f"exec {sys.executable} -m big2_env uno simulate --games 100 --jobs 1 --out {out} {stderr}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
        assert done.returncode == 0
        (tmp_path / f"{name}.txt").write_bytes(done.stdout)
    assert (tmp_path / "open.txt").read_bytes() == (tmp_path / "closed.txt").read_bytes() != b""
    assert (tmp_path / "open.jsonl").read_bytes() == (tmp_path / "closed.jsonl").read_bytes()


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_log__is_the_same_bytes_in_any_locale(locale: str) -> None:
    env = os.environ | {"LC_ALL": locale, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*BIG2, "run", str(SAMPLE)], capture_output=True, env=env, check=False)
    assert done.stdout == SAMPLE.with_suffix(".out").read_bytes()
