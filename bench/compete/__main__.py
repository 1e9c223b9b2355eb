"""svrmu against every rival that Debian has, on the same data in one run. docs/benchmarks.md says what is measured and how.

bench/compete [--quick] [--sets a,b] [--seeds 3] [--budget 120] ...: prints tables and writes JSON, markdown and a picture.
bench/compete --draw FILE.json: the table and the picture of an earlier run again.
bench/compete --check objective|precision|divergence|memory: one requirement by itself.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import sys
import tempfile
import time
from importlib import metadata

import blas
import checks
import datasets
import picture
import table
from runner import SetRun

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(prog="bench/compete", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="four sets, one seed, short calls: below five minutes")
    parser.add_argument("--sets", help="names separated by commas; all: " + ", ".join(datasets.ALL))
    parser.add_argument("--systems", help="rivals, names separated by commas; default: all")
    parser.add_argument("--seeds", type=int, help="[3; 1 for --quick, 10 for --check objective]")
    parser.add_argument("--repeats", type=int, default=3, help="of each of our calls")
    parser.add_argument("--budget", type=float, default=120, help="seconds that a single call of a rival may take")
    parser.add_argument("--growth", type=float, default=1.5, help="from one iteration cap to the next")
    parser.add_argument("--minutes", type=float, help="for the whole run: every set gets its part of them")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--shared", default=os.environ.get("SVRMU_BENCH_DATA", ROOT.parent / "shared/data"),
                        help="folder with CBCL_Face.mat and Reuters21578.mat (SVRMU_BENCH_DATA)")
    parser.add_argument("--build", default=ROOT / "build/bench", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="where the results go, without the ending")
    parser.add_argument("--draw", type=pathlib.Path, help="a JSON file of an earlier run")
    parser.add_argument("--check", choices=checks.ALL)
    parser.add_argument("--algorithm", default="auto", help="ours, for --check divergence")
    parser.add_argument("--loss", choices=("kl", "is"), help="one of them, for --check divergence")
    options = parser.parse_args()
    options.seeds = options.seeds or (10 if options.check == "objective" else 1 if options.quick else 3)
    return options


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} cores of {model}, {platform.platform()}"


def versions():
    packages = [f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn", "gensim")]
    return ", ".join([*packages, blas.describe()])


def keep(run, out):
    """One line per call, so that runs can be compared."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".json").write_text(json.dumps(run).replace('{"system"', '\n{"system"') + "\n")


def publish(run, out):
    text = "\n".join(table.lines(run)) + "\n"
    out.with_suffix(".md").write_text(text)
    picture.draw(run, out.with_suffix(".svg"))
    print(text)


def say(text):
    print(text, file=sys.stderr, flush=True)


def compete(options):
    begin = time.monotonic()
    names = options.sets.split(",") if options.sets else datasets.QUICK if options.quick else datasets.DEFAULT
    if unknown := [name for name in names if name not in datasets.ALL]:
        sys.exit(f"no set is called {unknown[0]}; there are {', '.join(datasets.ALL)}")
    options.systems = options.systems.split(",") if options.systems else []
    if options.quick:
        options.budget = min(options.budget, 12)
    minutes = {name: datasets.ALL[name].minutes for name in names}
    if options.quick:
        minutes.update((name, datasets.QUICK_MINUTES[name]) for name in names if name in datasets.QUICK_MINUTES)
    scale = options.minutes / sum(minutes.values()) if options.minutes else 1
    options.set_minutes = {name: scale * value for name, value in minutes.items()}
    title = "Quick benchmark" if options.quick else "Benchmark"
    run = {"title": title, "machine": machine(), "threads": options.threads, "versions": versions(),
           "date": datetime.date.today().isoformat(), "sets": [], "skipped": {}}
    for name in names:
        try:
            say(f"{name}: making the data")
            data = datasets.load(name, options.build / "data", options.shared)
        except datasets.Absent as absent:
            say(f"{name}: skipped, {absent}")
            run["skipped"][name] = str(absent)
            continue
        say(data.title())
        with tempfile.TemporaryDirectory(dir=options.build) as folder:
            run["sets"].append(SetRun(data, pathlib.Path(folder), options, say).run())
        run["minutes"] = (time.monotonic() - begin) / 60
        keep(run, place(options))  # an interrupted run leaves something
    return run


def place(options):
    """A run of single sets is nobody's reference: it stays out of the repository."""
    if options.out:
        return options.out
    if options.sets:
        return options.build / "results" / options.sets.replace(",", "+")
    return ROOT / "bench/results" / ("quick" if options.quick else "bench")


def main():
    options = arguments()
    if options.draw:
        publish(json.loads(options.draw.read_text()), options.draw.with_suffix(""))
        return
    options.program = options.build / "bench/svrmu_timed_fit"
    if not options.program.exists():
        sys.exit(f"{options.program} is not there: cmake --preset bench && cmake --build --preset bench")
    if options.check:
        sys.exit(checks.ALL[options.check](options, say))
    publish(compete(options), place(options))


if __name__ == "__main__":
    main()
