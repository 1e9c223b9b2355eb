"""Runs that are ended from outside at a random moment: by INT, TERM or KILL.

What is there afterwards must be whole, what the program says of it must be true, and --resume must give the
bits of a run that nobody ended.
"""

import json
import re
import shlex
import signal
import subprocess
import time

import numpy as np

import oracle
import rules
from torture import DONE, INTERRUPTED, NUMERICAL, Failed, catalog

COUNT = 5000
QUICK = range(32)

SIGNALS = (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
OUTPUTS = {"--save-w": "W.npy", "--save-h": "H.csv", "--trace": "trace.json", "--report": "page.html"}


def draw(case):
    """A fit of some tens of milliseconds, with several outputs."""
    algorithm = case.pick(*catalog())
    F, N = case.integer(40, 150), case.integer(200, 1500)
    V = case.random.gamma(0.7, size=(F, 6)) @ case.random.gamma(0.7, size=(6, N)) * case.random.uniform(0.7, 1.3, (F, N))
    np.save(case.folder / "V.npy", V)
    flags = {"--algorithm": algorithm, "--rank": case.integer(2, 10), "--seed": case.integer(0, 99),
             "--epochs": case.integer(1, 40), "--tol": 0}
    if algorithm in rules.EVERY_LOSS and case.chance(0.3):
        flags["--loss"] = "kl"
    if case.chance(0.3):
        flags["--restarts"] = case.integer(2, 4)
    if case.chance(0.2):
        flags["--normalize"] = None
    outputs = {flag: name for flag, name in OUTPUTS.items() if case.chance(0.5)}
    return V, flags, outputs


def fit_words(flags, outputs, folder=""):
    words = ["fit", "V.npy", "--threads", "1"]
    for flag, value in flags.items():
        words += [flag] if value is None else [flag, str(value)]
    for flag, name in outputs.items():
        words += [flag, folder + name]
    return words


def send(case, words, sign, delay, twice):
    """(code, messages) of a run that gets the signal after `delay` seconds, and perhaps once more."""
    case.commands.append(shlex.join(["svrmu", *words]) + f"    # {signal.Signals(sign).name} after {delay:.4f} s")
    program = subprocess.Popen(case.words(words), cwd=case.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    try:
        time.sleep(delay)
        program.send_signal(sign)
        if twice:
            time.sleep(0.002)
            program.send_signal(sign)
        _, err = program.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        raise Failed("no end within 60 s of a signal") from None
    finally:
        program.kill()
        program.wait()
    return program.returncode, err.decode(errors="replace")


def check_whole(case, name):
    """An output that is there is all there."""
    path = case.folder / name
    if not path.exists():
        return False
    try:
        if name.endswith(".h5"):
            oracle.Model(path)
        elif name.endswith(".npy"):
            np.load(path)
        elif name.endswith(".csv"):
            np.loadtxt(path, delimiter=",", ndmin=2)
        elif name.endswith(".json"):
            json.loads(path.read_text())
        else:
            case.check(path.read_text().rstrip().endswith("</html>"), f"{name} is cut off")
    except (OSError, ValueError, KeyError) as error:
        raise Failed(f"{name} is there, but not whole: {error}") from None
    return True


def check_message(case, code, err, made, before):
    """What the program said of its files."""
    new = sorted(made - before)
    if "nothing was written" in err:
        case.check(not new, f"\"nothing was written\", but there is {', '.join(new)}")
    for line in err.splitlines():
        said = re.match(r"(?:model|W|H|R|trace|report) +(\S+)$", line)
        if said:
            case.check(said.group(1) in made, f"the program says {line!r}, but there is no such file")
    if code == INTERRUPTED and "m.h5" not in made:
        case.check("nothing was written" in err or "interrupted" in err, f"exit code 130 without a word: {err!r}")


def go_on_until_done(case, flags, model):
    """Resumes the model until it ends by its own limits."""
    for _ in range(20):
        if oracle.Model(case.folder / model).attributes["stop_reason"] != "cancelled":
            return
        case.run("fit", "--resume", model, "-q", "--threads", 1, codes=(DONE, NUMERICAL))
    raise Failed("resumed 20 times and still canceled")


def case(case):
    V, flags, outputs = draw(case)
    begin = time.monotonic()
    case.run(*fit_words(flags, {**outputs, "-o": "whole.h5"}), "-q", codes=(DONE, NUMERICAL))
    duration = time.monotonic() - begin
    for name in outputs.values():
        (case.folder / name).unlink()
    before = case.files()

    sign = SIGNALS[case.number % len(SIGNALS)]
    twice = sign == signal.SIGINT and case.chance(0.3)
    # A signal during the start of the process would meet no handler: that is the shell's business, not ours.
    delay = case.between(0.02, 1.1) * duration
    code, err = send(case, fit_words(flags, {**outputs, "-o": "m.h5"}), sign, delay, twice)
    made = case.files()
    present = {name: check_whole(case, name) for name in ("m.h5", *outputs.values())}
    if sign == signal.SIGKILL:
        case.check(code in (-signal.SIGKILL, DONE, NUMERICAL), f"exit code {code} after KILL")
    else:
        early = code == -sign and not made - before  # before the program watches for signals
        case.check(early or code in (DONE, NUMERICAL, INTERRUPTED), f"exit code {code} after {sign.name}: {err[-300:]}")
        case.no_leftovers()
        check_message(case, code, err, made, before)
        if code in (DONE, NUMERICAL):
            case.check(all(present.values()), f"exit code {code}, but of the outputs there are only {present}")
    if not present["m.h5"]:
        return
    oracle.check_claims(oracle.Model(case.folder / "m.h5"), V)
    go_on_until_done(case, flags, "m.h5")
    A, B = (oracle.Model(case.folder / name) for name in ("whole.h5", "m.h5"))
    for name in ("W", "H"):
        X, Y = getattr(A, name), getattr(B, name)
        case.check(X.tobytes() == Y.tobytes(), f"killed and resumed: {name} has other bits, at most "
                                               f"{np.abs(X - Y).max():.3g} apart")
    # A killed run may leave what it was writing; the next run to the same name must not be hindered by it.
    case.run(*fit_words(flags, {"-o": "m.h5"}), "-q", "--force", codes=(DONE, NUMERICAL))
