"""Tables in the browser: an HTTP server where each visitor plays at tables with agents, or with friends at shared tables.

Pages ask and the server answers. A move is a `POST` with the version of the table it was made for, and every answer is the
whole state that the person may see. So a page that is reloaded, or reopened after a restart of the server, asks for the state
and continues. Changes of shared tables are sent to all people at the table as server-sent events.

| module | contents |
| --- | --- |
| `command` | `big2 serve`, with its address as a picture |
| `server`, `app` | the server process, one per folder; its routes, with bodies of requests and cookies of answers |
| `guard`, `connections` | checks of every request; timeouts for unfinished requests |
| `lobby`, `table_store`, `sqlite_store` | the tables of all visitors; tables as text, saved after every move; the database |
| `table` | what all tables have in common, and changes at tables of one visitor |
| `new_tables`, `reviews` | new tables; reviews of games that are over, at every kind of table |
| `web_table`, `side_table` | one table of one visitor: of a climbing game, of a side game |
| `table_handlers` | the requests to a table |
| `shared_table` | one table of several people |
| `shared_presence` | presence of visitors at such a table, and a new host after a long absence |
| `shared_timers` | moves of agents and clocks without a request, and new tries after failures |
| `shared_sights` | hands that spectators of such a table see |
| `shared_places` | seats, names and invitations |
| `shared_answers` | what each person receives about the people at such a table |
| `streams` | the streams of changes of shared tables |
| `moves` | moves of people, at all tables |
| `messages`, `answers` | what pages send; what they receive, including the page's own files and the rules of other tables |
| `variants` | games that share a picture of the start page |
| `start_page` | games, opponents with recorded results, the visitor's tables |
| `course_handlers` | a game in the text format: looked through and checked |
| `puzzle_answers` | puzzles: the list, and requests to one |
| `deal_handlers` | deals by name: tables with them, and the comparison with agents |
| `own_games` | the user's saved games: the list, and the review of one |

`big2_env.tables.site` runs the same table without a server.
"""
