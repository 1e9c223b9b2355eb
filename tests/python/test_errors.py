"""Errors are exceptions that a Python program expects, and speak of samples in rows."""

import numpy as np
import pytest
import scipy.sparse

import svrmu
from support import low_rank


def test_kinds_are_those_of_python():
    assert issubclass(svrmu.InvalidInput, ValueError)
    assert issubclass(svrmu.ResourceLimit, MemoryError)
    assert issubclass(svrmu.IoError, OSError)


@pytest.mark.parametrize("value, word", [(-1.0, "negative"), (np.nan, "NaN"), (np.inf, "infinite")])
def test_bad_value_is_told_by_row_and_column_of_x(value, word):
    X = low_rank()
    X[31, 7] = value
    with pytest.raises(svrmu.InvalidInput, match=r"row 31, column 7 \(counted from 0\)") as caught:
        svrmu.fit(X, 2)
    assert str(caught.value).startswith("X ") and word.lower() in str(caught.value).lower()


def test_shape_is_told_in_the_order_of_python():
    with pytest.raises(svrmu.InvalidInput, match="40 x 25"):
        svrmu.fit(low_rank(), 30)


@pytest.mark.parametrize("options, word", [
    (dict(max_epoch=3), "max_epochs"),
    (dict(algorithm="svrmuu"), "svrmu"),
    (dict(tol=-1), "relative_change"),
    (dict(batch_size=10, algorithm="hals"), "batch_size"),
    (dict(samples="rows"), "samples"),
    (dict(rank=3), "argument k"),
    (dict(seed=[1]), "seed"),
])
def test_wrong_option_is_told_by_name(options, word):
    with pytest.raises(svrmu.InvalidInput, match=word):
        svrmu.fit(low_rank(), 2, **options)


def test_unknown_option_is_told_with_the_nearest_and_where_all_are_listed():
    with pytest.raises(svrmu.InvalidInput) as caught:
        svrmu.fit(low_rank(), 2, l1_x=1)
    assert 'did you mean l1_components or l1_weights? (svrmu.options_of("fit") lists all)' in str(caught.value)


def test_name_of_a_file_is_told_as_it_is(tmp_path):
    for name in ("V.csv", "W-H.csv", "R.csv"):
        (tmp_path / name).write_text("1,2\n3,x\n")
        with pytest.raises(svrmu.InvalidInput) as caught:
            svrmu.fit(tmp_path / name, 1)
        assert str(tmp_path / name) in str(caught.value)


def test_place_in_a_sparse_matrix_is_counted_from_0():
    X = scipy.sparse.csr_matrix(np.ones((4, 3)))
    X.indices[7] = 9  # the second entry of row 2
    with pytest.raises(svrmu.InvalidInput, match=r"column index 9 in row 2 \(counted from 0\)"):
        svrmu.fit(X, 1)


def test_zero_byte_does_not_end_a_text():
    with pytest.raises(svrmu.InvalidInput, match="loss holds a zero byte"):
        svrmu.fit(low_rank(), 2, loss="kl\0junk")
    with pytest.raises(svrmu.InvalidInput, match="path holds a zero byte"):
        svrmu.load("model\0.h5")


def test_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(svrmu.IoError, match="no.npy"):
        svrmu.open(tmp_path / "no.npy")
    with pytest.raises(svrmu.IoError):
        svrmu.load(tmp_path / "no.svrmu.h5")
    with pytest.raises(OSError):
        svrmu.fit(low_rank(), 2).save(tmp_path / "no" / "folder.svrmu.h5")


def test_other_number_of_features_is_refused():
    result = svrmu.fit(low_rank(), 2)
    with pytest.raises(svrmu.InvalidInput):
        svrmu.transform(np.ones((3, 7)), result)
    with pytest.raises(svrmu.InvalidInput):
        svrmu.transform(np.ones((3, 7)), result.components)


def test_bytes_that_are_no_model_are_refused():
    with pytest.raises((svrmu.InvalidInput, svrmu.IoError)):
        svrmu.Result.from_bytes(b"nothing")
