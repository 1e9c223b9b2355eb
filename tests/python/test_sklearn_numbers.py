"""The solvers 'cd' and 'mu' give scikit-learn's numbers: same n_iter_, same factors."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF as SklearnNMF

import svrmu

CASES = 100


def draw(solver, case):
    """A random problem, and how closely the factors must agree."""
    rng = np.random.default_rng([case, solver == "cd"])
    n, f = rng.integers(8, 60, 2)
    k = int(rng.integers(1, min(n, f)))
    storage = ["C", "F", "csr", "csc"][case % 4]
    beta = 2.0 if solver == "cd" else [2.0, 1.0, 0.5, 0.0][(case // 4) % 4]
    X = rng.random((n, k)) @ rng.random((k, f)) + 0.1 * rng.random((n, f))
    if beta == 0:
        storage = storage if storage in "CF" else "C"
        X += 0.1
    elif storage in ("csr", "csc") or case % 3 == 0:
        X[rng.random(X.shape) < 0.5] = 0
        X[:, 0] += 0.1
        X[0] += 0.1
    dtype = np.float32 if case % 5 == 4 else np.float64
    X = X.astype(dtype)
    if storage == "F":
        X = np.asfortranarray(X)
    elif storage in ("csr", "csc"):
        X = getattr(sp, f"{storage}_matrix")(X)
    penalty = case % 2 == 1
    parameters = dict(
        n_components=k,
        solver=solver,
        init=[None, "random", "nndsvd", "nndsvda", "nndsvdar"][case % 5 if case % 7 else 1],
        beta_loss=beta,
        tol=[1e-4, 1e-3, 0.0][case % 3],
        max_iter=int([200, 37, 60][case % 3]),
        random_state=case,
        alpha_W=float(rng.choice([0.001, 0.01])) if penalty else 0.0,
        alpha_H=float(rng.choice([0.001, 0.02])) if penalty else "same",
        l1_ratio=float(rng.choice([0.0, 0.5, 1.0])) if penalty else 0.0,
    )
    tolerance = 1e-4 if dtype == np.float32 else 1e-6 if beta == 0.5 and sp.issparse(X) else 1e-10
    return X, parameters, tolerance


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", range(CASES))
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_factors_and_iterations_are_scikit_learns(solver, case):
    X, parameters, tolerance = draw(solver, case)
    ours, theirs = svrmu.NMF(**parameters), SklearnNMF(**parameters)
    # With CSC and other losses than Frobenius scikit-learn mixes up the entries of X: compare with its CSR.
    mixed_up = sp.issparse(X) and X.format == "csc" and parameters["beta_loss"] != 2
    W, W_theirs = ours.fit_transform(X), theirs.fit_transform(X.tocsr() if mixed_up else X)
    assert ours.n_iter_ == theirs.n_iter_
    for a, b in ((W, W_theirs), (ours.components_, theirs.components_)):
        assert a.dtype == b.dtype
        assert np.abs(a - b).max() <= tolerance * max(1.0, np.abs(b).max())
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=max(1e-7, tolerance), abs=1e-6)
