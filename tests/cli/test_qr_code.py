"""QR codes in a terminal: the modules of the code, two rows per line, and nothing where they do not fit."""

from __future__ import annotations

import io

import pytest
import segno
from rich.console import Console

from big2_env.tables.browser.command import print_qr, qr_lines

LINK = "http://192.168.178.21:8152/#/join/Dys8jL5VlVOo/vI88GLcRtG0a6GR-STyIyQ"


def test_qr__lines_hold_the_modules_of_the_code() -> None:
    rows = [list(map(int, row)) for row in segno.make(LINK, error="l", micro=False).matrix_iter(border=2)]
    seen = []
    for line in qr_lines(LINK):
        seen += [[int(one in "█▀") for one in line], [int(one in "█▄") for one in line]]
    assert seen[: len(rows)] == rows
    assert not any(map(any, seen[len(rows) :]))


@pytest.mark.parametrize(("width", "height", "terminal"), [(80, 50, True), (30, 50, True), (80, 12, True), (80, 50, False)])
def test_qr__is_printed_where_it_fits_a_terminal(width: int, height: int, terminal: bool) -> None:
    written = io.StringIO()
    print_qr(Console(file=written, width=width, height=height, force_terminal=terminal), LINK)
    assert ("▀" in written.getvalue()) == (width == 80 and height == 50 and terminal)
