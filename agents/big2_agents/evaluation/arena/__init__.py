"""The arena: compares agents on the same deals, in every seat.

`big2 arena` is the verb for it. In Python, `results.load` and `report.Report.of` read a results file.

| module | content |
| --- | --- |
| `schedule` | seating: contests, their rotations, units of work, and the seeds of the deals |
| `units` | playing units, in one or several processes |
| `results` | the results file (JSONL): writing, reading, resuming, and merging files of several machines |
| `concurrent_games` | games of language models, several at once in one process |
| `answer_counts` | answers of language models: faults, retries, tokens and time |
| `stats` | win rates and scores with intervals over deals, paired differences, ratings |
| `report` | the results as numbers, as tables for people, and as files for programs |
| `report_page` | the results as one HTML page, with templates in `page/` |
| `command` | the verb `big2 arena` |
| `bench` | the frozen protocol big2-bench: pinned opponents, and result rows of agents |
| `bench_command` | the verb `big2 bench` |
"""
