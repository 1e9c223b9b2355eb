"""Nonnegative matrix factorization, X ~ weights @ components, by the svrmu library.

`svrmu.NMF`, `svrmu.MiniBatchNMF`, `svrmu.RobustNMF` and `svrmu.non_negative_factorization` take the place of
scikit-learn's, which they import when they are first used. `svrmu.fit` and the other functions need numpy
only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

from ._errors import Cancelled, InternalError, InvalidInput, IoError, ResourceLimit
from ._fit import Description, Plan, describe, fit, load, open, plan, transform
from ._jobs import Record
from ._matrix import Matrix
from ._options import Option, Solver, options_of, solvers
from ._result import Report, Result
from ._version import __version__

if TYPE_CHECKING:
    from . import anndata, plot
    from ._functional import non_negative_factorization
    from ._minibatch import MiniBatchNMF
    from ._nmf import NMF
    from ._patch import patch_sklearn, unpatch_sklearn
    from ._robust import RobustNMF

# What needs more than numpy, by the module that has it.
_later = {
    "NMF": "_nmf",
    "MiniBatchNMF": "_minibatch",
    "RobustNMF": "_robust",
    "non_negative_factorization": "_functional",
    "patch_sklearn": "_patch",
    "unpatch_sklearn": "_patch",
}

__all__ = [
    "Cancelled",
    "Description",
    "InternalError",
    "InvalidInput",
    "IoError",
    "Matrix",
    "MiniBatchNMF",
    "NMF",
    "Option",
    "Plan",
    "Record",
    "Report",
    "ResourceLimit",
    "Result",
    "RobustNMF",
    "Solver",
    "__version__",
    "anndata",
    "describe",
    "fit",
    "load",
    "non_negative_factorization",
    "open",
    "options_of",
    "patch_sklearn",
    "plan",
    "plot",
    "solvers",
    "transform",
    "unpatch_sklearn",
]


def __getattr__(name: str) -> Any:
    if name in _later:
        value = getattr(importlib.import_module(f"{__name__}.{_later[name]}"), name)
    elif name in ("anndata", "plot"):
        value = importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
