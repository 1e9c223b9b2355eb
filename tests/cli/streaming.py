"""Streams of columns for tests: the framing of docs/formats.md, in numpy, and runs of the program on them."""

import struct

import h5py
import numpy as np
import scipy.sparse

from program import CliTest

BATCH = ("--batch-size", 50)


def framed(V, block=7, dtype="<f4", end=True):
    """V, features x samples, dense or scipy's sparse, as bytes."""
    sparse = scipy.sparse.issparse(V)
    size = np.dtype(dtype).itemsize
    parts = [b"SVRMUCOL", struct.pack("<IIIIQ", 1, size, int(sparse), 4 if sparse else 0, V.shape[0])]
    for first in range(0, V.shape[1], block):
        part = V[:, first:first + block]
        parts.append(struct.pack("<Q", part.shape[1]))
        if sparse:
            part = part.tocsc()
            part.sort_indices()
            parts += [part.indptr.astype("<u4").tobytes(), part.indices.astype("<u4").tobytes(),
                      part.data.astype(dtype).tobytes()]
        else:
            parts.append(np.asarray(part, dtype).tobytes("F"))
    if end:
        parts.append(struct.pack("<QQ", 0, V.shape[1]))
    return b"".join(parts)


def low_rank(features=12, samples=900, rank=3, seed=5):
    rng = np.random.default_rng(seed)
    V = rng.gamma(0.6, size=(features, rank)) @ rng.gamma(0.6, size=(rank, samples)) + 0.01
    return V.astype("f4")


class StreamTest(CliTest):
    def fit(self, data, *arguments, **options):
        return self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "m.h5", *arguments, input=data, **options)

    def w(self, name="m.h5"):
        with h5py.File(self.folder / name) as file:
            return file["W"][()]

    def save(self, name, V):
        np.save(self.folder / name, V)
