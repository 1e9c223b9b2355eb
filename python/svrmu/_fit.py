"""Functions: fit, transform, load, open, describe and plan."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

from . import _structs as c
from ._errors import PYTHON_NAMES, InvalidInput, in_python_terms
from ._jobs import Callback, Job, transformed
from ._library import Handle, c_path, call, library, read_texts
from ._matrix import Array, Matrix, as_array, dense, matrix_and_rest, read
from ._options import Options, named_values, names_of
from ._result import Result, finish
from ._views import transposed, transposed_csr


def _give(options: Options, name: str, value: Any, data: Matrix) -> None:
    """Hands over a factor to begin with; in memory it is the transposed of the library's."""
    if value is None:
        return
    what = PYTHON_NAMES[name]
    values = value.toarray() if hasattr(value, "toarray") else value
    view, _alive = dense(as_array(values, what).astype(data.dtype, copy=False), what)
    options.set_dense(name, view)


def start(
    kind: str,
    data: Matrix,
    k: int,
    options: Dict[str, Any],
    init_weights: Any = None,
    init_components: Any = None,
    init_outliers: Any = None,
) -> Job:
    """Starts a fit, a stream or a plan of one."""
    if "rank" in options:
        raise InvalidInput("rank is the argument k")
    given = Options({"rank": k, **options})
    _give(given, "init_w", init_components, data)
    _give(given, "init_h", init_weights, data)
    _give(given, "init_r", init_outliers, data)
    return Job(kind, data, given)


def fit(
    X: Any,
    k: int,
    *,
    init_weights: Any = None,
    init_components: Any = None,
    init_outliers: Any = None,
    callback: Optional[Callback] = None,
    progress: bool = False,
    stream: bool = False,
    **options: Any,
) -> Result:
    """Factorizes a nonnegative X ~ weights @ components.

    Parameters
    ----------
    X : array, sparse matrix, frame, path or Matrix
        Samples x features. A path is read as the command line reads it: ``samples="rows"`` says that rows of
        the file are samples, where its format does not.
    k : int
        The number of components.
    init_weights : array, n_samples x k, optional
        Weights to begin with.
    init_components : array, k x n_features, optional
        Components to begin with.
    init_outliers : array or sparse matrix, n_samples x n_features, optional
        Outliers to begin with.
    callback : callable, optional
        Called in this thread with each `Record` as it comes. If it returns True, the fit ends with what there
        is. What it raises ends the fit, too.
    progress : bool, default=False
        Show a progress bar (tqdm's where it is installed).
    stream : bool, default=False
        Learn the components from each sample once, in the order of the rows; weights are not kept.
    **options
        ``algorithm`` (a name of `svrmu.solvers`), ``preset``, ``robust``; those that
        ``svrmu.options_of("fit")`` lists: ``loss``, ``seed``, ``max_epochs``, ``tol``, ``time_limit``,
        ``init``, ``restarts``, ``threads``, ...; those of the algorithm, which
        ``svrmu.options_of(algorithm)`` lists; for a path, those of ``svrmu.options_of("read")``.

    Returns
    -------
    Result
        weights, components, outliers, history, and what can be done with them.

    Raises
    ------
    InvalidInput
        An argument, an option or X cannot be used.
    ResourceLimit
        The fit needs more memory than there is.
    IoError
        A file cannot be read.

    Examples
    --------
    >>> import numpy as np, svrmu
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((50, 3)) @ rng.random((3, 20))
    >>> result = svrmu.fit(X, 3, seed=1, tol=1e-9, max_epochs=2000)
    >>> result.weights.shape, result.components.shape
    ((50, 3), (3, 20))
    >>> bool(np.abs(X - result.weights @ result.components).max() < 0.01)
    True
    """
    data, rest = matrix_and_rest(X, options)
    kind = "svrmu_start_stream" if stream else "svrmu_start_fit"
    job = start(kind, data, k, rest, init_weights, init_components, init_outliers)
    return finish(job, data, callback, progress, rest)


def _transform_job(X: Any, model: Any, options: Dict[str, Any]) -> Job:
    data, rest = matrix_and_rest(X, options)
    if isinstance(model, (str, os.PathLike)):
        model = load(model)
    given = Options(rest)
    if isinstance(model, Result):
        return Job("svrmu_start_transform", data, model._model, given)
    components = as_array(model, "components").astype(data.dtype, copy=False)
    view, _alive = dense(components, "components")  # until the library has copied them
    return Job("svrmu_start_transform_by", data, ctypes.byref(view), given)


def transform_all(X: Any, model: Any, **options: Any) -> Tuple[Array, Any, int]:
    """Weights, outliers (None where there are none) and how many samples were not solved to tolerance."""
    job = _transform_job(X, model, options)
    try:
        job.wait()
        told = transformed(job)
        weights = transposed(told.H, job).copy(order="C")
        outliers = transposed_csr(told.outliers) if told.outliers.rows > 0 else None
        return weights, outliers, int(told.unfinished)
    finally:
        job.close()


def transform(X: Any, model: Union[Result, str, "os.PathLike[str]", Array], **options: Any) -> Array:
    """Finds the weights of samples under given components.

    Each sample's answer depends on that sample alone.

    Parameters
    ----------
    X : as for `fit`
        Samples x features.
    model : Result, path or array
        What `fit` returned, the file of a model, or components, k x n_features.
    **options
        Those that ``svrmu.options_of("transform")`` lists: ``tolerance``, ``max_sweeps``, ``threads``. With
        an array also ``loss``, ``l1_weights`` and ``l2_weights``, which a model brings along.

    Returns
    -------
    ndarray, n_samples x k
        The weights.

    Examples
    --------
    >>> import numpy as np, svrmu
    >>> components = np.array([[1.0, 0, 2], [0, 3, 1]])
    >>> svrmu.transform([[2.0, 3, 5]], components).round(4)
    array([[2., 1.]])
    """
    return transform_all(X, model, **options)[0]


def load(path: Any) -> Result:
    """Reads a model that `Result.save` or the command line has written.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Result
    """
    name = c_path(path)
    return Result(Handle("svrmu_model_free", lambda to: library().svrmu_model_load(name, to), of_file=True))


def open(path: Any, **options: Any) -> Matrix:
    """Reads a matrix from a file, for several calls.

    Parameters
    ----------
    path : path-like
        A file of any format that the command line reads; ``"cells.h5ad:layers/counts"`` names a member.
    **options
        Those that ``svrmu.options_of("read")`` lists: ``samples`` ("rows" or "columns"), ``precision``, ...

    Returns
    -------
    Matrix
        Its shape, its names, and what `fit` takes in the place of X.
    """
    return read(path, options)


class Description(NamedTuple):
    """What X is like."""

    n_samples: int  #: rows
    n_features: int  #: columns
    stored: int  #: entries held
    nonzeros: float  #: entries that are not 0
    least: float  #: the smallest value
    most: float  #: the largest value
    mean: float  #: of all entries
    empty_samples: int  #: samples without a value
    empty_features: int  #: features without a value


class Plan(NamedTuple):
    """What a fit would do."""

    algorithm: str  #: that would be used
    reason: str  #: why it was chosen; empty where it was named
    start: str  #: where the iteration would begin
    bytes: float  #: memory beyond X, at its peak
    options: Dict[str, str]  #: of the algorithm, filled in
    warnings: Tuple[str, ...]  #: what you should know
    data: Description  #: what X is like


def plan(
    X: Any,
    k: int,
    *,
    init_weights: Any = None,
    init_components: Any = None,
    init_outliers: Any = None,
    **options: Any,
) -> Plan:
    """Tells what `fit` would do with the same arguments: algorithm, memory, warnings.

    Parameters
    ----------
    X, k, init_weights, init_components, init_outliers, **options
        As for `fit`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import numpy as np, svrmu
    >>> svrmu.plan(np.ones((30, 20)), 2).algorithm
    'fast'
    """
    data, rest = matrix_and_rest(X, options)
    job = start("svrmu_start_plan", data, k, rest, init_weights, init_components, init_outliers)
    try:
        job.wait()
        told = c.Plan()
        call("svrmu_job_get_plan", job.value, ctypes.byref(told), ctypes.sizeof(told))
        described = Description(
            data.n_samples,
            data.n_features,
            data.stored,
            told.nonzeros,
            told.least,
            told.most,
            told.mean,
            int(told.empty_samples),
            int(told.empty_features),
        )
        return Plan(
            (told.algorithm or b"").decode(),
            in_python_terms((told.reason or b"").decode()),
            (told.start or b"").decode(),
            told.bytes,
            named_values(read_texts(told.options)),
            tuple(in_python_terms(text) for text in read_texts(told.warnings)),
            described,
        )
    finally:
        job.close()


def describe(X: Any, **options: Any) -> Description:
    """Looks X over: its size, its values, and what is empty.

    Parameters
    ----------
    X : as for `fit`
        Samples x features.
    **options
        ``threads``; for a path, those of ``svrmu.options_of("read")``.

    Returns
    -------
    Description

    Examples
    --------
    >>> import numpy as np, svrmu
    >>> svrmu.describe(np.eye(3)).nonzeros
    3.0
    """
    known = names_of("read") if isinstance(X, (str, os.PathLike)) else {"threads"}
    for name in options:
        if name not in known:
            raise InvalidInput(f"{name} is no option of describe")
    return plan(X, 1, **options).data
