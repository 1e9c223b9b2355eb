#!/usr/bin/python3
"""bench/stream.py [PROGRAM] [--columns N] [--memory-columns N]: what `svrmu fit --stream -` takes.

Columns of 500 features (float32) come through a pipe from a process of its own, K = 20. Prints

- the peak memory of svrmu over `--columns` (10 million), which must be below 200 MB;
- on `--memory-columns` (1 million), one thread, for each of `--algorithm`: columns per second through the pipe,
  those of one epoch of the same solver on the same columns in memory (its time in the solver alone; a mapped .npy),
  those of the producer if nobody computes, and the ratio of the first to the slower of the other two, which must be
  at least 0.7. Each is the shortest time of `--rounds` (3), taken in turn.

Times through a pipe are from the header to the end: reading, learning and estimating. Exits with 1 if a
target is missed. 2 GB for the file of the second part are needed in TMPDIR, and as much free memory.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FEATURES, RANK = 500, 20
BLOCK = 20000  # columns that are made once and sent again and again


def some_columns():
    random = np.random.default_rng(1)
    V = random.gamma(0.5, size=(BLOCK, RANK)) @ random.gamma(0.5, size=(RANK, FEATURES))
    return (V * random.uniform(0.8, 1.2, V.shape)).astype("<f4")


def produce(columns):
    """Writes a stream to standard output."""
    rows = some_columns()
    out = os.fdopen(sys.stdout.fileno(), "wb", buffering=0)
    out.write(b"SVRMUCOL" + struct.pack("<IIIIQ", 1, 4, 0, 0, FEATURES))
    left = columns
    while left > 0:
        count = min(left, BLOCK)
        out.write(struct.pack("<Q", count))
        data = memoryview(rows[:count]).cast("B")
        while data:
            data = data[out.write(data):]
        left -= count
    out.write(struct.pack("<QQ", 0, columns))


def producer_of(columns):
    return subprocess.Popen([sys.executable, __file__, "--produce", str(columns)], stdout=subprocess.PIPE, bufsize=0)


def piped(columns, words):
    """(what the command at the end of a pipe said, its peak memory in MB, its processor time)."""
    producer = producer_of(columns)
    reader = subprocess.Popen(list(map(str, words)), stdin=producer.stdout, stdout=subprocess.PIPE)
    producer.stdout.close()
    said = reader.stdout.read()
    _, status, usage = os.wait4(reader.pid, 0)
    producer.wait()
    if status != 0:
        sys.exit(f"{words[0]} ended with status {status}")
    return json.loads(said), usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def produced(columns):
    """Seconds from the header to the end of a stream that is only read."""
    producer = producer_of(columns)
    producer.stdout.read(32)
    begin = time.perf_counter()
    buffer = bytearray(1 << 20)
    while producer.stdout.readinto(buffer):
        pass
    seconds = time.perf_counter() - begin
    producer.wait()
    return seconds


def write_columns(columns, path):
    file = np.lib.format.open_memmap(path, "w+", "<f4", (columns, FEATURES))
    rows = some_columns()
    for first in range(0, columns, BLOCK):
        file[first:first + BLOCK] = rows[:min(BLOCK, columns - first)]


def in_memory(program, path, folder, algorithm):
    """Seconds in the solver for one epoch on the same columns: the shortest of three."""
    subprocess.check_call(
        [program, "fit", path, "--samples", "rows", "-k", str(RANK), "--algorithm", algorithm, "--epochs", "3", "--tol",
         "0", "--threads", "1", "-q", "--force", "--trace", Path(folder) / "trace.json", "-o", Path(folder) / "memory.h5"])
    history = json.loads((Path(folder) / "trace.json").read_text())["history"]
    clock = [record["solver_seconds"] for record in history]
    return min(after - before for before, after in zip(clock, clock[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/release/bin/svrmu"))
    parser.add_argument("--columns", type=int, default=10_000_000)
    parser.add_argument("--memory-columns", type=int, default=1_000_000)
    parser.add_argument("--algorithm", default="inc-hals", help="one, or several separated by commas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--produce", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.produce:
        return produce(options.produce)
    algorithms = options.algorithm.split(",")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        fit = [options.program, "fit", "--stream", "-", "-k", RANK, "-q", "--json", "--force", "-o", Path(folder) / "m.h5"]
        if options.columns > 0:
            said, peak, _ = piped(options.columns, [*fit, "--algorithm", algorithms[0]])
            print(f"{options.columns} columns of {FEATURES}, K {RANK}, {algorithms[0]}: {peak:.0f} MB at most (below 200), "
                  f"{said['seconds']:.1f} s, {said['columns_per_second']:.0f} columns/s, served "
                  f"{said['columns_read'] / options.columns:.3g} times", flush=True)
            missed |= peak >= 200 or said["columns_read"] != options.columns
        if options.memory_columns > 0:
            missed |= compare(options, algorithms, fit, folder)
    return int(missed)


def compare(options, algorithms, fit, folder):
    """Whether an algorithm is too slow through the pipe."""
    n = options.memory_columns
    path = Path(folder) / "V.npy"
    write_columns(n, path)
    alone = []
    runs = {algorithm: [] for algorithm in algorithms}  # (through the pipe, solver there, busy, in memory)
    for _ in range(options.rounds):
        alone.append(produced(n))
        for algorithm in algorithms:
            said, _, busy = piped(n, [*fit, "--threads", 1, "--algorithm", algorithm])
            runs[algorithm].append((said["seconds"], said["solver_seconds"], busy,
                                    in_memory(options.program, path, folder, algorithm)))
    missed = False
    for algorithm in algorithms:
        piped_seconds, solver, busy, memory = map(min, zip(*runs[algorithm]))
        ratio = max(memory, min(alone)) / piped_seconds
        print(f"{n} columns, one thread, {algorithm}: {n / piped_seconds:.0f} columns/s through the pipe "
              f"({n / solver:.0f} in the solver alone; {1e6 * busy / n:.2f} us of processor time each), "
              f"{n / memory:.0f} in memory, {n / min(alone):.0f} of the producer alone: {ratio:.2f} of the slower "
              f"(at least 0.7)", flush=True)
        missed |= ratio < 0.7
    return missed


if __name__ == "__main__":
    sys.exit(main())
