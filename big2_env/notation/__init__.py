"""Games as text, both ways.

| module | what it holds |
| --- | --- |
| `transcript` | what was played: a game with its refused attempts, as a list of events |
| `spec_input` | the reader of the text format's input: deck, names, actions |
| `log` | the writer of the text format's log |
| `log_reader` | the reader of such a log |
| `records` | game records, one JSON line each |
| `any_form` | games in whichever of the three forms a text has |
| `replay` | a finished game position by position |
| `lines` | numbered, bounded lines of a text from outside |
"""
