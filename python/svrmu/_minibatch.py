"""svrmu.MiniBatchNMF. Importing this module imports scikit-learn."""

from __future__ import annotations

import logging
from numbers import Real
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from ._errors import InvalidInput
from ._estimator import Estimator, extra_constraints, own_start
from ._jobs import Job
from ._matrix import Array, matrix
from ._options import Options
from ._result import Result, finish
from ._sklearn import Interval, SklearnMiniBatchNMF, check_is_fitted, seed_of, validate

log = logging.getLogger("svrmu")


class MiniBatchNMF(Estimator, SklearnMiniBatchNMF):  # type: ignore[misc]
    """Nonnegative matrix factorization by mini-batches, in the place of scikit-learn's MiniBatchNMF.

    Parameters
    ----------
    n_components : int, 'auto' or None, default='auto'
        Number of components, as for `svrmu.NMF`.
    init : {'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom', 'svd_abs'} or None, default=None
        Where the iteration begins: starts of the library. None is 'nndsvda' in `fit` if there are no more
        components than samples and features, else 'random'.
    batch_size : int, default=1024
        Samples per step of the components.
    beta_loss, tol, max_iter, alpha_W, alpha_H, l1_ratio, random_state, verbose
        As for `svrmu.NMF`.
    solver : str, default='auto'
        'auto' is 'inc-hals' for the Frobenius loss, which keeps exact statistics, and 'svrmu' for the others;
        'inc-mu', 'onmf', 'smu' and every other algorithm with mini-batches can be named. 'mu' is
        scikit-learn's own code. 'auto' leaves the work to it, too, if a parameter asks for what only that
        algorithm has: `fresh_restarts`, `max_no_improvement`, or in `fit` a `forget_factor`.
    forget_factor : float or None, default=None
        What a batch leaves of the weight of everything before it, in `partial_fit`. None: 1, nothing is
        forgotten (0.7 with 'mu').
    max_no_improvement, fresh_restarts, fresh_restarts_max_iter
        Of scikit-learn's own algorithm, 'mu'.
    transform_max_iter : int or None, default=None
        Most sweeps over a sample in `transform`. None: 5000.
    n_threads, time_limit, normalize, solver_options, callback, progress
        As for `svrmu.NMF`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts.
    n_steps_ : int
        Mini-batches that were processed.
    n_components_, reconstruction_err_, n_iter_, history_, stop_reason_, solver_, warnings_, result_
        As for `svrmu.NMF`.

    Examples
    --------
    >>> import numpy as np
    >>> from svrmu import MiniBatchNMF
    >>> rng = np.random.default_rng(0)
    >>> model = MiniBatchNMF(n_components=2, random_state=0)
    >>> parts = rng.random((2, 10))
    >>> for _ in range(20):
    ...     model = model.partial_fit(rng.random((50, 2)) @ parts)
    >>> model.components_.shape, model.n_steps_
    ((2, 10), 20)
    """

    _parameter_constraints: Dict[str, Any] = {
        **SklearnMiniBatchNMF._parameter_constraints,
        **extra_constraints(),
        "forget_factor": [Interval(Real, 0, 1, closed="both"), None],
    }

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        init: Optional[str] = None,
        batch_size: int = 1024,
        beta_loss: Any = "frobenius",
        tol: float = 1e-4,
        max_no_improvement: Optional[int] = 10,
        max_iter: int = 200,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        forget_factor: Optional[float] = None,
        fresh_restarts: bool = False,
        fresh_restarts_max_iter: int = 30,
        transform_max_iter: Optional[int] = None,
        random_state: Any = None,
        verbose: int = 0,
        solver: str = "auto",
        n_threads: Optional[int] = None,
        time_limit: Union[float, str, None] = None,
        normalize: bool = False,
        solver_options: Optional[Dict[str, Any]] = None,
        callback: Any = None,
        progress: bool = False,
    ) -> None:
        super().__init__(
            n_components=n_components,
            init=init,
            batch_size=batch_size,
            beta_loss=beta_loss,
            tol=tol,
            max_no_improvement=max_no_improvement,
            max_iter=max_iter,
            alpha_W=alpha_W,
            alpha_H=alpha_H,
            l1_ratio=l1_ratio,
            forget_factor=forget_factor,
            fresh_restarts=fresh_restarts,
            fresh_restarts_max_iter=fresh_restarts_max_iter,
            transform_max_iter=transform_max_iter,
            random_state=random_state,
            verbose=verbose,
        )
        self.solver = solver
        self.n_threads = n_threads
        self.time_limit = time_limit
        self.normalize = normalize
        self.solver_options = solver_options
        self.callback = callback
        self.progress = progress

    n_components: Any
    forget_factor: Optional[float]

    # Which algorithm.

    def _only_sklearn(self, partial: bool) -> Optional[str]:
        """The parameter that asks for what only scikit-learn's algorithm has."""
        if self.fresh_restarts or self.fresh_restarts_max_iter != 30:
            return "fresh_restarts"
        if self.max_no_improvement != 10:
            return "max_no_improvement"
        if not partial and self.forget_factor not in (None, 1):
            return "forget_factor"
        return None

    def _left_to_sklearn(self, partial: bool) -> bool:
        asked = self._only_sklearn(partial)
        if self.solver == "mu":
            return True
        if asked is None:
            return False
        if self.solver != "auto":
            raise InvalidInput(f"{asked} is of scikit-learn's own algorithm, solver 'mu', not of {self.solver!r}")
        log.info("%s is set: MiniBatchNMF is left to scikit-learn's own algorithm", asked)
        return True

    def _check_params(self, X: Any) -> "MiniBatchNMF":
        """For scikit-learn's own code, which does not know that a parameter may be left open."""
        given: Tuple[Any, Any] = (self.n_components, self.forget_factor)
        self.n_components = None if given[0] == "auto" else given[0]
        self.forget_factor = 0.7 if given[1] is None else given[1]
        try:
            super()._check_params(X)
        finally:
            self.n_components, self.forget_factor = given
        return self

    def _fit_options(self, X: Any) -> Dict[str, Any]:
        named = self.solver
        if named == "auto":
            named = "inc-hals" if self._beta_loss == 2 else "svrmu"
        return {
            **self._common_options(X),
            "algorithm": named,
            # scikit-learn's choice.
            "init": "nndsvda" if self.init is None and self._n_components <= min(X.shape) else own_start(self.init),
            "batch_size": min(self.batch_size, X.shape[0]),
            "relative_change": self.tol,
            **(self.solver_options or {}),
        }

    # fit

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Array:
        """Learns a model for X and returns its weights. Arguments as for `svrmu.NMF.fit_transform`."""
        self._validate_params()
        self._own = self._left_to_sklearn(partial=False)
        self.__dict__.pop("result_", None)
        if self._own:
            theirs: Array = super().fit_transform(X, y, W, H)
            return theirs
        X = validate(self, X, reset=True, finite=False)
        weights, components, n_iter, n_steps = self._fit_transform(X, W=W, H=H)
        self._keep(X, weights, components, self._last, n_iter)
        del self._last
        self.n_steps_ = n_steps
        return weights

    def _fit_transform(
        self, X: Any, W: Any = None, H: Any = None, update_H: bool = True
    ) -> Tuple[Array, Array, int, int]:
        """W, H and how many iterations and steps; scikit-learn's method of this name has the same arguments."""
        if self._left_to_sklearn(partial=False):
            answer: Tuple[Array, Array, int, int] = super()._fit_transform(X, W=W, H=H, update_H=update_H)
            return answer
        self._prepare(X, W, H, update_H)
        if not update_H:
            return self._solve(X, H, **self._limits()), H, 1, 0
        if self.init != "custom":
            W = H = None
        told = {"seed": seed_of(self.random_state), **self._fit_options(X)}
        result = self._library_fit(X, "svrmu_start_fit", told, W, H)
        components = np.array(result.components, order="C")
        n_iter = max(1, int(result.history["epoch"][-1]))
        weights = self._solve(X, components, **self._limits())
        self._last: Result = result
        self._warn_of_limit(n_iter)
        steps = n_iter * -(-X.shape[0] // min(self.batch_size, X.shape[0]))
        return weights, components, n_iter, steps

    # partial_fit

    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> "MiniBatchNMF":
        """Goes on learning the components from new samples, each seen once.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New samples in rows.
        y : Ignored
            For scikit-learn's conventions.
        W : Ignored
            The weights of new samples are found from the components.
        H : array-like of shape (n_components, n_features), default=None
            Where the components begin, if init='custom'; for the first call.

        Returns
        -------
        self
        """
        first = not hasattr(self, "components_")
        if first:
            self._validate_params()
            self._own = self._left_to_sklearn(partial=True)
        if self._own:
            super().partial_fit(X, y, W, H)
            return self
        X = validate(self, X, reset=first, finite=False)
        result = self._begin(X, H) if first else self._update(X)
        self.result_ = result
        self.components_ = np.array(result.components, order="C")
        self.n_components_ = self.components_.shape[0]
        self.n_steps_ = 1 if first else self.n_steps_ + 1
        return self

    def _begin(self, X: Any, H: Any) -> Result:
        custom = self.init == "custom"
        self._prepare(X, np.ones((X.shape[0], self._rank(X, H)), X.dtype) if custom else None, H, True)
        told: Dict[str, Any] = {"seed": seed_of(self.random_state), **self._fit_options(X)}
        # What ends a fit does not end a stream. Its batches may become larger than the first piece is.
        for name in ("max_epochs", "relative_change", "normalize"):
            told.pop(name)
        told["batch_size"] = self.batch_size
        told["init"] = own_start(self.init)
        told["forget_factor"] = self.forget_factor
        if self.normalize:
            raise InvalidInput("normalize is for fit: components that go on learning keep their scale")
        return self._library_fit(X, "svrmu_start_stream", told, None, H if custom else None)

    def _update(self, X: Any) -> Result:
        told = {"forget_factor": self.forget_factor, "threads": self.n_threads, "time_limit_seconds": self.time_limit}
        data = matrix(X)
        try:
            job = Job("svrmu_start_update", data, self._fitted()._model, Options(told))
            return finish(job, data, self._printer(), self.progress, told)
        except InvalidInput as error:
            raise self._explained(X, error) from None

    # transform

    def _limits(self) -> Dict[str, Any]:
        return {"max_sweeps": self.transform_max_iter}

    def transform(self, X: Any) -> Array:
        """Finds the weights of samples under `components_`, each by itself."""
        check_is_fitted(self)
        if self._own:
            weights: Array = super().transform(X)
            return weights
        X = validate(self, X, reset=False, finite=False)
        return self._solve(X, self.components_.astype(X.dtype, copy=False), **self._limits())
