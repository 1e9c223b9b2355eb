"""On a pseudo-terminal: progress, Ctrl-C, color, narrow windows; and the same through a pipe."""

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
        child.expect(r"epoch \d+/100000000  error [\d.e-]+  change [\d.e-]+  [\d.e+]+ epochs/s  at most .* left  "
                     r"objective [\d.e+]+")
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

    def test_what_does_not_fit_is_left_out_whole(self):
        child = self.spawn("fit", "V.npy", "-k", 5, *ENDLESS, width=60)
        child.expect(r"\repoch \d+/100000000  error [\d.e-]+  change [\d.e-]+\x1b\[K")
        child.sendintr()
        self.finish(child)

    def test_dumb_terminal_gets_plain_lines(self):
        child = self.spawn("fit", "V.npy", "-k", 5, "--epochs", 3, TERM="dumb")
        self.assertNotIn("\x1b", self.finish(child))

    def test_color_only_where_it_is_wanted(self):
        def colors(*arguments, **env):
            child = self.spawn("fit", "V.npy", "-k", 5, "--epochs", 3, "--force", *arguments, **env)
            said = self.finish(child)
            self.assertEqual(child.exitstatus, 0, said)
            return "m" in CSI.findall(said)
        self.assertTrue(colors())
        self.assertFalse(colors(NO_COLOR="1"))
        self.assertFalse(colors("--no-color"))
        self.assertFalse(colors(TERM="dumb"))
        self.assertTrue(colors(NO_COLOR=""))

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

    def test_closed_streams_are_no_interrupt(self):
        for closing in (">&- 2>&-", "<&- >&-", "2>&-"):
            result = subprocess.run(["bash", "-c", f'"{SVRMU}" fit V.npy -k 3 --force -o m.h5 {closing}'], cwd=self.folder)
            self.assertEqual(result.returncode, 0, closing)
            self.assertTrue((self.folder / "m.h5").exists())

    def test_ignored_interrupts_stay_ignored(self):
        script = f'trap "" INT; "{SVRMU}" fit V.npy -k 5 -v --algorithm mu --tol 0 --epochs 3000'
        child = subprocess.Popen(["bash", "-c", script], cwd=self.folder, stderr=subprocess.PIPE, text=True,
                                 start_new_session=True)
        for line in child.stderr:
            if "epoch 3/" in line:
                break
        os.killpg(child.pid, signal.SIGINT)
        rest = child.stderr.read()
        child.stderr.close()
        self.assertEqual(child.wait(), 0, rest)

    def test_hangup_saves(self):
        child = subprocess.Popen([SVRMU, "fit", "V.npy", "-k", "5", *ENDLESS, "-v"], cwd=self.folder,
                                 stderr=subprocess.PIPE, text=True)
        for line in child.stderr:
            if "epoch 3/" in line:
                break
        child.send_signal(signal.SIGHUP)
        child.stderr.read()
        child.stderr.close()
        self.assertEqual(child.wait(), 130)
        self.assertIn("V.svrmu.h5", self.files())

    def test_full_standard_output_is_an_error(self):
        for arguments in (["manual"], ["completion", "bash"], ["--version"], ["--help"], ["algorithms"]):
            with open("/dev/full", "w") as full:
                code = subprocess.run([SVRMU, *arguments], stdout=full, stderr=subprocess.DEVNULL).returncode
            self.assertEqual(code, 4, arguments)

    def test_interrupted_stream_leaves_no_temporary_file(self):
        scratch = self.folder / "tmp"
        scratch.mkdir()
        child = subprocess.Popen([SVRMU, "info", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                 env={**os.environ, "TMPDIR": str(scratch)})
        # It has begun to read when the pipe has room for more than a pipe holds.
        child.stdin.write(b"1,2,3\n" * 100000)
        child.stdin.flush()
        child.send_signal(signal.SIGINT)
        self.assertIn(b"interrupted; nothing was written", child.stderr.read())
        self.assertEqual(child.wait(), 130)
        child.stdin.close()
        child.stderr.close()
        self.assertEqual(list(scratch.iterdir()), [])

    def test_a_reader_that_goes_away_is_an_error_not_a_crash(self):
        child = subprocess.Popen([SVRMU, "convert", "V.npy", "-"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        child.stdout.close()
        code = child.wait()
        child.stderr.close()
        self.assertIn(code, (0, 4))


if __name__ == "__main__":
    unittest.main()
