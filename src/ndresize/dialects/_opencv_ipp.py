"""The coordinates and weights of Intel's IPP, which OpenCV's x86 builds call where they can.

Found by measuring OpenCV 5.0.0 with IPP 2026.0.0 (AVX-512 code): coordinates with a fused multiply
and add in double, the fraction cut to float32 (except for float64 data), cubic weights of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.dialects._opencv_axis import Axis
from ndresize.dialects._opencv_taps import Taps

__all__ = ["Map", "beyond", "block", "cubic", "fractions", "inside", "linear", "mapped_cubic"]

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


@dataclass(frozen=True)
class Map:
    """An affine map of rows and columns of so many channels, which IPP does for given factors."""

    rows: Axis
    columns: Axis
    channels: int


def _coordinates(axis: Axis, by: Map | None) -> NDArray[np.float64]:
    """Return coordinates of a resize, or those of an affine map."""
    index = np.arange(axis.n_out, dtype=np.float64)
    if by is None:
        return _fused(index + 0.5, axis.n_in / axis.n_out, -0.5)
    other = by.columns if axis.axis == 0 else by.rows
    determinant = axis.inverse * other.inverse
    origin = -((-0.5 + 0.5 * axis.inverse) * other.inverse) / determinant
    return _fused(index, other.inverse / determinant, origin)


def _running(by: Map, *, beyond: bool) -> NDArray[np.float64]:
    """Return coordinates of columns that are running sums.

    In rows that read `beyond` an edge it is one sum, in others there are several.
    """
    at = _coordinates(by.columns, by)
    step = by.rows.inverse / (by.columns.inverse * by.rows.inverse)
    if beyond:
        at[1:] = step
        return np.cumsum(at)
    within = _between(by.columns, 0, by.columns.n_in - 1)
    return _in_lanes(at, within, step, 4 if by.channels == 1 else 2)


def _in_lanes(
    at: NDArray[np.float64], inside: slice, step: float, width: int
) -> NDArray[np.float64]:
    """Return the columns that lie inside as two or four running sums side by side."""
    begin, count = inside.start, inside.stop - inside.start
    if count < 3:
        return at
    lanes = np.full(((count + width - 1) // width, width), width * step)
    lanes[0, :2] = at[begin : begin + 2]
    lanes[0, 2:] = (at[begin : begin + 2] + 2 * step)[: width - 2]
    sums = np.cumsum(lanes, axis=0).ravel()[:count]
    if width == 4 and count % 4 == 3:  # the last of three left over is two steps after the first
        sums[-1] = sums[-3] + 2 * step
    result = at.copy()
    result[inside] = sums
    return result


def _split(at: NDArray[np.float64], kind: type) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the sample below each coordinate and the distance from it in the type of the sums."""
    below = np.floor(at)
    return below.astype(np.int64), (at - below).astype(kind)


def fractions(
    axis: Axis, by: Map | None, dtype: np.dtype[Any], *, beyond: bool = False
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the samples below and the fractions of two taps; columns of float64 are summed up."""
    if dtype != np.float64:
        return _split(_coordinates(axis, by), np.float32)
    if by is None or axis.axis == 0:
        return _split(_coordinates(axis, by), np.float64)
    return _split(_running(by, beyond=beyond), np.float64)


def linear(axis: Axis, by: Map | None, dtype: np.dtype[Any], *, beyond: bool = False) -> Taps:
    """Return two taps; those of rows that lie `beyond` an edge if asked for."""
    below, fraction = fractions(axis, by, dtype, beyond=beyond)
    inside = (below >= 0) & (below < axis.n_in - 1)
    fraction = np.where(inside, fraction, 0).astype(fraction.dtype)
    weights = np.stack([1 - fraction, fraction], axis=1).astype(np.float64)
    return Taps(np.clip(below, 0, axis.n_in - 1), weights, axis.n_in)


def cubic(axis: Axis, by: Map | None) -> Taps:
    """Return four taps of Keys's cubic with a = -0.75, in float32.

    They are those of a resize, and of the block of an affine map: exact for a fraction of 23 bits.
    """
    below, fraction = _split(_coordinates(axis, by), np.float32)
    return _four(axis, below, _exact_cubic(fraction))


def mapped_cubic(axis: Axis, by: Map, *, beyond: bool = False) -> Taps:
    """Return four taps of an affine map: polynomials of rounded powers.

    Products are added at once. Columns are those of rows that read `beyond` an edge if asked for.
    """
    at = _running(by, beyond=beyond) if axis.axis == 1 else _coordinates(axis, by)
    below, fraction = _split(at, np.float32)
    return _four(axis, below, _affine_cubic(fraction))


def _four(axis: Axis, below: NDArray[np.int64], weights: NDArray[Any]) -> Taps:
    return Taps(below - 1, weights.astype(np.float32).astype(np.float64), axis.n_in)


def beyond(by: Map) -> tuple[slice, slice]:
    """Return the rows of an affine map that lie beyond the edges, perhaps none."""
    inside = _between(by.rows, 0, by.rows.n_in - 1)
    return slice(0, inside.start), slice(inside.stop, None)


def inside(axis: Axis) -> slice:
    """Return the outputs of an affine map that lie a sample within the image, perhaps none."""
    return _between(axis, 1, axis.n_in - 2)


def block(by: Map) -> tuple[slice, slice] | None:
    """Return the rows and columns of an affine map that IPP makes as it resizes, if any.

    They lie a sample within the image, two at its end, and there are enough of them; nothing is so
    where an axis shrinks to less than two thirds. The first and the last column are made once more
    as others.
    """
    rows, columns = by.rows, by.columns
    if min(rows.inverse, columns.inverse) < 2 / 3:
        return None
    spans = [_between(axis, 1, axis.n_in - 3) for axis in (rows, columns)]
    if any(span.stop - span.start < _SHORTEST for span in spans):
        return None
    return spans[0], spans[1]


def _between(axis: Axis, first: int, last: int) -> slice:
    """Return the outputs from where one input sample comes to lie to where another does."""
    origin = 0.5 * axis.inverse - 0.5
    start = max(0, math.ceil(first * axis.inverse + origin))
    stop = min(axis.n_out, math.floor(last * axis.inverse + origin) + 1)
    return slice(start, max(start, stop))


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
