"""The coordinates and weights of Intel's IPP, which OpenCV's x86 builds call where they can.

Found by measuring OpenCV 5.0.0 with IPP 2026.0.0 (AVX-512 code): coordinates with a fused multiply
and add in double, the fraction cut to float32 (except for float64 data), cubic weights of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.dialects._opencv_axis import Axis
from ndresize.dialects._opencv_taps import Taps

__all__ = ["block", "cubic", "fractions", "inside", "linear"]

_SHORTEST = 33  # outputs of a block, found by measuring


def _fused(x: NDArray[np.float64], factor: float, term: float) -> NDArray[np.float64]:
    """Return ``x * factor + term``, rounded once (Dekker's product and Knuth's sum)."""
    product = x * factor
    high = _high(x), _high(np.float64(factor))
    low = x - high[0], factor - high[1]
    error = ((high[0] * high[1] - product) + high[0] * low[1] + low[0] * high[1]) + low[0] * low[1]
    total = product + term
    virtual = total - product
    lost = (product - (total - virtual)) + (term - virtual)
    once: NDArray[np.float64] = total + (lost + error)
    return once


def _high(x: Any) -> Any:
    scaled = x * 134217729.0  # 2**27 + 1
    return scaled - (scaled - x)


def _coordinates(axis: Axis, other: Axis | None) -> NDArray[np.float64]:
    """Return coordinates of a resize, or those of an affine map of this axis and an `other`."""
    index = np.arange(axis.n_out, dtype=np.float64)
    if other is None:
        return _fused(index + 0.5, axis.n_in / axis.n_out, -0.5)
    determinant = axis.inverse * other.inverse
    step = other.inverse / determinant
    origin = -((-0.5 + 0.5 * axis.inverse) * other.inverse) / determinant
    at = _fused(index, step, origin)
    if axis.axis == 0:
        return at
    begin, end = int((at < 0).sum()), int((at <= axis.n_in - 1).sum())
    return _in_lanes(at, begin, end, step)


def _in_lanes(at: NDArray[np.float64], begin: int, end: int, step: float) -> NDArray[np.float64]:
    """Return the columns that lie inside as four running sums side by side."""
    count = end - begin
    if count < 3:
        return at
    lanes = np.full(((count + 3) // 4, 4), 4 * step)
    lanes[0, :2] = at[begin : begin + 2]
    lanes[0, 2:] = at[begin : begin + 2] + 2 * step
    inside = np.cumsum(lanes, axis=0).ravel()[:count]
    if count % 4 == 3:  # the last of three that are left over is two steps after the first
        inside[-1] = inside[-3] + 2 * step
    result = at.copy()
    result[begin:end] = inside
    return result


def fractions(
    axis: Axis, other: Axis | None, dtype: np.dtype[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the sample below each coordinate and the distance from it in the type of the sums."""
    at = _coordinates(axis, other)
    below = np.floor(at)
    kind = np.float64 if dtype == np.float64 else np.float32
    return below.astype(np.int64), (at - below).astype(kind)


def linear(axis: Axis, other: Axis | None, dtype: np.dtype[Any]) -> Taps:
    """Return two taps."""
    below, fraction = fractions(axis, other, dtype)
    inside = (below >= 0) & (below < axis.n_in - 1)
    fraction = np.where(inside, fraction, 0).astype(fraction.dtype)
    weights = np.stack([1 - fraction, fraction], axis=1).astype(np.float64)
    return Taps(np.clip(below, 0, axis.n_in - 1), weights, axis.n_in)


def cubic(axis: Axis, other: Axis | None, dtype: np.dtype[Any], *, in_block: bool = False) -> Taps:
    """Return four taps of Keys's cubic with a = -0.75, in float32.

    Those of a resize, and of the block of an affine map, are exact for a fraction of 23 bits,
    others of an affine map are polynomials of rounded powers, multiplied and added at once.
    """
    below, fraction = fractions(axis, other, dtype)
    exact = other is None or in_block
    weights = _exact_cubic(fraction) if exact else _affine_cubic(fraction)
    return Taps(below - 1, weights.astype(np.float32).astype(np.float64), axis.n_in)


def inside(axis: Axis) -> slice:
    """Return the outputs of an affine map that lie a sample within the image, perhaps none."""
    return _between(axis, axis.n_in - 2)


def block(rows: Axis, columns: Axis) -> tuple[slice, slice] | None:
    """Return the rows and columns of an affine map that IPP makes as it resizes, if any.

    They lie a sample within the image, two at its end, and there are enough of them; nothing is so
    where an axis shrinks to less than two thirds. The first and the last column are made once more
    as others.
    """
    if min(rows.inverse, columns.inverse) < 2 / 3:
        return None
    spans = [_between(axis, axis.n_in - 3) for axis in (rows, columns)]
    if any(span.stop - span.start < _SHORTEST for span in spans):
        return None
    return spans[0], spans[1]


def _between(axis: Axis, last: int) -> slice:
    """Return the outputs from where input sample 1 comes to lie to where `last` does."""
    origin = 0.5 * axis.inverse - 0.5
    start = math.ceil(axis.inverse + origin)
    return slice(start, max(start, math.floor(last * axis.inverse + origin) + 1))


def _exact_cubic(fraction: NDArray[np.float32]) -> NDArray[np.float64]:
    x = (np.float32(1) + fraction).astype(np.float64) - 1
    y = 1 - x
    return np.stack(
        [
            -0.75 * x * y * y,
            (1.25 * x - 2.25) * x * x + 1,
            (1.25 * y - 2.25) * y * y + 1,
            -0.75 * x * x * y,
        ],
        axis=1,
    )


def _affine_cubic(fraction: NDArray[np.float32]) -> NDArray[np.float32]:
    square = fraction * fraction
    cube = square * fraction

    def plus(factor: float, x: NDArray[np.float32], term: Any) -> NDArray[np.float32]:
        exact = factor * x.astype(np.float64) + np.asarray(term, np.float64)
        return exact.astype(np.float32)

    linear_part = np.float32(0.75) * fraction
    weights: NDArray[np.float32] = np.stack(
        [
            plus(-0.75, cube, plus(1.5, square, -linear_part)),
            plus(1.25, cube, plus(-2.25, square, 1)),
            plus(-1.25, cube, plus(1.5, square, linear_part)),
            plus(0.75, cube, np.float32(-0.75) * square),
        ],
        axis=1,
    )
    return weights
