.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: wheel test-newest bench-python help setup setup-test setup-bench setup-dev setup-docs setup-package build demo test docs package \
  bench bench-quick bench-checks bench-parts format check-format check-layers check-house \
  sanitize tsan clang fuzz torture torture-full tidy coverage setup-coverage clean

PYTHON := /usr/bin/python3
VERSION = $(shell sed -n 's/.*svrmu VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
# wildcard drops files that are tracked but deleted.
CXX_FILES = $(or $(wildcard $(shell git ls-files -co --exclude-standard -- '*.cpp' '*.hpp' '*.h' 'tests/c/*.c' 'examples/*.c')), \
  $(error git lists no C++ files))

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

setup:
	@bash scripts/setup
setup-test:
	@bash scripts/setup test
setup-bench:
	@bash scripts/setup bench
setup-dev:
	@bash scripts/setup dev
setup-docs:
	@bash scripts/setup docs
setup-coverage:
	@bash scripts/setup test coverage
setup-package:
	@bash scripts/setup package

# Ninja configures again by itself when a CMakeLists.txt changes, but not for the presets.
build/%/.configured: CMakePresets.json
	cmake --preset $*
	@touch $@
build/release/.configured build/dev/.configured build/tsan/.configured: | setup
build/coverage/.configured: | setup-coverage
build/clang/.configured build/tidy/.configured build/fuzz/.configured: | setup-dev
build/bench/.configured: | setup-bench

build: build/release/.configured  ## build the library, the examples and the tests
	cmake --build --preset release

demo: build/release/.configured  ## build the program, factorize stick figures, make a report of it
	@cmake --build --preset release --target svrmu_cli
	@bash scripts/demo build/release/bin/svrmu build/demo

test: setup-test build  ## build, then run all tests
	ctest --preset release --output-on-failure -j2

# Tutorials are run, so the library is built first.
docs: setup-docs build/release/.configured  ## the documentation site, in build/docs/html; runs the tutorials
	cmake --build --preset release --target svrmu_python
	@rm -rf build/docs && mkdir -p build/docs/doxygen
	@SVRMU_VERSION=$(VERSION) doxygen Doxyfile
	@PYTHONPATH=build/release/python SVRMU_DOXYGEN=$(CURDIR)/build/docs/doxygen SVRMU_NOTEBOOKS=$(CURDIR)/build/docs/notebooks \
	  $(PYTHON) -m sphinx -W --keep-going -q -E -c docs/site -d build/docs/cache . build/docs/html
	@echo "build/docs/html/index.html"

package: setup-package build/release/.configured  ## Debian packages, in build/package, installed into a scratch folder and run
	cmake --build --preset release --target svrmu_manual
	@bash tests/package/run.sh build/release build/package

bench-python: setup-test build/bench/.configured  ## svrmu.NMF against scikit-learn's; what a call from Python costs
	cmake --build --preset bench --target svrmu_python svrmu_call_bench
	PYTHONPATH=build/bench/python $(PYTHON) bench/python.py build/bench/bench/svrmu_call_bench

WHEELS := build/wheels
wheel: setup-test  ## a Python wheel of this machine's libraries, in build/wheels
	$(PYTHON) -m pip wheel --no-build-isolation --no-deps --wheel-dir $(WHEELS) .

test-newest: build/release/.configured  ## the Python tests with the newest packages of the index, in build/newest
	cmake --build --preset release --target svrmu_python
	@bash tests/python/newest.sh build/newest build/release/python

bench: build/bench/.configured  ## svrmu against every rival, below 60 minutes; docs/benchmarks.md
	cmake --build --preset bench
	$(PYTHON) bench/compete

bench-quick: build/bench/.configured  ## the same on four sets with three rivals and one seed, below 5 minutes
	cmake --build --preset bench
	$(PYTHON) bench/compete --quick

bench-checks: build/bench/.configured  ## objectives, precision, divergences and memory, hours in all
	cmake --build --preset bench
	$(PYTHON) bench/compete --check memory
	$(PYTHON) bench/compete --check precision
	$(PYTHON) bench/compete --check divergence
	$(PYTHON) bench/compete --check objective

bench-parts: build/bench/.configured  ## kernels, epochs and readers by themselves
	cmake --build --preset bench
	$(PYTHON) bench/compete/blas.py build/bench/bench/svrmu_kernel_bench
	build/bench/bench/svrmu_bench
	build/bench/bench/svrmu_stream_bench
	$(PYTHON) bench/minibatch_peer.py
	$(PYTHON) bench/io.py

format: setup  ## format the C++ files
	@clang-format -i $(CXX_FILES)

check-format: setup  ## fail if a C++ file is not formatted
	@clang-format --dry-run -Werror $(CXX_FILES)

check-layers: setup  ## fail if a file includes what its layer may not
	@$(PYTHON) tools/check_layers.py

check-house: setup-docs  ## fail if a workflow, an issue form or CITATION.cff is not valid
	@cd tests/house && PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m unittest test_files

sanitize: build/dev/.configured  ## tests under the address and undefined-behavior sanitizers
	cmake --build --preset dev
	ctest --preset dev

tsan: build/tsan/.configured  ## tests under the thread sanitizer
	cmake --build --preset tsan
	ctest --preset tsan

clang: build/clang/.configured  ## tests of a clang build
	cmake --build --preset clang
	ctest --preset clang

# Each target for FUZZ_RUNS executions; what it finds is left in build/fuzz/found.
FUZZ_RUNS ?= 1000000
fuzz: build/fuzz/.configured  ## fuzz every parser
	cmake --build --preset fuzz
	bash fuzz/run build/fuzz $(FUZZ_RUNS)

torture: setup-test build/release/.configured  ## the program through random cases, below 60 minutes; docs/testing.md
	cmake --build --preset release --target svrmu_cli
	$(PYTHON) tests/torture/run.py
	SVRMU=$(CURDIR)/build/release/bin/svrmu $(PYTHON) tests/torture/faults.py
	SVRMU=$(CURDIR)/build/release/bin/svrmu $(PYTHON) tests/torture/allocations.py
	SVRMU=$(CURDIR)/build/release/bin/svrmu $(PYTHON) tests/torture/signals.py

torture-full: setup-test build/release/.configured  ## ten times as many, and whether tests notice a broken check; hours
	cmake --build --preset release --target svrmu_cli
	$(PYTHON) tests/torture/run.py --full
	$(PYTHON) tools/check_checks.py

tidy: build/tidy/.configured  ## clang-tidy
	cmake --build --preset tidy

coverage: build/coverage/.configured  ## lines and branches that the tests run; the target is 90 % of the branches
	cmake --build --preset coverage
	ctest --preset coverage
	$(PYTHON) tools/coverage.py build/coverage

clean:  ## remove every build
	rm -rf build
