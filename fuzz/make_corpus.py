#!/usr/bin/python3
"""Writes the seed corpus from small matrices: fuzz/make_corpus.py fuzz/corpus."""

import io
import pathlib
import sys

import numpy as np
import scipy.io
import scipy.sparse as sp

ROOT = pathlib.Path(sys.argv[1])
M = np.array([[1.0, 0, 2], [0, 3, 0]])
S = sp.csr_matrix(M)


def put(parser, name, write):
    buffer = io.BytesIO()
    write(buffer)
    (ROOT / parser).mkdir(parents=True, exist_ok=True)
    (ROOT / parser / name).write_bytes(buffer.getvalue())


for kind in ("f8", "f4", "f2", "i2", "u1", "b1", "i8"):
    for order in "<>":
        name = f"{kind}_{'little' if order == '<' else 'big'}"
        put("npy", name, lambda f: np.save(f, M.astype(order + kind)))
put("npy", "fortran", lambda f: np.save(f, np.asfortranarray(M)))
put("npy", "version2", lambda f: np.lib.format.write_array(f, M, version=(2, 0)))
put("npy", "complex", lambda f: np.save(f, M.astype(complex)))
for kind in ("csr", "csc", "coo", "bsr"):
    put("npz", kind, lambda f: sp.save_npz(f, S.asformat(kind), compressed=False))
    put("npz", kind + "_deflated", lambda f: sp.save_npz(f, S.asformat(kind)))
put("npz_member", "dense", lambda f: np.savez(f, a=M, b=M))
put("npz_member", "deflated", lambda f: np.savez_compressed(f, a=M, b=M))
put("mtx", "coordinate", lambda f: scipy.io.mmwrite(f, S))
put("mtx", "array", lambda f: scipy.io.mmwrite(f, M))
put("mtx", "pattern", lambda f: scipy.io.mmwrite(f, S, field="pattern"))
put("mtx", "symmetric", lambda f: scipy.io.mmwrite(f, sp.csr_matrix(M.T @ M), symmetry="symmetric"))
put("mtx", "symmetric_array", lambda f: scipy.io.mmwrite(f, M.T @ M, symmetry="symmetric"))
for name, text in {
    "plain": "1,2\n3,4\n",
    "header": "a,b\n1,2\n3,4\n",
    "both": ',"a,1","b ""x"""\r\nx,1,2\r\n"y\nz",3,4e-5\r\n',
    "r": "a,b\nx,1,2\ny,3,4",
    "marked": "\ufeff1,nan\n+3,-inf\n",
}.items():
    put("csv", name, lambda f: f.write(text.encode()))
for compressed in (False, True):
    end = "_compressed" if compressed else ""
    put("mat", "full" + end, lambda f: scipy.io.savemat(f, {"V": M}, do_compression=compressed))
    put("mat", "sparse" + end, lambda f: scipy.io.savemat(f, {"V": S}, do_compression=compressed))
    put("mat", "mixed" + end,
        lambda f: scipy.io.savemat(f, {"V": M.astype("i2"), "t": "abc", "c": np.array([1, "a"], object)},
                                   do_compression=compressed))
