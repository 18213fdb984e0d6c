"""Arenas played for tests, and the lines that they write."""

from __future__ import annotations

from pathlib import Path

from run_cli import run_cli

from big2_agents.evaluation.arena.results import Config

PAIR = Config(("greedy", "random"), "big2", "own", 7, "pairs")


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def arena(path: Path, deals: int, *more: str, agents: tuple[str, ...] = ("greedy", "random")) -> tuple[int, str, str]:
    return run_cli("arena", *agents, "--deals", str(deals), "--seed", "7", "--jobs", "1", "--out", str(path), *more)
