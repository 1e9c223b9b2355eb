"""scikit-learn's own test_nmf.py with our classes in its place."""

import re
from pathlib import Path

import sklearn.decomposition

from support import SOURCES, python

PROGRAM = """
import sys, pytest, svrmu
svrmu.patch_sklearn()
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--tb=no", "-rf", "-W", "ignore", sys.argv[1]]))
"""


def expected():
    """The exceptions, by the name of their function, that docs/migration.md lists with their reasons."""
    page = (SOURCES / "docs/migration.md").read_text()
    return set(re.findall(r"^\| `(test_\w+)` \|", page, re.M))


def test_all_but_the_listed_tests_of_scikit_learn_pass():
    file = Path(sklearn.decomposition.__file__).parent / "tests" / "test_nmf.py"
    if not file.exists():
        import pytest

        pytest.skip("this scikit-learn has no tests")
    done = python(PROGRAM, file)
    failed = set(re.findall(r"^FAILED \S*::(\w+)", done.stdout, re.M))
    passed = int(re.search(r"(\d+) passed", done.stdout).group(1))
    assert passed > 150, done.stdout[-2000:] + done.stderr[-2000:]
    assert len(expected()) <= 5
    assert failed <= expected(), sorted(failed - expected())
