"""scikit-learn's own solvers by the library's algorithms: its order of steps and its rules for stopping."""

from __future__ import annotations

from typing import Any, Dict

#: Solvers that begin and stop as scikit-learn's do.
SKLEARN_SOLVERS = ("cd", "mu")


def sklearn_options(solver: str, tol: float) -> Dict[str, Any]:
    """What makes the library do as scikit-learn does; both move the weights first."""
    if solver == "cd":
        # With 0 it still ends where nothing moves any more; here 0 is "never".
        return {"algorithm": "hals", "initial_scaling": False, "relative_change": 0, "violation": tol or 5e-324}
    # It looks at the error at every tenth iteration.
    return {"algorithm": "mu", "evaluate_every": 10, "relative_change": 0, "error_fall": tol}


#: The options that end a fit, which a fit that goes on takes as well.
LIMITS = ("relative_change", "violation", "error_fall", "time_limit_seconds", "threads")
