"""On a pseudo-terminal: progress, Ctrl-C, colour, narrow windows; and the same through a pipe."""

import os
import re
import signal
import subprocess
import unittest

import numpy as np

from program import SVRMU, CliTest

try:
    import pexpect
except ImportError:
    pexpect = None

CSI = re.compile(r"\x1b\[[0-9;]*([A-Za-z])")
ENDLESS = ["--algorithm", "mu", "--tol", "0", "--epochs", "100000000"]


@unittest.skipIf(pexpect is None, "python3-pexpect is not installed")
class Terminal(CliTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(0)
        np.save(self.folder / "V.npy", random.random((60, 400)))

    def spawn(self, *arguments, width=120, **env):
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        return pexpect.spawn(SVRMU, list(map(str, arguments)), cwd=str(self.folder), dimensions=(30, width),
                             env={**environment, "TERM": "xterm", **env}, encoding="utf-8", timeout=60)

    def finish(self, child):
        child.expect(pexpect.EOF)
        child.close()
        return child.before

    def test_progress_line_tells_how_far_it_is(self):
        child = self.spawn("fit", "V.npy", "-k", 5, *ENDLESS)
        child.expect(r"epoch \d+/100000000  error [\d.e-]+  objective [\d.e+]+  change [\d.e-]+  [\d.e+]+ epochs/s  "
                     r"at most .* left")
        child.sendintr()
        self.finish(child)

    def test_interrupt_saves_and_says_how_to_go_on(self):
        child = self.spawn("fit", "V.npy", "-k", 5, *ENDLESS)
        child.expect("epochs/s")
        child.sendintr()
        said = self.finish(child)
        self.assertEqual(child.exitstatus, 130, said)
        self.assertIn("interrupted", said)
        self.assertIn("go on svrmu fit V.npy --resume V.svrmu.h5", said)
        epoch = self.run_json("info", "V.svrmu.h5")["epochs"]
        told = self.run_json("fit", "V.npy", "--resume", "V.svrmu.h5", "--epochs", epoch + 5)
        self.assertEqual((told["stop_reason"], told["epochs"]), ("epoch_limit", epoch + 5))

    def test_interrupted_and_resumed_run_has_the_bits_of_one_that_was_not(self):
        child = self.spawn("fit", "V.npy", "-k", 5, "--algorithm", "svrmu", "--batch-size", 40, "--tol", 0, "--epochs",
                           100000000)
        child.expect("epochs/s")
        child.sendintr()
        self.finish(child)
        epochs = self.run_json("info", "V.svrmu.h5")["epochs"] + 3
        self.run_svrmu("fit", "--resume", "V.svrmu.h5", "--epochs", epochs, "--save-w", "resumed.npy")
        self.run_svrmu("fit", "V.npy", "-k", 5, "--algorithm", "svrmu", "--batch-size", 40, "--tol", 0, "--epochs",
                       epochs, "-o", "whole.h5", "--save-w", "whole.npy")
        self.assertEqual((self.folder / "resumed.npy").read_bytes(), (self.folder / "whole.npy").read_bytes())

    def test_lines_never_wrap_in_a_narrow_window(self):
        child = self.spawn("fit", "V.npy", "-k", 5, *ENDLESS, width=30)
        child.expect(r"\repoch [^\r]*\x1b\[K")
        lines = child.after.split("\r")
        child.sendintr()
        self.finish(child)
        for line in lines:
            self.assertLess(len(CSI.sub("", line)), 30, repr(line))

    def test_colour_only_where_it_is_wanted(self):
        def colours(*arguments, **env):
            child = self.spawn("fit", "V.npy", "-k", 5, "--epochs", 3, "--force", *arguments, **env)
            said = self.finish(child)
            self.assertEqual(child.exitstatus, 0, said)
            return "m" in CSI.findall(said)
        self.assertTrue(colours())
        self.assertFalse(colours(NO_COLOR="1"))
        self.assertFalse(colours("--no-color"))
        self.assertFalse(colours(TERM="dumb"))
        self.assertTrue(colours(NO_COLOR=""))

    def test_quiet_draws_nothing(self):
        child = self.spawn("fit", "V.npy", "-k", 5, "-q")
        self.assertEqual(self.finish(child), "")


class Pipe(CliTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(0)
        np.save(self.folder / "V.npy", random.random((60, 400)))

    def test_no_control_characters_through_a_pipe(self):
        _, err = self.run_svrmu("fit", "V.npy", "-k", 5)
        self.assertNotRegex(err, r"[\r\x1b]")
        self.assertNotIn("epochs/s", err)

    def test_interrupt_through_a_pipe_saves_as_well(self):
        child = subprocess.Popen([SVRMU, "fit", "V.npy", "-k", "5", *ENDLESS, "-v"], cwd=self.folder,
                                 stderr=subprocess.PIPE, text=True)
        for line in child.stderr:
            if "epoch 3/" in line:
                break
        child.send_signal(signal.SIGTERM)
        rest = child.stderr.read()
        child.stderr.close()
        self.assertEqual(child.wait(), 130, rest)
        self.assertIn("--resume V.svrmu.h5", rest)
        self.assertEqual(self.files(), ["V.npy", "V.svrmu.h5"])

    def test_killed_run_leaves_no_half_of_a_file(self):
        child = subprocess.Popen([SVRMU, "fit", "V.npy", "-k", "5", *ENDLESS, "-v"], cwd=self.folder,
                                 stderr=subprocess.PIPE, text=True)
        for line in child.stderr:
            if "epoch 3/" in line:
                break
        child.kill()
        child.wait()
        child.stderr.close()
        self.assertEqual(self.files(), ["V.npy"])

    def test_a_reader_that_goes_away_is_an_error_not_a_crash(self):
        child = subprocess.Popen([SVRMU, "convert", "V.npy", "-"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        child.stdout.close()
        code = child.wait()
        child.stderr.close()
        self.assertIn(code, (0, 4, -signal.SIGPIPE))


if __name__ == "__main__":
    unittest.main()
