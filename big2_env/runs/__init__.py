"""What long computations share, whatever they count.

| file | what it has |
| --- | --- |
| `resumable` | result files with which a killed run can be resumed; totals of runs that are added up |
| `atomic_files` | files that are replaced whole or added to, by several processes at a time |
| `executors` | where work is done, as a value: threads and processes here, or Ray; results in order |
| `batches` | items cut into batches, what a worker does with them, lost batches sent again |
| `cluster` | workers as actors of Ray |
| `item_queue` | items that follow from the results of earlier ones |
| `background_compile` | compiling in the background, while interpreted code answers |
| `intervals` | means and shares with 95% intervals |
| `progress` | progress bars on standard error |
"""
