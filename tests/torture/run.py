#!/usr/bin/python3
"""tests/torture/run.py [PART ...]: drives the program through numbered random cases, see docs/testing.md.

    tests/torture/run.py                     all parts, a tenth of their cases
    tests/torture/run.py --full              all cases
    tests/torture/run.py fits --case 1234    one case, with its commands; its folder is kept
    tests/torture/run.py fits --from 0 --to 300

The program is build/release/bin/svrmu, or what SVRMU in the environment names.
"""

import argparse
import importlib
import multiprocessing
import os
import re
import sys
import time
import traceback
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torture  # noqa: E402

PARTS = ("fits", "relations", "kills", "streams", "names", "mutations", "flags")


def play(task):
    part, number = task
    module = importlib.import_module(part)
    try:
        failure, commands, _ = torture.play(part, number, module.case)
    except Exception:  # the fault of the test
        failure, commands = "the test itself failed:\n" + traceback.format_exc(), []
    return part, number, failure, commands[-1:] if commands else []


def play_one(part, number):
    module = importlib.import_module(part)
    failure, commands, folder = torture.play(part, number, module.case, keep=True)
    for command in commands:
        print(command)
    print(f"\nin {folder}\n{failure or 'passed'}")
    return 1 if failure else 0


def numbers_of(part, arguments):
    module = importlib.import_module(part)
    if arguments.quick:
        return module.QUICK
    if arguments.first is not None or arguments.last is not None:
        return range(arguments.first or 0, arguments.last if arguments.last is not None else module.COUNT)
    if arguments.full:
        return range(module.COUNT)
    # What is listed rather than drawn has no tenth that would do.
    return range(module.COUNT if getattr(module, "LISTED", False) else -(-module.COUNT // 10))


def told(failure):
    """Failures of one kind have one text: numbers, files and algorithms are left out of it."""
    lines = failure.strip().splitlines()
    line = lines[-1] if lines[0].startswith("the test itself") else lines[0]
    line = re.sub(r"\bV\.[\w.]+", "V", line)
    line = re.sub(r"there is .*", "there is ...", line)
    line = re.sub(r"with [\w-]+$", "with ...", line)
    return re.sub(r"-?\b(\d[\d.]*(e[-+]?\d+)?|inf|nan)\b", "#", line)[:100]


def run_part(part, arguments):
    tasks = [(part, number) for number in numbers_of(part, arguments)]
    begin = time.time()
    failed = []
    with multiprocessing.Pool(arguments.jobs) as pool:
        for done, (_, number, failure, commands) in enumerate(pool.imap_unordered(play, tasks, 4), 1):
            if failure:
                failed.append((number, failure))
                print(f"{part} {number}: {failure}", *commands, sep="\n    ", flush=True)
            if sys.stderr.isatty():
                print(f"\r{part} {done} of {len(tasks)}", end="\r", file=sys.stderr)
    print(f"{part}: {len(tasks) - len(failed)} passed, {len(failed)} failed, {time.time() - begin:.0f} s", flush=True)
    return sorted(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--case", type=int, help="only this one, and keep its folder")
    parser.add_argument("--from", dest="first", type=int)
    parser.add_argument("--to", dest="last", type=int)
    parser.add_argument("--full", action="store_true", help="all cases")
    parser.add_argument("--quick", action="store_true", help="the few that 'make test' runs")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'; there are {', '.join(PARTS)}")
    if arguments.case is not None:
        if len(arguments.parts) != 1:
            parser.error("--case needs one part")
        return play_one(arguments.parts[0], arguments.case)

    failures = {part: run_part(part, arguments) for part in arguments.parts or PARTS}
    if not any(failures.values()):
        return 0
    print("\nfailed:")
    for part, failed in failures.items():
        kinds = Counter(told(failure) for _, failure in failed)
        for kind, count in kinds.most_common():
            numbers = [str(number) for number, failure in failed if told(failure) == kind]
            print(f"  {part}: {count} x {kind}\n    tests/torture/run.py {part} --case {' | '.join(numbers[:12])}"
                  + (" ..." if count > 12 else ""))
    return 1


if __name__ == "__main__":
    sys.exit(main())
