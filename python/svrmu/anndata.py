"""NMF of AnnData, with the arguments of scanpy's functions."""

from __future__ import annotations

import logging
from typing import Any, Optional

import numpy as np

from ._errors import InvalidInput
from ._fit import fit
from ._fit import open as open_matrix
from ._result import Result

log = logging.getLogger("svrmu")


def _mask(adata: Any, mask_var: Any) -> Optional[Any]:
    if mask_var is None:
        return None
    if isinstance(mask_var, str):
        if mask_var not in adata.var:
            raise InvalidInput(f"mask_var is {mask_var!r}, but adata.var has no such column")
        mask_var = adata.var[mask_var]
    mask = np.asarray(mask_var)
    if mask.dtype != bool or mask.shape != (adata.n_vars,):
        raise InvalidInput(f"mask_var must say True or False for each of the {adata.n_vars} variables")
    if not mask.any():
        raise InvalidInput("mask_var is False for every variable")
    return mask


def _data(adata: Any, layer: Optional[str], mask: Optional[Any]) -> Any:
    """What is to be factorized: our reader's where the file has it, else the matrix in memory."""
    if layer is not None and layer not in adata.layers:
        raise InvalidInput(f"layer is {layer!r}, but adata.layers has no such layer")
    backed = bool(getattr(adata, "isbacked", False)) and not adata.is_view
    if backed and mask is None:
        return open_matrix(f"{adata.filename}:{'X' if layer is None else 'layers/' + layer}", samples="rows")
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise InvalidInput("adata.X is empty; name a layer")
    if mask is not None:
        X = X[:, mask]
        log.info("X is copied: mask_var leaves %d of %d variables", int(mask.sum()), len(mask))
    if backed and hasattr(X, "to_memory"):
        X = X.to_memory()
    return X


def nmf(
    adata: Any,
    n_components: int,
    *,
    layer: Optional[str] = None,
    mask_var: Any = None,
    key_added: str = "nmf",
    copy: bool = False,
    **options: Any,
) -> Any:
    """Factorizes the cells x genes of an AnnData.

    Parameters
    ----------
    adata : anndata.AnnData
        In memory, dense or sparse, or backed by a file.
    n_components : int
        The number of components.
    layer : str, optional
        The layer to take in the place of ``adata.X``.
    mask_var : str or array of bool, optional
        The variables to take; a str names a column of ``adata.var``.
    key_added : str, default='nmf'
        Where the answer is put.
    copy : bool, default=False
        Return a copy that has the answer, and leave `adata` as it is.
    **options
        As for `svrmu.fit`: ``loss``, ``seed``, ``algorithm``, ``max_epochs``, ``progress``, ...

    Returns
    -------
    AnnData or None
        With ``obsm[key_added]`` (weights, cells x K), ``varm[key_added]`` (components, genes x K, NaN outside
        the mask) and ``uns[key_added]`` (parameters, history and why it ended).
    """
    if copy:
        adata = adata.copy() if not getattr(adata, "isbacked", False) else adata.to_memory()
    mask = _mask(adata, mask_var)
    result: Result = fit(_data(adata, layer, mask), n_components, **options)
    if result.n_samples != adata.n_obs:
        raise InvalidInput(f"the file has {result.n_samples} samples, but adata has {adata.n_obs} cells")

    parts = np.asarray(result.components).T
    if mask is not None:
        wide = np.full((adata.n_vars, result.n_components), np.nan, parts.dtype)
        wide[mask] = parts
        parts = wide
    history = result.history
    adata.obsm[key_added] = np.array(result.weights)
    adata.varm[key_added] = np.ascontiguousarray(parts)
    adata.uns[key_added] = {
        "params": {
            "n_components": int(n_components),
            "layer": layer or "",
            "mask_var": mask_var if isinstance(mask_var, str) else "",
            **{name: str(value) for name, value in options.items() if not callable(value)},
        },
        "algorithm": result.algorithm,
        "loss": result.loss,
        "stop_reason": result.stop_reason,
        "relative_error": result.relative_error,
        "explained": result.explained,
        "objective": history["objective"].copy(),
        "epoch": history["epoch"].copy(),
    }
    return adata if copy else None
