"""What SciPy reads outside the input: coordinates and indices mapped back, mode by mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator

__all__ = ["MODES", "footprint_mode", "gather", "map_coordinate"]

MODES = (
    "reflect",
    "grid-mirror",
    "constant",
    "grid-constant",
    "nearest",
    "mirror",
    "wrap",
    "grid-wrap",
)
"""The boundary modes of ``scipy.ndimage``; "grid-mirror" is another name for "reflect"."""


def map_coordinate(x: NDArray[np.float64], n: int, mode: str) -> NDArray[np.float64]:
    """Return coordinates that lie on the input, or -1 where "constant" has none.

    The arithmetic is that of ``map_coordinate`` in SciPy 1.17.1 (``ni_interpolation.c``): doubles,
    one rounded operation after another.

    Parameters
    ----------
    x : ndarray of float64
        Coordinates, in samples.
    n : int
        Length of the axis, at least 1.
    mode : str
        One of "mirror", "reflect", "wrap", "grid-wrap", "nearest", "constant".
    """
    below, above = x < 0, x > n - 1
    if mode == "constant":
        return np.where(below | above, -1.0, x)
    if n == 1:
        return np.where(below | above, 0.0, x)
    if mode == "nearest":
        return np.clip(x, 0.0, n - 1.0)
    if mode == "mirror":
        period = 2 * n - 2
        left = period * np.trunc(-x / period) + x
        left = np.where(left <= 1 - n, left + period, -left)
        right = x - period * np.trunc(x / period)
        right = np.where(right >= n, period - right, right)
    elif mode == "reflect":
        period = 2 * n
        left = np.where(x < -period, period * np.trunc(-x / period) + x, x)
        # A coordinate just below 0 must not become -1, which would be outside.
        inner = np.where(left > -1e-15, 1e-15, -left) - 1
        left = np.where(left < -n, left + period, inner)
        right = x - period * np.trunc(x / period)
        right = np.where(right >= n, period - right - 1, right)
    elif mode == "wrap":
        left = x + (n - 1) * (np.trunc(-x / (n - 1)) + 1)
        right = x - (n - 1) * np.trunc(x / (n - 1))
    else:
        left = x + n * (np.trunc((-1 - x) / n) + 1)
        right = x - n * np.trunc(x / n)
    return np.where(below, left, np.where(above, right, x))


def footprint_mode(mode: str) -> str:
    """Return the mode by which the taps of a spline are mapped, once its coordinate was.

    "constant" and "wrap" have no spline of their own and mirror it.
    """
    return "mirror" if mode in ("constant", "wrap") else mode


def gather(
    index: NDArray[Any], weights: NDArray[np.float64], n_in: int, *, fixed: bool = False
) -> AxisOperator:
    """Return the operator whose row ``i`` reads ``index[i, t]`` with ``weights[i, t]``.

    Parameters
    ----------
    index : ndarray of int, shape (n_out, taps)
        In any order and with repetitions; outside 0 .. n_in - 1 nothing is read.
    weights : ndarray of float64, shape (n_out, taps)
        Weights of the same index are added up.
    n_in : int
        Length of the input axis.
    fixed : bool
        Whether weights are added up in fixed point of 60 bits, which rounds their sums once: for
        rows of many, whose absolute sum is below 8.
    """
    index = index.astype(np.int64)
    reads = (index >= 0) & (index < n_in) & (weights != 0)
    first = np.where(reads, index, n_in).min(axis=1, initial=n_in)
    last = np.where(reads, index, -1).max(axis=1, initial=-1)
    width = max(int(np.max(last - first + 1, initial=1)), 1)
    row, tap = np.nonzero(reads)
    values: NDArray[Any] = weights[row, tap]
    if fixed:
        values = np.rint(np.ldexp(values, 60)).astype(np.int64)
    result = np.zeros((len(index), width), values.dtype)
    np.add.at(result, (row, index[row, tap] - first[row]), values)
    if fixed:
        result = np.ldexp(result.astype(np.float64), -60)
    return AxisOperator(np.where(last < 0, 0, first), result, n_in)
