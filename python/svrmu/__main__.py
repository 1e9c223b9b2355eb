"""``python -m svrmu``: the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program svrmu that came with the package."""
    program = Path(__file__).with_name("bin") / "svrmu"
    if not program.exists():
        sys.exit(f"svrmu: there is no {program}; install the package with pip")
    os.execv(program, ["svrmu", *sys.argv[1:]])


if __name__ == "__main__":
    main()
