"""X as the library reads it: where it lies if possible, and otherwise a copy that is logged.

The library's V is X.T: nothing is transposed, only the strides are exchanged.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import os
import sys
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from . import _structs as c
from ._errors import InvalidInput
from ._library import Handle, c_path, call, library, texts
from ._options import Options, names_of

log = logging.getLogger("svrmu")

Array = np.ndarray[Any, Any]

_dtypes: Dict[int, np.dtype[Any]] = {c.FLOAT32: np.dtype(np.float32), c.FLOAT64: np.dtype(np.float64)}
_kinds: Dict[np.dtype[Any], int] = {dtype: kind for kind, dtype in _dtypes.items()}


def dtype_of(kind: int) -> np.dtype[Any]:
    """The numpy type of a svrmu_type."""
    return _dtypes[kind]


def _copied(why: str, nbytes: int, what: str = "X") -> None:
    log.info("%s is copied (%d bytes): %s", what, nbytes, why)


def _is_sparse(X: Any) -> bool:
    # Who has a sparse matrix has imported scipy.sparse.
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))


def _float_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 and float64 stay; every other number becomes float64, as on the command line."""
    if dtype.kind == "c":
        raise InvalidInput("complex numbers cannot be used; take their absolute values or their parts")
    single = dtype.kind == "f" and dtype.itemsize == 4
    return np.dtype(np.float32 if single else np.float64)


def _why_not(X: Array) -> str:
    """Why a dense array cannot be read where it lies; empty if it can."""
    flags = X.flags
    if X.dtype in _kinds and flags.aligned and (flags.c_contiguous or flags.f_contiguous):
        return ""
    if X.dtype.newbyteorder("=") != _float_dtype(X.dtype):
        return f"its type is {X.dtype}, not float32 or float64"
    if not X.dtype.isnative:
        return "its byte order is not the machine's"
    if not X.flags.aligned:
        return "it is not aligned"
    size = X.itemsize
    strides = [stride for stride, length in zip(X.strides, X.shape) if length > 1]
    if any(stride <= 0 for stride in strides):
        return "a stride is 0 or negative"
    if len(strides) == 2:
        if size not in strides:
            return "neither its rows nor its columns are contiguous"
        inner = 0 if X.strides[0] < X.strides[1] else 1
        if X.strides[1 - inner] < X.shape[inner] * size or X.strides[1 - inner] % size:
            return "its rows or columns overlap"
    elif strides and strides[0] % size:
        return "its stride is no multiple of its numbers"
    return ""


def dense(X: Array, what: str = "X") -> Tuple[c.Dense, Array]:
    """The transposed view of a 2-D array for the library, and the array that it is a view of."""
    reason = _why_not(X)
    if reason:
        X = np.array(X, dtype=_float_dtype(X.dtype).newbyteorder("="), order="C")
        _copied(reason, X.nbytes, what)
    n_samples, n_features = X.shape
    # The stride of a side of length 1 means nothing, and numpy may put anything there.
    feature_stride = X.strides[1] if n_features > 1 else X.itemsize
    sample_stride = X.strides[0] if n_samples > 1 else max(1, n_features) * feature_stride
    view = c.Dense(
        X.__array_interface__["data"][0], _kinds[X.dtype], n_features, n_samples, feature_stride, sample_stride
    )
    return view, X


def _index_array(values: Array, what: str) -> Array:
    dtype = values.dtype if values.dtype in (np.int32, np.int64) else np.dtype(np.int64)
    converted = np.require(values, dtype=dtype.newbyteorder("="), requirements=["C", "A"])
    if converted is not values and not np.shares_memory(converted, values):
        _copied(f"its {what} are not int32 or int64, contiguous and aligned", converted.nbytes)
    return converted


def sparse(X: Any) -> Tuple[c.Sparse, Any]:
    """The transposed view of a scipy matrix for the library, and what it is a view of."""
    if X.ndim != 2:
        raise InvalidInput(f"X has {X.ndim} dimensions; it must have 2, samples x features")
    if X.format not in ("csr", "csc"):
        source = X.format
        X = X.tocsr()
        _copied(f"its format is {source}, not csr or csc", X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    dtype = _float_dtype(X.data.dtype)
    values = np.require(X.data, dtype=dtype, requirements=["C", "A"])
    if values is not X.data and not np.shares_memory(values, X.data):
        _copied(f"its values are {X.data.dtype}, or not contiguous", values.nbytes)
    offsets, indices = _index_array(X.indptr, "offsets"), _index_array(X.indices, "indices")
    major = X.shape[0] if X.format == "csr" else X.shape[1]
    stored = int(offsets[-1]) if len(offsets) else 0
    if len(offsets) != major + 1 or stored > min(len(indices), len(values)):
        raise InvalidInput("sparse X is damaged: its offsets do not go with its shape or its values")
    view = c.Sparse(
        X.shape[1],
        X.shape[0],
        stored,
        c.BY_COLUMNS if X.format == "csr" else c.BY_ROWS,
        _kinds[values.dtype],
        offsets.itemsize,
        indices.itemsize,
        offsets.ctypes.data,
        indices.ctypes.data,
        values.ctypes.data,
    )
    return view, (values, offsets, indices)


def _names(labels: Any) -> List[str]:
    """Labels of a frame as names: texts only, as scikit-learn takes them."""
    values = list(labels)
    return values if values and all(isinstance(value, str) for value in values) else []


def as_array(X: Any, what: str = "X") -> Array:
    """A dense X as a 2-D array of numbers; `what` it is called in messages."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):  # type: ignore[no-untyped-call]
        raise InvalidInput(f"{what} has masked entries, and there are no missing values here; fill them")
    array = np.asarray(X)
    if array.dtype.kind in "OUS":
        before = array.dtype
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{what} holds something that is not a number: {error}") from None
        _copied(f"its type is {before}, not float32 or float64", array.nbytes, what)
    if array.dtype.kind not in "fiubc":
        raise InvalidInput(f"{what} is of type {array.dtype}, which is no number")
    if array.ndim != 2:
        raise InvalidInput(f"{what} has {array.ndim} dimension{'s' if array.ndim != 1 else ''}; it must have 2")
    return array


class Matrix(Handle):
    """X, as `fit`, `transform` and `plan` read it. `svrmu.open` makes it of a file."""

    def __init__(
        self,
        make: Any,
        keep: Any = None,
        feature_names: Optional[List[str]] = None,
        sample_names: Optional[List[str]] = None,
        of_file: bool = False,
    ) -> None:
        super().__init__("svrmu_matrix_free", make, of_file)
        self._keep = keep
        self._feature_names = feature_names
        self._sample_names = sample_names

    @functools.cached_property
    def _facts(self) -> c.MatrixFacts:
        facts = c.MatrixFacts()
        call("svrmu_matrix_get_facts", self.value, ctypes.byref(facts), ctypes.sizeof(facts))
        return facts

    @property
    def n_samples(self) -> int:
        """Rows of X."""
        return int(self._facts.samples)

    @property
    def n_features(self) -> int:
        """Columns of X."""
        return int(self._facts.features)

    @property
    def stored(self) -> int:
        """Entries held."""
        return int(self._facts.stored)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        return dtype_of(self._facts.type)

    @property
    def sparse(self) -> bool:
        """Whether only some entries are held."""
        return bool(self._facts.sparse)

    @property
    def copied_bytes(self) -> int:
        """Memory that the library took to bring X into a form that it can use."""
        return int(self._facts.copied_bytes)

    def _texts(self, which: str) -> List[str]:
        return texts(lambda to: library().svrmu_matrix_get_texts(self.value, which.encode(), to))

    @property
    def shape(self) -> Tuple[int, int]:
        """(n_samples, n_features)"""
        return self.n_samples, self.n_features

    @property
    def feature_names(self) -> List[str]:
        """Names of the features; empty: there are none."""
        return self._texts("feature_names") if self._feature_names is None else self._feature_names

    @property
    def sample_names(self) -> List[str]:
        """Names of the samples; empty: there are none."""
        return self._texts("sample_names") if self._sample_names is None else self._sample_names

    @property
    def notes(self) -> List[str]:
        """What may not be meant as it was understood, of a file."""
        return self._texts("notes")

    def __repr__(self) -> str:
        kind = f"sparse, {self.stored} entries" if self.sparse else "dense"
        return f"<svrmu.Matrix: {self.n_samples} samples x {self.n_features} features, {kind}, {self.dtype}>"


def read(path: Any, options: Mapping[str, Any]) -> Matrix:
    """X of a file."""
    given, name = Options(options), c_path(path)
    return Matrix(lambda to: library().svrmu_matrix_read(name, given.value, to), of_file=True)


def _frame(X: Any) -> Tuple[Any, Optional[List[str]], Optional[List[str]]]:
    """The values of a pandas or polars frame, with the names of features and samples."""
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(X, "to_numpy"):
        return X, [], []
    features, samples = _names(columns), _names(getattr(X, "index", ()))
    accessor = None
    if all(str(dtype).startswith("Sparse") for dtype in getattr(X, "dtypes", ())):
        accessor = getattr(X, "sparse", None)
    values = accessor.to_coo() if accessor is not None else X.to_numpy()
    return values, features, samples


def matrix(X: Any) -> Matrix:
    """X from whatever it is in memory: array, sparse matrix, frame, or a Matrix itself."""
    if isinstance(X, Matrix):
        return X
    values, features, samples = (X, [], []) if isinstance(X, np.ndarray) else _frame(X)
    if _is_sparse(values):
        compressed, keep = sparse(values)
        made = Matrix(
            lambda to: library().svrmu_matrix_sparse(ctypes.byref(compressed), to), keep, features, samples
        )
        if made.copied_bytes > 0:
            by_columns = compressed.layout == c.BY_ROWS
            why = "it is compressed by columns" if by_columns else "its entries are unsorted or repeated"
            _copied(why, made.copied_bytes)
        return made
    view, kept = dense(as_array(values))
    return Matrix(lambda to: library().svrmu_matrix_dense(ctypes.byref(view), to), kept, features, samples)


def matrix_and_rest(X: Any, options: Dict[str, Any]) -> Tuple[Matrix, Dict[str, Any]]:
    """X, a path read with the options that are for reading, and the other options."""
    if not isinstance(X, (str, os.PathLike)):
        return matrix(X), options
    reading = names_of("read")
    told = {name: value for name, value in options.items() if name in reading}
    rest = {name: value for name, value in options.items() if name not in reading or name == "threads"}
    return read(X, told), rest
