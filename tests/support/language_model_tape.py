"""Make the notebook about language models again: its saved replies, then its outputs.

    python tests/support/language_model_tape.py

The replies come from a scripted model behind an endpoint on this machine. They belong to the exact prompts, so they are made
again when the text of prompts changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from loopback_endpoint import KEY, faulty, loopback
from places import NOTEBOOKS

TAPE = NOTEBOOKS / "data" / "language_model.replies.jsonl"
MODEL = "llm:scripted,legal"
TABLE = (MODEL, "greedy", "lowest", "random")
OPTIONS = ("--deals", "3", "--seed", "7", "--scoring", "winner")


def record(tape: Path) -> None:
    """Write the replies to the games of the notebook."""
    with TemporaryDirectory() as folder, loopback(lambda messages, number: faulty(messages, 0)) as server:
        replies = Path(folder, "replies.jsonl")
        settings = {"OPENAI_API_KEY": KEY, "BIG2_LLM_CACHE": str(replies), "BIG2_LLM_URL": server.url}
        command = [sys.executable, "-m", "big2_env", "arena", *TABLE, *OPTIONS, "--out", str(Path(folder, "arena.jsonl"))]
        subprocess.run([*command, "--at-once", "1"], env=os.environ | settings, check=True)
        shutil.copyfile(replies, tape)


if __name__ == "__main__":
    record(TAPE)
    subprocess.run(["jupyter", "execute", "--inplace", str(NOTEBOOKS / "language_model.ipynb")], check=True)
