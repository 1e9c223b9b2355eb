"""The paper's experiment 2 in full, where its data are at hand: minutes on a quiet machine."""

import unittest

from program import REAL_FILES, CliTest

PROPOSED = "r-svrmu-acc:inner-passes=5"


class Published(CliTest):
    @unittest.skipUnless((REAL_FILES / "CBCL_Face.mat").is_file(), "CBCL_Face.mat is not here")
    def test_cbcl_gives_the_bases_and_errors_of_the_published_setting(self):
        told = self.run_json("reproduce", "faces", "--data", REAL_FILES / "CBCL_Face.mat", seconds=3600)
        self.assertEqual((told["samples"], told["gradient_counts"], told["rank"]), (1000, 500, 49))
        self.assertEqual(told["outliers"]["density"], 0.9)
        self.assertEqual(sorted({run["seed"] for run in told["runs"]}), [0, 1, 2, 3, 4])
        results = {result["label"]: result for result in told["results"]}
        for label, error in {"r-nmf": 0.155, "onmf": 0.46, "r-onmf": 0.185, PROPOSED: 0.162}.items():
            self.assertAlmostEqual(results[label]["relative_error"]["median"], error, delta=0.015, msg=label)
        alike = {label: result["cosine_with_r_nmf"]["median"] for label, result in results.items()}
        self.assertGreaterEqual(alike[PROPOSED], 0.8)
        self.assertGreater(alike[PROPOSED], alike["r-onmf"])
        self.assertTrue(any('R-NMF" holds' in sentence for sentence in told["verdict"]), told["verdict"])


if __name__ == "__main__":
    unittest.main()
