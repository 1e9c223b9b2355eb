"""Whatever the storage of X: the bits of the command line on the same numbers, or a clear exception."""

import tempfile

import numpy as np
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import svrmu
from support import command_line, same_bits

common = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@st.composite
def numbers(draw):
    """Nonnegative numbers of any usual size, at least one of them positive."""
    n, f = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.integers(0, 9, (n, f)) * draw(st.sampled_from([1.0, 0.25, 64.0]))
    X[rng.integers(n), rng.integers(f)] = 3
    return X


DTYPES = ["f8", "f4", ">f8", ">f4", "f2", "i1", "u1", "i2", "i4", "i8", ">i4", "u8", "g", "?", "O"]


@st.composite
def dense(draw):
    """An array, and the same numbers as the command line reads them."""
    X = draw(numbers())
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    if dtype.kind != "f" and dtype.kind != "O":
        X = np.ceil(X).clip(0, 100)
    X = X.astype(dtype)
    plain = X.astype(np.float32 if dtype.kind == "f" and dtype.itemsize == 4 else np.float64)
    kind = draw(st.sampled_from(["C", "F", "gap", "both", "reversed", "shifted", "read-only", "frame", "list"]))
    n, f = X.shape
    if kind == "F":
        X = np.asfortranarray(X)
    elif kind in ("gap", "both"):
        wide = np.zeros((n * 2 + 1, f * 2 + 1), X.dtype)
        inner = wide[::2, ::2][:n, :f] if kind == "both" else wide[::2, 1 : f + 1][:n]
        inner[:] = X
        X = inner
    elif kind == "reversed":
        X = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    elif kind == "shifted" and dtype.kind != "O":
        raw = np.zeros(X.nbytes + 1, np.uint8)
        raw[1:] = np.frombuffer(np.ascontiguousarray(X).tobytes(), np.uint8)
        X = raw[1:].view(X.dtype).reshape(X.shape)
    elif kind == "read-only":
        X = X.copy()
        X.flags.writeable = False
    elif kind == "frame" and X.dtype.isnative and dtype.char != "e":
        import pandas

        X = pandas.DataFrame(X)
    elif kind == "list" and dtype == np.dtype("f8"):
        X = X.tolist()
    return X, plain


@st.composite
def sparse(draw):
    X = draw(numbers())
    dtype = np.dtype(draw(st.sampled_from(["f8", "f4", "i4", ">f8"])))
    X = (np.ceil(X) if dtype.kind == "i" else X).astype(dtype)
    plain = X.astype(np.float32 if dtype == np.dtype("f4") else np.float64)
    made = getattr(sp, draw(st.sampled_from(["csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "csc_array"])))(
        X.astype(X.dtype.newbyteorder("="))
    )
    if made.format in ("csr", "csc"):
        made.indptr = made.indptr.astype(draw(st.sampled_from([np.int32, np.int64])))
        made.indices = made.indices.astype(draw(st.sampled_from([np.int32, np.int64])))
        if draw(st.booleans()):
            for begin, end in zip(made.indptr[:-1], made.indptr[1:]):
                made.indices[begin:end] = made.indices[begin:end][::-1].copy()
                made.data[begin:end] = made.data[begin:end][::-1].copy()
            made.has_sorted_indices = False
    return made, sp.csr_matrix(plain)


def check(X, plain, k, seed, algorithm):
    k = min(k, *plain.shape)
    with tempfile.TemporaryDirectory() as folder:
        weights, components = command_line(plain, k, folder, "--seed", seed, "--algorithm", algorithm, "--epochs", 5)
    result = svrmu.fit(X, k, seed=seed, algorithm=algorithm, max_epochs=5)
    assert same_bits(result.weights, weights) and same_bits(result.components, components)
    assert not np.isnan(result.weights).any() and not np.isnan(result.components).any()


@common
@given(dense(), st.integers(1, 4), st.integers(0, 2**63 - 1), st.sampled_from(["auto", "hals", "svrmu"]))
def test_dense_x_of_any_storage_gives_the_bits_of_the_command_line(data, k, seed, algorithm):
    check(*data, k, seed, algorithm)


@common
@given(sparse(), st.integers(1, 4), st.integers(0, 2**63 - 1), st.sampled_from(["auto", "hals", "svrmu"]))
def test_sparse_x_of_any_storage_gives_the_bits_of_the_command_line(data, k, seed, algorithm):
    check(*data, k, seed, algorithm)


@common
@given(numbers(), st.sampled_from([np.nan, np.inf, -np.inf, -1.0]), st.booleans(), st.data())
def test_bad_value_is_an_exception_with_its_place(X, value, as_sparse, data):
    i, j = data.draw(st.integers(0, X.shape[0] - 1)), data.draw(st.integers(0, X.shape[1] - 1))
    X[i, j] = value
    try:
        svrmu.fit(sp.csr_matrix(X) if as_sparse else X, 1)
    except svrmu.InvalidInput as error:
        assert f"row {i}, column {j} (counted from 0)" in str(error)
    else:
        raise AssertionError("it was accepted")
