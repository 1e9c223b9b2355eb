"""What the estimators have in common."""

from __future__ import annotations

import logging
import warnings
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._divergence import reconstruction_error
from ._errors import InvalidInput
from ._fit import Plan, plan, start, transform_all
from ._jobs import Record
from ._matrix import Array, matrix
from ._result import Report, Result, finish
from ._sklearn import (
    ConvergenceWarning,
    Interval,
    StrOptions,
    assert_all_finite,
    check_array,
    check_is_fitted,
    check_non_negative,
)

log = logging.getLogger("svrmu")

_losses = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}


def extra_constraints() -> Dict[str, Any]:
    """Constraints of the parameters that scikit-learn's newest has, or only ours."""
    from numbers import Integral, Real

    starts = {"random", "nndsvd", "nndsvda", "nndsvdar", "custom", "svd_abs", "frobenius"}
    return {
        "n_components": [Interval(Integral, 1, None, closed="left"), None, StrOptions({"auto"})],
        "init": [StrOptions(starts), None],
        "solver": [str],
        "n_threads": [Interval(Integral, 0, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="left"), str, None],
        "normalize": ["boolean"],
        "solver_options": [dict, None],
        "callback": [callable, None],
        "progress": ["boolean"],
    }


def check_start(A: Any, shape: Tuple[Any, int], whom: str) -> None:
    """scikit-learn's check of a given factor; "auto" stands for any number of components."""
    A = check_array(A)
    for which, wanted, have in zip(("first", "second"), shape, A.shape):
        if wanted != "auto" and wanted != have:
            raise ValueError(
                f"Array with wrong {which} dimension passed to {whom}. Expected {wanted}, but got {have}."
            )
    check_non_negative(A, whom)
    if np.max(A) == 0:
        raise ValueError(f"Array passed to {whom} is full of zeros.")


def warn_of_unfinished(samples: int) -> None:
    """Warns of samples whose weights are not what they could be."""
    if samples:
        warnings.warn(
            f"{samples} samples were not solved to the tolerance of transform.", ConvergenceWarning
        )


class Estimator:
    """The parts of the estimators that do not depend on the algorithm."""

    # What fit has found; a stream has no weights.
    result_: Result

    def _rank(self, X: Any, H: Any) -> int:
        this: Any = self
        if this.n_components == "auto" and H is not None and this.init == "custom":
            return int(np.shape(H)[0])
        if this.n_components is None or isinstance(this.n_components, str):
            return int(X.shape[1])
        return int(this.n_components)

    def _prepare(self, X: Any, W: Any, H: Any, update_H: bool) -> None:
        """Checks what scikit-learn checks, with its messages, and fills in what its methods look for."""
        this: Any = self
        whose = type(self).__name__
        this._beta_loss = _losses[this.beta_loss] if isinstance(this.beta_loss, str) else float(this.beta_loss)
        n_samples, n_features = X.shape
        if not update_H:
            if W is not None:
                warnings.warn("When update_H=False, the provided initial W is not used.", RuntimeWarning)
            wanted = "auto" if this.n_components in (None, "auto") else this.n_components
            check_start(H, (wanted, n_features), "NMF (input H)")
            if H.dtype != X.dtype:
                raise TypeError(f"H should have the same dtype as X. Got H.dtype = {H.dtype}.")
            this._n_components = int(H.shape[0])
            return
        this._n_components = self._rank(X, H)
        if this.init == "custom":
            check_start(H, (this._n_components, n_features), "NMF (input H)")
            check_start(W, (n_samples, this._n_components), "NMF (input W)")
            if H.dtype != X.dtype or W.dtype != X.dtype:
                raise TypeError(
                    "H and W should have the same dtype as X. Got "
                    f"H.dtype = {H.dtype} and W.dtype = {W.dtype}."
                )
        elif W is not None or H is not None:
            warnings.warn(
                "When init!='custom', provided W or H are ignored. Set  init='custom' to use them as "
                "initialization.",
                RuntimeWarning,
            )
        elif this.init in ("nndsvd", "nndsvda", "nndsvdar") and this._n_components > min(X.shape):
            raise ValueError(
                f"init = '{this.init}' can only be used when n_components <= min(n_samples, n_features)"
            )
        if this._beta_loss <= 0:
            check_non_negative(X, f"{whose} (input X)")
            if X.min() == 0:
                raise ValueError(
                    "When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add small values "
                    "to X, or use a positive beta_loss."
                )

    def _loss_option(self) -> str:
        beta: float = self._beta_loss  # type: ignore[attr-defined]
        return {2.0: "frobenius", 1.0: "kl", 0.0: "is"}.get(beta, f"beta:{beta!r}")

    def _penalties(self, X: Any) -> Dict[str, float]:
        # scikit-learn scales W's by the number of features and H's by that of samples.
        l1_W, l1_H, l2_W, l2_H = self._compute_regularization(X)  # type: ignore[attr-defined]
        told = {"l1_weights": l1_W, "l2_weights": l2_W, "l1_components": l1_H, "l2_components": l2_H}
        return {name: value for name, value in told.items() if value != 0}

    def _common_options(self, X: Any) -> Dict[str, Any]:
        this: Any = self
        return {
            "force_rank": True,
            "loss": self._loss_option(),
            "max_epochs": this.max_iter,
            "time_limit_seconds": this.time_limit,
            "normalize": True if this.normalize else None,
            "threads": this.n_threads,
            **self._penalties(X),
        }

    def _explained(self, X: Any, error: InvalidInput) -> ValueError:
        """What scikit-learn would say of such an X, where it has something to say."""
        whose = type(self).__name__
        try:
            assert_all_finite(X.data if hasattr(X, "tocsr") else X, estimator_name=whose, input_name="X")
            check_non_negative(X, f"{whose} (input X)")
        except ValueError as theirs:
            return theirs
        return error

    def _printer(self) -> Optional[Any]:
        """The callback, with a line for each record where `verbose` asks for it."""
        this: Any = self
        if not this.verbose:
            return this.callback

        def tell(record: Record) -> Any:
            seconds = record.solver_seconds + record.evaluate_seconds
            error = (2 * max(record.cost, 0.0)) ** 0.5
            print(f"Epoch {record.epoch:02d} reached after {seconds:.3f} seconds, error: {error:f}")
            return this.callback(record) if this.callback is not None else False

        return tell

    def _library_fit(
        self, X: Any, kind: str, options: Dict[str, Any], W: Any = None, H: Any = None
    ) -> Result:
        this: Any = self
        data = matrix(X)
        try:
            job = start(kind, data, this._n_components, options, W, H)
            return finish(job, data, self._printer(), this.progress, options)
        except InvalidInput as error:
            raise self._explained(X, error) from None

    def _solve(self, X: Any, components: Array, **limits: Any) -> Array:
        """The weights of X under given components: the same for a sample wherever it stands."""
        this: Any = self
        penalties = self._penalties(X)
        try:
            weights, _, unfinished = transform_all(
                X,
                components,
                loss=self._loss_option(),
                l1_weights=penalties.get("l1_weights"),
                l2_weights=penalties.get("l2_weights"),
                threads=this.n_threads,
                **limits,
            )
        except InvalidInput as error:
            raise self._explained(X, error) from None
        warn_of_unfinished(unfinished)
        return weights

    def _keep(
        self, X: Any, W: Array, H: Array, result: Optional[Result], n_iter: int, outliers: Any = None
    ) -> None:
        """Sets the attributes of a fitted estimator; no result: scikit-learn's own code has done it."""
        this: Any = self
        this.reconstruction_err_ = reconstruction_error(X, W, H, this._beta_loss, outliers)
        this.n_components_ = H.shape[0]
        this.components_ = H
        this.n_iter_ = n_iter
        if result is None:
            self.__dict__.pop("result_", None)
            return
        this.result_ = result
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            result.set_names(features=list(names))
        for text in result.warnings:
            log.info("%s", text)

    def _warn_of_limit(self, n_iter: int) -> None:
        this: Any = self
        if n_iter == this.max_iter and this.tol > 0:
            warnings.warn(
                f"Maximum number of iterations {this.max_iter} reached. Increase it to improve convergence.",
                ConvergenceWarning,
            )

    # What a fitted estimator tells and does beyond scikit-learn's.

    @property
    def history_(self) -> Array:
        """The records of the fit, as a numpy array with the fields of `svrmu.Record`."""
        return self._fitted().history

    @property
    def stop_reason_(self) -> str:
        """Why the fit ended."""
        return self._fitted().stop_reason

    @property
    def solver_(self) -> str:
        """The algorithm that was used."""
        return self._fitted().algorithm

    @property
    def warnings_(self) -> list[str]:
        """What you should know."""
        return self._fitted().warnings

    def _fitted(self) -> Result:
        try:
            return self.result_
        except AttributeError:
            # An AttributeError again, so that hasattr() tells whether there is one.
            raise AttributeError(f"this {type(self).__name__} instance has no result of the library") from None

    def save(self, path: Any, overwrite: bool = False) -> None:
        """Writes the model into a file that `svrmu.load` and the command line read."""
        check_is_fitted(self)
        self._fitted().save(path, overwrite)

    def report(self, X: Any = None, **options: Any) -> Report:
        """Makes a page about the fit, which a notebook shows. See `svrmu.Result.report`."""
        check_is_fitted(self)
        return self._fitted().report(X, **options)

    def plan(self, X: Any) -> Plan:
        """Tells what `fit` would do with X: algorithm, memory, warnings."""
        this: Any = self
        this._validate_params()
        X = check_array(X, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32])
        self._prepare_plan(X)
        return plan(X, this._n_components, **self._fit_options(X))

    def _prepare_plan(self, X: Any) -> None:
        this: Any = self
        this._beta_loss = _losses[this.beta_loss] if isinstance(this.beta_loss, str) else float(this.beta_loss)
        this._n_components = self._rank(X, None)

    def _fit_options(self, X: Any) -> Dict[str, Any]:
        """All options of a fit but the seed: drawing one changes the random state."""
        raise NotImplementedError


def own_start(init: Optional[str]) -> Optional[str]:
    """The library's name for a start; None: it chooses."""
    return None if init in (None, "custom") else init
