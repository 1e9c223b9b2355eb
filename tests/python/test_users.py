"""Programs of others, with nothing changed but the patch. Each is skipped where it is not installed."""

import numpy as np
import pytest

from support import python


def has(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None


@pytest.mark.skipif(not has("librosa"), reason="librosa is not installed")
def test_librosa_decomposes_a_spectrogram():
    code = """
import sys
import numpy as np
import sklearn.decomposition
if sys.argv[1] == "patched":
    import svrmu
    svrmu.patch_sklearn()
import librosa
rng = np.random.default_rng(0)
S = np.asfortranarray(rng.random((257, 4)) @ rng.random((4, 120)))
parts, activations = librosa.decompose.decompose(S, n_components=4, sort=True)
print(np.linalg.norm(S - parts @ activations) / np.linalg.norm(S))
"""
    plain, patched = (float(python(code, how).stdout) for how in ("plain", "patched"))
    assert patched <= plain + 1e-3


@pytest.mark.skipif(not has("cnmf"), reason="cNMF is not installed")
def test_cnmf_finds_the_same_programs(tmp_path):
    code = """
import sys
import numpy as np, pandas
folder, how = sys.argv[1:]
if how == "patched":
    import sklearn.decomposition, svrmu
    svrmu.patch_sklearn()
from cnmf import cNMF
import cnmf.cnmf as module
if how == "patched":
    svrmu.unpatch_sklearn(); svrmu.patch_sklearn()
    assert module.non_negative_factorization is svrmu.non_negative_factorization
rng = np.random.default_rng(0)
usage = rng.dirichlet(np.full(4, 0.2), 150)
parts = rng.gamma(0.3, 1, (4, 300))
counts = pandas.DataFrame(rng.poisson(200 * usage @ (parts / parts.sum(1, keepdims=True))).astype(float) ,
                          index=[f"c{i}" for i in range(150)], columns=[f"g{i}" for i in range(300)])
counts = counts.loc[:, counts.sum() > 0]
counts.to_csv(folder + "/counts.tsv", sep="\\t")
c = cNMF(output_dir=folder, name=how)
c.prepare(counts_fn=folder + "/counts.tsv", components=[4], n_iter=6, seed=1, num_highvar_genes=200)
c.factorize()
c.combine()
c.consensus(4, density_threshold=2.0, show_clustering=False)
spectra = np.sort(np.load(c.paths["consensus_spectra"] % (4, "2_0"), allow_pickle=True)["data"].astype(float).sum(0))
np.save(folder + "/" + how + ".npy", spectra)
"""
    for how in ("plain", "patched"):
        done = python(code, tmp_path, how)
        assert done.returncode == 0, done.stderr[-3000:]
    plain, patched = (np.load(tmp_path / f"{how}.npy") for how in ("plain", "patched"))
    assert np.allclose(plain, patched, rtol=0.05, atol=0.01 * plain.max())
