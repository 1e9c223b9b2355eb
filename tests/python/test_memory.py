"""A fit takes no more memory beside X than it says beforehand."""

import os

import pytest

from support import python

# SVRMU_MEGABYTES=1600 for a large X; pytest -s prints the figures.
MEGABYTES = int(os.environ.get("SVRMU_MEGABYTES", 200))

CODE = """
import sys
import numpy as np, svrmu

def status(field):
    for line in open("/proc/self/status"):
        if line.startswith(field + ":"):
            return 1024 * int(line.split()[1])

n_features = 2000
n_samples = int(sys.argv[1]) * 2**20 // (8 * n_features)
rng = np.random.default_rng(0)
X = np.empty((n_samples, n_features), order=sys.argv[3])
parts = rng.random((20, n_features))
for begin in range(0, n_samples, 500):  # what the machine needs to make X must not count
    rows = X[begin : begin + 500]
    rows[:] = rng.random((len(rows), 20)) @ parts
if sys.argv[2] == "NMF":
    svrmu.NMF(3, max_iter=2).fit(np.ones((50, 40)))  # modules that are imported when they are needed
    model = svrmu.NMF(20, max_iter=5, random_state=0)
    planned, work = model.plan(X).bytes, lambda: model.fit(X)
else:
    planned = svrmu.plan(X, 20, seed=0, max_epochs=5).bytes
    work = lambda: svrmu.fit(X, 20, seed=0, max_epochs=5)
open("/proc/self/clear_refs", "w").write("5")  # the peak counts from here
before = status("VmRSS")
work()
print(X.nbytes, planned, status("VmHWM") - before)
"""


# Blocks that are copied: of an X in F order, and of X - WH for the estimators' error. A larger X has no larger ones.
BLOCKS = 32 * 2**20


@pytest.mark.parametrize("what, order, blocks", [("fit", "C", 0), ("fit", "F", BLOCKS), ("NMF", "C", BLOCKS)])
def test_fit_takes_no_more_than_planned(what, order, blocks):
    done = python(CODE, MEGABYTES, what, order)
    assert done.returncode == 0, done.stderr
    size, planned, taken = map(float, done.stdout.split())
    print(f"{what}, {order} order: X {size / 2**20:.0f} MB, planned {planned / 2**20:.1f} MB, taken {taken / 2**20:.1f} MB")
    assert taken <= 1.1 * planned + blocks
