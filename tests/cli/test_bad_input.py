"""Bad input: the documented exit code, one line that names file and place, and nothing left behind."""

import os
import pwd
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

import numpy as np
import scipy.sparse

from program import SVRMU, CliTest

USAGE, BAD_INPUT, CANNOT, LIMIT = 2, 3, 4, 6
FIT = ["fit", "V.npy", "-k", "2"]


def npy(folder, name="V.npy", **cells):
    V = np.arange(1.0, 21.0).reshape(4, 5)
    for place, value in cells.items():
        row, column = map(int, place[1:].split("_"))
        V[row, column] = value
    np.save(folder / name, V)


def text(content, name):
    return lambda folder: (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def header(shape="(4, 5)", descr="'<f8'", order="False"):
    body = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(body)) + body.encode()


def truncated(writer, name, share):
    def make(folder):
        writer(folder)
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(len(data) * share)])
    return make


def csr(folder, **changes):
    parts = {"format": b"csr", "shape": np.array([2, 3]), "data": np.array([1.0, 2.0]), "indices": np.array([0, 2]),
             "indptr": np.array([0, 1, 2])}
    np.savez(folder / "V.npz", **{**parts, **changes})


def model(folder):
    npy(folder)
    subprocess.run([SVRMU, "fit", "V.npy", "-k", "2", "-q", "-o", "m.h5", "--epochs", "2"], cwd=folder, check=True)


def then(*steps):
    return lambda folder: [step(folder) for step in steps]


# what it is: how the folder is prepared, arguments, exit code, words that the message must have
TABLE = {
    # files that cannot be read
    "missing file": (None, ["fit", "no.npy", "-k", "2"], CANNOT, ["no.npy", "No such file"]),
    "missing folder": (None, ["fit", "no/where.npy", "-k", "2"], CANNOT, ["no/where.npy"]),
    "missing file for info": (None, ["info", "no.mtx"], CANNOT, ["no.mtx"]),
    "missing file for convert": (None, ["convert", "no.csv", "out.npy"], CANNOT, ["no.csv"]),
    "missing model": (npy, ["transform", "no.h5", "V.npy", "-o", "H.npy"], CANNOT, ["no.h5"]),
    "missing start": (npy, [*FIT, "--init-w", "W0.npy"], CANNOT, ["W0.npy"]),
    "empty folder": (lambda f: (f / "box").mkdir(), ["fit", "box", "-k", "2"], BAD_INPUT, ["box"]),
    "folder with an ending": (lambda f: (f / "V.npy").mkdir(), FIT, CANNOT, ["V.npy", "folder"]),
    # files that make no sense
    "empty npy": (text("", "V.npy"), FIT, BAD_INPUT, ["V.npy", "empty"]),
    "empty csv": (text("", "V.csv"), ["fit", "V.csv", "-k", "2"], BAD_INPUT, ["V.csv", "empty"]),
    "unknown ending": (text("1 2", "V.dat"), ["fit", "V.dat", "-k", "2"], BAD_INPUT, ["V.dat", "ending"]),
    "wrong magic": (text("hello world", "V.npy"), FIT, BAD_INPUT, ["V.npy"]),
    "mtx called npy": (text("%%MatrixMarket matrix array real general\n1 1\n1\n", "V.npy"), FIT, BAD_INPUT, [".mtx"]),
    "npy cut in its header": (truncated(npy, "V.npy", 0.2), FIT, BAD_INPUT, ["V.npy"]),
    "npy cut in its values": (truncated(npy, "V.npy", 0.9), FIT, BAD_INPUT, ["V.npy"]),
    "npy of huge sizes": (text(header("(99999999999, 99999999999)"), "V.npy"), FIT, BAD_INPUT, ["V.npy"]),
    "npy of negative sizes": (text(header("(-1, 5)"), "V.npy"), FIT, BAD_INPUT, ["V.npy"]),
    "npy with one dimension": (lambda f: np.save(f / "V.npy", np.ones(4)), FIT, BAD_INPUT, ["V.npy", "dimension"]),
    "npy with three dimensions": (lambda f: np.save(f / "V.npy", np.ones((2, 2, 2))), FIT, BAD_INPUT, ["V.npy"]),
    "complex npy": (lambda f: np.save(f / "V.npy", np.ones((2, 2), complex)), FIT, BAD_INPUT, ["complex"]),
    "object npy": (lambda f: np.save(f / "V.npy", np.array([[None, 1]]), allow_pickle=True), FIT, BAD_INPUT, ["object"]),
    "text npy": (lambda f: np.save(f / "V.npy", np.array([["a", "b"]])), FIT, BAD_INPUT, ["V.npy"]),
    "empty matrix": (lambda f: np.save(f / "V.npy", np.ones((0, 5))), FIT, BAD_INPUT, ["0 x 5"]),
    "npz without the member": (lambda f: np.savez(f / "V.npz", a=np.ones((2, 2))), ["fit", "V.npz:b", "-k", "1"],
                               BAD_INPUT, ["V.npz", "b"]),
    "npz with two members": (lambda f: np.savez(f / "V.npz", a=np.ones((2, 2)), b=np.ones((2, 2))),
                             ["fit", "V.npz", "-k", "1"], BAD_INPUT, ["a", "b"]),
    "npz cut": (truncated(csr, "V.npz", 0.7), ["fit", "V.npz", "-k", "1"], BAD_INPUT, ["V.npz"]),
    "sparse index out of range": (lambda f: csr(f, indices=np.array([0, 3])), ["fit", "V.npz", "-k", "1"], BAD_INPUT,
                                  ["V.npz"]),
    "sparse offsets decrease": (lambda f: csr(f, indptr=np.array([0, 2, 1])), ["fit", "V.npz", "-k", "1"], BAD_INPUT,
                                ["V.npz"]),
    "sparse lengths differ": (lambda f: csr(f, data=np.array([1.0])), ["fit", "V.npz", "-k", "1"], BAD_INPUT, ["V.npz"]),
    "mtx index out of range": (text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n", "V.mtx"),
                               ["fit", "V.mtx", "-k", "1"], BAD_INPUT, ["V.mtx, line 3"]),
    "mtx with too few entries": (text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n", "V.mtx"),
                                 ["fit", "V.mtx", "-k", "1"], BAD_INPUT, ["V.mtx"]),
    "mtx with text": (text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 5\n", "V.mtx"),
                      ["fit", "V.mtx", "-k", "1"], BAD_INPUT, ["V.mtx, line 3"]),
    "complex mtx": (text("%%MatrixMarket matrix array complex general\n1 1\n1 1\n", "V.mtx"),
                    ["fit", "V.mtx", "-k", "1"], BAD_INPUT, ["complex"]),
    "mtx of huge sizes": (text("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n", "V.mtx"),
                          ["fit", "V.mtx", "-k", "1"], BAD_INPUT, ["V.mtx"]),
    "csv with text in numbers": (text("1,2\n3,oops\n", "V.csv"), ["fit", "V.csv", "-k", "1"], BAD_INPUT,
                                 ["V.csv, line 2", "oops"]),
    "csv with a short line": (text("1,2\n3\n", "V.csv"), ["fit", "V.csv", "-k", "1"], BAD_INPUT, ["V.csv, line 2"]),
    "csv with an empty cell": (text("1,2\n3,\n", "V.csv"), ["fit", "V.csv", "-k", "1"], BAD_INPUT, ["V.csv, line 2"]),
    "csv with an open quote": (text('1,"2\n3,4\n', "V.csv"), ["fit", "V.csv", "-k", "1"], BAD_INPUT, ["V.csv"]),
    "gz that is none": (text("1,2\n", "V.csv.gz"), ["fit", "V.csv.gz", "-k", "1"], BAD_INPUT, ["V.csv.gz", "gzip"]),
    "gz cut": (text(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33", "V.csv.gz"), ["fit", "V.csv.gz", "-k", "1"],
               BAD_INPUT, ["V.csv.gz"]),
    "mat that is none": (text("MATLAB 5.0 but no more", "V.mat"), ["fit", "V.mat", "-k", "1"], BAD_INPUT, ["V.mat"]),
    "h5 that is none": (text("rubbish" * 100, "V.h5"), ["fit", "V.h5", "-k", "1"], BAD_INPUT, ["V.h5"]),
    "h5ad that is none": (text("rubbish" * 100, "V.h5ad"), ["fit", "V.h5ad", "-k", "1"], BAD_INPUT, ["V.h5ad"]),
    "model that is none": (npy, ["top", "V.npy"], BAD_INPUT, ["V.npy"]),
    "model cut": (then(truncated(model, "m.h5", 0.6)), ["top", "m.h5"], BAD_INPUT, ["m.h5"]),
    "matrix given as model": (then(npy, lambda f: npy(f, "M.npy")), ["transform", "M.npy", "V.npy", "-o", "H.npy"], BAD_INPUT,
                              ["M.npy"]),
    # values that cannot be factorized
    "NaN": (lambda f: npy(f, v2_3=np.nan), FIT, BAD_INPUT, ["V.npy", "NaN", "row 3, column 4"]),
    "infinite": (lambda f: npy(f, v1_1=np.inf), FIT, BAD_INPUT, ["V.npy", "infinite", "row 2, column 2"]),
    "negative": (lambda f: npy(f, v3_4=-1), FIT, BAD_INPUT, ["V.npy", "negative", "-1", "row 4, column 5"]),
    "zero everywhere": (lambda f: np.save(f / "V.npy", np.zeros((3, 3))), FIT, BAD_INPUT, ["zero"]),
    "zeros under itakura-saito": (lambda f: npy(f, v0_0=0), [*FIT, "--loss", "is"], BAD_INPUT, ["zeros", "is"]),
    "negative under preprocessing": (lambda f: npy(f, v3_4=-1), [*FIT, "--preprocess", "log1p"], BAD_INPUT, ["V.npy"]),
    # command lines
    "no command": (None, ["fitt", "V.npy"], USAGE, ["did you mean fit?"]),
    "unknown flag": (npy, [*FIT, "--batchsize", "3"], USAGE, ["did you mean --batch-size?"]),
    "no rank": (npy, ["fit", "V.npy"], USAGE, ["-k"]),
    "rank 0": (npy, ["fit", "V.npy", "-k", "0"], USAGE, ["rank"]),
    "rank below 0": (npy, ["fit", "V.npy", "-k", "-3"], USAGE, ["rank"]),
    "rank too large": (npy, ["fit", "V.npy", "-k", "50000"], USAGE, ["rank", "46340"]),
    "rank above the singular vectors": (npy, ["fit", "V.npy", "-k", "5", "--init", "nndsvda"], USAGE, ["rank"]),
    "rank no number": (npy, ["fit", "V.npy", "-k", "two"], USAGE, ["two"]),
    "unknown algorithm": (npy, [*FIT, "--algorithm", "svrmuu"], USAGE, ["did you mean svrmu"]),
    "unknown loss": (npy, [*FIT, "--loss", "hinge"], USAGE, ["hinge"]),
    "unknown step": (npy, [*FIT, "--preprocess", "tdidf"], USAGE, ["tfidf"]),
    "unknown start": (npy, [*FIT, "--init", "randomm"], USAGE, ["random"]),
    "option of another algorithm": (npy, [*FIT, "--algorithm", "hals", "--batch-size", "3"], USAGE,
                                    ["hals", "--batch-size"]),
    "option out of range": (npy, [*FIT, "--algorithm", "svrmu", "--step", "7"], USAGE, ["step", "7"]),
    "loss of another algorithm": (npy, [*FIT, "--algorithm", "hals", "--loss", "kl"], USAGE, ["hals"]),
    "negative tolerance": (npy, [*FIT, "--tol", "-1"], USAGE, ["-1"]),
    "time that is none": (npy, [*FIT, "--time-limit", "soon"], USAGE, ["--time-limit"]),
    "time that is empty": (npy, [*FIT, "--time-limit", ""], USAGE, ["--time-limit"]),
    "quiet and verbose": (npy, [*FIT, "-q", "-v"], USAGE, ["--quiet"]),
    "start of the wrong size": (then(npy, lambda f: np.save(f / "W0.npy", np.ones((4, 3)))), [*FIT, "--init-w", "W0.npy"],
                                BAD_INPUT, ["W0.npy", "4 x 3", "4 x 2"]),
    "start below 0": (then(npy, lambda f: np.save(f / "W0.npy", -np.ones((4, 2)))), [*FIT, "--init-w", "W0.npy"], BAD_INPUT,
                      ["W0.npy, row 1, column 1", "-1"]),
    "two words too many": (npy, [*FIT, "what", "else"], USAGE, ["what"]),
    "outliers of an algorithm without": (npy, [*FIT, "--algorithm", "mu", "--save-r", "R.npy"], USAGE, ["--save-r"]),
    "one output under two spellings": (npy, [*FIT, "-o", "m.h5", "--trace", "./m.h5", "--force"], USAGE, ["m.h5", "same file"]),
    "input as output": (npy, [*FIT, "--save-w", "./V.npy", "--force"], USAGE, ["V.npy", "same file"]),
    "two commands": (npy, ["info", "V.npy", "algorithms"], USAGE, ["algorithms"]),
    "flag before the command": (npy, ["--quiet", "fit", "V.npy", "-k", "2"], USAGE, ["command"]),
    "empty resume": (npy, ["fit", "V.npy", "-k", "2", "--resume", ""], USAGE, ["--resume"]),
    "octal rank": (npy, ["fit", "V.npy", "-k", "010"], USAGE, ["010"]),
    "negative seed": (npy, [*FIT, "--seed", "-1"], USAGE, ["--seed"]),
    "seed beyond 64 bits": (npy, [*FIT, "--seed", "18446744073709551616"], USAGE, ["--seed", "18446744073709551616"]),
    "rank beyond all numbers": (npy, ["fit", "V.npy", "-k", "99999999999999999999"], USAGE, ["99999999999999999999"]),
    "missing features without names": (model, ["transform", "m.h5", "V.npy", "-o", "H.npy", "--missing-as-zero"], USAGE,
                                       ["--missing-as-zero"]),
    "rank for a model": (model, ["info", "m.h5", "-k", "3"], USAGE, ["--rank"]),
    "control characters in a flag": (npy, [*FIT, "--time-limit", "\x1b[31m\nx"], USAGE, ["--time-limit"]),
    "name that is too long": (npy, [*FIT, "-o", "m" * 250], CANNOT, ["too long"]),
    "two outputs of one name": (npy, [*FIT, "--save-w", "A.npy", "--save-h", "A.npy"], USAGE, ["A.npy"]),
    "output of unknown kind": (npy, [*FIT, "--save-w", "W.xyz"], USAGE, ["W.xyz", ".npy"]),
    "unknown kind of data": (None, ["generate", "swimer", "-o", "V.npy"], USAGE, ["swimmer"]),
    "unknown shell": (None, ["completion", "tcsh"], USAGE, ["tcsh"]),
    # too few or too many features for a model
    "other number of features": (then(model, lambda f: np.save(f / "U.npy", np.ones((7, 3)))),
                                 ["transform", "m.h5", "U.npy", "-o", "H.npy"], BAD_INPUT, ["7 features", "4"]),
    # outputs
    "output in a missing folder": (npy, [*FIT, "-o", "no/m.h5"], CANNOT, ["no/m.h5", "no folder"]),
    "output that is a folder": (then(npy, lambda f: (f / "box").mkdir()), [*FIT, "-o", "box"], CANNOT, ["box", "folder"]),
    "output that is there": (then(npy, text("mine", "m.h5")), [*FIT, "-o", "m.h5"], CANNOT, ["m.h5", "--force"]),
    "W that is there": (then(npy, text("mine", "W.npy")), [*FIT, "--save-w", "W.npy"], CANNOT, ["W.npy", "--force"]),
    "trace that is there": (then(npy, text("mine", "t.json")), [*FIT, "--trace", "t.json"], CANNOT, ["t.json"]),
    "converted file that is there": (then(npy, text("mine", "V.csv")), ["convert", "V.npy", "V.csv"], CANNOT, ["V.csv"]),
    "full disk": (npy, [*FIT, "-o", "/dev/full", "--force"], CANNOT, ["/dev/full"]),
    "full disk for the trace": (npy, [*FIT, "--trace", "/dev/full", "--force"], CANNOT, ["/dev/full"]),
    # more than there is
    "more memory than there is": (
        lambda f: scipy.sparse.save_npz(f / "V.npz", scipy.sparse.csr_matrix(
            (np.ones(3), ([0, 1, 2], [0, 1, 2])), shape=(4_000_000, 4_000_000))),
        ["fit", "V.npz", "-k", "5000"], LIMIT, ["memory|GiB|bytes"]),
}


class BadInput(CliTest):
    def check(self, name):
        prepare, arguments, code, words = TABLE[name]
        if prepare:
            prepare(self.folder)
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        result = subprocess.run([SVRMU, *arguments], cwd=self.folder, capture_output=True, timeout=120,
                                stdin=subprocess.DEVNULL)
        err = result.stderr.decode()
        self.assertEqual(result.returncode, code, err)
        complaint = err.splitlines()[-1]
        self.assertTrue(complaint.startswith("svrmu: "), err)
        self.assertEqual(err.count("svrmu: "), 1, err)
        for word in words:
            self.assertRegex(complaint, word if "|" in word else word.replace("(", "\\("))
        self.assertEqual(result.stdout, b"")
        after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(before, after, "files came, went or changed")


for case in TABLE:
    def test(self, name=case):
        self.check(name)
    setattr(BadInput, "test_" + "".join(c if c.isalnum() else "_" for c in case), test)


class Permissions(CliTest):
    """Root may do anything, so these run as nobody."""

    def as_nobody(self, *arguments):
        if os.geteuid() != 0:
            user = {}
        else:
            nobody = pwd.getpwnam("nobody")
            user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        return subprocess.run([SVRMU, *arguments], cwd=self.folder, capture_output=True, **user)

    def setUp(self):
        super().setUp()
        npy(self.folder)
        self.folder.chmod(0o755)
        for path in Path(SVRMU).resolve().parents:
            if not path.stat().st_mode & 0o001:
                self.skipTest(f"{path} is closed to other users")

    def test_file_that_may_not_be_read(self):
        (self.folder / "V.npy").chmod(0)
        result = self.as_nobody("info", "V.npy")
        self.assertEqual(result.returncode, CANNOT, result.stderr)
        self.assertIn(b"V.npy: cannot be read: Permission denied", result.stderr)

    def test_folder_that_may_not_be_written(self):
        (self.folder / "V.npy").chmod(0o644)
        self.folder.chmod(0o555)
        result = self.as_nobody(*FIT, "-o", "m.h5")
        self.folder.chmod(0o755)
        self.assertEqual(result.returncode, CANNOT, result.stderr)
        self.assertIn(b"m.h5", result.stderr)
        self.assertEqual(self.files(), ["V.npy"])


class CrashInLibrary(CliTest):
    """A file on which libhdf5 1.10.8 crashes (fuzz/library_faults)."""

    def fault(self, name):
        source = Path(__file__).parents[2] / "fuzz" / "library_faults" / name
        shutil.copy(source, self.folder / "V.h5")
        return self.folder / "V.h5"

    def test_is_an_error_that_names_the_file(self):
        self.fault("hdf5_local_heap")
        result = subprocess.run([SVRMU, "info", "V.h5"], cwd=self.folder, capture_output=True, timeout=60)
        if b"Sanitizer" in result.stderr:
            self.skipTest("the sanitizer reports the crash itself")
        self.assertEqual(result.returncode, BAD_INPUT, result.stderr)
        self.assertRegex(result.stderr.decode(), r"\Asvrmu: V\.h5: .*\n\Z")
        self.assertEqual(result.stdout, b"")

    def test_leaves_no_temporary_file(self):
        with open(self.fault("hdf5_local_heap"), "rb") as stream:
            temporary = self.folder / "tmp"
            temporary.mkdir()
            result = subprocess.run([SVRMU, "info", "-"], cwd=self.folder, stdin=stream, capture_output=True,
                                    timeout=60, env={**os.environ, "TMPDIR": str(temporary)})
        if b"Sanitizer" in result.stderr:
            self.skipTest("the sanitizer reports the crash itself")
        self.assertEqual(result.returncode, BAD_INPUT, result.stderr)
        self.assertIn(b"standard input", result.stderr)
        self.assertEqual(list(temporary.iterdir()), [])


class Truncation(CliTest):
    """Every format cut at every boundary that its first kilobyte has, and at many places after it."""

    def cut(self, name, arguments=()):
        data = (self.folder / name).read_bytes()
        places = sorted({*range(0, min(len(data), 64)), *range(64, len(data), max(1, len(data) // 60))})
        stem, _, ending = name.partition(".")
        for place in places:
            (self.folder / f"cut.{ending}").write_bytes(data[:place])
            result = subprocess.run([SVRMU, "convert", f"cut.{ending}", "out.npy", "--force", "-q"], cwd=self.folder,
                                    capture_output=True)
            # Text may be whole after any line.
            allowed = (0, BAD_INPUT) if ending in ("csv", "tsv", "mtx") else (BAD_INPUT,)
            self.assertIn(result.returncode, allowed, f"{name} cut at {place}: {result.stderr}")
            if result.returncode != 0:
                self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)

    def test_npy(self):
        npy(self.folder)
        self.cut("V.npy")

    def test_npz(self):
        csr(self.folder)
        self.cut("V.npz")

    def test_csv(self):
        np.savetxt(self.folder / "V.csv", np.arange(1, 21).reshape(4, 5), delimiter=",")
        self.cut("V.csv")

    def test_h5(self):
        h5py = __import__("h5py")
        with h5py.File(self.folder / "V.h5", "w") as file:
            file["V"] = np.arange(1.0, 21.0).reshape(4, 5)
        self.cut("V.h5")

    def test_mat(self):
        import scipy.io
        scipy.io.savemat(self.folder / "V.mat", {"V": np.arange(1.0, 21.0).reshape(4, 5)})
        self.cut("V.mat")


if __name__ == "__main__":
    unittest.main()
