"""Every run of the author's program that the core reproduces, through the command line."""

import json
import unittest

import numpy as np

from program import GOLDEN, CliTest

PUBLISHED = ["--order", "cyclic", "--no-safeguard", "--batch-size", "5"]
SIX = ["--order", "cyclic", "--no-safeguard", "--batch-size", "6"]
AUTHOR_DIV = ["--update-first", "w", "--exponent", "heuristic"]
ROBUST = ["--outlier-penalty", "0.5"]

# golden: algorithm, flags
CASES = {
    "open/fro_mu": ("mu", []),
    "open/fro_mu_zeros": ("mu", []),
    "open/fro_mu_normw1": ("mu", []),
    "open/fro_mu_acc": ("mu-acc", ["--update-first", "w"]),
    "open/hals": ("hals", []),
    "open/hals_noscale": ("hals", ["--no-initial-scaling"]),
    "open/acc_hals_onesweep": ("hals-acc", ["--h-rule-limit", "1"]),
    "open/acc_hals_delta": ("hals-acc", ["--h-rule-limit", "100000"]),
    "open/div_kl": ("mu", [*AUTHOR_DIV, "--loss", "kl"]),
    "open/div_beta0": ("mu", [*AUTHOR_DIV, "--loss", "is"]),
    "open/div_beta0p5": ("mu", [*AUTHOR_DIV, "--loss", "beta:0.5"]),
    "open/div_beta1p5": ("mu", [*AUTHOR_DIV, "--loss", "beta:1.5"]),
    "open/div_beta2": ("mu", [*AUTHOR_DIV, "--loss", "beta:2"]),
    "open/smu": ("smu", PUBLISHED),
    "open/smu_zeros": ("smu", PUBLISHED),
    "open/smu_acc_fix5": ("smu-acc", PUBLISHED),
    "open/onmf": ("onmf", PUBLISHED),
    "open/acc_online_fix": ("onmf-acc", [*PUBLISHED, "--w-repeats", "2"]),
    "open/inmf": ("inmf", PUBLISHED),
    "open/inmf_ab_inner5": ("inmf", [*PUBLISHED, "--inner-iterations", "5"]),
    "open/asag_mu_l05": ("asag-mu", PUBLISHED),
    "open/asag_mu_l1": ("asag-mu", [*PUBLISHED, "--memory-weight", "1"]),
    "open/sagmu_fast": ("sag-mu", PUBLISHED),
    "open/sagmu_acc_fix5": ("sag-mu-acc", PUBLISHED),
    "open/svrmu": ("svrmu", PUBLISHED),
    "open/svrmu_zeros": ("svrmu", PUBLISHED),
    "open/svrmu_inner5": ("svrmu", [*PUBLISHED, "--inner-passes", "5"]),
    "open/svrmu_alpha0p3": ("svrmu", [*PUBLISHED, "--step", "0.3"]),
    "open/svrmu_acc_fix5": ("svrmu-acc", PUBLISHED),
    "open/svrmu_acc_fix5_inner5": ("svrmu-acc", [*PUBLISHED, "--inner-passes", "5"]),
    "open/svrmu_acc_adaptive": ("svrmu", [*PUBLISHED, "--h-repeats", "26"]),
    "open/svrmu_robust": ("r-svrmu", [*PUBLISHED, *ROBUST]),
    "open/svrmu_robust_acc_fix5": ("r-svrmu-acc", [*PUBLISHED, *ROBUST, "--inner-passes", "2"]),
    "open/svrmu_robust_acc_adaptive": ("r-svrmu", [*PUBLISHED, *ROBUST, "--h-repeats", "26"]),
    "open/svrmu_robust_noR0": ("svrmu", PUBLISHED),
    "open/robust_mu": ("r-nmf", ROBUST),
    "open/robust_online": ("r-onmf", [*PUBLISHED, *ROBUST]),
    "derived/inc_exact": ("inc-mu", PUBLISHED),
    "derived/inc_exact_partial_rep3": ("inc-mu", [*SIX, "--h-repeats", "3"]),
    "derived/reg_mu": ("mu", ["--l1-w", "0.1", "--l2-w", "0.2", "--l1-h", "0.3", "--l2-h", "0.1"]),
    "derived/rsvrmu_partial_sim": ("r-svrmu", [*SIX, *ROBUST, "--inner-passes", "2", "--h-repeats", "2"]),
    "derived/rsvrmu_partial_seq": (
        "r-svrmu", [*SIX, *ROBUST, "--inner-passes", "2", "--h-repeats", "2", "--outlier-step", "sequential"]),
    "derived/smu_beta0": ("smu", [*PUBLISHED, "--loss", "is"]),
    "derived/smu_beta0.5": ("smu", [*PUBLISHED, "--loss", "beta:0.5"]),
    "derived/smu_beta1": ("smu", [*PUBLISHED, "--loss", "kl"]),
    "derived/smu_beta1.5": ("smu", [*PUBLISHED, "--loss", "beta:1.5"]),
    "derived/smu_beta3": ("smu", [*PUBLISHED, "--loss", "beta:3"]),
    "derived/svrmu_beta0": ("svrmu", [*PUBLISHED, "--loss", "is"]),
    "derived/svrmu_beta0.5": ("svrmu", [*PUBLISHED, "--loss", "beta:0.5"]),
    "derived/svrmu_beta1": ("svrmu", [*PUBLISHED, "--loss", "kl"]),
    "derived/svrmu_beta1.5": ("svrmu", [*PUBLISHED, "--loss", "beta:1.5"]),
    "derived/svrmu_beta3": ("svrmu", [*PUBLISHED, "--loss", "beta:3"]),
    "derived/svrmu_is_heuristic": ("svrmu", [*PUBLISHED, "--exponent", "heuristic", "--loss", "is"]),
    "derived/svrmu_kl_inner2_rep3": (
        "svrmu", [*PUBLISHED, "--inner-passes", "2", "--h-repeats", "3", "--loss", "kl"]),
    "derived/svrmu_partial_batch": ("svrmu", [*SIX, "--inner-passes", "2", "--h-repeats", "2"]),
    "derived/svrmu_reg": (
        "svrmu", [*PUBLISHED, "--l1-w", "0.2", "--l2-w", "0.4", "--l1-h", "0.1", "--l2-h", "0.05"]),
}
# Their figures are objectives; those of the others are costs.
OBJECTIVES = {"derived/reg_mu", "derived/rsvrmu_partial_sim", "derived/rsvrmu_partial_seq"}
TOLERANCE = 1e-10


def distance(a, b):
    return np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-300)


class Golden(CliTest):
    def reproduce(self, name):
        algorithm, flags = CASES[name]
        golden = json.loads((GOLDEN / f"{name}.json").read_text())
        given, wanted = golden["input"], golden["output"]
        W0 = np.array(given["W0"], dtype=float)
        if name == "open/fro_mu_normw1":
            W0 = W0 / W0.sum(axis=0)
        if name == "open/inmf_ab_inner5":
            flags = [*flags, "--new-weight", golden["options"]["alpha"], "--past-weight", golden["options"]["beta"]]
        np.save(self.folder / "V.npy", np.array(given["V"], dtype=float))
        np.save(self.folder / "W0.npy", W0)
        np.save(self.folder / "H0.npy", np.array(given["H0"], dtype=float))
        if robust := algorithm.startswith("r-"):
            np.save(self.folder / "R0.npy", np.array(given["R0"], dtype=float))
            flags = [*flags, "--init-r", "R0.npy", "--save-r", "R.npy"]
        self.run_svrmu(
            "fit", "V.npy", "-k", W0.shape[1], "--algorithm", algorithm, *flags,
            "--epochs", len(wanted["cost_per_epoch"]) - 1, "--tol", 0, "--init-w", "W0.npy", "--init-h", "H0.npy",
            "--save-w", "W.npy", "--save-h", "H.npy", "--trace", "t.json")
        self.assertLess(distance(np.load(self.folder / "W.npy"), np.array(wanted["W"])), TOLERANCE)
        self.assertLess(distance(np.load(self.folder / "H.npy"), np.array(wanted["H"])), TOLERANCE)
        if robust:
            self.assertLess(distance(np.load(self.folder / "R.npy"), np.array(wanted["R"])), TOLERANCE)
        history = json.loads((self.folder / "t.json").read_text())["history"]
        figure = "objective" if name in OBJECTIVES else "cost"
        np.testing.assert_allclose([entry[figure] for entry in history], wanted["cost_per_epoch"], rtol=TOLERANCE)
        if "grad_calc_count" in wanted:
            self.assertEqual([entry["gradient_count"] for entry in history], wanted["grad_calc_count"])


for case in CASES:
    def test(self, name=case):
        self.reproduce(name)
    setattr(Golden, "test_" + case.replace("/", "_").replace(".", "p"), test)

if __name__ == "__main__":
    unittest.main()
