"""The arithmetic of the benchmark: best objectives, gaps, and the time that a system needs to come close. Standard library only."""

import math
import statistics

GAPS = (0.1, 0.01, 0.001)
RELATIVE_ERRORS = (0.1, 0.01, 0.001)
NOISE_FREE = 1e-6
NEVER = math.inf


def noise_free(best, half_norm):
    """An exact factorization exists, or nearly: gaps to its objective would mean nothing."""
    return best < NOISE_FREE * half_norm


def thresholds(best, half_norm):
    """The objectives to come down to: gaps of 10, 1, 0.1 %, or relative errors ||V - WH|| / ||V|| of 1e-1, 1e-2, 1e-3."""
    if noise_free(best, half_norm):
        return [error**2 * half_norm for error in RELATIVE_ERRORS]
    return [(1 + gap) * best for gap in GAPS]


def labels(best, half_norm):
    return ["error 1e-1", "1e-2", "1e-3"] if noise_free(best, half_norm) else ["gap 10 %", "1 %", "0.1 %"]


def best_objective(data):
    """f*: the lowest objective that any system reached from any seed, in the timed calls or in the long runs of reference."""
    found = [record["objective"] for record in data["records"]] + data["references"]
    return min(f for f in found if math.isfinite(f))


def points(records):
    """(cap, seconds, objective) in the order of the caps; calls that were repeated give their median time."""
    by_cap = {}
    for record in records:
        by_cap.setdefault(record["cap"], []).append(record)
    return [
        (cap, statistics.median(r["seconds"] for r in same), same[0]["objective"]) for cap, same in sorted(by_cap.items())
    ]


def time_to(curve, threshold, best):
    """Seconds until the objective is at the threshold or below.

    Between the last call that missed it and the first that met it, the distance to `best` is taken to fall by the same factor
    in every iteration and iterations to take equally long; the count is rounded up to a whole iteration, so that calls whose
    caps differ by one give the time of the second.
    """
    for i, (cap, seconds, objective) in enumerate(curve):
        if not objective <= threshold:  # NaN is not there either
            continue
        if i == 0:
            return seconds
        last_cap, last_seconds, last_objective = curve[i - 1]
        wanted = threshold - best
        if wanted <= 0 or not math.isfinite(last_objective):
            return seconds
        reached = max(objective - best, 1e-3 * wanted)
        share = math.log((last_objective - best) / wanted) / math.log((last_objective - best) / reached)
        iterations = math.ceil(share * (cap - last_cap) - 1e-9)
        return last_seconds + (seconds - last_seconds) * iterations / (cap - last_cap)
    return NEVER


def deciding(records, thresholds):
    """Of one system's calls in the order of their caps, those that a time to a threshold is made from."""
    chosen = set()
    for threshold in thresholds:
        first = next((i for i, r in enumerate(records) if r["objective"] <= threshold), None)
        if first is not None:
            chosen |= {max(first - 1, 0), first}
    return [records[i] for i in sorted(chosen)]


def floor_of(best, half_norm):
    """What the distance of an objective is counted from."""
    return 0.0 if noise_free(best, half_norm) else best


def times(records, best, half_norm):
    """For one system: {seed: [seconds to each threshold]}."""
    at = thresholds(best, half_norm)
    floor = floor_of(best, half_norm)
    seeds = sorted({record["seed"] for record in records})
    curves = {seed: points([r for r in records if r["seed"] == seed]) for seed in seeds}
    return {seed: [time_to(curves[seed], threshold, floor) for threshold in at] for seed in seeds}


def medians(by_seed):
    """Medians over the seeds; a seed that never gets there counts as infinite."""
    rows = list(by_seed.values())
    return [statistics.median_high([row[i] for row in rows]) for i in range(3)]


def end_gap(records, best, half_norm):
    """Where the longest runs ended: the median over the seeds of the gap, or of the relative error."""
    ends = {}
    for record in sorted(records, key=lambda r: r["cap"]):
        ends[record["seed"]] = record["objective"]
    f = statistics.median(ends.values())
    return math.sqrt(f / half_norm) if noise_free(best, half_norm) else f / best - 1


def summarize(data):
    """One row per system of a set; of a system's starts the better one."""
    records, half_norm = data["records"], data["half_norm"]
    best = best_objective(data)
    rows = {}
    for key in sorted({(r["system"], r["start"]) for r in records}):
        own = [r for r in records if (r["system"], r["start"]) == key]
        by_seed = times(own, best, half_norm)
        row = {
            "system": key[0],
            "start": key[1],
            "seeds": len(by_seed),
            "seconds": medians(by_seed),
            "by_seed": by_seed,
            "end": end_gap(own, best, half_norm),
            "longest": max(r["seconds"] for r in own),
            "peak_megabytes": max(r["peak_megabytes"] for r in own),
        }
        if key[0] not in rows or rank(row) < rank(rows[key[0]]):
            rows[key[0]] = row
    return best, sorted(rows.values(), key=rank)


def rank(row):
    """Soonest to 1 %, then to 0.1 %, then to 10 %, then closest at the end."""
    ten, one, tenth = row["seconds"]
    return one, tenth, ten, row["end"]


OURS = ("fast", "auto")


def best_rival(rows, at):
    """The row that reaches threshold `at` soonest, or None where none does."""
    rivals = [row for row in rows if row["system"] not in OURS and row["seconds"][at] < NEVER]
    return min(rivals, key=lambda row: row["seconds"][at], default=None)


def shortest_try(rows):
    """The longest call of the rival that was tried least: what all of them were given."""
    return min((row["longest"] for row in rows if row["system"] not in OURS), default=0.0)


def advantage(rows, system, at):
    """How many times sooner than the best rival; infinite if only ours gets there, None if ours does not."""
    ours = next((row["seconds"][at] for row in rows if row["system"] == system), NEVER)
    if ours == NEVER:
        return None
    rival = best_rival(rows, at)
    return NEVER if rival is None else rival["seconds"][at] / ours
