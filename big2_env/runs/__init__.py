"""What long work shares, whatever it counts.

| file | what it has |
| --- | --- |
| `resumable` | results files that a killed run can go on with |
| `totals` | runs that are added up, and their files |
| `replacing` | files that are replaced whole or added to, by several processes at a time |
| `executors` | where work is done, as a value: threads and processes here, or Ray; results in order |
| `batches`, `worker` | items cut into batches, lost ones sent again; what each worker does |
| `processes`, `cluster` | workers as processes of this machine, as actors of Ray |
| `asking` | items that follow from the results of earlier ones |
| `background_compile` | compiling in the background, while interpreted code answers |
| `intervals` | means and shares with 95 % intervals |
| `progress` | progress bars on standard error |
"""
