"""The browser's table: an HTTP server at which each visitor plays at tables of agents.

Pages ask, the server answers: every act is a `POST` with the version of the table that it was made for, and every answer is
the whole state that the person may see. Nothing is pushed, so a page that is reloaded, or opened again after the server was,
asks for the state and goes on. `app` answers requests, `lobby` has the tables, `web_table` is one of them, `table_text` the
same as text, `table_store` keeps such texts, `saved_tables` reads and writes them, `table_acts` what is done at it, `reviews`
what comes after a game, `guard` keeps strangers out, `connections` ends half-sent requests, `messages` reads what pages send,
`answers` makes what they get. `big2_env.site` has the same without a server.
"""
