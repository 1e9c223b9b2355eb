"""Options of algorithms as flags: presets, and how refusals name them."""

import unittest

import numpy as np

from program import CliTest


class Flags(CliTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(0)
        np.save(self.folder / "V.npy", random.random((30, 4)) @ random.random((4, 80)))

    def options_of_preset(self, algorithm, *flags):
        return self.run_json("fit", "V.npy", "-k", 4, "--algorithm", algorithm, "--preset", "paper", "--epochs", 2, "--force",
                             *flags)["options"]

    def test_a_preset_sets_the_options_of_the_paper_and_other_flags_win(self):
        paper = self.options_of_preset("svrmu")
        self.assertEqual([paper[name] for name in ("batch_size", "inner_passes", "order", "safeguard")],
                         [1, 1, "with_replacement", False])
        self.assertEqual(paper["h_rule"], "fixed")
        self.assertEqual(self.options_of_preset("svrmu-acc")["h_rule"], "paper")
        mine = self.options_of_preset("svrmu", "--batch-size", 20, "--inner-steps", 7, "--safeguard")
        self.assertEqual([mine[name] for name in ("batch_size", "inner_steps", "inner_passes", "order", "safeguard")],
                         [20, 7, 0, "with_replacement", True])

    def test_a_preset_that_there_is_not_is_refused_by_its_flag(self):
        for words in (["mu", "--preset", "paper"], ["svrmu", "--preset", "papers"]):
            _, err = self.run_svrmu("fit", "V.npy", "-k", 4, "--algorithm", *words, code=2)
            self.assertIn(f"--preset {words[2]}", err)
        self.run_svrmu("fit", "V.npy", "-k", 4, "--preset", "paper", code=2)
        self.assertEqual(self.files(), ["V.npy"])

    def test_refusals_name_flags_not_options(self):
        for words, flags in ((["--inner-passes", 2, "--inner-steps", 7], "--inner-passes 2 and --inner-steps 7"),
                             (["--h-rule", "paper", "--h-repeats", 3], "--h-repeats is set, but --h-rule paper"),
                             (["--step-decay-power", 0.6], "--step-decay-power is set, but --step-decay 0")):
            for preset in [], ["--preset", "paper"]:
                _, err = self.run_svrmu("fit", "V.npy", "-k", 4, "--algorithm", "svrmu", *words, *preset, code=2)
                self.assertIn(flags, err)
                self.assertNotIn("_", err.splitlines()[-1])
        np.save(self.folder / "W.npy", np.ones((30, 4)))
        np.save(self.folder / "H.npy", np.ones((4, 80)))
        _, err = self.run_svrmu("fit", "V.npy", "-k", 4, "--init-w", "W.npy", "--init-h", "H.npy", "--restarts", 3, code=2)
        self.assertIn("--restarts is 3", err)

    def test_a_refused_order_or_correction_is_named_by_its_flag(self):
        for words, said in ((["svrmu", "--correction", "replace", "--order", "with-replacement"],
                             "--correction replace takes each column once per snapshot, but --order with-replacement"),
                            (["svrmu", "--correction", "replace", "--inner-passes", 2], "but --inner-passes is 2; leave it "
                             "out, or choose --correction unbiased"),
                            (["svrmu", "--correction", "replace", "--inner-steps", 7], "but --inner-steps is 7"),
                            (["sag-mu", "--order", "reshuffle"], "--order must be cyclic or permute-once")):
            _, err = self.run_svrmu("fit", "V.npy", "-k", 4, "--algorithm", *words, code=2)
            self.assertIn(said, err)


if __name__ == "__main__":
    unittest.main()
