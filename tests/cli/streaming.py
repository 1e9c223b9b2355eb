"""Runs of the program on streams of columns."""

import h5py
import numpy as np

from program import CliTest

BATCH = ("--batch-size", 50)


class StreamTest(CliTest):
    def fit(self, data, *arguments, **options):
        return self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "m.h5", *arguments, input=data, **options)

    def w(self, name="m.h5"):
        with h5py.File(self.folder / name) as file:
            return file["W"][()]

    def save(self, name, V):
        np.save(self.folder / name, V)
