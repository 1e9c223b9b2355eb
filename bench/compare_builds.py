#!/usr/bin/python3
"""bench/compare_builds.py OLD NEW: whether a change made anything slower.

OLD and NEW are build folders of the preset `bench`, for example of two checkouts. Both programs take turns, on the sets of `make bench-quick`
and on the kernel table; a row is the median of the new times over the median of the old ones. Exits with 1 if a ratio is above --most.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "compete"))

import blas  # noqa: E402
import datasets  # noqa: E402
import numpy as np  # noqa: E402
from systems import Ours, environment  # noqa: E402

SHARED = HERE.parent.parent / "shared/data"
# What is timed: algorithm, start, epochs (None: until it ends by itself), so that a call takes a tenth of a second or more.
CALLS = [("fast", "given", 5), ("auto", "own", None), ("hals", "given", 20), ("mu", "given", 20), ("svrmu-acc", "given", 4)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--sets", default=",".join(datasets.QUICK))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=3, help="of each program in a round; the fastest counts")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--most", type=float, default=1.03)
    parser.add_argument("--no-kernels", action="store_true", help="leave the kernel table out")
    return parser.parse_args()


def row(what, old, new, most):
    """Prints a comparison; true if it is not too slow."""
    ratio = statistics.median(new) / statistics.median(old)
    slow = "slower" if ratio > most else ""
    print(f"| {what} | {statistics.median(old):.4g} | {statistics.median(new):.4g} | {ratio:.3f} | {slow} |", flush=True)
    return ratio <= most


def compare_calls(options, name):
    good = True
    with tempfile.TemporaryDirectory() as folder:
        data = datasets.load(name, options.new / "data", SHARED)
        given = [pathlib.Path(folder) / file for file in ("w.npy", "h.npy")]
        for path, factor in zip(given, datasets.random_start(data, 1)):
            np.save(path, factor)
        for algorithm, start, cap in CALLS:
            systems, seconds = [], ([], [])
            for build in (options.old, options.new):
                place = pathlib.Path(folder) / str(len(systems))
                place.mkdir(exist_ok=True)
                systems.append(Ours(algorithm, start, data, place, options.threads, build / "bench/svrmu_timed_fit"))
            for _ in range(options.rounds):
                best = [np.inf, np.inf]
                for _ in range(options.calls):
                    for i, system in enumerate(systems):
                        best[i] = min(best[i], system.run(1, cap, given, 600)[0]["seconds"])
                for i in range(2):
                    seconds[i].append(best[i])
            for system in systems:
                system.close()
            good &= row(f"{name}, {algorithm}, seconds", *seconds, options.most)
    return good


def kernel_speeds(build):
    """GFLOP/s of our kernels by name, from the tables that svrmu_kernel_bench prints."""
    text = subprocess.run([build / "bench/svrmu_kernel_bench"], env=environment(2), capture_output=True, text=True, check=False).stdout
    speeds, head, precision, section = {}, [], "", ""
    for line in text.splitlines():
        if line.startswith("## "):
            precision = line[3:]
        elif not line.startswith("|"):
            section = f"{precision}, {line.split(' of ')[0].split(',')[0]}" if line else section
        elif (cells := [cell.strip() for cell in line.strip("|").split("|")])[0] == "K":
            head = cells
        elif cells[0] == "GFLOP/s":
            speeds.update({f"{section}, K {k}": float(speed) for k, speed in zip(head[1:], cells[1:]) if speed})
        elif cells[0].isdigit():
            ours = [(title, cell) for title, cell in zip(head, cells) if title.endswith("ours")]
            speeds.update({f"{section}, K {cells[0]}, {title}": float(cell) for title, cell in ours})
    return speeds


def compare_kernels(options):
    runs = [[kernel_speeds(build) for build in (options.old, options.new)] for _ in range(options.rounds)]
    good = True
    for what in runs[0][0]:
        seconds = [[1 / pair[i][what] for pair in runs] for i in range(2)]
        good &= row(what + ", seconds per GFLOP", *seconds, options.most)
    return good


def main():
    options = arguments()
    print(f"{blas.describe()}\n\n| what | old | new | new / old | |\n|---|---:|---:|---:|---|")
    good = all([compare_calls(options, name) for name in options.sets.split(",")])
    if not options.no_kernels:
        good &= compare_kernels(options)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
