"""Ctrl-C, the end of the interpreter, fork, processes and threads."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import svrmu
from support import components_by_seed, low_rank, python, same_bits

ENDLESS = """
import os, signal, sys
import numpy as np, svrmu
X = np.random.RandomState(0).rand(400, 300)
def at_third_record(record):
    if record.epoch == 3:
        os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize("algorithm", ["fast", "hals", "mu", "svrmu", "inc-hals", "onmf", "r-nmf"])
def test_interrupt_ends_a_fit_and_leaves_what_there_is(algorithm):
    code = ENDLESS + (
        "try:\n"
        "    svrmu.fit(X, 10, algorithm=sys.argv[1], tol=0, max_epochs=10**9, callback=at_third_record)\n"
        "except KeyboardInterrupt as stop:\n"
        "    print('interrupted', stop.result.stop_reason, stop.result.weights.shape)\n"
    )
    done = python(code, algorithm)
    assert done.stdout == "interrupted cancelled (400, 10)\n", done.stderr


def test_interrupt_of_a_fit_that_goes_on_leaves_what_there_is():
    code = ENDLESS + (
        "import pandas\n"
        "X = pandas.DataFrame(X, columns=['f%d' % i for i in range(300)])\n"
        "half = svrmu.fit(X, 10, algorithm='hals', tol=0, max_epochs=1)\n"
        "try:\n"
        "    half.resume(X, max_epochs=10**9, callback=at_third_record)\n"
        "except KeyboardInterrupt as stop:\n"
        "    print('interrupted', stop.result.stop_reason, stop.result.feature_names[299])\n"
    )
    done = python(code)
    assert done.stdout == "interrupted cancelled f299\n", done.stderr


def test_interrupt_reaches_an_estimator():
    code = ENDLESS + (
        "try:\n"
        "    svrmu.NMF(10, solver='hals', tol=0, max_iter=10**9, callback=at_third_record).fit(X)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    assert python(code).stdout == "interrupted\n"


def test_interrupt_ends_a_transform():
    code = (
        "import os, signal, threading\nimport numpy as np, svrmu\n"
        "from svrmu import _jobs\n"
        "X = np.random.RandomState(0).rand(30000, 300)\n"
        "started = _jobs.Job.__init__\n"
        "def start(self, *arguments):\n"
        "    started(self, *arguments)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "_jobs.Job.__init__ = start\n"
        "try:\n"
        "    svrmu.transform(X, X[:100], tolerance=0, max_sweeps=10**8)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    done = python(code)
    assert done.stdout == "interrupted\n", done.stderr


EXIT = """
import sys, threading
import numpy as np, svrmu
X = np.random.RandomState(0).rand(300, 200)
running = threading.Event()
def work():
    svrmu.fit(X, 5, algorithm=sys.argv[1], tol=0, max_epochs=10**9, callback=lambda record: running.set())
threading.Thread(target=work, daemon=True).start()
running.wait()
"""


# SVRMU_EXITS=100 for the full count.
EXITS = int(os.environ.get("SVRMU_EXITS", 10))


@pytest.mark.parametrize("algorithm", ["fast", "hals", "svrmu", "r-nmf"])
def test_interpreter_ends_while_a_job_runs(algorithm):
    for _ in range(-(-EXITS // 4)):
        done = python(EXIT, algorithm)
        assert (done.returncode, done.stderr) == (0, "")


def test_interpreter_ends_with_a_job_that_nobody_waits_for():
    code = (
        "import numpy as np, svrmu\n"
        "from svrmu._fit import start\nfrom svrmu._matrix import matrix\n"
        "data = matrix(np.random.RandomState(0).rand(300, 200))\n"
        "job = start('svrmu_start_fit', data, 5, dict(algorithm='hals', tol=0, max_epochs=10**9))\n"
    )
    for _ in range(-(-EXITS // 4)):
        done = python(code)
        assert (done.returncode, done.stderr) == (0, "")


def forked(work):
    """What `work` returns in a forked child, as bytes."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writable, work())
            os._exit(0)
        except BaseException:
            os._exit(1)
    os.close(writable)
    with os.fdopen(readable, "rb") as answer:
        data = answer.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return data


def components():
    return svrmu.fit(low_rank(200, 100), 5, seed=1, threads=2).components.tobytes()


def test_forked_child_finds_the_same_bits():
    expected = components()
    assert forked(components) == expected
    assert components() == expected


def test_child_that_is_forked_while_a_fit_runs_finds_the_same_bits():
    expected = components()
    answers = []

    def fork_once(record):
        if record.epoch == 2:
            answers.append(forked(components))
        return record.epoch >= 2

    svrmu.fit(low_rank(200, 100), 5, tol=0, max_epochs=10**6, callback=fork_once)
    assert answers and set(answers) == {expected}


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib_finds_the_same_bits(backend):
    from joblib import Parallel, delayed

    expected = [components_by_seed(seed) for seed in range(4)]
    found = Parallel(2, backend=backend)(delayed(components_by_seed)(seed) for seed in range(4))
    assert all(same_bits(a, b) for a, b in zip(found, expected))


def test_four_threads_at_once_find_the_same_bits():
    expected = [svrmu.fit(low_rank(seed=s), 4, seed=s).components for s in range(4)]
    found = [None] * 4

    def work(s):
        for _ in range(5):
            found[s] = svrmu.fit(low_rank(seed=s), 4, seed=s).components

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same_bits(a, b) for a, b in zip(found, expected))


def test_environment_says_how_many_threads():
    # This thread and that of the job, with another one where two are asked for.
    code = (
        "import os, sys, numpy as np, svrmu\n"
        "options = dict(threads=2) if sys.argv[1] == 'two' else {}\n"
        "counts = []\n"
        "def look(record):\n"
        "    counts.append(len(os.listdir('/proc/self/task')))\n"
        "    return True\n"
        "svrmu.fit(np.random.rand(300, 200), 5, algorithm='hals', tol=0, max_epochs=10**9, callback=look, **options)\n"
        "print(counts[0])\n"
    )
    alone = {**os.environ, "OMP_NUM_THREADS": "1,1", "OPENBLAS_NUM_THREADS": "1"}
    assert python(code, "as the environment says", env=alone).stdout == "2\n"
    assert python(code, "two", env=alone).stdout == "3\n"
