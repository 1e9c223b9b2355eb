"""svrmu.non_negative_factorization. Importing this module imports scikit-learn."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ._matrix import Array
from ._nmf import NMF
from ._sklearn import check_array


def non_negative_factorization(
    X: Any,
    W: Any = None,
    H: Any = None,
    n_components: Any = "auto",
    *,
    init: Optional[str] = None,
    update_H: bool = True,
    solver: str = "auto",
    beta_loss: Any = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: Any = "same",
    l1_ratio: float = 0.0,
    random_state: Any = None,
    verbose: int = 0,
    shuffle: bool = False,
    **more: Any,
) -> Tuple[Array, Array, int]:
    """Factorizes X ~ W @ H, in the place of scikit-learn's function.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples in rows.
    W : array-like of shape (n_samples, n_components), default=None
        Where W begins, if init='custom'.
    H : array-like of shape (n_components, n_features), default=None
        Where H begins, if init='custom'. With update_H=False it is kept, and only W is found.
    n_components, init, solver, beta_loss, tol, max_iter, alpha_W, alpha_H, l1_ratio, random_state, verbose, \
shuffle
        As for `svrmu.NMF`.
    update_H : bool, default=True
        False: find W for the H that is given. Each sample is solved by itself, whatever the solver.
    **more
        The other parameters of `svrmu.NMF`: n_threads, time_limit, n_init, solver_options, ...

    Returns
    -------
    W : ndarray of shape (n_samples, n_components)
        The weights.
    H : ndarray of shape (n_components, n_features)
        The components.
    n_iter : int
        Iterations; 1 with update_H=False.

    Examples
    --------
    >>> import numpy as np
    >>> from svrmu import non_negative_factorization
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> W, H, n_iter = non_negative_factorization(X, n_components=2, random_state=0)
    >>> bool(np.abs(X - W @ H).max() < 0.1)
    True
    """
    estimator = NMF(
        n_components=n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        verbose=verbose,
        shuffle=shuffle,
        **more,
    )
    estimator._validate_params()
    if not isinstance(update_H, (bool, np.bool_)):
        raise ValueError(f"update_H is {update_H!r}; it must be True or False")
    X = check_array(X, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32])
    return estimator._fit_transform(X, W=W, H=H, update_H=bool(update_H))
