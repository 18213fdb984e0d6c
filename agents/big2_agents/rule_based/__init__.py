"""Agents without trained networks: `simple` ones, `heuristic` and `search`; `batched` plays them in games of a batch."""
