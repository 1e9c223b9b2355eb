"""svrmu.anndata puts its answer where scanpy's functions put theirs."""

import numpy as np
import pytest

anndata = pytest.importorskip("anndata")

import svrmu  # noqa: E402
from support import counts, same_bits  # noqa: E402


def cells(sparse=True):
    X = counts()
    adata = anndata.AnnData((X if sparse else X.toarray()).astype(np.float32))
    adata.layers["scaled"] = adata.X * np.float32(2)
    adata.var["chosen"] = np.arange(adata.n_vars) % 3 != 0
    return adata


@pytest.mark.parametrize("sparse", [True, False])
def test_weights_components_and_parameters_are_kept(sparse):
    adata = cells(sparse)
    assert svrmu.anndata.nmf(adata, 3, seed=1) is None
    result = svrmu.fit(adata.X, 3, seed=1)
    assert same_bits(adata.obsm["nmf"], result.weights)
    assert same_bits(adata.varm["nmf"], np.ascontiguousarray(result.components.T))
    assert adata.uns["nmf"]["params"]["n_components"] == 3 and adata.uns["nmf"]["stop_reason"] == result.stop_reason


@pytest.mark.parametrize("mask", ["chosen", np.arange(40) % 3 != 0])
def test_variables_outside_the_mask_are_nan(mask):
    adata = cells()
    svrmu.anndata.nmf(adata, 3, mask_var=mask, seed=1)
    chosen = adata.var["chosen"].to_numpy()
    assert np.isnan(adata.varm["nmf"][~chosen]).all() and not np.isnan(adata.varm["nmf"][chosen]).any()
    assert same_bits(adata.obsm["nmf"], svrmu.fit(adata.X[:, chosen], 3, seed=1).weights)


def test_layer_key_and_copy():
    adata = cells()
    other = svrmu.anndata.nmf(adata, 2, layer="scaled", key_added="parts", copy=True, seed=1)
    assert "parts" not in adata.obsm
    assert same_bits(other.obsm["parts"], svrmu.fit(adata.layers["scaled"], 2, seed=1).weights)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("mask", [None, "chosen"])
def test_backed_data_give_the_same_bits(sparse, mask, tmp_path):
    adata = cells(sparse)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    svrmu.anndata.nmf(adata, 3, mask_var=mask, seed=1)
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    svrmu.anndata.nmf(backed, 3, mask_var=mask, seed=1)
    assert same_bits(backed.obsm["nmf"], adata.obsm["nmf"])
    if mask is None:
        svrmu.anndata.nmf(backed, 3, layer="scaled", seed=1)
        assert same_bits(backed.obsm["nmf"], svrmu.fit(adata.layers["scaled"], 3, seed=1).weights)


def test_answer_can_be_written_and_read(tmp_path):
    adata = cells()
    svrmu.anndata.nmf(adata, 3, mask_var="chosen", seed=1)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert same_bits(read.obsm["nmf"], adata.obsm["nmf"]) and read.uns["nmf"]["algorithm"]


@pytest.mark.parametrize("arguments, word", [
    (dict(layer="no"), "layer"), (dict(mask_var="no"), "mask_var"), (dict(mask_var=np.zeros(40, bool)), "False"),
    (dict(mask_var=np.ones(3, bool)), "40 variables"),
])
def test_what_is_not_there_is_told(arguments, word):
    with pytest.raises(svrmu.InvalidInput, match=word):
        svrmu.anndata.nmf(cells(), 2, **arguments)
