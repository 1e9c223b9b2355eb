"""The data sets: each is made once, kept as a file that every system reads, and described by what makes it.

V is features x samples. Dense V is stored column by column (`.npy`), sparse V by columns (`.npz`).
"""

import dataclasses
import glob
import pathlib
import subprocess

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer


class Absent(Exception):
    """The set cannot be made here; the message says what is missing."""


@dataclasses.dataclass(frozen=True)
class DataSet:
    name: str
    what: str
    rank: int
    make: object  # (shared folder, generator) -> V
    dtype: str = "float64"
    minutes: float = 5  # of the whole benchmark, for the rivals: ours need a few more
    call_seconds: float = 60  # longest single call of a rival


@dataclasses.dataclass
class Loaded:
    """A set with its values, as the runner and the recomputed objectives need them."""

    spec: DataSet
    V: object  # ndarray (Fortran order) or csc_matrix
    path: pathlib.Path

    @property
    def sparse(self):
        return scipy.sparse.issparse(self.V)

    @property
    def features(self):
        return self.V.shape[0]

    @property
    def samples(self):
        return self.V.shape[1]

    @property
    def stored(self):
        return self.V.nnz if self.sparse else self.V.size

    def title(self):
        entries = f", {self.stored} entries" if self.sparse else ""
        single = " float32" if self.spec.dtype == "float32" else ""
        return f"{self.spec.name}: {self.features} x {self.samples}{single}{entries}, K = {self.spec.rank}, {self.spec.what}"


def half_normal(random, rows, columns, density):
    return np.abs(random.standard_normal((rows, columns))) * (random.random((rows, columns)) < density)


def uniform(random, rows, columns, density):
    return random.random((rows, columns)) * (random.random((rows, columns)) < density)


def with_relative_noise(V, share, random):
    """Normal noise whose norm is a share of V's, cut at zero."""
    size = share * np.sqrt(np.mean(V[:, :1000] ** 2))
    for begin in range(0, V.shape[1], 1000):
        block = V[:, begin : begin + 1000]
        block += size * random.standard_normal(block.shape)
        np.maximum(block, 0, out=block)
    return V


def paper(_, random):
    """The paper's synthetic data, scaled by the largest entry: half-normal factors of variance 1/sqrt(K)."""
    W, H = (10**-0.25 * half_normal(random, *shape, 1) for shape in ((300, 10), (10, 1000)))
    V = W @ H
    return V / V.max()


def low_rank(features, samples, rank, density, dtype):
    def make(_, random):
        W = uniform(random, features, rank, density).astype(dtype)
        V = np.empty((features, samples), dtype=dtype, order="F")
        for begin in range(0, samples, 1000):
            block = V[:, begin : begin + 1000]
            block[:] = W @ uniform(random, rank, block.shape[1], density).astype(dtype)
            block += 0.05 * random.random(block.shape, dtype=dtype)
        return V

    return make


def power_law(_, random):
    weights = 1 / np.arange(1, 151)
    V = np.asfortranarray((half_normal(random, 1500, 150, 1) * weights) @ half_normal(random, 150, 8000, 1))
    return with_relative_noise(V, 0.5, random)


def parts(_, random):
    V = np.asfortranarray(half_normal(random, 1200, 40, 0.1) @ half_normal(random, 40, 10000, 0.1))
    return with_relative_noise(V, 0.1, random)


def from_matlab(shared, name, member):
    path = pathlib.Path(shared) / name
    if not path.exists():
        raise Absent(f"{path} is not there; --shared FOLDER or SVRMU_BENCH_DATA says where it lies")
    return scipy.io.loadmat(path)[member]


def faces(shared, _):
    return np.asfortranarray(from_matlab(shared, "CBCL_Face.mat", "M").astype(float))


def tf_idf(counts):
    """Documents x terms to V."""
    return scipy.sparse.csc_matrix(TfidfTransformer().fit_transform(scipy.sparse.csr_matrix(counts, dtype=float)).T)


def reuters(shared, _):
    return tf_idf(from_matlab(shared, "Reuters21578.mat", "fea"))


def fields(record):
    found, key = {}, None
    for line in record.split("\n"):
        if line[:1] in " \t":
            found[key] = found.get(key, "") + line
        else:
            key, _, found_value = line.partition(":")
            found[key] = found_value
    return found


def records(text):
    return (fields(record) for record in text.strip().split("\n\n"))


def output_of(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True).stdout.decode(errors="replace")
    except (OSError, subprocess.CalledProcessError) as error:
        raise Absent(f"{' '.join(command)} does not work here: {error}") from error


def package_descriptions(*_):
    """TF-IDF of the words that occur in two packages or more. Long descriptions are in where apt has them."""
    packages = list(records(output_of("apt-cache", "dumpavail")))
    if len(packages) < 1000:
        raise Absent("apt-cache dumpavail knows too few packages; run apt-get update")
    long = {}
    for path in sorted(glob.glob("/var/lib/apt/lists/*Translation-en*")):
        for entry in records(output_of("/usr/lib/apt/apt-helper", "cat-file", path)):
            long[entry.get("Description-md5", "").strip()] = entry.get("Description-en", "")
    texts = [long.get(p.get("Description-md5", "").strip()) or p.get("Description", "") for p in packages]
    return scipy.sparse.csc_matrix(TfidfVectorizer(min_df=2).fit_transform(texts).T)


ALL = {
    s.name: s
    for s in (
        DataSet("paper", "half-normal factors, noise-free", 10, paper, minutes=2, call_seconds=20),
        DataSet("lowrank", "uniform factors, half of them zero, + 0.05 U(0, 1)", 20,
                low_rank(1000, 20000, 20, 0.5, np.float64), minutes=6),
        DataSet("powerlaw", "150 power-law components + 50 % noise", 30, power_law, minutes=7),
        DataSet("parts", "half-normal factors, 10 % dense, + 10 % noise", 40, parts, minutes=6),
        DataSet("cbcl", "CBCL faces", 49, faces, minutes=7, call_seconds=60),
        DataSet("reuters", "Reuters-21578, TF-IDF", 30, reuters, minutes=5, call_seconds=30),
        DataSet("debian", "Debian's package descriptions, TF-IDF", 50, package_descriptions, minutes=6),
        DataSet("large", "uniform factors, half of them zero, + 0.05 U(0, 1)", 50,
                low_rank(2000, 100000, 50, 0.5, np.float32), dtype="float32", minutes=12, call_seconds=120),
        # Of the same kind as lowrank, but harder: no zero tells the parts apart. Only when asked for.
        DataSet("lowrank-full", "uniform factors without zeros, + 0.05 U(0, 1)", 20,
                low_rank(1000, 20000, 20, 1, np.float64), minutes=7),
    )
}
DEFAULT = [name for name in ALL if name != "lowrank-full"]
QUICK = ["paper", "lowrank", "cbcl", "reuters"]
QUICK_MINUTES = {"paper": 0.3, "lowrank": 1.4, "cbcl": 1.0, "reuters": 0.8}


def load(name, cache, shared):
    """Makes the set, or reads it from the cache of an earlier run. What is installed or given may change: no cache for it."""
    spec = ALL[name]
    cache.mkdir(parents=True, exist_ok=True)
    generated = spec.make not in (faces, reuters, package_descriptions)
    path = cache / f"{name}.npy"
    if generated and path.exists():
        return Loaded(spec, np.load(path), path)
    V = spec.make(shared, np.random.default_rng(1))
    if scipy.sparse.issparse(V):
        V.sort_indices()
        path = cache / f"{name}.npz"
        scipy.sparse.save_npz(path, V, compressed=False)
    else:
        V = np.asfortranarray(V, dtype=spec.dtype)
        np.save(path, V)
    return Loaded(spec, V, path)


def random_start(data, seed):
    """W and H ~ U(0, 1), scaled so that WH has the mean of V: what every system that takes a start is given."""
    random = np.random.default_rng(seed)
    mean = data.V.sum(dtype=float) / (data.features * data.samples)
    scale = 2 * np.sqrt(mean / data.spec.rank)
    W = scale * random.random((data.features, data.spec.rank))
    H = scale * random.random((data.spec.rank, data.samples))
    return W.astype(data.spec.dtype), H.astype(data.spec.dtype)
