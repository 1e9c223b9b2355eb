#!/usr/bin/python3
"""tools/compare_bits.py OLD NEW: whether two svrmu programs give the same W and H, bit for bit.

Runs both on every algorithm, on dense and sparse data of two shapes, in float and double, and on transform,
every start, other losses, penalties, restarts, and a run that was stopped and resumed. Where bits differ it
tells the relative distance, of the factors and of transform's H apart: the latter may change while the former
stay. Exits with 1 if a distance is above 1e-10 (double) or 1e-4 (float), or if only one
of the programs failed; differences below that are listed, for the changelog.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy
import scipy.io
import scipy.sparse

SHAPES = {"small": (60, 300, 5), "large": (250, 4200, 8)}
TOLERANCE = {"float32": 1e-4, "float64": 1e-10}


def make_data(folder):
    for name, (features, samples, rank) in SHAPES.items():
        random = numpy.random.default_rng(7)
        V = random.gamma(0.6, size=(features, rank)) @ random.gamma(0.6, size=(rank, samples))
        V *= random.uniform(0.8, 1.2, size=V.shape)
        numpy.save(folder / f"{name}_dense.npy", V)
        kept = scipy.sparse.csc_matrix(numpy.where(random.uniform(size=V.shape) < 0.08, V, 0))
        scipy.sparse.save_npz(folder / f"{name}_sparse.npz", kept)


def cases(algorithms):
    """(name, data, K, precision, the flags of one or two calls of fit)"""
    for shape, (_, _, rank) in SHAPES.items():
        for storage in ("dense.npy", "sparse.npz"):
            for precision in TOLERANCE:
                data = f"{shape}_{storage}"
                about = f"{shape} {storage.split('.')[0]} {precision}"
                for algorithm in algorithms:
                    yield f"{algorithm} {about}", data, rank, precision, [["--algorithm", algorithm]]
                for loss in ("kl", "beta:1.5"):
                    yield f"{loss} {about}", data, rank, precision, [["--loss", loss]]
                for start in ("svd-abs", "nndsvda", "nndsvdar"):
                    yield f"{start} {about}", data, rank, precision, [["--init", start]]
                yield f"hals from nndsvd {about}", data, rank, precision, [["--init", "nndsvd", "--algorithm", "hals"]]
                penalties = ["--l1-h", "0.1", "--l2-w", "0.2"]
                yield f"penalties {about}", data, rank, precision, [penalties]
                yield f"restarts {about}", data, rank, precision, [["--restarts", "2", "--algorithm", "svrmu-acc"]]
                for algorithm in ("fast", "svrmu-acc", "sag-mu", "r-svrmu", "hals-ext"):
                    flags = ["--algorithm", algorithm]
                    yield f"{algorithm} resumed {about}", data, rank, precision, [flags + ["--epochs", "3"], []]
                yield f"evaluate every 3 {about}", data, rank, precision, [["--algorithm", "smu", "--evaluate-every", "3"]]


def run(program, folder, data, rank, precision, calls, name):
    """{part: arrays}, or the exit code and the message of the first call that failed."""
    out = Path(tempfile.mkdtemp(dir=folder))
    common = ["-q", "--force", "--threads", "2"]
    saved = ["--save-w", out / "W.npy", "--save-h", out / "H.npy", "-o", out / "m.h5", "--precision", precision]
    for i, flags in enumerate(calls):
        ends = [] if "--epochs" in flags else ["--epochs", "6", "--tol", "0"]
        begins = ["--resume", out / "m.h5"] if i else ["-k", str(rank), "--seed", "3"]
        command = [program, "fit", folder / data, *begins, *flags, *ends, *saved, *common]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.returncode, done.stderr.strip()
    command = [program, "transform", out / "m.h5", folder / data, "-o", out / "T.npy", *common]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.returncode, done.stderr.strip()
    W, H, T = (numpy.load(out / f"{matrix}.npy") for matrix in "WHT")
    return {"factors": [W, H], "transform": [T]}


def digest(arrays):
    return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest()[:16]


def distance(a, b):
    size = max(numpy.linalg.norm(x) for x in a)
    return max(numpy.linalg.norm(x.astype(float) - y.astype(float)) for x, y in zip(a, b)) / size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="", help="only cases whose name holds this text")
    parser.add_argument("--verbose", action="store_true", help="print the digest of every case")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.new, "algorithms", "--json"], capture_output=True, text=True, check=True)
    algorithms = [entry["name"] for entry in json.loads(listed.stdout)]
    counts = {part: Counter() for part in ("factors", "transform")}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_data(folder)
        for name, data, rank, precision, calls in cases(algorithms):
            if arguments.only not in name:
                continue
            old, new = (run(p, folder, data, rank, precision, calls, name) for p in (arguments.old, arguments.new))
            failed = [r for r in (old, new) if isinstance(r, tuple)]
            if failed:
                agree = len(failed) == 2 and old[0] == new[0]
                counts["factors"]["the same" if agree else "different"] += 1
                if not agree:
                    print(f"{name}: {old if isinstance(old, tuple) else 'done'} -> {new if isinstance(new, tuple) else 'done'}")
                continue
            for part, count in counts.items():
                if arguments.verbose:
                    print(f"{name}, {part}: {digest(new[part])}")
                if digest(old[part]) == digest(new[part]):
                    count["the same"] += 1
                    continue
                apart = distance(old[part], new[part])
                within = apart <= TOLERANCE[precision]
                count["close" if within else "different"] += 1
                print(f"{name}, {part}: other bits, relative distance {apart:.1e}{'' if within else ', too much'}", flush=True)
    for part, count in counts.items():
        print(f"{part}: " + ", ".join(f"{count[verdict]} {verdict}" for verdict in ("the same", "close", "different")))
    return int(any(count["different"] for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
