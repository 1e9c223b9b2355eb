#!/usr/bin/python3
"""Writes the files that the io tests read, with numpy and scipy. The matrix is always entry(i, j) of 5 x 3."""

import gzip
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

try:
    import numpy as np
    import scipy.io
    import scipy.sparse as sp

    from made_matrix import M, S
except ImportError as error:
    print(f"skipped: {error}; install python3-numpy and python3-scipy")
    sys.exit(0)

FOLDER = pathlib.Path(sys.argv[1])


def npy():
    types = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
    for name in types:
        for order, end in ((">", "big"), ("<", "little")):
            array = M.astype(np.dtype(order + name))
            np.save(FOLDER / f"{name}_{end}_c.npy", np.ascontiguousarray(array))
            np.save(FOLDER / f"{name}_{end}_f.npy", np.asfortranarray(array))
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(FOLDER / f"version{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, M, version=version)
    np.save(FOLDER / "empty.npy", np.zeros((0, 3)))
    np.save(FOLDER / "vector.npy", np.zeros(3))
    np.save(FOLDER / "complex.npy", M.astype(complex))
    np.save(FOLDER / "longdouble.npy", M.astype(np.longdouble))
    np.save(FOLDER / "object.npy", np.array([[1, None]], dtype=object))
    np.save(FOLDER / "record.npy", np.zeros((2, 2), dtype=[("a", "f4"), ("b", "i4")]))
    np.save(FOLDER / "text.npy", np.array([["a", "b"]]))


def npz():
    np.savez(FOLDER / "one.npz", M)
    np.savez(FOLDER / "several.npz", first=M, second=2 * M)
    np.savez_compressed(FOLDER / "several_deflated.npz", first=M, second=2 * M)
    for kind in ("csr", "csc", "coo", "bsr", "dia"):
        sp.save_npz(FOLDER / f"{kind}.npz", S.asformat(kind), compressed=True)
        sp.save_npz(FOLDER / f"{kind}_stored.npz", S.asformat(kind).astype("f4"), compressed=False)
    untidy = sp.csr_matrix((np.array([3.0, 1, 2]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    sp.save_npz(FOLDER / "untidy.npz", untidy)


def zip64():
    """An archive that has all its sizes in the 64-bit fields, as one of more than 4 GB would."""
    content = (FOLDER / "version1.npy").read_bytes()
    name = b"V.npy"
    most = 0xFFFFFFFF
    head = struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, 0, 0, 0, 0, zlib.crc32(content), most, most, len(name), 20)
    local = b"comment" + head + name + struct.pack("<HHQQ", 1, 16, len(content), len(content)) + content
    extra = struct.pack("<HHQQQ", 1, 24, len(content), len(content), len(b"comment"))
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45, 45, 0, 0, 0, 0, zlib.crc32(content), most, most, len(name),
                        len(extra), 0, 0, 0, 0, most) + name + extra
    end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 1, 1, len(entry), len(local))
    locator = struct.pack("<IIQI", 0x07064B50, 0, len(local) + len(entry), 1)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, most, most, 0)
    (FOLDER / "zip64.npz").write_bytes(local + entry + end64 + locator + end)


def mtx():
    scipy.io.mmwrite(FOLDER / "coordinate.mtx", S)
    scipy.io.mmwrite(FOLDER / "array.mtx", M)
    scipy.io.mmwrite(FOLDER / "integer.mtx", S.astype(int))
    scipy.io.mmwrite(FOLDER / "pattern.mtx", S, field="pattern")
    symmetric = M.T @ M
    scipy.io.mmwrite(FOLDER / "symmetric.mtx", sp.csr_matrix(symmetric), symmetry="symmetric")
    scipy.io.mmwrite(FOLDER / "symmetric_array.mtx", symmetric, symmetry="symmetric")
    text = (FOLDER / "coordinate.mtx").read_bytes()
    (FOLDER / "coordinate_crlf.mtx").write_bytes(text.replace(b"\n", b"\r\n"))
    (FOLDER / "coordinate.mtx.gz").write_bytes(gzip.compress(text[:40]) + gzip.compress(text[40:]))


def text():
    np.savetxt(FOLDER / "plain.csv", M, delimiter=",")
    np.savetxt(FOLDER / "plain.tsv", M, delimiter="\t", fmt="%g")
    (FOLDER / "plain.csv.gz").write_bytes(gzip.compress((FOLDER / "plain.csv").read_bytes()))


def mat():
    for name in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "b1"]:
        for compressed in (False, True):
            scipy.io.savemat(FOLDER / f"{name}_{int(compressed)}.mat", {"V": M.astype(name)}, do_compression=compressed)
    for compressed in (False, True):
        scipy.io.savemat(FOLDER / f"sparse_{int(compressed)}.mat", {"V": S}, do_compression=compressed)
    scipy.io.savemat(FOLDER / "logical_sparse.mat", {"V": S.astype(bool)})
    scipy.io.savemat(FOLDER / "several.mat", {"V": M, "U": 2 * M, "text": "abc", "cell": np.array([1, "a"], object)})
    scipy.io.savemat(FOLDER / "with_label.mat", {"fea": M, "gnd": np.arange(5.0), "n": 3, "s": {"a": M}})
    scipy.io.savemat(FOLDER / "complex.mat", {"V": M * 1j})
    scipy.io.savemat(FOLDER / "cube.mat", {"V": np.zeros((2, 2, 2))})
    scipy.io.savemat(FOLDER / "version4.mat", {"V": M}, format="4")


def octave():
    if not shutil.which("octave-cli"):
        print("Octave is not installed: its files are left out")
        return
    rows = "; ".join(" ".join(str(int(x)) for x in row) for row in M)
    program = f"V = [{rows}]; cd('{FOLDER}'); save('-v6', 'octave6.mat', 'V'); save('-v7', 'octave7.mat', 'V'); " \
              f"V = sparse(V); save('-v7', 'octave_sparse.mat', 'V');"
    subprocess.run(["octave-cli", "--eval", program], check=True)


def sklearn():
    """Counts with an empty sample and an empty feature, and what scikit-learn makes of them."""
    try:
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.preprocessing import maxabs_scale, normalize
    except ImportError:
        print("scikit-learn is not installed: its numbers are left out")
        return
    counts = np.random.default_rng(1).poisson(0.4, (40, 23)).astype(float)
    counts[3] = 0
    counts[:, 5] = 0
    np.save(FOLDER / "sklearn_counts.npy", counts)
    sp.save_npz(FOLDER / "sklearn_counts.npz", sp.csr_matrix(counts))
    np.save(FOLDER / "sklearn_tfidf.npy", TfidfTransformer().fit_transform(sp.csr_matrix(counts)).toarray())
    np.save(FOLDER / "sklearn_l1.npy", normalize(counts, "l1"))
    np.save(FOLDER / "sklearn_l2.npy", normalize(counts, "l2"))
    np.save(FOLDER / "sklearn_feature_max.npy", maxabs_scale(counts))


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
for make in (npy, npz, zip64, mtx, text, mat, octave, sklearn):
    make()
(FOLDER / "complete").touch()
