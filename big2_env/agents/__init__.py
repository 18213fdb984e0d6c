"""Agents: the interface, lookup by name, advice, seeds, separate processes and time limits.

| file | contents |
| --- | --- |
| `interface` | the protocol `Agent`, agents by name, turns of agents in a game |
| `advice` | agents that rate the legal moves |
| `seeds` | seeds from what a seat knows |
| `isolated`, `isolated_child` | agents in processes of their own, and what runs there |
| `time_limit` | agents with a time limit per decision |
"""

from big2_env.agents.interface import (
    Agent,
    available_agents,
    is_hurried,
    is_stochastic,
    make_agent,
    play_out,
    play_turn,
    reset_seats,
)

__all__ = [
    "Agent",
    "available_agents",
    "is_hurried",
    "is_stochastic",
    "make_agent",
    "play_out",
    "play_turn",
    "reset_seats",
]
