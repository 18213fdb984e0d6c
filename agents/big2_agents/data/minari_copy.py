"""Conversion of a data set for Minari, with an episode per seat and game, so that every seat's losses are included."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from big2_agents.data.files import Dataset
from big2_agents.data.plan import Plan
from big2_agents.data.rows import Rows, pack_bits, unpack_bits
from big2_env.base.errors import needing
from big2_env.climbing.saved_rules import identity

NAME = "minari"
"""Subfolder of the data set."""


def import_minari() -> Any:
    """Return the minari module.

    Raises:
        ImportError: It is not installed, or lacks the parts that write.
    """
    with needing("Minari data sets need minari: pip install 'big2_env[minari]'"):
        import h5py  # noqa: F401 (Minari needs it to write)
        import minari.dataset.minari_storage
    return minari


def write_minari(dataset: Dataset, advance: Callable[[int], None] = lambda games: None) -> Path:
    """Copy a data set into its subfolder `minari`, atomically, for `minari.MinariDataset(folder)`.

    An observation is a dict of `observation`, int8 (size,), and `action_mask`, uint8 (ceil(actions / 8),), packed by
    `rows.pack_bits`. Rewards are 0 until the last one, the seat's payoff. A seat that made no decision in a game has no episode
    for it.

    Args:
        dataset: A data set of npz files.
        advance: Called with the number of games copied.

    Returns:
        The subfolder.

    Raises:
        ImportError: Minari is not installed.
        ConfigError: A piece is missing or broken.
    """
    library = import_minari()
    # Minari takes the sizes of files by paths that it joins twice if they are relative.
    folder, plan = dataset.folder.resolve() / NAME, dataset.plan
    new = folder.with_name(f"{NAME}.new")
    shutil.rmtree(new, ignore_errors=True)
    seen = spaces.Box(0, 1, (plan.observation_size,), np.int8)
    mask = spaces.Box(0, 255, (-(-plan.num_actions // 8),), np.uint8)
    storage = library.dataset.minari_storage.MinariStorage.new(
        new,
        observation_space=spaces.Dict({"observation": seen, "action_mask": mask}),
        action_space=spaces.Discrete(plan.num_actions),
        data_format="hdf5",
        jpeg_encoding=False,
    )
    storage.update_metadata(_metadata(plan, library.__version__))
    buffer = library.data_collector.EpisodeBuffer
    for rows in dataset.pieces():
        storage.update_episodes([buffer(**episode) for episode in episodes(rows, plan)])
        advance(len(rows.final_bits))
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    return folder


def _metadata(plan: Plan, version: str) -> dict[str, Any]:
    """Return the metadata of Minari's own card."""
    digest = identity(plan.rules)["rules"]["digest"]
    return {
        "dataset_id": f"{plan.rules.name.replace('_', '-')}/games-v0",
        "algorithm_name": ", ".join(plan.agents),
        "description": f"{plan.games} games of {plan.rules.name} (rules {digest}), seed {plan.seed}, "
        f"made with big2_env {plan.version}: an episode for each seat; "
        "action_mask is packed, eight actions to a byte, the first in the lowest bit",
        "requirements": ["big2_env"],
        "minari_version": version,
    }


def episodes(rows: Rows, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield the episodes of a piece, as arguments of Minari's `EpisodeBuffer`."""
    first = int(rows.game[0])
    for game in range(len(rows.final_bits)):
        for seat in range(plan.players):
            which = np.flatnonzero((rows.game == first + game) & (rows.seat == seat))
            if not len(which):
                continue
            seen = rows.observations(plan.observation_size, which)
            masks = pack_bits(rows.masks(plan.num_actions, which))
            rewards = np.zeros(len(which), np.float32)
            rewards[-1] = rows.payoff[which[-1]]
            ended = np.arange(len(which)) == len(which) - 1
            yield {
                "seed": None,
                "observations": {
                    "observation": np.vstack([seen, unpack_bits(rows.final_bits[game, seat], plan.observation_size)[None]]),
                    "action_mask": np.vstack([masks, np.zeros_like(masks[:1])]),
                },
                "actions": rows.action[which].astype(np.int64),
                "rewards": rewards,
                "terminations": ended,
                "truncations": np.zeros_like(ended),
                "infos": {},
            }
