"""svrmu.NMF: scikit-learn's NMF on the library. Importing this module imports scikit-learn."""

from __future__ import annotations

import logging
import warnings
from numbers import Integral
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from ._errors import InvalidInput
from ._estimator import Estimator, extra_constraints, own_start
from ._matrix import Array
from ._result import Result
from ._rules import LIMITS, SKLEARN_SOLVERS, sklearn_options
from ._sklearn import (
    Interval,
    SklearnNMF,
    _initialize_nmf,
    check_is_fitted,
    check_non_negative,
    seed_of,
    validate,
)

log = logging.getLogger("svrmu")


class NMF(Estimator, SklearnNMF):  # type: ignore[misc]
    """Nonnegative matrix factorization, ``X ~ W @ components_``, in the place of scikit-learn's NMF.

    Parameters
    ----------
    n_components : int, 'auto' or None, default='auto'
        Number of components. 'auto': that of a given H, else the number of features, as None.
    init : {'random', 'nndsvd', 'nndsvda', 'nndsvdar', 'custom', 'svd_abs', 'frobenius'} or None, default=None
        Where the iteration begins. With the solvers 'cd' and 'mu' the starts are scikit-learn's own; with the
        others they are the library's, and None lets it choose.
    solver : str, default='auto'
        'auto' chooses by loss, size and sparsity. 'cd' and 'mu' are scikit-learn's own: same starts, same
        order of steps, same stopping rules, same factors. Every other name of `svrmu.solvers` is an algorithm
        of the library.
    beta_loss : float or {'frobenius', 'kullback-leibler', 'itakura-saito'}, default='frobenius'
        What is minimized.
    tol : float, default=1e-4
        Ends the fit when the objective falls by less than this share in an iteration. With 'cd' and 'mu' it
        is scikit-learn's own rule.
    max_iter : int, default=200
        Most iterations of a fit.
    random_state : int, RandomState instance or None, default=None
        An int is the seed of the library, too: the same factors as on the command line.
    alpha_W, alpha_H, l1_ratio
        Penalties, as in scikit-learn.
    verbose : int, default=0
        Print a line for each evaluation.
    shuffle : bool, default=False
        For 'cd', which is then left to scikit-learn's own code.
    n_threads : int or None, default=None
        Most threads. None: OMP_NUM_THREADS if it is set, else all that this process may use. The answer has
        the same bits for any number.
    time_limit : float, str or None, default=None
        Most time in the solver, in seconds or as a text: '90s', '10m', '1h30m'.
    n_init : int, default=1
        Fits from so many seeds, of which the best is kept.
    normalize : bool, default=False
        Scale the components to norm 1, the heaviest first.
    solver_options : dict or None, default=None
        Options of the algorithm, as ``svrmu.options_of(solver)`` lists them.
    callback : callable or None, default=None
        Called with each `svrmu.Record`; if it returns True, the fit ends with what there is.
    progress : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts.
    n_components_, reconstruction_err_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    history_, stop_reason_, solver_, warnings_
        What happened, why it ended, which algorithm it was, and what you should know.
    result_ : svrmu.Result
        All of it.

    Examples
    --------
    >>> import numpy as np
    >>> from svrmu import NMF
    >>> X = np.array([[1, 1], [2, 1], [3, 1.2], [4, 1], [5, 0.8], [6, 1]])
    >>> model = NMF(n_components=2, random_state=0)
    >>> W = model.fit_transform(X)
    >>> bool(np.abs(X - W @ model.components_).max() < 0.1)
    True
    """

    _parameter_constraints: Dict[str, Any] = {
        **SklearnNMF._parameter_constraints,
        **extra_constraints(),
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        init: Optional[str] = None,
        solver: str = "auto",
        beta_loss: Any = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
        n_threads: Optional[int] = None,
        time_limit: Union[float, str, None] = None,
        n_init: int = 1,
        normalize: bool = False,
        solver_options: Optional[Dict[str, Any]] = None,
        callback: Any = None,
        progress: bool = False,
    ) -> None:
        super().__init__(
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
        )
        self.n_threads = n_threads
        self.time_limit = time_limit
        self.n_init = n_init
        self.normalize = normalize
        self.solver_options = solver_options
        self.callback = callback
        self.progress = progress

    def _check_combination(self) -> None:
        own = self.solver in SKLEARN_SOLVERS
        if self.solver == "cd" and self.beta_loss not in (2, "frobenius"):
            raise ValueError(
                f"Invalid beta_loss parameter: solver {self.solver!r} does not handle "
                f"beta_loss = {self.beta_loss!r}"
            )
        if self.solver == "mu" and self.init == "nndsvd":
            warnings.warn(
                "The multiplicative update ('mu') solver cannot update zeros present in the initialization, "
                "and so leads to poorer results when used jointly with init='nndsvd'. You may try "
                "init='nndsvda' or init='nndsvdar' instead.",
                UserWarning,
            )
        if own and self.solver_options:
            raise InvalidInput(f"solver_options are for other solvers: {self.solver!r} is scikit-learn's own")
        if own and self.init in ("svd_abs", "frobenius"):
            raise InvalidInput(f"init {self.init!r} is for other solvers: {self.solver!r} is scikit-learn's own")
        if self.n_init > 1 and (own or self.init == "custom"):
            what = "init='custom'" if self.init == "custom" else f"solver {self.solver!r}"
            raise InvalidInput(f"n_init is {self.n_init}, but {what} begins only once")
        if self.shuffle and not own:
            raise InvalidInput(f"shuffle is for the solver 'cd'; {self.solver!r} has an order of its own")

    def _left_to_sklearn(self, W: Any, H: Any) -> Optional[str]:
        """What the library's algorithms do otherwise than scikit-learn's, and so leave to it."""
        if self.solver == "cd" and self.shuffle:
            return "solver 'cd' with shuffle=True"  # its order comes from numpy's random numbers
        if self.solver == "mu":
            # Zeros stay zero there, but rise from the floor here.
            if self.init == "nndsvd":
                return "solver 'mu' with init='nndsvd'"
            if self.init == "custom" and (np.min(W) == 0 or np.min(H) == 0):
                return "solver 'mu' from a start with zeros"
        return None

    def _check_params(self, X: Any) -> "NMF":
        # scikit-learn's own code asks for this; it is done by then.
        return self

    def _fit_options(self, X: Any) -> Dict[str, Any]:
        common = self._common_options(X)
        if self.solver in SKLEARN_SOLVERS:
            return {**common, **sklearn_options(self.solver, self.tol)}
        return {
            **common,
            "algorithm": None if self.solver == "auto" else self.solver,
            "init": own_start(self.init),
            "restarts": self.n_init if self.n_init > 1 else None,
            "relative_change": self.tol,
            **(self.solver_options or {}),
        }

    def fit_transform(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Array:
        """Learns a model for X and returns its weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples in rows.
        y : Ignored
            For scikit-learn's conventions.
        W : array-like of shape (n_samples, n_components), default=None
            Where the weights begin, if init='custom'.
        H : array-like of shape (n_components, n_features), default=None
            Where the components begin, if init='custom'.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
            The weights: the same as ``transform(X)`` returns, except for the solvers 'cd' and 'mu'.
        """
        self._validate_params()
        # The library looks at every value anyway; scikit-learn's starts have to be kept from bad ones.
        X = validate(self, X, reset=True, finite=self.solver in SKLEARN_SOLVERS)
        weights, components, n_iter = self._fit_transform(X, W=W, H=H)
        self._keep(X, weights, components, self._last, n_iter)
        del self._last
        return weights

    def _fit_transform(
        self, X: Any, y: Any = None, W: Any = None, H: Any = None, update_H: bool = True
    ) -> Tuple[Array, Array, int]:
        """W, H and the number of iterations; scikit-learn's method of this name has the same arguments."""
        self._check_combination()
        own = self.solver in SKLEARN_SOLVERS
        if own:
            check_non_negative(X, "NMF (input X)")
        self._prepare(X, W, H, update_H)
        self._last: Optional[Result] = None
        left = self._left_to_sklearn(W, H) if update_H else None
        if left is not None:
            log.info("%s is left to scikit-learn's own code", left)
            if self._beta_loss != 2 and getattr(X, "format", "") == "csc":
                X = X.tocsr()  # it takes the entries of a CSC matrix in the wrong order
            answer: Tuple[Array, Array, int] = super()._fit_transform(X, W=W, H=H, update_H=True)
            return answer
        if not update_H:
            # Each sample is solved by itself: there are no iterations over all of X to be counted.
            return self._solve(X, H), H, 1
        result = self._run(X, W, H, own)
        components = np.array(result.components, order="C")
        n_iter = max(1, int(result.history["epoch"][-1]))
        weights = np.array(result.weights, order="C") if own else self._weights(X, components, result)
        if self.solver == "mu":
            self._drop_floor(weights, components)
        self._last = result
        self._warn_of_limit(n_iter)
        return weights, components, n_iter

    def _run(self, X: Any, W: Any, H: Any, own: bool) -> Result:
        options = self._fit_options(X)
        if not own:
            options = {"seed": seed_of(self.random_state), **options}
        if own and self.init != "custom":
            W, H = _initialize_nmf(X, self._n_components, init=self.init, random_state=self.random_state)
        elif self.init != "custom":
            W = H = None
        return self._library_fit(X, "svrmu_start_fit", options, W, H)

    def _drop_floor(self, weights: Array, components: Array) -> None:
        """Makes zeros of what scikit-learn's 'mu' has made zeros of, or nearly; other losses have them."""
        if self._beta_loss <= 1:
            for factor in (weights, components):
                factor[factor <= np.finfo(np.float64).eps] = 0

    def _weights(self, X: Any, components: Array, result: Result) -> Array:
        return self._solve(X, components)

    def transform(self, X: Any) -> Array:
        """Finds the weights of samples under `components_`.

        Each sample is solved by itself to a tolerance of 1e-6, whatever the solver, so that its answer does
        not depend on the other rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples in rows.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
            The weights.
        """
        check_is_fitted(self)
        X = validate(self, X, reset=False, finite=False)
        return self._transform(X)

    def _transform(self, X: Any) -> Array:
        return self._solve(X, self.components_.astype(X.dtype, copy=False))

    def resume(self, X: Any, max_iter: int) -> "NMF":
        """Goes on with the fit, as if it had never stopped.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The same X as in `fit`.
        max_iter : int
            Most iterations, counted from the very start.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        X = validate(self, X, reset=False, finite=False)
        told = self._fit_options(X)
        limits = {name: told[name] for name in LIMITS if name in told}
        result = self._fitted().resume(
            X, callback=self._printer(), progress=self.progress, max_epochs=max_iter, **limits
        )
        components = np.array(result.components, order="C")
        own = self.solver in SKLEARN_SOLVERS
        W = np.array(result.weights, order="C") if own else self._weights(X, components, result)
        if self.solver == "mu":
            self._drop_floor(W, components)
        self._keep(X, W, components, result, max(1, int(result.history["epoch"][-1])))
        return self
