"""Damaged files of every format through the program: no crash, no hang, no gigabytes, and a message that names the file.

A damaged model must not give another answer: what is in it is guarded by a checksum. So is what is in an .npz.
"""

import struct
import zlib

import h5py
import numpy as np
import scipy.io
import scipy.sparse as sp

import oracle
from torture import DONE, GIGABYTE, NUMERICAL, Failed

PER_FORMAT = 2000
CPU_SECONDS = 4
MEMORY = GIGABYTE

NUMBERS = (0, 1, 2, 255, 2 ** 15, 2 ** 16, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 40, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1)
TEXTS = (b"", b"nan", b"inf", b"-1", b"1e400", b"1e-400", b"0x10", b"99999999999999999999", b"9223372036854775807",
         b"\"", b",", b"\t", b"\n", b"\r", b"\0", b"%", b"-", b"1,2,3", b"\xff\xfe", b"\xef\xbb\xbf", b" " * 300)


def matrix(case):
    V = np.round(case.random.gamma(0.7, size=(6, 2)) @ case.random.gamma(0.7, size=(2, 5)), 3) + 0.001
    V[case.random.random(V.shape) < 0.3] = 0
    V[0, 0] = 1
    return V


def put_sparse(group, S):
    group["data"], group["indices"], group["indptr"] = S.data, S.indices, S.indptr


def make_npy(case, V):
    np.save(case.folder / "V.npy", V)
    return "V.npy"


def make_npz(case, V):
    if case.chance(0.5):
        sp.save_npz(case.folder / "V.npz", sp.csr_matrix(V), compressed=case.chance(0.5))
    else:
        (np.savez_compressed if case.chance(0.5) else np.savez)(case.folder / "V.npz", V)
    return "V.npz"


def make_mtx(case, V):
    scipy.io.mmwrite(case.folder / "V.mtx", sp.coo_matrix(V) if case.chance(0.7) else V)
    return "V.mtx"


def make_csv(case, V):
    lines = [",".join(["", *(f"s{j}" for j in range(V.shape[1]))])] if case.chance(0.5) else []
    lines += [",".join(([f"f{i}"] if lines else []) + [repr(float(x)) for x in row]) for i, row in enumerate(V)]
    (case.folder / "V.csv").write_text("\n".join(lines) + "\n")
    return "V.csv"


def make_mat5(case, V):
    scipy.io.savemat(case.folder / "V.mat", {"V": V if case.chance(0.5) else sp.csc_matrix(V)},
                     do_compression=case.chance(0.5))
    return "V.mat"


def make_mat73(case, V):
    path = case.folder / "V.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["V"] = np.ascontiguousarray(V.T)
        file["V"].attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .".ljust(116) + b"\0" * 8 + b"\0\x02IM")
    return "V.mat"


def make_h5(case, V):
    with h5py.File(case.folder / "V.h5", "w") as file:
        if case.chance(0.5):
            file.create_dataset("V", data=V, chunks=(2, 2), compression="gzip")
        else:
            file["V"] = V
    return "V.h5"


def make_h5ad(case, V):
    with h5py.File(case.folder / "V.h5ad", "w") as file:
        if case.chance(0.5):
            file["X"] = V
        else:
            group = file.create_group("X")
            group.attrs["encoding-type"] = "csr_matrix"
            group.attrs["shape"] = np.array(V.shape)
            put_sparse(group, sp.csr_matrix(V))
        for name, size in (("obs", V.shape[0]), ("var", V.shape[1])):
            group = file.create_group(name)
            group.attrs["_index"] = "_index"
            group["_index"] = [f"{name}{i}" for i in range(size)]
    return "V.h5ad"


def make_tenx(case, V):
    with h5py.File(case.folder / "V.h5", "w") as file:
        group = file.create_group("matrix")
        put_sparse(group, sp.csc_matrix(np.ceil(V)).astype("i4"))
        group["shape"] = np.array(V.shape, "i4")
        group["barcodes"] = np.array([f"B{j}" for j in range(V.shape[1])], dtype="S8")
        for name in ("id", "name", "feature_type"):
            group[f"features/{name}"] = np.array([f"{name}{i}" for i in range(V.shape[0])], dtype="S16")
    return "V.h5"


def png(gray):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    lines = b"".join(b"\0" + row.astype("u1").tobytes() for row in gray)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", gray.shape[1], gray.shape[0], 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def make_pictures(case, V, kind):
    folder = case.folder / "pictures"
    folder.mkdir()
    for name in ("a", "b", "c"):
        gray = case.random.integers(0, 255, (4, 3))
        if kind == "png":
            content = png(gray)
        elif case.chance(0.5):
            content = b"P5\n# made here\n3 4\n255\n" + gray.astype("u1").tobytes()
        else:
            content = ("P2 3 4\n255\n" + "\n".join(" ".join(map(str, row)) for row in gray) + "\n").encode()
        (folder / f"{name}.{kind}").write_bytes(content)
    return f"pictures/b.{kind}"


def make_model(case, V):
    np.save(case.folder / "V.npy", V)
    more = ["--algorithm", case.pick("mu", "fast", "svrmu", "hals-acc", "r-nmf", "onmf")]
    case.run("fit", "V.npy", "-k", 2, *more, "--epochs", 3, "--tol", 0, "-q", "--threads", 1, "-o", "model.h5", codes=DONE)
    return "model.h5"


MAKERS = {
    "npy": make_npy, "npz": make_npz, "mtx": make_mtx, "csv": make_csv, "mat5": make_mat5, "mat73": make_mat73,
    "h5": make_h5, "h5ad": make_h5ad, "tenx": make_tenx, "png": lambda case, V: make_pictures(case, V, "png"),
    "pgm": lambda case, V: make_pictures(case, V, "pgm"), "model": make_model,
}
FORMATS = (*MAKERS, "model", "model")  # which has most to break
TEXT = {"mtx", "csv", "pgm"}
COUNT = PER_FORMAT * len(FORMATS)
QUICK = range(10 * len(FORMATS))


def places_in_datasets(path):
    """The bytes of an HDF5 file that are numbers: few of all, but those that an answer is made of."""
    places = []

    def note(_, item):
        if isinstance(item, h5py.Dataset) and item.id.get_offset() is not None:
            places.extend(range(item.id.get_offset(), item.id.get_offset() + item.id.get_storage_size()))

    with h5py.File(path) as file:
        file.visititems(note)
    return places


def change(case, content, text, places):
    """One change of the bytes: anywhere, or at one of the places, or where something is."""
    content = bytearray(content)
    size = len(content)
    at = int(case.random.integers(0, max(size, 1)))
    if places and case.chance(0.4):
        at = min(places[int(case.random.integers(len(places)))], size - 1)
    elif size and case.chance(0.4):
        filled = np.flatnonzero(np.frombuffer(bytes(content), "u1"))
        at = int(filled[int(case.random.integers(len(filled)))]) if len(filled) else at
    length = case.integer(1, 40)
    kind = case.pick("bit", "bit", "byte", "number", "number", "cut", "remove", "repeat", "move", "text" if text else "bit")
    if not size:
        return content
    if kind == "bit":
        content[at] ^= 1 << int(case.random.integers(8))
    elif kind == "byte":
        content[at] = int(case.random.integers(256))
    elif kind == "number":
        width = case.pick(1, 2, 4, 8)
        value = (case.pick(*NUMBERS) + case.pick(0, 0, 1, -1)) % (1 << 8 * width)
        content[at:at + width] = value.to_bytes(width, case.pick("little", "big"))[:size - at]
    elif kind == "cut":
        del content[at:]
    elif kind == "remove":
        del content[at:at + length]
    elif kind == "repeat":
        content[at:at] = content[at:at + length] * case.integer(1, 50)
    elif kind == "move":
        to = int(case.random.integers(0, size))
        content[to:to + length] = content[at:at + length]
    else:
        content[at:at + case.integer(0, 8)] = case.pick(*TEXTS)
    return content


def change_contents(case, path):
    """One change by h5py: a file that HDF5 finds in order, and whose contents are not what was written."""
    with h5py.File(path, "r+") as file:
        groups = [file, *(file[name] for name in ("options", "data", "preprocessing", "resume", "resume/numbers") if name in file)]
        datasets = []
        file.visititems(lambda _, item: datasets.append(item) if isinstance(item, h5py.Dataset) and item.size else None)
        kind = case.pick("attribute", "attribute", "entry", "entry", "shape")
        if kind == "attribute":
            group = case.pick(*(group for group in groups if len(group.attrs)))
            name = case.pick(*sorted(group.attrs))
            group.attrs[name] = case.pick("", "nan", "inf", "-1", "0", "1", "7", "1e300", "1000000", "999999999999", "true", "\x1b[2J")
        elif kind == "entry":
            item = case.pick(*datasets)
            values = item[()]
            if values.dtype.kind in "fiu":
                values.flat[int(case.random.integers(values.size))] = case.pick(0, 1, 100)
                item[()] = values
        else:
            name = case.pick(*datasets).name
            shape, kind_of = file[name].shape, file[name].dtype
            del file[name]
            if kind_of.kind in "fiu" and case.chance(0.7):
                file.create_dataset(name, shape=[case.pick(0, 1, 1000, 10 ** 6)] * len(shape), dtype=kind_of, chunks=True)


def command(case, form, name):
    """Words of a run that reads the file, and the output that it makes."""
    if form == "model":
        return case.pick((["transform", name, "V.npy", "-o", "H.npy", "--force"], "H.npy"), (["top", name, "--json"], None),
                         (["fit", "V.npy", "--resume", name, "--epochs", "5", "-o", "again.h5", "--force"],
                          "again.h5"),
                         (["report", name, "-o", "page.html", "--force"], None), (["info", name, "--json"], None))
    target = name.split("/")[0] if form in ("png", "pgm") else name
    return case.pick((["info", target, "--json"], None), (["convert", target, "out.npy", "--force"], "out.npy"),
                     (["fit", target, "-k", "2", "--epochs", "2", "-o", "m.h5", "--force"], None))


def answer(case, words, output):
    """What the run gives: the same for the same content."""
    result = case.run(*words, memory=MEMORY, cpu=CPU_SECONDS)
    if result.code not in (DONE, NUMERICAL):
        return result, None
    if output is None:
        return result, result.out if words[0] == "top" else None
    if output.endswith(".h5"):
        model = oracle.Model(case.folder / output)
        return result, model.W.tobytes() + model.H.tobytes()
    return result, np.load(case.folder / output).tobytes()


def guarded(form):
    return form in ("model", "npz")


def case(case):
    form = FORMATS[case.number % len(FORMATS)]
    name = MAKERS[form](case, matrix(case))
    words, output = command(case, form, name)
    whole, before = answer(case, words, output)
    case.check(whole.code == DONE, f"{form}: the file that is not damaged: {whole.message()}")
    path = case.folder / name
    content = path.read_bytes()
    places = places_in_datasets(path) if form == "model" else []
    changed = content
    if form == "model" and case.chance(0.4):
        change_contents(case, path)
        changed = path.read_bytes()
    else:
        for _ in range(case.integer(1, 4)):
            changed = change(case, changed, form in TEXT, places)
        path.write_bytes(changed)
    try:
        result, after = answer(case, words, output)
    except Failed as error:
        raise Failed(f"{form}: {error}") from None
    case.no_leftovers()
    if result.code not in (DONE, NUMERICAL):
        known = (name, name.split("/")[0], "V.npy") if form == "model" else (name, name.split("/")[0])
        case.check(any(part in result.message() for part in known),
                   f"{form}: the message does not name the file: {result.message()}")
    elif guarded(form) and after is not None and bytes(changed) != content:
        case.check(after == before, f"{form}: the file is damaged, and {words[0]} gives another answer with exit code 0")
