"""Requirements that need runs of their own. Each check prints a line per set with hit or miss, and returns 1 after a miss."""

import contextlib
import math
import pathlib
import statistics
import tempfile

import numpy as np

import datasets
import objective
from datasets import random_start
from systems import Ours, Python
from targets import verdict

LIMIT = 3600  # seconds for one call


def chosen(options, default, say):
    for name in options.sets.split(",") if options.sets else default:
        try:
            yield datasets.load(name, options.build / "data", options.shared)
        except datasets.Absent as absent:
            say(f"{name}: skipped, {absent}")


@contextlib.contextmanager
def running(*systems):
    try:
        yield systems
    finally:
        for system in systems:
            system.close()


def start_files(data, seed, folder):
    paths = folder / "start.w.npy", folder / "start.h.npy"
    for path, factor in zip(paths, random_start(data, seed)):
        np.save(path, factor)
    return paths


def workspace(options):
    return tempfile.TemporaryDirectory(dir=options.build)


def check_objective(options, say):
    """What `auto` ends with against scikit-learn's cd after 200 iterations from the same start."""
    missed = False
    for data in chosen(options, datasets.DEFAULT, say):
        half_norm = objective.half_squares(data.V)
        worse, seconds = [], []
        with workspace(options) as name:
            folder = pathlib.Path(name)
            ours = Ours("auto", "given", data, folder, options.threads, options.program)
            theirs = Python("sklearn-cd", "given", data, folder, options.threads)
            with running(ours, theirs):
                for seed in range(1, options.seeds + 1):
                    given = start_files(data, seed, folder)
                    a, W, H = ours.run(seed, None, given, LIMIT)
                    f = objective.frobenius(data.V, W, H, half_norm)
                    b, W, H = theirs.run(seed, 200, given, LIMIT)
                    f_cd = objective.frobenius(data.V, W, H, half_norm)
                    worse.append((f - f_cd) / max(f_cd, 1e-12 * half_norm))
                    seconds.append((a["seconds"], b["seconds"]))
                    say(f"  {data.spec.name} seed {seed}: {f:.8g} in {a['seconds']:.3f} s ({a['epochs']} epochs, {a['reason']}), cd "
                        f"{f_cd:.8g} in {b['seconds']:.3f} s: {worse[-1]:+.2e}")
        held = statistics.median(worse) <= 1e-4 and max(worse) <= 2e-2
        missed |= not held
        print(f"{data.spec.name}: (f - f_cd)/f_cd median {statistics.median(worse):+.1e} (at most 1e-4), worst {max(worse):+.1e} (at most "
              f"2e-2), {options.seeds} seeds; {statistics.median(t for t, _ in seconds):.3g} s against "
              f"{statistics.median(t for _, t in seconds):.3g} s: {verdict(held)}", flush=True)
    return int(missed)


def check_precision(options, say):
    """float32 against float64 of the same data from the same start, default tolerance."""
    missed = False
    for data in chosen(options, ["lowrank", "powerlaw", "parts", "large"], say):
        half_norm = objective.half_squares(data.V)
        found = {"float32": [], "float64": []}
        with workspace(options) as name:
            folder = pathlib.Path(name)
            systems = [Ours("fast", "given", data, folder, options.threads, options.program, precision) for precision in found]
            with running(*systems):
                for seed in range(1, options.seeds + 1):
                    given = start_files(data, seed, folder)
                    for _ in range(options.repeats):
                        for system in systems:
                            answer, W, H = system.run(seed, None, given, LIMIT)
                            found[system.precision].append((answer["seconds"], objective.frobenius(data.V, W, H, half_norm)))
        seconds = [statistics.median(t for t, _ in found[p]) for p in ("float32", "float64")]
        apart = max(abs(a / b - 1) for (_, a), (_, b) in zip(found["float32"], found["float64"]))
        held = apart <= 1e-3 and seconds[0] <= 0.6 * seconds[1]
        missed |= not held
        print(f"{data.spec.name}: float32 takes {seconds[0]:.3g} s, float64 {seconds[1]:.3g} s, {seconds[0] / seconds[1]:.2f} of it (at most 0.6); "
              f"objectives {apart:.1e} apart (at most 1e-3): {verdict(held)}", flush=True)
    return int(missed)


DIVERGENCES = (("lowrank", "kl", 1, 10), ("reuters", "kl", 1, 10), ("lowrank", "is", 0, 5))


def check_divergence(options, say):
    """Time to the objective that scikit-learn's mu has after 200 iterations: `auto` from its own start, a solver by name from theirs."""
    missed = False
    wanted = options.sets.split(",") if options.sets else [name for name, *_ in DIVERGENCES]
    for name, loss, beta, factor in DIVERGENCES:
        if name not in wanted or (options.loss and loss != options.loss):
            continue
        options.sets = name
        for data in chosen(options, [], say):
            with workspace(options) as made:
                folder = pathlib.Path(made)
                given = start_files(data, 1, folder)
                theirs = Python("sklearn-mu", "given", data, folder, options.threads)
                ours = Ours(options.algorithm, "own" if options.algorithm == "auto" else "given", data, folder, options.threads, options.program)
                with running(theirs, ours):
                    answer, W, H = theirs.run(1, 200, given, LIMIT, loss=loss)
                    goal = objective.divergence(data.V, W, H, beta)
                    say(f"  {name} {loss}: scikit-learn mu, 200 iterations: {answer['seconds']:.2f} s, objective {goal:.8g}")
                    seconds = time_to_objective(ours, data, beta, loss, goal, given, say)
                held = seconds <= answer["seconds"] / factor
                missed |= not held
                print(f"{name}, {loss}: {options.algorithm} needs {seconds:.3g} s to the objective that scikit-learn's mu has after "
                      f"{answer['seconds']:.3g} s: {answer['seconds'] / seconds:.1f} times sooner (at least {factor}): {verdict(held)}", flush=True)
    return int(missed)


def time_to_objective(system, data, beta, loss, goal, given, say):
    curve, cap = [], 1
    while True:
        answer, W, H = system.run(1, cap, given, LIMIT, loss=loss)
        f = objective.divergence(data.V, W, H, beta)
        curve.append((cap, answer["seconds"], f))
        say(f"  {data.spec.name} {loss} {system.name}: cap {cap}, {answer['seconds']:.3f} s, objective {f:.8g}")
        if f <= goal:
            # Straight between the calls: the distance to the goal itself has no logarithm.
            (c0, t0, f0), (c1, t1, f1) = curve[-2:] if len(curve) > 1 else (curve[0], curve[0])
            if c0 == c1:
                return t1
            iterations = math.ceil((c1 - c0) * (f0 - goal) / (f0 - f1))
            return t0 + (t1 - t0) * iterations / (c1 - c0)
        if answer["seconds"] > 120:
            return math.inf
        cap = max(cap + 1, math.ceil(1.3 * cap))


def check_memory(options, say):
    """What a call of `fast` takes beyond V, against (l + 4K)(F + N) numbers and against what --dry-run says. The first call of a
    process also brings the program's own pages and its threads' buffers into memory; they stay."""
    missed = False
    for data in chosen(options, datasets.DEFAULT, say):
        with workspace(options) as name:
            folder = pathlib.Path(name)
            ours = Ours("fast", "own", data, folder, options.threads, options.program)
            with running(ours):
                first, _, _ = ours.run(1, 5, None, LIMIT, memory=True)
                answer, _, _ = ours.run(1, 5, None, LIMIT, memory=True)
        K, size = data.spec.rank, np.dtype(data.spec.dtype).itemsize
        allowed = (1.5 * K + 4 * K) * (data.features + data.samples) * size / 2**20
        held = answer["extra_megabytes"] <= allowed
        missed |= not held
        print(f"{data.spec.name}: fast takes {answer['extra_megabytes']:.1f} MB beyond V (at most {allowed:.1f}; --dry-run says "
              f"{answer['planned_megabytes']:.1f}), the first call {first['extra_megabytes']:.1f}: {verdict(held)}", flush=True)
    return int(missed)


ALL = {"objective": check_objective, "precision": check_precision, "divergence": check_divergence, "memory": check_memory}
