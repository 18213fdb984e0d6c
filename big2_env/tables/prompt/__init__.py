"""People who type their moves at a terminal or through a pipe, and the verbs that open a table in the terminal.

| module | contents |
| --- | --- |
| `table_prompt` | loops over deals and turns, for every kind of game |
| `climbing` | prompt of the climbing games |
| `puzzle` | the same for puzzles |
| `side_play` | prompt of side games, and what their verbs share |
| `terminal` | typed lines, commands, and scenes as text |
| `daily` | deals by link or by date, with the results of agents |
| `own_games` | `big2 games --mine` |
| `play_command`, `watch_command` | `big2 play`, `big2 watch` |
"""
