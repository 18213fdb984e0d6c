"""Games as text, both ways.

| module | what it holds |
| --- | --- |
| `transcript` | what was played: a game with its refused attempts, as a list of events |
| `spec_input` | the reader of the text format's input: deck, names, actions |
| `log` | the writer of the text format's log |
| `log_reader`, `log_items` | the reader of such a log; its lines, one item for each event |
| `records` | game records, one JSON line each |
| `side_records` | records of side games |
| `positions` | positions as JSON |
| `any_form` | games in whichever form a text has |
| `game_source` | games by what names them: a file, a move of it, JSON, standard input |
| `replay` | a finished game position by position |
| `typed` | plays as people type them |
| `session` | a table at which one game after another is played |
| `lines` | numbered, bounded lines of a text from outside |
| `copies`, `seat_names` | cards of two decks as text; what seats are called |
"""
