"""What several files of tests need."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import svrmu

SOURCES = Path(os.environ.get("SVRMU_SOURCES", Path(__file__).resolve().parents[2]))
PROGRAM = Path(svrmu.__file__).with_name("bin") / "svrmu"


def low_rank(n_samples=40, n_features=25, k=4, seed=0, noise=0.01):
    """A nonnegative matrix that a few components explain."""
    rng = np.random.default_rng(seed)
    return rng.random((n_samples, k)) @ rng.random((k, n_features)) + noise * rng.random((n_samples, n_features))


def counts(n_samples=60, n_features=40, seed=0, density=0.2):
    """A sparse matrix of counts without an empty row or column, as CSR."""
    import scipy.sparse

    rng = np.random.default_rng(seed)
    X = rng.poisson(3, (n_samples, n_features)) * (rng.random((n_samples, n_features)) < density)
    X[np.arange(n_samples), np.arange(n_samples) % n_features] += 1
    X[np.arange(n_features) % n_samples, np.arange(n_features)] += 1
    return scipy.sparse.csr_matrix(X.astype(float))


def command_line(X, k, folder, *flags):
    """Weights and components that the program of the same build finds, for samples in rows."""
    import scipy.sparse

    folder = Path(folder)
    if scipy.sparse.issparse(X):
        scipy.sparse.save_npz(folder / "X.npz", X)
        path = folder / "X.npz"
    else:
        np.save(folder / "X.npy", X)
        path = folder / "X.npy"
    subprocess.run(
        [PROGRAM, "fit", path, "-k", str(k), "--samples", "rows", "--save-w", folder / "W.npy", "--save-h",
         folder / "H.npy", "-o", folder / "model.svrmu.h5", "--force", *map(str, flags)],
        check=True,
        capture_output=True,
    )
    return np.load(folder / "H.npy").T, np.load(folder / "W.npy").T


def same_bits(a, b):
    """Equal in type, shape and every bit of every number."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}"))


def components_by_seed(seed):
    """For processes of joblib, which need a function that they can import."""
    return svrmu.NMF(4, random_state=seed).fit(low_rank()).components_


def python(code, *arguments, **options):
    """Runs a program in a Python of its own."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options
    )
