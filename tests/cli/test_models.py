"""Model files: damage is noticed, older ones are read, and a run goes on with the same matrix in any form."""

import os
import random
import resource
import shutil
import stat
import subprocess
import unittest
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

from program import SVRMU, CliTest

BAD_INPUT = 3
VERSION1 = Path(__file__).parents[1] / "io" / "version1"
MEGABYTE = 1 << 20


class Models(CliTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        self.V = np.where(rng.random((9, 12)) < 0.4, 0, rng.integers(1, 40, (9, 12)) / 4)
        np.save(self.folder / "V.npy", self.V)

    def fit(self, *arguments):
        self.run_svrmu("fit", "V.npy", "-k", 2, "--algorithm", "svrmu", "--batch-size", 4, "--epochs", 3, "-o", "m.h5",
                       "-q", *arguments)

    def other_forms(self):
        """The same matrix in other files: (name, flags)."""
        np.save(self.folder / "float.npy", self.V.astype(np.float32))
        np.save(self.folder / "fortran.npy", np.asfortranarray(self.V))
        np.savetxt(self.folder / "turned.csv", self.V.T, delimiter=",")
        scipy.io.mmwrite(self.folder / "sparse.mtx", scipy.sparse.coo_matrix(self.V))
        scipy.sparse.save_npz(self.folder / "csr.npz", scipy.sparse.csr_matrix(self.V))
        return [("float.npy", []), ("fortran.npy", []), ("turned.csv", ["--samples", "rows"]), ("sparse.mtx", []),
                ("csr.npz", [])]


class DamagedModel(Models):
    def space_needed(self, *arguments):
        """The address space in which a run succeeds, to the megabyte: libraries, stacks and arenas."""
        low, high = 1, 4096
        while low < high:
            middle = (low + high) // 2
            if self.limited(middle * MEGABYTE, *arguments).returncode == 0:
                high = middle
            else:
                low = middle + 1
        return high * MEGABYTE

    def limited(self, space, *arguments):
        return subprocess.run([SVRMU, *arguments], cwd=self.folder, capture_output=True, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)))

    def test_any_flipped_bit_is_an_error_in_little_memory(self):
        self.fit()
        whole = (self.folder / "m.h5").read_bytes()
        space = None
        if "san.so" not in subprocess.run(["ldd", SVRMU], capture_output=True, text=True).stdout:
            space = self.space_needed("top", "m.h5") + 64 * MEGABYTE + 16 * len(whole)
        rng = random.Random(3)
        bits = [*range(0, 16 * 8, 23), *(rng.randrange(8 * len(whole)) for _ in range(40))]
        for i, bit in enumerate(bits):
            changed = bytearray(whole)
            changed[bit // 8] ^= 1 << bit % 8
            (self.folder / "m.h5").write_bytes(changed)
            command = [["top", "m.h5"], ["info", "m.h5"], ["transform", "m.h5", "V.npy", "-o", "H.npy"],
                       ["fit", "--resume", "m.h5", "--epochs", "9"], ["info", "m.h5:W"]][i % 5]
            with self.subTest(bit=bit, command=command):
                result = self.limited(space, *command) if space else subprocess.run(
                    [SVRMU, *command], cwd=self.folder, capture_output=True, timeout=60)
                self.assertEqual(result.returncode, BAD_INPUT, result.stderr)
                self.assertRegex(result.stderr.decode(), r"\Asvrmu: m\.h5: .*damaged.*\n\Z")
        self.assertEqual(self.files(), ["V.npy", "m.h5"])

    def test_a_model_on_standard_input_is_checked_as_well(self):
        self.fit()
        whole = (self.folder / "m.h5").read_bytes()
        _, err = self.run_svrmu("info", "-", code=BAD_INPUT, input=whole)
        self.assertIn("holds several matrices", err)
        _, err = self.run_svrmu("info", "-", code=BAD_INPUT, input=whole[:-1])
        self.assertIn("standard input: is damaged", err)


class ModelOfVersion1(Models):
    def test_is_read_with_a_warning_and_goes_on(self):
        shutil.copy(VERSION1 / "model.h5", self.folder)
        shutil.copy(VERSION1 / "V.csv", self.folder)
        _, err = self.run_svrmu("top", "model.h5")
        self.assertIn("model.h5: has no checksum", err)
        _, err = self.run_svrmu("fit", "V.csv", "--resume", "model.h5", "--epochs", 5)
        self.assertIn("has no checksum", err)
        _, err = self.run_svrmu("top", "model.h5")
        self.assertNotIn("checksum", err)

    def test_does_not_go_on_with_another_matrix(self):
        shutil.copy(VERSION1 / "model.h5", self.folder)
        text = (VERSION1 / "V.csv").read_text(encoding="utf-8")
        (self.folder / "V.csv").write_text(text.replace("5.26", "5.27"), encoding="utf-8")
        _, err = self.run_svrmu("fit", "V.csv", "--resume", "model.h5", "--epochs", 5, code=BAD_INPUT)
        self.assertIn("is not the matrix", err)


class Resume(Models):
    def test_takes_the_same_matrix_in_another_form(self):
        self.fit()
        whole = (self.folder / "m.h5").read_bytes()
        for name, flags in self.other_forms():
            with self.subTest(name):
                (self.folder / "m.h5").write_bytes(whole)
                self.run_svrmu("fit", name, *flags, "--resume", "m.h5", "--epochs", 5)
                self.run_svrmu("report", "m.h5", name, *flags, "--force")

    def test_refuses_another_matrix_in_another_form(self):
        self.fit()
        self.V[3, 4] += 0.25
        for name, flags in self.other_forms():
            with self.subTest(name):
                _, err = self.run_svrmu("fit", name, *flags, "--resume", "m.h5", "--epochs", 5, code=BAD_INPUT)
                self.assertIn("is not the matrix", err)

    def test_keeps_the_mode_of_the_model(self):
        self.fit()
        model = self.folder / "m.h5"
        model.chmod(0o600)
        self.run_svrmu("fit", "--resume", "m.h5", "--epochs", 5)
        self.assertEqual(stat.S_IMODE(model.stat().st_mode), 0o600)


class Crash(CliTest):
    def test_is_told_without_asking_for_memory(self):
        source = Path(__file__).parents[2] / "fuzz" / "library_faults" / "hdf5_local_heap"
        shutil.copy(source, self.folder / "V.h5")
        result = subprocess.run([SVRMU, "info", "V.h5"], cwd=self.folder, capture_output=True, timeout=60,
                                env={**os.environ, "LD_PRELOAD": os.environ["SVRMU_NO_MALLOC"]})
        if b"anitizer" in result.stderr or b"ASan" in result.stderr:
            self.skipTest("the sanitizer reports the crash itself")
        self.assertEqual(result.returncode, BAD_INPUT, result.stderr)
        self.assertIn(b"V.h5: a library crashed", result.stderr)


if __name__ == "__main__":
    unittest.main()
