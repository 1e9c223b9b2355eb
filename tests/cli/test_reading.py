"""Files that new users bring: what is understood of them is said, with the flag that answers it."""

import gzip
import unittest

import numpy as np
import scipy.io
import scipy.sparse

from program import CliTest

USAGE, BAD_INPUT, CANNOT = 2, 3, 4


class ReadingTest(CliTest):
    def write(self, name, text):
        (self.folder / name).write_text(text)

    def data(self, features=8, samples=30, seed=3):
        rng = np.random.default_rng(seed)
        return np.round(rng.random((features, 2)) @ rng.random((2, samples)) + 0.01, 4)

    def write_table(self, name, V, header=None, first=None, delimiter=",", decimal="."):
        lines = [] if header is None else [delimiter.join(header)]
        for i, row in enumerate(V):
            cells = [str(value).replace(".", decimal) for value in row]
            lines.append(delimiter.join(([str(first[i])] if first is not None else []) + cells))
        self.write(name, "\n".join(lines) + "\n")


class Index(ReadingTest):
    def names(self, V):
        return [f"s{j}" for j in range(V.shape[1])]

    def test_an_index_that_pandas_writes_is_no_sample(self):
        V = self.data()
        self.write_table("V.csv", V, ["Unnamed: 0", *self.names(V)], range(len(V)))
        _, err = self.run_svrmu("fit", "V.csv", "-k", 2, "--samples", "columns")
        self.assertIn("30 samples x 8 features", err)
        self.assertRegex(err, r"note: the first column \(0, 1, 2, \.\.\.\) is taken as names .* --row-names none")
        out, _ = self.run_svrmu("convert", "V.csv", "-", "-q", "--row-names", "none")
        self.assertEqual(len(out.splitlines()[1].split(",")), 31)

    def test_wavelengths_are_no_sample(self):
        V = self.data()
        self.write_table("V.csv", V, ["Wavelength (nm)", *self.names(V)], 400.5 + 10 * np.arange(len(V)))
        _, err = self.run_svrmu("fit", "V.csv", "-k", 2)
        self.assertIn("30 samples x 8 features", err)
        self.assertIn("note: the first column (400.5, 410.5, 420.5, ...)", err)
        out, _ = self.run_svrmu("top", "V.svrmu.h5")
        self.assertIn("400.5", out)

    def test_a_rising_column_without_a_name_is_noted_for_every_command_that_reads_a_matrix(self):
        V = self.data()
        self.write_table("V.csv", V, first=range(len(V)))
        for command in (["fit", "V.csv", "-k", 2], ["info", "V.csv"], ["convert", "V.csv", "V.npy"],
                        ["compare", "V.csv", "-k", 2, "--algorithms", "mu", "--counts", 2, "--seeds", 1],
                        ["transform", "V.svrmu.h5", "V.csv", "-o", "H.npy"], ["report", "V.svrmu.h5", "V.csv"]):
            _, err = self.run_svrmu(*command)
            self.assertRegex(err, r"note: the first column \(0, 1, 2, \.\.\.\) is taken as data.*--row-names first")
            _, err = self.run_svrmu(*command, "-q", *(["--force"] if command[0] not in ("info",) else []))
            self.assertNotIn("note:", err)
        _, err = self.run_svrmu("convert", "V.csv", "V2.npy", "--row-names", "first")
        self.assertNotIn("note:", err)
        self.assertEqual(np.load(self.folder / "V2.npy").shape, V.shape)

    def test_a_line_that_numbers_the_columns_has_a_note(self):
        V = self.data()
        self.write("V.csv", ",".join(map(str, range(30))) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in V))
        _, err = self.run_svrmu("convert", "V.csv", "V.npy")
        self.assertRegex(err, r"note: the first line \(0, 1, 2, \.\.\.\) is taken as data.*--column-names first")
        self.assertEqual(np.load(self.folder / "V.npy").shape, (9, 30))
        _, err = self.run_svrmu("convert", "V.csv", "V.npy", "--column-names", "first", "--force")
        self.assertNotIn("note: the first line", err)
        np.testing.assert_array_equal(np.load(self.folder / "V.npy"), V)
        _, err = self.run_svrmu("convert", "V.csv", "V.npy", "--column-names", "last", "--force", code=2)
        self.assertIn("--column-names is 'last'", err)

    def test_comments_of_savetxt_are_read(self):
        V = self.data()
        for name, delimiter in (("V.csv", ","), ("V.tsv", "\t"), ("V.txt", " ")):
            np.savetxt(self.folder / name, V, delimiter=delimiter, header="made by\nnumpy", footer="the end")
            _, err = self.run_svrmu("convert", name, "V.npy", "--force", *(["--format", "text"] if name == "V.txt" else []))
            self.assertNotIn("note:", err)
            np.testing.assert_array_equal(np.load(self.folder / "V.npy"), V)
        np.savetxt(self.folder / "V.csv", V, delimiter=",", header=",".join(self.names(V)))
        out, err = self.run_svrmu("convert", "V.csv", "-")
        self.assertEqual(out.splitlines()[0].split(","), self.names(V))
        self.assertRegex(err, r"note: the comment .*\(s0, s1, s2, \.\.\.\); --column-names none")

    def test_a_few_triples_have_a_note(self):
        self.write("V.csv", "0,0,5\n0,1,3\n1,0,2\n1,1,4\n2,0,1\n2,1,1\n")
        _, err = self.run_svrmu("fit", "V.csv", "-k", 2)
        self.assertRegex(err, r"note: .*\(row, column, value\).*--row-names none")
        _, err = self.run_svrmu("fit", "V.csv", "-k", 2, "--row-names", "none", "--force")
        self.assertNotIn("value", err)

    def test_triples_are_refused_with_the_remedy(self):
        S = scipy.sparse.random(20, 15, 0.4, random_state=1, format="coo")
        rows = "".join(f"{i + 1},{j + 1},{v:.4f}\n" for i, j, v in zip(S.row, S.col, S.data))
        self.write("V.csv", "row,col,value\n" + rows)
        _, err = self.run_svrmu("fit", "V.csv", "-k", 2, code=BAD_INPUT)
        for word in ("V.csv, line 2", "(row, column, value)", ".mtx", "--row-names none"):
            self.assertIn(word, err)
        self.assertIn("3 samples", self.run_svrmu("fit", "V.csv", "-k", 2, "--row-names", "none")[1])


class Dialect(ReadingTest):
    def read(self, name, *flags, code=0, input=None):
        self.run_svrmu("convert", name, "out.npy", "--force", "-q", *flags, code=code, input=input)
        return np.load(self.folder / "out.npy")

    def test_semicolons_and_decimal_commas_of_european_spreadsheets_are_read(self):
        V = self.data()
        self.write_table("V.csv", V, ["gene", *(f"s{j}" for j in range(30))], [f"g{i}" for i in range(8)], ";", ",")
        np.testing.assert_array_equal(self.read("V.csv"), V)
        np.testing.assert_array_equal(self.read("-", input=(self.folder / "V.csv").read_bytes()), V)

    def test_signs_can_be_said(self):
        V = self.data()
        self.write_table("V.csv", V, delimiter="|", decimal=",")
        np.testing.assert_array_equal(self.read("V.csv", "--delimiter", "|", "--decimal", "comma"), V)
        self.write_table("V.csv", V, delimiter="  ")
        np.testing.assert_array_equal(self.read("V.csv", "--delimiter", "space"), V)
        _, err = self.run_svrmu("info", "V.csv", code=BAD_INPUT)
        self.assertIn("--delimiter", err)

    def test_numbers_that_may_have_thousands_are_refused(self):
        self.write("V.csv", "1,234;5,678\n2,345;6,789\n")
        _, err = self.run_svrmu("info", "V.csv", code=BAD_INPUT)
        self.assertIn("--decimal comma", err)
        np.testing.assert_array_equal(self.read("V.csv", "--decimal", "comma"), [[1.234, 5.678], [2.345, 6.789]])

    def test_files_of_any_ending_are_read_by_format(self):
        V = self.data()
        for name in ("V.txt", "V.dat", "V"):
            np.savetxt(self.folder / name, V)
            np.testing.assert_allclose(self.read(name, "--format", "text"), V)
        _, err = self.run_svrmu("info", "V.txt", code=BAD_INPUT)
        self.assertIn("say --format text", err)
        np.savetxt(self.folder / "V.txt.gz", V)
        np.testing.assert_allclose(self.read("V.txt.gz", "--format", "text"), V)
        np.save(self.folder / "V.npy", V)
        (self.folder / "V.npy").rename(self.folder / "V.bin")
        np.testing.assert_array_equal(self.read("V.bin", "--format", "npy"), V)
        _, err = self.run_svrmu("info", "V.bin", code=BAD_INPUT)
        self.assertIn("--format npy", err)

    def test_a_format_that_contradicts_the_content_is_refused_by_name(self):
        np.save(self.folder / "V.npy", self.data())
        _, err = self.run_svrmu("info", "V.npy", "--format", "csv", code=BAD_INPUT)
        self.assertIn("--format csv contradicts", err)
        _, err = self.run_svrmu("info", "V.npy", "--format", "excel", code=USAGE)
        self.assertIn("--format excel", err)

    def test_a_flag_that_does_not_apply_is_refused_by_name(self):
        np.save(self.folder / "V.npy", self.data())
        self.run_svrmu("fit", "V.npy", "-k", 2, "-o", "m.h5")
        for flag, value in (("--delimiter", "semicolon"), ("--decimal", "comma"), ("--row-names", "first")):
            _, err = self.run_svrmu("fit", "V.npy", "-k", 2, flag, value, "-o", "m2.h5", code=USAGE)
            self.assertIn(f"{flag} {value} does not apply to V.npy", err)
            _, err = self.run_svrmu("info", "m.h5", flag, value, code=USAGE)
            self.assertIn(flag, err)
            _, err = self.run_svrmu("report", "m.h5", flag, value, code=USAGE)
            self.assertIn(flag, err)

    def test_a_value_that_a_flag_does_not_take_is_refused(self):
        self.write("V.csv", "1,2\n3,5\n")
        for flag, value in (("--delimiter", "colon"), ("--delimiter", "5"), ("--delimiter", "x"), ("--decimal", ";"),
                            ("--row-names", "last"), ("--format", "cvs")):
            _, err = self.run_svrmu("info", "V.csv", flag, value, code=USAGE)
            self.assertIn(flag, err)
        _, err = self.run_svrmu("info", "V.csv", "--delimiter", "comma", "--decimal", "comma", code=USAGE)
        self.assertIn("--decimal", err)


class Names(ReadingTest):
    def setUp(self):
        super().setUp()
        self.V = self.data()
        scipy.sparse.save_npz(self.folder / "V.npz", scipy.sparse.csr_matrix(self.V))
        self.words = [f"word{i}" for i in range(8)]
        self.write("words_of_mine.txt", "\n".join(self.words) + "\n")
        self.fit = ["fit", "V.npz", "-k", 2, "--samples", "columns", "--force"]

    def test_names_from_a_file_go_into_the_model(self):
        self.write("people.csv", "id,who\n" + "".join(f"{i},p{i}\n" for i in range(30)))
        self.run_svrmu(*self.fit, "--feature-names", "words_of_mine.txt", "--sample-names", "people.csv:who",
                       "--save-h", "H.csv", "--epochs", 3, "--tol", 0)
        self.assertRegex(self.run_svrmu("top", "V.svrmu.h5")[0], r"word\d")
        self.assertIn(",p0,p1", (self.folder / "H.csv").read_text())
        # A run that goes on keeps them.
        self.run_svrmu("fit", "--resume", "V.svrmu.h5", "--epochs", 5)
        self.assertRegex(self.run_svrmu("top", "V.svrmu.h5")[0], r"word\d")

    def test_names_can_be_given_to_a_model_without_any(self):
        self.run_svrmu(*self.fit)
        out, err = self.run_svrmu("top", "V.svrmu.h5")
        self.assertIn("feature ", out)
        self.assertIn("--feature-names", err)
        out, err = self.run_svrmu("top", "V.svrmu.h5", "--feature-names", "words_of_mine.txt")
        self.assertRegex(out, r"word\d")
        self.assertNotIn("--feature-names", err)
        self.run_svrmu("report", "V.svrmu.h5", "--feature-names", "words_of_mine.txt", "-o", "r.html")
        self.assertIn("word1", (self.folder / "r.html").read_text())

    def test_names_for_transform_match_features_and_name_samples(self):
        self.run_svrmu(*self.fit, "--feature-names", "words_of_mine.txt")
        np.save(self.folder / "turned.npy", self.V[::-1])
        self.write("turned.txt", "\n".join(reversed(self.words)))
        np.save(self.folder / "who.npy", np.array([f"é{i}" for i in range(30)]))
        self.run_svrmu("transform", "V.svrmu.h5", "V.npz", "-o", "H.npy", "--samples", "columns")
        self.run_svrmu("transform", "V.svrmu.h5", "turned.npy", "-o", "H2.csv", "--samples", "columns",
                       "--feature-names", "turned.txt", "--sample-names", "who.npy")
        lines = (self.folder / "H2.csv").read_text().splitlines()
        self.assertTrue(lines[0].startswith(",é0,é1"))
        np.testing.assert_allclose([[float(x) for x in line.split(",")[1:]] for line in lines[1:]],
                                   np.load(self.folder / "H.npy"), rtol=1e-6)

    def test_names_of_a_wrong_number_are_refused_with_both_numbers(self):
        self.write("few.txt", "a\nb\n")
        _, err = self.run_svrmu(*self.fit, "--feature-names", "few.txt", code=BAD_INPUT)
        self.assertIn("few.txt: has 2 names, but there are 8 features (--feature-names)", err)
        _, err = self.run_svrmu(*self.fit, "--sample-names", "few.txt", code=BAD_INPUT)
        self.assertIn("has 2 names, but there are 30 samples (--sample-names)", err)
        self.run_svrmu(*self.fit)
        _, err = self.run_svrmu("top", "V.svrmu.h5", "--feature-names", "few.txt", code=BAD_INPUT)
        self.assertIn("has 2 names, but there are 8 features", err)
        self.run_svrmu("top", "V.svrmu.h5", "--feature-names", "no.txt", code=CANNOT)

    def test_an_output_does_not_replace_the_names(self):
        _, err = self.run_svrmu(*self.fit, "--feature-names", "words_of_mine.txt", "--trace", "words_of_mine.txt",
                                code=USAGE)
        self.assertIn("words_of_mine.txt is named twice", err)

    def test_names_may_be_compressed(self):
        with gzip.open(self.folder / "w.txt.gz", "wt") as file:
            file.write("\n".join(self.words))
        self.run_svrmu(*self.fit, "--feature-names", "w.txt.gz")
        self.assertRegex(self.run_svrmu("top", "V.svrmu.h5")[0], r"word\d")

    def test_a_file_of_names_beside_the_matrix_is_named_but_not_read(self):
        self.write("vocab.txt", "\n".join(self.words) + "\n")
        self.write("V.samples.txt", "\n".join(f"p{i}" for i in range(30)) + "\n")
        self.write("genes.txt", "too\nfew\n")
        for command in (self.fit, ["info", "V.npz"]):
            _, err = self.run_svrmu(*command)
            self.assertIn("note: vocab.txt has 8 lines, as many as there are features: --feature-names vocab.txt", err)
            self.assertIn("note: V.samples.txt has 30 lines, as many as there are samples: --sample-names", err)
        self.assertNotIn("word1", self.run_svrmu("top", "V.svrmu.h5")[0])
        _, err = self.run_svrmu(*self.fit, "--feature-names", "vocab.txt", "--sample-names", "V.samples.txt")
        self.assertNotIn("note:", err)


class Orientation(ReadingTest):
    def test_fit_and_compare_say_where_they_took_the_samples_to_be(self):
        np.save(self.folder / "V.npy", self.data())
        for command in (["fit", "V.npy", "-k", 2, "--force"],
                        ["compare", "V.npy", "-k", 2, "--algorithms", "mu", "--counts", 2, "--seeds", 1]):
            self.assertRegex(self.run_svrmu(*command)[1], "note: each column is taken as a sample.* --samples rows")
            for where in ("rows", "columns"):
                self.assertNotIn("note: each column", self.run_svrmu(*command, "--samples", where)[1])

    def test_a_vocabulary_that_fits_the_columns_tells_that_the_samples_are_the_rows(self):
        np.save(self.folder / "V.npy", self.data(features=12, samples=9))  # 12 documents x 9 words
        self.write("vocab.txt", "\n".join(f"w{i}" for i in range(9)))
        _, err = self.run_svrmu("fit", "V.npy", "-k", 2)
        self.assertRegex(err, "note: vocab.txt has 9 lines, as many as there are columns: .* --samples rows")
        _, err = self.run_svrmu("fit", "V.npy", "-k", 2, "--samples", "rows", "--force")
        self.assertIn("vocab.txt has 9 lines, as many as there are features", err)

    def test_transform_of_a_turned_matrix_is_refused_with_the_flag(self):
        V = self.data()
        np.save(self.folder / "V.npy", V)
        np.save(self.folder / "T.npy", V.T)
        self.run_svrmu("fit", "V.npy", "-k", 2)
        _, err = self.run_svrmu("transform", "V.svrmu.h5", "T.npy", "-o", "H.npy", code=BAD_INPUT)
        self.assertIn("has 30 features, but the model has 8, as many as this file has columns: say --samples rows", err)
        self.run_svrmu("transform", "V.svrmu.h5", "T.npy", "-o", "H.npy", "--samples", "rows")

    def test_transform_of_a_turned_table_with_names_is_refused_with_the_flag(self):
        V = self.data()
        names = [f"g{i}" for i in range(8)]
        self.write_table("V.csv", V, first=names)
        self.write_table("T.csv", V.T, ["who", *names], [f"s{j}" for j in range(30)])
        self.run_svrmu("fit", "V.csv", "-k", 2)
        _, err = self.run_svrmu("transform", "V.svrmu.h5", "T.csv", "-o", "H.npy", code=BAD_INPUT)
        self.assertIn("say --samples rows", err)


class Missing(ReadingTest):
    def test_an_empty_cell_is_not_to_be_a_zero(self):
        for word in ("", "NA", "null", "-", "?"):
            self.write("V.csv", f"a,b,c\n1,2,3\n4,{word},6\n7,{word},9\n")
            _, err = self.run_svrmu("fit", "V.csv", "-k", 1, code=BAD_INPUT)
            for part in ("V.csv, line 3, column 3: cell 2 ('b') is", "2 values are missing", "not supported yet",
                         "leave out the rows or columns", "impute", f"'{word}'" if word else "empty"):
                self.assertIn(part, err)
            self.assertNotIn("write 0", err)

    def test_nan_is_a_missing_value_in_every_format(self):
        V = self.data()
        V[3, 4] = V[5, 6] = np.nan
        np.save(self.folder / "V.npy", V)
        np.savetxt(self.folder / "V.csv", V, delimiter=",")
        scipy.io.savemat(self.folder / "V.mat", {"V": V})
        for name in ("V.npy", "V.csv", "V.mat"):
            for flags in ([], ["--preprocess", "log1p"]):
                _, err = self.run_svrmu("fit", name, "-k", 1, *flags, code=BAD_INPUT)
                for part in (name, "NaN", "row 4, column 5 (counted from 1)", "2", "not supported yet", "impute"):
                    self.assertIn(part, err)


if __name__ == "__main__":
    unittest.main()
