"""The estimators do as scikit-learn's estimators do, and more."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import NMF as SklearnNMF
from sklearn.decomposition import MiniBatchNMF as SklearnMiniBatchNMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

try:
    from sklearn.utils.estimator_checks import estimator_checks_generator as all_checks
except ImportError:  # before 1.6
    from functools import partial

    from sklearn.utils.estimator_checks import check_estimator

    all_checks = partial(check_estimator, generate_only=True)

import svrmu
from support import command_line, counts, low_rank, same_bits

CLASSES = [svrmu.NMF, svrmu.MiniBatchNMF, svrmu.RobustNMF]


def checks():
    for kind in CLASSES:
        for estimator, check in all_checks(kind()):
            yield pytest.param(estimator, check, id=f"{kind.__name__}-{getattr(check, 'func', check).__name__}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", checks())
def test_scikit_learns_own_check_passes(estimator, check):
    check(estimator)


def test_they_are_scikit_learns_classes():
    assert issubclass(svrmu.NMF, SklearnNMF) and issubclass(svrmu.MiniBatchNMF, SklearnMiniBatchNMF)
    assert isinstance(svrmu.RobustNMF(), SklearnNMF)


@pytest.mark.parametrize("ours, theirs", [(svrmu.NMF, SklearnNMF), (svrmu.MiniBatchNMF, SklearnMiniBatchNMF)])
def test_every_parameter_of_scikit_learn_is_there(ours, theirs):
    assert set(theirs().get_params()) <= set(ours().get_params())


SOLVERS = ["auto", "hals", "hals-ext", "svrmu", "svrmu-acc", "inc-hals", "onmf", "mu-ext"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("make", [low_rank, counts, lambda: counts().tocsc(), lambda: low_rank().astype(np.float32)])
def test_fit_transform_equals_fit_and_transform(solver, make):
    X = make()
    first, second = (svrmu.NMF(3, solver=solver, random_state=0) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = first.fit_transform(X)
        assert same_bits(weights, second.fit(X).transform(X))
    order = np.random.default_rng(1).permutation(X.shape[0])
    assert same_bits(first.transform(X[order]), weights[order])
    assert same_bits(first.transform(X[5:7]), weights[5:7])


def test_integer_random_state_is_the_seed_of_the_command_line(tmp_path):
    X = low_rank()
    _, components = command_line(X, 3, tmp_path, "--seed", 11)
    assert same_bits(svrmu.NMF(3, random_state=np.int64(11)).fit(X).components_, components)


def test_number_of_threads_changes_no_bit():
    X = low_rank(500, 300, 10)
    one, two = (svrmu.NMF(10, random_state=0, n_threads=n).fit(X) for n in (1, 2))
    assert same_bits(one.components_, two.components_)


def test_penalties_are_scaled_as_in_scikit_learn():
    X = low_rank()
    ours = svrmu.NMF(3, solver="hals", alpha_W=0.01, alpha_H=0.02, l1_ratio=0.3, random_state=0, tol=0, max_iter=3000)
    theirs = SklearnNMF(3, solver="cd", alpha_W=0.01, alpha_H=0.02, l1_ratio=0.3, random_state=0, tol=1e-12, max_iter=3000)

    def objective(W, H):
        n, f = X.shape
        return (0.5 * np.sum((X - W @ H) ** 2) + f * 0.01 * (0.3 * W.sum() + 0.35 * (W**2).sum())
                + n * 0.02 * (0.3 * H.sum() + 0.35 * (H**2).sum()))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = [objective(m.fit_transform(X), m.components_) for m in (ours, theirs)]
    assert found[0] == pytest.approx(found[1], rel=1e-3)
    assert ours.result_.objective == pytest.approx(found[0], rel=1e-3)


def test_attributes_tell_what_happened():
    model = svrmu.NMF(3, random_state=0).fit(low_rank())
    assert model.solver_ == "fast" and model.stop_reason_ == "relative_change"
    assert model.history_["epoch"][-1] == model.n_iter_ >= 1
    assert isinstance(model.warnings_, list)
    X = low_rank()
    error = np.linalg.norm(X - model.transform(X) @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("make", [low_rank, counts, lambda: counts().tocsc()])
@pytest.mark.parametrize("beta", [2, 1, 0.5])
def test_reconstruction_error_is_scikit_learns(make, beta):
    from sklearn.decomposition._nmf import _beta_divergence
    from svrmu._divergence import reconstruction_error

    X, rng = make(), np.random.default_rng(0)
    W, H = rng.random((X.shape[0], 3)), rng.random((3, X.shape[1]))
    # scikit-learn's own function mixes up the entries of a CSC matrix.
    expected = _beta_divergence(X if isinstance(X, np.ndarray) else X.toarray(), W, H, beta, square_root=True)
    assert reconstruction_error(X, W, H, beta) == pytest.approx(expected, rel=1e-7)


def test_reconstruction_error_is_the_same_in_blocks(monkeypatch):
    from svrmu import _divergence

    X, rng = counts(), np.random.default_rng(0)
    W, H = rng.random((X.shape[0], 3)), rng.random((3, X.shape[1]))
    for given in (X, X.tocsc(), X.toarray()):
        monkeypatch.setattr(_divergence, "_block_numbers", 1 << 20)
        whole = _divergence.reconstruction_error(given, W, H, 0.5)
        monkeypatch.setattr(_divergence, "_block_numbers", 7)
        assert _divergence.reconstruction_error(given, W, H, 0.5) == pytest.approx(whole, rel=1e-12)


def test_fitted_model_is_pickled_and_cloned():
    X = low_rank()
    model = svrmu.NMF(3, random_state=0).fit(X)
    other = pickle.loads(pickle.dumps(model))
    assert same_bits(other.transform(X), model.transform(X)) and other.stop_reason_ == model.stop_reason_
    assert clone(model).get_params() == model.get_params()


def test_resume_goes_on_as_if_it_had_not_stopped():
    X = low_rank()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole = svrmu.NMF(3, solver="svrmu", random_state=0, tol=0, max_iter=9).fit(X)
        half = svrmu.NMF(3, solver="svrmu", random_state=0, tol=0, max_iter=4).fit(X)
    assert same_bits(half.resume(X, 9).components_, whole.components_) and half.n_iter_ == 9


def test_save_report_and_plan(tmp_path):
    X = low_rank()
    model = svrmu.NMF(3, random_state=0).fit(X)
    model.save(tmp_path / "m.svrmu.h5")
    assert same_bits(svrmu.load(tmp_path / "m.svrmu.h5").components, model.components_)
    assert "<html" in model.report(X).html
    assert svrmu.NMF(3).plan(X).algorithm == model.solver_


def test_n_init_keeps_the_best_of_several_fits():
    X = low_rank(noise=0.5)
    single = [svrmu.NMF(6, random_state=seed).fit(X) for seed in range(4)]
    best = min(single, key=lambda model: model.result_.objective)
    assert same_bits(svrmu.NMF(6, random_state=0, n_init=4).fit(X).components_, best.components_)


def test_solver_options_reach_the_algorithm():
    model = svrmu.NMF(3, solver="svrmu", solver_options={"batch_size": 10}, random_state=0).fit(low_rank())
    assert model.result_.options["batch_size"] == "10"


@pytest.mark.parametrize("parameters, word", [
    (dict(solver="cd", solver_options={"sweeps": 2}), "solver_options"),
    (dict(solver="mu", n_init=2), "n_init"),
    (dict(solver="cd", init="svd_abs"), "svd_abs"),
    (dict(shuffle=True), "shuffle"),
    (dict(solver="no-such"), "no-such"),
    (dict(solver_options={"no_such": 1}), "no_such"),
    (dict(beta_loss=1, solver="hals"), "frobenius"),
])
def test_what_does_not_go_together_is_refused_by_name(parameters, word):
    with pytest.raises(ValueError, match=word):
        svrmu.NMF(3, **parameters).fit(low_rank())


def test_frames_keep_their_names_through_a_pipeline():
    import pandas

    X = pandas.DataFrame(low_rank(), columns=[f"f{i}" for i in range(25)])
    pipeline = make_pipeline(MinMaxScaler(), svrmu.NMF(3, random_state=0)).set_output(transform="pandas")
    out = pipeline.fit_transform(X)
    assert list(out.columns) == ["nmf0", "nmf1", "nmf2"]
    assert pipeline[-1].result_.feature_names == [f"f{i}" for i in range(25)]


@pytest.mark.parametrize("make", [low_rank, counts])
def test_fixed_h_is_kept_and_w_is_solved(make):
    X = make()
    H = np.random.default_rng(0).random((3, X.shape[1]))
    for solver in ("auto", "cd", "mu"):
        W, kept, n_iter = svrmu.non_negative_factorization(X, H=H, update_H=False, n_components=3, solver=solver)
        assert kept is H and n_iter == 1
        assert same_bits(W, svrmu.transform(X, H))
    with pytest.warns(RuntimeWarning, match="initial W is not used"):
        svrmu.non_negative_factorization(X, W=W, H=H, update_H=False, n_components=3)


def test_given_factors_without_custom_are_warned_of():
    X = low_rank()
    with pytest.warns(RuntimeWarning, match="init!='custom'"):
        svrmu.non_negative_factorization(X, H=np.ones((3, 25)), n_components=3)


def test_auto_takes_the_number_of_components_of_a_given_h():
    X = low_rank()
    W, H, _ = svrmu.non_negative_factorization(X, np.ones((40, 7)) * X.mean(), np.random.rand(7, 25), init="custom")
    assert W.shape == (40, 7) and H.shape == (7, 25)
    assert svrmu.NMF(random_state=0).fit(X).n_components_ == 25


def test_random_state_instance_is_drawn_from():
    X = low_rank()
    state = np.random.RandomState(3)
    first, second = (svrmu.NMF(3, random_state=state).fit(X).components_ for _ in range(2))
    again = svrmu.NMF(3, random_state=np.random.RandomState(3)).fit(X).components_
    assert same_bits(first, again) and not same_bits(first, second)


@pytest.mark.parametrize("make", [svrmu.NMF, svrmu.MiniBatchNMF])
def test_plan_draws_nothing_from_the_random_state(make):
    state = np.random.RandomState(3)
    make(3, random_state=state).plan(low_rank())
    assert state.randint(1 << 30) == np.random.RandomState(3).randint(1 << 30)


def test_shuffle_is_left_to_scikit_learn():
    X = low_rank()
    ours = svrmu.NMF(3, solver="cd", shuffle=True, random_state=0).fit(X)
    theirs = SklearnNMF(3, solver="cd", shuffle=True, random_state=0).fit(X)
    assert same_bits(ours.components_, theirs.components_) and ours.n_iter_ == theirs.n_iter_


def test_private_method_that_others_call_has_scikit_learns_arguments():
    X, rng = low_rank(), np.random.default_rng(0)
    W, H = rng.random((40, 3)), rng.random((3, 25))
    for solver in ("auto", "cd"):
        model = svrmu.NMF(3, init="custom", solver=solver, tol=1e-3)
        weights, components, n_iter = model._fit_transform(X, W=W.copy(), H=H.copy(), update_H=True)
        assert weights.shape == (40, 3) and components.shape == (3, 25) and n_iter >= 1
        again, kept, _ = model._fit_transform(X, H=components, update_H=False)
        assert kept is components and again.shape == (40, 3)
    model = svrmu.MiniBatchNMF(3, init="custom").partial_fit(X, W=W, H=H)
    assert model.components_.shape == (3, 25)
