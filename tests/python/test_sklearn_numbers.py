"""The solvers 'cd' and 'mu' give scikit-learn's numbers: same n_iter_, same factors."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF as SklearnNMF

import svrmu

# A few hang on rounding, some of 'mu' are left to scikit-learn's own code, and at least 100 have to agree.
CASES = 160


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


def fitted(kind, X, parameters):
    model = kind(**parameters)
    W = model.fit_transform(X)
    return W, model.components_, model


def differ(a, b, tolerance):
    """Whether two fits differ in iterations, or in factors beyond the tolerance."""
    if a[2].n_iter_ != b[2].n_iter_:
        return True
    return any(not np.abs(p - q).max() <= tolerance * max(1.0, np.abs(q).max()) for p, q in zip(a[:2], b[:2]))


def hangs_on_rounding(X, parameters, theirs, tolerance):
    """Whether scikit-learn's own answer is another one if X is changed in its last digits, or not a number."""
    changed, rng = X.copy(), np.random.default_rng(0)
    values = changed.data if sp.issparse(X) else changed
    values *= 1 + 2 * np.finfo(X.dtype).eps * rng.choice([-1, 1], values.shape)
    return np.isnan(theirs[0]).any() or differ(fitted(SklearnNMF, changed.astype(X.dtype), parameters), theirs, tolerance)


def falls_below_the_floor(X, parameters):
    """Whether entries of scikit-learn's fall below 2^-52: the library's stay there, and can rise again."""
    for share in (0.1, 0.3, 0.6, 1.0):
        W, H, _ = fitted(SklearnNMF, X, {**parameters, "max_iter": max(1, int(share * parameters["max_iter"])), "tol": 0})
        if any((A < 2.0**-52).any() for A in (W, H)):
            return True
    return False


agreed = {"cd": 0, "mu": 0}
excused = {"cd": 0, "mu": 0}
left_to_sklearn = {"cd": 0, "mu": 0}  # they say nothing of the library, and do not count as agreement


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", range(CASES))
@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_factors_and_iterations_are_scikit_learns(solver, case):
    X, parameters, tolerance = draw(solver, case)
    ours = fitted(svrmu.NMF, X, parameters)
    # With CSC and other losses than Frobenius scikit-learn mixes up the entries of X: compare with its CSR.
    mixed_up = sp.issparse(X) and X.format == "csc" and parameters["beta_loss"] != 2
    X = X.tocsr() if mixed_up else X
    theirs = fitted(SklearnNMF, X, parameters)
    assert not np.isnan(ours[0]).any() and ours[0].dtype == theirs[0].dtype and ours[1].dtype == theirs[1].dtype
    own_code = not hasattr(ours[2], "result_")
    if own_code:
        left_to_sklearn[solver] += 1
    if not differ(ours, theirs, tolerance):
        agreed[solver] += not own_code
        close = 1e-3 if X.dtype == np.float32 else 1e-7
        assert ours[2].reconstruction_err_ == pytest.approx(theirs[2].reconstruction_err_, rel=close, abs=1e-6)
        return
    excused[solver] += not own_code
    if hangs_on_rounding(X, parameters, theirs, tolerance):
        pytest.skip("scikit-learn's own answer hangs on rounding")
    if solver == "mu" and falls_below_the_floor(X, parameters):
        pytest.skip("entries fall below the library's floor, from which they can rise again")
    raise AssertionError(f"{ours[2].n_iter_} and {theirs[2].n_iter_} iterations, {parameters}")


@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_a_hundred_cases_agree(solver):
    if agreed[solver] + excused[solver] + left_to_sklearn[solver] < CASES:
        pytest.skip("not all cases were run")
    print(f"{solver}: {agreed[solver]} agree, {excused[solver]} excused, {left_to_sklearn[solver]} left to scikit-learn")
    assert agreed[solver] >= 100
