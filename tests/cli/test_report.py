"""Reports and figures: which files there are, what is refused, what names do."""

import re
import struct
import unittest

import numpy as np

from program import CliTest


class Report(CliTest):
    def setUp(self):
        super().setUp()
        self.run_svrmu("generate", "swimmer", "-o", "swimmer.npy")
        self.run_svrmu("fit", "swimmer.npy", "-k", 5, "--epochs", 3, "-o", "m.svrmu.h5")

    def page(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def test_report_is_named_after_the_model(self):
        _, err = self.run_svrmu("report", "m.svrmu.h5")
        self.assertIn("report m.html", err)
        page = self.page("m.html")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn("swimmer.npy", page)
        self.assertIn("they need the data", page)

    def test_report_tells_what_was_done(self):
        self.run_svrmu("fit", "swimmer.npy", "-k", 4, "--algorithm", "svrmu-acc", "--batch-size", 32, "--epochs", 3,
                       "--seed", 77, "--preprocess", "max1", "--tol", 0, "-o", "told.h5", "--report", "told.html")
        page = self.page("told.html")
        for text in ("svrmu fit swimmer.npy -k 4", "svrmu-acc", "batch_size 32", "<dd>77</dd>", "max1",
                     "at the limit of 3 epochs", "float64", "svrmu 0.", "256 samples × 1024 features"):
            self.assertIn(text, page)

    def test_data_give_residuals_and_pictures(self):
        self.run_svrmu("report", "m.svrmu.h5", "swimmer.npy", "--image", "32x32", "-o", "with.html")
        page = self.page("with.html")
        self.assertIn("The samples that are fitted worst", page)
        self.assertGreaterEqual(page.count('<img class="gray"'), 5 + 3)

    def test_fit_makes_the_same_report(self):
        self.run_svrmu("fit", "swimmer.npy", "-k", 3, "--epochs", 3, "-o", "n.h5", "--report", "fit.html", "--image", "32x32")
        self.run_svrmu("report", "n.h5", "swimmer.npy", "--image", "32x32", "-o", "later.html")
        self.assertEqual(self.page("fit.html"), self.page("later.html"))

    def test_report_goes_to_standard_output(self):
        out, _ = self.run_svrmu("report", "m.svrmu.h5", "-o", "-")
        self.assertTrue(out.startswith("<!DOCTYPE html>") and out.endswith("</html>\n"))
        _, err = self.run_svrmu("fit", "swimmer.npy", "-k", 3, "-o", "x.h5", "--report", "-", "--json", code=2)
        self.assertIn("only one output", err)

    def test_json_names_report_and_figures(self):
        told = self.run_json("fit", "swimmer.npy", "-k", 3, "--epochs", 2, "-o", "n.h5", "--report", "n.html", "--figures", "f")
        self.assertEqual((told["files"]["report"], told["files"]["figures"]), ("n.html", "f"))

    def test_figures_are_svg_png_and_csv(self):
        self.run_svrmu("report", "m.svrmu.h5", "swimmer.npy", "--image", "32x32", "--figures", "deep/figures")
        files = {path.name: path.read_bytes() for path in (self.folder / "deep/figures").iterdir()}
        for name in ("objective.svg", "objective-over-gradient-counts.svg", "relative-error.svg", "activations.svg",
                     "similarity.svg", "weights.svg", "residuals.svg", "residual-histogram.svg", "components.png",
                     "worst-samples.png", "components.csv", "worst-samples.csv"):
            self.assertIn(name, files)
        for name, content in files.items():
            if name.endswith(".svg"):
                self.assertTrue(content.startswith(b"<svg xmlns="))
            elif name.endswith(".png"):
                width, height = struct.unpack(">II", content[16:24])
                self.assertGreater(min(width, height), 96)
            else:
                self.assertTrue(name.endswith(".csv"))
        self.assertEqual(len(files["components.csv"].splitlines()), 1 + 5)

    def test_pictures_are_column_by_column(self):
        V = np.zeros((6, 8))
        V[1] = 1  # row 1, column 0 of 3 x 2
        V[4] = 0.5  # row 1, column 1
        np.save(self.folder / "p.npy", V)
        self.run_svrmu("fit", "p.npy", "-k", 1, "-o", "p.h5", "--figures", "f", "--image", "3x2")
        content = (self.folder / "f/components.png").read_bytes()
        width, height = struct.unpack(">II", content[16:24])
        self.assertEqual((width - 8, height - 8), (2 * 32, 3 * 32))
        import zlib
        data = b"".join(content[at + 8:at + 8 + size] for at, size in chunks(content, b"IDAT"))
        rows = unfiltered(zlib.decompress(data), width, height)
        center = lambda r, c: rows[4 + 32 * r + 16][4 + 32 * c + 16]
        self.assertEqual([[center(r, c) for c in range(2)] for r in range(3)], [[255, 255], [0, 128], [255, 255]])

    def test_what_cannot_be_is_refused(self):
        for words, code, text in [
            (["report", "m.svrmu.h5", "--image", "31x32"], 2, "31x32 has 992 pixels, but there are 1024 features"),
            (["report", "m.svrmu.h5", "--image", "32"], 2, "write ROWSxCOLUMNS"),
            (["report", "m.svrmu.h5", "--image", "0x0"], 2, "write ROWSxCOLUMNS"),
            (["report", "missing.h5"], 4, "missing.h5"),
            (["report", "swimmer.npy"], 3, "swimmer.npy"),
            (["report", "m.svrmu.h5", "swimmer.truth-w.npy"], 3, "is not the matrix"),
            (["report", "m.svrmu.h5", "-o", "nowhere/x.html"], 4, "nowhere"),
            (["report", "m.svrmu.h5", "-o", "m.svrmu.h5", "--force"], 2, "named twice"),
            (["report", "m.svrmu.h5", "--figures", "swimmer.npy"], 4, "is not a folder"),
            (["fit", "swimmer.npy", "-k", 3, "-o", "n.h5", "--image", "32x32"], 2, "give --report or --figures"),
            (["fit", "swimmer.npy", "-k", 3, "-o", "n.h5", "--report", "r.html", "--image", "9x9"], 2, "81 pixels"),
            (["fit", "swimmer.npy", "-k", 3, "-o", "n.h5", "--report", "swimmer.npy", "--force"], 2, "named twice"),
        ]:
            with self.subTest(words):
                _, err = self.run_svrmu(*words, code=code)
                self.assertIn(text, err)
        self.assertFalse((self.folder / "n.h5").exists())

    def test_what_is_there_stays_without_force(self):
        (self.folder / "m.html").write_text("mine")
        self.run_svrmu("report", "m.svrmu.h5", code=4)
        self.assertEqual(self.page("m.html"), "mine")
        (self.folder / "f").mkdir()
        (self.folder / "f/own").write_text("mine")
        self.run_svrmu("report", "m.svrmu.h5", "-o", "x.html", "--figures", "f", code=4)
        self.assertFalse((self.folder / "x.html").exists())
        self.run_svrmu("report", "m.svrmu.h5", "--figures", "f", "--force")
        self.assertEqual((self.folder / "f/own").read_text(), "mine")
        self.assertIn("Summary", self.page("m.html"))


class HostileNames(CliTest):
    NAMES = ["<script>alert(1)</script>", "</script>", "\x1b[31mred", "=1+1", "+x", "-x", "@x", "\u202eexe", 'a"b,c', "' onx='"]

    def setUp(self):
        super().setUp()
        quoted = lambda name: '"' + name.replace('"', '""') + '"'
        self.features = [f"{name} {i}" for i in range(1000) for name in self.NAMES]
        samples = [f"{name} of {i}" for i in range(2) for name in self.NAMES]
        V = np.random.default_rng(0).random((len(self.features), len(samples)))
        lines = ["," + ",".join(map(quoted, samples))]
        lines += [quoted(name) + "," + ",".join(f"{v:.3f}" for v in row) for name, row in zip(self.features, V)]
        (self.folder / "names.csv").write_text("\n".join(lines) + "\n")
        _, self.err = self.run_svrmu("fit", "names.csv", "-k", 3, "--epochs", 2, "--report", "r.html", "--figures", "f",
                                     "--save-w", "W.csv")

    def test_page_and_drawings_show_them_as_text(self):
        page = (self.folder / "r.html").read_text(encoding="utf-8")
        self.assertEqual(len(re.findall(r"<script>", page)), 2)
        self.assertIn("&lt;script&gt;alert(1)", page)
        for name in ("\x1b", "\u202e"):
            self.assertNotIn(name, page)
        for path in (self.folder / "f").glob("*.svg"):
            drawing = path.read_text(encoding="utf-8")
            self.assertNotIn("<script", drawing)
            self.assertNotIn("\x1b", drawing)

    def test_tables_for_spreadsheets_hold_no_formula(self):
        for path in (self.folder / "f").glob("*.csv"):
            for line in path.read_text(encoding="utf-8").splitlines():
                for cell in re.findall(r'"((?:[^"]|"")*)"', line):
                    self.assertNotRegex(cell, r"^[=+\-@\t\r]")

    def test_saved_factors_keep_them_exactly(self):
        text = (self.folder / "W.csv").read_text(encoding="utf-8")
        for name in self.features[:20]:
            self.assertIn(name.replace('"', '""'), text)

    def test_terminal_sees_nothing_of_them(self):
        self.assertNotIn("\x1b[31m", self.err)


def chunks(png, kind):
    """(offset, size) of the parts of a PNG of this kind."""
    at = 8
    while at < len(png):
        size = struct.unpack(">I", png[at:at + 4])[0]
        if png[at + 4:at + 8] == kind:
            yield at, size
        at += 12 + size


def unfiltered(data, width, height):
    """Rows of an 8-bit gray PNG."""
    rows, above = [], bytes(width)
    for r in range(height):
        kind, line = data[r * (width + 1)], bytearray(data[r * (width + 1) + 1:(r + 1) * (width + 1)])
        for i in range(width):
            left, up, corner = (line[i - 1] if i else 0), above[i], (above[i - 1] if i else 0)
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + [0, left, up, (left + up) // 2, paeth][kind]) % 256
        rows.append(bytes(line))
        above = rows[-1]
    return rows


if __name__ == "__main__":
    unittest.main()
