"""Options by name, from the library's own lists."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _structs as c
from ._errors import PYTHON_NAMES, InvalidInput
from ._library import Handle, c_text, call, check, library

_library_names = {python: name for name, python in PYTHON_NAMES.items()}


class Option(NamedTuple):
    """An option that there is."""

    name: str  #: as a keyword argument
    type: str  #: "integer", "number", "boolean", "choice" or "text"
    default: str  #: as text
    choices: Tuple[str, ...]  #: of a choice, else empty
    help: str  #: what it is for
    least: float  #: the smallest number that is allowed
    most: float  #: the largest
    flag: str  #: another name: that of the command line, with underscores


class Solver(NamedTuple):
    """An algorithm that there is."""

    name: str  #: as the option ``algorithm``, or ``solver`` of the estimators, takes it
    summary: str  #: what it is, and when to use it
    presets: Tuple[str, ...]  #: as the option ``preset`` takes them
    outliers: bool  #: X ~ weights @ components + outliers
    streams: bool  #: learns from samples that are seen once


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8")


def _pieces(value: Optional[bytes]) -> Tuple[str, ...]:
    text = _text(value)
    return tuple(text.split("|")) if text else ()


def _listed(info: Any, ask: Any) -> List[Any]:
    """All entries of a list whose length the library tells."""
    capacity = 64
    while True:
        entries, count = (info * capacity)(), ctypes.c_int64()
        ask(entries, ctypes.sizeof(info), capacity, ctypes.byref(count))
        if count.value <= capacity:
            return list(entries[: count.value])
        capacity = count.value


@functools.lru_cache(maxsize=None)
def options_of(kind: str) -> Tuple[Option, ...]:
    """Lists the options of an algorithm, or of a kind of work.

    Parameters
    ----------
    kind : str
        The name of an algorithm, or ``"fit"``, ``"transform"``, ``"stream"`` or ``"read"``.

    Returns
    -------
    tuple of Option
        Every option with its type, default, range and help.

    Examples
    --------
    >>> import svrmu
    >>> [option.name for option in svrmu.options_of("hals")]
    ['initial_scaling']
    """
    entries = _listed(
        c.OptionInfo, lambda *arguments: call("svrmu_list_options", kind.encode(), *arguments)
    )
    return tuple(
        Option(
            PYTHON_NAMES.get(_text(e.name), _text(e.name)),
            _text(e.type),
            _text(e.value),
            _pieces(e.choices),
            _text(e.help),
            e.least,
            e.most,
            PYTHON_NAMES.get(_text(e.flag), _text(e.flag)),
        )
        for e in entries
    )


@functools.lru_cache(maxsize=None)
def solvers() -> Tuple[Solver, ...]:
    """Lists the algorithms, in the order of the documentation.

    Returns
    -------
    tuple of Solver
        Every algorithm with its summary.

    Examples
    --------
    >>> import svrmu
    >>> "svrmu-acc" in [solver.name for solver in svrmu.solvers()]
    True
    """
    entries = _listed(c.AlgorithmInfo, lambda *arguments: call("svrmu_list_algorithms", *arguments))
    return tuple(
        Solver(_text(e.name), _text(e.summary), _pieces(e.presets), bool(e.outliers), bool(e.streams))
        for e in entries
    )


@functools.lru_cache(maxsize=None)
def names_of(kind: str) -> frozenset[str]:
    """The names, and other names, of the options of a kind of work."""
    return frozenset(name for option in options_of(kind) for name in (option.name, option.flag) if name)


def named_values(pairs: Iterable[str]) -> Dict[str, str]:
    """Options of the library, "name=value" each, by their names in Python."""
    split = (pair.split("=", 1) for pair in pairs)
    return {PYTHON_NAMES.get(name, name): value for name, value in split}


def as_text(name: str, value: Any) -> str:
    """A value as the library reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    raise InvalidInput(f"{name} is {value!r}; options are texts, numbers, True or False")


class Options(Handle):
    """Options for one call."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__("svrmu_options_free", library().svrmu_options_new)
        put = library().svrmu_options_set
        for name, value in values.items():
            if value is None:
                continue
            if name in PYTHON_NAMES:
                raise InvalidInput(
                    f"the option {name} is called {PYTHON_NAMES[name]} in Python, where W and H would mean "
                    "the factors of scikit-learn"
                )
            known = c_text(_library_names.get(name, name).encode(), "the name of an option")
            check(put(self.value, known, c_text(as_text(name, value).encode(), name)))

    def set_dense(self, name: str, value: c.Dense) -> None:
        """Gives a factor to begin with; it is copied."""
        call("svrmu_options_set_dense", self.value, name.encode(), ctypes.byref(value))

