#!/usr/bin/python3
"""tools/coverage.py BUILD: what share of the lines and branches of src/io, src/fit and apps the tests of a coverage build ran.

Branches that only the compiler sees, such as those of an exception that no call here throws, are left out. The
target is 90 % of the branches; files below it are listed, the worst first.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src/io", "src/fit", "apps")
TARGET = 90.0
LISTED = 20


def measure(build):
    """[(file, lines, lines run, branches, branches run)] by gcovr."""
    words = ["gcovr", "--root", ROOT, "--object-directory", build, "--exclude-unreachable-branches",
             "--exclude-throw-branches", "--gcov-ignore-parse-errors", "--json-summary", "-", "--json-summary-pretty"]
    for folder in FOLDERS:
        words += ["--filter", f"{ROOT}/{folder}/"]
    out = subprocess.run([*map(str, words), str(build)], stdout=subprocess.PIPE, check=True).stdout
    return [(file["filename"], file["line_total"], file["line_covered"], file["branch_total"], file["branch_covered"])
            for file in json.loads(out)["files"]]


def share(part, whole):
    return 100 * part / whole if whole else 100.0


def row(name, counts):
    lines, lines_run, branches, branches_run = counts
    return f"{name:<36} {share(lines_run, lines):6.1f} % of {lines:5} lines  {share(branches_run, branches):6.1f} % of {branches:5} branches"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    files = measure(parser.parse_args().build.resolve())
    if not files:
        print("no counts: build the preset coverage and run its tests first", file=sys.stderr)
        return 1
    total = [sum(file[i] for file in files) for i in range(1, 5)]
    for folder in FOLDERS:
        inside = [file for file in files if file[0].startswith(folder + "/")]
        print(row(folder, [sum(file[i] for file in inside) for i in range(1, 5)]))
    print(row("all", total))
    below = sorted((file for file in files if share(file[4], file[3]) < TARGET), key=lambda file: share(file[4], file[3]))
    print(f"\nbelow the target of {TARGET:g} % of the branches: {len(below)} of {len(files)} files; the worst:")
    for name, *counts in below[:LISTED]:
        print(row(name, counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
