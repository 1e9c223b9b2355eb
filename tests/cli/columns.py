"""Columns for tests of streams: the framing of docs/formats.md, in numpy."""

import struct

import numpy as np
import scipy.sparse


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
