#!/usr/bin/python3
"""Writes the seed corpus from small matrices: fuzz/make_corpus.py fuzz/corpus."""

import io
import pathlib
import struct
import sys
import zlib

import h5py
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
for name, text in {"european": "g;a;b\nx;1,5;2\ny;3;4,25\n", "index": "id,a,b\n1,5,2\n2,3,9\n3,7,7\n",
                   "missing": "1,NA,3\n4,,6\n", "axis": "400.5,5\n410,3\n420,9\n430,1\n440,2\n450,3\n",
                   "triples": "".join(f"{i},{j},2\n" for i in range(4) for j in range(4))}.items():
    put("csv", name, lambda f: f.write(text.encode()))
for name, text in {"spaced": " a  b \r\nx 1 2\n\ty 3  4.5 \n", "tabs": "1,5\t2\n3\t4\n", "quoted": "\"x y\" 1 2\n"}.items():
    put("text", name, lambda f: f.write(text.encode()))


def framed(features, blocks, size=8, width=0, version=1, total=None, end=True):
    """A stream of columns: blocks are a count and bytes."""
    head = b"SVRMUCOL" + struct.pack("<IIIIQ", version, size, int(width > 0), width, features)
    columns = sum(count for count, _ in blocks) if total is None else total
    body = b"".join(struct.pack("<Q", count) + content for count, content in blocks)
    return head + body + (struct.pack("<QQ", 0, columns) if end else b"")


C = S.tocsc()
sparse_block = (3, C.indptr.astype("<u4").tobytes() + C.indices.astype("<u4").tobytes() + C.data.astype("<f4").tobytes())
for name, content in {
    "dense": framed(2, [(3, M.T.tobytes()), (1, M[:, :1].T.tobytes())]),
    "single": framed(2, [(3, M.T.astype("<f4").tobytes())], size=4),
    "sparse": framed(2, [sparse_block, sparse_block], size=4, width=4),
    "cut_off": framed(2, [(3, M.T.tobytes())], end=False),
    "wrong_total": framed(2, [(3, M.T.tobytes())], total=4),
    "huge_count": framed(2, [(2**61, M.T.tobytes())]),
    "huge_features": framed(2**60, [(1, b"")]),
    "many_features": framed(2**31 - 1, [(1, b"abcd")]),
    "huge_block": framed(2**31 - 1, [(2**20, b"")], width=8),
    "rows_fall": framed(2, [(1, np.array([0, 2, 1, 0], "<u4").tobytes() + M[:, :2].tobytes())], width=4),
    "offsets_fall": framed(2, [(2, np.array([0, -9, 2**62], "<i8").tobytes())], width=8),
    "nan": framed(1, [(1, np.array([np.nan]).tobytes())]),
    "version_9": framed(2, [], version=9),
    "empty": framed(2, []),
    "csv": "a,b\n1,2\n3,4\n5,6\n7,8\n".encode(),
    "tsv": "1,5\t2\n\n3\t4\n".encode(),
    "quoted": ',"a\n1","b"\r\n"x\ny",1,2\r\nz,3,4\r\n'.encode(),
}.items():
    put("columns", name, lambda f: f.write(content))
put("columns", "npy", lambda f: np.save(f, M))
put("columns", "npy_fortran", lambda f: np.save(f, np.asfortranarray(M.astype("<f4"))))
put("columns", "npy_bytes", lambda f: np.save(f, M.astype("u1")))
for name, text in {"table": "id,name\n1,\"a, b\"\n2,c\n", "marked": "\ufeff1,2\r\n3,4"}.items():
    put("names", name, lambda f: f.write(text.encode()))
put("names", "npy", lambda f: np.save(f, np.array(["a", "b\u00e9"])))
for compressed in (False, True):
    end = "_compressed" if compressed else ""
    put("mat", "full" + end, lambda f: scipy.io.savemat(f, {"V": M}, do_compression=compressed))
    put("mat", "sparse" + end, lambda f: scipy.io.savemat(f, {"V": S}, do_compression=compressed))
    put("mat", "mixed" + end,
        lambda f: scipy.io.savemat(f, {"V": M.astype("i2"), "t": "abc", "c": np.array([1, "a"], object)},
                                   do_compression=compressed))
for name, text in {
    "bytes": b"P5\n# c\n3 2\n255\nabcdef",
    "wide": b"P5 2 1 65535\nabcd",
    "text": b"P2\n3 2 # c\n255\n1 2 3\n4 5 6\n",
}.items():
    put("pgm", name, lambda f: f.write(text))


def png(color, depth, data, extra=b"", interlaced=0):
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, depth, color, 0, 0, interlaced))
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


put("png", "gray", lambda f: f.write(png(0, 8, b"\0ab\1cd")))
put("png", "gray16", lambda f: f.write(png(0, 16, b"\0abcd\2efgh")))
put("png", "bits", lambda f: f.write(png(0, 1, b"\0\x80\0\x40")))
put("png", "alpha", lambda f: f.write(png(4, 8, b"\0abcd\3efgh")))
put("png", "rgb", lambda f: f.write(png(2, 8, b"\0abcdef\4ghijkl")))
put("png", "rgba", lambda f: f.write(png(6, 8, b"\0abcdefgh\0ijklmnop")))
put("png", "interlaced", lambda f: f.write(png(0, 8, b"\0a\0b\0cd", interlaced=1)))
palette = b"PLTEabcdef"
put("png", "palette", lambda f: f.write(png(3, 1, b"\0\x80\0\x40", struct.pack(">I", 6) + palette +
                                            struct.pack(">I", zlib.crc32(palette)))))


def h5(name, fill, **options):
    def write(buffer):
        with h5py.File(buffer, "w", **options) as file:
            fill(file)

    put("h5_raw", name, write)


def sparse(group, names=("data", "indices", "indptr"), matrix=S):
    for name, values in zip(names, (matrix.data, matrix.indices, matrix.indptr)):
        group[name] = values


def anndata(file):
    group = file.create_group("X")
    group.attrs["encoding-type"] = "csr_matrix"
    group.attrs["shape"] = M.shape
    sparse(group)
    file["obs/_index"] = ["a", "b"]


def tenx(file):
    group = file.create_group("matrix")
    sparse(group, matrix=S.tocsc())
    group["shape"] = M.shape
    group["barcodes"] = np.array(["x", "y", "z"], "S1")
    group["features/name"] = np.array(["a", "a"], "S1")
    group["features/id"] = np.array(["1", "2"], "S1")


def matlab(file):
    group = file.create_group("V")
    group.attrs["MATLAB_class"] = np.bytes_("double")
    group.attrs["MATLAB_sparse"] = np.uint64(2)
    sparse(group, ("data", "ir", "jc"), S.tocsc())


for version in ("earliest", "latest"):
    h5("dense_" + version, lambda file: file.create_dataset("V", data=M), libver=version)
    h5("gzip_" + version, lambda file: file.create_dataset("V", data=M, chunks=(1, 2), compression="gzip", shuffle=True),
       libver=version)
    for fill in (anndata, tenx, matlab):
        h5(fill.__name__ + "_" + version, fill, libver=version)
# A model's first byte chooses its solver; the others change it: see model_changes.hpp.
for solver in (0, 15, 17, 31, 40, 51):
    put("model", f"good_{solver}", lambda f: f.write(bytes([solver])))
    put("model", f"changed_{solver}", lambda f: f.write(bytes([solver, 0, 2, 1, 3, 3, 4, 8, 0, 1, 1, 4, 2, 7, 1, 6])))
for name, text in {
    "root": "\x07rrank=3\nrloss=beta:0.5\nrstop_reason=kkt\nrseed=18446744073709551615\nrl1_w=1e-300\n",
    "options": "\x07ostep=0.5\norder=cyclic\nosolver=sag-mu\nobatch_size=12\nosafeguard=off\n",
    "data": "\x00dsamples_in=rows\ndsparse=true\ndchecksum=1\ndpath=a b\n",
    "steps": "\x00psteps=tfidf,l2,feature-max\n",
    "resume": "\x11sepoch=12\nsstep_factor=0.25\nsbest_objective=-inf\nnbatches=3\nncolumns=nan\n",
}.items():
    put("model_attributes", name, lambda f: f.write(text.encode("latin-1")))
