"""What blocks of the documents take for granted: a user's files, programs and variables, made up."""

import os

import numpy as np
import scipy.io
import scipy.sparse

import svrmu

SENSOR = """#!/usr/bin/env bash
for ((sample = 0; sample < 300; ++sample)); do
  for ((feature = 0; feature < 40; ++feature)); do printf '%d,' $((sample * feature % 7 + feature % 3)); done; echo 1
done
"""


def low_rank(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((rows, 5)) @ rng.random((5, columns)) + 0.1 * rng.random((rows, columns))


def sparse(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(3, (rows, columns)) * (rng.random((rows, columns)) < 0.3)
    counts[0], counts[:, 0] = 1, 1  # no empty row or column
    return scipy.sparse.coo_matrix(counts.astype(float))


def write_files(folder):
    """The files that commands of the documents read."""
    scipy.io.mmwrite(folder / "counts.mtx", sparse(60, 80))
    scipy.io.mmwrite(folder / "new.mtx", sparse(60, 10, seed=1))
    scipy.io.mmwrite(folder / "news.mtx", sparse(70, 60))
    scipy.io.mmwrite(folder / "today.mtx", sparse(30, 41))  # samples in rows, as the lines of sensor
    np.save(folder / "faces.npy", low_rank(361, 60))
    np.save(folder / "V.npy", low_rank(40, 60))
    scipy.io.savemat(folder / "CBCL_Face.mat", {"V": low_rank(361, 60)})
    scipy.io.savemat(folder / "Reuters21578.mat", {"fea": sparse(60, 50).tocsc()})
    svrmu.fit(low_rank(30, 20), 3).save(folder / "model.h5")
    (folder / "sensor").write_text(SENSOR)
    os.chmod(folder / "sensor", 0o755)
    (folder / "triples.csv").write_text("row,column,value\n" + "".join(f"{i},{i * 3 % 8},{i + 1}\n" for i in range(12)))


def variables(page, folder):
    """The variables that Python blocks of a page begin with."""
    if page == "docs/formats.md":
        blocks = [low_rank(30, 5), low_rank(30, 7)]
        return {"out": open(folder / "stream.svrmucol", "wb"), "features": 30, "blocks": blocks, "columns": 0}
    return {"X": low_rank(100, 40), "new": low_rank(10, 40, seed=1)}
