"""RobustNMF sets outliers apart."""

import numpy as np
import pytest
import scipy.sparse as sp

import svrmu
from support import counts, low_rank, same_bits


def spoiled():
    X = low_rank(80, 30, 3, noise=0)
    rng = np.random.default_rng(5)
    places = rng.random(X.shape) < 0.02
    X[places] += 10
    return X, places


def test_outliers_are_found():
    X, places = spoiled()
    model = svrmu.RobustNMF(3, random_state=0, max_iter=500).fit(X)
    assert sp.isspmatrix_csr(model.outliers_) and model.outliers_.shape == X.shape
    assert (model.outliers_.toarray()[places] > 5).mean() > 0.95
    assert (model.outliers_.toarray()[~places] < 5).all()


@pytest.mark.parametrize("solver", ["auto", "r-nmf", "r-svrmu", "r-onmf"])
@pytest.mark.parametrize("make", [lambda: spoiled()[0], counts])
@pytest.mark.filterwarnings("ignore")
def test_fit_transform_equals_fit_and_transform(solver, make):
    X = make()
    model = svrmu.RobustNMF(3, solver=solver, random_state=0)
    weights = model.fit_transform(X)
    assert same_bits(weights, model.transform(X))
    assert (model.outliers_ != model.transform_outliers(X)).nnz == 0
    assert same_bits(weights[4:9], model.transform(X[4:9]))


def test_penalty_says_what_an_outlier_is():
    X, _ = spoiled()
    few = svrmu.RobustNMF(3, outlier_penalty=5.0, random_state=0).fit(X).outliers_.nnz
    many = svrmu.RobustNMF(3, outlier_penalty=0.001, random_state=0).fit(X).outliers_.nnz
    assert 0 < few < many


def test_error_is_that_of_x_without_its_outliers():
    X, _ = spoiled()
    model = svrmu.RobustNMF(3, random_state=0)
    W = model.fit_transform(X)
    rest = X - model.outliers_.toarray() - W @ model.components_
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(rest), rel=1e-6)


@pytest.mark.parametrize("solver", ["cd", "mu", "hals"])
def test_solver_without_outliers_is_refused(solver):
    with pytest.raises(ValueError, match="outlier"):
        svrmu.RobustNMF(3, solver=solver).fit(low_rank())


def test_float32_is_transformed_by_a_float64_model():
    X, _ = spoiled()
    model = svrmu.RobustNMF(3, random_state=0).fit(X)
    assert np.allclose(model.transform(X.astype(np.float32)), model.transform(X), rtol=1e-3)
    assert model.transform_outliers(X.astype(np.float32)).shape == X.shape
