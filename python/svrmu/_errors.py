"""What can go wrong, as exceptions whose messages speak of X: rows are samples, columns are features."""

from __future__ import annotations

import re
from typing import Type


class InvalidInput(ValueError):
    """An argument, an option or the data cannot be used."""


class ResourceLimit(MemoryError):
    """The work needs more memory than there is."""


class IoError(OSError):
    """A file cannot be read or written."""


class Cancelled(RuntimeError):
    """Stopped before there was a result."""


class InternalError(RuntimeError):
    """A defect of the library: please report it."""


# The letters W and H of the library are scikit-learn's H and W. So options that name a factor have a name
# without letters here, and the library's own is refused.
PYTHON_NAMES = {
    "l1_w": "l1_components",
    "l2_w": "l2_components",
    "l1_h": "l1_weights",
    "l2_h": "l2_weights",
    "init_w": "init_components",
    "init_h": "init_weights",
    "init_r": "init_outliers",
}

_place = re.compile(r"\brow (\d+), column (\d+)(?: \(counted from 1\))?")
_major = re.compile(r"\b(row|column) (\d+) \(counted from 1\)")
_shape = re.compile(r"\bV( is | \()(\d+) x (\d+)")
_given_shape = re.compile(
    r"\bstart ([WHR]) is (\d+) x (\d+), but must be (\d+) x (\d+) \((\w+) x (\w+)\)"
)
_row_or_column = re.compile(r"\b(row|column)(?=s?\b)")
_empty = re.compile(r"\b(row|column)s? without a value: their (row|column)s of [WH]\b")
_factors = {"W": "components", "H": "weights", "R": "outliers"}
_names = re.compile(r"\b(" + "|".join(PYTHON_NAMES) + r")\b")
# A letter that stands for a matrix, not one of a file's name: "/data/V/W.npy".
_start = re.compile(r"(?<![/\\.:-])\bstart ([WHR])\b")
_letter = re.compile(r"(?<![/\\.:-])\b(WH|[VWHR])\b(?![/\\-]|\.\w)")
_letters = {"V": "X", "WH": "weights @ components", **_factors}
# Functions of the C interface, where a message tells which to call.
_functions = {
    "svrmu_list_options(": "svrmu.options_of(",
    "svrmu_list_algorithms(": "svrmu.solvers(",
    "svrmu_start_update(": "update(",
}


def _other(word: re.Match[str]) -> str:
    return "column" if word.group(1) == "row" else "row"


def in_python_terms(message: str) -> str:
    """Says of X, counted from 0, what the library says of V = X.T, counted from 1.

    Examples
    --------
    >>> in_python_terms("V holds 2 values below 0, the first at row 3, column 1 (counted from 1); mend it")
    'X holds 2 values below 0, the first at row 0, column 2 (counted from 0); mend it'
    >>> in_python_terms("V is 3 x 7")
    'X is 7 x 3'
    >>> in_python_terms("start W is 5 x 2, but must be 5 x 3 (features x rank)")
    'init_components is 2 x 5, but must be 3 x 5 (rank x features)'
    >>> in_python_terms("2 rows without a value: their rows of W are zero")
    '2 columns without a value: their columns of components are zero'
    >>> in_python_terms("sparse V: the row index 9 in column 3 (counted from 1) is outside")
    'sparse X: the column index 9 in row 2 (counted from 0) is outside'
    >>> in_python_terms("l1_w is -1, but must be at least 0")
    'l1_components is -1, but must be at least 0'
    >>> in_python_terms("/data/W/V.npy: is not the V of the model")
    '/data/W/V.npy: is not the X of the model'
    """

    def exchanged(place: re.Match[str]) -> str:
        feature, sample = int(place.group(1)) - 1, int(place.group(2)) - 1
        return f"row {sample}, column {feature} (counted from 0)"

    def counted_from_0(major: re.Match[str]) -> str:
        return f"{major.group(1)} {int(major.group(2)) - 1} (counted from 0)"

    if message.startswith("sparse V"):
        # These tell of one index at a time.
        message = _row_or_column.sub(_other, _major.sub(counted_from_0, message))
    else:
        message = _place.sub(exchanged, message)
    message = _shape.sub(r"V\1\3 x \2", message)
    message = _empty.sub(lambda found: _row_or_column.sub(_other, found.group(0)), message)
    message = _given_shape.sub(r"start \1 is \3 x \2, but must be \5 x \4 (\7 x \6)", message)
    message = _start.sub(lambda found: "init_" + _factors[found.group(1)], message)
    message = _names.sub(lambda found: PYTHON_NAMES[found.group(1)], message)
    for name, ours in _functions.items():
        message = message.replace(name, ours)
    return _letter.sub(lambda found: _letters[found.group(1)], message)


def error_of(code: int, message: str, of_file: bool = False) -> Exception:
    """The exception for a code of the C interface; what is said of a file is said in the file's own terms."""
    kinds: dict[int, Type[Exception]] = {
        2: InvalidInput,
        3: InvalidInput,
        4: IoError,
        6: ResourceLimit,
        130: Cancelled,
    }
    kind = kinds.get(code)
    if kind is None:
        return InternalError(message or f"the library ended with code {code}")
    # An OSError of one argument has no errno, so that its text is the message.
    return kind(message if of_file or kind is IoError else in_python_terms(message))
