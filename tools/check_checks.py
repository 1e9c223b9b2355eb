#!/usr/bin/python3
"""tools/check_checks.py [FILE[:LINE] ...]: does a test fail when a check is gone?

A check is an `if` whose body refuses: `throw`, `fail(`, `refuse(`, `wrong(`. One after the other is switched off
in a copy of the sources in build/checks, what depends on it is built, and the tests of its folder run until one is
red. A check that is negated would refuse good input, which any test sees; so it is switched off, or with --negate
negated. Prints the survivors: checks that no test guards.

    tools/check_checks.py --list                      the checks of all files
    tools/check_checks.py src/fit/check.cpp           those of one file
    tools/check_checks.py src/options/options.cpp:42  that of one line
    tools/check_checks.py --sample 20                 some, drawn with a fixed seed
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "build/checks"
BUILD = SCRATCH / "build/release"
FILES = ("src/fit/check.cpp", "src/fit/scan.cpp", "src/options/*.cpp", "src/io/*.cpp")
REFUSALS = re.compile(r"\s*\{?\s*(?:return\s+)?(?:throw\b|fail\(|refuse\w*\(|wrong\()")

# Which test programs see a file, the quickest first; then the tests of the command line.
PROGRAMS = {"src/io/": ["io_tests", "io_memory_tests"], "src/fit/": ["fit_tests", "solvers_tests", "conformance_tests"],
            "src/options/": ["fit_tests", "solvers_tests", "io_tests"]}


def end_of_group(text, begin):
    """Behind the parenthesis that closes the one at `begin`; strings and characters are skipped."""
    depth, at = 0, begin
    while at < len(text):
        letter = text[at]
        if letter in "\"'" and not (letter == "'" and text[at - 1].isalnum()):
            at += 1
            while text[at] != letter:
                at += 2 if text[at] == "\\" else 1
        depth += (letter == "(") - (letter == ")")
        at += 1
        if depth == 0:
            return at
    return -1


def checks_in(text):
    """[(line, begin, end)] of the conditions of all checks."""
    found = []
    for match in re.finditer(r"(?m)^[^\n/]*?\bif \(", text):
        begin = match.end() - 1
        end = end_of_group(text, begin)
        if end > 0 and REFUSALS.match(text, end):
            found.append((text.count("\n", 0, begin) + 1, begin, end))
    return found


def broken(text, begin, end, negate):
    """The text without the check. What a condition declares stays: the body uses it."""
    condition = text[begin + 1:end - 1]
    declares, plain = re.match(r"(?s)(.*;)?(.*)", condition).groups()
    if declares is None and re.match(r"\s*(const )?auto[ &*]|.*[^=!<>]=[^=]", plain, re.S):
        return None  # if (const auto x = ...): the declaration is the condition
    wrapped = f" !({plain.strip()})" if negate else f" ({plain.strip()}) && false"
    return text[:begin + 1] + ((declares or "") + wrapped).strip() + text[end - 1:]


def listed(wanted):
    """[(file, line, begin, end)] of what was asked for, or of all files."""
    checks = []
    for want in wanted or FILES:
        name, _, line = want.partition(":")
        for path in sorted(ROOT.glob(name)):
            for at, begin, end in checks_in(path.read_text()):
                if not line or int(line) == at:
                    checks.append((str(path.relative_to(ROOT)), at, begin, end))
    return checks


def run(words, **options):
    return subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def copy_sources():
    """Only what changed is copied, so that only that is built again."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split("\n")
    for name in filter(None, names):
        source, target = ROOT / name, SCRATCH / name
        if not source.is_file():
            continue
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def programs_for(file):
    return next(programs for folder, programs in PROGRAMS.items() if file.startswith(folder))


def build(targets, unit):
    more = [] if unit else ["svrmu_cli"]
    return run(["cmake", "--build", BUILD, "--target", *targets, *more], cwd=SCRATCH).returncode == 0


def first_red(programs, unit):
    """The first program of tests that fails, or None."""
    for program in programs:
        paths = list(BUILD.glob(f"tests/*/{program}"))
        with tempfile.TemporaryDirectory() as folder:
            words = [paths[0], "--gtest_brief=1", "--gtest_fail_fast=1"]
            if run(words, cwd=folder, timeout=900).returncode:
                return program
    if unit:
        return None
    words = ["ctest", "--test-dir", BUILD, "-L", "^(cli|torture)$", "-E", "cli.hardening", "--stop-on-failure"]
    return "the command line" if run(words).returncode else None


def prepare(programs, unit):
    copy_sources()
    configure = ["cmake", "--preset", "release", "-DSVRMU_PCH=OFF", "-DSVRMU_EXAMPLES=OFF"]
    if run(configure, cwd=SCRATCH).returncode or not build(programs, unit):
        sys.exit(f"{SCRATCH} cannot be built")
    run(["ctest", "--test-dir", BUILD, "-R", "io.make_"])
    red = first_red(programs, unit)
    if red:
        sys.exit(f"{red} is red before anything is broken")


def outcome(file, begin, end, negate, unit):
    """What became of one broken check: the program that noticed, "not built", "declares", or None."""
    path = SCRATCH / file
    whole = path.read_text()
    text = broken(whole, begin, end, negate)
    if text is None:
        return "declares"
    try:
        path.write_text(text)
        programs = programs_for(file)
        return first_red(programs, unit) if build(programs, unit) else "not built"
    except subprocess.TimeoutExpired:
        return "a hang"
    finally:
        path.write_text(whole)


def self_test():
    text = 'void f() {\n  if (a == ")" || b(1)) throw X();\n  if (c) return;\n  if (const int d = g(); d > 0)\n    fail("x");\n}\n'
    found = checks_in(text)
    assert [line for line, *_ in found] == [2, 4], found
    assert 'if ((a == ")" || b(1)) && false) throw' in broken(text, *found[0][1:], False)
    assert "if (const int d = g(); (d > 0) && false)" in broken(text, *found[1][1:], False)
    assert "if (const int d = g(); !(d > 0))" in broken(text, *found[1][1:], True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE[:LINE]")
    parser.add_argument("--negate", action="store_true")
    parser.add_argument("--unit", action="store_true", help="without the tests of the command line, which take longest")
    parser.add_argument("--sample", type=int, help="only so many")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    checks = listed(arguments.files)
    if arguments.sample:
        checks = sorted(random.Random(1).sample(checks, min(arguments.sample, len(checks))))
    if arguments.list:
        print(*(f"{file}:{line}" for file, line, *_ in checks), f"{len(checks)} checks", sep="\n")
        return 0
    if not checks:
        parser.error("there is no such check")
    prepare(sorted({program for file, *_ in checks for program in programs_for(file)}), arguments.unit)
    survivors = []
    for file, line, begin, end in checks:
        noticed = outcome(file, begin, end, arguments.negate, arguments.unit)
        print(f"{file}:{line}: {'noticed by ' + noticed if noticed else 'SURVIVED'}", flush=True)
        survivors += [] if noticed else [f"{file}:{line}"]
    print(f"{len(checks) - len(survivors)} noticed, {len(survivors)} survived")
    print(*survivors, sep="\n", end="\n" if survivors else "")
    return 1 if survivors else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
