"""Runs the systems of one set: whole calls with growing caps, the cheapest next call first, ours again in between."""

import math
import time

import numpy as np

import objective
import results
from datasets import random_start
from systems import Failed, Ours, rivals

SHORT = 1 / 20  # of the longest call allowed: below it caps double, so that few calls are spent there
SLOWER = 2  # a rival is left alone when it has taken that many times as long as the best rival to 0.1 %,
MUCH_SLOWER = 25  # or that many times as long as the best rival to 1 %
FIRST_SEED = 2 / 3  # of a set's time


class Ladder:
    """The calls of one system from one seed: which cap is next, and when it has climbed enough."""

    def __init__(self, system, seed, growth, longest, double=True):
        self.system, self.seed, self.growth, self.longest = system, seed, growth, longest
        self.short = SHORT * longest if double else 0
        self.records = []
        self.next_cap = 1
        self.ended = ""

    @property
    def key(self):
        return self.system.name, self.system.start

    def rate(self):
        """Seconds per iteration of the last call; set-up included, so never too low."""
        return self.records[-1]["seconds"] / self.records[-1]["cap"]

    def expected_seconds(self):
        return self.rate() * self.next_cap if self.records else 0.0

    def add(self, record, goal):
        """Notes a call and decides on the next."""
        self.records.append(record)
        if record["objective"] <= goal:
            self.ended = "reached"
            return
        if stalled(self.records):
            self.ended = "stalled"
            return
        cap = record["cap"]
        growth = 2 if record["seconds"] < self.short else self.growth
        wanted = max(cap + 1, math.ceil(cap * growth))
        self.next_cap = min(wanted, math.floor(self.longest / self.rate()))
        if self.next_cap < 1.15 * cap:
            self.ended = "budget"


def stalled(records):
    """Three calls, each at least a fifth longer than the one before, that differ by less than 1e-6 of the objective."""
    last = [r["objective"] for r in records[-3:]]
    return len(last) == 3 and records[-3]["cap"] >= 10 and last[0] - last[2] < 1e-6 * abs(last[2])


def allowed(system, options):
    return (not options.systems or system.name in options.systems) and (not options.quick or quick(system))


def quick(system):
    return system.name in ("sklearn-cd", "numpy-hals", "sklearn-mu") and system.start == "given"


class SetRun:
    """Everything measured on one set."""

    def __init__(self, data, folder, options, say):
        self.data, self.folder, self.options, self.say = data, folder, options, say
        self.half_norm = objective.half_squares(data.V)
        self.records, self.references, self.products = [], [], []
        self.notes, self.unfinished = [], []
        self.begin, self.seconds = None, 60 * options.set_minutes[data.spec.name]
        self.longest = min(data.spec.call_seconds, options.budget)
        self.fast = Ours("fast", "given", data, folder, options.threads, options.program)
        self.auto = Ours("auto", "own", data, folder, options.threads, options.program)
        self.rivals = [r for r in rivals(data, folder, options.threads) if allowed(r, options)]

    def run(self):
        try:
            square = self.fast.square_gflops()
            seeds = range(1, self.options.seeds + 1)
            for seed in seeds:
                self.reference(seed)
            self.begin = time.monotonic()
            contenders = self.rivals
            for seed in seeds:
                contenders = self.run_seed(seed, contenders)
        finally:
            for system in [self.fast, self.auto, *self.rivals]:
                system.close()
        if self.unfinished:
            self.notes.append("no time was left for longer calls of " + ", ".join(self.unfinished))
        product = float(np.median(self.products))
        return {
            "name": self.data.spec.name,
            "title": self.data.title(),
            "features": self.data.features,
            "samples": self.data.samples,
            "rank": self.data.spec.rank,
            "stored": int(self.data.stored),
            "half_norm": self.half_norm,
            "product_seconds": product,
            "product_gflops": 2e-9 * self.data.stored * self.data.spec.rank / product,
            "square_gflops": square,
            "references": self.references,
            "records": self.records,
            "notes": self.notes,
        }

    def best(self):
        return results.best_objective({"records": self.records, "references": self.references})

    def goal(self):
        """The lowest threshold, and a little: f* may still fall."""
        best = self.best()
        lowest = results.thresholds(best, self.half_norm)[2]
        return lowest if results.noise_free(best, self.half_norm) else lowest - 0.2 * (lowest - best)

    def start_files(self, seed):
        W, H = random_start(self.data, seed)
        paths = self.folder / "start.w.npy", self.folder / "start.h.npy"
        np.save(paths[0], W)
        np.save(paths[1], H)
        return paths

    def call(self, system, seed, cap, given, **more):
        answer, W, H = system.run(seed, cap, given, 1.5 * self.longest + 60, **more)
        if H is None:
            H = objective.best_h(self.data.V, W)
        return {
            "system": system.name, "start": system.start, "seed": seed, "cap": cap, "seconds": answer["seconds"],
            "objective": objective.frobenius(self.data.V, W, H, self.half_norm), "peak_megabytes": answer["peak_megabytes"],
        }

    def reference(self, seed):
        """A long run of ours, so that f* is known before it decides which rivals climb on. Not timed."""
        seconds = min(15.0, self.longest / 6)
        self.references.append(self.call(self.fast, seed, 100000, self.start_files(seed), limit=seconds)["objective"])

    def run_ours(self, seed, given):
        """Both ladders; returns the calls that decide a time, to be repeated among the rivals'."""
        deciding = []
        for system in (self.fast, self.auto):
            ladder = Ladder(system, seed, 1.3, self.longest / 12, double=False)
            while not ladder.ended:
                record = self.call(system, seed, ladder.next_cap, given)
                self.records.append(record)
                ladder.add(record, self.goal())
            at = results.thresholds(self.best(), self.half_norm)
            deciding += [(system, record) for record in results.deciding(ladder.records, at)]
        return deciding

    def repeat(self, calls, given):
        for system, first in calls:
            answer, _, _ = system.run(first["seed"], first["cap"], given, 600)
            self.records.append({**first, "seconds": answer["seconds"]})

    def limit(self, ladders, seed):
        """What a rival's call may take, given how soon the best rival was there."""
        best = self.best()
        limit = self.longest
        for ladder in ladders:
            if ladder.records:
                _, one, tenth = results.times(ladder.records, best, self.half_norm)[seed]
                limit = min(limit, SLOWER * tenth, MUCH_SLOWER * one)
        return limit

    def run_seed(self, seed, contenders):
        given = self.start_files(seed)
        self.products.append(self.fast.product_seconds())
        to_repeat = self.run_ours(seed, given) * (self.options.repeats - 1)
        ladders = [Ladder(system, seed, self.options.growth, self.longest) for system in contenders]
        while ladder := self.next_ladder(ladders, seed):
            self.climb(ladder, given)
            now, to_repeat = to_repeat[: len(ladders)], to_repeat[len(ladders) :]
            self.repeat(now, given)
            self.products.append(self.fast.product_seconds())
        self.repeat(to_repeat, given)
        return self.worth_repeating(ladders, seed)

    def next_ladder(self, ladders, seed):
        limit = self.limit(ladders, seed)
        for ladder in ladders:
            if not ladder.ended and ladder.expected_seconds() > limit:
                ladder.ended = "slower than the best rival"
            if not ladder.ended and time.monotonic() + ladder.expected_seconds() > self.deadline(seed):
                self.give_up(ladder)
        return min((l for l in ladders if not l.ended), key=Ladder.expected_seconds, default=None)

    def deadline(self, seed):
        """The first seed, with all rivals, leaves time to the best of them for the others."""
        share = 1 if self.options.seeds == 1 else FIRST_SEED + (1 - FIRST_SEED) * (seed - 1) / (self.options.seeds - 1)
        return self.begin + share * self.seconds

    def give_up(self, ladder):
        """A further seed that is not finished says nothing about a rival that has another: it is left out."""
        ladder.ended = "no time left"
        system, seed = ladder.system, ladder.seed
        self.unfinished.append(f"{system.name} ({system.start} start, seed {seed})")
        if seed > 1:
            self.records = [r for r in self.records if (r["system"], r["start"], r["seed"]) != (system.name, system.start, seed)]

    def climb(self, ladder, given):
        cap = ladder.next_cap
        try:
            record = self.call(ladder.system, ladder.seed, cap, given)
        except Failed as error:
            ladder.ended = "failed"
            self.notes.append(f"{ladder.system.name} ({ladder.system.start} start), cap {cap}: {error}")
            return
        self.records.append(record)
        ladder.add(record, self.goal())
        self.say(f"  {ladder.system.name:<11}{ladder.system.start:<6} seed {ladder.seed} cap {cap:<5} "
                 f"{record['seconds']:9.3f} s   f {record['objective']:.7g}   {ladder.ended}")

    def worth_repeating(self, ladders, seed):
        """The rivals that may be the best one on another seed."""
        best = self.best()
        reached = {l.key: results.times(l.records, best, self.half_norm)[seed] for l in ladders if l.records}
        for at in (1, 0):
            soonest = min((t[at] for t in reached.values()), default=math.inf)
            if soonest < math.inf:
                return [l.system for l in ladders if l.key in reached and reached[l.key][at] <= SLOWER * soonest]
        return []
