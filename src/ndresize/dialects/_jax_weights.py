"""One axis of JAX's image resizing: positions in float32 as it computes them, weights in float64.

From ``jax/_src/image/scale.py``. How XLA rounds the weights depends on what it fuses, so they are
computed as exactly as they can be, at the positions that decide which samples are read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._scale_and_translate import KEYS, TRIANGLE, Distances, Kernel, lanczos
from ndresize.edges import apply_edges

__all__ = ["KERNELS", "area", "nearest", "taps", "weighted"]

_HALF = np.float32(0.5)
_SMALLEST_SUM = 1000 * float(np.finfo(np.float32).eps)


def _opencv_cubic(x: Distances) -> Distances:
    a = -0.75
    inner = ((a + 2) * x - (a + 3)) * x * x + 1
    outer = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    result: Distances = np.where(x >= 2, 0.0, np.where(x >= 1, outer, inner))
    return result


KERNELS = {
    "linear": TRIANGLE,
    "cubic": KEYS,
    "cubic-pytorch": Kernel(2, _opencv_cubic),
    "lanczos3": lanczos(3),
    "lanczos5": lanczos(5),
}
"""By the first of each method's words; "cubic-pytorch" as it is without antialiasing."""


def nearest(n_in: int, n_out: int) -> AxisOperator:
    """Return the operator of "nearest".

    The source has ``floor((i + 0.5) * n_in / n_out)`` in float32; XLA makes one factor of it,
    ``n_in`` times the rounded ``1 / n_out`` (measured).
    """
    factor = np.float32(n_in) * (np.float32(1) / np.float32(n_out))
    at = np.floor((np.arange(n_out).astype(np.float32) + _HALF) * factor)
    return AxisOperator.select(np.clip(at, 0, n_in - 1).astype(np.int64), n_in)


def taps(kernel: str, inverse: np.float32, antialias: bool) -> int:
    """Return a bound on the taps of a row."""
    radius = 0.5 if kernel == "area" else KERNELS[kernel].radius
    stretch = max(float(inverse), 1.0) if antialias or kernel == "area" else 1.0
    return int(np.ceil(2 * radius * stretch)) + 3


def _positions(n_out: int, inverse: np.float32, shift: np.float32) -> NDArray[np.float32]:
    """Return where output samples lie, 0 being the centre of the first input sample."""
    index = np.arange(n_out).astype(np.float32)
    return (index + _HALF) * inverse - shift - _HALF


def _finished(
    first: NDArray[np.int64],
    weights: NDArray[np.float64],
    inside: NDArray[np.bool_] | None,
    n_in: int,
) -> AxisOperator:
    """Return the operator of rows divided by their sums; small sums make rows of zeros."""
    total = weights.sum(axis=1, keepdims=True)
    counts = np.abs(total) > _SMALLEST_SUM
    weights = np.where(counts, weights / np.where(counts, total, 1), 0)
    if inside is not None:
        weights[~inside] = 0
    return apply_edges(first, weights, n_in, "replicate")


def weighted(
    kernel: str,
    n_in: int,
    n_out: int,
    inverse: np.float32,
    shift: np.float32,
    antialias: bool,
) -> AxisOperator:
    """Return the operator of a method that has a kernel.

    Parameters
    ----------
    kernel : str
        A key of `KERNELS`; "cubic-pytorch" repeats edge samples, the others leave out what is
        outside the input and have rows of zeros where the position itself is.
    n_in, n_out : int
        Lengths, at least 1.
    inverse : float32
        Input samples per output sample.
    shift : float32
        How far the input's edge lies beyond the output's, in input samples.
    antialias : bool
        Whether a shrinking axis stretches the kernel.
    """
    how = KERNELS[kernel]
    pads = int(how.radius) if kernel == "cubic-pytorch" else 0
    stretch = max(float(inverse), 1.0) if antialias else 1.0
    at = _positions(n_out, inverse, shift)
    inside = (at >= -0.5) & (at <= np.float32(n_in - 0.5))
    near = np.clip(at, np.float32(-4 - pads), np.float32(n_in + 4 + pads))
    reach = how.radius * stretch
    first = np.floor(near - reach).astype(np.int64)
    width = min(taps(kernel, inverse, antialias), n_in + 2 * pads)
    first = np.clip(first, -pads, n_in + pads - width)
    source = first[:, None] + np.arange(width)
    distance = np.abs(at[:, None] - source.astype(np.float32)).astype(np.float64)
    weights = how.function(distance / stretch)
    return _finished(first, weights, None if pads else inside, n_in)


def area(
    n_in: int, n_out: int, inverse: np.float32, shift: np.float32, compiled: bool
) -> AxisOperator:
    """Return the operator of "area": the length of each input sample that is covered.

    `compiled`: XLA has made one function of it all, which multiplies by the reciprocals of the sums
    instead of dividing, in float32 (measured). A single sample's weight need not be 1 then.
    """
    at = _positions(n_out, inverse, shift)
    inside = (at >= -0.5) & (at <= np.float32(n_in - 0.5))
    left = np.arange(n_out).astype(np.float32) * inverse - shift
    right = left + inverse
    width = min(taps("area", inverse, True), n_in)
    first = np.floor(np.clip(left, np.float32(0), np.float32(n_in))).astype(np.int64)
    first = np.clip(first, 0, n_in - width)
    low = (first[:, None] + np.arange(width)).astype(np.float32)
    covered = np.minimum(right[:, None], low + 1) - np.maximum(left[:, None], low)
    weights = np.maximum(covered, np.float32(0))
    if compiled:
        total = weights.sum(axis=1, keepdims=True)
        counts = total > np.float32(_SMALLEST_SUM)
        weights = weights * np.where(counts, np.float32(1) / np.where(counts, total, 1), 0)
        weights[~inside] = 0
        return apply_edges(first, weights.astype(np.float64), n_in, "replicate")
    return _finished(first, weights.astype(np.float64), inside, n_in)
