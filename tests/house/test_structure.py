"""The house keeps its order: who may import whom, no cycles, one meaning for each file name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import big2_agents
import big2_env

KNOWN: frozenset[str] = frozenset()
"""Breaks that are still there, as `breaks` names them. It may only shrink: an entry that is no break any more fails too."""

BELOW: Mapping[str, str] = {
    "ground": "",
    "language": "ground",
    "climbing": "ground",
    "kernels": "climbing ground",
    "notation": "climbing ground",
    "runs": "notation climbing ground",
    "agents": "climbing ground",
    "envs": "show language notation kernels agents climbing ground",
    "solve": "kernels climbing ground",
    "show": "language runs notation agents climbing ground",
    "play": "show language runs notation agents climbing ground",
    "games": "show language envs runs notation kernels climbing ground",
    "testing": "solve envs runs notation kernels agents climbing ground",
    "cli": "public registration testing games play solve show language envs runs notation kernels agents climbing ground",
    "registration": "games envs kernels climbing ground",
    "public": "registration games envs climbing ground",
    "start": "cli",
}
"""By room of big2_env: the rooms that it may import."""
ROOM_OF_FILE = {
    **dict.fromkeys(("cards", "errors", "rng", "named", "announced", "json_values", "pictures"), "ground"),
    **{"agents": "agents", "advice": "agents", "registration": "registration", "__init__": "public", "__main__": "start"},
}
"""The rooms of the files that stand beside the folders."""
CLIMBING_PARTS = ("encoding",)
"""Folders of `climbing` that the rest of it may not import."""
SAME_EVERYWHERE = {
    "__init__": "what a folder offers",
    "actions": "actions as numbers",
    "aec": "a PettingZoo environment",
    "automatic": "the automatic player",
    "base": "what everything in a room is made from",
    "cards": "cards as numbers",
    "command": "a verb",
    "critic": "the network that values positions",
    "engine": "many games stepped together",
    "features": "what a player's network or formula sees",
    "game": "the reference engine",
    "heuristic": "the player by a formula",
    "legal": "legal acts",
    "loops": "many games in one compiled call",
    "network": "the network of the learned player",
    "observe": "compiled observations",
    "observation": "what a network sees",
    "playouts": "games played to their ends by compiled players",
    "players": "simple players of a game",
    "plot": "pictures",
    "position": "a position as a value",
    "ppo": "the player by MaskablePPO",
    "records": "games as JSON lines",
    "results": "the file that keeps results",
    "rules": "the parameters of the rules",
    "rules_words": "the rules in words",
