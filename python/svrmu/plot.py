"""Pictures of results, by matplotlib."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("svrmu.plot needs matplotlib, which is not installed") from None
    return pyplot


def _components_of(model: Any) -> Any:
    for name in ("components", "components_"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name))
    return np.atleast_2d(np.asarray(model))


def components(
    model: Any,
    *,
    image: Optional[Tuple[int, int]] = None,
    names: Optional[Any] = None,
    top: int = 10,
    columns: int = 5,
) -> Any:
    """Draws the components.

    Parameters
    ----------
    model : Result, estimator or array of shape (n_components, n_features)
        Whose components.
    image : (int, int), optional
        Height and width: features are the pixels of pictures, row by row.
    names : sequence of str, optional
        Names of the features: each component is drawn as bars of its strongest ones.
    top : int, default=10
        How many of them.
    columns : int, default=5
        Components per line.

    Returns
    -------
    matplotlib.figure.Figure
        With neither `image` nor `names`, each component is a curve over the features.
    """
    pyplot = _pyplot()
    parts = _components_of(model)
    if image is not None and image[0] * image[1] != parts.shape[1]:
        raise ValueError(f"image is {image[0]} x {image[1]}, but there are {parts.shape[1]} features")
    if names is None and image is None:
        found = getattr(model, "feature_names", None)
        names = found if found is not None and len(found) else None
    if names is not None and len(names) != parts.shape[1]:
        raise ValueError(f"there are {len(names)} names, but {parts.shape[1]} features")
    columns = max(1, min(columns, len(parts)))
    lines = -(-len(parts) // columns)
    size = (2.0 if image is not None else 3.2) * columns, (2.0 if image is not None else 2.6) * lines
    figure, axes = pyplot.subplots(lines, columns, figsize=size, squeeze=False, layout="constrained")
    for k, axis in enumerate(axes.flat):
        if k >= len(parts):
            axis.axis("off")
            continue
        axis.set_title(str(k), fontsize="small")
        if image is not None:
            axis.imshow(parts[k].reshape(image), cmap="gray_r")
            axis.axis("off")
        elif names is not None:
            strongest = np.argsort(-parts[k], kind="stable")[:top][::-1]
            axis.barh([str(names[i]) for i in strongest], parts[k][strongest])
        else:
            axis.plot(parts[k])
    return figure


def history(model: Any, *, field: str = "objective", by: str = "epoch") -> Any:
    """Draws how the objective fell.

    Parameters
    ----------
    model : Result or estimator
        Whose history.
    field : str, default='objective'
        A field of `svrmu.Record`.
    by : {'epoch', 'solver_seconds', 'gradient_count'}, default='epoch'
        What it is drawn over.

    Returns
    -------
    matplotlib.figure.Figure
    """
    pyplot = _pyplot()
    records = model.history if hasattr(model, "history") else model.history_
    for name in (field, by):
        if name not in records.dtype.names:
            raise ValueError(f"{name!r} is no field of the history; it has {', '.join(records.dtype.names)}")
    figure, axis = pyplot.subplots(layout="constrained")
    axis.plot(records[by], records[field], marker=".")
    axis.set_xlabel(by.replace("_", " "))
    axis.set_ylabel(field.replace("_", " "))
    if np.all(records[field] > 0):
        axis.set_yscale("log")
    return figure
