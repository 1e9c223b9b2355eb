#!/usr/bin/python3
"""Times reading of a .mtx against scipy.io.mmread and of a .csv against numpy.loadtxt, in one run.

bench/io.py [PROGRAM] [--megabytes 60]: PROGRAM is svrmu_read_file, built with SVRMU_BENCH. Prints the ratios and
the peak memory over the size of the final matrix; exits with 1 if a target (5, 3, 2.5) is missed.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write_mtx(path, megabytes):
    rng = np.random.default_rng(1)
    entries = int(megabytes * 1e6 / 26)
    rows, columns = 20000, 50000
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} {entries}\n")
        table = np.column_stack([rng.integers(1, rows + 1, entries), rng.integers(1, columns + 1, entries), rng.random(entries)])
        np.savetxt(file, table, fmt="%d %d %.12g")


def write_csv(path, megabytes):
    rng = np.random.default_rng(2)
    columns = 500
    np.savetxt(path, rng.random((int(megabytes * 1e6 / 9 / columns), columns)), fmt="%.6f", delimiter=",")


def ours(program, path, threads, repeats=3):
    """The fastest of some runs, each in a process of its own."""
    runs = [json.loads(subprocess.check_output([program, str(path), str(threads)])) for _ in range(repeats)]
    return min(runs, key=lambda run: run["seconds"])


def peer(function, repeats=3):
    """The fastest of as many runs as ours get."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/bench/bench/svrmu_read_file"))
    parser.add_argument("--megabytes", type=float, default=60)
    arguments = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, write, read, target in (
            ("V.mtx", write_mtx, scipy.io.mmread, 5),
            ("V.csv", write_csv, lambda path: np.loadtxt(path, delimiter=","), 3),
        ):
            path = pathlib.Path(folder) / name
            write(path, arguments.megabytes)
            theirs = peer(lambda: read(path))
            for threads in (1, 0):
                run = ours(arguments.program, path, threads)
                ratio, memory = theirs / run["seconds"], run["peak_mb"] / run["matrix_mb"]
                missed |= ratio < target or memory > 2.5
                print(f"{name} {path.stat().st_size / 1e6:.1f} MB, {threads or 'all'} threads: {run['seconds']:.3f} s, "
                      f"theirs {theirs:.2f} s, {ratio:.1f} times faster (at least {target}); "
                      f"peak {run['peak_mb']:.0f} MB = {memory:.2f} x the matrix of {run['matrix_mb']:.0f} MB")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
