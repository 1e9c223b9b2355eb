#!/usr/bin/python3
"""One rival in a process of its own, V in memory: worker.py SYSTEM FILE reads commands as JSON lines and answers each with one.

    {"rank": 20, "seed": 1, "cap": 50, "start": "given", "w": "w.npy", "h": "h.npy", "out": "prefix", "loss": "frobenius"}

The answer has the seconds of the call alone and the peak memory of the process; the factors are left in PREFIX.w.npy, .h.npy.
"""

import json
import os
import sys
import time
import warnings

import numpy as np
import scipy.sparse

LOSSES = {"frobenius": "frobenius", "kl": "kullback-leibler", "is": "itakura-saito"}


def sklearn_nmf(solver):
    def make(V):
        from sklearn.decomposition import NMF

        X = V.T  # samples x features, without a copy

        def run(command, W, H):
            given = {} if W is None else {"W": np.ascontiguousarray(H.T), "H": np.ascontiguousarray(W.T)}
            model = NMF(command["rank"], init="custom" if given else None, solver=solver, tol=0, max_iter=command["cap"],
                        beta_loss=LOSSES[command.get("loss", "frobenius")], random_state=command["seed"])

            def call():
                weights = model.fit_transform(X, **given)
                return model.components_.T, weights.T

            return call

        return run

    return make


def minibatch(V):
    from sklearn.decomposition import MiniBatchNMF

    X = V.T

    def run(command, W, H):
        given = {} if W is None else {"W": np.ascontiguousarray(H.T), "H": np.ascontiguousarray(W.T)}
        model = MiniBatchNMF(command["rank"], init="custom" if given else None, tol=0, max_no_improvement=None,
                             max_iter=command["cap"], random_state=command["seed"])

        def call():
            weights = model.fit_transform(X, **given)
            return model.components_.T, weights.T

        return call

    return run


def gensim_nmf(V):
    from gensim.models.nmf import Nmf

    corpus = scipy.sparse.csc_matrix(V)

    def run(command, *_):
        def call():
            model = Nmf(corpus, num_topics=command["rank"], id2word={i: str(i) for i in range(V.shape[0])}, passes=command["cap"],
                        random_state=command["seed"], eval_every=None, normalize=False, minimum_probability=0, w_stop_condition=0)
            return model._W, None  # keeps no H

        return call

    return run


def hals(V):
    """What a careful user would write: one sweep over the columns of W and the rows of H per iteration."""

    def sweep(x, products, gram):
        for k in range(len(x)):
            if gram[k, k] > 0:
                x[k] = np.maximum(0, x[k] + (products[k] - gram[k] @ x) / gram[k, k])

    def run(command, W, H):
        def call():
            Wt, h = np.ascontiguousarray(W.T), H.copy()
            for _ in range(command["cap"]):
                sweep(h, np.ascontiguousarray((V.T @ Wt.T).T), Wt @ Wt.T)
                sweep(Wt, np.ascontiguousarray((V @ h.T).T), h @ h.T)
            return Wt.T, h

        return call

    return run


SYSTEMS = {
    "sklearn-cd": sklearn_nmf("cd"),
    "sklearn-mu": sklearn_nmf("mu"),
    "minibatch": minibatch,
    "gensim": gensim_nmf,
    "numpy-hals": hals,
}


def peak_megabytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return float("nan")


def main():
    system, path = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    warnings.filterwarnings("ignore")
    V = scipy.sparse.load_npz(path) if path.endswith(".npz") else np.load(path)
    run = SYSTEMS[system](V)
    for line in sys.stdin:
        command = json.loads(line)
        given = command.get("start") == "given"
        W = np.load(command["w"]) if given else None
        H = np.load(command["h"]) if given else None
        call = run(command, W, H)
        begin = time.perf_counter()
        W, H = call()
        seconds = time.perf_counter() - begin
        np.save(command["out"] + ".w.npy", np.asarray(W))
        if H is not None:
            np.save(command["out"] + ".h.npy", np.asarray(H))
        print(json.dumps({"seconds": seconds, "keeps_h": H is not None, "peak_megabytes": peak_megabytes()}), file=answers, flush=True)


if __name__ == "__main__":
    main()
