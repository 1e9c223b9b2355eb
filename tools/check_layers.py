#!/usr/bin/python3
"""Checks who may include whom, and who may name what.

Includes: text -> options -> data -> linalg -> objective -> solvers -> fit -> {io -> report, experiment} -> {c, mpi, apps, python}.
Names: the table NAMES below, which are the rules of CONTRIBUTING.md and docs/architecture.md about threads, storage,
kernels and the operating system.
"""

import argparse
import posixpath
import re
import sys
import tempfile
from pathlib import Path

RANK = {"text": 0, "options": 1, "data": 2, "linalg": 3, "objective": 4, "solvers": 5, "fit": 6, "io": 7,
        "experiment": 7, "report": 8, "c": 9, "mpi": 9, "apps": 9, "python": 9}
FOLDERS = ("include", "src", "apps", "python", "tests", "examples", "bench")
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".inc"}
THREADING = {"thread", "atomic", "omp.h"}
THREADING_FILES = {"src/linalg/parallel.hpp", "src/linalg/parallel.cpp", "src/linalg/machine.cpp", "src/c/job.cpp",
                   "src/c/job_registry.cpp"}
# For other languages: nobody below them includes it, and it includes what C has.
C_HEADER = "include/svrmu/c.h"
C_STANDARD = {"stddef.h", "stdint.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"[a-z_0-9]+")
COMMENT = re.compile(r"//.*")

# What a file of src, apps or python must not name, the folders and files that may, and the rule.
NAMES = [
    (re.compile(r"\b(parallel_for|parallel_tiles|run_tiles|Workspace)\b"),
     ("src/linalg/", "src/objective/", "src/io/"),
     "only linalg, objective and the parsers of io cut work into tiles for threads"),
    (re.compile(r"\bThreadScope\b"),
     ("src/linalg/", "src/fit/", "src/io/"),
     "only fit and io, where a call of the library begins, say how many threads it has"),
    (re.compile(r"\b(DenseColumns|SparseColumns|ColumnData|is_dense)\b|\b(v|v_|batch|batch_)\.data\b(?!\s*\()"),
     ("src/linalg/", "src/objective/", "src/data/", "src/io/", "src/c/reader.cpp"),
     "only linalg and objective look into the storage of a batch, dense or sparse; data, io and readers of c make it"),
    (re.compile(r"\bgemm\b"),
     ("src/linalg/", "src/objective/"),
     "only linalg and objective write matrix products with gemm; others call them by name"),
    (re.compile(r"\bkernels\s*<|\blinalg/kernels|\b_mm\d*_|\b__(AVX|SSE|FMA)|\b__builtin_cpu|\bimmintrin\b|\bSVRMU_KERNEL_SET\b"),
     ("src/linalg/",),
     "only linalg knows kernels and instruction sets"),
    (re.compile(r"\bsched\.h\b|\bsched_\w+|\bcpu_set_t\b|/proc/|/sys/fs/|\bhardware_concurrency\b"),
     ("src/linalg/machine.cpp",),
     "only linalg/machine.cpp asks one operating system for what others lack"),
]


def layer_of(path):
    """The layer of a path relative to the root, or None."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 1:
        return parts[1] if parts[1] in RANK else None
    return parts[0] if parts[0] in RANK else None


def target_of(root, path, name, quoted):
    """The file of this repository that an include means, relative to the root, or None for others."""
    if name.startswith("svrmu/"):
        return "include/" + name
    if quoted:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if (root / beside).is_file():
            return beside
    in_src = posixpath.normpath("src/" + name)
    if layer_of(in_src) or (root / in_src).is_file():
        return in_src
    return None


def broken_rules(root, path, name, quoted):
    target = target_of(root, path, name, quoted)
    if path.startswith("include/"):
        public = target is not None and target.startswith("include/svrmu/")
        if path == C_HEADER:
            if not (name in C_STANDARD and not quoted):
                yield f"the C header includes only {', '.join(sorted(C_STANDARD))}, not {name}"
        elif not (public or name.startswith("Eigen/") or (not quoted and STANDARD.fullmatch(name))):
            yield f"a public header includes only public headers, Eigen and the standard library, not {name}"
    if target == C_HEADER and path.startswith(("include/", "src/", "apps/", "bench/")) and not path.startswith("src/c/"):
        yield f"within C++ only src/c includes {name}"
    layer = layer_of(path)
    target_layer = target and layer_of(target)
    if layer and target_layer and layer != target_layer and RANK[target_layer] >= RANK[layer]:
        yield f"{layer} may not include {target_layer} ({name})"
    if posixpath.basename(name).startswith("cblas") and not path.startswith("bench/"):
        yield f"only bench includes {name}"
    if path.startswith("src/") and name in THREADING and path not in THREADING_FILES:
        yield f"within src only linalg/parallel, and c for jobs, include <{name}>"


# Where the options of single algorithms may be named: by the algorithms themselves.
OPTION_STRUCT = re.compile(r"^struct (\w+Options)\b", re.MULTILINE)
OPTION_HOMES = ("src/solvers/", "include/svrmu/solvers")


def names_of_options(root):
    """A pattern for the options struct of any algorithm."""
    headers = sorted((root / "include/svrmu/solvers").glob("*.hpp"))
    names = [name for header in headers for name in OPTION_STRUCT.findall(header.read_text(encoding="utf-8"))]
    return re.compile(rf"\b({'|'.join(names)})\b") if names else None


def broken_options(pattern, path, line):
    if not pattern or not path.startswith(("src/", "apps/", "include/")) or path.startswith(OPTION_HOMES):
        return
    if match := pattern.search(COMMENT.sub("", line)):
        yield f"only src/solvers and include/svrmu/solvers name the options of one algorithm ({match[0]})"


def broken_names(path, line):
    if not path.startswith(("src/", "apps/", "python/")):
        return
    code = COMMENT.sub("", line)
    for pattern, allowed, rule in NAMES:
        match = pattern.search(code)
        if match and not path.startswith(allowed):
            yield f"{rule} ({match[0].strip()})"


def check(root):
    """Lines "file:line: rule", one per violation."""
    found = []
    options = names_of_options(root)
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            path = file.relative_to(root).as_posix()
            if path.startswith("src/") and layer_of(path) is None:
                found.append(f"{path}:1: a source file belongs to one of the layers {', '.join(RANK)}")
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if match := INCLUDE.match(line):
                    rules = broken_rules(root, path, match[2], match[1] == '"')
                    found += [f"{path}:{number}: {rule}" for rule in rules]
                found += [f"{path}:{number}: {rule}" for rule in broken_names(path, line)]
                found += [f"{path}:{number}: {rule}" for rule in broken_options(options, path, line)]
    return found


def self_test():
    good = {
        "include/svrmu/a.hpp": ["<Eigen/Core>", "<cstdint>", "<svrmu/b.hpp>", '"svrmu/b.hpp"', '"b.hpp"'],
        "include/svrmu/b.hpp": [],
        "src/data/feed.hpp": ["<svrmu/a.hpp>"],
        "src/linalg/parallel.cpp": ["<thread>", "<atomic>", "<omp.h>", '"data/feed.hpp"'],
        "src/linalg/parallel.hpp": [],
        "src/fit/fit.cpp": ['"data/feed.hpp"', '"linalg/parallel.hpp"', '"fit.hpp"', "<nlohmann/json.hpp>"],
        "src/fit/fit.hpp": [],
        "apps/svrmu/main.cpp": ['"fit/fit.hpp"', "<svrmu/a.hpp>", "<thread>"],
        "tests/fit/t.cpp": ['"fit/fit.hpp"', "<thread>"],
        "src/linalg/machine.cpp": ["<thread>", "<sched.h>"],
        "include/svrmu/c.h": ["<stddef.h>", "<stdint.h>"],
        "src/c/job.cpp": ["<thread>", '"svrmu/c.h"', '"fit/fit.hpp"', '"c/job.hpp"'],
        "src/c/job.hpp": [],
        "examples/x.c": ["<svrmu/c.h>", "<stdio.h>"],
    }
    bad = {
        "include/svrmu/c.hpp": ['"fit/fit.hpp"', "<math.h>", "<fmt/core.h>", '"vector"'],
        "src/data/x.cpp": ['"linalg/parallel.hpp"', "<cblas.h>", '"../fit/fit.hpp"'],
        "src/linalg/x.cpp": ['"fit/not_there.hpp"', "<thread>"],
        "src/io/x.cpp": ['"mpi/x.hpp"', "<openblas/cblas.h>"],
        "examples/x.cpp": ["<cblas.h>"],
        "src/c/other.cpp": ["<thread>", '"apps/x.hpp"'],
        "src/fit/y.cpp": ['"svrmu/c.h"', '"c/job.hpp"'],
        "apps/svrmu/y.cpp": ['"svrmu/c.h"', '"c/job.hpp"'],
    }
    good_lines = {
        "src/linalg/names.cpp": ["kernels<Scalar>().dot(a, b, n);", "parallel_for(n, body);", "#if defined(__AVX512F__)",
                                 "std::visit(body, v.data);", "Workspace work;", "gemm(a, b);"],
        "src/linalg/machine.cpp": ['std::ifstream file("/proc/meminfo");', "cpu_set_t mask;"],
        "src/objective/names.cpp": ["parallel_tiles(n, 8, body);", "std::visit(body, v_.data);", "gemm(a, b);"],
        "src/data/names.cpp": ["DenseColumns<Scalar> columns;", "batch.data = columns;"],
        "src/c/reader.cpp": ["batch.data = DenseColumns<Scalar>{};"],
        "src/io/names.cpp": ["const ThreadScope scope(2);", "parallel_for(n, body);"],
        "src/fit/names.cpp": ["const ThreadScope scope(2);", "use(v.data(), batch.data ());", "// parallel_for, as in linalg"],
        "src/report/names.cpp": ["std::visit(body, block);", "const Matrix kernels_of_corn;"],
        "tests/fit/names.cpp": ["std::get<DenseColumns<double>>(v.data);", "parallel_for(n, body);"],
        "examples/names.cpp": ["batch.data = svrmu::DenseColumns<double>{};", "FooOptions options;"],
        "include/svrmu/solvers/foo.hpp": ["struct FooOptions {};"],
        "src/solvers/foo.cpp": ["FooOptions options;"],
    }
    bad_lines = {
        "src/objective/bad.cpp": ["kernels<Scalar>().dot(a, b, n);", "__m512 x = _mm512_load_ps(p);",
                                  '#include "linalg/kernels.hpp"', "const ThreadScope scope(2);"],
        "src/solvers/bad.cpp": ["parallel_for(n, body);", "parallel_tiles(n, 8, body);", "Workspace work;", "gemm(a, b);",
                                "std::visit(body, v.data);", "          v.data);", "SparseColumns<Scalar, int> s;",
                                "if constexpr (is_dense<T>) f();", "const ThreadScope scope(2);"],
        "src/fit/bad.cpp": ["Workspace work;", "std::get<DenseColumns<double>>(x);", "kernels <float>().dot(a, b, n);"],
        "src/io/bad.cpp": ['std::ifstream file("/proc/meminfo");', "kernels<float>();"],
        "src/linalg/bad.cpp": ["cpu_set_t mask;", "std::thread::hardware_concurrency();"],
        "src/report/bad.cpp": ["use(batch.data);"],
        "src/c/bad.cpp": ["use(batch.data);", "parallel_for(n, body);", "const ThreadScope scope(2);"],
        "apps/svrmu/bad.cpp": ["parallel_for(n, body);", "#if defined(__SSE2__)", "FooOptions options;"],
        "include/svrmu/bad.hpp": ["void f(FooOptions);"],
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        expected = set()
        for path, names in (good | bad).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("".join(f"#include {name}\n" for name in names), encoding="utf-8")
            if path in bad:
                expected |= {f"{path}:{number}" for number in range(1, len(names) + 1)}
        for path, lines in (good_lines | bad_lines).items():
            before = len(good.get(path, []))
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            with (root / path).open("a", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines))
            if path in bad_lines:
                expected |= {f"{path}:{before + number}" for number in range(1, len(lines) + 1)}
        (root / "src/stray.cpp").write_text("", encoding="utf-8")
        expected.add("src/stray.cpp:1")
        reported = {line.split(": ")[0] for line in check(root)}
    for place in sorted(expected - reported):
        print(f"self-test: {place} was not reported")
    for place in sorted(reported - expected):
        print(f"self-test: {place} was reported wrongly")
    return int(expected != reported)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="check the checker on a made-up tree")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    found = check(arguments.root)
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
