#!/usr/bin/env python3
"""Where variance reduction pays, in numbers.

stochastic.py undone   the share of the first ten epochs that the safeguard undoes, on the sets of bench/compete
stochastic.py kl       processor seconds to within 1 % of the lowest Kullback-Leibler divergence of all runs, one thread
stochastic.py settings processor seconds of svrmu to within 1 % of the lowest objective, by h steps, passes, batch sizes
stochastic.py undone --loss kl --sets reuters-counts,cbcl
stochastic.py kl --program before=OTHER/bin/svrmu --program now=build/bench/bin/svrmu

Sets whose files are absent are left out, with a message. Several programs are compared in one table.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # read when numpy is imported
    os.environ.setdefault(threads, "1")

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench/compete"))
import datasets  # noqa: E402

UNDONE_EPOCHS = 10


def reuters_counts(shared, _):
    return scipy.sparse.csc_matrix(datasets.from_matlab(shared, "Reuters21578.mat", "fea").T, dtype=float)


def counts(_, random):
    """Poisson counts around a product of gamma factors, one entry in seven not zero."""
    W = random.gamma(0.3, 1, (2000, 20))
    H = random.gamma(0.3, 1, (20, 50000))
    scale = 0.16 / np.mean(W @ H[:, :1000])
    blocks = [scipy.sparse.csc_matrix(random.poisson(scale * (W @ H[:, i : i + 1000])).astype(float))
              for i in range(0, 50000, 1000)]
    return scipy.sparse.hstack(blocks, format="csc")


KL_SETS = {
    s.name: s
    for s in (
        datasets.DataSet("reuters-counts", "Reuters-21578, counts", 30, reuters_counts),
        datasets.ALL["cbcl"],
        datasets.DataSet("counts", "Poisson counts, one entry in seven not zero", 20, counts),
    )
}
SETS = {**datasets.ALL, **KL_SETS}
EPOCHS = {"reuters-counts": 150, "cbcl": 200, "counts": 6}  # of each of our runs for kl


def load(name, options):
    """The file of a set and its spec, or nothing."""
    spec = SETS[name]
    for ending in ("npz", "npy"):
        path = options.cache / f"{name}.{ending}"
        if path.exists():
            return spec, path
    options.cache.mkdir(parents=True, exist_ok=True)
    try:
        V = spec.make(options.shared, np.random.default_rng(1))
    except datasets.Absent as reason:
        print(f"{name} is left out: {reason}", file=sys.stderr)
        return None
    if scipy.sparse.issparse(V):
        V.sort_indices()
        path = options.cache / f"{name}.npz"
        scipy.sparse.save_npz(path, V, compressed=False)
    else:
        path = options.cache / f"{name}.npy"
        np.save(path, np.asfortranarray(V, dtype=spec.dtype))
    return spec, path


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def history(program, path, rank, options, *flags):
    """The records of one run, and the share of its time in which it had a processor."""
    begin, used = time.perf_counter(), processor_seconds()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        subprocess.run([program, "fit", path, "-k", str(rank), "--tol", "0", "--seed", str(options.seed), "--threads", "1",
                        "--trace", trace, "-o", pathlib.Path(folder) / "model.svrmu.h5", *flags],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        share = (processor_seconds() - used) / (time.perf_counter() - begin)
        return json.loads(trace.read_text())["history"], min(share, 1)


def share_undone(records):
    """Of the columns read in epochs, those of epochs that were undone."""
    read = [b["columns_read"] - a["columns_read"] for a, b in zip(records, records[1:])]
    undone = sum(columns for columns, record in zip(read, records[1:]) if record["rolled_back"])
    return undone / sum(read)


def undone(options):
    print(f"Share of the columns read in the first {UNDONE_EPOCHS} epochs whose epoch was undone, loss {options.loss}, and the")
    print("objective then. Automatic settings.\n")
    names = options.sets or (list(KL_SETS) if options.loss != "frobenius" else datasets.DEFAULT)
    columns = [(label, algorithm) for algorithm in ("svrmu", "svrmu-acc") for label in options.program]
    print("| set | " + " | ".join(f"{algorithm}, {label} | objective" for label, algorithm in columns) + " |")
    print("|---" * (1 + 2 * len(columns)) + "|", flush=True)
    for name in names:
        found = load(name, options)
        if found is None:
            continue
        spec, path = found
        cells = []
        for label, algorithm in columns:
            records, _ = history(options.program[label], path, spec.rank, options, "--algorithm", algorithm, "--loss",
                                 options.loss, "--epochs", str(UNDONE_EPOCHS))
            cells += [f"{100 * share_undone(records):.1f} %", f"{records[-1]['objective']:.6g}"]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def divergence(V, W, H):
    """Of V from WH, by blocks of columns."""
    total = float((W.sum(axis=0) * H.sum(axis=1)).sum())
    for begin in range(0, V.shape[1], 1000):
        block = scipy.sparse.csc_matrix(V[:, begin : begin + 1000]).tocoo()
        x = np.maximum(np.einsum("ik,ik->i", W[block.row], H.T[begin + block.col]), 2.0**-104)
        total += float(np.sum(block.data * np.log(block.data / x) - block.data))
    return total


def peer(path, spec, best, options):
    """MiniBatchNMF at growing numbers of passes: (seconds, divergence) of each call."""
    from sklearn.decomposition import MiniBatchNMF

    V = scipy.sparse.load_npz(path) if path.suffix == ".npz" else np.load(path)
    X = V.T.tocsr() if scipy.sparse.issparse(V) else np.ascontiguousarray(V.T)
    calls, passes = [], 2
    while not calls or (calls[-1][0] < options.seconds / 2 and calls[-1][1] > 1.01 * best):
        model = MiniBatchNMF(n_components=spec.rank, beta_loss="kullback-leibler", max_iter=passes, tol=0,
                             max_no_improvement=None, random_state=options.seed)
        begin = time.process_time()
        H = model.fit_transform(X).T
        calls.append((time.process_time() - begin, divergence(V, model.components_.T, H)))
        passes *= 2
    return calls


def described(repeats, best):
    """Least and most seconds within 1 % over equal runs, and the call or epoch; or how near the points came."""
    first = next((i for i, (_, objective) in enumerate(repeats[0]) if objective <= 1.01 * best), None)
    if first is None:
        seconds, objective = min(repeats[0], key=lambda point: point[1])
        return f"{100 * (objective / best - 1):.1f} % after {seconds:.1f}"
    seconds = sorted(points[first][0] for points in repeats)
    return f"{seconds[0]:.2f}" + (f" to {seconds[-1]:.2f}" if len(seconds) > 1 else "") + f" ({first})"


def kl(options):
    print("Processor seconds to within 1 % of the lowest divergence of all runs, or how far above it after how many;")
    print(f"in parentheses the epoch; one thread, seed {options.seed}, {options.repeats} run(s) in turn.\n")
    algorithms = ("svrmu", "svrmu-acc", "mu-ext")
    labels = [f"{algorithm}, {label}" for algorithm in algorithms for label in options.program]
    print("| set | lowest | " + " | ".join(labels) + " | MiniBatchNMF |")
    print("|---" * (3 + len(labels)) + "|", flush=True)
    for name in options.sets or list(KL_SETS):
        found = load(name, options)
        if found is None:
            continue
        spec, path = found
        runs = {label: [] for label in labels}
        for _ in range(options.repeats):
            for algorithm in algorithms:
                for label, program in options.program.items():
                    start = ["--init", "frobenius"] if algorithm == "mu-ext" else []
                    records, share = history(program, path, spec.rank, options, "--loss", "kl", "--algorithm", algorithm,
                                             "--epochs", str(options.epochs or EPOCHS.get(name, 100)), *start)
                    runs[f"{algorithm}, {label}"].append(
                        [(share * (r["solver_seconds"] + r["evaluate_seconds"]), r["objective"]) for r in records])
        best = min(objective for repeats in runs.values() for _, objective in repeats[0])
        cells = [described(repeats, best) for repeats in runs.values()]
        cells.append("" if options.no_peer else described([peer(path, spec, best, options)], best))
        print(f"| {name} | {best:.6g} | " + " | ".join(cells) + " |", flush=True)


SETTINGS = ("", "h-repeats=2", "h-repeats=3", "h-repeats=5", "h-repeats=8", "correction=unbiased", "inner-passes=2",
            "inner-passes=5")


def settings(options):
    """One row per setting, one column per set: what automatic choices should be."""
    names = options.sets or (list(KL_SETS) if options.loss != "frobenius" else ["lowrank", "cbcl", "reuters"])
    print(f"svrmu, loss {options.loss}: processor seconds to within 1 % of the lowest objective of the column, or how far above")
    print(f"it after how many; in parentheses the epoch; one thread, seed {options.seed}, {options.repeats} run(s) in turn.\n")
    program = next(iter(options.program.values()))
    columns, shown = {}, []
    for name in names:
        found = load(name, options)
        if found is None:
            continue
        spec, path = found
        shown.append(name)
        epochs = options.epochs or EPOCHS.get(name, 100)
        runs = {setting: [] for setting in options.settings}
        for _ in range(options.repeats):
            for setting in options.settings:
                flags = [word for part in setting.split(",") if part for word in ("--" + part).split("=")]
                records, share = history(program, path, spec.rank, options, "--loss", options.loss, "--algorithm", "svrmu",
                                         "--epochs", str(epochs), *flags)
                runs[setting].append([(share * (r["solver_seconds"] + r["evaluate_seconds"]), r["objective"])
                                      for r in records])
        best = min(objective for repeats in runs.values() for points in repeats for _, objective in points)
        columns[name] = {setting: described(repeats, best) for setting, repeats in runs.items()}
    print("| setting | " + " | ".join(shown) + " |")
    print("|---" * (1 + len(shown)) + "|")
    for setting in options.settings:
        print(f"| {setting or 'automatic'} | " + " | ".join(columns[name][setting] for name in shown) + " |")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("undone", "kl", "settings"))
    parser.add_argument("--sets", type=lambda text: text.split(","), help="names separated by commas: " + ", ".join(SETS))
    parser.add_argument("--program", action="append", metavar="LABEL=PATH", help="[now=build/bench/bin/svrmu]")
    parser.add_argument("--loss", default="frobenius", help="for undone and settings")
    parser.add_argument("--settings", type=lambda text: text.split(";"), default=SETTINGS, metavar="FLAG=VALUE,...;...",
                        help="for settings: the flags of each row; an empty one is automatic")
    parser.add_argument("--seconds", type=float, default=20, help="for kl: about the longest call of scikit-learn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=1, help="for kl and settings: runs of each of ours")
    parser.add_argument("--epochs", type=int, help="for kl and settings: of each of our runs")
    parser.add_argument("--no-peer", action="store_true", help="for kl: without scikit-learn")
    parser.add_argument("--shared", default=os.environ.get("SVRMU_BENCH_DATA", ROOT.parent / "shared/data"),
                        help="folder with CBCL_Face.mat and Reuters21578.mat (SVRMU_BENCH_DATA)")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/bench-data", help="where the sets are kept")
    options = parser.parse_args()
    given = options.program or [f"now={ROOT / 'build/bench/bin/svrmu'}"]
    options.program = dict(text.split("=", 1) for text in given)
    return options


def main():
    options = arguments()
    {"undone": undone, "kl": kl, "settings": settings}[options.what](options)


if __name__ == "__main__":
    main()
