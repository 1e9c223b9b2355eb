#!/usr/bin/python3
"""faults.py [--quick]: every system call of every command fails in turn, with a full disk and with a broken one.

SVRMU names the program. --quick takes the calls that write, of three commands.
"""

import argparse
import errno
import sys

from faulty_runs import COMMANDS, Runs

WRITING = "create,write,fsync,close,rename,unlink"
QUICK = ["convert", "convert a stream", "resume"]


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
            for had_files in (True, False) if command.outputs and not options.quick else (True,):
                for error in (errno.ENOSPC,) if options.quick else (errno.ENOSPC, errno.EIO):
                    calls = runs.every(name, command, had_files, calls=WRITING if options.quick else "all", error=error)
                    print(f"{name}: {calls} calls, {errno.errorcode[error]}, "
                          f"{'with' if had_files else 'without'} old files", flush=True)
    finally:
        runs.close()
    print(f"{runs.count} runs, {len(runs.failures)} broken promises")
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
