"""Language models as agents: `llm:MODEL` over any OpenAI-compatible endpoint.

| module | content |
| --- | --- |
| `agent` | the agent: asks the model for each move, reads its answer, counts faults |
| `protocol` | options in the agent's name, the prompts, and the hash that identifies both |
| `faults` | action after an answer without a legal move, and the counts of a game |
| `settings` | endpoint, files and budgets, from environment variables |
| `endpoint` | calls of the endpoint by the client `openai` (extra `llm`): limits, repeated attempts, errors without keys |
| `replies` | the cache of replies, a tape for runs without endpoint |
| `asking` | replies from the cache or the endpoint, within the budget, and the transcript: a line per answer |
"""
