"""The error that scikit-learn's estimators report, in little memory."""

from __future__ import annotations

from math import sqrt
from typing import Any, Iterator

import numpy as np

from ._matrix import Array
from ._sklearn import _beta_divergence

# Numbers of X - WH that are held at a time.
_block_numbers = 1 << 20


def _blocks(length: int, width: int) -> Iterator[slice]:
    step = max(1, _block_numbers // max(1, width))
    for begin in range(0, length, step):
        yield slice(begin, min(length, begin + step))


def _dense_rows(X: Array, outliers: Any, rows: slice) -> Array:
    part: Array = X[rows] if outliers is None else X[rows] - outliers[rows].toarray()
    return part


def reconstruction_error(X: Any, W: Array, H: Array, beta: float, outliers: Any = None) -> float:
    """sqrt(2 divergence), the sum of what scikit-learn's own function gives for parts of X - outliers."""
    if isinstance(X, np.ndarray):
        rows_of = _blocks(*X.shape)
        total = sum(float(_beta_divergence(_dense_rows(X, outliers, rows), W[rows], H, beta)) for rows in rows_of)
        return sqrt(2 * max(total, 0.0))
    if outliers is not None:
        X = (X - outliers).tocsr()
    if X.format == "csc":
        # Its function takes the entries of a CSC matrix in the wrong order, unless beta is 2.
        X, W, H = X.T, H.T, W.T
    if beta in (1, 2):
        # Its sparse form has no dense product.
        total = float(_beta_divergence(X, W, H, beta))
    else:
        rows_of = _blocks(*X.shape)
        total = sum(float(_beta_divergence(X[rows].toarray(), W[rows], H, beta)) for rows in rows_of)
    return sqrt(2 * max(total, 0.0))
