"""Games as tools of the Model Context Protocol: a program plays one seat, agents play the others.

| module | contents |
| --- | --- |
| `seats` | one seat of a game: views, legal moves, answers and advice in words |
| `tools` | the tools: their arguments, their descriptions, their answers; open tables, bounded in number |
| `command` | `big2 mcp` |
| `server` | the server of the official Python SDK, on standard input and output or over HTTP |

Only `server` needs the extra `mcp`.
"""
