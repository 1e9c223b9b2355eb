"""Numbers that a model and the messages state, computed again."""

import unittest

import h5py
import numpy as np

from program import CliTest


def noisy(rows, columns, rank, seed=0):
    random = np.random.default_rng(seed)
    return random.random((rows, rank)) @ random.random((rank, columns)) + 0.3 * random.random((rows, columns))


class Numbers(CliTest):
    def setUp(self):
        super().setUp()
        self.V = noisy(20, 50, 4)
        np.save(self.folder / "V.npy", self.V)

    def model(self, name):
        with h5py.File(self.folder / name) as file:
            norms = file["column_norms"][:] if "column_norms" in file else np.ones(file["W"].shape[1])
            at = int(file.attrs["returned"])
            return file["W"][:], file["H"][:], norms, {k: v[at] for k, v in file["history"].items()}

    def test_normalize_with_penalties_reports_the_objective_of_the_factors_before(self):
        self.run_svrmu("fit", "V.npy", "-k", 4, "--normalize", "--l1-w", 0.02, "--l2-w", 0.1, "--l1-h", 0.01, "-o",
                       "m.h5")
        W, H, norms, claimed = self.model("m.h5")
        np.testing.assert_allclose(np.linalg.norm(W, axis=0), 1)
        W, H = W * norms, H / norms[:, None]
        objective = ((self.V - W @ H) ** 2).sum() / 2 + 0.02 * W.sum() + 0.05 * (W**2).sum() + 0.01 * H.sum()
        self.assertAlmostEqual(claimed["objective"], objective, delta=1e-9 * objective)

    def test_transform_of_a_normalized_model_is_that_of_the_model_before(self):
        flags = ["--l2-w", 20, "--l1-h", 0.3, "--l2-h", 0.1, "--algorithm", "hals-acc"]
        self.run_svrmu("fit", "V.npy", "-k", 4, *flags, "-o", "plain.h5")
        self.run_svrmu("fit", "V.npy", "-k", 4, *flags, "-o", "normalized.h5", "--normalize")
        products = []
        for name in ("plain", "normalized"):
            self.run_svrmu("transform", name + ".h5", "V.npy", "-o", name + ".npy")
            products.append(self.model(name + ".h5")[0] @ np.load(self.folder / (name + ".npy")))
        np.testing.assert_allclose(products[1], products[0], rtol=1e-4)

    def test_units_of_very_small_and_large_data_change_no_digit(self):
        first = None
        for k in (-30, -200, -440, 200, 440):
            np.save(self.folder / "scaled.npy", np.ldexp(self.V, k))
            self.run_svrmu("fit", "scaled.npy", "-k", 4, "-o", "m.h5", "--force")
            W, H, _, _ = self.model("m.h5")
            first = first or (W, np.ldexp(H, -k))
            np.testing.assert_array_equal(W, first[0])
            np.testing.assert_array_equal(np.ldexp(H, -k), first[1])

    def test_every_seed_of_64_bits_is_taken_and_kept(self):
        for seed in (2**63, 2**64 - 1):
            told = self.run_json("fit", "V.npy", "-k", 2, "--seed", seed, "-o", "m.h5", "--force")
            self.assertEqual(told["seed"], seed)
            self.assertEqual(self.run_json("info", "m.h5")["seed"], seed)

    def test_data_that_leave_no_room_are_refused_by_name(self):
        for V, says in ((self.V * 1e-310, "too small"), (self.V * 1e-200, "too small"), (self.V * 1e200, "too large"),
                        ((self.V * 1e-40).astype(np.float32), "too small")):
            np.save(self.folder / "far.npy", V)
            for order in ("C", "F"):
                np.save(self.folder / "far.npy", np.asarray(V, order=order))
                _, err = self.run_svrmu("fit", "far.npy", "-k", 4, code=3)
                self.assertIn("V is " + says, err)

    def test_divergence_of_the_saved_factors_is_the_one_that_is_reported(self):
        V = self.V.copy()
        V[3] *= 1e-20
        V[:, 7] *= 1e-22
        np.save(self.folder / "wide.npy", V)
        for loss, cost in (("kl", lambda X: V * np.log(V / X) - V + X), ("is", lambda X: V / X - np.log(V / X) - 1)):
            self.run_svrmu("fit", "wide.npy", "-k", 4, "--loss", loss, "--tol", 0, "-o", "m.h5", "--force")
            W, H, _, claimed = self.model("m.h5")
            is_now = cost(W @ H).sum()
            self.assertAlmostEqual(claimed["cost"], is_now, delta=1e-9 * is_now)

    def test_resume_goes_on_with_all_restarts(self):
        flags = ["-k", 4, "--algorithm", "mu", "--tol", 0, "--restarts", 4]
        whole = self.run_json("fit", "V.npy", *flags, "--epochs", 40, "-o", "whole.h5", "--save-h", "whole.npy")
        self.run_svrmu("fit", "V.npy", *flags, "--epochs", 2, "-o", "part.h5")
        part = self.run_json("fit", "--resume", "part.h5", "--epochs", 40, "--save-h", "part.npy")
        self.assertEqual((part["seed"], part["objective"]), (whole["seed"], whole["objective"]))
        self.assertEqual((self.folder / "whole.npy").read_bytes(), (self.folder / "part.npy").read_bytes())

    def test_resume_goes_on_with_all_restarts_after_a_time_limit(self):
        flags = ["-k", 4, "--algorithm", "mu", "--tol", 0, "--restarts", 3, "--epochs", 20]
        whole = self.run_json("fit", "V.npy", *flags, "-o", "whole.h5", "--save-h", "whole.npy")
        self.run_svrmu("fit", "V.npy", *flags, "--time-limit", "0s", "-o", "part.h5")
        part = self.run_json("fit", "--resume", "part.h5", "--time-limit", "1h", "--save-h", "part.npy")
        self.assertEqual((part["seed"], part["objective"]), (whole["seed"], whole["objective"]))
        self.assertEqual((self.folder / "whole.npy").read_bytes(), (self.folder / "part.npy").read_bytes())

    def test_transform_tells_how_many_samples_the_limit_of_sweeps_ended(self):
        self.run_svrmu("fit", "V.npy", "-k", 4, "--loss", "kl", "-o", "m.h5")
        told = self.run_json("transform", "m.h5", "V.npy", "-o", "H.npy")
        self.assertEqual((told["rank"], told["samples"]), (4, 50))
        self.assertIn("unfinished", told)
        _, err = self.run_svrmu("transform", "m.h5", "V.npy", "-o", "-", "--json", code=2)
        self.assertIn("only one output", err)


if __name__ == "__main__":
    unittest.main()
