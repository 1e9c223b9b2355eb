"""Finds and loads libsvrmu.so, once, when it is first needed."""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path
from typing import Any, Callable, List, Optional, Tuple

from . import _structs as c
from ._errors import InvalidInput, error_of
from ._version import __version__

_lock = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None


def path() -> Path:
    """Where the library is: SVRMU_LIBRARY, or beside the package's files."""
    named = os.environ.get("SVRMU_LIBRARY")
    return Path(named) if named else Path(__file__).with_name("libsvrmu.so")


def _load() -> ctypes.CDLL:
    place = path()
    if not place.exists():
        raise ImportError(
            f"svrmu: there is no {place}; install the package with pip, or set SVRMU_LIBRARY to the "
            "libsvrmu.so of a build"
        )
    library = ctypes.CDLL(str(place))
    for name, (result, arguments) in c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    version = library.svrmu_version().decode()
    if version.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(f"svrmu: {place} is version {version}, but the package is {__version__}")
    return library


def library() -> ctypes.CDLL:
    """The library."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def message() -> str:
    """What was wrong in the last call of this thread."""
    text: bytes = library().svrmu_message()
    return text.decode("utf-8", "replace") if text else ""


def check(code: int, of_file: bool = False) -> None:
    """Raises what a code says; `of_file`: of a file, not of X."""
    if code != c.OK:
        raise error_of(code, message(), of_file)


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a code, and raises what it says."""
    check(getattr(library(), name)(*arguments))


def c_text(text: bytes, what: str) -> bytes:
    """A text for the library, where a zero would end it."""
    if b"\0" in text:
        raise InvalidInput(f"{what} holds a zero byte")
    return text


def c_path(path: Any) -> bytes:
    """The name of a file for the library."""
    return c_text(os.fsencode(path), "path")


class Handle:
    """An object of the library that is freed with this one, in the process that made it."""

    value: Optional[int] = None

    def __init__(self, free: str, make: Callable[[Any], Any], of_file: bool = False) -> None:
        self._free = getattr(library(), free)
        self._process = os.getpid()
        pointer = ctypes.c_void_p()
        check(make(ctypes.byref(pointer)), of_file)
        self.value = pointer.value

    def close(self) -> None:
        """Frees the object now."""
        value, self.value = self.value, None
        # A forked child has the parent's memory but none of its threads, which freeing may wait for.
        if value is not None and self._process == os.getpid():
            self._free(value)

    def __del__(self) -> None:
        self.close()


def texts(fill: Callable[[Any], Any]) -> List[str]:
    """The texts that a function tells of."""
    told = c.Texts()
    check(fill(ctypes.byref(told)))
    return read_texts(told)


def read_texts(told: c.Texts) -> List[str]:
    """The texts of a list, copied."""
    count = int(told.count)
    if count == 0:
        return []
    ends = told.ends[:count]
    joined = ctypes.string_at(told.bytes, ends[-1]) if ends[-1] > 0 else b""
    begins = [0, *ends[:-1]]
    return [joined[begin:end].decode("utf-8", "replace") for begin, end in zip(begins, ends)]


def make_texts(values: List[str]) -> Tuple[c.Texts, Any]:
    """A list of texts for the library, and what must live as long."""
    encoded = [value.encode("utf-8") for value in values]
    joined = ctypes.create_string_buffer(b"".join(encoded), sum(map(len, encoded)) + 1)
    ends = (ctypes.c_int64 * max(1, len(values)))()
    end = 0
    for i, value in enumerate(encoded):
        end += len(value)
        ends[i] = end
    told = c.Texts(ctypes.cast(joined, ctypes.c_void_p), ends, len(values))
    return told, (joined, ends)


def take_bytes(fill: Callable[[Any, Any], Any]) -> bytes:
    """Bytes that a function makes, copied; the library's are freed."""
    begin, count = ctypes.c_void_p(), ctypes.c_size_t()
    check(fill(ctypes.byref(begin), ctypes.byref(count)))
    try:
        return ctypes.string_at(begin, count.value) if count.value else b""
    finally:
        library().svrmu_bytes_free(begin)
