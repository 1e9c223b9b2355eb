"""What the parts share: numbered cases, the program under test, and how a failure is told.

A case is a function of its part and its number alone. It has random numbers of its own, an empty folder, and
runs the program through `run`, which fails on what no run may do: die by a signal, hang, end with a code that
is not documented, or report an internal error.
"""

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SVRMU", str(ROOT / "build/release/bin/svrmu"))

DONE, USAGE, BAD_INPUT, CANNOT, NUMERICAL, RESOURCES, INTERRUPTED = 0, 2, 3, 4, 5, 6, 130
DOCUMENTED = {DONE, USAGE, BAD_INPUT, CANNOT, NUMERICAL, RESOURCES, INTERRUPTED}

GIGABYTE = 1 << 30
SECONDS = 120  # what a small fit may take on a machine that is busy with other things


class Failed(Exception):
    """What the program did is wrong."""


class Result:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode(errors="replace")
        self.err = done.stderr.decode(errors="replace")

    def json(self):
        try:
            return json.loads(self.out)
        except json.JSONDecodeError as error:
            raise Failed(f"standard output is not JSON: {error}") from None

    def message(self):
        """The line that the program ended with, for a failure."""
        return next((line for line in self.err.splitlines() if line.startswith("svrmu: ")), self.err.strip())


def limits(memory, cpu):
    """For the child: address space, and time in the processor, which does not depend on who else runs."""
    def set_limits():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


class Case:
    def __init__(self, part, number, folder):
        self.part, self.number, self.folder = part, number, folder
        self.random = np.random.default_rng([zlib.crc32(part.encode()), number])
        self.commands = []

    # Draws ----------------------------------------------------------------------------------------------

    def chance(self, share):
        return bool(self.random.random() < share)

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def integer(self, least, most):
        """Between the two, both included; each order of magnitude is as likely."""
        if least == most:
            return least
        low, high = np.log(max(least, 0) + 1), np.log(most + 1)
        return int(min(most, max(least, np.exp(self.random.uniform(low, high)) - 1 + 0.5)))

    def between(self, least, most):
        return float(self.random.uniform(least, most))

    def log_between(self, least, most):
        return float(np.exp(self.random.uniform(np.log(least), np.log(most))))

    # The program ----------------------------------------------------------------------------------------

    def words(self, arguments):
        return [PROGRAM, *(str(argument) for argument in arguments)]

    def run(self, *arguments, codes=None, seconds=SECONDS, memory=8 * GIGABYTE, cpu=SECONDS):
        """The result of a run that ends by itself; with one of `codes` if they are given."""
        words = self.words(arguments)
        self.commands.append(shlex.join(["svrmu", *words[1:]]))
        try:
            done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=seconds, preexec_fn=limits(memory, cpu))
        except subprocess.TimeoutExpired:
            raise Failed(f"no end within {seconds} s") from None
        result = Result(done)
        self.judge(result)
        if codes is not None:
            wanted = codes if isinstance(codes, (tuple, set, list)) else (codes,)
            self.check(result.code in wanted, f"exit code {result.code}, not {wanted}: {result.message()}")
        return result

    @staticmethod
    def judge(result):
        if result.code == -signal.SIGXCPU or (result.code == -signal.SIGKILL):
            raise Failed("hangs: its time in the processor is used up")
        if result.code < 0:
            raise Failed(f"died by {signal.Signals(-result.code).name}: {result.err.strip()[-300:]}")
        if result.code not in DOCUMENTED:
            raise Failed(f"exit code {result.code}: {result.message()}")
        if "internal error" in result.err:
            raise Failed(result.message())

    def check(self, holds, text):
        if not holds:
            raise Failed(text)

    def files(self):
        return {path.name for path in self.folder.iterdir()}

    def no_leftovers(self):
        """Files are written beside their target and renamed: none may stay."""
        left = sorted(name for name in self.files() if ".part-" in name)
        self.check(not left, f"left behind: {', '.join(left)}")


def scratch_folder():
    """In memory where that can be had: every file of the program is synced."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def play(part, number, body, keep=False):
    """(failure or None, commands, folder) of one case."""
    folder = Path(tempfile.mkdtemp(prefix=f"svrmu-{part}-{number}-", dir=scratch_folder()))
    case = Case(part, number, folder)
    failure = None
    try:
        body(case)
    except Failed as error:
        failure = str(error)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return failure, case.commands, folder


def catalog():
    """The algorithms by name, with their options, as the program lists them."""
    global CATALOG
    if CATALOG is None:
        out = subprocess.run([PROGRAM, "algorithms", "--json"], capture_output=True, check=True).stdout
        CATALOG = {entry["name"]: entry["options"] for entry in json.loads(out)}
    return CATALOG


CATALOG = None
