"""`python -m big2_env`: the command `big2`."""

from __future__ import annotations

from big2_env.cli import main

if __name__ == "__main__":
    main()
