"""The heuristic where actions are ranks: candidates, kickers and partings against what the rules and brute force say."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from random_games import random_games

from big2_agents.compiled.counts import counts_of_cards, has
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.compiled.partings import best_parting, think
from big2_agents.compiled.plays import act_id, candidates_dtype, find_acts
from big2_env import Game, RuleSet, ruleset
from big2_env.climbing.actions import action_space
from big2_env.kernels.bits import U
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.positions import Positions
from big2_env.kernels.tables import as_record
from big2_env.kernels.variants import variant_of
