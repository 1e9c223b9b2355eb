#!/usr/bin/python3
"""signals.py [--quick]: each signal before every system call of every command.

SVRMU names the program. --quick takes two signals, the calls that write, and two commands.
"""

import signal
import sys

from faulty_runs import main

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGXFSZ, signal.SIGPIPE]
WRITING = "create,rename"
QUICK = ["fit", "convert to a stream"]


def play(runs, name, command, quick):
    for number in (signal.SIGTERM, signal.SIGKILL) if quick else SIGNALS:
        calls = runs.every(name, command, True, calls=WRITING if quick else "all", number=number)
        print(f"{name}: {calls} calls, {number.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main(__doc__, QUICK, play))
