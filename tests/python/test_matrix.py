"""X is read where it lies, and every copy is logged."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp

import svrmu
from svrmu import _matrix
from support import counts, low_rank, same_bits


def reads_in_place(array):
    view, kept = _matrix.dense(array)
    assert kept is array and view.data == array.ctypes.data


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_arrays_are_read_in_place(dtype, tmp_path, caplog):
    X = low_rank().astype(dtype)
    read_only = X.copy()
    read_only.flags.writeable = False
    np.save(tmp_path / "X.npy", X)
    with caplog.at_level(logging.INFO, "svrmu"):
        for given in (X, np.asfortranarray(X), X.T, read_only, np.load(tmp_path / "X.npy", mmap_mode="r"),
                      X[3:20], X[:, 2:9], X[::2], np.asfortranarray(X)[:, ::3], X[:1], X[:, :1]):
            reads_in_place(given)
            result = svrmu.fit(given, 1, seed=1)
            assert same_bits(result.weights, svrmu.fit(np.array(given, order="C"), 1, seed=1).weights)
    assert "copied" not in caplog.text


@pytest.mark.parametrize("offsets", [np.int32, np.int64])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sparse_matrices_are_read_in_place(kind, offsets, indices, caplog):
    X = counts().asformat(kind)
    expected = svrmu.fit(counts(), 3, seed=1).weights
    X.indptr, X.indices = X.indptr.astype(offsets), X.indices.astype(indices)
    view, _ = _matrix.sparse(X)
    assert view.values == X.data.ctypes.data
    assert view.indices == X.indices.ctypes.data and view.offsets == X.indptr.ctypes.data
    assert same_bits(svrmu.fit(X, 3, seed=1).weights, expected)


@pytest.mark.parametrize("made, why", [
    (lambda X: X.astype(int), "int64"),
    (lambda X: X.astype(np.float16), "float16"),
    (lambda X: X.astype(">f8"), "byte order"),
    (lambda X: np.repeat(X, 2, axis=1)[:, ::2][:, :][::2], "contiguous"),
    (lambda X: X[::-1], "negative"),
    (lambda X: np.broadcast_to(X[0], X.shape), "stride is 0"),
    (lambda X: np.lib.stride_tricks.sliding_window_view(X.ravel(), 5), "overlap"),
    (lambda X: np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(X.dtype).reshape(X.shape), "aligned"),
    (lambda X: sp.coo_matrix(X), "coo"),
    (lambda X: sp.lil_matrix(X), "lil"),
    (lambda X: sp.csr_matrix(X.astype(int)), "int64"),
    (lambda X: sp.csc_matrix(X), "compressed by columns"),
    (lambda X: sp.csr_matrix((X.ravel(), np.tile(np.arange(25)[::-1], 40), np.arange(41) * 25)), "unsorted"),
])
def test_every_copy_is_logged_and_changes_nothing(made, why, caplog):
    X = np.round(low_rank() * 8) + 1
    given = made(X)
    plain = given.toarray() if sp.issparse(given) else np.array(given, dtype=float, order="C")
    with caplog.at_level(logging.INFO, "svrmu"):
        result = svrmu.fit(given, 2, seed=1, algorithm="hals")
    assert why in caplog.text and "copied" in caplog.text
    assert np.allclose(result.weights, svrmu.fit(plain, 2, seed=1, algorithm="hals").weights)


def test_unsorted_and_repeated_entries_are_added():
    X = counts()
    mixed = sp.csr_matrix(X.shape)
    data, indices, indptr = [], [], [0]
    for row in X:
        order = np.random.default_rng(0).permutation(row.nnz)
        for half in (0.25, 0.75):
            data += list(half * row.data[order])
            indices += list(row.indices[order])
        indptr.append(len(data))
    mixed = sp.csr_matrix((np.array(data), np.array(indices, np.int32), np.array(indptr, np.int32)), X.shape)
    assert not mixed.has_canonical_format
    assert same_bits(svrmu.fit(mixed, 3, seed=1).weights, svrmu.fit(X, 3, seed=1).weights)
    assert mixed.nnz == 2 * X.nnz, "the caller's matrix stays as it is"


def test_lists_and_frames_are_taken():
    import pandas

    X = low_rank()
    expected = svrmu.fit(X, 2, seed=1).weights
    assert same_bits(svrmu.fit(X.tolist(), 2, seed=1).weights, expected)
    assert same_bits(svrmu.fit(pandas.DataFrame(X), 2, seed=1).weights, expected)
    sparse = pandas.DataFrame.sparse.from_spmatrix(counts())
    assert same_bits(svrmu.fit(sparse, 2, seed=1).weights, svrmu.fit(counts(), 2, seed=1).weights)


@pytest.mark.parametrize("X, why", [
    (np.ones(3), "1 dimension;"),
    (np.ones((2, 2, 2)), "3 dimensions;"),
    (np.ones((3, 3)) * 1j, "complex"),
    ([["a", "b"]], "not a number"),
    (np.ma.masked_array(np.ones((2, 2)), [[0, 1], [0, 0]]), "masked"),
    (np.array([["2020-01-01"]], "datetime64[D]"), "no number"),
])
def test_what_is_no_matrix_is_refused(X, why):
    with pytest.raises(svrmu.InvalidInput, match=why):
        svrmu.fit(X, 1)


def test_damaged_sparse_matrices_are_refused():
    X = counts()
    X.indptr[-1] += 5
    with pytest.raises(svrmu.InvalidInput, match="damaged"):
        svrmu.fit(X, 2)
    X = counts()
    X.indices[7] = 1000
    with pytest.raises(svrmu.InvalidInput):
        svrmu.fit(X, 2)
