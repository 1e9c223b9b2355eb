#!/usr/bin/python3
"""bench/transform.py [PROGRAM ...]: what `svrmu transform` costs, for every loss, beside scikit-learn's.

Models are fitted by the first program (build/release/bin/svrmu) and applied to the data they were made from,
on one thread. Times are medians of processor time without reading: that of `svrmu info` on the same file is
taken off. "above the fit" is the loss of the new H over that of the fitted one, minus 1. scikit-learn gets the
same W, its own defaults (200 iterations at most, tolerance 1e-4), and columns of V as samples; it has no IS
without W > 0, and no penalties are set.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import h5py
import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[1]
BETA = {"frobenius": 2.0, "kl": 1.0, "is": 0.0, "beta:0.5": 0.5, "beta:1.5": 1.5, "beta:3": 3.0}
ROUNDS = 3


def sets():
    """(name, V, K, losses)"""
    random = np.random.default_rng(1)
    def product(F, N, K):
        return random.gamma(0.7, size=(F, K)) @ random.gamma(0.7, size=(K, N))
    V = product(200, 200, 20)
    yield "counts 200 x 200, K 20", random.poisson(V).astype(float), 20, ("frobenius", "kl", "beta:0.5", "beta:1.5", "beta:3")
    yield "spectra 200 x 200, K 20", V * random.exponential(size=V.shape) + 1e-3, 20, ("is",)
    yield "tall 1000 x 1000, K 50", product(1000, 1000, 50) * random.uniform(0.7, 1.3, (1000, 1000)), 50, ("frobenius", "kl", "is")
    V = product(2000, 3000, 20)
    yield "sparse counts 2000 x 3000, K 20", sp.csc_matrix(random.poisson(V * (0.05 / V.mean())).astype(float)), 20, ("frobenius", "kl")


def divergence(V, X, beta):
    V = V.toarray() if sp.issparse(V) else V
    X = np.maximum(X, 2.0 ** -104)
    if beta == 2:
        return ((V - X) ** 2).sum() / 2
    if beta == 1:
        return (V * np.log(np.where(V > 0, V, 1) / X)).sum() - V.sum() + X.sum()
    if beta == 0:
        return (V / X - np.log(V / X) - 1).sum()
    return ((V ** beta + (beta - 1) * X ** beta - beta * V * X ** (beta - 1)) / (beta * (beta - 1))).sum()


def cpu_seconds(words, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(words, cwd=folder, check=True, capture_output=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, out


def scikit_learn(V, W, beta):
    from sklearn.decomposition import NMF
    name = {2.0: "frobenius", 1.0: "kullback-leibler", 0.0: "itakura-saito"}.get(beta, beta)
    model = NMF(W.shape[1], beta_loss=name, solver="cd" if beta == 2 else "mu", init="random")
    model.components_ = np.maximum(W.T, 2.0 ** -52)
    model.n_components_ = W.shape[1]
    model._beta_loss = beta
    model.n_features_in_ = W.shape[0]
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            H = model.transform(V.T.tocsr() if sp.issparse(V) else V.T).T
        times.append(time.process_time() - begin)
    return statistics.median(times), H


def main():
    programs = [os.path.abspath(path) for path in sys.argv[1:]] or [str(ROOT / "build/release/bin/svrmu")]
    os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    print("| data | loss | " + " | ".join("seconds | unfinished | above the fit" for _ in programs) + " | scikit-learn: seconds | above |")
    print("|---|---|" + "---:|" * (3 * len(programs) + 2))
    with tempfile.TemporaryDirectory() as folder:
        for name, V, K, losses in sets():
            file = "V.npz" if sp.issparse(V) else "V.npy"
            sp.save_npz(f"{folder}/{file}", V) if sp.issparse(V) else np.save(f"{folder}/{file}", V)
            for loss in losses:
                subprocess.run([programs[0], "fit", file, "-k", str(K), "--algorithm", "mu" if loss != "frobenius" else "hals",
                                "--loss", loss, "--epochs", "300", "--tol", "0", "-o", "m.h5", "--force", "-q"],
                               cwd=folder, check=True)
                with h5py.File(f"{folder}/m.h5") as model:
                    W, H = model["W"][:], model["H"][:]
                fitted = divergence(V, W @ H, BETA[loss])
                cells = []
                for program in programs:
                    times = []
                    for _ in range(ROUNDS):
                        reading, _ = cpu_seconds([program, "info", file, "--threads", "1"], folder)
                        all_in_all, out = cpu_seconds([program, "transform", "m.h5", file, "-o", "H.npy", "--force", "--json",
                                                       "--threads", "1"], folder)
                        times.append(all_in_all - reading)
                    found = divergence(V, W @ np.load(f"{folder}/H.npy"), BETA[loss])
                    cells += [f"{statistics.median(times):.2f}", str(json.loads(out)["unfinished"]), f"{found / fitted - 1:.1e}"]
                seconds, theirs = scikit_learn(V, W, BETA[loss])
                cells += [f"{seconds:.2f}", f"{divergence(V, W @ theirs, BETA[loss]) / fitted - 1:.1e}"]
                print(f"| {name} | {loss} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
