"""patch_sklearn puts svrmu in the place of scikit-learn's NMF."""

import subprocess
import sys

from support import python

CHECK = """
import pickle, sys, types
import numpy as np
import sklearn.decomposition
from sklearn.decomposition import NMF, MiniBatchNMF, non_negative_factorization
user = types.ModuleType("user"); sys.modules["user"] = user
user.Factorizer, user.function = NMF, non_negative_factorization
old = NMF(2, init="random", random_state=0)
import svrmu
svrmu.patch_sklearn()
svrmu.patch_sklearn()
assert user.Factorizer is svrmu.NMF and user.function is svrmu.non_negative_factorization
assert sklearn.decomposition.MiniBatchNMF is svrmu.MiniBatchNMF
from sklearn.decomposition import NMF as later
assert later is svrmu.NMF
X = np.random.RandomState(0).rand(20, 10)
assert type(pickle.loads(pickle.dumps(old.fit(X)))) is type(old)
assert isinstance(pickle.loads(pickle.dumps(later(2).fit(X))), svrmu.NMF)
from sklearn.decomposition._nmf import _initialize_nmf
svrmu.unpatch_sklearn()
assert user.Factorizer is type(old) and sklearn.decomposition.NMF is type(old)
assert svrmu.NMF.__mro__[2] is type(old)
print("done")
"""


def test_every_loaded_module_is_rebound_and_restored():
    done = python(CHECK)
    assert done.stdout == "done\n", done.stderr


def test_what_is_replaced_and_what_is_left_is_logged():
    code = (
        "import logging, sys; logging.basicConfig(level=logging.INFO, stream=sys.stdout)\n"
        "from sklearn.decomposition import NMF\n"
        "class Mine(NMF): pass\n"
        "import svrmu; svrmu.patch_sklearn()\n"
    )
    done = python(code)
    assert "sklearn.decomposition.NMF is svrmu's now" in done.stdout
    assert "Mine derives from scikit-learn's and is left" in done.stdout


def test_script_runs_with_its_arguments_and_the_patch(tmp_path):
    (tmp_path / "helper.py").write_text("value = 7\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, helper\nfrom sklearn.decomposition import NMF\n"
        "if __name__ == '__main__': print(NMF.__module__, sys.argv[1:], helper.value)\n"
    )
    done = subprocess.run([sys.executable, "-m", "svrmu.patch", script, "a", "-b"], capture_output=True, text=True)
    assert done.stdout == "svrmu._nmf ['a', '-b'] 7\n", done.stderr
    assert "usage" in subprocess.run([sys.executable, "-m", "svrmu.patch"], capture_output=True, text=True).stderr
