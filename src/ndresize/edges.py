"""What happens to taps outside the input: from sampled kernels to axis operators."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator

__all__ = ["EdgeRule", "apply_edges", "normalise", "padding"]

EdgeRule = Literal["replicate", "exclude"]


def normalise(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows divided by their sums; a row that sums to zero becomes all zeros."""
    total = weights.sum(axis=1, keepdims=True)
    result: NDArray[np.float64] = np.zeros_like(weights)
    np.divide(weights, total, out=result, where=total != 0)
    return result


def apply_edges(
    first: NDArray[np.int64], weights: NDArray[np.float64], n_in: int, rule: EdgeRule
) -> AxisOperator:
    """Return the operator of taps that may lie outside the input.

    Parameters
    ----------
    first : ndarray of int64, shape (n_out,)
        Index of each row's first tap.
    weights : ndarray of float64, shape (n_out, taps)
        Weights of the taps ``first[i], first[i] + 1, ...``.
    n_in : int
        Length of the input axis, at least 1 unless there are no rows.
    rule : {"replicate", "exclude"}
        `replicate`: an outside tap reads the edge sample. `exclude`: it reads nothing, and the
        row is divided by what is left.
    """
    taps = weights.shape[1]
    width = min(taps, n_in)
    start = np.clip(first, 0, n_in - width)
    edge = np.flatnonzero((first < 0) | (first + taps > n_in))
    if len(edge) == 0:
        return AxisOperator(first, weights, n_in)
    index = first[edge, None] + np.arange(taps)
    values = weights[edge]
    if rule == "exclude":
        values = normalise(np.where((index < 0) | (index >= n_in), 0.0, values))
    column = np.clip(index, 0, n_in - 1) - start[edge, None]
    folded = np.zeros((len(edge), width))
    # Where a tap was excluded its weight is zero; where it is replicated it lands on the edge.
    np.add.at(folded, (np.arange(len(edge))[:, None], np.clip(column, 0, width - 1)), values)
    result = np.zeros_like(weights)
    inner = np.ones(len(first), dtype=bool)
    inner[edge] = False
    result[inner] = weights[inner]
    result[edge, :width] = folded
    return AxisOperator(np.where(inner, first, start), result, n_in)


def padding(n_in: int, before: int, after: int) -> AxisOperator:
    """Return the operator that puts zeros around an axis: its outer rows read nothing.

    Composed with it, another operator acts on the padded axis and nothing is ever padded.
    """
    index = np.arange(-before, n_in + after)
    inside = (index >= 0) & (index < n_in)
    return AxisOperator(np.where(inside, index, 0), inside[:, None].astype(np.float64), n_in)
