#!/usr/bin/python3
"""Reads a model as a user of h5py would, and holds it against V: check_model.py model.h5 V.npy."""

import sys

try:
    import h5py
    import numpy as np
    import scipy.sparse as sp
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

V = np.load(sys.argv[2])
# The five lines of docs/model-file.md.
with h5py.File(sys.argv[1]) as model:
    W, H = model["W"][:], model["H"][:]
    names = model["feature_names"].asstr()[:]
    error = model["history/relative_error"][int(model.attrs["returned"])]
    print(model.attrs["algorithm"].decode(), model.attrs["loss"].decode(), W.shape, H.shape, error)

    R = np.zeros_like(V)
    if "R" in model and isinstance(model["R"], h5py.Dataset):
        R = model["R"][:]
    elif "R" in model:
        R = model["R"]
        R = sp.csc_matrix((R["data"][:], R["indices"][:], R["indptr"][:]), shape=R["shape"][:]).toarray()
    history = model["history"]
    assert len({len(history[name]) for name in history}) == 1
    assert model.attrs["format"].decode() == "svrmu model" and int(model.attrs["format_version"]) == 2
    assert model["options"].attrs["solver"] == model.attrs["algorithm"]
    assert model.userblock_size == 512

rank = W.shape[1]
assert W.shape == (V.shape[0], rank) and H.shape == (rank, V.shape[1])
assert list(names) == [f"käse {i}" for i in range(V.shape[0])]
found = np.linalg.norm(V - W @ H - R) / np.linalg.norm(V)
assert abs(found - error) < 1e-9 * error, (found, error)
