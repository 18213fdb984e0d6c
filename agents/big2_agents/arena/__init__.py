"""The arena: agents compared on the same deals, in every seat.

| module | what it holds |
| --- | --- |
| `schedule` | who sits where: contests, their rotations, the units of work |
| `deal_seeds` | the seeds of a run's deals, counted or drawn |
| `units` | one unit played; many units, on several processes |
| `results` | the results file (JSONL): written as it comes, read back, resumed |
| `stats` | win rates and scores with intervals, the deal being the unit |
| `ratings` | ratings by openskill's Plackett-Luce model |
| `differences` | two agents compared deal by deal, with bootstrap intervals |
| `report` | all this as numbers |
| `report_tables` | the numbers for people |
| `report_files` | the numbers for programs: CSV, Parquet; a heat map |
| `report_page` | the numbers as one HTML page; `page/` has its parts |
| `merging` | results files of several machines put together |
| `command` | the verb `big2 arena` |
| `fingerprints` | a hash of an agent's choices in fixed positions |
| `bench` | the frozen protocol big2-bench |
| `bench_rows` | what an agent reached under it |
| `bench_command` | the verb `big2 bench` |
"""
