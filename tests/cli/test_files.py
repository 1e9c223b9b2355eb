"""Files that are in the way, full disks, streams without end, and signals: nothing is lost, nothing is left."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import unittest

import numpy as np

from program import SVRMU, CliTest

USAGE, BAD_INPUT, CANNOT, LIMIT, INTERRUPTED = 2, 3, 4, 6, 130
ENDLESS = ["--algorithm", "mu", "--tol", "0", "--epochs", "100000000", "-v"]


class FilesTest(CliTest):
    def setUp(self):
        super().setUp()
        np.save(self.folder / "V.npy", np.random.default_rng(0).random((20, 50)))
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.scratch)}

    def fit(self, name="m.h5"):
        self.run_svrmu("fit", "V.npy", "-k", 2, "--epochs", 2, "-o", name, "-q")

    def start(self, *arguments, **options):
        child = subprocess.Popen([SVRMU, *map(str, arguments)], cwd=self.folder, stderr=subprocess.PIPE, env=self.env,
                                 **options)
        self.addCleanup(child.stderr.close)
        return child

    def limited(self, bytes_of_a_file, *arguments, **options):
        """A run that may write no more than this into one file."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_of_a_file, bytes_of_a_file))
        return subprocess.run([SVRMU, *map(str, arguments)], cwd=self.folder, capture_output=True, env=self.env,
                              preexec_fn=limit, timeout=120, **options)

    def leftovers(self):
        return [name for name in self.files() if ".part-" in name or name.startswith("scratch/")]


class Interrupts(FilesTest):
    def test_interrupt_after_the_model_is_saved_names_it(self):
        # The trace does not fit into the pipe, which nobody reads: the program waits there.
        child = self.start("fit", "V.npy", "-k", 2, "--algorithm", "mu", "--tol", 0, "--epochs", 3000, "-o", "m.h5",
                           "--trace", "-", "-q", stdout=subprocess.PIPE)
        while not (self.folder / "m.h5").exists():
            self.assertIsNone(child.poll())
        child.send_signal(signal.SIGTERM)
        said = child.stderr.read().decode()
        self.assertEqual(child.wait(), INTERRUPTED, said)
        child.stdout.close()
        self.assertIn("interrupted; saved: m.h5", said)
        self.assertNotIn("nothing was written", said)
        self.run_svrmu("top", "m.h5")

    def test_stream_that_was_interrupted_is_said_to_be_cut_off(self):
        np.save(self.folder / "V.npy", np.random.default_rng(0).random((200, 500)))
        child = self.start("convert", "V.npy", "-", stdout=subprocess.PIPE)
        child.stdout.read(10)  # more is to come than fits into the pipe
        child.send_signal(signal.SIGINT)
        said = child.stderr.read().decode()
        self.assertEqual(child.wait(), INTERRUPTED, said)
        child.stdout.close()
        self.assertIn("interrupted; standard output may be cut off", said)

    def test_leftovers_of_killed_runs_go_with_the_next_run(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        ours = [f"C.csv.part-{dead.pid}-0", f"C.csv.part-{dead.pid}-17"]
        others = [f"C.csv.part-{os.getpid()}-0", f"C.csv.part-{dead.pid}", f"C.csv.part-{dead.pid}-0.txt",
                  f"D.csv.part-{dead.pid}-0", "C.csv.part-x-0"]
        for name in ours + others:
            (self.folder / name).write_text("half")
        self.run_svrmu("convert", "V.npy", "C.csv")
        self.assertEqual([name for name in ours if name in self.files()], [])
        self.assertEqual([name for name in others if name not in self.files()], [])


class FullDisks(FilesTest):
    def test_file_size_limit_is_an_error_and_leaves_nothing(self):
        for arguments in (["convert", "V.npy", "C.csv"], ["generate", "swimmer", "-o", "S.npy"]):
            result = self.limited(1000, *arguments)
            self.assertEqual(result.returncode, CANNOT, result.stderr)
            self.assertIn(b"File too large", result.stderr)
            self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
            self.assertEqual(self.files(), ["V.npy", "scratch"])

    def test_file_size_limit_for_a_model_that_fits_nowhere_names_every_place(self):
        result = self.limited(1000, "fit", "V.npy", "-k", 2, "--epochs", 2, "-o", "m.h5", "-q")
        self.assertEqual(result.returncode, CANNOT, result.stderr)
        for word in (b"m.h5: cannot be written", b"rescued", str(self.scratch).encode()):
            self.assertIn(word, result.stderr)
        self.assertEqual(self.files(), ["V.npy", "scratch"])

    def rescued(self, meanwhile):
        """What a fit says whose output is spoiled while it runs, and where it saved its model."""
        (self.folder / "out").mkdir()
        child = self.start("fit", "V.npy", "-k", 2, *ENDLESS, "-o", "out/V.svrmu.h5")
        for line in child.stderr:
            if b"epoch 3/" in line:
                break
        meanwhile()
        child.send_signal(signal.SIGINT)
        said = child.stderr.read().decode()
        self.assertEqual(child.wait(), CANNOT, said)
        place = re.search("the model is saved as (.*)$", said, re.MULTILINE)[1]
        self.run_svrmu("info", place)
        self.assertIn("svrmu: out/V.svrmu.h5: cannot be written", said)
        return place

    def test_finished_fit_is_saved_elsewhere_if_its_folder_has_gone(self):
        place = self.rescued(lambda: (self.folder / "out").rmdir())
        self.assertTrue(place.startswith(str(self.scratch)), place)

    def test_finished_fit_is_saved_elsewhere_if_the_disk_is_full(self):
        (self.folder / "out").mkdir()
        script = (f'mount -t tmpfs -o size=8k none out || exit 77; "{SVRMU}" fit V.npy -k 2 --epochs 2 -o out/m.h5 -q; '
                  'code=$?; ls -A out >&2; exit $code')
        result = subprocess.run(["unshare", "-rm", "bash", "-c", script], cwd=self.folder, env=self.env,
                                capture_output=True, timeout=120)
        if result.returncode in (1, 77):
            self.skipTest("no file system can be mounted here")
        self.assertEqual(result.returncode, CANNOT, result.stderr)
        said = result.stderr.decode()
        self.assertEqual(said.count("\n"), 1, said)  # nothing is left in that folder
        self.assertIn("out/m.h5: cannot be written: No space left on device", said)
        place = re.search("the model is saved as (.*)$", said, re.MULTILINE)[1]
        self.assertTrue(place.startswith(str(self.scratch)), place)
        self.run_svrmu("info", place)

    def test_finished_fit_is_saved_beside_a_file_that_has_come_meanwhile(self):
        place = self.rescued(lambda: (self.folder / "out" / "V.svrmu.h5").write_text("mine"))
        self.assertRegex(place, r"^out/V\.rescued-\d+\.svrmu\.h5$")
        self.assertEqual((self.folder / "out" / "V.svrmu.h5").read_text(), "mine")


class OutputsThatAreInputs(FilesTest):
    def refused(self, *arguments, word="different files"):
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        _, err = self.run_svrmu(*arguments, "--force", code=USAGE)
        self.assertIn(word, err)
        self.assertEqual(before, {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()})

    def test_member_of_the_output(self):
        h5py = __import__("h5py")
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["X"] = np.ones((4, 5))
        self.refused("fit", "in.h5:X", "-k", 2, "-o", "in.h5")
        self.refused("fit", "in.h5:X", "-k", 2, "--trace", "in.h5")

    def test_every_output_of_fit(self):
        np.save(self.folder / "W.npy", np.ones((20, 2)))
        for flag, name in (("-o", "V.npy"), ("--trace", "V.npy"), ("--report", "V.npy"), ("--save-w", "W.npy"),
                           ("--save-h", "./W.npy"), ("--trace", "W.npy")):
            self.refused("fit", "V.npy", "-k", 2, "--init-w", "W.npy", flag, name)

    def test_resumed_model_and_its_matrix(self):
        self.fit()
        self.refused("fit", "V.npy", "--resume", "m.h5", "--trace", "m.h5")
        self.refused("fit", "--resume", "m.h5", "--epochs", 5, "--trace", "V.npy")
        self.run_svrmu("fit", "--resume", "m.h5", "--epochs", 5, "-q")

    def test_links_to_an_input(self):
        os.symlink("V.npy", self.folder / "soft.npy")
        os.link(self.folder / "V.npy", self.folder / "hard.npy")
        for name in ("soft.npy", "hard.npy"):
            self.refused("convert", "V.npy", name, word=f"{name} is the same file as V.npy")
            self.refused("convert", name, "V.npy")

    def test_files_of_other_commands(self):
        self.fit()
        self.refused("transform", "m.h5", "V.npy", "-o", "V.npy")
        os.symlink("m.h5", self.folder / "m.npy")
        self.refused("transform", "m.h5", "V.npy", "-o", "m.npy")
        self.refused("report", "m.h5", "-o", "m.h5")
        self.refused("report", "m.h5", "V.npy", "-o", "V.npy")
        self.refused("compare", "V.npy", "-k", 2, "--csv", "V.npy")
        self.refused("reproduce", "faces", "--data", "V.npy", "--picture", "V.npy")
        os.symlink("V.npy", self.folder / "V.truth-w.npy")
        self.refused("generate", "lowrank-scaled", "-o", "V.npy")

    def test_files_in_a_folder_that_is_the_input(self):
        cells = self.folder / "cells"
        cells.mkdir()
        (cells / "matrix.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n2 2 4\n")
        (cells / "features.tsv").write_text("a\tA\nb\tB\n")
        (cells / "barcodes.tsv").write_text("x\ny\n")
        self.refused("convert", "cells", "cells/matrix.mtx")
        self.refused("fit", "cells", "-k", 1, "--save-w", "cells/features.tsv")
        faces = self.folder / "faces"
        faces.mkdir()
        for name in ("1.pgm", "2.pgm"):
            (faces / name).write_bytes(b"P5 2 2 255\n" + bytes([1, 2, 3, 4]))
        self.refused("fit", "faces", "-k", 1, "--report", "faces/2.pgm")
        self.refused("fit", "faces", "-k", 1, "--figures", "faces")

    def test_figures_over_an_input(self):
        self.fit()
        (self.folder / "figures").mkdir()
        (self.folder / "figures" / "history.csv").write_text("1,2\n3,4\n")
        self.refused("report", "m.h5", "figures/history.csv", "--figures", "figures")


class FoldersOfPictures(FilesTest):
    def test_a_model_without_a_name_goes_beside_the_folder_that_we_are_in(self):
        faces = self.folder / "faces"
        (faces / ".below").mkdir(parents=True)
        for name in ("1.pgm", "2.pgm"):
            (faces / name).write_bytes(b"P5 2 2 255\n" + bytes(range(1, 5)))
        for place, path in ((faces, "."), (faces, "../faces"), (faces / ".below", "..")):
            result = subprocess.run([SVRMU, "fit", path, "-k", "1"], cwd=place, capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            model = os.path.relpath(self.folder / "faces.svrmu.h5", place)
            self.assertIn(f"note: the model goes beside this folder, not among its files: {model}", result.stderr)
            (self.folder / "faces.svrmu.h5").unlink()
            self.assertEqual(sorted(p.name for p in faces.iterdir()), [".below", "1.pgm", "2.pgm"])
        _, err = self.run_svrmu("fit", "faces", "-k", 1)
        self.assertNotIn("beside", err)
        self.assertTrue((self.folder / "faces.svrmu.h5").exists())


class Links(FilesTest):
    def test_dangling_link_is_followed(self):
        (self.folder / "there").mkdir()
        os.symlink("there/real.csv", self.folder / "link.csv")
        self.run_svrmu("convert", "V.npy", "link.csv")
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertTrue((self.folder / "there" / "real.csv").is_file())

    def test_dangling_link_into_a_missing_folder_is_refused(self):
        os.symlink("nowhere/real.csv", self.folder / "link.csv")
        os.symlink("loop.csv", self.folder / "loop.csv")
        for name in ("link.csv", "loop.csv"):
            _, err = self.run_svrmu("convert", "V.npy", name, code=CANNOT)
            self.assertIn(name, err)
            self.assertTrue((self.folder / name).is_symlink())


class Streams(FilesTest):
    def test_stream_that_cannot_be_kept_is_an_error(self):
        with subprocess.Popen(["yes", "1,2,3"], stdout=subprocess.PIPE) as endless:
            result = self.limited(1 << 20, "info", "-", stdin=endless.stdout)
            endless.stdout.close()
        self.assertEqual(result.returncode, CANNOT, result.stderr)
        self.assertIn(b"standard input cannot be kept there: File too large", result.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_stream_may_not_fill_the_disk(self):
        script = f'mount -t tmpfs -o size=1m none "{self.scratch}" || exit 77; yes 1,2,3 | "{SVRMU}" info -'
        result = subprocess.run(["unshare", "-rm", "bash", "-c", script], env=self.env, capture_output=True, timeout=120)
        if result.returncode in (1, 77):
            self.skipTest("no file system can be mounted here")
        self.assertEqual(result.returncode, LIMIT, result.stderr)
        self.assertIn(b"standard input is larger than 921.6 KiB", result.stderr)
        self.assertIn(b"TMPDIR", result.stderr)

    def test_device_as_standard_input_is_refused(self):
        with open("/dev/zero", "rb") as endless:
            result = self.limited(1 << 30, "info", "-", stdin=endless)
        self.assertEqual(result.returncode, CANNOT, result.stderr)
        self.assertIn(b"it is a device", result.stderr)

    def test_stream_has_no_name_while_it_is_kept(self):
        child = self.start("info", "-", stdin=subprocess.PIPE)
        child.stdin.write(b"1,2,3\n" * 100000)
        child.stdin.flush()
        self.assertEqual(self.leftovers(), [])
        child.kill()
        child.wait()
        child.stdin.close()
        self.assertEqual(self.leftovers(), [])

    def test_process_substitution_is_read_as_standard_input_is(self):
        for data in ("V.npy", "V.csv"):
            np.savetxt(self.folder / "V.csv", np.load(self.folder / "V.npy"), delimiter=",")
            result = subprocess.run(["bash", "-c", f'"{SVRMU}" info <(cat {data}) --json'], cwd=self.folder,
                                    capture_output=True)
            self.assertEqual(json.loads(result.stdout)["samples"], 50, result.stderr)

    def test_pipes_and_devices_are_refused_where_a_file_is_needed(self):
        os.mkfifo(self.folder / "pipe.h5")
        os.symlink("/dev/zero", self.folder / "zero.npy")
        faces = self.folder / "faces"
        faces.mkdir()
        os.mkfifo(faces / "1.pgm")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.folder / "socket.npy"))
        for arguments, name in ((["top", "pipe.h5"], "pipe.h5"), (["info", "zero.npy"], "zero.npy"),
                                (["top", "zero.npy"], "zero.npy"), (["info", "/dev/zero"], "/dev/zero"),
                                (["info", "faces"], "faces/1.pgm"), (["info", "socket.npy"], "socket.npy"),
                                (["fit", "V.npy", "-k", 2, "--init-w", "zero.npy"], "zero.npy")):
            _, err = self.run_svrmu(*arguments, code=CANNOT)
            self.assertIn(name + ": cannot be read", err)

    def test_values_beyond_the_range_are_refused_with_the_name_of_the_file(self):
        np.save(self.folder / "big.npy", np.full((3, 4), 1e200))
        for arguments in (["info", "big.npy"], ["fit", "big.npy", "-k", 2]):
            _, err = self.run_svrmu(*arguments, code=BAD_INPUT)
            self.assertIn("svrmu: big.npy: ", err)


class HiddenCharacters(FilesTest):
    HIDDEN = "\x7f\x85\x9b31m\u202e\u2066\u200e\u200f\u061c\u2028\u200b\ufeff\U000e0041"

    def hidden_in(self, text):
        return re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0041]", text)

    def test_warnings_of_a_model_do_not_reach_the_terminal(self):
        h5py = __import__("h5py")
        self.fit()
        with h5py.File(self.folder / "m.h5", "a") as file:
            if "warnings" in file:
                del file["warnings"]
            file.create_dataset("warnings", data=["\x1b[31mred" + self.HIDDEN], dtype=h5py.string_dtype())
        self.unseal("m.h5")
        _, err = self.run_svrmu("fit", "--resume", "m.h5", "--epochs", 4)
        self.assertIn("note: \\x1b[31mred", err)
        self.assertEqual(self.hidden_in(err), [])

    def test_json_escapes_what_could_deceive(self):
        name = "name" + self.HIDDEN
        (self.folder / "V.csv").write_bytes(f",a,b\n{name},1,2\nother,2,1\n".encode())
        self.run_svrmu("fit", "V.csv", "-k", 1, "-o", "n.h5", "-q")
        for arguments in (["top", "n.h5", "--json"], ["top", "n.h5"], ["info", "V.csv"]):
            out, _ = self.run_svrmu(*arguments)
            self.assertEqual(self.hidden_in(out), [], arguments)
        names = [feature["name"] for feature in self.run_json("top", "n.h5")["components"][0]["features"]]
        self.assertIn(name, names)

    def test_paths_are_shown_without_them(self):
        for path in ("no\x1b[31m.npy", "no\u202e.npy", "no\x9b.npy"):
            for arguments in (["info", path], ["fit", path, "-k", 2], ["top", path], ["convert", "V.npy", path + "/x.npy"]):
                result = subprocess.run([SVRMU, *map(str, arguments)], cwd=self.folder, capture_output=True)
                self.assertEqual(self.hidden_in(result.stderr.decode()), [], arguments)


if __name__ == "__main__":
    unittest.main()
