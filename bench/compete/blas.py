"""The kernels of OpenBLAS, on which all rivals depend. Debian 12's takes those of 2004 (Prescott) on a processor that is newer than itself, at a
fifth of the speed: nobody's rival should be measured that way.

blas.py COMMAND ...: runs a command with the kernels that fit this processor.
"""

import ctypes
import os
import sys

OLD = ("Prescott", "Core2", "Nehalem", "Barcelona")


def flags():
    with open("/proc/cpuinfo") as file:
        return set(next((line.split(":", 1)[1].split() for line in file if line.startswith("flags")), []))


def chosen():
    """What OpenBLAS takes by itself here, or None without OpenBLAS."""
    try:
        name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
    except (OSError, AttributeError):
        return None
    name.restype = ctypes.c_char_p
    return name().decode()


def better():
    """A name for OPENBLAS_CORETYPE, or "" where OpenBLAS or the user has chosen well."""
    if "OPENBLAS_CORETYPE" in os.environ or chosen() not in OLD:
        return ""
    known = flags()
    if known >= {"avx512f", "avx512dq", "avx512bw", "avx512vl"}:
        return "SkylakeX"
    return "Haswell" if known >= {"avx2", "fma"} else ""


def environment():
    core = better()
    return {"OPENBLAS_CORETYPE": core} if core else {}


def describe():
    core = better()
    return f"OpenBLAS with its {core} kernels (by itself: {chosen()})" if core else f"OpenBLAS with its {chosen()} kernels"


if __name__ == "__main__":
    os.environ.update(environment())
    os.execvp(sys.argv[1], sys.argv[1:])
