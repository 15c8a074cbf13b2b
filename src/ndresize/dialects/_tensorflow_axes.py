"""One axis of TensorFlow's resize operators: coordinates in float32, as its CPU kernels have them.

From ``tensorflow/core/util/image_resizer_state.h`` and ``tensorflow/core/kernels/image/resize_*``.
Every operation is rounded to float32 by itself: the wheels are built without fused multiply-add.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator

__all__ = [
    "area",
    "area_factor",
    "axis_scale",
    "bicubic",
    "bilinear",
    "coordinates",
    "legacy_bicubic",
    "nearest",
    "two_taps",
]

Float32 = NDArray[np.float32]
_STEPS = 1024  # of the table of cubic weights between two samples
_SMALLEST_SUM = np.float32(1000) * np.finfo(np.float32).tiny


def axis_scale(n_in: int, n_out: int, align_corners: bool) -> np.float32:
    """Return how many input samples an output sample advances.

    With one input sample `align_corners` is not looked at (measured: release 2.21 does not divide
    zero by ``n_out - 1`` as older sources do).
    """
    if align_corners and n_out > 1 and n_in > 1:
        return np.float32(n_in - 1) / np.float32(n_out - 1)
    return np.float32(n_in) / np.float32(n_out)


def coordinates(n_out: int, scale: np.float32, half_pixel_centers: bool) -> Float32:
    """Return the positions of output samples, 0 being the first input sample's centre."""
    index = np.arange(n_out).astype(np.float32)
    if half_pixel_centers:
        return (index + np.float32(0.5)) * scale - np.float32(0.5)
    return index * scale


def nearest(n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool) -> AxisOperator:
    """Return the operator of ResizeNearestNeighbor.

    The floor of the coordinate on the input's outer edges (`half_pixel_centers`) or of the legacy
    one; `align_corners` rounds halves up instead.
    """
    scale = axis_scale(n_in, n_out, align_corners)
    index = np.arange(n_out).astype(np.float32)
    if half_pixel_centers:
        index = index + np.float32(0.5)
    at = index * scale
    picked = round_half_away(at) if align_corners else np.floor(at).astype(np.int64)
    return AxisOperator.select(np.minimum(picked, n_in - 1), n_in)


def round_half_away(at: Float32) -> NDArray[np.int64]:
    """Return what C's ``roundf`` makes of coordinates that are not negative."""
    whole = np.trunc(at)
    return (whole + (at - whole >= 0.5)).astype(np.int64)


def two_taps(
    lower: NDArray[np.int64], upper: NDArray[np.int64], part: NDArray[Any], n_in: int
) -> AxisOperator:
    """Return the operator of ``x[lower] + (x[upper] - x[lower]) * part``, neighbours or equal."""
    weights = np.zeros((len(lower), 2))
    apart = upper > lower
    weights[:, 0] = np.where(apart, 1 - part.astype(np.float64), 1)
    weights[:, 1] = np.where(apart, part, 0)
    return AxisOperator(lower, weights, n_in)


def bilinear(n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool) -> AxisOperator:
    """Return the operator of ResizeBilinear."""
    at = coordinates(n_out, axis_scale(n_in, n_out, align_corners), half_pixel_centers)
    floor = np.floor(at)
    lower = np.clip(floor.astype(np.int64), 0, n_in - 1)
    upper = np.minimum(np.ceil(at).astype(np.int64), n_in - 1)
    return two_taps(lower, upper, at - floor, n_in)


@cache
def _cubic_table(a: float) -> Float32:
    """Return the weights at distances k / 1024 of the two inner and two outer samples, (1025, 2).

    A distance below 1 is computed in double from a float32, one above from its float32 sum with 1.
    """
    near = (np.arange(_STEPS + 1) / _STEPS).astype(np.float32).astype(np.float64)
    far = (near + 1).astype(np.float32).astype(np.float64)
    inner = ((a + 2) * near - (a + 3)) * near * near + 1
    outer = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
    return np.stack([inner, outer], axis=1).astype(np.float32)


def bicubic(n_in: int, n_out: int, align_corners: bool) -> AxisOperator:
    """Return the operator of ResizeBicubic with half_pixel_centers.

    The fraction of the coordinate is rounded to 1/1024, halves to even; a is -0.5. Taps outside are
    left out and the rest divided by its sum.
    """
    index, weights = _cubic_taps(n_in, n_out, align_corners, True, -0.5)
    weights = np.where((index < 0) | (index >= n_in), np.float32(0), weights)
    total = weights[:, 0] + weights[:, 1] + weights[:, 2] + weights[:, 3]
    divided = weights * (1 / np.where(total == 0, np.float32(1), total))[:, None]
    weights = np.where((np.abs(total) >= _SMALLEST_SUM)[:, None], divided, weights)
    return gathered(index, weights.astype(np.float64), n_in)


def legacy_bicubic(n_in: int, n_out: int, align_corners: bool) -> tuple[AxisOperator, AxisOperator]:
    """Return the operators of ResizeBicubic without: one that repeats the edges, then the filter.

    a is -0.75. In one operator the weights of an edge sample that is read twice would be added up,
    and the last bits of the sums would not be TensorFlow's.
    """
    index, weights = _cubic_taps(n_in, n_out, align_corners, False, -0.75)
    low, high = int(index.min(initial=0)), int(index.max(initial=0))
    padded = np.arange(low, high + 1)
    edges = AxisOperator.select(np.clip(padded, 0, n_in - 1), n_in)
    return edges, AxisOperator(index[:, 0] - low, weights.astype(np.float64), len(padded))


def _cubic_taps(
    n_in: int, n_out: int, align_corners: bool, half_pixel_centers: bool, a: float
) -> tuple[NDArray[np.int64], Float32]:
    """Return where four taps of each output are, and what they weigh."""
    at = coordinates(n_out, axis_scale(n_in, n_out, align_corners), half_pixel_centers)
    floor = np.floor(at)
    step = np.rint((at - floor) * np.float32(_STEPS)).astype(np.int64)
    table = _cubic_table(a)
    weights = np.stack(
        [
            table[step, 1],
            table[step, 0],
            table[_STEPS - step, 0],
            table[_STEPS - step, 1],
        ],
        axis=1,
    )
    return floor.astype(np.int64)[:, None] + np.arange(-1, 3), weights


def area(n_in: int, n_out: int, align_corners: bool) -> tuple[AxisOperator | None, AxisOperator]:
    """Return the operators of ResizeArea: one that repeats the edge where it is read, then cells.

    An output sample covers the input from ``i * scale`` to ``(i + 1) * scale``; a sample weighs
    what is covered of it. What lies outside the input is read from the edge sample, once more.
    """
    scale = axis_scale(n_in, n_out, align_corners)
    edges = np.arange(n_out + 1).astype(np.float32) * scale
    left, right = edges[:-1, None], edges[1:, None]
    start = np.floor(left).astype(np.int64)
    taps = max(int((np.ceil(right).astype(np.int64) - start).max(initial=1)), 1)
    index = start + np.arange(taps)
    low, high = index.astype(np.float32), (index + 1).astype(np.float32)
    begun = np.where(high > right, scale, high - left)
    inside = np.where(high > right, right - low, np.float32(1))
    weights = np.where(low < left, begun, inside)
    weights[index >= np.ceil(right)] = 0
    reach = max(int(index[weights != 0].max(initial=0)) + 1, n_in)
    cells = gathered(index, weights.astype(np.float64), reach)
    if reach == n_in:
        return None, cells
    return AxisOperator.select(np.arange(reach).clip(max=n_in - 1), n_in), cells


def area_factor(rows: np.float32, columns: np.float32) -> np.float32:
    """Return what ResizeArea multiplies its sums with, of two scales: it is rounded twice."""
    return np.float32(1.0 / float(rows * columns))


def gathered(index: NDArray[np.int64], weights: NDArray[np.float64], n_in: int) -> AxisOperator:
    """Return the operator of consecutive taps, those outside the input read from its edge."""
    first = np.clip(index[:, 0], 0, n_in - 1)
    column = np.clip(index, 0, n_in - 1) - first[:, None]
    rows = np.zeros((len(index), int(column.max(initial=0)) + 1))
    np.add.at(rows, (np.arange(len(index))[:, None], column), weights)
    return AxisOperator(first, rows, n_in)
