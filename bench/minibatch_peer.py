#!/usr/bin/env python3
"""svrmu epochs against passes of scikit-learn's MiniBatchNMF on the same sparse data, interleaved in one run.

Usage: minibatch_peer.py PATH/Reuters21578.mat [BUILD_FOLDER]. Without the file, random data of the same shape.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.decomposition import MiniBatchNMF
from sklearn.feature_extraction.text import TfidfTransformer

RANK, BATCH, ROUNDS = 30, 512, 5


def load(path):
    """Documents x terms, TF-IDF."""
    if path and os.path.exists(path):
        counts = scipy.io.loadmat(path)["fea"]
        name = "Reuters-21578 TF-IDF"
    else:
        rng = np.random.default_rng(0)
        counts = scipy.sparse.random(8293, 18933, density=389455 / 8293 / 18933, format="csr", random_state=rng)
        name = "random data of the shape of Reuters (file not given)"
    return name, TfidfTransformer().fit_transform(scipy.sparse.csr_matrix(counts, dtype=float))


def write(X, path):
    """Documents are our columns: CSR of X is CSC of V."""
    X = X.tocsr()
    X.sum_duplicates()
    with open(path, "wb") as file:
        np.array([X.shape[1], X.shape[0], X.nnz], dtype=np.int64).tofile(file)
        X.indptr.astype(np.int32).tofile(file)
        X.indices.astype(np.int32).tofile(file)
        X.data.astype(np.float64).tofile(file)


def peer_pass(X):
    """One pass, the cost of starting up taken off."""
    def run(passes):
        begin = time.perf_counter()
        MiniBatchNMF(n_components=RANK, batch_size=BATCH, init="random", random_state=0, max_iter=passes,
                     tol=0, max_no_improvement=None).fit(X)
        return time.perf_counter() - begin
    return (run(4) - run(1)) / 3


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else ""
    build = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "..", "build", "bench")
    name, X = load(path)
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "v.bin")
        write(X, data)
        program = os.path.join(build, "bench", "svrmu_bench_sparse")
        for _ in range(ROUNDS):
            ours.append(float(subprocess.check_output([program, data, str(RANK), str(BATCH)])))
            theirs.append(peer_pass(X))
    ratios = [t / o for o, t in zip(ours, theirs)]
    print(f"sparse {X.shape[1]} x {X.shape[0]}, {X.nnz} entries ({name}), K = {RANK}, b = {BATCH}, median of {ROUNDS}")
    print(f"  svrmu epoch {statistics.median(ours):.3f} s   MiniBatchNMF pass {statistics.median(theirs):.3f} s   "
          f"ours is {statistics.median(ratios):.1f} x as fast")


if __name__ == "__main__":
    main()
