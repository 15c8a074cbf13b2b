"""The rows of weights of OpenVINO's averaging modes, edges included."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize import filters
from ndresize.axis import AxisOperator
from ndresize.edges import apply_edges, normalise

__all__ = ["cubic", "pillow", "triangle", "two_points"]

Reals = NDArray[np.floating[Any]]


def two_points(x: Reals, n_in: int) -> AxisOperator:
    """Return the operator of "linear_onnx": clamp the coordinate, weigh its two neighbours."""
    real = x.dtype.type
    x = np.clip(x, real(0), real(n_in - 1))
    first = x.astype(np.int64)
    second = np.minimum(first + 1, n_in - 1)
    left, right = x - first.astype(real), second.astype(real) - x
    last = first == second  # half of the same sample twice: the system's way to weigh it by 1
    weights = np.stack([np.where(last, 0.5, right), np.where(last, 0.5, left)], axis=1)
    return apply_edges(first, weights, n_in, "replicate")


def triangle(x: Reals, n_in: int, narrowing: Any) -> AxisOperator:
    """Return the operator of "linear": a triangle of half width ``1 / narrowing``, renormalised.

    A row that no sample falls into stays empty, which gives 0. The weights are computed in the
    type of `x`, because a sample at the very rim of the triangle counts alone in such rows.
    """
    real = x.dtype.type
    a = real(narrowing)
    side = int(np.ceil(1 / float(a))) + 1
    first = np.floor(x).astype(np.int64) - side
    index = first[:, None] + np.arange(2 * side + 2)
    distance = x[:, None] - index.astype(real)
    weights = np.maximum(real(0), real(1) - np.abs(a * distance)).astype(np.float64)
    inside = (index >= 0) & (index < n_in)
    return apply_edges(first, normalise(np.where(inside, weights, 0.0)), n_in, "replicate")


def cubic(x: Reals, n_in: int, coefficient: float) -> AxisOperator:
    """Return the operator of "cubic": Keys's four taps, edge samples replicated."""
    whole = np.floor(x)
    t = (x - whole).astype(np.float64)
    weights = filters.cubic(coefficient)(np.arange(-1, 3) - t[:, None])
    return apply_edges(whole.astype(np.int64) - 1, weights, n_in, "replicate")


def pillow(centre: Reals, n_in: int, step: Any, kernel: filters.Filter) -> AxisOperator:
    """Return the operator of a Pillow mode: a filter as wide as the step, cut off at the edges.

    Parameters
    ----------
    centre : ndarray
        Centres of the output samples, 0.5 being the centre of the first input sample.
    n_in : int
        Length of the axis.
    step : float
        Input samples per output sample.
    kernel : Filter
        Its support is widened to ``support * max(step, 1)``.
    """
    real = centre.dtype.type
    stretch = max(real(step), real(1))
    reach = real(kernel.support) * stretch
    half = real(0.5)
    low = np.maximum((centre - reach + half).astype(np.int64), 0)
    high = np.minimum((centre + reach + half).astype(np.int64), n_in)
    index = low[:, None] + np.arange(int(np.ceil(reach)) * 2 + 1)
    distance = (index - centre[:, None].astype(np.float64) + 0.5) / float(stretch)
    weights = np.where(index < high[:, None], kernel(np.asarray(distance, np.float64)), 0.0)
    return apply_edges(low, normalise(weights), n_in, "replicate")
