"""Runs of svrmu in which one system call fails or brings a signal, and what must hold afterwards.

Every output is as it was before or whole and new, nothing temporary stays, the exit code is a documented one, and what
is said is short and true.
"""

import argparse
import errno
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

SVRMU = os.environ["SVRMU"]
OLD = b"what was there before"
DOCUMENTED = (0, 2, 3, 4, 5, 6, 130)
FIT = ["-k", "2", "--epochs", "3", "--algorithm", "mu", "--threads", "1"]


class Command:
    """A command line, the files that it writes, and its standard input."""

    def __init__(self, arguments, outputs=(), stdin=None, streams=False):
        self.arguments = arguments
        self.outputs = list(outputs)
        self.stdin = stdin
        self.streams = streams

    def __str__(self):
        return " ".join(self.arguments)


COMMANDS = {
    "fit": Command(["fit", "V.npy", *FIT, "-o", "m.h5", "--save-w", "W.npy", "--save-h", "H.csv", "--trace", "t.json",
                    "--report", "r.html"], ["m.h5", "W.npy", "H.csv", "t.json", "r.html"]),
    "resume": Command(["fit", "--resume", "model.h5", "--epochs", "5", "-o", "m.h5"], ["m.h5"]),
    "fit a stream": Command(["fit", "--stream", "-", "-k", "2", "--batch-size", "4", "--threads", "1", "-o", "m.h5",
                             "--save-h", "H.npy"], ["m.h5", "H.npy"], stdin="rows.csv"),
    "update": Command(["update", "model.h5", "V.npy", "--threads", "1", "-o", "m.h5", "--save-w", "W.npy"],
                      ["m.h5", "W.npy"]),
    "transform": Command(["transform", "model.h5", "V.npy", "-o", "H.npy", "--threads", "1"], ["H.npy"]),
    "top": Command(["top", "model.h5"]),
    "report": Command(["report", "model.h5", "V.npy", "-o", "r.html", "--figures", "figures", "--threads", "1"], ["r.html"]),
    "info": Command(["info", "V.npy", "--threads", "1"]),
    "info of a model": Command(["info", "model.h5"]),
    "info of HDF5": Command(["info", "V.h5", "--threads", "1"]),
    "info of HDF5, trusted": Command(["info", "V.h5", "--threads", "1", "--trusted"]),
    "convert": Command(["convert", "V.csv", "C.mtx", "--threads", "1"], ["C.mtx"]),
    "convert 10x": Command(["convert", "cells", "C.csv", "--threads", "1"], ["C.csv"]),
    "convert to a stream": Command(["convert", "V.npy", "-"], streams=True),
    "convert a stream": Command(["convert", "-", "C.npy", "--threads", "1"], ["C.npy"], stdin="V.csv"),
    "generate": Command(["generate", "lowrank-scaled", "-o", "G.npy", "--features", "10", "--samples", "12", "-k", "2",
                         "--outliers", "0.1"], ["G.npy", "G.truth-w.npy", "G.truth-h.npy", "G.truth-r.mtx"]),
    "compare": Command(["compare", "V.npy", "-k", "2", "--algorithms", "mu,hals", "--seeds", "1", "--epochs", "2",
                        "--reference", "0", "--threads", "1", "-o", "c.json", "--csv", "c.csv"], ["c.json", "c.csv"]),
    "reproduce": Command(["reproduce", "synthetic", "--kinds", "lowrank-scaled", "--features", "8", "--samples", "110",
                          "-k", "2", "--counts", "2", "--seeds", "1", "--reference", "0", "-o", "c.json"], ["c.json"]),
}


def is_whole(path):
    """Whether a new file has all that it should have."""
    data = path.read_bytes()
    if path.suffix == ".html":
        return data.rstrip().endswith(b"</html>")
    if path.suffix == ".json":
        json.loads(data)
    elif path.suffix == ".h5":
        with h5py.File(path) as file:
            # A model of a stream has no H.
            return file["W"].shape == (9, 2) and file["H"].shape in ((2, 14), (2, 0)) and "history" in file
    elif path.suffix == ".npy":
        np.load(path)
    else:
        return data.endswith(b"\n")
    return True


class Runs:
    """A folder with inputs, and the runs in it."""

    def __init__(self):
        self.base = Path(tempfile.mkdtemp(prefix="svrmu-faults-"))
        self.folder = self.base / "work"
        self.scratch = self.base / "tmp"
        self.inputs = self.base / "inputs"
        self.fired = self.base / "fired"
        self.shim = self.base / "shim.so"
        self.failures = []
        self.count = 0
        self.inputs.mkdir()
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", self.shim,
                        Path(__file__).with_name("fault_shim.c"), "-ldl"], check=True)
        V = np.random.default_rng(0).integers(1, 9, (9, 14)).astype(float)
        np.save(self.inputs / "V.npy", V)
        with h5py.File(self.inputs / "V.h5", "w") as file:
            file["V"] = V
        np.savetxt(self.inputs / "V.csv", V, delimiter=",", fmt="%g")
        np.savetxt(self.inputs / "rows.csv", V.T, delimiter=",", fmt="%g")
        cells = self.inputs / "cells"
        cells.mkdir()
        (cells / "matrix.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n2 2 4\n")
        (cells / "features.tsv").write_text("a\tA\nb\tB\n")
        (cells / "barcodes.tsv").write_text("x\ny\n")
        subprocess.run([SVRMU, "fit", "V.npy", *FIT, "-o", "model.h5", "-q"], cwd=self.inputs, check=True)

    def close(self):
        shutil.rmtree(self.base, ignore_errors=True)

    def run(self, command, had_files, calls="all", at=0, error=0, number=0, lasts=False):
        """(result, name of the call that was hit or None)"""
        self.tidy_up(command)
        self.fired.unlink(missing_ok=True)
        if had_files:
            for name in command.outputs:
                (self.folder / name).write_bytes(OLD)
        force = ["--force"] if had_files and command.outputs else []
        result = self.start([*command.arguments, *force], command, {
            "LD_PRELOAD": str(self.shim), "FAULT_CALLS": calls, "FAULT_AT": str(at), "FAULT_ERROR": str(error),
            "FAULT_SIGNAL": str(number), "FAULT_LASTS": str(int(lasts)), "FAULT_REPORT": str(self.fired)})
        self.count += 1
        return result, self.fired.read_text() if self.fired.exists() else None

    def tidy_up(self, command):
        """A folder with the inputs alone, and an empty one for temporary files."""
        for name in command.outputs:
            (self.folder / name).unlink(missing_ok=True)
        if self.entries(self.folder) == self.entries(self.inputs) and not self.entries(self.scratch):
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.copytree(self.inputs, self.folder)  # times too
        self.scratch.mkdir()

    @staticmethod
    def entries(folder):
        if not folder.exists():
            return None
        with os.scandir(folder) as entries:
            return {entry.name: entry.is_dir() or (entry.stat().st_size, entry.stat().st_mtime_ns) for entry in entries}

    def start(self, arguments, command, env):
        stdin = open(self.folder / command.stdin, "rb") if command.stdin else subprocess.DEVNULL
        try:
            return subprocess.run([SVRMU, *arguments], cwd=self.folder, stdin=stdin, capture_output=True, timeout=60,
                                  env={**os.environ, "TMPDIR": str(self.scratch), **env})
        finally:
            if command.stdin:
                stdin.close()

    def new_files(self, command, had_files):
        """The outputs that are new; each of the others must be as it was."""
        new = []
        for name in command.outputs:
            path = self.folder / name
            if not path.exists():
                assert not had_files, f"{name} is gone"
            elif not had_files or path.read_bytes() != OLD:
                assert is_whole(path), f"{name} is not whole"
                new.append(name)
        return new

    def temporary_files(self):
        left = [path for path in self.folder.rglob("*") if ".part-" in path.name]
        return left + [path for path in self.scratch.rglob("*") if path.is_file() and "rescued" not in path.name]

    def check(self, command, had_files, result, may_leave=False):
        """Raises AssertionError where a promise is broken."""
        said = result.stderr.decode(errors="replace")
        assert "internal error" not in said, said
        assert said.count("svrmu: ") <= 1, said
        assert len(said.splitlines()) <= 20, said
        new = self.new_files(command, had_files)
        if not may_leave:
            assert not self.temporary_files(), f"left behind: {self.temporary_files()}"
        if result.returncode == 0:
            assert new == command.outputs, f"done, but not written: {set(command.outputs) - set(new)}"
        if "m.h5: cannot be written" in said:
            rescued = re.search("the model is saved as (.*)$", said, re.MULTILINE)
            assert rescued and is_whole(self.folder / rescued[1]), "the model is lost"
        saved = re.search(r"interrupted; saved: ([^;\n]*)", said)
        if "interrupted; nothing was written" in said:
            assert not new, f"it says that nothing was written, but there are {new}"
            assert result.stdout == b"" or not command.streams, "standard output has begun"
        if saved:
            named = [name for name in re.split(", | and ", saved[1]) if name in command.outputs]
            assert sorted(named) == sorted(new), f"it says {named}, but there are {new}"
        return new

    def every(self, name, command, had_files, step=1, **fault):
        """Hits each `step`-th call in turn until none is left to hit."""
        for at in itertools.count(1, step):
            result, call = self.run(command, had_files, at=at, **fault)
            if call is None:
                if result.returncode != 0:
                    self.note(name, at, call, result, "fails without a fault")
                return at - 1
            try:
                self.judge(command, had_files, result, fault.get("number", 0))
            except (AssertionError, OSError, ValueError) as broken:
                self.note(name, at, call, result, broken)

    def some(self, name, numbers, command, judge, lasts):
        """Lets these allocations fail; judge(result) raises AssertionError where a promise is broken."""
        for at in numbers:
            result, call = self.run(command, True, calls="allocation", at=at, error=errno.ENOMEM, lasts=lasts)
            try:
                judge(result)
            except (AssertionError, OSError, ValueError) as broken:
                self.note(name, at, call, result, broken)
        return len(numbers)

    def judge(self, command, had_files, result, number):
        if number == signal.SIGKILL:
            # Where a child reads the file, the call was the child's, and the parent tells of its end.
            lost_child = result.returncode == 6 and b"the process that read it was killed" in result.stderr
            assert lost_child or result.returncode in (-signal.SIGKILL, 0), f"exit code {result.returncode}"
            self.check(command, had_files, result, may_leave=True)
            again = [] if not command.outputs else ["--force"]
            result = self.start([*command.arguments, *again], command, {})
            assert result.returncode == 0, result.stderr
            assert not self.temporary_files(), f"left behind after the next run: {self.temporary_files()}"
            return
        allowed = DOCUMENTED if number == 0 else (0, 130)
        # A signal that comes before the program watches for it ends it as it ends any program.
        early = number != 0 and result.returncode == -number and not result.stderr
        assert early or result.returncode in allowed, f"exit code {result.returncode}"
        new = self.check(command, had_files, result)
        assert not early or not new

    def note(self, name, at, call, result, broken):
        self.failures.append(f"{name}, call {at} ({call}), exit code {result.returncode}: {broken}\n"
                             f"  {result.stderr.decode(errors='replace').strip()}")
        print(self.failures[-1], file=sys.stderr)


def main(about, quick_commands, play):
    """play(runs, name, command, quick) for the commands that the words of the call choose."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=COMMANDS)
    options = parser.parse_args()
    names = [options.only] if options.only else quick_commands if options.quick else list(COMMANDS)
    runs = Runs()
    try:
        for name in names:
            play(runs, name, COMMANDS[name], options.quick)
    finally:
        runs.close()
    print(f"{runs.count - len(runs.failures)} passed, {len(runs.failures)} failed")
    return 1 if runs.failures else 0
