"""scikit-learn's own numbers: from its start, by its rules, the same number of iterations and the same factors.

scikit-learn's rows are samples: its W is our H' and its H is our W'. It moves the factor of the samples first, as
hals and mu do.
"""

import unittest
import warnings

import h5py
import numpy as np
import scipy.sparse

from program import CliTest

try:
    from sklearn.decomposition import NMF
    from sklearn.decomposition._nmf import _initialize_nmf
except ImportError:
    NMF = None


def data(samples, features, rank, seed, zeros=0.0):
    random = np.random.default_rng(seed)
    X = random.random((samples, rank)) @ random.random((rank, features)) + 0.2 * random.random((samples, features))
    X[random.random(X.shape) < zeros] = 0
    return X


@unittest.skipIf(NMF is None, "scikit-learn is not installed")
class ScikitLearn(CliTest):
    def compare(self, X, rank, flags, sparse=False, start="random", tolerance=1e-10, **settings):
        """Both from scikit-learn's start. Returns the number of iterations."""
        W, H = _initialize_nmf(X, rank, init=start, random_state=3)
        kept = W.copy(), H.copy()
        model = NMF(rank, init="custom", **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            W = model.fit_transform(scipy.sparse.csr_matrix(X) if sparse else X, W=W, H=H)
        if sparse:
            scipy.sparse.save_npz(self.folder / "X.npz", scipy.sparse.csr_matrix(X))
        else:
            np.save(self.folder / "X.npy", X)
        np.save(self.folder / "start-w.npy", kept[1].T)
        np.save(self.folder / "start-h.npy", kept[0].T)
        l1 = settings.get("l1_ratio", 0)
        for name, size in (("w", X.shape[0]), ("h", X.shape[1])):
            # alpha_W belongs to their W, which is our H, and is multiplied by the number of features.
            alpha = settings.get("alpha_H" if name == "w" else "alpha_W", 0)
            flags = [*flags, f"--l1-{name}", repr(alpha * l1 * size), f"--l2-{name}", repr(alpha * (1 - l1) * size)]
        self.run_svrmu("fit", "X.npz" if sparse else "X.npy", "--samples", "rows", "-k", rank, "--init-w", "start-w.npy",
                       "--init-h", "start-h.npy", "--tol", 0, "--epochs", settings.get("max_iter", 200), "--force",
                       "-o", "m.h5", *flags)
        with h5py.File(self.folder / "m.h5") as file:
            ours = int(file["history"]["epoch"][-1])
            self.assertEqual(ours, model.n_iter_, f"{flags} {settings}")
            for mine, theirs in ((file["H"][:].T, W), (file["W"][:].T, model.components_)):
                np.testing.assert_allclose(mine, theirs, atol=tolerance * theirs.max(), rtol=0)
        return ours

    def coordinate_descent(self, X, tol=1e-4, **settings):
        flags = ["--algorithm", "hals", "--no-initial-scaling", "--violation-tol", repr(tol)]
        return self.compare(X, 4, flags, solver="cd", tol=tol, **settings)

    def multiplicative(self, X, loss, tol=1e-4, **settings):
        flags = ["--algorithm", "mu", "--loss", loss, "--error-tol", repr(tol), "--evaluate-every", 10]
        beta = {"frobenius": "frobenius", "kl": "kullback-leibler", "is": "itakura-saito"}.get(loss)
        return self.compare(X, 4, flags, solver="mu", tol=tol, beta_loss=beta or float(loss[5:]), **settings)

    def test_coordinate_descent_stops_by_its_violation(self):
        counts = set()
        for seed in range(3):
            X = data(60, 40, 4, seed)
            for tol in (1e-2, 1e-4):
                for start in ("random", "nndsvd", "nndsvda"):
                    counts.add(self.coordinate_descent(X, tol, start=start, max_iter=300))
        self.assertGreater(len(counts), 5, "they must end in different epochs")
        self.assertLess(min(counts), 300)

    def test_coordinate_descent_of_sparse_data(self):
        for seed in range(3):
            X = data(70, 50, 4, seed, zeros=0.7)
            self.coordinate_descent(X, sparse=True, max_iter=300)
            self.coordinate_descent(X, sparse=True, start="nndsvd", max_iter=300)

    def test_coordinate_descent_with_penalties(self):
        X = data(60, 40, 4, 1)
        for l1_ratio in (0, 0.5, 1):
            self.coordinate_descent(X, alpha_W=0.01, alpha_H=0.002, l1_ratio=l1_ratio, max_iter=300)

    def test_multiplicative_updates_stop_by_the_fall_of_the_error(self):
        counts = set()
        for loss in ("frobenius", "kl", "beta:0.5", "is", "beta:1.5", "beta:3"):
            for tol in (1e-3, 1e-4):
                counts.add(self.multiplicative(data(50, 40, 4, 5) + 0.05, loss, tol, max_iter=400))
        self.assertGreater(len(counts), 4, "they must end in different epochs")
        self.assertEqual({count % 10 for count in counts}, {0})

    def test_multiplicative_updates_of_sparse_data(self):
        X = data(60, 40, 4, 2, zeros=0.6)
        self.multiplicative(X, "frobenius", sparse=True, max_iter=400)
        self.multiplicative(X, "kl", sparse=True, max_iter=400)
        self.multiplicative(X, "beta:0.5", sparse=True, max_iter=100, tolerance=1e-6)

    def test_multiplicative_updates_with_penalties(self):
        X = data(50, 40, 4, 3)
        for loss in ("frobenius", "kl"):
            self.multiplicative(X, loss, alpha_W=0.01, alpha_H=0.01, l1_ratio=0.5, max_iter=300)

    def test_a_limit_between_two_evaluations_is_kept(self):
        self.assertEqual(self.multiplicative(data(50, 40, 4, 3), "frobenius", 1e-9, max_iter=27), 27)

    def test_other_algorithms_refuse_the_violation_by_name(self):
        np.save(self.folder / "X.npy", data(20, 10, 3, 1))
        _, err = self.run_svrmu("fit", "X.npy", "-k", 3, "--algorithm", "mu", "--violation-tol", 1e-3, code=2)
        self.assertIn("--violation-tol is 0.001, but mu does not measure it; hals can stop by it", err)


if __name__ == "__main__":
    unittest.main()
