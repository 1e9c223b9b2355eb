"""Objectives of any system's W and H, recomputed in float64 the same way for all."""

import numpy as np
import scipy.sparse

BLOCK = 2000


def half_squares(V):
    if scipy.sparse.issparse(V):
        return 0.5 * float(np.dot(V.data.astype(float), V.data.astype(float)))
    return 0.5 * sum(float(np.sum(np.square(V[:, a : a + BLOCK], dtype=float))) for a in range(0, V.shape[1], BLOCK))


def residual(V, W, H):
    """1/2||V - WH||^2 entry by entry, for when W H is close to V."""
    total = 0.0
    for a in range(0, V.shape[1], BLOCK):
        block = V[:, a : a + BLOCK]
        dense = block.toarray() if scipy.sparse.issparse(block) else block
        total += float(np.sum(np.square(dense - W @ H[:, a : a + BLOCK])))
    return 0.5 * total


def frobenius(V, W, H, half_norm):
    """1/2||V - WH||^2 by the trace form, or entry by entry where that would cancel."""
    W, H = np.asarray(W, dtype=float), np.asarray(H, dtype=float)
    cross = 0.0
    for a in range(0, V.shape[1], BLOCK):
        block = V[:, a : a + BLOCK].astype(float)
        cross += float(np.sum((block.T @ W) * H[:, a : a + BLOCK].T))
    f = half_norm - cross + 0.5 * float(np.sum((W.T @ W) * (H @ H.T)))
    return f if f > 1e-5 * half_norm else residual(V, W, H)


def divergence(V, W, H, beta):
    """Kullback-Leibler (beta 1) or Itakura-Saito (beta 0), summed."""
    W, H = np.asarray(W, dtype=float), np.asarray(H, dtype=float)
    if scipy.sparse.issparse(V):
        if beta != 1:
            raise ValueError("only Kullback-Leibler is computed for sparse V")
        entries = V.tocoo()
        x = np.empty(V.nnz)
        for a in range(0, V.nnz, 100000):
            at = slice(a, a + 100000)
            x[at] = np.einsum("ik,ik->i", W[entries.row[at]], H.T[entries.col[at]])
        v = entries.data.astype(float)
        logs = np.where(v > 0, v * np.log(np.where(v > 0, v, 1) / np.maximum(x, 2.0**-52)), 0)
        return float(np.sum(logs - v) + W.sum(axis=0) @ H.sum(axis=1))
    total = 0.0
    for a in range(0, V.shape[1], BLOCK):
        v = V[:, a : a + BLOCK].astype(float)
        x = np.maximum(W @ H[:, a : a + BLOCK], 2.0**-52)
        if beta == 1:
            total += float(np.sum(np.where(v > 0, v * np.log(np.where(v > 0, v, 1) / x), 0) - v + x))
        else:
            ratio = v / x
            total += float(np.sum(ratio - np.log(ratio) - 1))
    return total


def best_h(V, W, sweeps=200):
    """H for a W, for systems that keep none: HALS sweeps from zero until nothing moves. Nobody's time counts it."""
    W = np.asarray(W, dtype=float)
    gram = W.T @ W
    products = np.asarray((V.T @ W).T, dtype=float)
    H = np.zeros_like(products)
    for _ in range(sweeps):
        moved = 0.0
        for k in range(W.shape[1]):
            if gram[k, k] > 0:
                new = np.maximum(0, H[k] + (products[k] - gram[k] @ H) / gram[k, k])
                moved = max(moved, float(np.max(np.abs(new - H[k]))))
                H[k] = new
        if moved <= 1e-6 * float(np.max(H, initial=0)):
            break
    return H
