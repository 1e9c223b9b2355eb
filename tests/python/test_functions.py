"""fit, transform, load, open, plan, describe and the results."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import svrmu
from support import command_line, counts, low_rank, same_bits


def test_fit_approximates_x_by_weights_times_components():
    X = low_rank(noise=0)
    result = svrmu.fit(X, 4, seed=1, tol=1e-8, max_epochs=3000)
    assert result.weights.shape == (40, 4) and result.components.shape == (4, 25)
    assert np.linalg.norm(X - result.weights @ result.components) < 0.02 * np.linalg.norm(X)
    error = np.linalg.norm(X - result.weights @ result.components) / np.linalg.norm(X)
    assert result.relative_error == pytest.approx(error, rel=1e-6)


def test_letters_are_those_of_scikit_learn():
    result = svrmu.fit(low_rank(), 3)
    assert same_bits(result.W, result.weights) and same_bits(result.H, result.components)


@pytest.mark.parametrize("algorithm", ["auto", "hals", "svrmu-acc", "inc-hals"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fit_has_the_bits_of_the_command_line(algorithm, dtype, tmp_path):
    X = low_rank().astype(dtype)
    weights, components = command_line(X, 4, tmp_path, "--seed", 5, "--algorithm", algorithm, "--epochs", 20)
    result = svrmu.fit(X, 4, seed=5, algorithm=algorithm, max_epochs=20)
    assert same_bits(result.weights, weights) and same_bits(result.components, components)


def test_fit_of_a_sparse_matrix_has_the_bits_of_the_command_line(tmp_path):
    X = counts()
    weights, components = command_line(X, 4, tmp_path, "--seed", 2, "--loss", "kl")
    for given in (X, X.tocsc(), X.tocoo()):
        result = svrmu.fit(given, 4, seed=2, loss="kl")
        assert same_bits(result.weights, weights) and same_bits(result.components, components)


def test_fit_of_a_path_reads_as_the_command_line_does(tmp_path):
    X = low_rank()
    weights, _ = command_line(X, 3, tmp_path, "--seed", 1)
    assert same_bits(svrmu.fit(tmp_path / "X.npy", 3, seed=1, samples="rows").weights, weights)
    opened = svrmu.open(tmp_path / "X.npy", samples="rows")
    assert opened.shape == X.shape and not opened.sparse
    assert same_bits(svrmu.fit(opened, 3, seed=1).weights, weights)


def test_numpy_numbers_are_options():
    X = low_rank()
    a = svrmu.fit(X, np.int64(3), seed=np.int32(4), tol=np.float32(0.5), normalize=np.bool_(True))
    assert a.n_components == 3 and a.seed == 4
    assert a.column_norms is not None and np.allclose(np.linalg.norm(a.components, axis=1), 1)


def test_penalties_are_named_by_factor():
    X = low_rank()
    plain = svrmu.fit(X, 3, seed=0, algorithm="hals")
    heavy = svrmu.fit(X, 3, seed=0, algorithm="hals", l2_components=100.0)
    assert np.linalg.norm(heavy.components) < np.linalg.norm(plain.components)
    with pytest.raises(svrmu.InvalidInput, match="l2_components"):
        svrmu.fit(X, 3, l2_w=100.0)


def test_fit_begins_with_given_factors():
    X = low_rank()
    rng = np.random.default_rng(0)
    W, H = rng.random((40, 3)), rng.random((3, 25))
    result = svrmu.fit(X, 3, init_weights=W, init_components=H, algorithm="mu", max_epochs=0)
    assert np.allclose(result.weights @ result.components, W @ H)


def test_wrong_factor_is_told_by_its_python_name():
    with pytest.raises(svrmu.InvalidInput, match="init_weights is 3 x 3, but must be 40 x 3"):
        svrmu.fit(low_rank(), 3, init_weights=np.ones((3, 3)))
    with pytest.raises(svrmu.InvalidInput, match="init_components has 1 dimension"):
        svrmu.fit(low_rank(), 3, init_components=np.ones(3))


def test_transform_depends_on_each_sample_alone():
    X = low_rank()
    result = svrmu.fit(X, 4, seed=1)
    whole = svrmu.transform(X, result)
    order = np.random.default_rng(0).permutation(len(X))
    assert same_bits(svrmu.transform(X[order], result), whole[order])
    assert same_bits(svrmu.transform(X[3:9], result), whole[3:9])
    assert same_bits(result.transform(X), whole)


def test_transform_by_an_array_solves_least_squares():
    from scipy.optimize import nnls

    X, components = low_rank(noise=0.3), low_rank(4, 25, 4, seed=9)
    weights = svrmu.transform(X, components, tolerance=1e-12, max_sweeps=100000)
    expected = np.array([nnls(components.T, x)[0] for x in X])
    assert np.allclose(weights, expected, atol=1e-5)


def test_transform_by_an_array_takes_loss_and_penalty():
    X, components = low_rank(), low_rank(3, 25, 3, seed=9)
    plain = svrmu.transform(X, components)
    assert (svrmu.transform(X, components, l1_weights=1e6) == 0).all()
    assert not np.allclose(svrmu.transform(X, components, loss="kl"), plain)


def test_resume_goes_on_with_the_same_bits():
    X = low_rank()
    whole = svrmu.fit(X, 3, seed=1, algorithm="svrmu", max_epochs=12, tol=0)
    half = svrmu.fit(X, 3, seed=1, algorithm="svrmu", max_epochs=5, tol=0)
    assert half.can_resume
    joined = half.resume(X, max_epochs=12, tol=0)
    assert same_bits(joined.weights, whole.weights) and same_bits(joined.components, whole.components)
    assert len(joined.history) == len(whole.history)


def test_resume_update_and_report_read_a_path_as_fit_does(tmp_path):
    X = low_rank()
    np.save(tmp_path / "X.npy", X)
    half = svrmu.fit(tmp_path / "X.npy", 3, samples="rows", seed=1, max_epochs=5, tol=0)
    joined = half.resume(tmp_path / "X.npy", samples="rows", max_epochs=12, tol=0)
    assert same_bits(joined.weights, svrmu.fit(X, 3, seed=1, max_epochs=12, tol=0).weights)
    assert joined.update(tmp_path / "X.npy", samples="rows").samples_seen == len(X)
    assert joined.report(tmp_path / "X.npy", samples="rows").html == joined.report(X).html


def test_options_of_a_result_have_their_python_names():
    result = svrmu.fit(low_rank(), 3, l1_components=0.5, l2_weights=0.25)
    assert result.options["l1_components"] == "0.5" and result.options["l2_weights"] == "0.25"
    assert "l1_w" not in result.options


def test_time_limit_may_be_none_at_all():
    for limit in (None, np.inf):
        assert svrmu.fit(low_rank(), 2, time_limit=limit).options["time_limit_seconds"] == "inf"


@pytest.mark.parametrize("limit, seconds", [(90, "90"), ("90s", "90"), ("10m", "600"), ("1h30m", "5400")])
def test_time_limit_takes_the_texts_of_the_command_line(limit, seconds):
    assert svrmu.fit(low_rank(), 2, time_limit=limit).options["time_limit_seconds"] == seconds
    model = svrmu.NMF(2, time_limit=limit).fit(low_rank())
    assert model.result_.options["time_limit_seconds"] == seconds


@pytest.mark.parametrize("seed", [2**63, 2**64 - 1])
def test_seed_has_64_bits_as_on_the_command_line(seed, tmp_path):
    X = low_rank()
    weights, _ = command_line(X, 2, tmp_path, "--seed", seed)
    result = svrmu.fit(X, 2, seed=seed)
    assert result.seed == seed and same_bits(result.weights, weights)
    with pytest.raises(svrmu.InvalidInput, match="from 0 to 2\\^64 - 1"):
        svrmu.fit(X, 2, seed=2**64)


def test_saved_and_pickled_results_are_the_same(tmp_path):
    X = low_rank()
    result = svrmu.fit(X, 3, seed=1, max_epochs=10)
    result.save(tmp_path / "a.svrmu.h5")
    others = [svrmu.load(tmp_path / "a.svrmu.h5"), pickle.loads(pickle.dumps(result)), copy.deepcopy(result)]
    for other in others:
        assert same_bits(other.weights, result.weights) and same_bits(other.components, result.components)
        assert other.stop_reason == result.stop_reason and other.algorithm == result.algorithm
        assert np.array_equal(other.history["objective"], result.history["objective"])
        assert same_bits(svrmu.transform(X, other), svrmu.transform(X, result))
    with pytest.raises(svrmu.IoError):
        result.save(tmp_path / "a.svrmu.h5")
    result.save(tmp_path / "a.svrmu.h5", overwrite=True)


def test_views_outlive_the_result():
    result = svrmu.fit(low_rank(), 3, seed=1)
    weights, copied = result.weights, np.array(result.weights)
    assert not weights.flags.writeable
    del result
    assert same_bits(weights, copied)


def test_history_and_callback_tell_the_same():
    seen = []
    result = svrmu.fit(low_rank(), 3, seed=1, callback=seen.append)
    assert [record.epoch for record in seen] == list(result.history["epoch"])
    assert [record.objective for record in seen] == list(result.history["objective"])
    assert result.history["epoch"][0] == 0


def test_callback_that_returns_true_ends_the_fit():
    result = svrmu.fit(low_rank(300, 200), 20, tol=0, max_epochs=10**7, callback=lambda record: record.epoch >= 3)
    assert result.stop_reason == "cancelled"


def test_what_a_callback_raises_comes_through():
    def fail(record):
        raise ZeroDivisionError("of the callback")

    with pytest.raises(ZeroDivisionError, match="of the callback"):
        svrmu.fit(low_rank(300, 200), 20, tol=0, max_epochs=10**7, callback=fail)


def test_progress_writes_to_standard_error(capsys):
    svrmu.fit(low_rank(), 3, progress=True)
    assert "objective" in capsys.readouterr().err


def test_progress_takes_a_number_of_epochs_as_text(capsys):
    svrmu.fit(low_rank(), 3, progress=True, max_epochs="7", tol=0)
    assert "7/7" in capsys.readouterr().err


def test_names_of_a_frame_are_kept():
    import pandas

    X = pandas.DataFrame(low_rank(5, 4, 2), columns=list("abcd"), index=list("vwxyz"))
    result = svrmu.fit(X, 2)
    assert result.feature_names == list("abcd") and result.sample_names == list("vwxyz")
    assert pickle.loads(pickle.dumps(result)).feature_names == list("abcd")


def test_outliers_are_sparse_and_samples_x_features():
    X = low_rank(60, 30, 2, noise=0)
    X[3, 4] += 5
    result = svrmu.fit(X, 2, robust=True, seed=0)
    assert sp.isspmatrix_csr(result.outliers) and result.outliers.shape == X.shape
    assert result.outliers[3, 4] > 4
    assert svrmu.fit(X, 2).outliers is None


def test_stream_learns_components_and_update_goes_on():
    rng = np.random.default_rng(0)
    parts = rng.random((3, 20))
    pieces = [rng.random((256, 3)) @ parts for _ in range(4)]
    whole = svrmu.fit(np.vstack(pieces), 3, stream=True, seed=1, batch_size=256, algorithm="inc-hals")
    assert whole.n_samples == 0 and whole.samples_seen == 1024
    model = svrmu.fit(pieces[0], 3, stream=True, seed=1, batch_size=256, algorithm="inc-hals")
    for piece in pieces[1:]:
        model = pickle.loads(pickle.dumps(model)).update(piece)
    assert same_bits(model.components, whole.components)


def test_plan_tells_what_fit_would_do():
    X = low_rank(300, 200)
    plan = svrmu.plan(X, 5)
    assert plan.algorithm == svrmu.fit(X, 5).algorithm and plan.reason and plan.bytes > 0
    assert plan.data.n_samples == 300 and plan.data.n_features == 200
    assert plan.data.most == pytest.approx(X.max()) and plan.data.mean == pytest.approx(X.mean())


def test_plan_takes_the_start_that_fit_takes():
    X = low_rank()
    assert svrmu.plan(X, 3, init_weights=np.ones((40, 3)), init_components=np.ones((3, 25))).bytes > 0
    with pytest.raises(svrmu.InvalidInput, match="init_weights is 3 x 3"):
        svrmu.plan(X, 3, init_weights=np.ones((3, 3)))


def test_describe_refuses_options_that_it_would_not_use():
    svrmu.describe(low_rank(), threads=1)
    with pytest.raises(svrmu.InvalidInput, match="loss is no option of describe"):
        svrmu.describe(low_rank(), loss="kl")


def test_describe_counts_what_is_empty():
    X = np.zeros((5, 4))
    X[1:, 1:] = 1
    described = svrmu.describe(X)
    assert described.empty_samples == 1 and described.empty_features == 1 and described.nonzeros == 12


def test_report_is_a_page_that_a_notebook_shows(tmp_path):
    X = low_rank()
    result = svrmu.fit(X, 3)
    report = result.report(X, title="Parts of it")
    assert "Parts of it" in report.html and report.html.lstrip().lower().startswith("<!doctype html")
    assert report._repr_html_().startswith("<iframe")
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == report.html


def test_solvers_and_options_are_listed():
    names = [solver.name for solver in svrmu.solvers()]
    assert {"fast", "hals", "svrmu", "r-svrmu"} <= set(names)
    for name in names:
        for option in svrmu.options_of(name):
            assert option.help and option.type in ("integer", "number", "boolean", "choice", "text")
    fit = {option.name: option for option in svrmu.options_of("fit")}
    assert "l1_components" in fit and "l1_w" not in fit
    assert fit["max_epochs"].default == "200" and fit["max_epochs"].flag == "epochs"
