"""The taps of OpenCV's own filters: where each output sample reads and with which weights.

All coordinates are computed in double and cut to float32, all weights in float32, one rounded
operation after another, as ``modules/imgproc/src/resize.cpp`` of OpenCV 5.0.0 does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._opencv_axis import Axis
from ndresize.edges import apply_edges

__all__ = ["Taps", "cubic", "grown_area", "in_units", "lanczos4", "linear"]

Float32 = np.float32


@dataclass(frozen=True, eq=False)
class Taps:
    """A run of neighbouring samples per output sample, which may go beyond the edges.

    Parameters
    ----------
    first : ndarray of int64, shape (n_out,)
        Index of each first tap; what lies outside reads the edge sample.
    weights : ndarray of float64, shape (n_out, taps)
        float32 values or multiples of a power of two.
    n_in : int
        Length of the input axis.
    """

    first: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_in: int

    def merged(self) -> AxisOperator:
        """Return the operator; taps that read the same edge sample become one."""
        return apply_edges(self.first, self.weights, self.n_in, "replicate")

    def padded(self) -> tuple[AxisOperator | None, AxisOperator]:
        """Return the operator that repeats edge samples, if any is, and the one that sums."""
        taps = self.weights.shape[1]
        before = max(0, -int(self.first.min()))
        after = max(0, int(self.first.max()) + taps - self.n_in)
        if not before and not after:
            return None, AxisOperator(self.first, self.weights, self.n_in)
        repeated = np.clip(np.arange(-before, self.n_in + after), 0, self.n_in - 1)
        return (
            AxisOperator.select(repeated, self.n_in),
            AxisOperator(self.first + before, self.weights, len(repeated)),
        )


def in_units(weights: NDArray[Any], bits: int) -> NDArray[np.float64]:
    """Return float32 weights as multiples of ``2**-bits``, halves to even."""
    scaled = np.rint(weights.astype(Float32) * Float32(2**bits))
    units: NDArray[np.float64] = np.ldexp(scaled.astype(np.float64), -bits)
    return units


def _places(axis: Axis) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the sample below each coordinate and the float32 distance from it."""
    at = ((np.arange(axis.n_out) + 0.5) * axis.scale - 0.5).astype(Float32)
    below = np.floor(at)
    return below.astype(np.int64), at - below


def linear(axis: Axis) -> Taps:
    """Return two taps; columns beyond an edge read the edge sample alone, rows read it twice."""
    below, fraction = _places(axis)
    return _pair(axis, below, fraction)


def grown_area(axis: Axis) -> Taps:
    """Return the two taps that stand for "area" where an axis grows."""
    index = np.arange(axis.n_out)
    below = np.floor(index * axis.scale).astype(np.int64)
    fraction = ((index + 1) - (below + 1) * axis.inverse).astype(Float32)
    fraction = np.where(fraction <= 0, Float32(0), fraction - np.floor(fraction))
    return _pair(axis, below, fraction)


def _pair(axis: Axis, below: NDArray[np.int64], fraction: NDArray[np.float32]) -> Taps:
    if axis.axis == 1:
        fraction = np.where((below < 0) | (below >= axis.n_in - 1), Float32(0), fraction)
        below = np.clip(below, 0, axis.n_in - 1)
    weights = np.stack([Float32(1) - fraction, fraction], axis=1)
    return Taps(below, weights.astype(np.float64), axis.n_in)


def cubic(axis: Axis) -> Taps:
    """Return four taps of Keys's cubic with a = -0.75; the fourth weight is what is left of 1."""
    below, x = _places(axis)
    a, one = Float32(-0.75), Float32(1)
    y, z = x + one, one - x
    first = ((a * y - Float32(5) * a) * y + Float32(8) * a) * y - Float32(4) * a
    second = ((a + Float32(2)) * x - (a + Float32(3))) * x * x + one
    third = ((a + Float32(2)) * z - (a + Float32(3))) * z * z + one
    weights = np.stack([first, second, third, one - first - second - third], axis=1)
    return Taps(below - 1, weights.astype(np.float64), axis.n_in)


_HALF = 0.70710678118654752440
_TURNS = np.array(
    [
        [1, 0],
        [-_HALF, -_HALF],
        [0, 1],
        [_HALF, -_HALF],
        [-1, 0],
        [_HALF, _HALF],
        [0, -1],
        [-_HALF, _HALF],
    ]
)


def lanczos4(axis: Axis) -> Taps:
    """Return eight taps of the Lanczos window, divided by their float32 sum."""
    below, x = _places(axis)
    quarter = np.pi * 0.25
    start = -(x + Float32(3)).astype(np.float64) * quarter
    distance = x[:, None] + Float32(3) - np.arange(8, dtype=Float32)
    angle = -distance.astype(np.float64) * quarter
    wave = np.sin(start)[:, None] * _TURNS[:, 0] + np.cos(start)[:, None] * _TURNS[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = (wave / (angle * angle)).astype(Float32)
    weights = np.where(np.abs(distance) < Float32(1e-6), Float32(1e30), weights)
    total = np.zeros(len(x), dtype=Float32)
    for tap in range(8):
        total = total + weights[:, tap]
    weights = weights * (Float32(1) / total)[:, None]
    return Taps(below - 3, weights.astype(np.float64), axis.n_in)
