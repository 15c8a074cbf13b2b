"""Weights of one axis in float32, as ONNX Runtime's CPU kernels compute them.

The rules are those of ``upsample.cc`` and ``upsample_antialias.h`` in
``onnxruntime/core/providers/cpu/tensor``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._onnxruntime_coordinates import Singles, single
from ndresize.edges import apply_edges

__all__ = ["PRECISION_BITS", "antialiased", "cubic", "two_points", "two_points_joint"]

PRECISION_BITS = 22
"""Fractional bits of the weights of 8-bit samples under antialias."""


def two_points(x: Singles, n_in: int, bits: int | None = None) -> AxisOperator:
    """Return the operator of linear interpolation.

    Parameters
    ----------
    x : ndarray of float32, shape (n_out,)
        Coordinates; those outside are moved to the edge.
    n_in : int
        Length of the input axis.
    bits : int, optional
        Fractional bits to which coordinates are cut first; all that float32 has if not given.
    """
    x = np.clip(x, single(0), single(n_in - 1))
    if bits is not None:
        x = np.ldexp(np.trunc(np.ldexp(x, bits)), -bits)
    first = np.minimum(x.astype(np.int64), n_in - 1)
    second = np.minimum(first + 1, n_in - 1)
    to_second = np.abs(x - first.astype(single))
    to_first = np.abs(x - second.astype(single))
    # On the last sample both are the same one, which Runtime weighs by a half twice.
    edge = first == second
    weights = np.stack([np.where(edge, 1, to_first), np.where(edge, 0, to_second)], axis=1)
    return AxisOperator(first, weights, n_in)


def two_points_joint(x: Singles, n_in: int) -> tuple[AxisOperator, AxisOperator]:
    """Return the operators of linear interpolation whose products are summed over all axes at once.

    One that repeats the last sample, which Runtime reads twice and weighs by a half each, and then
    the weights: sums of 3 and of 2.9999998, which are cut off, differ by one.

    Parameters
    ----------
    x : ndarray of float32, shape (n_out,)
        Coordinates; those outside are moved to the edge.
    n_in : int
        Length of the input axis.
    """
    x = np.clip(x, single(0), single(n_in - 1))
    first = np.minimum(x.astype(np.int64), n_in - 1)
    to_second = x - first.astype(single)
    to_first = np.abs(x - (first + 1).astype(single))
    edge = first == n_in - 1
    weights = np.stack([np.where(edge, 0.5, to_first), np.where(edge, 0.5, to_second)], axis=1)
    repeats = AxisOperator.select(np.minimum(np.arange(n_in + 1), n_in - 1), n_in)
    return repeats, AxisOperator(first, weights, n_in + 1)


def cubic(
    x: Singles, n_in: int, a: np.float32, *, exclude_outside: bool
) -> tuple[AxisOperator, AxisOperator]:
    """Return the operators of cubic interpolation: one that repeats the edges, then the filter.

    In one operator the weights of an edge sample that is read twice would be added up, and the last
    bits of the sums would not be Runtime's.

    Parameters
    ----------
    x : ndarray of float32, shape (n_out,)
        Coordinates.
    n_in : int
        Length of the input axis.
    a : float32
        Keys's coefficient.
    exclude_outside : bool
        Whether outside taps weigh nothing; if not, they read the edge sample.
    """
    first = np.floor(x)
    s = np.abs(x - first)
    one, two = single(1), single(2)

    def outer(d: Singles) -> Singles:
        return ((a * d - single(5) * a) * d + single(8) * a) * d - single(4) * a

    def inner(d: Singles) -> Singles:
        return ((a + two) * d - (a + single(3))) * d * d + one

    weights = np.stack([outer(s + one), inner(s), inner(one - s), outer(two - s)], axis=1)
    start = first.astype(np.int64) - 1
    if exclude_outside:
        index = start[:, None] + np.arange(4)
        weights = np.where((index < 0) | (index >= n_in), single(0), weights)
        total = np.add.accumulate(weights, axis=1)[:, -1:]
        wide = weights.astype(np.float64)
        weights = np.divide(wide, total, out=np.zeros_like(wide), where=total != 0)
    before = after = 4  # taps that are all outside read the edge sample four times
    start = np.clip(start, -before, n_in)
    index = np.arange(-before, n_in + after)
    edges = AxisOperator.select(np.clip(index, 0, n_in - 1), n_in)
    return edges, AxisOperator(start + before, weights, len(index))


def antialiased(
    x: Singles,
    n_in: int,
    scale: np.float32,
    coefficient: np.float32 | None,
    *,
    exclude_outside: bool,
    bits: int | None = None,
) -> tuple[AxisOperator, NDArray[np.bool_]]:
    """Return the operator of a filter that widens where the axis shrinks, and what lies outside.

    Parameters
    ----------
    x : ndarray of float32, shape (n_out,)
        Coordinates.
    n_in : int
        Length of the input axis.
    scale : float32
        Of the axis.
    coefficient : float32 or None
        Keys's coefficient; None: the triangle.
    exclude_outside : bool
        Whether outside taps weigh nothing; if not, they read the edge sample.
    bits : int, optional
        Fractional bits that weights are rounded to, half away from zero.
    """
    step = single(1) / scale
    half = single(1 if coefficient is None else 2)
    stretched = bool(step >= 1)
    support = half * step if stretched else half
    window = 2 * math.ceil(support) + 1
    inverse = single(1) / step if stretched else single(1)
    centre = single(0.5) + x
    at = centre - single(0.5)
    outside = (at < 0) | (at > single(n_in - 1))

    low = np.floor(centre - support + single(0.5)).astype(np.int64)
    high = np.floor(centre + support + single(0.5)).astype(np.int64)
    high = low + np.clip(high - low, 0, window)
    low_cut, high_cut = np.clip(low, 0, n_in), np.clip(high, 0, n_in)
    first = low_cut if exclude_outside else low
    count = (high_cut if exclude_outside else high) - first

    tap = np.arange(max(int(count.max(initial=1)), 1))
    distance = ((tap + first[:, None]).astype(single) - centre[:, None] + single(0.5)) * inverse
    weights = np.where(tap < count[:, None], _kernel(np.abs(distance), coefficient), single(0))
    total = np.add.accumulate(weights, axis=1)[:, -1]
    if not exclude_outside:
        _fold(weights, first, count, n_in)
    weights = weights * np.where(total == 0, single(1), single(1) / np.where(total == 0, 1, total))[
        :, None
    ].astype(single)
    inside = tap + first[:, None]
    weights = np.where((inside >= low_cut[:, None]) & (inside < high_cut[:, None]), weights, 0)
    result = weights.astype(np.float64)
    if bits is not None:
        scaled = np.ldexp(result, bits)
        result = np.ldexp(np.trunc(scaled + np.copysign(0.5, scaled)), -bits)
    return apply_edges(first, result, n_in, "replicate"), outside


def _kernel(d: Singles, a: np.float32 | None) -> Singles:
    one = single(1)
    if a is None:
        return np.where(d < one, one - d, single(0))
    inner = ((a + single(2)) * d - (a + single(3))) * d * d + one
    outer = (((d - single(5)) * d + single(8)) * d - single(4)) * a
    return np.where(d < one, inner, np.where(d < single(2), outer, single(0)))


def _fold(weights: Singles, first: NDArray[np.int64], count: NDArray[np.int64], n_in: int) -> None:
    """Add the weights of outside taps to those of the edge samples, one after another."""
    rows = np.arange(len(weights))
    reach = np.maximum(count - 1, 0)
    before = np.clip(-first, 0, reach)
    after = np.clip(count + first - n_in, 0, reach)
    touches = (np.clip(first, 0, n_in) < np.clip(first + count, 0, n_in)) & (count > 0)
    for tap in range(int(before[touches].max(initial=0))):
        row = rows[touches & (tap < before)]
        weights[row, before[row]] += weights[row, tap]
    for past in range(int(after[touches].max(initial=0))):
        row = rows[touches & (past < after)]
        last = count[row] - after[row]
        weights[row, last - 1] += weights[row, last + past]
