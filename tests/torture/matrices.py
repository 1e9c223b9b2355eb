"""Random matrices of every kind that a fit should stand, and the files that hold them."""

import numpy as np
import scipy.io
import scipy.sparse as sp

LEAST = {"float64": 2.0 ** -1074, "float32": 2.0 ** -149}
MOST_EXPONENT = {"float64": 900, "float32": 100}

DENSE_FORMATS = ("c.npy", "f.npy", "dense.npz", "array.mtx", "csv")
SPARSE_FORMATS = ("csc32.npz", "csc64.npz", "csr32.npz", "csr64.npz", "coo.npz", "coordinate.mtx")


def draw(case, precision, positive=False, scaled=True, features=60, samples=80):
    """V in the precision, with facts about it: {"exponent": k, "denormal": bool}."""
    F, N = case.integer(1, features), case.integer(1, samples)
    K = case.integer(1, 6)
    kind = case.pick("product", "product", "uniform", "counts", "exact")
    if kind == "uniform":
        V = case.random.random((F, N))
    elif kind == "counts":
        V = case.random.poisson(2, (F, N)).astype(float)
    else:
        V = case.random.gamma(0.7, size=(F, K)) @ case.random.gamma(0.7, size=(K, N))
        if kind == "product":
            V *= case.random.uniform(0.7, 1.3, V.shape)
    if positive:
        V += 0.01
    else:
        if case.chance(0.3):
            V *= case.random.random(V.shape) < case.pick(0.05, 0.3, 0.8)
        if case.chance(0.2):
            V[case.random.random(F) < 0.2] = 0
        if case.chance(0.2):
            V[:, case.random.random(N) < 0.2] = 0
    if not V.any():
        V[0, 0] = 1
    facts = {"exponent": 0, "denormal": False}
    if scaled and case.chance(0.4):
        most = MOST_EXPONENT[precision]
        facts["exponent"] = int(case.random.integers(-most, most + 1))
        V = V * 2.0 ** facts["exponent"]
    elif scaled and case.chance(0.08):
        facts["denormal"] = True
        V = np.ceil(8 * V / V.max()) * LEAST[precision]
    V = V.astype(precision)
    if positive:
        V = np.maximum(V, V.max() * 1e-6).astype(precision)
    return V, facts


def formats_for(V, sparse):
    return SPARSE_FORMATS if sparse else DENSE_FORMATS


def write(path, V, form):
    """V as the file path.form; text has all digits. Returns the file's name."""
    name = f"{path}.{form}"
    if form in ("c.npy", "f.npy"):
        np.save(name, np.asfortranarray(V) if form == "f.npy" else np.ascontiguousarray(V))
    elif form == "dense.npz":
        np.savez_compressed(name, V)
    elif form == "array.mtx":
        lines = ["%%MatrixMarket matrix array real general", f"{V.shape[0]} {V.shape[1]}"]
        lines += [repr(float(value)) for value in V.T.ravel()]
        open(name, "w").write("\n".join(lines) + "\n")
    elif form == "csv":
        # A header keeps a first row of numbers from being taken for one.
        lines = [",".join([""] + [f"s{j}" for j in range(V.shape[1])])]
        lines += [",".join([f"f{i}", *map(repr, map(float, row))]) for i, row in enumerate(V)]
        open(name, "w").write("\n".join(lines) + "\n")
    elif form == "coordinate.mtx":
        C = sp.coo_matrix(V)
        lines = ["%%MatrixMarket matrix coordinate real general", f"{V.shape[0]} {V.shape[1]} {C.nnz}"]
        lines += [f"{i + 1} {j + 1} {float(value)!r}" for i, j, value in zip(C.row, C.col, C.data)]
        open(name, "w").write("\n".join(lines) + "\n")
    else:
        kind, width = form[:3], np.int64 if "64" in form else np.int32
        S = sp.coo_matrix(V).asformat(kind)
        if kind != "coo":
            S.indices, S.indptr = S.indices.astype(width), S.indptr.astype(width)
        sp.save_npz(name, S)
    return name


def read_result(path):
    """A factor that the program saved."""
    if str(path).endswith(".npy"):
        return np.load(path)
    return np.asarray(scipy.io.mmread(path).todense())
