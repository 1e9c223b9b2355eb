"""Memory of the library as numpy arrays in Python's orientation."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _structs as c
from ._matrix import Array, dtype_of


class _Memory:
    """Memory of the library that lives as long as its owner; an array made of it keeps both."""

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self._owner = owner
        self.__array_interface__ = interface


def transposed(told: c.Dense, owner: Any) -> Array:
    """A read-only view, transposed: columns x rows."""
    dtype = dtype_of(told.type)
    shape = (int(told.columns), int(told.rows))
    if 0 in shape:
        return np.empty(shape, dtype)
    interface = {
        "shape": shape,
        "typestr": dtype.str,
        "data": (told.data, True),
        "strides": (int(told.column_stride), int(told.row_stride)),
        "version": 3,
    }
    return np.asarray(_Memory(owner, interface))


def _copied(address: Any, count: int, dtype: Any) -> Array:
    copy = np.empty(count, dtype)
    if count > 0:
        ctypes.memmove(copy.ctypes.data, address, copy.nbytes)
    return copy


def transposed_csr(told: c.Sparse) -> Any:
    """A copy as scipy's CSR, transposed: what is sparse by columns is so by rows."""
    from scipy.sparse import csr_matrix

    indices = _copied(told.indices, told.stored, f"i{told.index_bytes}")
    offsets = _copied(told.offsets, told.columns + 1, f"i{told.offset_bytes}")
    values = _copied(told.values, told.stored, dtype_of(told.type))
    return csr_matrix((values, indices, offsets), shape=(int(told.columns), int(told.rows)))
