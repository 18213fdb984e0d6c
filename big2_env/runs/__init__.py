"""Tools for long computations, independent of what they compute.

| file | contents |
| --- | --- |
| `resumable` | results files that a killed run can continue: written, read, merged; sums over the items of a run |
| `rows` | rows of results in JSON files, and their tables |
| `atomic_files` | replacing, appending to and locking files, safe with several processes |
| `executors` | where work runs, as a value: threads or processes of this machine, or Ray; results in order |
| `batches` | cutting items into batches, running them in a worker, resending lost batches |
| `cluster` | workers as Ray actors |
| `turnstile` | threads that play in turn and wait for endpoints together |
| `item_queue` | items that depend on the results of earlier items |
| `origin` | commit, versions and machine, for measurements and trained agents |
| `intervals` | means and shares with 95% intervals |
| `progress` | progress on standard error |
"""
