#!/usr/bin/python3
"""Writes HDF5 files and folders that the io tests read: with h5py, and with anndata and Octave where they are installed.
The matrix is that of make_files.py."""

import gzip
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

try:
    import h5py
    import numpy as np
    import scipy.io
    import scipy.sparse as sp

    from made_matrix import COLUMNS, M, ROWS, S
except ImportError as error:
    print(f"skipped: {error}; install python3-h5py, python3-numpy and python3-scipy")
    sys.exit(0)

FOLDER = pathlib.Path(sys.argv[1])
ROW_NAMES = [f"row{i}" for i in range(ROWS)]
COLUMN_NAMES = [f"col{j} é" for j in range(COLUMNS)]


def new(name, **options):
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return h5py.File(path, "w", **options)


def put_sparse(group, matrix, offsets=None, indices=None, values=None, names=("data", "indices", "indptr")):
    group[names[0]] = matrix.data if values is None else values
    group[names[1]] = matrix.indices if indices is None else indices
    group[names[2]] = matrix.indptr if offsets is None else offsets


def dense():
    for name in ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]:
        for order, end in ((">", "big"), ("<", "little")):
            with new(f"{name}_{end}.h5") as file:
                file["V"] = M.astype(np.dtype(order + name))
    with new("gzip_shuffle.h5") as file:
        file.create_dataset("V", data=M, chunks=(2, 2), compression="gzip", shuffle=True, fletcher32=True)
    with new("chunked.hdf5") as file:
        file.create_dataset("V", data=M, chunks=(2, 2), maxshape=(None, None))
    with new("compact.h5") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        data = h5py.h5d.create(file.id, b"V", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple(M.shape), properties)
        data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(M))
    with new("latest.h5", libver="latest") as file:
        file["V"] = M
    with new("large.h5") as file:  # more than one block each way
        big = np.arange(3000 * 1500, dtype="i4").reshape(3000, 1500)
        file.create_dataset("chunks", data=big, chunks=(700, 400), compression="gzip", compression_opts=1)
        file.create_dataset("thin", data=big, chunks=(1, 1500))
        file.create_dataset("tall", data=big, chunks=(3000, 1), compression="gzip", compression_opts=1)
        file["plain"] = big
    with new("zeros.h5") as file:  # 160 MB of float64 in a few 100 kB
        file.create_dataset("V", shape=(2000, 10000), dtype="f4", chunks=(100, 10000), compression="gzip",
                            data=np.ones((2000, 10000), "f4"))
    with new("several.h5") as file:
        file["a/first"] = M
        file["second"] = 2 * M
        file["vector"] = np.zeros(3)
        file["complex"] = M * 1j
        file["texts"] = [["x", "y"]]
        file["cube"] = np.zeros((2, 2, 2))
        file["records"] = np.zeros((2, 2), dtype=[("a", "f4"), ("b", "i4")])
        file["lists"] = np.array([[np.zeros(2), np.zeros(3)]], dtype=h5py.vlen_dtype("f8"))
        file["empty"] = h5py.Empty("f8")
        file["enumeration"] = np.zeros((2, 2), dtype=h5py.enum_dtype({"RED": 0, "BLUE": 1}, basetype="i1"))
        file["soft"] = h5py.SoftLink("/a/first")
        file["cycle"] = h5py.SoftLink("/cycle2")
        file["cycle2"] = h5py.SoftLink("/cycle")
        file["dangling"] = h5py.SoftLink("/nowhere")
        file["outside"] = h5py.ExternalLink("f8_little.h5", "/V")
        file["a/back"] = file["a"]
        file["sparse/csr"] = h5py.Empty("f8")
    with new("one_with_vectors.h5") as file:
        file["group/V"] = M
        file["group/names"] = ["a", "b"]
        file["y"] = np.zeros(5)
    with new("many.h5") as file:
        for i in range(100):
            file[f"V{i:03}"] = M
    with new("nothing.h5") as file:
        file["y"] = np.zeros(5)
    with new("lzf.h5") as file:
        file.create_dataset("V", data=np.zeros((100, 100)), chunks=(10, 10), compression="lzf")
    with new("external_data.h5") as file:
        file.create_dataset("V", (2, 2), "f8", external=[("/etc/passwd", 0, 32)])
    with new("virtual.h5") as file:
        layout = h5py.VirtualLayout(shape=(5, 3), dtype="f8")
        layout[:] = h5py.VirtualSource("f8_little.h5", "V", shape=(5, 3))
        file.create_virtual_dataset("V", layout)
    with new("deep.h5") as file:
        file["/".join("g" * 40) + "/V"] = M
    with new("empty_matrix.h5") as file:
        file["V"] = np.zeros((0, 3))


def anndata_old():
    """As anndata 0.6 wrote it."""
    for kind in ("csr", "csc", "dense"):
        with new(f"old_{kind}.h5ad") as file:
            if kind == "dense":
                file["X"] = M
            else:
                group = file.create_group("X")
                group.attrs["h5sparse_format"] = kind
                group.attrs["h5sparse_shape"] = np.array(M.shape)
                put_sparse(group, S.asformat(kind))
            file["obs"] = np.array([(name, 1.0) for name in ROW_NAMES], dtype=[("index", "S8"), ("n", "f8")])
            texts = np.zeros(COLUMNS, dtype=[("index", h5py.string_dtype()), ("n", "f8")])
            texts["index"] = COLUMN_NAMES
            file["var"] = texts
            file["raw.X"] = 2 * M
            file["raw.var"] = texts
    with new("fixed_texts.h5ad") as file:
        file["X"] = M
        for name, names in (("obs", ROW_NAMES), ("var", COLUMN_NAMES)):
            group = file.create_group(name)
            group.attrs["_index"] = np.bytes_("names")
            group["names"] = np.array([text.encode() for text in names], dtype="S12")
    with new("untidy.h5ad") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = "csr_matrix"
        group.attrs["shape"] = [1, 3]
        put_sparse(group, None, np.array([0, 3]), np.array([2, 0, 2]), np.array([3.0, 1, 2]))
    with new("integer_names.h5ad") as file:
        file["X"] = M
        file.create_group("obs").attrs["_index"] = "index"
        file["obs/index"] = np.arange(5, dtype="i4")


def anndata_new():
    try:
        import anndata
        import pandas as pd
    except ImportError as error:
        print(f"{error}: files of anndata are left out")
        return
    obs = pd.DataFrame({"kind": pd.Categorical(["a", "b", "a", "b", "a"])}, index=ROW_NAMES)
    var = pd.DataFrame(index=COLUMN_NAMES)
    for kind in ("csr", "csc", "dense"):
        X = M if kind == "dense" else S.asformat(kind)
        data = anndata.AnnData(X.astype("f4"), dtype="f4", obs=obs, var=var, layers={"counts": 2 * X, "integers": S.astype("i8")},
                               obsm={"X_pca": M[:, :2]})
        data.raw = anndata.AnnData(np.hstack([M, M]), dtype="f8", obs=obs, var=pd.DataFrame(index=list("abcdef")))
        data.write(FOLDER / f"{kind}.h5ad", compression="gzip" if kind == "csr" else None)


def put_tenx(group, old=False, texts="S20", ids=None, names=None):
    ids = ids or [f"ENSG{i}" for i in range(ROWS)]
    names = names or ["A", "B", "A", "C", "D"]
    put_sparse(group, S.tocsc().astype("i4"))
    group["shape"] = np.array(M.shape, "i4")
    group["barcodes"] = np.array([f"ACGT-{j}" for j in range(COLUMNS)], dtype=texts)
    if old:
        group["genes"] = np.array(ids, dtype=texts)
        group["gene_names"] = np.array(names, dtype=texts)
    else:
        group["features/id"] = np.array(ids, dtype=texts)
        group["features/name"] = np.array(names, dtype=texts)
        group["features/feature_type"] = np.array(["Gene Expression"] * len(ids), dtype=texts)


def tenx():
    with new("tenx3.h5") as file:
        put_tenx(file.create_group("matrix"))
    with new("tenx3_variable.h5") as file:
        put_tenx(file.create_group("matrix"), texts=h5py.string_dtype())
    with new("tenx2.h5") as file:
        put_tenx(file.create_group("GRCh38"), old=True)
    with new("tenx2_two.h5") as file:
        put_tenx(file.create_group("GRCh38"), old=True)
        put_tenx(file.create_group("mm10"), old=True)
    for name, pack in (("tenx_folder", False), ("tenx_folder_gz", True)):
        folder = FOLDER / name
        folder.mkdir()
        scipy.io.mmwrite(folder / "matrix.mtx", S.astype(int))
        features = "".join(f"ENSG{i}\t{n}\tGene Expression\n" for i, n in enumerate("ABACD"))
        (folder / ("features.tsv" if pack else "genes.tsv")).write_text(features)
        (folder / "barcodes.tsv").write_text("".join(f"ACGT-{j}\n" for j in range(COLUMNS)))
        if pack:
            for path in list(folder.iterdir()):
                (folder / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes()))
                path.unlink()


def put_matlab(file, name, array, kind):
    file[name] = np.ascontiguousarray(array.T)
    file[name].attrs["MATLAB_class"] = np.bytes_(kind)
    return file[name]


def matlab_sparse(file, name, matrix, kind="double"):
    group = file.create_group(name)
    group.attrs["MATLAB_class"] = np.bytes_(kind)
    group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
    matrix = matrix.tocsc()
    group["jc"] = matrix.indptr.astype("u8")
    if matrix.nnz:
        group["ir"] = matrix.indices.astype("u8")
        group["data"] = matrix.data


class Matlab:
    """A file with the header that MATLAB writes."""

    def __init__(self, name):
        self.path = FOLDER / name
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def __enter__(self):
        self.file = h5py.File(self.path, "w", userblock_size=512)
        return self.file

    def __exit__(self, *_):
        self.file.close()
        text = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 ."
        with open(self.path, "r+b") as file:
            file.write(text.ljust(116) + b"\0" * 8 + b"\0\x02IM")


def matlab():
    kinds = {"double": "f8", "single": "f4", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4",
             "uint32": "u4", "int64": "i8", "uint64": "u8", "logical": "u1"}
    for kind, kind_type in kinds.items():
        with Matlab(f"{kind}_73.mat") as file:
            values = M != 0 if kind == "logical" else M
            put_matlab(file, "V", values.astype(kind_type), kind)
    with Matlab("sparse_73.mat") as file:
        matlab_sparse(file, "V", S)
    with Matlab("sparse_logical_73.mat") as file:
        matlab_sparse(file, "V", (S != 0).astype("u1"), "logical")
    with Matlab("sparse_empty_73.mat") as file:
        matlab_sparse(file, "V", sp.csc_matrix((4, 3)))
    with Matlab("several_73.mat") as file:
        put_matlab(file, "V", M, "double")
        put_matlab(file, "U", 2 * M, "double")
        put_matlab(file, "text", np.array([[65, 66]], "u2"), "char")
        put_matlab(file, "complex", np.zeros((2, 2), dtype=[("real", "f8"), ("imag", "f8")]), "double")
        put_matlab(file, "cube", np.zeros((2, 2, 2)), "double")
        put_matlab(file, "empty", np.array([0, 0], "u8"), "double").attrs["MATLAB_empty"] = np.uint8(1)
        group = file.create_group("s")
        group.attrs["MATLAB_class"] = np.bytes_("struct")
        put_matlab(group, "inner", 3 * M, "double")
        file.create_group("#refs#")["a"] = M
        cell = file.create_dataset("cell", (1, 1), dtype=h5py.ref_dtype)
        cell.attrs["MATLAB_class"] = np.bytes_("cell")
    with Matlab("with_label_73.mat") as file:
        put_matlab(file, "fea", M, "double")
        put_matlab(file, "gnd", np.arange(5.0).reshape(5, 1), "double")
        put_matlab(file, "n", np.array([[3.0]]), "double")


def octave():
    if not shutil.which("octave-cli"):
        print("Octave is not installed: its files are left out")
        return
    rows = "; ".join(" ".join(str(int(x)) for x in row) for row in M)
    program = f"V = [{rows}]; cd('{FOLDER}'); save('-hdf5', 'octave.h5', 'V'); save('-hdf5', 'octave_h5.mat', 'V'); " \
              f"W = int16(V); x = 3; S = sparse(V); save('-hdf5', 'octave_several.h5', 'V', 'W', 'x', 'S');"
    subprocess.run(["octave-cli", "--eval", program], check=True, stderr=subprocess.DEVNULL)


def png(path, array, color, depth=8, palette=None, extra=b"", interlaced=False):
    """`array` is rows x columns x channels; filter 0 everywhere, so that the bytes are what they say."""
    array = np.atleast_3d(array)
    rows, columns = array.shape[:2]

    def scan(part):
        lines = b""
        for row in part:
            if depth == 16:
                line = row.astype(">u2").tobytes()
            elif depth == 8:
                line = row.astype("u1").tobytes()
            else:
                bits = "".join(f"{int(v):0{depth}b}" for v in row.ravel())
                line = bytes(int(bits[i:i + 8].ljust(8, "0"), 2) for i in range(0, len(bits), 8))
            lines += b"\0" + line
        return lines

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    if interlaced:
        parts = [array[top::down, left::right] for top, left, down, right in passes]
        data = b"".join(scan(part) for part in parts if part.size)
    else:
        data = scan(array)
    content = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, depth, color, 0, 0, interlaced))
    if palette is not None:
        content += chunk(b"PLTE", bytes(palette))
    content += extra + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    path.write_bytes(content)


def pictures():
    def folder(name):
        path = FOLDER / name
        path.mkdir()
        return path

    gray = np.arange(12).reshape(4, 3) * 20
    plain = folder("pgm")
    (plain / "b.pgm").write_bytes(b"P5\n# made here\n3 4\n255\n" + gray.astype("u1").tobytes())
    text = "P2 3 4 # sizes\n255\n" + "\n".join(" ".join(str(v) for v in row) for row in gray + 1) + "\n"
    (plain / "a.PGM").write_text(text)
    (plain / "README.txt").write_text("about")
    (plain / ".hidden").write_text("x")
    wide = folder("pgm16")
    (wide / "a.pgm").write_bytes(b"P5 3 4 65535 " + (gray * 250).astype(">u2").tobytes())
    every = folder("png")
    png(every / "1_gray.png", gray, 0)
    png(every / "2_alpha.png", np.dstack([gray, gray // 2]), 4)
    png(every / "3_rgb.png", np.dstack([gray, gray, gray]), 2)
    png(every / "4_rgba.png", np.dstack([gray, gray, gray, gray // 2]), 6)
    png(every / "5_palette.png", np.arange(12).reshape(4, 3), 3,
        palette=[v for i in range(12) for v in (20 * i,) * 3])
    png(every / "6_interlaced.png", gray, 0, interlaced=True)
    png(every / "7_colors.png", np.dstack([gray, gray * 0, gray * 0]), 2)
    deep = folder("png16")
    png(deep / "gray.png", gray * 250, 0, 16)
    png(deep / "rgb.png", np.dstack([gray * 250] * 3), 2, 16)
    few = folder("png_bits")
    png(few / "1.png", gray > 100, 0, 1)
    png(few / "2.png", gray // 80, 0, 2)
    png(few / "4.png", gray // 20, 0, 4)
    sizes = folder("bad_sizes")
    png(sizes / "a.png", gray, 0)
    png(sizes / "b.png", gray.T, 0)
    depths = folder("bad_depths")
    png(depths / "a.png", gray, 0)
    png(depths / "b.png", gray, 0, 16)
    other = folder("bad_other")
    png(other / "a.png", gray, 0)
    (other / "b.jpg").write_text("x")
    inside = folder("bad_inside")
    png(inside / "a.png", gray, 0)
    (inside / "more").mkdir()
    damaged = folder("bad_png")
    png(damaged / "a.png", gray, 0)
    content = bytearray((damaged / "a.png").read_bytes())
    content[-20] ^= 1
    (damaged / "a.png").write_bytes(content)
    folder("bad_nothing")
    (FOLDER / "bad_nothing" / "data.bin").write_text("x")
    half = folder("bad_tenx")
    scipy.io.mmwrite(half / "matrix.mtx", S)
    (half / "barcodes.tsv").write_text("a\nb\nc\n")
    lines = folder("bad_tenx_lines")
    scipy.io.mmwrite(lines / "matrix.mtx", S)
    (lines / "barcodes.tsv").write_text("a\nb\nc\n")
    (lines / "features.tsv").write_text("a\tb\nc\td\n")


def bad():
    """One fault each; h5_test.cpp knows what must be said about it."""
    def csr(name, **changes):
        with new("bad/" + name) as file:
            group = file.create_group("X")
            group.attrs["encoding-type"] = changes.pop("encoding", "csr_matrix")
            shape = changes.pop("shape", np.array(M.shape))
            if shape is not None:
                group.attrs["shape"] = shape
            put_sparse(group, S, **changes)

    csr("index.h5ad", indices=np.array([0, 1, 3, 0, 1, 0, 2]))
    csr("negative.h5ad", indices=np.array([-1] + [0] * (S.nnz - 1)))
    csr("decreasing.h5ad", offsets=np.array([0, 5, 3, 5, 7, S.nnz]))
    csr("beyond.h5ad", offsets=np.array([0, 2, 3, 5, 6, 1000]))
    csr("first.h5ad", offsets=np.array([1, 2, 3, 5, 6, S.nnz]))
    csr("few_offsets.h5ad", offsets=np.array([0, 2, 3]))
    csr("lengths.h5ad", values=np.zeros(3))
    csr("no_shape.h5ad", shape=None)
    csr("shape3.h5ad", shape=np.array([5, 3, 1]))
    csr("negative_shape.h5ad", shape=np.array([-5, 3]))
    csr("huge_shape.h5ad", shape=np.array([5, 2**62]))
    csr("huge_rows.h5ad", shape=np.array([2**63 - 1, 3]))
    csr("encoding.h5ad", encoding="dataframe")
    csr("float_indices.h5ad", indices=S.indices.astype("f8"))
    csr("two_dimensions.h5ad", offsets=S.indptr.reshape(2, 3))
    csr("text_values.h5ad", values=np.array([b"a"] * S.nnz))
    with new("bad/no_data.h5ad") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = "csr_matrix"
        group.attrs["shape"] = np.array(M.shape)
        group["indptr"] = S.indptr
        group["indices"] = S.indices
    with new("bad/group_data.h5ad") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = "csr_matrix"
        group.attrs["shape"] = np.array(M.shape)
        group["indptr"] = S.indptr
        group["indices"] = S.indices
        group.create_group("data")
    with new("bad/no_X.h5ad") as file:
        file["layers/counts"] = M
    with new("bad/names.h5ad") as file:
        file["X"] = M
        file["obs/_index"] = ["a", "b"]
    with new("bad/names_type.h5ad") as file:
        file["X"] = M
        file["obs/_index"] = np.zeros(5)
    with new("bad/table.h5ad") as file:
        file["X"] = M
        file["obs"] = np.zeros(5, dtype=[("a", "f8")])
    with new("bad/vector.h5ad") as file:
        file["X"] = np.zeros(3)
    for name, compression in (("fill.h5", None), ("fill_gzip.h5", "gzip")):
        with new("bad/" + name) as file:
            file.create_dataset("V", shape=(2**40, 2**15), dtype="f8", chunks=(64, 64), compression=compression)
    with new("bad/fill_contiguous.h5") as file:
        file.create_dataset("V", shape=(2**30, 2**10), dtype="f8")
    with new("bad/overflow.h5") as file:
        file.create_dataset("V", shape=(2**60, 2**60), dtype="f8", chunks=(1, 1))
    with new("bad/huge_chunk.h5") as file:
        data = file.create_dataset("V", shape=(2, 2**27), dtype="f8", chunks=(1, 2**27), compression="gzip")
        data.id.write_direct_chunk((0, 0), zlib.compress(b"\0" * 1000))
    with new("bad/gzip.h5") as file:
        data = file.create_dataset("V", shape=(2, 2), dtype="f8", chunks=(2, 2), compression="gzip")
        data.id.write_direct_chunk((0, 0), b"this is not gzip")
    with new("bad/fill_offsets.h5ad") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = "csr_matrix"
        group.attrs["shape"] = np.array([2**34, 3])
        group["data"] = S.data
        group["indices"] = S.indices
        group.create_dataset("indptr", shape=(2**34 + 1,), dtype="i8", chunks=(1024,))
    with new("bad/fill_values.h5ad") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = "csr_matrix"
        group.attrs["shape"] = np.array([5, 3])
        group["indptr"] = S.indptr
        group.create_dataset("indices", shape=(2**34,), dtype="i8", chunks=(1024,))
        group.create_dataset("data", shape=(2**34,), dtype="i8", chunks=(1024,))
    with new("bad/fill_names.h5ad") as file:
        file["X"] = M
        file.create_dataset("obs/_index", shape=(2**34,), dtype="S8", chunks=(1024,))
    with new("bad/long_names.h5ad") as file:
        file["X"] = M
        file.create_dataset("obs/_index", shape=(5,), dtype=f"S{2**30}", chunks=(1,))
    with new("bad/one_text.h5ad") as file:  # one long text that is named many times over
        file["X"] = M
        file["var/_index"] = ["x" * 60000] * 3
        dataset = file.create_dataset("obs/_index", shape=(50000,), dtype=h5py.string_dtype(), chunks=(50000,))
        place = file["var/_index"].id.get_offset()
        file.flush()
        with open(FOLDER / "bad/one_text.h5ad", "rb") as raw:
            raw.seek(place)
            reference = raw.read(16)
        dataset.id.write_direct_chunk((0,), reference * 50000)
    with new("bad/tenx_shape.h5") as file:
        put_tenx(file.create_group("matrix"))
        del file["matrix/shape"]
        file["matrix/shape"] = [5]
    with new("bad/tenx_barcodes.h5") as file:
        put_tenx(file.create_group("matrix"))
        del file["matrix/barcodes"]
        file["matrix/barcodes"] = ["a"]
    with new("bad/tenx_features.h5") as file:
        put_tenx(file.create_group("matrix"), names=["a", "b"])
    with Matlab("bad/sparse_rows.mat") as file:
        matlab_sparse(file, "V", S)
        file["V"].attrs["MATLAB_sparse"] = np.uint64(2)
    with Matlab("bad/sparse_text.mat") as file:
        matlab_sparse(file, "V", S)
        file["V"].attrs["MATLAB_sparse"] = "five"
    with Matlab("bad/sparse_jc.mat") as file:
        matlab_sparse(file, "V", S)
        del file["V/jc"]
        file["V/jc"] = np.zeros((0,), "u8")
    with Matlab("bad/none.mat") as file:
        put_matlab(file, "text", np.array([[65, 66]], "u2"), "char")


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
for make in (dense, anndata_old, anndata_new, tenx, matlab, octave, pictures, bad):
    make()
(FOLDER / "complete").touch()
