"""Pictures of components and history."""

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import svrmu  # noqa: E402
from support import low_rank  # noqa: E402


def test_components_are_curves_pictures_or_bars():
    result = svrmu.fit(low_rank(), 3)
    curves = svrmu.plot.components(result)
    assert np.array_equal(curves.axes[1].lines[0].get_ydata(), result.components[1])
    pictures = svrmu.plot.components(result, image=(5, 5))
    assert pictures.axes[0].images[0].get_array().shape == (5, 5)
    bars = svrmu.plot.components(result, names=[f"f{i}" for i in range(25)], top=4)
    assert len(bars.axes[0].patches) == 4
    assert svrmu.plot.components(svrmu.NMF(7).fit(low_rank())).axes[6].lines


def test_history_is_drawn():
    result = svrmu.fit(low_rank(), 3)
    axis = svrmu.plot.history(result).axes[0]
    assert np.array_equal(axis.lines[0].get_ydata(), result.history["objective"])
    assert svrmu.plot.history(svrmu.NMF(3).fit(low_rank()), field="relative_error", by="solver_seconds")


@pytest.mark.parametrize("draw", [
    lambda result: svrmu.plot.components(result, image=(4, 4)),
    lambda result: svrmu.plot.components(result, names=["a"]),
    lambda result: svrmu.plot.history(result, field="no"),
])
def test_what_does_not_fit_is_refused(draw):
    with pytest.raises(ValueError):
        draw(svrmu.fit(low_rank(), 3))
