"""What the estimators need of scikit-learn, 1.2 to the newest. Importing this module imports scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.decomposition._nmf import MiniBatchNMF as SklearnMiniBatchNMF
from sklearn.decomposition._nmf import NMF as SklearnNMF
from sklearn.decomposition._nmf import _beta_divergence, _initialize_nmf
from sklearn.decomposition._nmf import non_negative_factorization as sklearn_function
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, check_array, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, check_non_negative

__all__ = [
    "ConvergenceWarning",
    "Interval",
    "SklearnMiniBatchNMF",
    "SklearnNMF",
    "StrOptions",
    "_beta_divergence",
    "_initialize_nmf",
    "assert_all_finite",
    "check_array",
    "check_is_fitted",
    "check_non_negative",
    "check_random_state",
    "finite_argument",
    "seed_of",
    "sklearn_function",
    "validate",
]

# Renamed in 1.6.
_finite = "ensure_all_finite" if "ensure_all_finite" in inspect.signature(check_array).parameters else "force_all_finite"


def finite_argument(wanted: bool) -> dict[str, bool]:
    """The argument that asks for a look at every value, by the name of the installed version."""
    return {_finite: wanted}


def validate(estimator: Any, X: Any, *, reset: bool, finite: bool) -> Any:
    """X as scikit-learn hands it to its own NMF."""
    arguments = dict(
        accept_sparse=("csr", "csc"),
        dtype=[np.float64, np.float32],
        reset=reset,
        **finite_argument(finite),
    )
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before 1.6
        return estimator._validate_data(X, **arguments)
    return validate_data(estimator, X, **arguments)


def seed_of(random_state: Any) -> int:
    """An integer is the seed itself, as on the command line; from anything else one is drawn."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
