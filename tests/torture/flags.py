"""Every flag by itself and every pair of flags, over the algorithms: works, or is refused by name with exit code 2.

The table says for each flag of each command one typical value; what must happen is derived from it and from
rules.py. A flag that the program has and the table lacks is a failure.
"""

import functools
import itertools
import re
import subprocess

import numpy as np

import rules
from torture import BAD_INPUT, DONE, NUMERICAL, PROGRAM, USAGE, catalog

LISTED = True

F, N, K = 12, 20, 3

# Flags of fit: a value, or None for those that have none. Solver flags follow from the catalog.
FIT = {
    "--save-w": "W.npy", "--save-h": "H.csv", "--save-r": "R.mtx", "--trace": "trace.json", "--report": "page.html",
    "--figures": "figures", "--force": None, "--json": None, "--dry-run": None, "--samples": "rows",
    "--precision": "float32", "--preprocess": "l2", "--image": "3x4", "--loss": "kl", "--l1-w": "0.01",
    "--l2-w": "0.01", "--l1-h": "0.01", "--l2-h": "0.01", "--normalize": None, "--seed": "3", "--restarts": "2",
    "--init": "nndsvda", "--init-w": "init-w.npy", "--init-h": "init-h.npy", "--init-r": "init-r.npy",
    "--resume": "before.h5", "--epochs": "4", "--tol": "1e-9", "--kkt-tol": "1e-9", "--time-limit": "10m",
    "--violation-tol": "1e-9", "--error-tol": "1e-9",
    "--grad-budget": "1e9", "--evaluate-every": "2", "--threads": "1", "--verbose": None, "--quiet": None,
    "--no-color": None, "--force-rank": None, "--trusted": None, "--format": "npy", "--delimiter": "semicolon",
    "--preset": "paper", "--decimal": "comma", "--row-names": "first", "--column-names": "first", "--feature-names": "features.txt", "--sample-names": "samples.txt",
    "--stream": "-", "--forget-factor": "0.9", "--window": "64",
}
READING = {flag: FIT[flag] for flag in ("--trusted", "--format", "--delimiter", "--decimal", "--row-names", "--column-names")}
NAMES = {flag: FIT[flag] for flag in ("--feature-names", "--sample-names")}
SOLVER_VALUES = {"integer": "2", "number": "0.3"}
BASE = {"--help", "--rank", "--output", "--algorithm"}
FILES = ("--save-w", "--save-h", "--save-r", "--trace", "--report", "--figures")

# One of each kind; the others differ from these in options alone, which the single flags try.
FOR_PAIRS = ("mu", "hals-acc", "fast", "svrmu", "r-svrmu", "onmf", "inmf", "inc-hals")

OTHERS = {
    "transform": {"words": ["model.h5", "V.npy", "-o", "H.npy"], "flags": {
        "--save-r": "R.mtx", "--missing-as-zero": None, "--samples": "columns", "--threads": "1", "--force": None,
        "--json": None, "--quiet": None, "--no-color": None, **READING, **NAMES}, "base": {"--output"},
        "refused": {"--save-r", "--missing-as-zero", *rules.FOR_TEXT}},
    "update": {"words": ["model.h5", "V.npy", "-o", "updated.h5"], "flags": {
        "--stream": "-", "--save-w": "W.npy", "--save-h": "H.npy", "--trace": "trace.json", "--forget-factor": "0.9",
        "--window": "64", "--time-limit": "10m", "--missing-as-zero": None, "--samples": "columns", "--threads": "1",
        "--force": None, "--json": None, "--quiet": None, "--no-color": None, "--feature-names": "features.txt",
        **READING}, "base": {"--output"},
        "refused": {"--stream", "--window", "--missing-as-zero", *rules.FOR_TEXT}},
    "top": {"words": ["model.h5"], "flags": {
        "--count": "2", "--json": None, "--quiet": None, "--no-color": None, "--feature-names": "features.txt"},
            "base": set(), "refused": set()},
    "report": {"words": ["model.h5", "V.npy"], "flags": {
        "--output": "page.html", "--figures": "figures", "--image": "3x4", "--samples": "columns", "--threads": "1",
        "--force": None, "--quiet": None, "--no-color": None, **READING, **NAMES}, "base": set(),
        "refused": {*rules.FOR_TEXT}},
    "convert": {"words": ["V.npy", "out.csv"], "flags": {
        "--transpose": None, "--precision": "float32", "--threads": "1", "--force": None, "--quiet": None,
        "--no-color": None, **READING}, "base": set(), "refused": {*rules.FOR_TEXT}},
}


@functools.cache
def help_flags(command):
    """The long flags that the program itself lists."""
    text = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in text.splitlines():
        listed = re.match(r"  ((?:-\w,)?--[\w-]+(?:,--[\w-]+)*)", line)
        if listed:
            found |= {flag for flag in listed.group(1).split(",") if flag.startswith("--")}
    return found


@functools.cache
def solver_flags():
    """A value for each flag of the catalog that is not its default."""
    flags = {}
    for algorithm, options in catalog().items():
        for option in options:
            if option["type"] == "boolean":
                flags[option["flag"].replace("--", "--no-", 1)] = None
            elif option["type"] == "choice":
                flags[option["flag"]] = option["choices"][-1].replace("_", "-")
            else:
                value = SOLVER_VALUES[option["type"]]
                flags[option["flag"]] = value if option["least"] <= float(value) else "0.7"
    return flags


@functools.cache
def cases():
    table = {**FIT, **solver_flags()}
    singles = [("fit", algorithm, (flag,)) for algorithm in catalog() for flag in table]
    others = []
    for command, about in OTHERS.items():
        own = [flag for flag in about["flags"] if flag in help_flags(command)]
        foreign = sorted({*table, *about["flags"]} - help_flags(command))
        others += [(command, "", (flag,)) for flag in [*own, *foreign]]
        others += [(command, "", pair) for pair in itertools.combinations(own, 2)]
    pairs = [("fit", algorithm, pair) for algorithm in FOR_PAIRS for pair in itertools.combinations(table, 2)]
    return [("listed", "", ())] + others + singles + pairs


def __getattr__(name):
    if name == "COUNT":
        return len(cases())
    if name == "QUICK":
        rest = range(1, len(cases()))
        return [0, *rest[::61]]
    raise AttributeError(name)


def every_flag_is_listed(case):
    known = set(FIT) | BASE | set(solver_flags()) | {plain(flag) for flag in solver_flags()}
    missing = help_flags("fit") - known
    case.check(not missing, f"fit has flags that the table lacks: {missing}")
    for command, about in OTHERS.items():
        missing = help_flags(command) - set(about["flags"]) - about["base"] - {"--help"}
        case.check(not missing, f"{command} has flags that the table lacks: {missing}")


def make_files(case, rows):
    V = case.random.gamma(0.7, size=(F, K)) @ case.random.gamma(0.7, size=(K, N)) + 0.05
    np.save(case.folder / "V.npy", V)
    features, samples = (N, F) if rows else (F, N)
    np.save(case.folder / "init-w.npy", case.random.random((features, K)) + 0.1)
    np.save(case.folder / "init-h.npy", case.random.random((K, samples)) + 0.1)
    np.save(case.folder / "init-r.npy", case.random.random((features, samples)))
    for name, count in (("features", features), ("samples", samples)):
        (case.folder / f"{name}.txt").write_text("".join(f"{name[:-1]} {i}\n" for i in range(count)))
    return features, samples


def expected(flags, algorithm, facts):
    """None, or (codes, words of which the message has one)."""
    if "--resume" in flags:
        kept = [flag for flag in flags if flag in rules.NOT_WITH_RESUME or plain(flag) in rules.all_solver_flags()]
        if kept:
            return {USAGE}, [plain(flag) for flag in kept]
        if "--samples" in flags and not any(flag in rules.FOR_TEXT for flag in flags):
            return {BAD_INPUT}, ["not the matrix"]
    return rules.refusals({"--algorithm": algorithm, "--rank": K, **flags}, facts)


def plain(flag):
    return flag if flag == "--no-color" else flag.replace("--no-", "--", 1)


def check_outcome(case, result, wanted, about):
    if wanted is None:
        case.check(result.code in (DONE, NUMERICAL), f"{about}: exit code {result.code}: {result.message()}")
        return
    codes, words = wanted
    case.check(result.code in codes, f"{about}: exit code {result.code}, but {words} must be refused: "
                                    f"{result.message()}")
    case.check(rules.names(result.message(), words), f"{about}: the refusal does not name {words}: {result.message()}")


def fit_case(case, algorithm, chosen):
    flags = {flag: {**FIT, **solver_flags()}[flag] for flag in chosen}
    features, samples = make_files(case, "--samples" in flags)
    facts = {"features": features, "samples": samples, "zeros": False, "all_zero": False}
    if "--image" in flags and "--samples" in flags:
        flags["--image"] = "4x5"
    words = ["fit", "V.npy", "-o", "m.h5"]
    if "--resume" in flags:
        case.run("fit", "V.npy", "-k", K, "--algorithm", algorithm, "--epochs", 2, "--tol", 0, "-q", "-o", "before.h5",
                 codes=(DONE, NUMERICAL))
    else:
        words += ["-k", K, "--algorithm", algorithm]
    if "--epochs" not in flags:
        words += ["--epochs", 4]
    for flag, value in flags.items():
        words += [flag] if value is None else [flag, value]
    before = case.files()
    result = case.run(*words)
    wanted = expected(flags, algorithm, facts)
    check_outcome(case, result, wanted, f"{algorithm} {' '.join(chosen)}")
    case.no_leftovers()
    made = case.files() - before
    should = set()
    if wanted is None and "--dry-run" not in flags:
        should = {"m.h5"} | {flags[flag] for flag in FILES if flag in flags}
    case.check(made == should, f"{algorithm} {' '.join(chosen)}: written is {sorted(made)}, not {sorted(should)}")
    if "--quiet" in flags and wanted is None:
        case.check(not result.err, f"--quiet says {result.err!r}")
    if "--json" in flags and wanted is None:
        result.json()


def other_case(case, command, chosen):
    about = OTHERS[command]
    make_files(case, False)
    case.run("fit", "V.npy", "-k", K, "--epochs", 3, "-q", "-o", "model.h5", codes=DONE)
    values = {**FIT, **solver_flags(), **about["flags"]}
    words = [command, *about["words"]]
    for flag in chosen:
        words += [flag] if values[flag] is None else [flag, values[flag]]
    result = case.run(*words)
    refused = [flag for flag in chosen if flag in about["refused"] or flag not in help_flags(command)]
    check_outcome(case, result, ({USAGE}, refused) if refused else None, f"{command} {' '.join(chosen)}")
    case.no_leftovers()


def case(case):
    command, algorithm, chosen = cases()[case.number]
    if command == "listed":
        every_flag_is_listed(case)
    elif command == "fit":
        fit_case(case, algorithm, chosen)
    else:
        other_case(case, command, chosen)
