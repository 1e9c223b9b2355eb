"""What a fit found."""

from __future__ import annotations

import ctypes
import functools
import html
from typing import Any, Dict, List, Mapping, Optional

import numpy as np

from . import _structs as c
from ._errors import InvalidInput, in_python_terms
from ._jobs import Callback, Job, Record, as_record, record_dtype, records, run
from ._library import Handle, c_path, call, check, library, make_texts, take_bytes, texts
from ._matrix import Array, Matrix, dtype_of, matrix_and_rest
from ._options import Options, named_values
from ._views import transposed, transposed_csr


class Report:
    """A page in HTML; a notebook shows it."""

    def __init__(self, page: str) -> None:
        #: The page.
        self.html = page

    def save(self, path: Any, overwrite: bool = False) -> None:
        """Writes the page into a file."""
        with open(path, "w" if overwrite else "x", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # The page has styles and scripts of its own, which must not meet the notebook's.
        return (
            '<iframe style="width: 100%; height: 40em; border: 1px solid #ccc" '
            f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<svrmu.Report: {len(self.html)} characters of HTML>"


class Result:
    """What `svrmu.fit` found: X ~ weights @ components, plus outliers where the algorithm has them.

    X has a row for each sample and a column for each feature. The letters follow scikit-learn: W is
    `weights`, H is `components`. In the papers and on the command line they are the other way round, and
    transposed.
    """

    def __init__(self, model: Handle) -> None:
        self._model = model

    @functools.cached_property
    def _facts(self) -> c.ModelFacts:
        facts = c.ModelFacts()
        call("svrmu_model_get_facts", self._model.value, ctypes.byref(facts), ctypes.sizeof(facts))
        return facts

    # What it is.

    @property
    def n_samples(self) -> int:
        """Rows of `weights`; 0 for a model that learned from a stream."""
        return int(self._facts.samples)

    @property
    def n_features(self) -> int:
        """Columns of `components`."""
        return int(self._facts.features)

    @property
    def n_components(self) -> int:
        """K."""
        return int(self._facts.rank)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the factors."""
        return dtype_of(self._facts.type)

    def _dense(self, which: str) -> Array:
        told = c.Dense()
        call("svrmu_model_get_dense", self._model.value, which.encode(), ctypes.byref(told))
        return transposed(told, self._model)

    @property
    def components(self) -> Array:
        """The parts, K x n_features: a read-only view."""
        return self._dense("W")

    @property
    def weights(self) -> Array:
        """How much of each part is in each sample, n_samples x K: a read-only view."""
        return self._dense("H")

    #: `weights`, by scikit-learn's letter.
    W = weights
    #: `components`, by scikit-learn's letter.
    H = components

    @property
    def outliers(self) -> Any:
        """What the algorithm set apart, n_samples x n_features, as CSR (scipy); None where it has none."""
        if not self._facts.has_outliers:
            return None
        told = c.Sparse()
        call("svrmu_model_get_sparse", self._model.value, b"R", ctypes.byref(told))
        if told.rows > 0:
            return transposed_csr(told)
        from scipy.sparse import csr_matrix

        return csr_matrix(self._dense("R"))

    @property
    def column_norms(self) -> Optional[Array]:
        """Norms of the components before they were normalized; None if they were not."""
        norms = self._dense("column_norms").ravel()
        return norms if len(norms) else None

    # How it came about.

    def _texts(self, which: str) -> List[str]:
        return texts(lambda to: library().svrmu_model_get_texts(self._model.value, which.encode(), to))

    def _text(self, which: str) -> str:
        found = self._texts(which)
        return found[0] if found else ""

    @property
    def algorithm(self) -> str:
        """The algorithm that was used."""
        return self._text("algorithm")

    @property
    def choice(self) -> str:
        """Why it was chosen; empty where it was named."""
        return in_python_terms(self._text("choice"))

    @property
    def stop_reason(self) -> str:
        """Why the fit ended."""
        return self._text("stop_reason")

    @property
    def loss(self) -> str:
        """The loss that was fitted."""
        return self._text("loss")

    @property
    def warnings(self) -> List[str]:
        """What you should know."""
        return [in_python_terms(text) for text in self._texts("warnings")]

    @property
    def options(self) -> Dict[str, str]:
        """Options of the algorithm as used, and those that every fit has."""
        return named_values([*self._texts("fit_options"), *self._texts("options")])

    @property
    def seed(self) -> int:
        """Of the run that was kept."""
        return int(self._facts.seed)

    @property
    def samples_seen(self) -> int:
        """How many samples a stream has shown; 0 if it was no stream."""
        return int(self._facts.columns_seen)

    @property
    def can_resume(self) -> bool:
        """Whether `resume` can go on with it."""
        return bool(self._facts.can_resume)

    @property
    def explained(self) -> float:
        """Share of the null model's loss that is gone; NaN where there is none."""
        return float(self._facts.explained)

    @property
    def history(self) -> Array:
        """The records of the run that was kept, as a numpy array with the fields of `Record`."""
        ask = library().svrmu_model_get_history
        return records(lambda *arguments: ask(self._model.value, *arguments), 0)

    @property
    def record(self) -> Record:
        """The numbers that belong to weights and components."""
        ask = library().svrmu_model_get_history
        one, count = np.zeros(1, record_dtype), ctypes.c_int64()
        at = int(self._facts.returned)
        check(ask(self._model.value, at, one.ctypes.data, record_dtype.itemsize, 1, ctypes.byref(count)))
        if count.value != 1:
            raise InvalidInput("the model has no history")
        return as_record(one[0])

    @property
    def objective(self) -> float:
        """Loss and penalties of weights and components."""
        return self.record.objective

    @property
    def relative_error(self) -> float:
        """||X - weights @ components - outliers|| / ||X||."""
        return self.record.relative_error

    @property
    def quality(self) -> str:
        """How good it is, in a sentence."""
        return in_python_terms(self._text("quality"))

    @property
    def summary(self) -> str:
        """What was found, why it ended, where the time went: a paragraph."""
        return in_python_terms(self._text("summary"))

    @property
    def feature_names(self) -> List[str]:
        """Names of the features; empty: there are none."""
        return self._texts("feature_names")

    @property
    def sample_names(self) -> List[str]:
        """Names of the samples; empty: there are none."""
        return self._texts("sample_names")

    def set_names(self, *, features: Optional[List[str]] = None, samples: Optional[List[str]] = None) -> None:
        """Names features or samples, for tables and reports; an empty list removes the names."""
        for which, names in (("feature_names", features), ("sample_names", samples)):
            if names is not None:
                told, _alive = make_texts([str(name) for name in names])
                call("svrmu_model_set_texts", self._model.value, which.encode(), ctypes.byref(told))

    # What can be done with it.

    def transform(self, X: Any, **options: Any) -> Array:
        """Finds the weights of other samples. See `svrmu.transform`."""
        from ._fit import transform

        return transform(X, self, **options)

    def resume(
        self, X: Any, *, callback: Optional[Callback] = None, progress: bool = False, **options: Any
    ) -> Result:
        """Goes on with the fit, with the same bits as if it had never stopped.

        Parameters
        ----------
        X : as for `svrmu.fit`
            The same X as before.
        callback, progress
            As for `svrmu.fit`.
        **options
            What ends the fit (limits count from its very start): ``max_epochs``, ``tol``, ``time_limit``, ...
            and ``threads``, ``evaluate_every``, ``normalize``; for a path, those of
            ``svrmu.options_of("read")``.

        Returns
        -------
        Result
            Another result; this one stays as it is.
        """
        return self._go_on("svrmu_start_resume", X, options, callback, progress)

    def update(
        self, X: Any, *, callback: Optional[Callback] = None, progress: bool = False, **options: Any
    ) -> Result:
        """Goes on learning the components from new samples, each seen once.

        Parameters
        ----------
        X : as for `svrmu.fit`
            New samples, with the same features.
        callback, progress
            As for `svrmu.fit`.
        **options
            Those that ``svrmu.options_of("stream")`` lists: ``forget_factor``, ...; for a path, those of
            ``svrmu.options_of("read")``.

        Returns
        -------
        Result
            A result without weights, since the components move away from those of earlier samples.
        """
        return self._go_on("svrmu_start_update", X, options, callback, progress)

    def _go_on(
        self, start: str, X: Any, options: Dict[str, Any], callback: Optional[Callback], progress: bool
    ) -> Result:
        data, rest = matrix_and_rest(X, options)
        job = Job(start, data, self._model, Options(rest))
        return finish(job, data, callback, progress, rest)

    def save(self, path: Any, overwrite: bool = False) -> None:
        """Writes the model into a file that `svrmu.load` and the command line read.

        Parameters
        ----------
        path : path-like
            By custom ``something.svrmu.h5``.
        overwrite : bool, default=False
            Replace a file that is there.
        """
        check(library().svrmu_model_save(self._model.value, c_path(path), int(overwrite)), of_file=True)

    def report(
        self, X: Any = None, *, image: Optional[str] = None, title: Optional[str] = None, **options: Any
    ) -> Report:
        """Makes a page about the result.

        Parameters
        ----------
        X : as for `svrmu.fit`, optional
            With it the page shows how well samples are approximated.
        image : str, optional
            ``"19x19"``: features are the pixels of such pictures.
        title : str, optional
            Heading of the page.
        **options
            If X is a path, those of ``svrmu.options_of("read")``.
        """
        data, rest = (None, options) if X is None else matrix_and_rest(X, options)
        given = Options({"image": image, "title": title, **rest})
        page = take_bytes(
            lambda begin, count: library().svrmu_model_report(
                self._model.value, data.value if data is not None else None, given.value, begin, count
            )
        )
        return Report(page.decode("utf-8"))

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def __repr__(self) -> str:
        return (
            f"<svrmu.Result: {self.n_samples} samples x {self.n_features} features, K = {self.n_components}, "
            f"{self.algorithm}, relative error {self.relative_error:.4g}, {self.stop_reason}>"
        )

    def __str__(self) -> str:
        return self.summary or repr(self)

    def to_bytes(self) -> bytes:
        """The model file in memory."""
        return take_bytes(
            lambda begin, count: library().svrmu_model_to_bytes(self._model.value, begin, count)
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Result:
        """The result of such bytes."""
        return cls(
            Handle(
                "svrmu_model_free",
                lambda to: library().svrmu_model_from_bytes(bytes(data), len(data), to),
            )
        )

    def __reduce__(self) -> Any:
        return Result.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> Result:
        return self

    def __deepcopy__(self, memo: Any) -> Result:
        # Nothing that can be changed but names, which a copy should have to itself.
        return Result.from_bytes(self.to_bytes())


def _named(model: Handle, data: Matrix) -> Result:
    """What a job has made, with the names of X."""
    result = Result(model)
    if data._feature_names or data._sample_names:
        result.set_names(features=data._feature_names or None, samples=data._sample_names or None)
    return result


def finish(
    job: Job, data: Matrix, callback: Optional[Callback], progress: bool, options: Mapping[str, Any]
) -> Result:
    """Waits for a job that makes a model. After Ctrl-C, `result` of the exception is what there is."""
    try:
        try:
            run(job, callback, progress, options.get("max_epochs", options.get("epochs")))
        except KeyboardInterrupt as interrupt:
            try:
                interrupt.result = _named(job.take_model(), data)  # type: ignore[attr-defined]
            except Exception:  # it was stopped before there was one
                pass
            raise
        return _named(job.take_model(), data)
    finally:
        job.close()
