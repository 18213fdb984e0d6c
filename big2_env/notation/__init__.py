"""Games as text, both ways.

| module | what it holds |
| --- | --- |
| `transcript` | a game with its refused attempts as a list of events; seat names; a finished game position by position |
| `spec_input` | the reader of the text format's input: deck, names, actions |
| `log` | the writer of the text format's log |
| `log_reader` | the reader of such a log |
| `records` | game records, one JSON line each |
| `side_records` | records of side games |
| `positions` | positions as JSON |
| `sources` | games in any form: a text, a file, a move of it, JSON, standard input |
| `typed` | plays as people type them |
| `session` | a table at which one game after another is played |
| `lines` | numbered, bounded lines of a text from outside |
| `copies` | cards of two decks as text |
"""
