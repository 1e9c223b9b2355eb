"""What a saved model claims, computed again from the saved factors and V, in extended precision.

Tolerances. A claim is made from sums of up to F N terms, each of which needs K products. In double their
rounding is far below 1e-6 of the result, except where the result itself is a difference of much larger
numbers: 1/2 ||V - WH||^2 near an exact fit. An entry of WH carries a relative error of about (K + 8) eps, so
the residual has one of (K + 8) eps ||V||, and the claim may differ by that times ||V - WH||, and by its
square. For float (eps = 2^-24) sums over entries are allowed 1e-3.

The floor. A claim is that of the iterate, whose entries are at least 2^-52 in working units; those at the floor are
written as zeros. Near an exact fit, where W is large or H is, that is more than rounding. So the iterate is made
again: what its loss differs by from that of the saved factors is allowed too.
"""

import h5py
import numpy as np
import scipy.sparse as sp

from torture import Failed

LONG = np.longdouble
RELATIVE = {"float64": LONG(1e-6), "float32": LONG(1e-3)}
COUNTS = (
    "epoch",
    "gradient_count",
    "columns_read",
    "columns_evaluated",
    "solver_seconds",
    "evaluate_seconds",
    "rollbacks",
)


def texts_of(group):
    """Its attributes. h5py gives texts of fixed length as bytes."""
    return {name: text.decode() for name, text in group.attrs.items()}


class Model:
    """A model file as h5py shows it."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.W, self.H = file["W"][:], file["H"][:]
            self.R = read_outliers(file)
            # Of the columns of W before they were normalized: penalties are those of W as it was.
            self.column_norms = file["column_norms"][:] if "column_norms" in file else None
            self.attributes = texts_of(file)
            self.options = texts_of(file["options"])
            self.history = {name: file["history"][name][:] for name in file["history"]}
            self.state = {name: texts_of(group) for name, group in (("resume", file.get("resume")),) if group}
        self.precision = str(self.W.dtype)
        self.returned = int(self.attributes["returned"])

    def number(self, name):
        return float(self.attributes[name])

    def claims(self, name):
        return float(self.history[name][self.returned])


def read_outliers(file):
    if "R" not in file:
        return None
    R = file["R"]
    if isinstance(R, h5py.Dataset):
        return R[:]
    return sp.csc_matrix((R["data"][:], R["indices"][:], R["indptr"][:]), shape=R["shape"][:]).toarray()


def beta_of(loss):
    return {"frobenius": 2.0, "kl": 1.0, "is": 0.0}[loss] if ":" not in loss else float(loss.split(":")[1])


def divergence(V, X, beta):
    """The loss, summed; infinite where V is positive and X is not."""
    V, X = V.astype(LONG), X.astype(LONG)
    if beta == 2:
        return ((V - X) ** 2).sum() / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if beta == 1:
            terms = np.where(V > 0, V * np.log(np.where(V > 0, V, 1) / X) - V + X, X)
        elif beta == 0:
            terms = V / X - np.log(V / X) - 1
        else:
            terms = (V ** LONG(beta) + (beta - 1) * X ** LONG(beta) - beta * V * X ** LONG(beta - 1)) / (beta * (beta - 1))
            terms = np.where((V == 0) & (X == 0), 0 if beta > 0 else np.inf, terms)
    return terms.sum()


def size_of(V, X, beta):
    """The size of the terms that cancel each other in the loss: its rounding is relative to that."""
    V, X = V.astype(LONG), X.astype(LONG)
    if beta == 2:
        return (V ** 2).sum() / 2
    if beta == 1:
        return (V + X).sum() + (V * np.abs(np.log(np.where(V > 0, V, 1) / np.where(X > 0, X, 1)))).sum()
    if beta == 0:
        return LONG(V.size)
    positive = np.where(X > 0, X, 1)
    return ((V ** LONG(beta) + positive ** LONG(beta)).sum()) / abs(beta * (beta - 1)) if beta > 0 else LONG(V.size)


def penalty(model, of):
    """Of the factors before they were normalized: fit.hpp promises that the objective is that of W diag(norms) and
    diag(1 / norms) H. The norms are needed: W and H as they are saved have other penalties."""
    X = (model.W if of == "w" else model.H).astype(LONG)
    if model.column_norms is not None and len(model.column_norms):
        norms = model.column_norms.astype(LONG)
        X = X * norms if of == "w" else X / norms[:, None]
    return LONG(model.number(f"l1_{of}")) * X.sum() + LONG(model.number(f"l2_{of}")) / 2 * (X ** 2).sum()


def product(model):
    X = model.W.astype(LONG) @ model.H.astype(LONG)
    return X if model.R is None else X + model.R.astype(LONG)


def recompute(model, V):
    """{"cost", "objective", "relative_error"} of the saved factors."""
    V = V.astype(LONG)
    X = product(model)
    cost = divergence(V, X, beta_of(model.attributes["loss"]))
    objective = cost + penalty(model, "w") + penalty(model, "h")
    if model.R is not None:
        objective += LONG(float(model.options["outlier_penalty"])) * model.R.astype(LONG).sum()
    return {"cost": cost, "objective": objective,
            "relative_error": np.sqrt(((V - X) ** 2).sum() / (V ** 2).sum())}


def product_at_floor(model):
    """WH + R of the iterate: zeros of W and H are at the floor there, before W was normalized."""
    W, H = model.W.astype(LONG), model.H.astype(LONG)
    norms = np.ones(W.shape[1], LONG)
    if model.column_norms is not None and len(model.column_norms):
        norms = model.column_norms.astype(LONG)
    floor_w, floor_h = (LONG(2.0 ** -52) / LONG(model.number(name)) for name in ("w_scale", "h_scale"))
    W, H = W * norms, H / np.where(norms > 0, norms, 1)[:, None]
    X = np.where(W > 0, W, floor_w) @ np.where(H > 0, H, floor_h)
    return X if model.R is None else X + model.R.astype(LONG)


def rounding_of_product(model):
    """Of an entry of WH, relative to V."""
    return (model.W.shape[1] + 8) * LONG(2.0 ** -52 if model.precision == "float64" else 2.0 ** -23)


def tolerances(model, V, found):
    V = V.astype(LONG)
    share = rounding_of_product(model)
    relative = RELATIVE[model.precision]
    beta = beta_of(model.attributes["loss"])
    X = product_at_floor(model)
    size, residual = np.sqrt((V ** 2).sum()), np.sqrt(((V - X) ** 2).sum())
    rounding = abs(divergence(V, X, beta) - found["cost"])
    if beta == 2:
        rounding += share * size * residual + (share * size) ** 2
    else:
        rounding += 4 * share * size_of(V, product(model), beta)
    return {"cost": relative * found["cost"] + rounding,
            "objective": relative * found["objective"] + rounding,
            "relative_error": relative * found["relative_error"] + share + abs(residual / size - found["relative_error"])}


def check_claims(model, V):
    """Everything that the model says of W, H and R, held against them and V."""
    F, N = V.shape
    K = int(model.attributes["rank"])
    if model.W.shape != (F, K) or model.H.shape != (K, N):
        raise Failed(f"W is {model.W.shape}, H is {model.H.shape} for V {V.shape} and rank {K}")
    for name in ("W", "H", "R"):
        X = getattr(model, name)
        if X is not None and not (np.isfinite(X).all() and (X >= 0).all()):
            raise Failed(f"{name} has entries that are negative or not finite")
    found = recompute(model, V)
    allowed = tolerances(model, V, found)
    for name, value in found.items():
        claimed = LONG(model.claims(name))
        if not abs(claimed - value) <= allowed[name]:
            raise Failed(f"{name} is claimed to be {claimed:.9g}, but that of the saved factors is {value:.9g}"
                         f" (allowed difference {allowed[name]:.2g})")
    if V.any() and not (model.W.any() and model.H.any()) and not penalized(model):
        raise Failed("W or H is zero everywhere, though V is not")
    return found


def penalized(model):
    return any(model.number(name) > 0 for name in ("l1_w", "l2_w", "l1_h", "l2_h")) or model.R is not None


def check_normalized(model):
    """Norm 1, the heaviest first. A weight is a product of two sums of nonnegative numbers, each rounded once to the
    precision when it was normalized (and to the least number that there is), so that two may change places only if they
    agree to that."""
    K = model.W.shape[1]
    if model.attributes["normalize"] != "true":
        if model.column_norms is not None and len(model.column_norms):
            raise Failed("there are norms of columns that were not normalized")
        return
    if model.column_norms is None or model.column_norms.shape != (K,) or not (model.column_norms > 0).all():
        raise Failed(f"the norms before normalizing are {model.column_norms}")
    eps = 1e-12 if model.precision == "float64" else 1e-5
    norms = np.sqrt((model.W.astype(LONG) ** 2).sum(axis=0))
    if not all(norm == 0 or abs(norm - 1) < eps for norm in norms):
        raise Failed(f"normalized columns of W have norms {norms.astype(float)}")
    of_w, of_h = model.W.astype(LONG).sum(axis=0), model.H.astype(LONG).sum(axis=1)
    weights = of_w * of_h
    info = np.finfo(model.precision)
    rounding = 4 * LONG(info.eps) * weights + of_w * model.H.shape[1] * LONG(info.smallest_subnormal)
    if (np.diff(weights) > rounding[1:] + rounding[:-1]).any():
        raise Failed(f"the components are not sorted by weight: {weights.astype(float)}")


def check_history(model, safeguarded, V):
    history = model.history
    for name in COUNTS:
        if (np.diff(history[name].astype(float)) < 0).any():
            raise Failed(f"history: {name} falls: {history[name].tolist()}")
    if (np.diff(history["epoch"]) <= 0).any():
        raise Failed(f"history: the epochs do not rise: {history['epoch'].tolist()}")
    objective = history["objective"]
    if not np.isfinite(objective[model.returned]):
        raise Failed("the objective of what is returned is not finite")
    eps = 2.0 ** -50 if model.precision == "float64" else 2.0 ** -20
    # Two fits that are exact but for the rounding of WH are equally good.
    exact = (rounding_of_product(model) * np.sqrt((V.astype(LONG) ** 2).sum())) ** 2 if beta_of(model.attributes["loss"]) == 2 else 0
    if safeguarded and objective[model.returned] > objective[0] * (1 + 1e3 * eps) + exact:
        raise Failed(f"the result is worse than the start: {objective[0]:.9g} -> {objective[model.returned]:.9g}")


def stops_at(model, i):
    """The rules that record i meets, by the documented ones."""
    history, rules = model.history, set()
    value = {name: history[name][i] for name in history}
    if not value["rolled_back"]:
        if 0 < model.number("kkt") and value["kkt"] <= model.number("kkt"):
            rules.add("kkt")
        if 0 < model.number("violation") and value.get("violation", np.nan) <= model.number("violation"):
            rules.add("violation")
        if i > 0 and model.number("error_fall") > 0:
            error = np.sqrt(2 * np.maximum(history["cost"], 0))
            if error[i - 1] - error[i] < model.number("error_fall") * error[0]:
                rules.add("error_fall")
        tolerance = model.number("relative_change")
        if i > 0 and tolerance > 0:
            fell = value["objective"] <= history["objective"][i - 1]
            eps = 2.0 ** -52 if model.precision == "float64" else 2.0 ** -23
            if (fell and value["relative_change"] < tolerance) or value["relative_error"] < 20 * eps:
                rules.add("relative_change")
    if 0 < model.number("gradient_budget") <= value["gradient_count"]:
        rules.add("gradient_budget")
    if value["solver_seconds"] >= model.number("time_limit_seconds"):
        rules.add("time_limit")
    if value["epoch"] >= model.number("max_epochs"):
        rules.add("epoch_limit")
    return rules


def check_stop(model):
    reason, last = model.attributes["stop_reason"], len(model.history["epoch"]) - 1
    for i in range(last):
        # Tolerances do not hold back a run that goes on, and the start is not judged by its change.
        met = stops_at(model, i) - {"kkt", "time_limit"}
        if met:
            raise Failed(f"record {i} of {last} meets {met}, but the run went on (reason {reason})")
    if reason in ("cancelled", "numerical_failure", "time_limit"):
        return
    if reason not in stops_at(model, last):
        raise Failed(f"the run says that it ended by {reason}, but its last record meets {stops_at(model, last)}")
