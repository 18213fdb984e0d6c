"""The browser's table: an HTTP server at which each visitor plays at tables of agents.

Pages ask, the server answers: every act is a `POST` with the version of the table that it was made for, and every answer is
the whole state that the person may see. Nothing is pushed, so a page that is reloaded, or opened again after the server was,
asks for the state and goes on.

| module | contents |
| --- | --- |
| `server`, `app` | the server; the answers to its requests |
| `guard`, `connections` | protection from strangers; the end of half-sent requests |
| `lobby`, `table_store` | the tables of all visitors; tables as texts, kept after every act |
| `web_table`, `table_acts` | one table, and the review of its game; what is done at it |
| `messages`, `answers` | what pages send; what they get, the page itself included |

`big2_env.site` has the same without a server.
"""
