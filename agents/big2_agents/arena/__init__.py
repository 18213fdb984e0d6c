"""The arena: agents compared on the same deals, in every seat.

| module | what it holds |
| --- | --- |
| `schedule` | who sits where: contests, their rotations, the units of work; the seeds of the deals |
| `units` | one unit played; many units, on several processes |
| `results` | the results file (JSONL): written as it comes, read back, resumed, merged with those of other machines |
| `stats` | win rates and scores with intervals, the deal being the unit; paired differences; ratings |
| `report` | all this as numbers, as tables for people, and as files for programs |
| `report_page` | the numbers as one HTML page; `page/` has its parts |
| `command` | the verb `big2 arena` |
| `bench` | the frozen protocol big2-bench, what pins its opponents, and the rows that agents reached under it |
| `bench_command` | the verb `big2 bench` |
"""
