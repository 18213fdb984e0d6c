"""RLCard's agents without the seconds that their import takes: it runs `pip freeze` to learn whether torch is installed."""

from __future__ import annotations

import importlib
import subprocess
from unittest.mock import patch

with patch.object(subprocess, "check_output", return_value=b"torch==0\n"):
    agents = importlib.import_module("rlcard.agents")
