"""Samples that are seen once: whatever form they come in, wherever they end, the bits are those of the whole.

Each case is of one kind, by its number. What a model has learned is said by its file: `samples` of /data.
"""

import io
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import scipy.sparse as sp

import mutations
from torture import BAD_INPUT, DONE, GIGABYTE, INTERRUPTED, NUMERICAL, Failed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

from columns import framed  # noqa: E402

COUNT = 10000
QUICK = range(60)

FROBENIUS = ("inc-hals", "inc-mu", "inc-mu-acc", "onmf", "onmf-acc")
EVERY_LOSS = ("smu", "smu-acc", "svrmu", "svrmu-acc")
WINDOWED = ("svrmu", "svrmu-acc")
SECONDS = 60


class Model:
    """What a stream left: W, how many columns it is of, and the running sums."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.W = file["W"][:]
            self.samples = int(file["data"].attrs["samples"])
            self.reason = file.attrs["stop_reason"].decode()
            self.errors = file["history/relative_error"][:]
            no_h = file["H"].shape[1] == 0
        if not no_h:
            raise Failed("a model of a stream holds H")
        if not np.isfinite(self.W).all() or (self.W < 0).any():
            raise Failed("W is negative or not finite")
        if not np.isfinite(self.errors).all():
            raise Failed("a running error is not finite")


def draw(case):
    """V, the flags of a fit, and the columns that are asked of the stream at a time."""
    algorithm = case.pick(*FROBENIUS, *EVERY_LOSS)
    flags = {"--algorithm": algorithm, "--rank": case.integer(1, 6), "--seed": case.integer(0, 99)}
    F, N = case.integer(6, 40), case.integer(30, 400)
    V = case.random.gamma(0.7, size=(F, 4)) @ case.random.gamma(0.7, size=(4, N)) + 0.01
    if case.chance(0.3):
        V[case.random.random(V.shape) < 0.4] = 0
        V[0, :] = 1  # no column is empty
    elif algorithm in EVERY_LOSS and case.chance(0.5):
        flags["--loss"] = case.pick("kl", "kl", "is", "beta:0.5", "beta:1.5")
    V = V.astype(case.pick("f4", "f8"))
    batch = case.integer(1, 60)
    flags["--batch-size"] = batch
    asked = batch
    if algorithm in WINDOWED:
        asked = batch * case.integer(1, 8)
        flags["--window"] = asked
    elif algorithm in FROBENIUS and case.chance(0.4):
        flags["--forget-factor"] = round(case.between(0.5, 1), 3)
    if case.chance(0.2):
        flags["--l1-w"] = 0.01
    return V, flags, asked


def words(flags):
    return [word for flag, value in flags.items() for word in (flag, str(value))]


def again(flags):
    """What is said anew to an update: the model keeps the rest."""
    return words({flag: value for flag, value in flags.items() if flag in ("--forget-factor", "--window")})


def stream(case, data, *arguments, codes=(DONE,), cpu=SECONDS, memory=8 * GIGABYTE):
    """A run with these bytes in a file that is read as a stream."""
    (case.folder / "columns").write_bytes(data)
    return case.run(*arguments, "--stream", "columns", "-q", "--force", codes=codes, cpu=cpu, memory=memory)


def learn(case, data, flags, model, threads=1, **more):
    return stream(case, data, "fit", *words(flags), "-o", model, "--threads", threads, **more)


def go_on(case, data, flags, model, to):
    return stream(case, data, "update", model, *again(flags), "-o", to, "--threads", 1)


def same_bits(case, a, b, what):
    A, B = (Model(case.folder / name) for name in (a, b))
    case.check(A.samples == B.samples, f"{what}: {A.samples} columns and {B.samples}")
    case.check(A.W.tobytes() == B.W.tobytes(), f"{what}: W has other bits, at most {np.abs(A.W - B.W).max():.3g} apart")


def frames(case, V):
    return framed(V, block=case.integer(1, 2 * V.shape[1]), dtype="<f4" if V.dtype == np.float32 else "<f8")


def as_npy(V):
    file = io.BytesIO()
    np.save(file, V)
    return file.getvalue()


def forms(case, V):
    """The same columns in every framing."""
    text = "\n".join(",".join(repr(float(x)) for x in column) for column in V.T) + "\n"
    return {"frames": frames(case, V), "rows of .npy": as_npy(np.ascontiguousarray(V.T)),
            "columns of .npy": as_npy(np.asfortranarray(V)), "text": text.encode()}


def formed(case):
    """Every framing and any number of threads: the same bits."""
    V, flags, _ = draw(case)
    flags["--precision"] = "float32" if V.dtype == np.float32 else "float64"
    learn(case, frames(case, V), flags, "a.h5")
    case.check(Model(case.folder / "a.h5").samples == V.shape[1], "not every column was learned from")
    for form, data in forms(case, V).items():
        learn(case, data, flags, "b.h5")
        same_bits(case, "a.h5", "b.h5", form)
    learn(case, frames(case, V), flags, "b.h5", threads=case.integer(2, 3))
    same_bits(case, "a.h5", "b.h5", "threads")


def pieced(case):
    """Pieces that end where batches do: the bits of the whole."""
    V, flags, asked = draw(case)
    learn(case, frames(case, V), flags, "whole.h5")
    ends = [end for end in range(asked, V.shape[1], asked) if case.chance(0.4)] + [V.shape[1]]
    begin = 0
    for end in ends:
        piece = V[:, begin:end]
        if begin == 0:
            learn(case, frames(case, piece), flags, "piece.h5")
        elif case.chance(0.5):
            go_on(case, frames(case, piece), flags, "piece.h5", "piece.h5")
        else:
            np.save(case.folder / "new.npy", piece)
            case.run("update", "piece.h5", "new.npy", *again(flags), "-o", "piece.h5", "--force", "-q", "--threads", 1,
                     codes=DONE)
        begin = end
    same_bits(case, "whole.h5", "piece.h5", f"pieces that end at {ends}")


def finish(case, V, flags, model):
    """Goes on with the columns that the model has not seen, and compares with the whole."""
    seen = Model(case.folder / model).samples
    case.check(seen <= V.shape[1], f"{seen} columns of {V.shape[1]}")
    if seen < V.shape[1]:
        go_on(case, frames(case, V[:, seen:]), flags, model, "rest.h5")
        model = "rest.h5"
    learn(case, frames(case, V), flags, "whole.h5")
    same_bits(case, "whole.h5", model, f"ended after {seen} columns and gone on")


def cut(case):
    """A stream that is cut off anywhere leaves the model of all whole batches before, or nothing."""
    V, flags, asked = draw(case)
    data = frames(case, V)
    data = data[:int(case.random.integers(0, len(data)))]
    result = learn(case, data, flags, "m.h5", codes=(BAD_INPUT,))
    case.check("columns" in result.message(), f"the message does not name the file: {result.message()}")
    if not (case.folder / "m.h5").exists():
        return
    seen = Model(case.folder / "m.h5").samples
    case.check(seen % asked == 0 or seen == V.shape[1], f"{seen} columns are no whole batches of {asked}")
    finish(case, V, flags, "m.h5")


def damaged(case):
    """Changed bytes: no crash, no hang, no gigabytes; a file or a message that names it."""
    V, flags, _ = draw(case)
    form = case.pick("frames", "frames", "sparse frames", "rows of .npy", "columns of .npy", "text")
    kind = "<f4" if V.dtype == np.float32 else "<f8"
    data = framed(sp.csc_matrix(V), case.integer(1, 50), kind) if form == "sparse frames" else forms(case, V)[form]
    for _ in range(case.integer(1, 4)):
        data = bytes(mutations.change(case, data, form == "text", list(range(min(len(data), 200)))))
    result = learn(case, data, flags, "m.h5", codes=None, cpu=mutations.CPU_SECONDS, memory=mutations.MEMORY)
    if result.code in (DONE, NUMERICAL):  # a huge value is a value
        case.check((case.folder / "m.h5").exists(), f"exit code {result.code}, and no model")
    else:
        case.check("columns" in result.message() or "--" in result.message(),
                   f"{form}: the message names neither file nor flag: {result.message()}")
    if (case.folder / "m.h5").exists():
        Model(case.folder / "m.h5")


def feed(case, program, data, sign, at):
    """Writes the bytes, and sends the signal when so many are written."""
    try:
        program.stdin.write(data[:at])
        program.stdin.flush()
        if case.chance(0.5):
            time.sleep(case.between(0, 0.02))
        program.send_signal(sign)
        program.stdin.write(data[at:])
        program.stdin.close()
    except BrokenPipeError:
        pass  # it has ended


def ended(case):
    """INT, TERM or KILL while columns come: what is there is whole, and going on gives the bits of the whole."""
    V, flags, asked = draw(case)
    V = np.tile(V, (1, case.integer(1, 20)))
    sign = case.pick(signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
    data = frames(case, V)
    arguments = ["fit", "--stream", "-", *words(flags), "-o", "m.h5", "--threads", "1"]
    at = int(case.random.integers(0, len(data) + 1))
    case.commands.append(shlex.join(["svrmu", *arguments]) + f"    # {sign.name} after {at} bytes")
    program = subprocess.Popen(case.words(arguments), cwd=case.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=(case.folder / "said").open("wb"))
    try:
        feed(case, program, data, sign, at)
        code = program.wait(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"no end within {SECONDS} s of {sign.name}") from None
    finally:
        program.kill()
        program.wait()
    said = (case.folder / "said").read_text(errors="replace")
    there = (case.folder / "m.h5").exists()
    case.check(code in (DONE, INTERRUPTED, -sign), f"exit code {code} after {sign.name}: {said[-300:]}")
    if sign != signal.SIGKILL:
        case.no_leftovers()
    case.check(not (there and "nothing was written" in said), "\"nothing was written\", but there is m.h5")
    case.check(there or code != DONE, "exit code 0, and no model")
    if there:
        seen = Model(case.folder / "m.h5").samples
        case.check(seen % asked == 0 or seen == V.shape[1], f"{seen} columns are no whole batches of {asked}")
        finish(case, V, flags, "m.h5")


KINDS = (formed, pieced, pieced, cut, damaged, damaged, ended, ended)


def case(case):
    kind = KINDS[case.number % len(KINDS)]
    kind(case)
    if kind is not ended:  # KILL may leave what it was writing
        case.no_leftovers()
