#!/usr/bin/python3
"""signals.py [--quick]: each signal before every system call of every command.

SVRMU names the program. --quick takes two signals, the calls that write, and two commands.
"""

import argparse
import signal
import sys

from faulty_runs import COMMANDS, Runs

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGXFSZ, signal.SIGPIPE]
WRITING = "create,rename"
QUICK = ["fit", "convert to a stream"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=COMMANDS)
    options = parser.parse_args()
    names = [options.only] if options.only else QUICK if options.quick else list(COMMANDS)
    runs = Runs()
    try:
        for name in names:
            command = COMMANDS[name]
            for number in (signal.SIGTERM, signal.SIGKILL) if options.quick else SIGNALS:
                calls = runs.every(name, command, True, calls=WRITING if options.quick else "all", number=number)
                print(f"{name}: {calls} calls, {number.name}", flush=True)
    finally:
        runs.close()
    print(f"{runs.count} runs, {len(runs.failures)} broken promises")
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
