"""``python -m svrmu.patch script.py [arguments]``: runs a program with svrmu in scikit-learn's place.

``python -m svrmu.patch -m module [arguments]`` runs a module.
"""

from __future__ import annotations

import logging
import os
import runpy
import sys
from typing import List

from ._patch import patch_sklearn

_usage = "usage: python -m svrmu.patch [-v] (script.py | -m module) [arguments]"


def main(arguments: List[str]) -> None:
    """Patches scikit-learn, then runs what the arguments name."""
    if arguments[:1] == ["-v"]:
        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
        arguments = arguments[1:]
    if not arguments or arguments == ["-m"]:
        sys.exit(_usage)
    patch_sklearn()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
