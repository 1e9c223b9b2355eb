"""compare and reproduce: their figures recomputed from what they save, and what they refuse."""

import csv
import io
import json
import math
import statistics
import unittest

import numpy as np

from program import CliTest

AXES = ("gradient_counts", "columns_read", "solver_seconds")


def noisy(rows, columns, rank, seed=0):
    random = np.random.default_rng(seed)
    return random.random((rows, rank)) @ random.random((rank, columns)) + 0.2 * random.random((rows, columns))


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


class Recomputed(CliTest):
    """Summaries against the runs they were made from."""

    def check_gaps(self, whole):
        labels = [entry["label"] for entry in whole["algorithms"]]
        f_opt = {trial["seed"]: trial["f_opt"] for trial in whole["trials"]}
        keeps_best = {entry["label"]: entry["options"].get("safeguard", False) for entry in whole["algorithms"]}
        for run in whole["runs"]:
            history = run["history"]
            best = math.inf
            for objective, gap in zip(history["objective"], history["gap"]):
                best = min(best, objective) if keeps_best[run["algorithm"]] else objective
                self.assertAlmostEqual(gap, best - f_opt[run["seed"]], delta=1e-9 * max(1, abs(best)))
        for axis in AXES:
            table = whole["gaps"][axis]
            self.assertEqual([entry["label"] for entry in table["algorithms"]], labels)
            for entry in table["algorithms"]:
                runs = [run for run in whole["runs"] if run["algorithm"] == entry["label"]]
                for place, spread in zip(table["places"], entry["gaps"]):
                    found = []
                    for run in runs:
                        history = run["history"]
                        end = history[axis][-1]
                        if axis == "solver_seconds" and run["stop_reason"] == "time_limit":
                            end = max(end, whole["budget"]["seconds"])
                        reached = [gap for x, gap in zip(history[axis], history["gap"]) if x <= place * (1 + 1e-9)]
                        if reached and end >= place * (1 - 1e-9):
                            found.append(reached[-1])
                    if len(found) < len(runs):
                        self.assertIsNone(spread["median"])
                        continue
                    self.assertAlmostEqual(spread["median"], statistics.median(found), delta=1e-12 * max(1, max(found)))
                    self.assertEqual((spread["least"], spread["most"]), (min(found), max(found)))


class Compare(Recomputed):
    def setUp(self):
        super().setUp()
        self.V = noisy(20, 60, 4)
        np.save(self.folder / "V.npy", self.V)

    def test_figures_follow_from_the_runs(self):
        out, err = self.run_svrmu("compare", "V.npy", "-k", 3, "--algorithms", "paper,hals", "--batch-size", 20,
                                  "--counts", 30, "--seeds", 4, "-o", "runs.json", "--csv", "runs.csv")
        whole = json.loads((self.folder / "runs.json").read_text())
        self.assertEqual(len(whole["runs"]), 32)
        self.check_gaps(whole)
        lowest = min(min(run["history"]["objective"]) for run in whole["runs"])
        for trial in whole["trials"]:
            self.assertLessEqual(trial["f_opt"], lowest)
        self.assertIn("f_opt", err)
        lines = out.splitlines()
        self.assertEqual(lines[1].split()[:6], ["algorithm", "0.6", "3", "6", "15", "30"])
        medians = {entry["label"]: entry["gaps"][-1]["median"] for entry in whole["gaps"]["gradient_counts"]["algorithms"]}
        self.assertEqual([line.split()[0] for line in lines[2:]], sorted(medians, key=medians.get))
        for line in lines[2:]:
            self.assertEqual(line.split()[5], f"{medians[line.split()[0]]:.4g}")

        rows = read_csv((self.folder / "runs.csv").read_text())
        flat = [(run["algorithm"], run["seed"], *values) for run in whole["runs"]
                for values in zip(*(run["history"][key] for key in ("epoch", *AXES, "objective", "gap")))]
        self.assertEqual(len(rows), len(flat))
        for row, expected in zip(rows, flat):
            self.assertEqual((row["algorithm"], int(row["seed"]), int(row["epoch"])), expected[:3])
            for key, value in zip((*AXES, "objective", "gap"), expected[3:]):
                self.assertEqual(float(row[key]), value)

    def test_every_algorithm_has_the_start_of_its_seed(self):
        whole = json.loads(self.run_svrmu("compare", "V.npy", "-k", 3, "--algorithms", "mu,smu,svrmu", "--counts", 2,
                                          "--seed", 7, "--seeds", 2, "-o", "-", "-q")[0])
        starts = {}
        for run in whole["runs"]:
            starts.setdefault(run["seed"], set()).add(round(run["history"]["objective"][0], 9))
        self.assertEqual(sorted(starts), [7, 8])
        self.assertTrue(all(len(values) == 1 for values in starts.values()))
        told = self.run_json("fit", "V.npy", "-k", 3, "--algorithm", "smu", "--epochs", 2, "--tol", 0, "--seed", 8)
        run = next(run for run in whole["runs"] if run["seed"] == 8 and run["algorithm"] == "smu")
        self.assertEqual(run["history"]["objective"][-1], told["objective"])

    def test_axes_count_what_they_say(self):
        told = self.run_json("compare", "V.npy", "-k", 3, "--algorithms", "mu,svrmu:inner-passes=2", "--counts", 6,
                             "--seeds", 1, "--batch-size", 20)
        ends = {axis: {entry["label"]: entry["end"]["median"] for entry in told["gaps"][axis]["algorithms"]}
                for axis in AXES}
        self.assertEqual(ends["gradient_counts"], {"mu": 6, "svrmu:inner-passes=2": 6})
        self.assertGreaterEqual(ends["columns_read"]["mu"], 6)
        self.assertEqual(told["budget"], {"gradient_counts": 6, "epochs": 0, "seconds": 0})
        self.assertNotIn("runs", told)

    def test_own_options_and_shared_ones(self):
        told = self.run_json("compare", "V.npy", "-k", 3, "--algorithms", "mu,smu:batch-size=7,step=0.5,svrmu",
                             "--batch-size", 11, "--counts", 1, "--seeds", 1, "--no-safeguard")
        options = {entry["label"]: entry["options"] for entry in told["algorithms"]}
        self.assertEqual(list(options), ["mu", "smu:batch-size=7,step=0.5", "svrmu"])
        self.assertEqual(options["smu:batch-size=7,step=0.5"]["batch_size"], 7)
        self.assertEqual(options["smu:batch-size=7,step=0.5"]["step"], 0.5)
        self.assertEqual(options["svrmu"]["batch_size"], 11)
        self.assertFalse(options["svrmu"]["safeguard"])

    def test_a_run_without_an_epoch_does_not_end_the_time_axis(self):
        out, err = self.run_svrmu("compare", "V.npy", "-k", 3, "--algorithms", "mu,smu", "--time-limit", "0.000001s",
                                  "--seeds", 1, "--axis", "solver-seconds", "-o", "runs.json")
        self.assertGreater(float(out.splitlines()[1].split()[1]), 0)
        self.assertIn("smu with seed 0 finished no epoch within 1e-06 s", err)
        self.check_gaps(json.loads((self.folder / "runs.json").read_text()))

    def test_budgets_of_every_kind(self):
        told = self.run_json("compare", "V.npy", "-k", 3, "--algorithms", "mu,svrmu:correction=unbiased",
                             "--epochs", 4, "--seeds", 1)
        ends = {entry["label"]: entry["end"]["median"] for entry in told["gaps"]["gradient_counts"]["algorithms"]}
        self.assertEqual(ends, {"mu": 4, "svrmu:correction=unbiased": 8})
        told = self.run_json("compare", "V.npy", "-k", 3, "--algorithms", "mu", "--grad-budget", 20 * 60 * 5, "--seeds", 1)
        self.assertEqual(told["budget"]["gradient_counts"], 5)
        told = self.run_json("compare", "V.npy", "-k", 3, "--algorithms", "mu,hals", "--time-limit", "20ms", "--seeds", 1,
                             "--reference", 1)
        self.assertEqual(told["budget"], {"gradient_counts": 0, "epochs": 0, "seconds": 0.02})

    def test_other_losses_precisions_and_steps(self):
        told = self.run_json("compare", "V.npy", "-k", 3, "--algorithms", "mu,smu", "--loss", "kl", "--counts", 3,
                             "--precision", "float32", "--preprocess", "l1", "--seeds", 1)
        self.assertEqual((told["loss"], told["reference"]), ("kl", "mu"))
        told = self.run_json("compare", "V.npy", "-k", 3, "--algorithms", "r-nmf,r-svrmu", "--outlier-penalty", 0.1,
                             "--counts", 3, "--seeds", 1)
        self.assertEqual(told["reference"], "r-nmf")

    def test_same_bits_for_any_number_of_threads(self):
        texts = []
        for threads in (1, 3):
            out, _ = self.run_svrmu("compare", "V.npy", "-k", 3, "--algorithms", "paper", "--counts", 6, "--seeds", 2,
                                    "--threads", threads, "--csv", "-", "-q")
            texts.append([(row["algorithm"], row["seed"], row["gradient_counts"], row["objective"], row["gap"])
                          for row in read_csv(out)])
        self.assertEqual(*texts)

    def test_spreadsheets_get_no_formula(self):
        name = '=cmd("x"),1.npy'
        np.save(self.folder / name, self.V)
        self.run_svrmu("compare", "./" + name, "-k", 2, "--algorithms", "mu", "--counts", 1, "--csv", "a.csv")
        self.assertEqual(read_csv((self.folder / "a.csv").read_text())[0]["data"], "./" + name)
        self.run_svrmu("compare", name, "-k", 2, "--algorithms", "mu", "--counts", 1, "--csv", "b.csv", "-o", "b.json")
        self.assertEqual(read_csv((self.folder / "b.csv").read_text())[0]["data"], "'" + name)
        self.assertEqual(json.loads((self.folder / "b.json").read_text())["data"], name)

    def test_a_hostile_name_reaches_no_terminal(self):
        name = "V\x1b[31m\n.npy"
        np.save(self.folder / name, self.V)
        out, err = self.run_svrmu("compare", name, "-k", 2, "--algorithms", "mu", "--counts", 1, "--csv", name + ".csv")
        self.assertNotIn("\x1b", out + err)
        self.assertIn("\\x1b[31m\\x0a.npy", err)

    def test_report_and_figures(self):
        _, err = self.run_svrmu("compare", "V.npy", "-k", 2, "--algorithms", "mu,hals", "--counts", 4, "--report", "c.html",
                                "--figures", "figures")
        page = (self.folder / "c.html").read_text()
        self.assertTrue(page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>"))
        self.assertIn("svrmu compare V.npy -k 2", page)
        self.assertIn("Content-Security-Policy", page)
        self.assertIn("report c.html", err)
        self.assertIn("figures/gap.svg", self.files())
        rows = list(csv.reader(io.StringIO((self.folder / "figures" / "gaps-gradient-counts.csv").read_text())))
        self.assertEqual(rows[0][0], "algorithm")
        self.assertEqual({row[0] for row in rows[1:]}, {"mu", "hals"})

    def test_standard_streams(self):
        out, err = self.run_svrmu("compare", "-", "-k", 2, "--algorithms", "mu", "--counts", 2, "-o", "-",
                                  input=(self.folder / "V.npy").read_bytes())
        self.assertEqual(json.loads(out)["data"], "standard input")
        self.assertIn("60 samples x 20 features", err)

    def test_quiet_says_only_the_table(self):
        out, err = self.run_svrmu("compare", "V.npy", "-k", 2, "--algorithms", "mu", "--counts", 2, "-q")
        self.assertEqual(err, "")
        self.assertEqual(len(out.splitlines()), 3)

    def refused(self, *arguments, code=2):
        _, err = self.run_svrmu("compare", "V.npy", "-k", 3, *arguments, code=code)
        self.assertEqual(len(err.strip().splitlines()), 1, err)
        return err

    def test_hostile_flags(self):
        self.assertIn("did you mean smu", self.refused("--algorithms", "smuu"))
        self.assertIn("mu has no option inner_passes", self.refused("--algorithms", "mu:inner-passes=5"))
        self.assertIn("none of these algorithms has the option batch_size",
                      self.refused("--algorithms", "mu,hals", "--batch-size", 5))
        self.assertIn("a name is missing", self.refused("--algorithms", "mu,,hals"))
        self.assertIn("mu is named twice", self.refused("--algorithms", "mu,mu"))
        self.assertIn("belongs to no algorithm", self.refused("--algorithms", "step=1"))
        self.assertIn("\\x1b", self.refused("--algorithms", "mu\x1b[31m"))
        self.assertIn("--counts is 0", self.refused("--counts", 0))
        self.assertIn("--counts is -5", self.refused("--counts", -5))
        self.assertIn("--counts is nan", self.refused("--counts", "nan"))
        self.assertIn("--epochs is 0", self.refused("--epochs", 0))
        self.assertIn("give one", self.refused("--counts", 5, "--grad-budget", 5))
        self.assertIn("--time-limit", self.refused("--time-limit", "soon"))
        self.assertIn("--axis", self.refused("--axis", "sideways"))
        self.assertIn("--seeds", self.refused("--seeds", 0))
        self.assertIn("--seed", self.refused("--seed", -1))
        self.assertIn("--init", self.refused("--init", "zeros"))
        self.assertIn("only one output", self.refused("--json", "-o", "-"))
        self.assertIn("only one output", self.refused("--json", "--report", "-"))
        self.assertIn("already exists", self.refused("--report", "V.npy", code=4))
        self.assertIn("same file", self.refused("-o", "a.json", "--csv", "./a.json"))
        self.assertIn("already exists", self.refused("-o", "V.npy", code=4))
        self.assertIn("no folder", self.refused("--csv", "nowhere/x.csv", code=4))
        _, err = self.run_svrmu("compare", "V.npy", code=2)
        self.assertIn("compare needs -k K", err)
        _, err = self.run_svrmu("compare", "-k", 2, code=2)
        self.assertIn("compare needs INPUT", err)
        self.assertEqual(self.files(), ["V.npy"])

    def test_what_cannot_be_compared(self):
        _, err = self.run_svrmu("compare", "V.npy", "-k", 3, "--algorithms", "mu,r-nmf", code=2)
        self.assertIn("minimize different functions", err)
        _, err = self.run_svrmu("compare", "V.npy", "-k", 3, "--algorithms", "mu,hals", "--loss", "kl", code=2)
        self.assertIn("hals: hals knows only the frobenius loss", err)
        _, err = self.run_svrmu("compare", "V.npy", "-k", 3, "--algorithms", "mu,inmf", "--l1-w", 1, code=2)
        self.assertIn("inmf takes no penalties", err)
        np.save(self.folder / "bad.npy", np.array([[1.0, -2.0], [3.0, 4.0]]))
        _, err = self.run_svrmu("compare", "bad.npy", "-k", 1, code=3)
        self.assertIn("bad.npy", err)
        self.run_svrmu("compare", "missing.npy", "-k", 1, code=4)


class Synthetic(Recomputed):
    SMALL = ("reproduce", "synthetic", "--features", 20, "--samples", 40, "-k", 3, "--batch-size", 10, "--counts", 24)

    def test_figures_follow_from_the_runs(self):
        out, _ = self.run_svrmu(*self.SMALL, "--seeds", 2, "-o", "runs.json", "--csv", "runs.csv")
        whole = json.loads((self.folder / "runs.json").read_text())
        kinds = ["halfnormal-fullrank", "lowrank-scaled", "lowrank-clipped"]
        self.assertEqual([comparison["data"] for comparison in whole["comparisons"]], kinds)
        for comparison in whole["comparisons"]:
            self.check_gaps(comparison)
            self.assertFalse(any(entry["options"].get("safeguard") for entry in comparison["algorithms"]))
            for trial in comparison["trials"]:  # each seed is another V
                lowest = min(min(run["history"]["objective"]) for run in comparison["runs"]
                             if run["seed"] == trial["seed"])
                self.assertLessEqual(trial["f_opt"], lowest)
            for sentence in comparison["verdict"]:
                self.assertIn("- " + sentence, out)
        rows = read_csv((self.folder / "runs.csv").read_text())
        self.assertEqual(list(dict.fromkeys(row["data"] for row in rows)), kinds)

    def test_report_has_every_kind(self):
        self.run_svrmu(*self.SMALL, "--seeds", 1, "--report", "s.html", "-q")
        page = (self.folder / "s.html").read_text()
        for words in ("halfnormal-fullrank", "lowrank-scaled", "lowrank-clipped", "Superior by gradient counts"):
            self.assertIn(words, page)

    def test_the_verdict_is_that_of_the_numbers(self):
        told = self.run_json(*self.SMALL, "--seeds", 3)
        rivals = ["inmf", "onmf", "asag-mu", "smu", "smu-acc"]
        for comparison in told["comparisons"]:
            last = {entry["label"]: entry["gaps"][-1]["median"]
                    for entry in comparison["gaps"]["gradient_counts"]["algorithms"]}
            for sentence, label in zip(comparison["verdict"][1:3], ("svrmu-acc:inner-passes=5", "svrmu:inner-passes=5")):
                holds = all(last[label] < last[rival] for rival in rivals)
                self.assertEqual("counts: holds for " + label in sentence, holds, sentence)
                self.assertEqual("does not hold for " + label in sentence, not holds, sentence)

    def test_flags_of_the_other_experiment_are_refused(self):
        for flags in (["--data", "x.mat"], ["--density", 0.5], ["--picture", "x.png"], ["--outliers", "exact"],
                      ["--outlier-penalty", 1], ["--order", "cyclic"], ["--images", 5]):
            _, err = self.run_svrmu("reproduce", "synthetic", *flags, code=2)
            self.assertIn(f"{flags[0]} does not apply to reproduce synthetic", err)
        for flags in (["--kinds", "lowrank-scaled"], ["--features", 5], ["--csv", "x.csv"], ["--axis", "columns-read"]):
            _, err = self.run_svrmu("reproduce", "faces", *flags, code=2)
            self.assertIn(f"{flags[0]} does not apply to reproduce faces", err)

    def test_hostile_flags(self):
        for flags, words in ((["--kinds", "swimmer"], "swimmer is no data"), (["--kinds", "lowrank"], "--kinds is 'lowrank'"),
                             (["--kinds", "lowrank-scaled,lowrank-scaled"], "named twice"), (["--kinds", "a,"], "--kinds"),
                             (["--counts", "-1"], "--counts is -1"), (["--features", 0], "features is 0"),
                             (["--batch-size", 0], "--batch-size"), (["-k", 0], "rank"), (["--reference", -1], "reference is -1")):
            _, err = self.run_svrmu("reproduce", "synthetic", "--seeds", 1, *flags, code=2)
            self.assertIn(words, err)
        self.run_svrmu("reproduce", code=2)
        self.run_svrmu("reproduce", "something", code=2)
        self.assertEqual(self.files(), [])


class Faces(CliTest):
    SMALL = ("--counts", 6, "--seeds", 2, "-k", 4, "--batch-size", 20)

    def test_swimmer_without_data(self):
        told = self.run_json("reproduce", "faces", "--counts", 3, "--seeds", 1, "--report", "f.html")
        self.assertIn("Experiment 2", (self.folder / "f.html").read_text())
        self.assertEqual((told["data"], told["samples"], told["features"], told["true_parts"]), ("swimmer", 256, 1024, 17))
        self.assertIn("Of 17 true parts", told["verdict"][-1])
        for run in told["runs"]:
            self.assertTrue(0 <= run["parts"] <= 17)

    def test_robust_methods_find_parts_that_others_do_not(self):
        told = self.run_json("reproduce", "faces", "--seeds", 1)
        parts = {result["label"]: result["parts"]["median"] for result in told["results"]}
        self.assertGreaterEqual(parts["r-svrmu-acc:inner-passes=5"], 12)
        self.assertGreaterEqual(parts["r-onmf"], 12)
        self.assertLessEqual(parts["onmf"], 3)

    def test_pictures_of_ones_own_and_a_gallery(self):
        V = noisy(36, 50, 3)
        np.save(self.folder / "V.npy", V)
        out, err = self.run_svrmu("reproduce", "faces", "--data", "V.npy", *self.SMALL, "--images", 40, "--density", 0.2,
                                  "--outliers", "exact", "--picture", "bases.png", "-o", "runs.json")
        whole = json.loads((self.folder / "runs.json").read_text())
        self.assertEqual((whole["samples"], whole["true_parts"]), (40, 0))
        self.assertEqual(len(whole["runs"]), 12)
        # 7 of 36 pixels; where a clean pixel is at the ceiling an outlier changes nothing
        self.assertAlmostEqual(whole["outliers"]["entries_changed"], 7 / 36, delta=0.01)
        for result in whole["results"]:
            errors = [run["relative_error"] for run in whole["runs"] if run["algorithm"] == result["label"]]
            self.assertAlmostEqual(result["relative_error"]["median"], statistics.median(errors), delta=1e-12)
            for name in ("cosine_with_r_nmf", "cosine_with_clean_bases", "cosine_with_start"):
                self.assertTrue(-1 <= result[name]["least"] <= result[name]["median"] <= result[name]["most"] <= 1 + 1e-12)
        self.assertAlmostEqual(whole["results"][0]["cosine_with_r_nmf"]["median"], 1, delta=1e-12)
        clean = V[:, :40] * 50 / V[:, :40].max()
        mean = clean.mean(axis=1, keepdims=True)
        self.assertAlmostEqual(whole["error_of_mean_picture"], np.linalg.norm(clean - mean) / np.linalg.norm(clean), delta=1e-12)
        for run in whole["runs"]:  # both measure the same residual
            mse = (run["relative_error"] * np.linalg.norm(clean)) ** 2 / clean.size
            self.assertAlmostEqual(run["psnr"], 10 * math.log10(50**2 / mse), delta=1e-9)
        png = (self.folder / "bases.png").read_bytes()
        self.assertTrue(png.startswith(b"\x89PNG\r\n\x1a\n"))
        self.assertIn("R-NMF, ONMF; below them R-ONMF, R-SVRMU", err)
        (self.folder / "pictures").mkdir()
        (self.folder / "pictures" / "bases.png").write_bytes(png)
        read_back = self.run_json("info", "pictures")
        self.assertGreater(read_back["features"], 36)

    def test_figure_2_as_svg_has_its_names(self):
        np.save(self.folder / "V.npy", noisy(36, 50, 3))
        self.run_svrmu("reproduce", "faces", "--data", "V.npy", *self.SMALL, "--picture", "bases.svg", "-q")
        drawing = (self.folder / "bases.svg").read_text()
        self.assertTrue(drawing.startswith("<svg"))
        for name in ("(a) R-NMF (batch)", "(b) ONMF", "(c) R-ONMF", "(d) R-SVRMU (proposed)"):
            self.assertIn(name, drawing)

    def test_refusals(self):
        np.save(self.folder / "V.npy", noisy(35, 20, 3))
        np.save(self.folder / "zero.npy", np.zeros((36, 20)))
        np.save(self.folder / "negative.npy", np.full((36, 20), -1.0))
        data = ("reproduce", "faces", "--data", "V.npy", *self.SMALL)
        for flags, code, words in (
                (["--picture", "x.png"], 2, "35 pixels make no square"), (["--images", 21], 2, "has 20"),
                (["--images", 0], 2, "--images is 0"), (["--density", -1], 2, "density is -1"),
                (["--outliers", "exact", "--density", 2], 2, "density is 2"), (["--outlier-least", 60], 2, "largest outlier"),
                (["--outlier-least", 30.5], 2, "whole numbers"), (["--outlier-penalty", 0], 2, "outlier_penalty"),
                (["--order", "backwards"], 2, "--order is 'backwards'"), (["--outliers", "some"], 2, "--outliers is 'some'"),
                (["--picture", "-"], 2, "--picture needs the name"), (["--picture", "V.npy"], 4, "already exists"),
                (["--init", "nndsvd"], 2, "nndsvd")):
            _, err = self.run_svrmu(*data, *flags, code=code)
            self.assertIn(words, err)
        _, err = self.run_svrmu("reproduce", "faces", "--data", "zero.npy", code=3)
        self.assertIn("zero.npy: the largest value is 0", err)
        _, err = self.run_svrmu("reproduce", "faces", "--data", "negative.npy", code=3)
        self.assertIn("negative.npy: pictures must be finite and not negative", err)
        _, err = self.run_svrmu("reproduce", "faces", "--images", 5, code=2)
        self.assertIn("--images needs --data", err)
        self.assertEqual(self.files(), ["V.npy", "negative.npy", "zero.npy"])


if __name__ == "__main__":
    unittest.main()
