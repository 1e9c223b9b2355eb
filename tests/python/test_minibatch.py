"""MiniBatchNMF: mini-batches, and learning from samples that come piece by piece."""

import pickle

import numpy as np
import pytest
from sklearn.decomposition import MiniBatchNMF as SklearnMiniBatchNMF

import svrmu
from support import counts, low_rank, same_bits


def pieces(count=6, size=64, seed=0):
    rng = np.random.default_rng(seed)
    parts = rng.random((3, 20))
    return [rng.random((size, 3)) @ parts for _ in range(count)]


@pytest.mark.parametrize("make", [lambda: low_rank(300), counts])
@pytest.mark.parametrize("parameters", [{}, dict(solver="inc-mu"), dict(solver="onmf"), dict(solver="svrmu"),
                                        dict(beta_loss="kullback-leibler")])
def test_fit_transform_equals_fit_and_transform(make, parameters):
    X = make()
    first, second = (svrmu.MiniBatchNMF(3, batch_size=50, random_state=0, **parameters) for _ in range(2))
    assert same_bits(first.fit_transform(X), second.fit(X).transform(X))


@pytest.mark.parametrize("solver", ["auto", "inc-mu", "onmf", "smu", "svrmu"])
def test_pickling_between_calls_changes_no_bit(solver):
    plain, pickled = (svrmu.MiniBatchNMF(3, solver=solver, random_state=0) for _ in range(2))
    for piece in pieces():
        plain.partial_fit(piece)
        pickled = pickle.loads(pickle.dumps(pickled)).partial_fit(piece)
    assert same_bits(plain.components_, pickled.components_)
    assert plain.n_steps_ == 6 and plain.result_.samples_seen == 6 * 64


def test_partial_fit_learns_the_parts():
    model = svrmu.MiniBatchNMF(3, random_state=0)
    data = pieces(60)
    X = np.vstack(data)

    def error():
        return np.linalg.norm(X - model.transform(X) @ model.components_) / np.linalg.norm(X)

    model.partial_fit(data[0])
    first = error()
    for piece in data[1:]:
        model.partial_fit(piece)
    assert error() < 0.06 and error() < 0.7 * first


def test_forgetting_lets_new_samples_count_more():
    old, new = pieces(20, seed=0), pieces(20, seed=1)

    def error(factor):
        model = svrmu.MiniBatchNMF(3, forget_factor=factor, random_state=0)
        for piece in old + new:
            model.partial_fit(piece)
        X = new[-1]
        return np.linalg.norm(X - model.transform(X) @ model.components_)

    assert error(0.5) < 0.8 * error(1.0)


def test_changed_number_of_features_is_refused():
    model = svrmu.MiniBatchNMF(3).partial_fit(pieces()[0])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(np.ones((5, 7)))


def test_fit_can_be_gone_on_from():
    data = pieces()
    model = svrmu.MiniBatchNMF(3, random_state=0).fit(np.vstack(data[:3]))
    before = model.components_
    model.partial_fit(data[3])
    assert not same_bits(before, model.components_)


@pytest.mark.parametrize("parameters", [dict(solver="mu"), dict(fresh_restarts=True), dict(max_no_improvement=None),
                                        dict(forget_factor=0.3)])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_algorithm_runs_where_it_is_asked_for(parameters):
    X = low_rank(100)
    ours = svrmu.MiniBatchNMF(3, batch_size=20, random_state=0, max_iter=10, **parameters)
    parameters.pop("solver", None)
    theirs = SklearnMiniBatchNMF(3, batch_size=20, random_state=0, max_iter=10, **parameters)
    assert same_bits(ours.fit_transform(X), theirs.fit_transform(X))
    assert same_bits(ours.transform(X), theirs.transform(X))


def test_parameter_of_another_algorithm_is_refused_by_name():
    with pytest.raises(ValueError, match="fresh_restarts"):
        svrmu.MiniBatchNMF(3, solver="svrmu", fresh_restarts=True).fit(low_rank())
    with pytest.raises(ValueError, match="normalize"):
        svrmu.MiniBatchNMF(3, normalize=True).partial_fit(low_rank())
    with pytest.raises(ValueError, match="forget_factor"):
        svrmu.MiniBatchNMF(3, solver="svrmu", forget_factor=0.5).partial_fit(low_rank())


def test_given_components_are_where_a_stream_begins():
    H = np.random.default_rng(0).random((3, 20))
    first, second = (svrmu.MiniBatchNMF(3, init="custom", random_state=seed) for seed in (0, 1))
    a, b = (model.partial_fit(pieces()[0], H=H).components_ for model in (first, second))
    assert same_bits(a, b)
