"""Names with anything in them: files, features and samples.

JSON gives every name back as it is. What goes to a terminal has no control character of a file's making, so that no
file can move a cursor. Names survive the way through a model into text.
"""

import csv
import os

import numpy as np

from torture import DONE

COUNT = 4000
QUICK = range(24)

PIECES = ("a", "gene", "Ä", "日本", "e\u0301", " ", "  ", "'", "\"", "\\", "\\n", "\\x1b", "\\u0041", "&", "<b>", "</script>", "$(x)",
          "`", "%s", "{}", "--help", "#", "\x1b[31m", "\x07", "\x7f", "\u0085", "\u200b", "\u202e", "\ufeff", "=1+1", "@", ";", "|")
CONTROL = {chr(code) for code in [*range(32), 127, *range(128, 160)]} - {"\n", "\t"}


def name(case, most=4):
    return "".join(case.pick(*PIECES) for _ in range(case.integer(1, most)))


def distinct(case, count):
    return [f"{name(case)}n{i}" for i in range(count)]  # not a number


def write_csv(path, V, features, samples):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["", *samples])
        for feature, row in zip(features, V):
            writer.writerow([feature, *(repr(float(x)) for x in row)])


def check_terminal(case, text, what):
    found = CONTROL & set(text)
    case.check(not found, f"{what} has the control characters {sorted(map(repr, found))}")


def files(case):
    """A file whose name is anything but a path."""
    stem = name(case).replace("/", "").lstrip("-") or "a"
    path = f"{stem}.npy"
    V = case.random.random((5, 6)) + 0.1
    np.save(case.folder / path, V)
    result = case.run("fit", f"./{path}", "-k", 2, "--epochs", 2, "-o", f"./{stem}.h5", "--json", codes=DONE)
    told = result.json()
    case.check(os.path.basename(told["input"]) == path, f"--json: input is {told['input']!r}, not {path!r}")
    case.check(told["files"]["model"] == f"./{stem}.h5", f"--json: model is {told['files']['model']!r}")
    check_terminal(case, result.err, "standard error of fit")
    check_terminal(case, case.run("info", f"./{path}", codes=DONE).out, "standard output of info")
    info = case.run("info", f"./{stem}.h5", "--json", codes=DONE)
    info.json()
    check_terminal(case, info.out, "--json of info")
    refused = case.run("fit", f"./{path}.none", "-k", 2)
    check_terminal(case, refused.err, "a message about a file that is not there")
    case.run("fit", "--resume", f"./{stem}.h5", "--epochs", 4, "--tol", 0, "-q", codes=DONE)


def inside(case):
    """Names of features and samples from a .csv, through a model, to --json and text."""
    F, N = case.integer(2, 6), case.integer(2, 6)
    features, samples = distinct(case, F), distinct(case, N)
    V = case.random.random((F, N)) + 0.1
    write_csv(case.folder / "V.csv", V, features, samples)
    result = case.run("fit", "V.csv", "-k", 2, "--epochs", 2, "-o", "m.h5", "--save-w", "W.csv", "--save-h", "H.csv",
                      codes=DONE)
    check_terminal(case, result.err, "standard error of fit")
    top = case.run("top", "m.h5", "-n", F, "--json", codes=DONE)
    check_terminal(case, top.out, "--json of top")
    told = set(texts(top.json()))
    # How a cell is trimmed is the reader's business; what it is must not be changed on the way out.
    with_spaces = {text.strip() for text in told}
    for feature in features:
        case.check(feature in told or feature.strip() in with_spaces or feature.strip("\ufeff ") in with_spaces,
                   f"top --json does not have the feature {feature!r}")
    check_terminal(case, case.run("top", "m.h5", codes=DONE).out, "standard output of top")
    check_saved(case, "W.csv", [row.strip() for row in features], rows=True)
    check_saved(case, "H.csv", [row.strip() for row in samples], rows=False)
    page = case.run("report", "m.h5", "-o", "-", codes=DONE).out
    case.check(page.count("</script>") == page.count("<script"), "a name ends a script of the report")


def texts(value):
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def check_saved(case, path, wanted, rows):
    with open(case.folder / path, newline="", encoding="utf-8") as file:
        table = list(csv.reader(file))
    found = [line[0] for line in table[1:]] if rows else table[0][1:]
    # A name that a spreadsheet would take for a formula is marked by an apostrophe.
    plain = [text.strip() for text in found]
    for text, want in zip(plain, wanted):
        case.check(want in (text, text.removeprefix("'")) or want.strip("\ufeff") == text,
                   f"{path} has the name {text!r}, not {want!r}")


def case(case):
    (files if case.number % 2 else inside)(case)
