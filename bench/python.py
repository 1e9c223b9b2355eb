"""make bench-python: svrmu.NMF against scikit-learn's, defaults against defaults, in one run.

Prints for a dense and a sparse X: when svrmu.NMF has reached scikit-learn's final error, where each ends, and
how long transform takes. Wall-clock seconds, two threads each. Then what a call from Python costs more than
the same call in C++, with one thread.

Usage: python.py SVRMU_CALL_BENCH [calls]; with "calls" the costs of calls only.
"""

import os

THREADS = "2"
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = THREADS

import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402
import sklearn  # noqa: E402
from sklearn.decomposition import NMF as SklearnNMF  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent / "compete"))
import svrmu  # noqa: E402
from datasets import Absent, package_descriptions  # noqa: E402

RUNS = 3


def dense():
    """10000 samples x 1000 features of 20 uniform parts, half of them zero, with noise."""
    rng = np.random.default_rng(1)
    W, H = (rng.random(shape) * (rng.random(shape) < 0.5) for shape in ((10000, 20), (20, 1000)))
    return W @ H + 0.05 * rng.random((10000, 1000))


def seconds(work):
    begin = time.perf_counter()
    answer = work()
    return time.perf_counter() - begin, answer


def best(work):
    """The shortest of some runs, and the answer, which is always the same."""
    return min((seconds(work) for _ in range(RUNS)), key=lambda run: run[0])


def time_to(X, k, goal):
    """Seconds of a fit until its error is `goal`: a fit that its callback ends there."""
    model = svrmu.NMF(k, random_state=0, tol=0, max_iter=10000)
    goal = goal**2 / 2

    def reached(record):
        return record.cost <= goal

    model.set_params(callback=reached)
    took, _ = best(lambda: model.fit(X))
    return took, bool((model.history_["cost"] <= goal).any())


def compare(name, X, k, shares):
    their_time, theirs = seconds(lambda: SklearnNMF(k, random_state=0).fit(X))
    our_time, ours = best(lambda: svrmu.NMF(k, random_state=0).fit(X))
    print(f"\n{name}: {X.shape[0]} samples x {X.shape[1]} features, K = {k}")
    print(f"  scikit-learn   {their_time:8.3f} s  error {theirs.reconstruction_err_:.5f}  {theirs.n_iter_} iterations")
    print(
        f"  svrmu          {our_time:8.3f} s  error {ours.reconstruction_err_:.5f}  {ours.n_iter_} iterations "
        f"({ours.solver_}): {their_time / our_time:.1f} times faster, "
        f"error {ours.reconstruction_err_ / theirs.reconstruction_err_:.5f} of theirs"
    )
    for share in shares:
        took, reached = time_to(X, k, share * theirs.reconstruction_err_)
        told = f"{took:8.3f} s, {their_time / took:.1f} times faster" if reached else "never"
        print(f"  svrmu to {share:.4f} of their error: {told}")

    their_time, W = best(lambda: theirs.transform(X))
    our_time, V = best(lambda: svrmu.transform(X, theirs.components_))
    from svrmu._divergence import reconstruction_error

    errors = [reconstruction_error(X, w, theirs.components_, 2) for w in (W, V)]
    print(
        f"  transform: scikit-learn {their_time:.3f} s, error {errors[0]:.5f}; svrmu {our_time:.3f} s, error "
        f"{errors[1]:.5f}: {their_time / our_time:.1f} times faster"
    )


def fastest(times):
    """The time that a twentieth of the calls does not exceed: what others do on the machine is not asked for."""
    return sorted(times)[len(times) // 20]


def cost_of_calls(program, features, samples, k, epochs, calls, algorithm):
    words = [program, algorithm, features, samples, k, epochs, calls]
    cpp = [float(word) for word in subprocess.check_output(list(map(str, words))).split()]
    i, j = np.meshgrid(np.arange(features), np.arange(samples))
    X = (1 + (7 * i + 13 * j) % 11).astype(float)

    def call():
        return svrmu.fit(X, k, algorithm=algorithm, seed=1, threads=1, max_epochs=epochs, relative_change=0)

    python = [seconds(call)[0] for _ in range(calls)]
    ours, theirs = 1e6 * fastest(python), 1e6 * fastest(cpp)
    print(
        f"  {features} x {samples}, K = {k}, {algorithm}, {epochs} epochs: C++ {theirs:.0f} us, svrmu.fit {ours:.0f} us, "
        f"{ours - theirs:.0f} us more ({100 * (ours / theirs - 1):.2f} %)"
    )


def cost_of_max_iter_1():
    X = dense()[:100, :50]
    times = {}
    for NMF in (SklearnNMF, svrmu.NMF):
        times[NMF] = 1e6 * fastest([seconds(lambda: NMF(3, max_iter=1, random_state=0).fit(X))[0] for _ in range(200)])
    print(f"  fit of 100 x 50, max_iter=1: scikit-learn {times[SklearnNMF]:.0f} us, svrmu.NMF {times[svrmu.NMF]:.0f} us")


def costs(program):
    print("\nwhat a call from Python costs")
    for algorithm in ("auto", "hals", "mu", "svrmu"):
        cost_of_calls(program, 20, 30, 3, 1, 2000, algorithm)
    cost_of_calls(program, 1000, 20000, 20, 3, 20, "hals")
    cost_of_max_iter_1()


def main():
    warnings.simplefilter("ignore")
    if len(sys.argv) < 2:
        sys.exit("usage: python.py SVRMU_CALL_BENCH [calls]; make bench-python builds it")
    if sys.argv[2:] == ["calls"]:
        costs(sys.argv[1])
        return
    print(f"svrmu {svrmu.__version__}, scikit-learn {sklearn.__version__}, numpy {np.__version__}, {THREADS} threads")
    compare("dense", dense(), 20, [1.0])
    try:
        X = scipy.sparse.csr_matrix(package_descriptions().T)
    except Absent as error:
        print(f"\nsparse: {error}")
    else:
        compare("sparse, Debian's package descriptions, TF-IDF", X, 20, [1.0005, 1.0])
    costs(sys.argv[1])


if __name__ == "__main__":
    main()
