"""Weights files as a malicious person would write them: refused in one line, nothing in them run, no memory taken for them."""

import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from big2_agents.data import files
from big2_agents.learned.actor import load_actor, load_inputs
from big2_agents.learned.npz import learned_rules, read_floats, read_text
from big2_agents.learned.weights import learned_patterns, load_arrays
from big2_agents.uno.weights import load_weights
from big2_env import ConfigError

MOST_MEMORY = 100 << 20


def npy(
    descr: Any, shape: Any, data: bytes = b"", *, fortran: Any = False, header: str | None = None, version: int = 1
) -> bytes:
    """An array as a file says it, be it true or not."""
    text = (header or repr({"descr": descr, "fortran_order": fortran, "shape": shape})).encode("latin1") + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def header_of_shape(shape: str) -> str:
    return f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}"


RUNS = b"cos\nmkdir\n(Vpickle_was_run\ntR."
BOMB = (1 << 26) + 64
ARRAYS: dict[str, bytes] = {
    "petabytes": npy("<f4", (10**9, 10**6)),
    "a gigabyte": npy("<f4", (2**28,)),
    "more than a word": npy("<f4", (2**32, 2**32)),
    "negative": npy("<f4", (-4,), bytes(16)),
    "twice negative": npy("<f4", (-1, -4), bytes(16)),
    "of no rows": npy("<f4", (0, 10**18)),
    "pickle": npy("|O", (3,), RUNS),
    "pickle inside": npy([("a", "|O")], (1,), RUNS),
    "of no bytes": npy("|V0", (10**12,)),
    "of empty texts": npy("<U0", (10**12,)),
    "of no characters": npy("<U2", (), b"\xff\xff\xff\xff" * 2),
    "of no characters, several": npy("<U1", (2,), b"\xff\xff\xff\xff" * 2),
    "large text": npy("<U100000000", ()),
    "records": npy([("a", "<f4", (10**9,))], (1,)),
    "inner shape": npy(("<f4", (2**31, 2**31)), (1,)),
    "short": npy("<f4", (100,), bytes(12)),
    "empty": b"",
    "only magic": b"\x93NUMPY",
    "no version": b"\x93NUMPY\x09\x00" + bytes(50),
    "brackets": npy(0, 0, header="(" * 3000),
    "signs": npy(0, 0, header="-" * 5000 + "1"),
    "a list": npy(0, 0, header="[1]"),
    "a key as a list": npy(0, 0, header="{[]: 1}"),
    "few keys": npy(0, 0, header="{'descr': '<f4'}"),
    "digits": npy(0, 0, header=header_of_shape("9" * 4200 + ",")),
    "too many digits": npy(0, 0, header=header_of_shape("9" * 5200 + ",")),
    "long header": npy(0, 0, header=header_of_shape("1,") + " " * 10**6, version=2),
    "truths": npy("<f4", (True, True), bytes(4)),
    "floats": npy("<f4", (1.0,), bytes(4)),
    "order": npy("<f4", (2, 2), bytes(16), fortran="x"),
    "dimensions": npy("<f4", (1,) * 99, bytes(4)),
    "dates": npy("<M8[ns]", (1,), bytes(8)),
    "complex": npy("<c8", (1,), bytes(8)),
    "NaN": npy("<f4", (3,), struct.pack("<3f", 0, 1, np.nan)),
    "infinity": npy("<f4", (3,), struct.pack("<3f", 0, 1, -np.inf)),
}
"""Arrays that nobody reads, by what is wrong with them."""


def bombs() -> dict[str, bytes]:
    """Arrays that are small in a file and large in memory."""
    zeros = bytes(BOMB)
    many = npy("<f2", (20_000_000,), zeros[: 40_000_000 - 2] + b"\x00\x7e")  # the last one is NaN
    return {"bomb": npy("<f4", (BOMB // 4,), zeros), "bomb behind": npy("<f4", (3,), zeros), "many numbers": many}


def three(path: Path) -> object:
    return load_arrays(path, ["weights"], lambda arrays: {"weights": (3,)})


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "weights": ("weights", three),
    "weights without numpy": ("weights", lambda path: read_floats(path, ["weights"])),
    "text": ("text", lambda path: read_text(path, "text")),
    "patterns": ("patterns", learned_patterns),
    "rules": ("rules", learned_rules),
    "activation": ("activation", load_actor),
    "statistics": ("zero", load_inputs),
    "UNO": ("weights", load_weights),
}
HARMLESS = {("weights without numpy", "of no rows")}
"""What a reader takes for arrays, whose users look at the shape."""


def check_refused(read: Callable[[Path], object], path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError) as caught:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700
    assert path.name in str(caught.value)


@pytest.mark.parametrize("reader", READERS)
def test_arrays__that_are_none__are_refused(reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, read = READERS[reader]
    for number, (what, content) in enumerate((ARRAYS | bombs()).items()):
        if (reader, what) in HARMLESS:
            continue
        path = tmp_path / f"{number}.npz"
        with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as file:
            file.writestr(f"{name}.npy", content)
        check_refused(read, path)
    assert not Path("pickle_was_run").exists()


@pytest.mark.parametrize("reader", READERS)
def test_arrays__that_are_large_together__are_refused(reader: str, tmp_path: Path) -> None:
    name, read = READERS[reader]
    with ZipFile(tmp_path / "it.npz", "w", ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr(f"{name}.npy", npy("<f4", (3,), bytes(12)))
        for number in range(4):
            file.writestr(f"{number}.npy", npy("<f4", (5 << 20,), bytes(20 << 20)))
    check_refused(read, tmp_path / "it.npz")
    assert (tmp_path / "it.npz").stat().st_size < 1 << 20


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("content", [b"", b"abc", npy("<f4", (3,), bytes(12)), b"PK\x05\x06" + bytes(17)])
def test_files__that_are_no_zip__are_refused(reader: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "it.npz"
    path.write_bytes(content)
    check_refused(READERS[reader][1], path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("reader", READERS)
def test_of_two_members_of_one_name__none_is_run(reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, read = READERS[reader]
    with ZipFile(tmp_path / "it.npz", "w") as file:
        for content in (npy("<f4", (3,), bytes(12)), ARRAYS["pickle"]):
            file.writestr(f"{name}.npy", content)
    check_refused(read, tmp_path / "it.npz")
    assert not Path("pickle_was_run").exists()


def test_weights__too_large_for_what_computes_with_them__are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "large.npz", weights=np.array([0, 1e300, 0]))
    check_refused(three, tmp_path / "large.npz")
    for dtype in (np.float16, np.float32, np.float64):
        np.savez(tmp_path / "good.npz", weights=np.array([0, 1.5, -2], dtype))
        np.testing.assert_array_equal(three(tmp_path / "good.npz")["weights"], [0, 1.5, -2])  # type: ignore[index]


def test_piece__whose_list_promises_more_than_there_is__takes_no_memory(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "it.npz", "w") as file:
        file.writestr("game.npy", npy("<i8", (2**40,)))
    with (
        ZipFile(tmp_path / "it.npz") as file,
        pytest.raises(ValueError, match=r"game\.npy: expected plain numbers that fill it, got int64 \(\d+,\) in 0 bytes"),
    ):
        files._array(file, "game", np.dtype(np.int64), (2**40,))
