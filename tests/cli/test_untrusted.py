"""Files that libhdf5 takes apart are read in a child process: the same values, and errors instead of crashes and hangs."""

import os
import select
import shutil
import subprocess
import unittest
from pathlib import Path

import h5py
import numpy
import scipy.sparse
from program import SVRMU, CliTest

FAULTS = Path(__file__).parents[2] / "fuzz" / "library_faults"
BAD_INPUT = 3


class Child(CliTest):
    def make(self, name, **options):
        V = numpy.random.default_rng(1).random((300, 500))
        with h5py.File(self.folder / name, "w") as file:
            file.create_dataset("X", data=V, **options)
        return V

    def read(self, path, *flags):
        self.run_svrmu("convert", path, "out.npy", "--force", "-q", *flags)
        return numpy.load(self.folder / "out.npy")

    def test_hands_over_the_same_values_as_reading_in_process(self):
        for name, options in (("plain.h5", {}), ("packed.h5", {"compression": "gzip", "chunks": (30, 50)})):
            V = self.make(name, **options)
            numpy.testing.assert_array_equal(self.read(name), V)
            numpy.testing.assert_array_equal(self.read(name, "--trusted"), V)

    def test_hands_over_small_matrices_and_names(self):
        import anndata
        counts = scipy.sparse.random(7, 5, 0.4, format="csr", random_state=1, dtype=numpy.float32)
        data = anndata.AnnData(counts)
        data.var_names = [f"gene {i}" for i in range(5)]
        data.write_h5ad(self.folder / "cells.h5ad")
        numpy.testing.assert_array_equal(self.read("cells.h5ad"), counts.toarray())
        for flags in ([], ["--trusted"]):
            told = self.run_json("info", "cells.h5ad", *flags)
            self.assertEqual((told["samples"], told["features"]), (7, 5))
        self.run_svrmu("fit", "cells.h5ad", "-k", "2", "-q")
        self.assertIn("gene 0", self.run_svrmu("top", "cells.svrmu.h5")[0])

    def test_gives_the_same_fit(self):
        self.make("V.h5")
        self.run_svrmu("fit", "V.h5", "-k", "3", "-o", "child.h5", "--save-w", "1.npy", "-q")
        self.run_svrmu("fit", "V.h5", "-k", "3", "-o", "trusted.h5", "--save-w", "2.npy", "-q", "--trusted")
        self.assertEqual((self.folder / "1.npy").read_bytes(), (self.folder / "2.npy").read_bytes())

    def test_reads_a_start_of_factors_too(self):
        self.make("V.h5")
        with h5py.File(self.folder / "W.h5", "w") as file:
            file["W"] = numpy.ones((300, 2))
        self.run_svrmu("fit", "V.h5", "-k", "2", "--init-w", "W.h5", "-q")

    def test_that_never_ends_is_given_up(self):
        if self.sanitized():
            self.skipTest("sanitized programs read in process")
        shutil.copy(FAULTS / "hdf5_heap_loop", self.folder / "loop.h5")
        _, err = self.run_svrmu("convert", "loop.h5", "out.npy", code=BAD_INPUT)
        self.assertRegex(err, r"\Asvrmu: loop\.h5: was given up after 3 s .*--trusted.*\n\Z")

    def test_that_crashes_is_an_error_in_every_command(self):
        if self.sanitized():
            self.skipTest("sanitized programs read in process")
        shutil.copy(FAULTS / "hdf5_local_heap", self.folder / "V.h5")
        for command in (["info", "V.h5"], ["fit", "V.h5", "-k", "2"], ["convert", "V.h5", "out.npy"]):
            _, err = self.run_svrmu(*command, code=BAD_INPUT)
            self.assertRegex(err, r"\Asvrmu: V\.h5: .*\n\Z")
        self.assertEqual(self.files(), ["V.h5"])

    def test_does_not_outlive_the_program(self):
        if self.sanitized():
            self.skipTest("sanitized programs read in process")
        shutil.copy(FAULTS / "hdf5_heap_loop", self.folder / "loop.h5")
        program = subprocess.Popen([SVRMU, "convert", "loop.h5", "out.npy"], cwd=self.folder)
        children = Path(f"/proc/{program.pid}/task/{program.pid}/children")
        while not (child := children.read_text().split()):
            os.sched_yield()
        ended = select.poll()
        ended.register(os.pidfd_open(int(child[0])), select.POLLIN)
        program.kill()
        program.wait()
        self.assertTrue(ended.poll(2000), "the child still reads")

    def sanitized(self):
        return b"__asan_init" in Path(SVRMU).read_bytes() or b"__tsan_init" in Path(SVRMU).read_bytes()


if __name__ == "__main__":
    unittest.main()
