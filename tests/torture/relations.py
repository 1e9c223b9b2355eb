"""Two runs whose answers must agree: to the bit, or to rounding where sums are added in another order.

Each case is of one relation, by its number. The relations that only a long run would break compare few epochs:
rounding grows from epoch to epoch, and a decision that falls otherwise makes another answer of it.
"""

import numpy as np

import fits
import matrices
import oracle
import rules
from torture import DONE, NUMERICAL, USAGE, Failed

COUNT = 20000
QUICK = range(100)

LONG = np.longdouble
BATCH = ("mu", "mu-acc", "hals", "hals-acc", "mu-ext")
# fast and hals-ext choose by what they measure of V; a decision at the edge falls otherwise by rounding.
STABLE = [*BATCH, "smu", "onmf", "svrmu", "asag-mu", "inc-mu", "inc-hals", "inmf", "sag-mu", "r-nmf", "r-svrmu"]


def draw(case, **options):
    """A fit that is not refused, with its input file."""
    while True:
        V, flags, facts, sparse = fits.draw(case, **options)
        if rules.refusal(flags, facts) is None:
            return V, flags, facts, sparse


def run_fit(case, name, flags, model, *more, threads=1):
    return case.run("fit", name, *fits.words(flags), "-o", model, "--threads", threads, "-q", *more,
                    codes=(DONE, NUMERICAL))


def same_bits(case, a, b, what):
    A, B = (oracle.Model(case.folder / name) for name in (a, b))
    for name in ("W", "H", "R"):
        X, Y = getattr(A, name), getattr(B, name)
        if (X is None) != (Y is None) or (X is not None and X.tobytes() != Y.tobytes()):
            apart = "" if X is None or Y is None or X.shape != Y.shape else f", at most {np.abs(X - Y).max():.3g} apart"
            raise Failed(f"{what}: {name} has other bits{apart}")
    return A, B


def product(model):
    return model.W.astype(LONG) @ model.H.astype(LONG)


def close(case, X, Y, what, model, epochs):
    """To rounding, which may grow tenfold in an epoch."""
    eps = LONG(2.0 ** -52 if model.precision == "float64" else 2.0 ** -23)
    allowed = min(eps * 10 ** (3 + LONG(epochs)), LONG(1e-2)) * np.sqrt((X ** 2).sum())
    apart = np.sqrt(((X - Y) ** 2).sum())
    case.check(apart <= allowed, f"{what}: WH differs by {apart / np.sqrt((X ** 2).sum()):.3g} of its size"
                                 f" ({apart / allowed:.3g} times what rounding explains)")


TOLERANCES = ("--tol", "--kkt-tol", "--violation-tol", "--error-tol")


def short(flags):
    """Few epochs, no tolerance: for relations that hold to rounding."""
    for flag in (*TOLERANCES, "--evaluate-every", "--restarts"):
        flags.pop(flag, None)
    flags |= {"--epochs": 3, "--tol": 0}
    return flags


def stable(case, flags):
    """Without what amplifies rounding, or is decided by a comparison that rounding can turn."""
    for flag in ("--h-rule", "--h-rule-limit", "--h-rule-limit-rule", "--h-rule-share", "--h-rule-tolerance",
                 "--inner-tolerance", "--inner-iterations", "--init", "--work-ratio"):
        flags.pop(flag, None)
    return short(flags)


def is_in_own_units(V):
    """Whether fits work with V as it is, or with V times a power of two."""
    return 1e-3 <= V.astype(LONG).mean() <= 1e6


def lost_to_zero(model):
    """What WH can lose where entries of W and H, before they are normalized, are below the least normal number."""
    norms = model.column_norms if model.column_norms is not None and len(model.column_norms) else np.ones(1)
    least = LONG(np.finfo(model.precision).tiny) * max(norms.max(), 1 / norms[norms > 0].min(initial=1))
    return least * (model.W.sum(dtype=LONG) * model.H.shape[1] + model.H.sum(dtype=LONG) * model.W.shape[0])


def scaled(case):
    """V scaled by a power of two: WH is scaled by it. Exactly, but for the least number that there is, if both are brought
    to the same units; otherwise the least entry that W and H may have is another share of V."""
    V, flags, facts, sparse = draw(case, scaled=False, penalties=False, algorithm=case.pick(*STABLE))
    stable(case, flags)
    flags.pop("--init-w", None), flags.pop("--init-h", None), flags.pop("--outlier-penalty", None)
    if flags.get("--outlier-start") == "uniform":
        flags.pop("--outlier-start")  # between 0 and 1 whatever V is
    V = V * V.dtype.type(2.0 ** case.pick(0, -30, 40))
    k = int(case.random.integers(-60, 61)) if V.dtype == np.float32 else int(case.random.integers(-450, 451))
    form = case.pick(*matrices.formats_for(V, sparse))
    name = fits.write_input(case, V, sparse, flags, form)
    U = V * V.dtype.type(2.0 ** k)
    if facts["denormal"] or fits.size_refusal(V, flags) or fits.size_refusal(U, flags):
        return
    matrices.write(case.folder / "U", U, form)
    run_fit(case, name, flags, "a.h5")
    run_fit(case, f"U.{form}", flags, "b.h5")
    A, B = (oracle.Model(case.folder / file) for file in ("a.h5", "b.h5"))
    X, Y = product(A), product(B) * LONG(2) ** -k
    if is_in_own_units(V) or is_in_own_units(U):
        # The guard 1e-9 of inmf knows no units, and rounding alone moves a component that has come to the floor.
        if flags["--algorithm"] == "inmf" or any(not model.H.any(axis=1).all() for model in (A, B)):
            return
        allowed = LONG(1e-6 if A.precision == "float64" else 1e-2) * np.sqrt((X ** 2).sum())
    else:
        allowed = sum(LONG(2) ** -scale * lost_to_zero(model) for model, scale in ((A, 0), (B, k)))
    apart = np.sqrt(((X - Y) ** 2).sum())
    case.check(apart <= allowed, f"V times 2^{k}: WH differs by {apart:.3g}, more than {allowed:.3g}")


def normalized(case):
    """--normalize moves weight between W and H, and changes neither WH nor the objective."""
    V, flags, facts, sparse = draw(case)
    flags.pop("--normalize", None)
    name = fits.write_input(case, V, sparse, flags)
    if fits.fit(case, V, flags, facts, name, "a.h5") is None:
        return
    fits.fit(case, V, flags | {"--normalize": None}, facts, name, "b.h5")
    A, B = (oracle.Model(case.folder / file) for file in ("a.h5", "b.h5"))
    close(case, product(A), product(B), "--normalize", A, 0)
    case.check(A.claims("objective") == B.claims("objective"), "--normalize changes the claimed objective")
    oracle.check_claims(B, V)


def permuted(case):
    """The samples in another order, from a given start: H in that order."""
    V, flags, facts, sparse = draw(case, scaled=False, algorithm=case.pick(*BATCH))
    stable(case, flags)
    K = int(flags["--rank"])
    flags |= {"--init-w": "init-w.npy", "--init-h": "init-h.npy"}
    W, H = case.random.random((V.shape[0], K)) + 0.1, case.random.random((K, V.shape[1])) + 0.1
    order = case.random.permutation(V.shape[1])
    np.save(case.folder / "init-w.npy", W)
    np.save(case.folder / "init-h.npy", H)
    np.save(case.folder / "other.npy", H[:, order])
    form = case.pick(*matrices.formats_for(V, sparse))
    name = fits.write_input(case, V, sparse, flags, form)
    matrices.write(case.folder / "U", V[:, order], form)
    run_fit(case, name, flags, "a.h5")
    run_fit(case, f"U.{form}", flags | {"--init-h": "other.npy"}, "b.h5")
    A, B = (oracle.Model(case.folder / file) for file in ("a.h5", "b.h5"))
    close(case, product(A)[:, order], product(B), "permuted samples", A, 3)


def stored(case):
    """The same values from every format: the same bits for one kind of storage, to rounding for two."""
    V, flags, facts, _ = draw(case, scaled=case.chance(0.3))
    if facts["denormal"] or fits.size_refusal(V, flags):
        return
    flags["--precision"] = str(V.dtype)
    stable(case, flags)
    first = {}
    for sparse in (False, True):
        for form in matrices.formats_for(V, sparse):
            name = fits.write_input(case, V, sparse, flags, form)
            run_fit(case, name, flags, f"{form}.h5")
            if sparse in first:
                same_bits(case, first[sparse], f"{form}.h5", f"{first[sparse][:-3]} and {form}")
            else:
                first[sparse] = f"{form}.h5"
    by_cost = ("mu-acc", "hals-acc")  # their inner updates are as many as a product with V costs
    if flags["--algorithm"] in set(STABLE) - set(by_cost) and "--outlier-start" not in flags:
        A, B = (oracle.Model(case.folder / first[sparse]) for sparse in (False, True))
        if B.options.get("outlier_update") != "multiplicative":  # R is on the pattern of a sparse V
            close(case, product(A), product(B), "dense and sparse", A, 3)


def threads(case):
    """Any number of threads gives the same bits."""
    V, flags, facts, sparse = draw(case)
    if case.chance(0.5):  # several tiles
        V = np.tile(V, (case.integer(1, 4), case.integer(1, 12)))
        flags.pop("--init-w", None), flags.pop("--init-h", None)
    name = fits.write_input(case, V, sparse, flags)
    if fits.fit(case, V, flags, facts | {"features": V.shape[0], "samples": V.shape[1]}, name, "a.h5") is None:
        return
    for count in (2, 3):
        run_fit(case, name, flags, f"{count}.h5", threads=count)
        same_bits(case, "a.h5", f"{count}.h5", f"{count} threads")


def go_on(case, model, epochs, more=()):
    return case.run("fit", "--resume", model, "--epochs", epochs, "-q", "--threads", 1, *more)


def resumed(case):
    """Stopped after some epochs and resumed: the bits of a run that never stopped."""
    V, flags, facts, sparse = draw(case)
    if "--restarts" in flags:  # a model does not keep the factors that its restarts would begin with
        flags.pop("--init-w", None), flags.pop("--init-h", None)
    epochs = case.integer(2, 30)
    stop = int(case.random.integers(0, epochs))
    stop -= stop % int(flags.get("--evaluate-every", 1))  # a limit between two evaluations adds one, which may undo epochs
    if case.chance(0.7):
        for flag in TOLERANCES:
            flags.pop(flag, None)
        flags["--tol"] = 0
    flags["--epochs"] = epochs
    name = fits.write_input(case, V, sparse, flags)
    if fits.fit(case, V, flags, facts, name, "whole.h5") is None:
        return
    run_fit(case, name, flags | {"--epochs": stop}, "part.h5")
    result = go_on(case, "part.h5", epochs)
    part = oracle.Model(case.folder / "part.h5")
    if result.code == USAGE and part.attributes["stop_reason"] != "epoch_limit":
        return  # the other limits had been reached before
    case.check(result.code in (DONE, NUMERICAL), f"resume after epoch {stop} of {epochs}: {result.message()}")
    whole = oracle.Model(case.folder / "whole.h5")
    if whole.history["epoch"][-1] <= stop and whole.attributes["stop_reason"] in (
            "relative_change", "kkt", "violation", "error_fall"):
        return  # arrived before the stop; resume goes beyond it
    same_bits(case, "whole.h5", "part.h5", f"stopped after epoch {stop} of {epochs} and resumed")
    oracle.check_claims(oracle.Model(case.folder / "part.h5"), V)


def timed(case):
    """Stopped by time in the middle of an epoch, with restarts or without, and resumed: the same bits."""
    V, flags, facts, sparse = draw(case, scaled=False)
    V = np.tile(V, (1, 20))
    for flag in ("--init-w", "--init-h", *TOLERANCES):
        flags.pop(flag, None)
    epochs = case.integer(1, 40)
    flags |= {"--epochs": epochs, "--tol": 0}
    name = fits.write_input(case, V, sparse, flags)
    run_fit(case, name, flags, "whole.h5")
    whole = oracle.Model(case.folder / "whole.h5")
    if whole.attributes["stop_reason"] != "epoch_limit":
        return
    total = max(float(whole.history["solver_seconds"][-1]), 1e-5) * int(flags.get("--restarts", 1))
    limit = total * case.between(0.01, 1.2)
    run_fit(case, name, flags, "part.h5", "--time-limit", f"{limit * 1000:.6f}ms")
    for _ in range(100):
        part = oracle.Model(case.folder / "part.h5")
        oracle.check_claims(part, V)
        # Time and epochs can be used up at once, and then there is nothing to go on with.
        used_up = part.history["epoch"][-1] >= epochs and not part.history["partial"][-1] and "--restarts" not in flags
        if part.attributes["stop_reason"] != "time_limit" or used_up:
            break
        case.run("fit", "--resume", "part.h5", "--time-limit", "100h", "-q", "--threads", 1, codes=(DONE, NUMERICAL))
    same_bits(case, "whole.h5", "part.h5", f"stopped after {limit * 1000:.3g} ms and resumed")
    case.check(oracle.Model(case.folder / "part.h5").attributes["seed"] == whole.attributes["seed"],
               "another seed won after resuming")


def transformed(case):
    """H of the training data under the model's W is not worse than the fitted one."""
    V, flags, facts, sparse = draw(case, scaled=case.chance(0.2))
    flags["--epochs"] = case.integer(5, 400)
    name = fits.write_input(case, V, sparse, flags)
    model = fits.fit(case, V, flags, facts, name)
    if model is None:
        return
    more = ["--save-r", "R.npy"] if model.R is not None else []
    case.run("transform", "m.h5", name, "-o", "H.npy", "-q", *more, codes=DONE)
    fitted = oracle.recompute(model, V)
    model.H = np.load(case.folder / "H.npy")
    case.check(np.isfinite(model.H).all() and (model.H >= 0).all(), "transform: H is negative or not finite")
    if more:
        model.R = np.load(case.folder / "R.npy")
    again = oracle.recompute(model, V)
    # Each sample ends when its projected gradient is small: within a thousandth of what the fit reached.
    slack = oracle.tolerances(model, V, fitted)["objective"] + LONG(1e-3) * fitted["objective"]
    slack += LONG(1e-6) * oracle.size_of(V, product(model), oracle.beta_of(model.attributes["loss"]))
    case.check(again["objective"] <= fitted["objective"] + slack,
               f"transform: the objective is {again['objective']:.6g}, that of the fitted H {fitted['objective']:.6g}")


RELATIONS = (scaled, normalized, permuted, stored, threads, resumed, resumed, timed, timed, transformed)


def case(case):
    RELATIONS[case.number % len(RELATIONS)](case)
    case.no_leftovers()
