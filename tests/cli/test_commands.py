"""What each command does when all is well."""

import json
import re
import subprocess
import unittest

import numpy as np
import scipy.io
import scipy.sparse

from program import REAL_FILES, SVRMU, CliTest


def low_rank(rows, columns, rank, seed=0):
    random = np.random.default_rng(seed)
    return random.random((rows, rank)) @ random.random((rank, columns))


class Fit(CliTest):
    def setUp(self):
        super().setUp()
        np.save(self.folder / "V.npy", low_rank(30, 80, 4))

    def test_first_line_tells_samples_and_features(self):
        _, err = self.run_svrmu("fit", "V.npy", "-k", 4)
        self.assertEqual(err.splitlines()[0], "80 samples x 30 features")
        _, err = self.run_svrmu("fit", "V.npy", "-k", 4, "--samples", "rows", "--force")
        self.assertEqual(err.splitlines()[0], "30 samples x 80 features")

    def test_result_is_what_it_claims(self):
        told = self.run_json("fit", "V.npy", "-k", 4, "--save-w", "W.npy", "--save-h", "H.npy")
        V, W, H = (np.load(self.folder / name) for name in ("V.npy", "W.npy", "H.npy"))
        self.assertEqual((W.shape, H.shape), ((30, 4), (4, 80)))
        self.assertTrue((W >= 0).all() and (H >= 0).all())
        error = np.linalg.norm(V - W @ H) / np.linalg.norm(V)
        self.assertAlmostEqual(told["relative_error"], error, delta=1e-9)
        self.assertAlmostEqual(told["objective"], 0.5 * np.linalg.norm(V - W @ H) ** 2, delta=1e-9)
        self.assertEqual(told["files"]["model"], "V.svrmu.h5")

    def test_auto_says_what_it_chose_and_why(self):
        told = self.run_json("fit", "V.npy", "-k", 4)
        self.assertTrue(told["chosen_because"])
        names = [entry["name"] for entry in json.loads(self.run_svrmu("algorithms", "--json")[0])]
        self.assertIn(told["algorithm"], names)
        _, err = self.run_svrmu("fit", "V.npy", "-k", 4, "--force")
        self.assertIn("algorithm " + told["algorithm"], err)

    def test_outlier_options_make_auto_robust(self):
        told = self.run_json("fit", "V.npy", "-k", 4, "--outlier-penalty", 0.5, "--save-r", "R.mtx")
        self.assertTrue(told["algorithm"].startswith("r-"))
        self.assertEqual(scipy.io.mmread(self.folder / "R.mtx").shape, (30, 80))

    def test_every_algorithm_runs_under_every_option_it_lists(self):
        for entry in json.loads(self.run_svrmu("algorithms", "--json")[0]):
            flags = []
            for option in entry["options"]:
                if option["type"] == "boolean":
                    flags.append(option["flag"])
            self.run_svrmu("fit", "V.npy", "-k", 3, "--algorithm", entry["name"], *flags, "--epochs", 2, "--force")

    def test_same_seed_same_bits_for_any_number_of_threads(self):
        for threads in (1, 2, 3):
            self.run_svrmu("fit", "V.npy", "-k", 4, "--algorithm", "svrmu-acc", "--batch-size", 20, "--epochs", 5,
                           "--threads", threads, "--save-w", f"W{threads}.npy", "--force")
        first = (self.folder / "W1.npy").read_bytes()
        self.assertEqual(first, (self.folder / "W2.npy").read_bytes())
        self.assertEqual(first, (self.folder / "W3.npy").read_bytes())

    def test_resume_gives_the_bits_of_an_uninterrupted_run(self):
        for algorithm in ("svrmu", "hals-acc", "inc-mu-acc", "onmf", "sag-mu", "r-svrmu", "fast"):
            with self.subTest(algorithm):
                common = ["--algorithm", algorithm, "--tol", 0, "--force"]
                self.run_svrmu("fit", "V.npy", "-k", 4, *common, "--epochs", 9, "-o", "whole.h5", "--save-w", "whole.npy")
                self.run_svrmu("fit", "V.npy", "-k", 4, *common, "--epochs", 4, "-o", "part.h5")
                self.run_svrmu("fit", "--resume", "part.h5", "--epochs", 9, "--save-w", "part.npy", "--force")
                self.assertEqual((self.folder / "whole.npy").read_bytes(), (self.folder / "part.npy").read_bytes())

    def test_resume_keeps_normalization_and_evaluation(self):
        common = ["--algorithm", "mu", "--evaluate-every", 3, "--normalize", "--tol", 0]
        self.run_svrmu("fit", "V.npy", "-k", 4, *common, "--epochs", 12, "-o", "whole.h5", "--save-w", "whole.npy")
        self.run_svrmu("fit", "V.npy", "-k", 4, *common, "--epochs", 6, "-o", "part.h5")
        self.run_svrmu("fit", "--resume", "part.h5", "--epochs", 12, "--save-w", "part.npy")
        self.assertEqual((self.folder / "whole.npy").read_bytes(), (self.folder / "part.npy").read_bytes())

    def test_resume_works_from_another_folder_and_as_a_dry_run(self):
        self.run_svrmu("fit", "V.npy", "-k", 4, "--epochs", 2, "--tol", 0, "-o", "m.h5")
        self.run_svrmu("fit", "--resume", "m.h5", "--epochs", 4, "--dry-run")
        (self.folder / "below").mkdir()
        subprocess.run([SVRMU, "fit", "--resume", "../m.h5", "--epochs", "4", "-q"], cwd=self.folder / "below", check=True)

    def test_time_limit_is_for_all_restarts_together(self):
        told = self.run_json("fit", "V.npy", "-k", 4, "--tol", 0, "--epochs", 10**8, "--time-limit", "50ms", "--restarts",
                             1000)
        self.assertLess(told["seconds"], 30)

    def test_a_file_may_be_named_like_a_command(self):
        (self.folder / "info").mkdir()
        _, err = self.run_svrmu("fit", "info", "-k", 2, code=3)
        self.assertIn("info", err)

    def test_resume_refuses_another_matrix_and_what_the_model_has(self):
        self.run_svrmu("fit", "V.npy", "-k", 4, "--epochs", 2, "-o", "m.h5")
        np.save(self.folder / "other.npy", low_rank(30, 80, 4, seed=1))
        _, err = self.run_svrmu("fit", "other.npy", "--resume", "m.h5", "--epochs", 5, code=3)
        self.assertIn("is not the matrix", err)
        _, err = self.run_svrmu("fit", "V.npy", "--resume", "m.h5", "--loss", "kl", code=2)
        self.assertIn("--loss does not go with --resume", err)
        _, err = self.run_svrmu("fit", "V.npy", "--resume", "m.h5", code=2)
        self.assertIn("raise --epochs", err)

    def test_names_reach_every_output(self):
        V = low_rank(5, 6, 2)
        lines = ["," + ",".join(f"sample {j}" for j in range(6))]
        lines += [f"gene {i}," + ",".join(map(str, row)) for i, row in enumerate(V)]
        (self.folder / "named.csv").write_text("\n".join(lines) + "\n")
        self.run_svrmu("fit", "named.csv", "-k", 2, "--save-w", "W.csv", "--save-h", "H.tsv")
        self.assertEqual((self.folder / "W.csv").read_text().splitlines()[0], ",component_1,component_2")
        self.assertTrue((self.folder / "W.csv").read_text().splitlines()[3].startswith("gene 2,"))
        self.assertEqual((self.folder / "H.tsv").read_text().splitlines()[0],
                         "\t" + "\t".join(f"sample {j}" for j in range(6)))
        out, _ = self.run_svrmu("top", "named.svrmu.h5", "-n", 3)
        self.assertIn("gene ", out)

    def test_dry_run_writes_nothing(self):
        before = self.files()
        told = self.run_json("fit", "V.npy", "-k", 4, "--algorithm", "svrmu", "--dry-run")
        self.assertEqual(self.files(), before)
        self.assertEqual(told["options"]["batch_size"], 80)
        self.assertGreater(told["bytes_beyond_V"], 0)

    def test_precision_and_preprocessing(self):
        told = self.run_json("fit", "V.npy", "-k", 3, "--precision", "float32", "--preprocess", "log1p,l2",
                             "--save-w", "W.npy")
        self.assertEqual((told["precision"], told["preprocessing"]), ("float32", "log1p,l2"))
        self.assertEqual(np.load(self.folder / "W.npy").dtype, np.float32)

    def test_normalized_columns_have_norm_one(self):
        self.run_svrmu("fit", "V.npy", "-k", 4, "--normalize", "--save-w", "W.npy")
        np.testing.assert_allclose(np.linalg.norm(np.load(self.folder / "W.npy"), axis=0), 1, rtol=1e-12)

    def test_limits_end_the_run_and_are_named(self):
        self.assertEqual(self.run_json("fit", "V.npy", "-k", 4, "--tol", 0, "--epochs", 3)["stop_reason"], "epoch_limit")
        told = self.run_json("fit", "V.npy", "-k", 4, "--tol", 0, "--epochs", 10**8, "--time-limit", "100ms", "--force")
        self.assertEqual(told["stop_reason"], "time_limit")
        told = self.run_json("fit", "V.npy", "-k", 4, "--tol", 0, "--grad-budget", 30 * 80 * 7, "--algorithm", "mu",
                             "--force")
        self.assertEqual((told["stop_reason"], told["epochs"]), ("gradient_budget", 7))

    def test_standard_input_is_told_by_its_content(self):
        V = low_rank(6, 9, 2)
        np.savetxt(self.folder / "V.csv", V, delimiter=",")
        for name in ("V.csv", "V.npy"):
            data = (self.folder / name).read_bytes()
            self.run_svrmu("fit", "-", "-k", 2, "-o", "in.h5", "--force", input=data)
        out, _ = self.run_svrmu("info", "-", "--json", input=(self.folder / "V.csv").read_bytes())
        self.assertEqual(json.loads(out)["format"], "csv")

    def test_trace_on_standard_output_is_json(self):
        out, _ = self.run_svrmu("fit", "V.npy", "-k", 4, "--trace", "-", "--epochs", 3, "--tol", 0)
        self.assertEqual([entry["epoch"] for entry in json.loads(out)["history"]], [0, 1, 2, 3])

    def test_quiet_says_nothing(self):
        self.assertEqual(self.run_svrmu("fit", "V.npy", "-k", 4, "-q"), ("", ""))

    def test_model_is_read_by_h5py_in_five_lines(self):
        h5py = __import__("h5py")
        told = self.run_json("fit", "V.npy", "-k", 4)
        with h5py.File(self.folder / "V.svrmu.h5") as model:
            V = np.load(self.folder / "V.npy")
            error = np.linalg.norm(V - model["W"][:] @ model["H"][:]) / np.linalg.norm(V)
        self.assertAlmostEqual(error, told["relative_error"], delta=1e-9)


class Transform(CliTest):
    def setUp(self):
        super().setUp()
        self.V = low_rank(8, 40, 3)
        np.save(self.folder / "V.npy", self.V)

    def write_csv(self, name, V, features):
        lines = ["," + ",".join(f"s{j}" for j in range(V.shape[1]))]
        lines += [feature + "," + ",".join(map(repr, map(float, row))) for feature, row in zip(features, V)]
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def test_new_samples_are_explained(self):
        self.run_svrmu("fit", "V.npy", "-k", 3, "--epochs", 2000, "--tol", 1e-9, "--save-w", "W.npy")
        self.run_svrmu("transform", "V.svrmu.h5", "V.npy", "-o", "H.npy")
        W, H = np.load(self.folder / "W.npy"), np.load(self.folder / "H.npy")
        self.assertLess(np.linalg.norm(self.V - W @ H) / np.linalg.norm(self.V), 1e-2)

    def test_features_are_matched_by_name(self):
        names = [f"f{i}" for i in range(8)]
        self.write_csv("V.csv", self.V, names)
        self.run_svrmu("fit", "V.csv", "-k", 3)
        order = np.random.default_rng(1).permutation(8)
        self.write_csv("mixed.csv", np.vstack([self.V[order], np.ones((1, 40))]), [names[i] for i in order] + ["other"])
        self.run_svrmu("transform", "V.svrmu.h5", "V.csv", "-o", "H.npy")
        _, err = self.run_svrmu("transform", "V.svrmu.h5", "mixed.csv", "-o", "mixed.npy")
        self.assertIn("1 unknown ones left out", err)
        np.testing.assert_array_equal(np.load(self.folder / "H.npy"), np.load(self.folder / "mixed.npy"))

    def test_a_missing_feature_is_named_or_taken_as_zero(self):
        names = [f"f{i}" for i in range(8)]
        self.write_csv("V.csv", self.V, names)
        self.run_svrmu("fit", "V.csv", "-k", 3)
        self.write_csv("less.csv", self.V[:7], names[:7])
        _, err = self.run_svrmu("transform", "V.svrmu.h5", "less.csv", "-o", "H.npy", code=3)
        self.assertIn("'f7'", err)
        self.run_svrmu("transform", "V.svrmu.h5", "less.csv", "-o", "H.npy", "--missing-as-zero")
        zero = self.V.copy()
        zero[7] = 0
        self.write_csv("zero.csv", zero, names)
        self.run_svrmu("transform", "V.svrmu.h5", "zero.csv", "-o", "H0.npy")
        np.testing.assert_array_equal(np.load(self.folder / "H.npy"), np.load(self.folder / "H0.npy"))

    def test_sparse_features_are_matched_by_name_in_both_directions(self):
        anndata = __import__("anndata")
        names = [f"f{i}" for i in range(8)]
        self.write_csv("V.csv", self.V, names)
        self.run_svrmu("fit", "V.csv", "-k", 3)
        self.run_svrmu("transform", "V.svrmu.h5", "V.csv", "-o", "H.npy")
        order = np.random.default_rng(2).permutation(8)
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix):
            data = anndata.AnnData(kind(self.V[order].T), dtype=np.float64)
            data.var_names = [names[i] for i in order]
            data.write_h5ad(self.folder / "mixed.h5ad")
            self.run_svrmu("transform", "V.svrmu.h5", "mixed.h5ad", "-o", "mixed.npy", "--force")
            np.testing.assert_allclose(np.load(self.folder / "H.npy"), np.load(self.folder / "mixed.npy"), atol=1e-9)

    def test_features_named_twice_in_the_model_cannot_be_matched(self):
        self.write_csv("V.csv", self.V, ["a", "a", *(f"f{i}" for i in range(6))])
        self.run_svrmu("fit", "V.csv", "-k", 3)
        self.run_svrmu("transform", "V.svrmu.h5", "V.csv", "-o", "H.npy")
        self.write_csv("other.csv", self.V[1:], ["a", *(f"f{i}" for i in range(6))])
        _, err = self.run_svrmu("transform", "V.svrmu.h5", "other.csv", "-o", "H2.npy", code=3)
        self.assertIn("two features of the model are named 'a'", err)

    def test_nothing_in_common_is_refused(self):
        self.write_csv("V.csv", self.V, [f"f{i}" for i in range(8)])
        self.run_svrmu("fit", "V.csv", "-k", 3)
        self.write_csv("other.csv", self.V, [f"g{i}" for i in range(8)])
        self.run_svrmu("transform", "V.svrmu.h5", "other.csv", "-o", "H.npy", "--missing-as-zero", code=3)

    def test_the_format_knows_better_than_the_model_where_samples_lie(self):
        anndata = __import__("anndata")
        data = anndata.AnnData(self.V.T, dtype=np.float64)
        data.write_h5ad(self.folder / "cells.h5ad")
        self.run_svrmu("fit", "V.npy", "-k", 3)
        self.run_svrmu("transform", "V.svrmu.h5", "V.npy", "-o", "H.npy")
        self.run_svrmu("transform", "V.svrmu.h5", "cells.h5ad", "-o", "cells.npy")
        np.testing.assert_allclose(np.load(self.folder / "H.npy"), np.load(self.folder / "cells.npy"))
        self.run_svrmu("fit", "cells.h5ad", "-k", 3)
        np.save(self.folder / "rows.npy", self.V.T)
        self.run_svrmu("transform", "cells.svrmu.h5", "rows.npy", "-o", "rows_h.npy")
        self.assertEqual(np.load(self.folder / "rows_h.npy").shape, (3, 40))

    def test_preprocessing_of_the_fit_is_applied(self):
        self.run_svrmu("fit", "V.npy", "-k", 3, "--preprocess", "tfidf", "-o", "m.h5")
        self.run_svrmu("transform", "m.h5", "V.npy", "-o", "H.npy")
        self.run_svrmu("fit", "V.npy", "-k", 3, "-o", "plain.h5")
        self.run_svrmu("transform", "plain.h5", "V.npy", "-o", "plain.npy")
        self.assertFalse(np.allclose(np.load(self.folder / "H.npy"), np.load(self.folder / "plain.npy")))
        np.save(self.folder / "one.npy", self.V[:, :1])
        self.run_svrmu("transform", "m.h5", "one.npy", "-o", "one_h.npy")
        np.testing.assert_allclose(np.load(self.folder / "one_h.npy")[:, 0], np.load(self.folder / "H.npy")[:, 0])

    def test_standard_output_is_text(self):
        self.run_svrmu("fit", "V.npy", "-k", 3)
        out, _ = self.run_svrmu("transform", "V.svrmu.h5", "V.npy", "-o", "-")
        self.assertEqual(len(out.splitlines()), 3)


class OtherCommands(CliTest):
    def test_info_tells_what_is_wrong(self):
        V = np.ones((4, 5))
        V[2, 3] = np.nan
        V[1, 1] = -2
        V[:, 4] = 0
        np.save(self.folder / "V.npy", V)
        told = self.run_json("info", "V.npy")
        self.assertEqual(told["nan"], {"count": 1, "first_feature": 2, "first_sample": 3})
        self.assertEqual((told["negative"]["count"], told["empty_samples"], told["fit"]), (1, 1, None))
        out, _ = self.run_svrmu("info", "V.npy")
        self.assertIn("1, the first at feature 3, sample 4 (counted from 1)", out)

    def test_info_of_a_model(self):
        np.save(self.folder / "V.npy", low_rank(5, 6, 2))
        self.run_svrmu("fit", "V.npy", "-k", 2)
        told = self.run_json("info", "V.svrmu.h5")
        self.assertEqual((told["format"], told["rank"], told["can_be_resumed"]), ("svrmu model", 2, True))

    def test_convert_keeps_values_exactly(self):
        V = low_rank(5, 7, 3)
        V[V < 0.8] = 0
        np.save(self.folder / "V.npy", V)
        for ending in ("csv", "tsv", "mtx", "npy"):
            self.run_svrmu("convert", "V.npy", f"a.{ending}")
            self.run_svrmu("convert", f"a.{ending}", "b.npy", "--force")
            np.testing.assert_array_equal(np.load(self.folder / "b.npy"), V)
        scipy.sparse.save_npz(self.folder / "S.npz", scipy.sparse.csr_matrix(V))
        self.run_svrmu("convert", "S.npz", "S.mtx")
        np.testing.assert_array_equal(scipy.io.mmread(self.folder / "S.mtx").toarray(), V)
        self.run_svrmu("convert", "S.npz", "T.npy", "--transpose")
        np.testing.assert_array_equal(np.load(self.folder / "T.npy"), V.T)
        out, _ = self.run_svrmu("convert", "V.npy", "-")
        np.testing.assert_array_equal(np.loadtxt(out.splitlines(), delimiter=","), V)

    def test_generate_saves_the_truth(self):
        for kind in ("lowrank-scaled", "swimmer"):
            self.run_svrmu("generate", kind, "-o", "V.npy", "--force")
            V, W, H = (np.load(self.folder / f"V{part}.npy") for part in ("", ".truth-w", ".truth-h"))
            np.testing.assert_allclose(V, W @ H, atol=1e-12)
        self.run_svrmu("generate", "lowrank-clipped", "-o", "C.npy", "--outliers", 0.1, "--noise", 0.05)
        self.assertTrue((self.folder / "C.truth-r.mtx").exists())
        self.run_svrmu("generate", "halfnormal-fullrank", "-o", "F.npy")
        self.assertFalse((self.folder / "F.truth-w.npy").exists())
        _, err = self.run_svrmu("generate", "swimmer", "-o", "S.npy", "--samples", 3, code=2)
        self.assertIn("--samples does not apply to swimmer", err)

    def test_algorithms_are_listed_with_their_options(self):
        listed = json.loads(self.run_svrmu("algorithms", "--json")[0])
        svrmu = next(entry for entry in listed if entry["name"] == "svrmu")
        self.assertIn("batch_size", [option["name"] for option in svrmu["options"]])
        out, _ = self.run_svrmu("algorithms", "svrmu-acc")
        self.assertIn("--h-repeats", out)

    def test_hostile_names_do_not_reach_the_terminal(self):
        (self.folder / "V.csv").write_bytes(b",a,b,c\n\x1b[31mred,1,2,3\nb\x07ell,2,1,1\n\xff\xfe,3,3,1\n")
        self.run_svrmu("fit", "V.csv", "-k", 1)
        out, _ = self.run_svrmu("top", "V.svrmu.h5")
        self.assertNotIn("\x1b", out)
        self.assertIn("\\x1b[31mred", out)
        json.loads(self.run_svrmu("top", "V.svrmu.h5", "--json")[0])
        out, _ = self.run_svrmu("info", "V.csv")
        self.assertNotIn("\x07", out)

    def test_help_and_manual_name_every_flag(self):
        help_text, _ = self.run_svrmu("fit", "--help")
        self.assertLess(help_text.index("Examples"), help_text.index("Usage"))
        manual, _ = self.run_svrmu("manual")
        for flag in re.findall(r"--[a-z][a-z0-9-]+", help_text):
            self.assertIn(flag.replace("-", "\\-"), manual)
        warnings = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=manual.encode(), capture_output=True)
        self.assertEqual(warnings.stderr, b"")

    def test_completion_scripts_are_accepted_by_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            out, _ = self.run_svrmu("completion", shell)
            self.assertIn("batch-size", out)
            if subprocess.run(["sh", "-c", f"command -v {shell}"], capture_output=True).returncode == 0:
                subprocess.run([shell, "-n"], input=out.encode(), check=True)
        out, _ = self.run_svrmu("completion", "bash")
        ask = 'COMP_WORDS=(svrmu fit V.npy --algorithm svr); COMP_CWORD=4; _svrmu 2>/dev/null; echo "${COMPREPLY[@]}"'
        found = subprocess.run(["bash", "-c", out + ask], capture_output=True, check=True).stdout.decode()
        self.assertEqual(found.split(), ["svrmu", "svrmu-acc"])


class RealFiles(CliTest):
    def matrix(self, name):
        path = REAL_FILES / name
        if not path.exists():
            self.skipTest(f"{path} is not there")
        return path

    def test_cbcl_faces(self):
        told = self.run_json("fit", self.matrix("CBCL_Face.mat"), "-k", 20, "--epochs", 20, "-o", "faces.h5")
        self.assertEqual((told["features"], told["samples"]), (361, 2429))
        self.assertLess(told["relative_error"], 0.2)

    def test_reuters_by_tfidf(self):
        told = self.run_json("fit", f"{self.matrix('Reuters21578.mat')}:fea", "-k", 10, "--samples", "rows",
                             "--preprocess", "tfidf", "--epochs", 5, "-o", "reuters.h5")
        self.assertEqual((told["features"], told["samples"]), (18933, 8293))
        self.assertLess(told["relative_error"], 1)


if __name__ == "__main__":
    unittest.main()
