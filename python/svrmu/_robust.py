"""svrmu.RobustNMF: outliers are set apart. Importing this module imports scikit-learn."""

from __future__ import annotations

from numbers import Real
from typing import Any, Dict, Optional, Tuple, Union

from ._errors import InvalidInput
from ._estimator import warn_of_unfinished
from ._fit import transform_all
from ._matrix import Array
from ._nmf import NMF
from ._options import solvers
from ._result import Result
from ._rules import SKLEARN_SOLVERS
from ._sklearn import Interval, check_is_fitted, validate


class RobustNMF(NMF):
    """Nonnegative matrix factorization with outliers, ``X ~ W @ components_ + outliers_``.

    Parameters
    ----------
    n_components : int, 'auto' or None, default='auto'
        Number of components.
    outlier_penalty : float or None, default=None
        A residual above it counts as an outlier. None: 0.02 times the largest value of X.
    init, solver, tol, max_iter, random_state, alpha_W, alpha_H, l1_ratio, verbose, n_threads, time_limit, \
n_init, normalize, solver_options, callback, progress
        As for `svrmu.NMF`. 'auto' chooses among the solvers with outliers: 'r-nmf', 'r-svrmu', ... The loss
        is Frobenius.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts.
    outliers_ : scipy.sparse.csr_matrix of shape (n_samples, n_features)
        What was set apart of the X of fit.
    n_components_, reconstruction_err_, n_iter_, history_, stop_reason_, solver_, warnings_, result_
        As for `svrmu.NMF`; the error is that of X without its outliers.

    Examples
    --------
    >>> import numpy as np
    >>> from svrmu import RobustNMF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((60, 2)) @ rng.random((2, 30))
    >>> X[3, 4] += 5
    >>> model = RobustNMF(n_components=2, random_state=0).fit(X)
    >>> bool(model.outliers_[3, 4] > 4)
    True
    """

    _parameter_constraints: Dict[str, Any] = {
        **NMF._parameter_constraints,
        "outlier_penalty": [Interval(Real, 0, None, closed="neither"), None],
    }
    for _fixed in ("beta_loss", "shuffle"):
        _parameter_constraints.pop(_fixed)
    del _fixed

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        outlier_penalty: Optional[float] = None,
        init: Optional[str] = None,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        n_threads: Optional[int] = None,
        time_limit: Union[float, str, None] = None,
        n_init: int = 1,
        normalize: bool = False,
        solver_options: Optional[Dict[str, Any]] = None,
        callback: Any = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.outlier_penalty = outlier_penalty
        self.init = init
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.n_threads = n_threads
        self.time_limit = time_limit
        self.n_init = n_init
        self.normalize = normalize
        self.solver_options = solver_options
        self.callback = callback
        self.progress = progress

    # scikit-learn's parameters that have one value here.
    beta_loss = "frobenius"
    shuffle = False

    def _check_combination(self) -> None:
        with_outliers = {solver.name for solver in solvers() if solver.outliers}
        known = {solver.name for solver in solvers()} - with_outliers
        if self.solver in SKLEARN_SOLVERS or self.solver in known:
            raise InvalidInput(f"solver {self.solver!r} has no outliers; 'auto', 'r-nmf' and 'r-svrmu' have")
        super()._check_combination()

    def _fit_options(self, X: Any) -> Dict[str, Any]:
        told = super()._fit_options(X)
        told["robust"] = True if self.solver == "auto" else None
        told["outlier_penalty"] = self.outlier_penalty
        return told

    def _weights(self, X: Any, components: Array, result: Result) -> Array:
        weights, self._outliers = self._split(X, result)
        return weights

    def _split(self, X: Any, result: Result) -> Tuple[Array, Any]:
        try:
            # A model has one precision.
            weights, outliers, unfinished = transform_all(
                X.astype(result.dtype, copy=False), result, threads=self.n_threads
            )
        except InvalidInput as error:
            raise self._explained(X, error) from None
        warn_of_unfinished(unfinished)
        return weights, outliers

    def _keep(
        self, X: Any, W: Array, H: Array, result: Optional[Result], n_iter: int, outliers: Any = None
    ) -> None:
        self.outliers_ = self._outliers
        del self._outliers
        super()._keep(X, W, H, result, n_iter, self.outliers_)

    def _transform(self, X: Any) -> Array:
        return self._split(X, self._fitted())[0]

    def transform_outliers(self, X: Any) -> Any:
        """Finds the outliers of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples in rows.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, n_features)
            What is set apart of X; ``transform(X) @ components_`` approximates the rest.
        """
        check_is_fitted(self)
        X = validate(self, X, reset=False, finite=False)
        return self._split(X, self._fitted())[1]
