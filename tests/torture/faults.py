#!/usr/bin/python3
"""faults.py [--quick]: every system call of every command fails in turn, with a full disk and with a broken one.

SVRMU names the program. --quick takes the calls that write, of a few commands.
"""

import errno
import sys

from faulty_runs import main

WRITING = "create,write,fsync,close,rename,unlink"
# The last one: HDF5 freed a file twice whose close had failed.
QUICK = ["convert", "convert a stream", "resume", "info of HDF5, trusted"]


def play(runs, name, command, quick):
    for had_files in (True, False) if command.outputs and not quick else (True,):
        for error in (errno.ENOSPC,) if quick else (errno.ENOSPC, errno.EIO):
            calls = runs.every(name, command, had_files, calls=WRITING if quick else "all", error=error)
            print(f"{name}: {calls} calls, {errno.errorcode[error]}, {'with' if had_files else 'without'} old files", flush=True)


if __name__ == "__main__":
    sys.exit(main(__doc__, QUICK, play))
