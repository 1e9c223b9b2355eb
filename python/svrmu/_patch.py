"""svrmu in the place of scikit-learn's NMF, for programs that import that one."""

from __future__ import annotations

import logging
import sys
from typing import Any, List, Tuple

log = logging.getLogger("svrmu")

# (module, name, what was there)
_changed: List[Tuple[Any, str, Any]] = []


def _replacements() -> List[Tuple[Any, Any]]:
    from ._functional import non_negative_factorization
    from ._minibatch import MiniBatchNMF
    from ._nmf import NMF
    from ._sklearn import SklearnMiniBatchNMF, SklearnNMF, sklearn_function

    return [
        (SklearnNMF, NMF),
        (SklearnMiniBatchNMF, MiniBatchNMF),
        (sklearn_function, non_negative_factorization),
    ]


def _left_alone(name: str) -> bool:
    # Where scikit-learn's classes are defined they stay, so that their instances can be pickled.
    return name == "sklearn.decomposition._nmf" or name == "svrmu" or name.startswith("svrmu.")


def patch_sklearn() -> None:
    """Puts `svrmu.NMF`, `svrmu.MiniBatchNMF` and `svrmu.non_negative_factorization` in scikit-learn's place.

    Every module that is loaded gets them under the names that it has for scikit-learn's, and so does what is
    imported from ``sklearn.decomposition`` later. Left as they are: instances that there are, classes that
    derive from scikit-learn's, and the module ``sklearn.decomposition._nmf`` itself. The logger ``svrmu``
    tells of each.

    Examples
    --------
    >>> import svrmu
    >>> svrmu.patch_sklearn()
    >>> from sklearn.decomposition import NMF
    >>> NMF is svrmu.NMF
    True
    >>> svrmu.unpatch_sklearn()
    """
    if _changed:
        return
    for original, ours in _replacements():
        for name, module in list(sys.modules.items()):
            if module is None or _left_alone(name):
                continue
            names = [key for key, value in list(getattr(module, "__dict__", {}).items()) if value is original]
            for key in names:
                setattr(module, key, ours)
                _changed.append((module, key, original))
                log.info("%s.%s is svrmu's now", name, key)
        if isinstance(original, type):
            for derived in original.__subclasses__():
                if not _left_alone(derived.__module__):
                    log.info("%s.%s derives from scikit-learn's and is left", derived.__module__, derived.__name__)


def unpatch_sklearn() -> None:
    """Puts scikit-learn's own back where `patch_sklearn` has replaced them."""
    while _changed:
        module, name, original = _changed.pop()
        setattr(module, name, original)
