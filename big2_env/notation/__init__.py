"""Games as text: readers and writers of the specification's format, records, positions and cards in words.

| module | contents |
| --- | --- |
| `spec_input` | reader and writer of the specification's input: deck, names, actions |
| `log` | writer of the specification's log |
| `log_reader` | reader of the log |
| `log_check` | comparison of a log with an expected one |
| `transcript` | a game with its names and refused attempts; replay of a finished game |
| `records` | game records in JSON, one per line |
| `side_records` | records of side games |
| `positions` | positions in JSON |
| `sources` | a game in any of these forms, from a text, a file or standard input |
| `written_cards` | cards in words, letters and signs, as people and language models write them |
| `lines` | numbered, bounded lines of untrusted text |
| `copies` | cards of two decks as text |
"""
