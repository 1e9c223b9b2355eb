"""What the program says about a result: in terms of the fitted loss, the worst first, and with one way to count."""

import json
import unittest

import h5py
import numpy as np

from program import CliTest


def counts(features=20, samples=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.3, 1, (features, 3)) @ rng.gamma(0.5, 20, (3, samples))).astype(float)


def named(V):
    lines = ["," + ",".join(f"sample {j}" for j in range(V.shape[1]))]
    lines += [f"gene {i}," + ",".join(map(str, row)) for i, row in enumerate(V)]
    return "\n".join(lines) + "\n"


def independence_kl(V):
    X = np.outer(V.sum(1), V.sum(0)) / V.sum()
    return (V[V > 0] * np.log(V[V > 0] / X[V > 0])).sum()


class FittedLoss(CliTest):
    def setUp(self):
        super().setUp()
        self.V = counts()
        np.save(self.folder / "V.npy", self.V)

    def fit_kl(self):
        return self.run_json("fit", "V.npy", "-k", 3, "--loss", "kl", "--save-w", "W.npy", "--save-h", "H.npy",
                             "--report", "V.html")

    def test_json_has_the_share_of_the_null_model_that_is_explained(self):
        told = self.fit_kl()
        X = np.load(self.folder / "W.npy") @ np.load(self.folder / "H.npy")
        V = self.V
        kl = (V[V > 0] * np.log(V[V > 0] / X[V > 0])).sum() - V.sum() + X.sum()
        self.assertAlmostEqual(told["cost"], kl, delta=1e-6 * kl)
        self.assertAlmostEqual(told["null_cost"], independence_kl(V), delta=1e-6)
        self.assertAlmostEqual(told["explained"], 1 - kl / independence_kl(V), delta=1e-6)

    def test_terminal_and_saved_model_speak_of_the_divergence(self):
        self.fit_kl()
        _, err = self.run_svrmu("fit", "V.npy", "-k", 3, "--loss", "kl", "--force", "-v")
        self.assertRegex(err, r"kl divergence [0-9.]+: WH explains [0-9.]+ % of the divergence of row sums")
        self.assertRegex(err, r"epoch 1/200  divergence ")
        _, top = self.run_svrmu("top", "V.svrmu.h5")
        out, _ = self.run_svrmu("info", "V.svrmu.h5")
        page = (self.folder / "V.html").read_text()
        for text in (err, top, out, page):
            self.assertIn("kl divergence", text)
            self.assertNotIn("relative error", text.lower())
        self.assertIn("of the divergence of row sums x column sums / total", page)

    def test_a_run_that_diverged_says_so_and_explains_nothing(self):
        rng = np.random.default_rng(0)
        V = np.zeros((30, 60))
        V[rng.integers(0, 30, 60), np.arange(60)] = 1e3 * rng.random(60)
        np.save(self.folder / "V.npy", V)
        _, err = self.run_svrmu("fit", "V.npy", "-k", 8, "--algorithm", "svrmu", "--preset", "paper", "--epochs", 30,
                                "--report", "V.html")
        self.assertRegex(err, "note: the run diverged.*--batch-size.*--safeguard")
        self.assertRegex(err, r"relative error \S+: the run diverged")
        out, _ = self.run_svrmu("info", "V.svrmu.h5")
        page = (self.folder / "V.html").read_text()
        self.assertIn("the run diverged", page)
        for text in (err, out, page):
            self.assertNotRegex(text, r"-[0-9.e+]+ ?%")
            self.assertNotIn("--resume", text)

    def test_a_numerical_failure_is_told_even_when_quiet(self):
        rng = np.random.default_rng(0)
        V = rng.random((60, 8)) @ rng.random((8, 200)) + 0.5 * rng.random((60, 200))
        np.save(self.folder / "V.npy", V.astype(np.float32))
        _, err = self.run_svrmu("fit", "V.npy", "-k", 8, "--algorithm", "svrmu", "--batch-size", 1, "--no-safeguard",
                                "--epochs", 200, "--tol", 0, "-q", "-o", "m.h5", code=5)
        self.assertIn("svrmu: the objective was no longer finite; the last good factors are in m.h5", err)

    def test_frobenius_still_has_its_relative_error(self):
        _, err = self.run_svrmu("fit", "V.npy", "-k", 3, "--report", "V.html")
        self.assertRegex(err, r"relative error [0-9.]+: WH explains [0-9.]+ % of V's sum of squares")
        self.assertIn("relative error", (self.folder / "V.html").read_text())

    def test_a_model_without_a_null_model_says_so_plainly(self):
        self.fit_kl()
        with h5py.File(self.folder / "V.svrmu.h5", "r+") as model:
            del model.attrs["null_cost"]
        self.unseal("V.svrmu.h5")
        out, _ = self.run_svrmu("info", "V.svrmu.h5")
        self.assertIn("how much that explains is not known", out)
        self.assertIsNone(self.run_json("top", "V.svrmu.h5")["explained"])
        self.run_svrmu("report", "V.svrmu.h5", "-o", "old.html")
        self.assertIn("how much that explains is not known", (self.folder / "old.html").read_text())

    def test_a_null_model_that_makes_no_sense_is_refused(self):
        self.fit_kl()
        with h5py.File(self.folder / "V.svrmu.h5", "r+") as model:
            model.attrs["null_cost"] = "-1"
        self.unseal("V.svrmu.h5")
        _, err = self.run_svrmu("info", "V.svrmu.h5", code=3)
        self.assertIn("attribute null_cost", err)


class UselessResults(CliTest):
    def setUp(self):
        super().setUp()
        np.save(self.folder / "V.npy", counts())

    def notes(self, err):
        """The lines that come before the line about the algorithm's epochs."""
        lines = err.splitlines()
        end = next(i for i, line in enumerate(lines) if " in " in line and "epoch" in line and "note" not in line)
        return [line for line in lines[:end] if line.startswith("note: ")]

    def test_no_epoch_within_the_time_limit_is_said_first_and_can_go_on(self):
        _, err = self.run_svrmu("fit", "V.npy", "-k", 3, "--samples", "columns", "--time-limit", "0s")
        self.assertIn("no epoch was finished", self.notes(err)[0])
        self.assertIn("raise --time-limit", self.notes(err)[0])
        again = err.splitlines()[-1]
        self.assertTrue(again.startswith("go on svrmu fit V.npy --resume V.svrmu.h5 --time-limit 1s"), again)
        self.run_svrmu(*again.split()[3:])

    def test_a_used_up_gradient_budget_can_go_on(self):
        _, err = self.run_svrmu("fit", "V.npy", "-k", 3, "--algorithm", "mu", "--tol", 0, "--grad-budget", 20 * 60 * 5)
        self.assertIn("--grad-budget 12000", err.splitlines()[-1])
        self.run_svrmu(*err.splitlines()[-1].split()[3:])

    def test_factors_of_zeros_name_the_penalty(self):
        flags = ["--algorithm", "hals", "--l1-w", "1e6", "--l1-h", "1e6"]
        _, err = self.run_svrmu("fit", "V.npy", "-k", 3, "--samples", "columns", *flags)
        self.assertIn("WH is zero everywhere", self.notes(err)[0])
        self.assertIn("lower --l1-w (1e+06), --l1-h (1e+06)", self.notes(err)[0])
        told = self.run_json("fit", "V.npy", "-k", 3, *flags, "--force", "--report", "V.html")
        self.assertIn("WH is zero everywhere", told["warnings"][0])
        self.assertIn("Note: WH is zero everywhere", (self.folder / "V.html").read_text())

    def test_a_component_of_zeros_is_named(self):
        self.run_svrmu("fit", "V.npy", "-k", 3)
        with h5py.File(self.folder / "V.svrmu.h5", "r+") as model:
            model["W"][:, 1] = 0
        self.unseal("V.svrmu.h5")
        _, err = self.run_svrmu("top", "V.svrmu.h5")
        self.assertIn("note: component 2 of 3 is zero everywhere: ask for fewer components, -k 2", err)

    def test_an_exact_fit_ends_as_converged(self):
        np.save(self.folder / "V.npy", np.outer(np.arange(1, 9), np.arange(1, 12)).astype(float))
        told = self.run_json("fit", "V.npy", "-k", 1, "--algorithm", "hals")
        self.assertEqual(told["stop_reason"], "relative_change")
        _, err = self.run_svrmu("fit", "V.npy", "-k", 1, "--algorithm", "hals", "--force")
        self.assertIn("converged: WH equals V up to rounding", err)

    def test_more_components_than_the_smaller_side_are_refused_unless_forced(self):
        for command in ("fit", "compare"):
            _, err = self.run_svrmu(command, "V.npy", "-k", 21, code=2)
            self.assertIn("V.npy: --rank is 21, but the smaller side of V (20 x 60) is 20", err)
            self.assertIn("--force-rank", err)
        self.assertEqual(self.files(), ["V.npy"])
        self.run_svrmu("fit", "V.npy", "-k", 21, "--force-rank", "--epochs", 2)
        self.run_svrmu("fit", "V.npy", "--resume", "V.svrmu.h5", "--epochs", 3)
        _, err = self.run_svrmu("fit", "V.npy", "-k", 21, "--force-rank", "--init", "nndsvda", "--force", code=2)
        self.assertIn("singular vectors", err)

    def test_info_of_a_small_matrix_plans_a_fit_that_is_possible(self):
        np.save(self.folder / "small.npy", counts(4, 6))
        self.assertEqual(self.run_json("info", "small.npy")["fit"]["rank"], 4)
        _, err = self.run_svrmu("info", "small.npy", "-k", 5, code=2)
        self.assertIn("--rank is 5", err)


class Counting(CliTest):
    def test_people_count_from_1_and_json_from_0(self):
        V = counts()
        V[2, 4] = -1
        np.save(self.folder / "V.npy", V)
        _, err = self.run_svrmu("fit", "V.npy", "-k", 3, code=3)
        self.assertIn("row 3, column 5 (counted from 1)", err)
        _, err = self.run_svrmu("compare", "V.npy", "-k", 3, code=3)
        self.assertIn("row 3, column 5 (counted from 1)", err)
        out, _ = self.run_svrmu("info", "V.npy")
        self.assertIn("feature 3, sample 5 (counted from 1)", out)
        told = self.run_json("info", "V.npy")
        self.assertEqual((told["counted_from"], told["negative"]["first_feature"], told["negative"]["first_sample"]),
                         (0, 2, 4))
        np.save(self.folder / "good.npy", counts())
        self.run_svrmu("fit", "good.npy", "-k", 3)
        _, err = self.run_svrmu("transform", "good.svrmu.h5", "V.npy", "-o", "H.npy", code=3)
        self.assertIn("row 3, column 5 (counted from 1)", err)

    def test_top_names_the_same_components_and_shares_everywhere(self):
        V = counts()
        (self.folder / "V.csv").write_text(named(V))
        self.run_svrmu("fit", "V.csv", "-k", 3, "--normalize", "--save-w", "W.npy", "--trace", "t.json",
                       "--figures", "figures")
        told = self.run_json("top", "V.svrmu.h5", "-n", 2)
        self.assertEqual(told["counted_from"], 0)
        self.assertEqual(json.loads((self.folder / "t.json").read_text())["counted_from"], 0)
        components = told["components"]
        self.assertEqual([c["component"] for c in components], [0, 1, 2])
        shares = [c["share"] for c in components]
        self.assertEqual(shares, sorted(shares, reverse=True))  # --normalize puts the heaviest first
        W = np.load(self.folder / "W.npy")
        for c in components:
            column = W[:, c["component"]]
            best = int(np.argmax(column))
            self.assertEqual((c["features"][0]["feature"], c["features"][0]["name"]), (best, f"gene {best}"))
            self.assertAlmostEqual(c["features"][0]["share"], column[best] / column.sum(), delta=1e-9)
        out, _ = self.run_svrmu("top", "V.svrmu.h5", "-n", 2)
        table = (self.folder / "figures" / "components.csv").read_text().splitlines()[1:]
        for c, line in zip(components, table):
            self.assertIn(f"component {c['component'] + 1} (", out)
            number, share = line.split(",")[:2]
            self.assertEqual(int(number), c["component"] + 1)
            self.assertAlmostEqual(float(share), 100 * c["share"], delta=0.01)

    def test_convert_keeps_the_names_of_a_models_factors(self):
        (self.folder / "V.csv").write_text(named(counts()))
        self.run_svrmu("fit", "V.csv", "-k", 3, "--save-w", "W.csv", "--save-h", "H.csv")
        for factor in "WH":
            self.run_svrmu("convert", f"V.svrmu.h5:{factor}", f"{factor}2.csv")
            self.assertEqual((self.folder / f"{factor}2.csv").read_text(), (self.folder / f"{factor}.csv").read_text())


if __name__ == "__main__":
    unittest.main()
