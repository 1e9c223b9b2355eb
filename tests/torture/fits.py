"""Random fits; everything that their results claim is computed again from the saved files."""

import numpy as np

import matrices
import oracle
import rules
from torture import BAD_INPUT, DONE, NUMERICAL, Failed, catalog

COUNT = 100000
QUICK = range(152)

# What an option may cost: most are repeats of something, and a small fit can afford few.
MOST_REPEATS = 12
SIZES = {"batch_size", "subset_size", "sketch_size"}
LOSSES = ("frobenius", "frobenius", "frobenius", "kl", "kl", "is", "beta:0.5", "beta:1.5", "beta:-0.5", "beta:3")
STARTS = ("automatic", "random", "svd-abs", "nndsvd", "nndsvda", "nndsvdar", "frobenius")


def option_value(case, option, V):
    """A value within the range that the catalog states."""
    name, kind = option["name"], option["type"]
    if kind == "choice":
        return case.pick(*option["choices"]).replace("_", "-")
    least, most = option.get("least"), option.get("most")
    if name == "outlier_penalty":
        return repr(max(float(V.max()) * case.log_between(1e-3, 2), 1e-307))
    if kind == "integer":
        if name in SIZES:
            return case.integer(int(least), int(case.pick(10, 100, most)))
        return case.integer(int(least), min(int(most), MOST_REPEATS))
    if case.chance(0.15):
        return repr(case.pick(least, most))
    return repr(case.log_between(max(least, 1e-6), min(most, 10.0)))


def draw_options(case, algorithm, V, share=0.3):
    flags = {}
    for option in catalog()[algorithm]:
        if not case.chance(share):
            continue
        if option["type"] == "boolean":
            flags[option["flag"] if case.chance(0.5) else option["flag"].replace("--", "--no-", 1)] = None
        else:
            flags[option["flag"]] = option_value(case, option, V)
    # Work that h_rule_limit bounds: a ratio of a million would take hours.
    if float(flags.get("--work-ratio", 0)) > 100:
        flags["--work-ratio"] = "100"
    return flags


def draw_penalties(case, V, beta):
    """Of a size that matters: in units where mean(V) is 1 they are between 1e-4 and 1."""
    mean = V.astype(np.longdouble).mean()
    flags = {}
    for flag, power in (("--l1-w", beta - 0.5), ("--l2-w", beta - 1), ("--l1-h", beta - 0.5), ("--l2-h", beta - 1)):
        if case.chance(0.5):
            size = mean ** np.longdouble(power) * np.longdouble(case.log_between(1e-4, 1))
            if 1e-290 < size < 1e290:
                flags[flag] = repr(float(size))
    return flags


def draw_start(case, V, K, flags):
    """Files for --init-w and --init-h, of the size that a start should have."""
    root = np.sqrt(V.astype(np.longdouble).mean())
    for flag, shape, share in (("--init-w", (V.shape[0], K), 0.7), ("--init-h", (K, V.shape[1]), 0.7)):
        if case.chance(share):
            name = f"{flag[2:]}.npy"
            X = (case.random.random(shape) * 0.9 + 0.1) * root * 2 / np.sqrt(K)
            np.save(case.folder / name, X.astype(np.float64))
            flags[flag] = name


def draw_end(case, flags):
    flags["--epochs"] = case.integer(1, 40)
    if case.chance(0.7):
        flags["--tol"] = case.pick("0", "0", "1e-3", "1e-6", "0.1")
    if case.chance(0.2):
        flags["--kkt-tol"] = case.pick("0.1", "0.01", "1e-6")
    if flags["--algorithm"] in rules.MEASURE_VIOLATION and case.chance(0.5):
        flags["--violation-tol"] = case.pick("0.3", "0.01", "1e-5")
    if case.chance(0.2):
        flags["--error-tol"] = case.pick("0.1", "1e-3", "1e-6")
    if case.chance(0.2):
        flags["--evaluate-every"] = case.integer(1, 7)


def draw(case, scaled=True, lossy=True, penalties=True, algorithm=None):
    """(V, flags, facts, sparse) of a fit."""
    algorithm = algorithm or case.pick(*catalog())
    precision = case.pick("float64", "float64", "float32")
    flags = {"--algorithm": algorithm}
    if lossy and algorithm in rules.EVERY_LOSS and case.chance(0.7):
        flags["--loss"] = case.pick(*LOSSES)
    beta = rules.beta(flags)
    V, facts = matrices.draw(case, precision, positive=beta <= 0 and case.chance(0.9), scaled=scaled)
    facts |= {"features": V.shape[0], "samples": V.shape[1], "zeros": bool((V == 0).any()), "all_zero": not V.any()}
    K = case.integer(1, 8)
    flags |= {"--rank": K, "--seed": int(case.random.integers(0, 1000))}
    if K > min(V.shape) and case.chance(0.9):
        flags["--force-rank"] = None
    flags |= draw_options(case, algorithm, V)
    if penalties and algorithm not in rules.WITHOUT_PENALTIES and case.chance(0.3):
        flags |= draw_penalties(case, V, beta)
    if case.chance(0.25):
        flags["--init"] = case.pick(*STARTS)
    if case.chance(0.2):
        draw_start(case, V, K, flags)
    if case.chance(0.3):
        flags["--normalize"] = None
    if case.chance(0.2):
        flags["--restarts"] = case.integer(2, 4)
    if case.chance(0.3):
        flags["--precision"] = precision
    draw_end(case, flags)
    return V, flags, facts, case.chance(0.4)


def words(flags):
    out = []
    for flag, value in flags.items():
        out += [flag] if value is None else [flag, value]
    return out


def safeguarded(flags):
    return "--no-safeguard" not in flags


def write_input(case, V, sparse, flags, form=None):
    """The file of V. What text cannot say, a flag must: its values would be double."""
    form = form or case.pick(*matrices.formats_for(V, sparse))
    matrices.write(case.folder / "V", V, form)
    if V.dtype == np.float32 and form in ("array.mtx", "csv", "coordinate.mtx"):
        flags["--precision"] = "float32"
    return f"V.{form}"


def size_refusal(V, flags):
    """"too large", "too small" or None: whether V is out of range by the rule of docs/architecture.md (working units);
    "either" at its edge.

    The sum of squares must be a double with all digits to spare for a loss far below it: 2^-900 at least, and finite.
    The loss in working units is that of V times s^beta, where s is the power of two that brings the mean into [1, 2) if
    that is outside [1e-3, 1e6]; s^beta must lie in [2^-1000, 2^900]. The program's sums have rounding errors of F N eps,
    which may also move the mean across a power of two.
    """
    V = V.astype(np.longdouble)
    squares, mean, beta = (V ** 2).sum(), V.mean(), np.longdouble(rules.beta(flags))
    most = np.finfo(np.float64).max
    rounding = 1 + V.size * np.longdouble(2.0 ** -52)
    step = np.longdouble(1)
    exponent = np.longdouble(0)
    if not 1e-3 <= mean <= 1e6:
        exponent, step = -beta * np.floor(np.log2(mean)), abs(beta)

    def is_out(of_squares, of_unit):
        return not (2.0 ** -900 <= squares * of_squares <= most and -1000 <= exponent + of_unit <= 900)
    verdicts = {is_out(of_squares, of_unit) for of_squares in (rounding, 1 / rounding) for of_unit in (-step, 0, step)}
    if len(verdicts) > 1:
        return "either"
    return ("too large" if V.max() > 1 else "too small") if verdicts.pop() else None


def fit(case, V, flags, facts, name, model="m.h5", codes=None):
    """The saved model, or None if the program refused what it must refuse."""
    result = case.run("fit", name, *words(flags), "-o", model, "--json", "--threads", 1)
    expected = rules.refusals(flags, facts)
    case.no_leftovers()
    if expected:
        allowed, about = expected
        case.check(result.code in allowed, f"exit code {result.code}, but {about} must be refused")
        case.check(rules.names(result.err, about), f"the refusal does not name {about}: {result.message()}")
        case.check(model not in case.files(), "refused, but a model was written")
        return None
    size = size_refusal(V, flags)
    if size == "either" and result.code == BAD_INPUT:
        size = "too"
    if size not in (None, "either"):
        case.check(result.code == BAD_INPUT and f"V is {size}" in result.err, f"V must be refused as {size}: {result.message()}")
        return None
    case.check(result.code in (codes or (DONE, NUMERICAL)), f"exit code {result.code}: {result.message()}")
    case.check(result.code == DONE or not safeguarded(flags),
               f"exit code {result.code} with the safeguard: {result.message()}")
    saved = oracle.Model(case.folder / model)
    told = result.json()
    for claim in ("objective", "cost", "relative_error"):
        case.check(told[claim] is not None, f"--json: {claim} is null")
        case.check(told[claim] == saved.claims(claim), f"--json and the model disagree on {claim}")
    case.check(told["stop_reason"] == saved.attributes["stop_reason"], "--json and the model disagree on the stop")
    return saved


def case(case):
    V, flags, facts, sparse = draw(case)
    name = write_input(case, V, sparse, flags)
    model = fit(case, V, flags, facts, name)
    if model is None:
        return
    case.check(model.precision == str(V.dtype), f"the model is {model.precision}, V is {V.dtype}")
    oracle.check_claims(model, V)
    oracle.check_normalized(model)
    oracle.check_history(model, safeguarded(flags), V)
    oracle.check_stop(model)
    check_start(case, model, V, flags)


def check_start(case, model, V, flags):
    """The first record is the given start, unless the algorithm scales it."""
    if not ("--init-w" in flags and "--init-h" in flags) or flags["--algorithm"] in rules.NOT_MULTIPLICATIVE:
        return
    if model.R is not None:
        return  # R is not given
    start = oracle.Model.__new__(oracle.Model)
    # The norms are those of the result: the start was not normalized.
    start.__dict__.update(model.__dict__, R=None, column_norms=None, W=np.load(case.folder / "init-w.npy").astype(model.precision),
                          H=np.load(case.folder / "init-h.npy").astype(model.precision))
    found = oracle.recompute(start, V)
    allowed = oracle.tolerances(start, V, found)["objective"]
    claimed = float(model.history["objective"][0])
    if not abs(claimed - found["objective"]) <= allowed:
        raise Failed(f"the start is claimed to have the objective {claimed:.9g}; it is {found['objective']:.9g}")
