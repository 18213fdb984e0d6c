"""What long work shares, whatever it counts.

| file | what it has |
| --- | --- |
| `resumable` | results files that a killed run can go on with |
| `replacing` | files that are replaced whole |
| `executors` | work spread over threads or processes, its results in order |
| `intervals` | means and shares with 95 % intervals |
| `progress` | progress bars on standard error |
"""
