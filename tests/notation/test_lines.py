"""Lines of texts and of byte streams that arrive in pieces."""

from __future__ import annotations

import os
from collections.abc import Iterable
from io import BytesIO, RawIOBase, StringIO
from threading import Timer

import pytest

from big2_env import NotationError
from big2_env.notation.lines import ByteLines, Lines, write_lines


class Pieces(RawIOBase):
    """A stream that gives pieces one after another; a piece that is None has not arrived yet."""

    def __init__(self, *pieces: bytes | None) -> None:
        self.pieces = list(pieces)

    def read(self, size: int = -1) -> bytes | None:
        return self.pieces.pop(0) if self.pieces else b""


def one_by_one(text: bytes) -> Pieces:
    return Pieces(*(text[i : i + 1] for i in range(len(text))))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", ["", "水", "水\n", "\n\n水\r\n\n 火 ", "a\nb"])
def test_byte_lines__of_pieces_are_the_lines_of_the_whole(text: str, encoding: str) -> None:
    given = text.encode(encoding)
    expected = StringIO(text, newline="\n").readlines()
    for stream in (BytesIO(given), one_by_one(given), Pieces(None, given[:1], None, given[1:] or None)):
        assert list(filter(None, (line.removeprefix("\ufeff") for line in ByteLines(stream)))) == expected


def test_byte_lines__give_a_line_before_the_next_piece_is_read() -> None:
    stream = Pieces(b"a\nb", b"c\n", b"d")
    lines = ByteLines(stream)
    assert (next(lines), len(stream.pieces)) == ("a\n", 2)
    assert (next(lines), len(stream.pieces)) == ("bc\n", 1)
    assert list(lines) == ["d"]


def test_byte_lines__longer_than_the_limit_are_split() -> None:
    assert list(ByteLines(one_by_one(b"abcde\nab\nabc"), limit=2)) == ["abc", "de\n", "ab\n", "abc"]


@pytest.mark.parametrize(
    ("pieces", "blank", "left"),
    [
        ([b"x\n"], 0, ["x\n"]),
        ([b"\n", b" \n", b"\n\nx\n", b"y"], 4, ["\n", "\n", "x\n", "y"]),
        ([b"  \n x\n\n"], 1, ["  \n", " x\n", "\n"]),
        ([b"\n", b"\n"], None, []),
        ([], None, []),
    ],
)
def test_blank_lines__before_more_text_are_counted(pieces: Iterable[bytes], blank: int | None, left: list[str]) -> None:
    lines = ByteLines(Pieces(*pieces))
    assert lines.blank_lines_before_more(0) == blank
    assert list(lines) == left


def test_blank_lines__are_not_waited_for_longer_than_asked() -> None:
    read, write = os.pipe()
    with open(read, "rb", buffering=0) as stream, open(write, "wb", buffering=0) as other:
        lines = ByteLines(stream)
        other.write(b"\n\n")
        assert lines.blank_lines_before_more(0.0) is None
        Timer(0.05, lambda: other.write(b"x\n")).start()
        assert lines.blank_lines_before_more(60) == 0
        assert next(lines) == "x\n"


def test_lines__are_numbered_stripped_and_looked_ahead_at() -> None:
    for source in ("\ufeff a\n\nb ", StringIO("\ufeff a\n\nb "), BytesIO(b"\xef\xbb\xbf a\r\n\nb "), ["\ufeffa", "", "b"]):
        lines = Lines(source)
        assert Lines.of(lines) is lines
        assert (next(lines), lines.number, lines.is_whole) == ("a", 1, True)
        assert (lines.peek(), lines.number) == ("b", 2)
        assert (lines.next_filled(), lines.number, lines.is_whole) == ("b", 3, isinstance(source, list))
        assert (lines.peek(), lines.next_filled(), lines.number) == (None, None, 3)
        assert [str(lines.error("fault")), str(lines.error("fault", 0))] == ["line 3: fault", "line 0: fault"]


def test_lines__have_a_limit_and_one_byte_order_mark() -> None:
    for source, limit in (("ab\nabc\n", 3), (BytesIO(b"ab\nabc\n"), 3), (["ab", "abc"], 2)):
        lines = Lines(source, limit)
        assert next(lines) == "ab"
        with pytest.raises(NotationError, match=f"^line 2: more than {limit} characters$"):
            next(lines)
    assert list(Lines("\ufeffa\n\ufeffb")) == ["a", "\ufeffb"]


def test_parsed__names_the_line_of_what_is_refused() -> None:
    def read(line: str) -> int:
        if not line.isdigit():
            raise NotationError(f"no number: {line}")
        return int(line)

    found = Lines("1\n\n2\nx").parsed(read)
    assert [next(found), next(found)] == [1, 2]
    with pytest.raises(NotationError, match=r"^line 4: no number: x$"):
        next(found)


def test_write_lines__counts_them() -> None:
    out = StringIO()
    assert (write_lines(["a", "b"], out), write_lines([], out), out.getvalue()) == (2, 0, "a\nb\n")
