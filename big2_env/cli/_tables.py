"""How wide a printed table is."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table


def let_be_wide(console: Console, table: Table) -> None:
    """Let a table be as wide as its cells where no screen ends: in a file or a pipe. On a terminal its cells are folded."""
    if not console.is_terminal:
        console.soft_wrap = True
        console.width = max(console.width, console.measure(table, options=console.options.update(width=1000)).maximum)
