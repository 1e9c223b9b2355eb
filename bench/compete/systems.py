"""Every system is a process that holds V and answers timed calls: ours, Python's, R's."""

import json
import os
import pathlib
import select
import subprocess
import sys
import time

import numpy as np

import blas

HERE = pathlib.Path(__file__).resolve().parent
SPINNING = 0.4  # seconds for which OpenBLAS's threads of the last call, or of our own objective, may still be busy waiting


class Failed(Exception):
    """The system did not answer: it ended, or it took too long and was ended."""


def environment(threads):
    counts = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    return {**os.environ, **counts, **blas.environment()}


class System:
    """name and start ("given" or "own") say what it is; run() makes one whole call."""

    def __init__(self, name, start, data, folder, threads):
        self.name, self.start, self.data, self.folder, self.threads = name, start, data, folder, threads
        self.process = None

    def command(self):
        raise NotImplementedError

    def send(self, line, timeout):
        errors = self.folder / f"{self.name}-{self.start}.errors"
        if self.process is None:
            with open(errors, "w") as sink:
                self.process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                stderr=sink, text=True, env=environment(self.threads))
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], timeout)
            answer = self.process.stdout.readline() if ready else ""
        except BrokenPipeError:
            answer, ready = "", True
        if not answer:
            self.close()
            said = errors.read_text().strip().splitlines()
            raise Failed(f"it ended: {said[-1] if said else 'without a word'}" if ready else f"no answer within {timeout:.0f} s")
        return answer

    def run(self, seed, cap, given, timeout, **more):
        """Seconds, W, H (None where the system keeps none) and peak memory of one call from the start `given` = (w, h) files."""
        out = str(self.folder / f"{self.name}-{self.start}")
        command = {"rank": self.data.spec.rank, "seed": seed, "start": self.start, "out": out, **more}
        if cap is not None:
            command["cap"] = cap
        if self.start == "given":
            command["w"], command["h"] = (str(path) for path in given)
        time.sleep(SPINNING)
        answer = json.loads(self.send(json.dumps(command), timeout))
        W = np.load(out + ".w.npy")
        H = np.load(out + ".h.npy") if answer["keeps_h"] else None
        return answer, W, H

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


class Ours(System):
    """`fast` from the rivals' start, `auto` from its own, or any solver by name."""

    def __init__(self, name, start, data, folder, threads, program, precision=""):
        super().__init__(name, start, data, folder, threads)
        self.program, self.precision = program, precision

    def command(self):
        return [str(self.program), str(self.data.path), str(self.threads), *([self.precision] if self.precision else [])]

    def run(self, seed, cap, given, timeout, **more):
        return super().run(seed, cap, given, timeout, algorithm=self.name, **more)

    def product_seconds(self):
        return json.loads(self.send(json.dumps({"product": self.data.spec.rank}), 600))["seconds"]

    def square_gflops(self):
        return json.loads(self.send(json.dumps({"square": 2000}), 600))["gflops"]


class Python(System):
    def command(self):
        return [sys.executable, str(HERE / "worker.py"), self.name, str(self.data.path)]


class R(System):
    """R's package NMF, Lee and Seung's multiplicative updates. V is handed over as a file of doubles."""

    METHOD = "lee"

    def as_doubles(self, path, matrix):
        np.asarray(matrix, dtype=float).T.tofile(path)
        return str(path)

    def command(self):
        raw = self.as_doubles(self.folder / "V.bin", self.data.V)
        return ["Rscript", str(HERE / "nmf_worker.R"), raw, str(self.data.features), str(self.data.samples)]

    def run(self, seed, cap, given, timeout, **more):
        rank = self.data.spec.rank
        w, h = (self.as_doubles(self.folder / f"R-{i}.bin", np.load(path)) for i, path in enumerate(given))
        out = str(self.folder / "R")
        time.sleep(SPINNING)
        seconds, peak = self.send(f"{self.METHOD} {cap} {w} {h} {rank} {out}", timeout).split()
        W = np.fromfile(out + ".w.bin").reshape(rank, self.data.features).T
        H = np.fromfile(out + ".h.bin").reshape(self.data.samples, rank).T
        return {"seconds": float(seconds), "peak_megabytes": float(peak), "keeps_h": True}, W, H


def rivals(data, folder, threads):
    """All that can hold this set; a system that takes a start gets it and, as another entry, uses its default."""
    made = [Python("sklearn-cd", "given", data, folder, threads), Python("sklearn-cd", "own", data, folder, threads),
            Python("numpy-hals", "given", data, folder, threads),
            Python("sklearn-mu", "given", data, folder, threads), Python("sklearn-mu", "own", data, folder, threads),
            Python("minibatch", "given", data, folder, threads), Python("minibatch", "own", data, folder, threads)]
    # It wants sparse V, and takes some 40 us for each entry of it; of a dense V it needs three copies.
    if data.stored <= (1e6 if data.sparse else 5e7):
        made.append(Python("gensim", "own", data, folder, threads))
    if not data.sparse and data.stored <= 5e7:
        made.append(R("r-nmf", "given", data, folder, threads))
    return made
