"""Work that runs in the library while this thread looks at it: callbacks, progress bars and Ctrl-C are ours.

The library itself stops and waits for the jobs that are left when the process ends.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable, List, NamedTuple, Optional

import numpy as np

from . import _structs as c
from ._errors import error_of
from ._library import Handle, call, library, message

# Python hears Ctrl-C when it is back from the library, so this is the longest that it takes to be heard.
_look_every = 0.05


class Record(NamedTuple):
    """One evaluation of the objective; counts and times are totals since the start of the run."""

    epoch: int  #: 0 is the start
    run: int  #: 0 for the first of the restarts
    objective: float  #: loss, outlier penalty and penalties
    cost: float  #: the loss alone
    relative_error: float  #: ||X - weights @ components - outliers|| / ||X||, whatever the loss
    relative_change: float  #: of the objective since the evaluation before; NaN for the first
    kkt: float  #: projected gradient relative to the start; NaN unless it is asked for
    gradient_count: float  #: entries of X that entered gradients of the components
    samples_read: int  #: samples served to the solver and its start
    solver_seconds: float  #: time in the solver
    evaluate_seconds: float  #: time in evaluations
    step: float  #: step ratio
    rollbacks: int  #: epochs that the safeguard has undone
    rolled_back: bool  #: this epoch was undone
    estimated: bool  #: of a stream, so the objective is a running sum
    partial: bool  #: the run was interrupted in this epoch
    violation: float  #: of coordinate descent, relative to the first epoch; NaN unless it is asked for


Callback = Callable[[Record], Any]

_numpy_types = {ctypes.c_int64: np.int64, ctypes.c_double: np.float64, ctypes.c_int32: np.int32}

#: The records of a history as a numpy type: as svrmu_record, but for names.
record_dtype = np.dtype(
    [
        ("samples_read" if name == "columns_read" else name, _numpy_types[kind])
        for name, kind in ((field[0], field[1]) for field in c.Record._fields_)
    ],
    align=True,
)


def records(ask: Callable[[int, Any, int, int, Any], Any], first: int) -> np.ndarray[Any, Any]:
    """The records that there are from number `first` on."""
    parts: List[np.ndarray[Any, Any]] = []
    capacity = 256
    while True:
        part, count = np.zeros(capacity, record_dtype), ctypes.c_int64()
        code = ask(first, part.ctypes.data, record_dtype.itemsize, capacity, ctypes.byref(count))
        if code != c.OK:
            raise error_of(code, message())
        parts.append(part[: count.value])
        first += count.value
        if count.value < capacity:
            return parts[0] if len(parts) == 1 else np.concatenate(parts)


def as_record(row: Any) -> Record:
    """A row of a history."""
    # The first 13 are numbers, then come three flags, a number that is not used, and one more.
    numbers, flags, last = row.item()[:13], row.item()[13:16], row.item()[17]
    return Record._make([*numbers, *map(bool, flags), last])


class Job(Handle):
    """A job, from its start to its end."""

    def __init__(self, start: str, *arguments: Any) -> None:
        function = getattr(library(), start)
        self._keep = arguments
        plain = [a.value if isinstance(a, Handle) else a for a in arguments]
        super().__init__("svrmu_job_free", lambda to: function(*plain, to))

    def stop(self) -> None:
        """Asks the job to end soon."""
        if self.value is not None:
            library().svrmu_job_stop(self.value)

    def wait(self, callback: Optional[Callback] = None) -> None:
        """Waits until the job has ended, and raises what it ended with.

        Whatever the callback raises, and Ctrl-C, stop the job and go on to the caller.
        """
        wait = library().svrmu_job_wait
        seen = 0
        try:
            while True:
                code = wait(self.value, _look_every)
                if callback is not None:
                    seen += self._tell(callback, seen)
                if code != c.RUNNING:
                    break
        except BaseException:
            self.stop()
            while wait(self.value, _look_every) == c.RUNNING:
                pass
            raise
        if code != c.OK:
            raise error_of(code, message() if callback is None else self._message())

    def _message(self) -> str:
        # Looking at progress may have left another message.
        library().svrmu_job_wait(self.value, 0.0)
        return message()

    def _tell(self, callback: Callback, seen: int) -> int:
        ask = library().svrmu_job_progress
        new = records(lambda *arguments: ask(self.value, *arguments), seen)
        for row in new:
            if callback(as_record(row)):
                self.stop()
        return len(new)

    def take_model(self) -> Handle:
        """The model that the job made."""
        return Handle(
            "svrmu_model_free", lambda to: library().svrmu_job_take_model(self.value, to)
        )


class Bar:
    """A progress bar over epochs: tqdm's where it is installed, else a line on standard error."""

    def __init__(self, total: Any) -> None:
        self._epoch = 0
        try:  # options may be texts
            total = int(total)
        except (TypeError, ValueError):
            total = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar: Any = None
        else:
            self._bar = tqdm(total=total, unit="epoch")
        self._total = total

    def __call__(self, record: Record) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(f"objective {record.objective:.6g}", refresh=False)
            self._bar.update(max(0, record.epoch - self._epoch))
        else:
            of = "" if self._total is None else f"/{self._total}"
            print(f"\repoch {record.epoch}{of}, objective {record.objective:.6g}", end="", file=sys.stderr)
        self._epoch = record.epoch

    def close(self) -> None:
        """Ends the line."""
        if self._bar is not None:
            self._bar.close()
        else:
            print(file=sys.stderr)


def run(job: Job, callback: Optional[Callback], progress: bool, total: Any) -> None:
    """Waits for a job that has a history, with a callback and a progress bar if they are asked for."""
    if not progress:
        job.wait(callback)
        return
    bar = Bar(total)

    def both(record: Record) -> Any:
        bar(record)
        return callback(record) if callback is not None else False

    try:
        job.wait(both)
    finally:
        bar.close()


def transformed(job: Job) -> c.Transformed:
    """What a transform found; it lives as long as the job."""
    told = c.Transformed()
    call("svrmu_job_get_transformed", job.value, ctypes.byref(told), ctypes.sizeof(told))
    return told
