"""fit --stream: columns that are seen once."""

import io
import json
import os
import signal
import subprocess
import unittest
from pathlib import Path

import numpy as np
import scipy.sparse

from columns import framed, low_rank
from program import SVRMU
from streaming import BATCH, StreamTest

USAGE, BAD_INPUT, CANNOT, INTERRUPTED = 2, 3, 4, 130


class Fit(StreamTest):
    def test_every_framing_learns_the_same_bits(self):
        V = low_rank()
        found = []
        rows, columns = io.BytesIO(), io.BytesIO()
        np.save(rows, np.ascontiguousarray(V.T))
        np.save(columns, np.asfortranarray(V))
        text = "\n".join(",".join(repr(float(x)) for x in column) for column in V.T).encode()
        for data in (framed(V), framed(V, block=1000), rows.getvalue(), columns.getvalue(), text):
            self.fit(data, *BATCH, "--force", "--precision", "float32")
            found.append(self.w())
        for other in found[1:]:
            np.testing.assert_array_equal(found[0], other)

    def test_sparse_columns_learn_what_dense_ones_do(self):
        V = low_rank()
        V[V < 0.3] = 0
        self.fit(framed(V), *BATCH)
        self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "s.h5", *BATCH,
                       input=framed(scipy.sparse.csc_matrix(V)))
        np.testing.assert_allclose(self.w("s.h5"), self.w(), rtol=2e-3, atol=1e-4)

    def test_one_pass_is_served_and_nothing_else(self):
        V = low_rank()
        for algorithm in ("inc-hals", "inc-mu", "onmf", "smu-acc", "svrmu-acc"):
            out, _ = self.fit(framed(V), "--algorithm", algorithm, "--force", "--json")
            said = json.loads(out)
            self.assertEqual((said["columns"], said["columns_ever"], said["columns_read"]), (900, 900, 900), algorithm)
            self.assertEqual(said["columns_evaluated"], 0, algorithm)
            self.assertTrue(said["estimated"])
            self.assertEqual(said["stop_reason"], "end_of_stream")

    def test_the_bits_are_those_of_pieces(self):
        V = low_rank()
        self.fit(framed(V), *BATCH)
        self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "p0.h5", *BATCH, input=framed(V[:, :400]))
        self.run_svrmu("update", "p0.h5", "--stream", "-", "-o", "p1.h5", input=framed(V[:, 400:600]))
        self.run_svrmu("update", "p1.h5", "--stream", "-", "-o", "p2.h5", input=framed(V[:, 600:]))
        np.testing.assert_array_equal(self.w(), self.w("p2.h5"))
        self.assertEqual(self.run_json("info", "p2.h5")["stream"]["columns"], 900)

    def test_a_file_and_a_named_pipe_are_streams_too(self):
        V = low_rank()
        (self.folder / "V.columns").write_bytes(framed(V))
        self.run_svrmu("fit", "--stream", "V.columns", "-k", 3)
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen(["sh", "-c", "cat V.columns > pipe"], cwd=self.folder) as writer:
            self.run_svrmu("fit", "--stream", "pipe", "-k", 3, "-o", "m.h5")
            writer.wait()
        np.testing.assert_array_equal(self.w(), self.w("V.svrmu.h5"))

    def test_h_is_that_of_each_window_in_order(self):
        V = low_rank()
        out, _ = self.fit(framed(V), *BATCH, "--save-h", "H.npy", "--save-w", "W.npy", "--json")
        H = np.load(self.folder / "H.npy")
        self.assertEqual(H.shape, (3, 900))
        self.assertEqual(json.loads(out)["files"], {"model": "m.h5", "w": "W.npy", "h": "H.npy"})
        np.testing.assert_array_equal(np.load(self.folder / "W.npy"), self.w())
        # W has not moved much at the end: H of the last batch is close to the best one.
        self.save("last.npy", V[:, 850:])
        self.run_svrmu("transform", "m.h5", "last.npy", "-o", "best.npy")
        best, W = np.load(self.folder / "best.npy"), self.w()
        error = lambda h: np.linalg.norm(V[:, 850:] - W @ h)
        self.assertLess(error(H[:, 850:]), 1.5 * error(best) + 0.02 * np.linalg.norm(V[:, 850:]))

    def test_h_of_pieces_is_h_of_the_whole(self):
        V = low_rank()
        self.fit(framed(V), *BATCH, "--save-h", "H.npy")
        self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "p0.h5", *BATCH, "--save-h", "H0.npy",
                       input=framed(V[:, :400]))
        self.run_svrmu("update", "p0.h5", "--stream", "-", "-o", "p1.h5", "--save-h", "H1.npy", input=framed(V[:, 400:]))
        pieces = np.hstack([np.load(self.folder / "H0.npy"), np.load(self.folder / "H1.npy")])
        np.testing.assert_array_equal(np.load(self.folder / "H.npy"), pieces)

    def test_names_of_features_come_with_text(self):
        V = low_rank(4, 300)
        text = "a,b,c,d\n" + "".join(",".join(f"{x:.5f}" for x in column) + "\n" for column in V.T)
        self.run_svrmu("fit", "--stream", "-", "-k", 2, "-o", "m.h5", input=text.encode())
        out, _ = self.run_svrmu("top", "m.h5", "-n", 4)
        for name in "abcd":
            self.assertRegex(out, rf"\b{name}\b")

    def test_steps_that_need_one_sample_are_done_and_kept(self):
        V = low_rank()
        self.fit(framed(V), *BATCH, "--preprocess", "sqrt,l2")
        self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "by_hand.h5", *BATCH,
                       input=framed(np.sqrt(V) / np.linalg.norm(np.sqrt(V), axis=0)))
        np.testing.assert_allclose(self.w(), self.w("by_hand.h5"), rtol=1e-2, atol=1e-3)
        self.assertEqual(self.run_json("info", "m.h5")["preprocessing"], "sqrt,l2")

    def test_the_model_says_what_it_is(self):
        self.fit(framed(low_rank()))
        out, _ = self.run_svrmu("info", "m.h5")
        self.assertIn("model of a stream of 900 samples x 12 features, K = 3", out)
        self.assertIn("estimates", out)
        said = self.run_json("info", "m.h5")
        self.assertEqual(said["stream"]["columns"], 900)
        self.assertTrue(said["estimated"])
        self.assertFalse(said["can_be_resumed"])
        self.assertTrue(said["can_be_updated"])
        _, err = self.run_svrmu("convert", "m.h5:H", "H.npy", code=BAD_INPUT)
        self.assertIn("svrmu transform", err)
        self.run_svrmu("report", "m.h5")
        self.run_svrmu("top", "m.h5")
        _, err = self.run_svrmu("fit", "--resume", "m.h5", code=USAGE)
        self.assertIn("svrmu update", err)


class Refused(StreamTest):
    def test_flags_that_do_not_apply_by_name(self):
        for flags in (["--resume", "m.h5"], ["--restarts", 2], ["--epochs", 5], ["--tol", 0], ["--kkt-tol", 1e-3],
                      ["--grad-budget", 9], ["--evaluate-every", 2], ["--dry-run"], ["--preset", "paper"],
                      ["--normalize"], ["--init-h", "H.npy"], ["--init-r", "R.npy"], ["--save-r", "R.mtx"],
                      ["--sample-names", "n.txt"], ["--report", "p.html"], ["--figures", "f"], ["--image", "3x4"],
                      ["--trusted"], ["--init", "frobenius"], ["--preprocess", "tfidf"],
                      ["--preprocess", "l2,feature-max"], ["--save-h", "H.csv"], ["--save-h", "-"]):
            _, err = self.fit(b"", *flags, code=USAGE)
            self.assertIn(flags[0], err)
        self.assertEqual(self.files(), [])

    def test_flags_of_streams_without_one(self):
        self.save("V.npy", low_rank())
        for flags in (["--forget-factor", 0.9], ["--window", 100]):
            _, err = self.run_svrmu("fit", "V.npy", "-k", 3, *flags, code=USAGE)
            self.assertIn(flags[0], err)
        _, err = self.run_svrmu("fit", "V.npy", "-k", 3, "--stream", "-", code=USAGE)
        self.assertIn("--stream", err)

    def test_algorithms_that_have_to_see_columns_again(self):
        for algorithm in ("mu", "hals", "fast", "r-onmf", "asag-mu", "inmf"):
            _, err = self.fit(framed(low_rank()), "--algorithm", algorithm, code=USAGE)
            self.assertIn(algorithm, err)
        _, err = self.fit(framed(low_rank()), "--algorithm", "smu", "--forget-factor", 0.5, code=USAGE)
        self.assertIn("forget", err)

    def test_options_that_a_stream_cannot_have_are_named_by_their_flags(self):
        for words, said in ((["svrmu", "--correction", "replace"], "--correction is replace"),
                            (["svrmu", "--order", "reshuffle"], "--order is set"),
                            (["onmf", "--statistics", "replace"], "--statistics is replace"),
                            (["smu", "--forget-factor", 0.5], "--forget-factor is set")):
            _, err = self.fit(framed(low_rank()), "--algorithm", *words, code=USAGE)
            self.assertIn(said, err)

    def test_a_model_is_no_stream(self):
        self.fit(framed(low_rank()))
        for words in (["fit", "--stream", "m.h5", "-k", 3], ["update", "m.h5", "--stream", "m.h5", "-o", "x.h5"]):
            _, err = self.run_svrmu(*words, code=BAD_INPUT)
            self.assertIn("m.h5: is a model, and not samples to learn from", err)
            self.assertNotIn("INPUT", err)
        scipy.sparse.save_npz(self.folder / "V.npz", scipy.sparse.csc_matrix(low_rank()))
        _, err = self.run_svrmu("update", "m.h5", "--stream", "V.npz", code=BAD_INPUT)
        self.assertIn("it is read as a whole, and not as a stream", err)
        self.assertNotIn("INPUT", err)

    def test_a_cut_off_stream_keeps_what_was_learned(self):
        V = low_rank()
        _, err = self.fit(framed(V, end=False), *BATCH, "--save-h", "H.npy", code=BAD_INPUT)
        self.assertIn("ends after column 900 (counted from 1), without the mark of its end", err)
        self.assertIn("saved: m.h5", err)
        self.assertEqual(self.run_json("info", "m.h5")["stream"]["columns"], 900)
        _, err = self.fit(framed(V)[:-1010], *BATCH, "--force", code=BAD_INPUT)
        self.assertRegex(err, r"ends within column 8\d\d")
        columns = self.run_json("info", "m.h5")["stream"]["columns"]
        self.assertEqual(columns, 850)
        # Going on with the rest gives the bits of the whole.
        self.run_svrmu("update", "m.h5", "--stream", "-", "-o", "rest.h5", input=framed(V[:, columns:]))
        self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "whole.h5", *BATCH, input=framed(V))
        np.testing.assert_array_equal(self.w("rest.h5"), self.w("whole.h5"))

    def test_nothing_is_saved_if_nothing_was_learned(self):
        V = low_rank()
        for data, word in ((b"", "empty"), (framed(V)[:50], "column 1"), (b"SVRMUCOL", "header"),
                           (framed(V[:, :0]), "before its first column"), (b"\x1f\x8b0000", "gunzip"),
                           (b"SVRMUCOL" + b"\xff" * 24, "version")):
            _, err = self.fit(data, code=BAD_INPUT)
            self.assertIn(word, err)
            self.assertIn("standard input", err)
        self.assertEqual(self.files(), [])

    def test_a_bad_value_has_its_place_and_what_came_before_is_kept(self):
        for value, word in ((np.nan, "NaN"), (-1, "-1"), (np.inf, "infinite")):
            V = low_rank()
            V[6, 777] = value
            _, err = self.fit(framed(V), *BATCH, "--force", code=BAD_INPUT)
            self.assertIn("standard input, column 778, row 7 (counted from 1)", err)
            self.assertIn(word, err)
            self.assertEqual(self.run_json("info", "m.h5")["stream"]["columns"], 750)

    def test_a_zero_where_the_loss_is_infinite_is_one_of_them(self):
        V = low_rank()
        V[6, 777] = 0
        _, err = self.fit(framed(V), "--loss", "is", *BATCH, code=BAD_INPUT)
        self.assertIn("standard input, column 778, row 7 (counted from 1): holds 0", err)
        self.assertEqual(self.run_json("info", "m.h5")["stream"]["columns"], 750)

    def test_text_that_is_wrong_has_its_line(self):
        lines = ["1,2,3"] * 400
        lines[330] = "1,x,3"
        _, err = self.run_svrmu("fit", "--stream", "-", "-k", 2, "-o", "m.h5", "--batch-size", 100,
                                input="\n".join(lines).encode(), code=BAD_INPUT)
        self.assertIn("standard input, line 331", err)
        self.assertEqual(self.run_json("info", "m.h5")["stream"]["columns"], 300)

    def test_framed_columns_are_no_input(self):
        (self.folder / "V.columns").write_bytes(framed(low_rank()))
        for words in (["info", "V.columns"], ["fit", "V.columns", "-k", 3]):
            _, err = self.run_svrmu(*words, code=BAD_INPUT)
            self.assertIn("--stream", err)
        _, err = self.run_svrmu("fit", "-", "-k", 3, input=framed(low_rank()), code=BAD_INPUT)
        self.assertIn("--stream", err)

    def test_files_that_exist_are_not_replaced(self):
        self.fit(framed(low_rank()))
        _, err = self.fit(framed(low_rank()), code=CANNOT)
        self.assertIn("--force", err)


class Interrupt(StreamTest):
    def start(self, *arguments):
        return subprocess.Popen([SVRMU, "fit", "--stream", "-", "-k", "3", "-o", "m.h5", *map(str, arguments)],
                                cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for(self, run, word):
        said = b""
        while word not in said:
            more = run.stderr.read1(1 << 16)
            self.assertTrue(more, said)
            said += more

    def test_while_it_waits_for_columns_the_model_is_saved(self):
        V = low_rank()
        run = self.start(*BATCH, "--save-h", "H.npy", "-v")
        run.stdin.write(framed(V[:, :870], end=False))
        run.stdin.flush()
        self.wait_for(run, b"400 samples")  # then several batches are learned, and it goes on
        run.send_signal(signal.SIGINT)
        code = run.wait(timeout=60)  # its input stays open
        err = run.communicate()[1]
        self.assertEqual(code, INTERRUPTED, err)
        columns = self.run_json("info", "m.h5")["stream"]["columns"]
        self.assertEqual(columns % 50, 0)
        self.assertEqual(np.load(self.folder / "H.npy").shape, (3, columns))
        self.run_svrmu("update", "m.h5", "--stream", "-", "-o", "rest.h5", input=framed(V[:, columns:]))
        self.run_svrmu("fit", "--stream", "-", "-k", 3, "-o", "whole.h5", *BATCH, input=framed(V))
        np.testing.assert_array_equal(self.w("rest.h5"), self.w("whole.h5"))

    def test_before_the_first_window_there_is_nothing_to_save(self):
        run = self.start("--save-h", "H.npy")
        run.stdin.write(framed(low_rank(), end=False)[:200])
        run.stdin.flush()
        self.wait_for(run, b"float32")  # the header has been read
        run.send_signal(signal.SIGTERM)
        code = run.wait(timeout=60)
        err = run.communicate()[1]
        self.assertEqual(code, INTERRUPTED, err)
        self.assertIn(b"nothing was written", err)
        self.assertEqual(self.files(), [])


class Memory(StreamTest):
    def test_does_not_grow_with_the_stream(self):
        program = Path(SVRMU).read_bytes()
        if b"__asan_init" in program or b"__tsan_init" in program:
            self.skipTest("a sanitizer keeps memory that was given back")
        block = framed(low_rank(200, 5000), end=False)
        header, body = block[:32], block[32:]

        def peak(times):
            script = 'import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], check=False)\n' \
                     'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
            run = subprocess.Popen(["/usr/bin/python3", "-c", script, SVRMU, "fit", "--stream", "-", "-k", "5", "-q", "--force",
                                    "-o", "m.h5"], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
            run.stdin.write(header)
            for _ in range(times):
                run.stdin.write(body)
            out, _ = run.communicate(timeout=120)
            return int(out)

        few = peak(2)
        self.assertLess(peak(20), few + 8000)  # kB; the rest of the stream has 72000


if __name__ == "__main__":
    unittest.main()
