"""People at tables.

| package | contents |
| --- | --- |
| `session` | a person at a table, independent of the user interface |
| `prompt`, `terminal`, `browser` | typed lines, a full screen, pages with a server |
| `site` | pages without a server |
| `mcp` | a program at a table |
| `puzzles` | endings with a forced win |
"""
