"""Which flags of `fit` go with each other: the table that the program must agree with.

refusals(flags, facts) is None where a fit must work, else the exit codes and words of a refusal: its message has
one of the words, spelled as flag or as option name.
"""

from torture import BAD_INPUT, USAGE, catalog

EVERY_LOSS = {"mu", "mu-ext", "smu", "smu-acc", "svrmu", "svrmu-acc", "asag-mu"}
ROBUST = {"r-nmf", "r-svrmu", "r-svrmu-acc", "r-onmf", "r-onmf-acc"}
WITHOUT_PENALTIES = {"inmf"}
NOT_MULTIPLICATIVE = {"hals", "hals-acc", "hals-ext", "fast", "inc-hals"}
FIXED_BATCHES = {"sag-mu", "sag-mu-acc"}
# They look at the objective of every epoch: always, or while their safeguard is on.
JUDGE_EACH_EPOCH = {"mu-ext"}
GUARD_EACH_EPOCH = {"svrmu", "svrmu-acc", "r-svrmu", "r-svrmu-acc", "sag-mu", "sag-mu-acc"}
MEASURE_VIOLATION = {"hals"}
WITH_PRESET = {"svrmu", "svrmu-acc", "r-svrmu", "r-svrmu-acc"}
PENALTIES = ("--l1-w", "--l2-w", "--l1-h", "--l2-h")
SVD_STARTS = {"svd-abs", "nndsvd", "nndsvda", "nndsvdar"}
# What a resumed model has already.
NOT_WITH_RESUME = ("--rank", "--algorithm", "--preset", "--loss", *PENALTIES, "--normalize", "--seed", "--restarts", "--init",
                   "--init-w", "--init-h", "--init-r", "--precision", "--preprocess", "--evaluate-every",
                   "--force-rank")
# They are for samples as they come, in the place of INPUT.
FOR_STREAMS = ("--stream", "--forget-factor", "--window")
# They say how a text is read, and the files here are none.
FOR_TEXT = ("--delimiter", "--decimal", "--row-names", "--column-names")


def default(algorithm, flag):
    return next(option["default"] for option in catalog()[algorithm] if option["flag"] == flag)


def has(algorithm, flag):
    return any(option["flag"] == flag.replace("--no-", "--") for option in catalog()[algorithm])


def all_solver_flags():
    return {option["flag"] for options in catalog().values() for option in options}


def differs(flags, algorithm, flag):
    """Set, and to something else than its default."""
    if flag not in flags:
        return False
    usual = default(algorithm, flag)
    value = flags[flag]
    if isinstance(usual, str):
        return str(value).replace("-", "_") != usual
    return float(value) != float(usual)


def refusal(flags, facts):
    """The first of them. facts: "features", "samples", "zeros" (V has some), "all_zero", "denormal" (all
    of V)."""
    algorithm = flags["--algorithm"]
    beta_free = flags.get("--loss", "frobenius") in ("frobenius", "beta:2")
    for flag in flags:
        if flag.replace("--no-", "--") in all_solver_flags() and not has(algorithm, flag):
            return USAGE, [flag.replace("--no-", "--")]
    for flag in FOR_STREAMS:
        if flag in flags:
            return USAGE, [flag]
    if "--preset" in flags and algorithm not in WITH_PRESET:
        return USAGE, ["--preset"]
    for flag in FOR_TEXT:
        if flag in flags:
            return USAGE, [flag]
    smaller = min(facts["features"], facts["samples"])
    # docs/command-line.md: with as many components as the smaller side WH can be V itself; --force-rank allows more.
    if int(flags["--rank"]) > smaller and "--force-rank" not in flags:
        return USAGE, ["--rank"]
    if "--save-r" in flags and algorithm not in ROBUST:
        return USAGE, ["--save-r"]
    if "--quiet" in flags and "--verbose" in flags:
        return USAGE, ["--quiet"]
    if "--image" in flags and not ("--report" in flags or "--figures" in flags):
        return USAGE, ["--image"]
    if not beta_free and algorithm not in EVERY_LOSS:
        return USAGE, ["--loss"]
    if algorithm in WITHOUT_PENALTIES and any(float(flags.get(flag, 0)) > 0 for flag in PENALTIES):
        return USAGE, ["penalties"]
    if "--init-r" in flags and algorithm not in ROBUST:
        return USAGE, ["--init-r", "start for R"]
    if "--violation-tol" in flags and algorithm not in MEASURE_VIOLATION:
        return USAGE, ["--violation-tol"]
    start = flags.get("--init", "automatic")
    if start == "nndsvd" and algorithm not in NOT_MULTIPLICATIVE:
        return USAGE, ["nndsvd"]
    rule = (refused_h_rule(flags, algorithm) or refused_step(flags, algorithm) or
            refused_outliers(flags, algorithm) or refused_by_one(flags, algorithm))
    if rule:
        return USAGE, rule
    # There are no more singular vectors than that, whatever is forced.
    if start in SVD_STARTS and int(flags["--rank"]) > smaller:
        return USAGE, ["--rank"]
    both = "--init-w" in flags and "--init-h" in flags
    if both and start != "automatic":
        return USAGE, ["--init", "start"]
    if start == "frobenius" and ("--init-w" in flags or "--init-h" in flags):
        return USAGE, ["frobenius"]
    if both and int(flags.get("--restarts", 1)) > 1:
        return USAGE, ["--restarts"]
    # Zeros of a V that has only denormal values may be values that got lost: its size is named first.
    if facts.get("denormal"):
        return BAD_INPUT, ["too small"]
    if facts.get("all_zero"):
        return BAD_INPUT, ["zero everywhere"]
    if facts.get("zeros") and beta(flags) <= 0:
        return BAD_INPUT, ["zero"]
    return None


def refusals(flags, facts):
    """None, or (exit codes, words) of all that is wrong: the program may name whichever it meets first."""
    codes, words, rest = set(), [], dict(flags)
    while found := refusal(rest, facts):
        codes.add(found[0])
        words += found[1]
        named = [flag for flag in rest if flag.replace("--no-", "--", 1) in found[1]]
        if not named:
            break
        for flag in named:
            del rest[flag]
            rest |= {"--rank": 1} if flag == "--rank" else {}
    return (codes, words) if words else None


def beta(flags):
    loss = flags.get("--loss", "frobenius")
    return {"frobenius": 2.0, "kl": 1.0, "is": 0.0}[loss] if ":" not in loss else float(loss[5:])


def refused_h_rule(flags, algorithm):
    if not has(algorithm, "--h-rule"):
        return None
    by_preset = "--preset" in flags and algorithm.endswith("-acc") and "--h-repeats" not in flags
    fixed = flags.get("--h-rule", "paper" if by_preset else "fixed") == "fixed"
    if not fixed and "--h-repeats" in flags and int(flags["--h-repeats"]) not in (1, 5):
        return ["--h-repeats"]
    for flag in ("--h-rule-limit", "--h-rule-tolerance", "--h-rule-limit-rule"):
        if fixed and differs(flags, algorithm, flag):
            return [flag]
    formula = by_preset and not fixed and "--h-rule-limit-rule" not in flags
    if differs(flags, algorithm, "--h-rule-share") and not (
            formula or differs(flags, algorithm, "--h-rule-limit-rule")):
        return ["--h-rule-share"]
    return None


def refused_step(flags, algorithm):
    if float(flags.get("--step-decay", 0)) > 0:
        return None
    for flag in ("--step-decay-power", "--step-decay-clock"):
        if differs(flags, algorithm, flag):
            return [flag]
    return None


def refused_outliers(flags, algorithm):
    if algorithm not in ROBUST:
        return None
    if flags.get("--outlier-update") == "closed-form":
        if "--init-r" in flags:
            return ["--init-r", "start for R"]
        for flag in ("--outlier-start", "--outlier-step"):
            if differs(flags, algorithm, flag):
                return [flag]
    if "--init-r" in flags and differs(flags, algorithm, "--outlier-start"):
        return ["--outlier-start"]
    return None


def refused_by_one(flags, algorithm):
    """The refusals of single algorithms."""
    if algorithm in FIXED_BATCHES and flags.get("--order") in ("reshuffle", "with-replacement"):
        return ["--order"]
    if int(flags.get("--inner-passes", 0)) > 0 and int(flags.get("--inner-steps", 0)) > 0:
        return ["--inner-passes", "--inner-steps"]
    order = flags.get("--order", "with-replacement" if "--preset" in flags else "permute-once")
    again = int(flags.get("--inner-passes", 1)) > 1 or int(flags.get("--inner-steps", 0)) > 0
    if flags.get("--correction") == "replace" and (again or order == "with-replacement"):
        return ["--correction"]
    if algorithm == "inmf" and int(flags.get("--inner-iterations", 1)) == 1 and differs(
            flags, algorithm, "--inner-tolerance"):
        return ["--inner-tolerance"]
    if algorithm in ("mu-acc", "hals-acc") and int(flags.get("--h-rule-limit", 0)) > 0 and differs(
            flags, algorithm, "--work-ratio"):
        return ["--work-ratio"]
    guarded = "--no-safeguard" not in flags and ("--preset" not in flags or "--safeguard" in flags)
    judged = algorithm in JUDGE_EACH_EPOCH or (algorithm in GUARD_EACH_EPOCH and guarded)
    if int(flags.get("--evaluate-every", 1)) > 1 and judged:
        return ["--evaluate-every"]
    return None


def names(message, words):
    """The message has one of the words. A flag of one word may be a usual word there: "the frobenius loss". """
    return any(word in message or (word.count("-") <= 2 and word.lstrip("-") in message) for word in words)
