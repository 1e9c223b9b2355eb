"""svrmu update: a model goes on with samples that are seen once."""

import unittest

import numpy as np

from columns import framed, low_rank
from streaming import BATCH, StreamTest

USAGE, BAD_INPUT, CANNOT = 2, 3, 4


class Update(StreamTest):
    def setUp(self):
        super().setUp()
        self.V = low_rank()
        self.fit(framed(self.V[:, :400]), *BATCH)
        self.save("new.npy", self.V[:, 400:])

    def test_from_a_file_is_from_a_stream(self):
        for flags in ([], ["--forget-factor", 0.9]):
            self.run_svrmu("update", "m.h5", "new.npy", "-o", "file.h5", "--force", *flags)
            self.run_svrmu("update", "m.h5", "--stream", "-", "-o", "stream.h5", "--force", *flags,
                           input=framed(self.V[:, 400:]))
            np.testing.assert_array_equal(self.w("file.h5"), self.w("stream.h5"))

    def test_forgetting_changes_the_answer(self):
        self.run_svrmu("update", "m.h5", "new.npy", "-o", "all.h5")
        self.run_svrmu("update", "m.h5", "new.npy", "-o", "some.h5", "--forget-factor", 0.5)
        self.assertFalse(np.array_equal(self.w("all.h5"), self.w("some.h5")))

    def test_a_model_of_fit_goes_on_too(self):
        self.save("V.npy", self.V[:, :400])
        self.run_svrmu("fit", "V.npy", "-k", 3, "-o", "batch.h5")
        _, err = self.run_svrmu("update", "batch.h5", "new.npy", "-o", "on.h5")
        self.assertIn("inc-hals goes on", err)
        said = self.run_json("info", "on.h5")
        self.assertEqual((said["algorithm"], said["samples"]), ("inc-hals", 500))

    def test_the_end_speaks_of_samples_whether_they_come_from_a_file_or_a_pipe(self):
        _, err = self.run_svrmu("update", "m.h5", "new.npy", "-o", "file.h5")
        self.assertIn("all samples were read", err)
        self.assertNotIn("stream ended", err)
        self.assertIn("all samples were read", self.run_svrmu("info", "file.h5")[0])
        _, err = self.run_svrmu("update", "m.h5", "--stream", "-", "-o", "pipe.h5", input=framed(self.V))
        self.assertIn("all samples were read", err)

    def test_without_an_output_the_model_is_replaced_as_by_resume(self):
        self.run_svrmu("update", "m.h5", "new.npy", "-o", "other.h5")
        _, err = self.run_svrmu("update", "m.h5", "new.npy")
        self.assertIn("model m.h5", err)
        np.testing.assert_array_equal(self.w(), self.w("other.h5"))
        self.assertEqual(self.run_json("info", "m.h5")["stream"]["columns"], 900)
        before = (self.folder / "m.h5").read_bytes()
        self.run_svrmu("update", "m.h5", "--stream", "-", input=framed(self.V[:, :0]), code=BAD_INPUT)
        self.assertEqual((self.folder / "m.h5").read_bytes(), before)

    def test_a_model_that_holds_h_is_replaced_only_if_told(self):
        self.save("V.npy", self.V[:, :400])
        self.run_svrmu("fit", "V.npy", "-k", 3, "-o", "batch.h5")
        before = (self.folder / "batch.h5").read_bytes()
        _, err = self.run_svrmu("update", "batch.h5", "new.npy", code=USAGE)
        self.assertIn("-o", err)
        self.assertIn("H of its samples", err)
        self.run_svrmu("update", "batch.h5", "new.npy", "-o", "batch.h5", code=CANNOT)
        self.assertEqual((self.folder / "batch.h5").read_bytes(), before)
        self.run_svrmu("update", "batch.h5", "new.npy", "-o", "batch.h5", "--force")
        self.assertEqual(self.run_json("info", "batch.h5")["stream"]["columns"], 500)

    def test_other_files_that_go_in_are_not_replaced(self):
        for flags in (["--save-w", "new.npy"], ["--trace", "m.h5"]):
            _, err = self.run_svrmu("update", "m.h5", "new.npy", "-o", "x.h5", "--force", *flags, code=USAGE)
            self.assertIn(flags[1], err)

    def test_samples_are_named_once(self):
        _, err = self.run_svrmu("update", "m.h5", "-o", "x.h5", code=USAGE)
        self.assertIn("--stream", err)
        _, err = self.run_svrmu("update", "m.h5", "new.npy", "--stream", "-", "-o", "x.h5", code=USAGE)
        self.assertIn("--stream", err)

    def test_other_features_are_refused(self):
        _, err = self.run_svrmu("update", "m.h5", "--stream", "-", "-o", "x.h5", input=framed(self.V[:5]), code=BAD_INPUT)
        self.assertIn("has 5 features, but the model has 12", err)

    def test_features_are_matched_by_name_and_preprocessed_as_before(self):
        V = low_rank(4, 300)
        names = ["a", "b", "c", "d"]

        def table(order, columns):
            rows = "".join(",".join(f"{V[i, n]:.6g}" for i in order) + "\n" for n in columns)
            return (",".join(names[i] for i in order) + "\n" + rows).encode()

        (self.folder / "V.csv").write_bytes(table(range(4), range(200)))
        self.run_svrmu("fit", "V.csv", "-k", 2, "--samples", "rows", "--preprocess", "tfidf", "--algorithm", "inc-hals",
                       "--batch-size", 50, "-o", "t.h5")
        self.run_svrmu("update", "t.h5", "--stream", "-", "-o", "same.h5", input=table(range(4), range(200, 300)))
        _, err = self.run_svrmu("update", "t.h5", "--stream", "-", "-o", "turned.h5",
                                input=table([3, 1, 0, 2], range(200, 300)))
        self.assertEqual(err.count("features matched by name"), 1)
        np.testing.assert_array_equal(self.w("same.h5"), self.w("turned.h5"))
        (self.folder / "new.csv").write_bytes(table([2, 0, 1, 3], range(200, 300)))
        self.run_svrmu("update", "t.h5", "new.csv", "-o", "file.h5")
        np.testing.assert_array_equal(self.w("same.h5"), self.w("file.h5"))
        _, err = self.run_svrmu("update", "t.h5", "--stream", "-", "-o", "x.h5", input=table([0, 1], range(9)),
                                code=BAD_INPUT)
        self.assertIn("--missing-as-zero", err)
        self.run_svrmu("update", "t.h5", "--stream", "-", "-o", "x.h5", "--missing-as-zero",
                       input=table([0, 1, 2], range(200, 300)))


if __name__ == "__main__":
    unittest.main()
