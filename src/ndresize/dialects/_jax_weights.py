"""One axis of JAX's image resizing, in float32 as XLA computes it on a CPU.

From ``jax/_src/image/scale.py``. ``resize`` is compiled as a whole: XLA multiplies by reciprocals
instead of dividing, and adds to a product at once, as measured. ``scale_and_translate`` is not, and
rounds each operation by itself. Sines are those of the C library in both (measured).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _c_library
from ndresize.edges import apply_edges

__all__ = ["KERNELS", "area", "nearest", "taps", "weighted"]

Float32 = NDArray[np.float32]

_HALF = np.float32(0.5)
_SMALLEST_SUM = np.float32(1000 * float(np.finfo(np.float32).eps))
_LANES = 8
_SHORT = 15  # samples: fewer are added one by one where a loop makes what it adds,
_IN_TURN = 24  # and so many where it reads it
_SMALL_MATRIX = 90  # elements
_WHOLE_LOOPS, _WHOLE_ROW = (4, 8), 10  # samples
_UNROLLED = 96  # fewer positions are constants that XLA computes operation by operation


def _multiplied(a: Float32, b: Any, c: Any, compiled: bool) -> Float32:
    """Return ``a * b + c``, rounded once where it is compiled."""
    if not compiled:
        return a * np.float32(b) + np.float32(c) if np.ndim(b) == 0 else a * b + np.float32(c)
    once: Float32 = (a.astype(np.float64) * b + c).astype(np.float32)
    return once


def _cubic(a: float, distance: Float32, factor: np.float32, compiled: bool) -> Float32:
    x = distance * factor
    # Two constant factors of one product are one.
    near, far = factor * np.float32(a + 2), factor * np.float32(a)
    inner = _multiplied(distance, near, -(a + 3), compiled)
    inner = _multiplied(inner * x, x, 1, compiled)
    outer = _multiplied(distance, far, -5 * a, compiled)
    outer = _multiplied(outer, x, 8 * a, compiled)
    outer = _multiplied(outer, x, -4 * a, compiled)
    return np.where(x >= 2, np.float32(0), np.where(x >= 1, outer, inner))


def _lanczos(radius: int, distance: Float32, factor: np.float32, compiled: bool) -> Float32:
    x = distance * factor
    near = x <= np.float32(1e-3)
    safe = np.where(near, np.float32(1), x)
    pi, width = np.float32(np.pi), np.float32(radius)
    if compiled:
        fast = factor * pi
        slow = fast * (np.float32(1) / width)
        angle, slower = fast * distance, slow * distance
    else:
        angle, slower = pi * x, pi * x / width
    waves = width * _c_library.sine(angle) * _c_library.sine(slower)
    waves = waves / (np.float32(np.pi**2) * (safe * safe))
    return np.where(x > radius, np.float32(0), np.where(near, np.float32(1), waves))


def _triangle(distance: Float32, factor: np.float32, compiled: bool) -> Float32:
    return np.maximum(_multiplied(-distance, factor, 1, compiled), np.float32(0))


KERNELS: dict[str, tuple[int, Callable[[Float32, np.float32, bool], Float32]]] = {
    "linear": (1, _triangle),
    "cubic": (2, partial(_cubic, -0.5)),
    "cubic-pytorch": (2, partial(_cubic, -0.75)),
    "lanczos3": (3, partial(_lanczos, 3)),
    "lanczos5": (5, partial(_lanczos, 5)),
}
"""By the first of each method's words: radius, and the function from distances and their factor to
weights.

"cubic-pytorch" is as it is without antialiasing.
"""


def nearest(n_in: int, n_out: int) -> AxisOperator:
    """Return the operator of "nearest".

    The source has ``floor((i + 0.5) * n_in / n_out)`` in float32; XLA makes one factor of it,
    ``n_in`` times the rounded ``1 / n_out`` (measured).
    """
    factor = np.float32(n_in) * (np.float32(1) / np.float32(max(n_out, 1)))
    at = np.floor((np.arange(n_out).astype(np.float32) + _HALF) * factor)
    return AxisOperator.select(np.clip(at, 0, n_in - 1).astype(np.int64), n_in)


def taps(kernel: str, inverse: np.float32, antialias: bool) -> int:
    """Return a bound on the taps of a row."""
    radius = 0.5 if kernel == "area" else KERNELS[kernel][0]
    stretch = max(float(inverse), 1.0) if antialias or kernel == "area" else 1.0
    return int(np.ceil(2 * radius * stretch)) + 3


def _positions(n_out: int, inverse: np.float32, shift: np.float32, fused: bool) -> Float32:
    """Return where output samples lie, 0 being the centre of the first input sample."""
    index = np.arange(n_out).astype(np.float32) + _HALF
    if fused:
        return _multiplied(index, inverse, -_HALF, fused)  # `resize` has no shift
    return index * inverse - shift - _HALF


def _total(source: NDArray[np.int64], weights: Float32, n_in: int) -> Float32:
    """Return the sums of rows as vectors of eight make them: each eighth sample, then these sums.

    What is left over at the end is added one by one. With `n_in` 0 that is all of them.
    """
    lanes = np.zeros((len(source), _LANES), np.float32)
    whole = n_in // _LANES * _LANES
    rows = np.arange(len(source))
    for tap in range(weights.shape[1]):
        at = source[:, tap]
        lanes[rows, at % _LANES] += np.where(at < whole, weights[:, tap], np.float32(0))
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    total: Float32 = lanes[:, 0]
    for tap in range(weights.shape[1]):
        total = total + np.where(source[:, tap] < whole, np.float32(0), weights[:, tap])
    return total


def _finished(
    first: NDArray[np.int64],
    weights: Float32,
    total: Float32,
    inside: NDArray[np.bool_] | None,
    n_in: int,
    compiled: bool,
) -> AxisOperator:
    """Return the operator of rows divided by their sums; small sums make rows of zeros."""
    counts = np.abs(total) > _SMALLEST_SUM
    divisor: Float32 = np.where(counts, total, np.float32(1))[:, None]
    weights = weights * (np.float32(1) / divisor) if compiled else weights / divisor
    weights[~counts] = 0
    if inside is not None:
        weights[~inside] = 0
    return apply_edges(first, weights.astype(np.float64), n_in, "replicate")


def weighted(
    kernel: str,
    n_in: int,
    n_out: int,
    inverse: np.float32,
    shift: np.float32,
    antialias: bool,
    compiled: bool,
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
    compiled : bool
        Whether XLA has made one function of it all, as of `resize`.
    """
    radius, function = KERNELS[kernel]
    pads = radius if kernel == "cubic-pytorch" else 0
    stretch = max(inverse, np.float32(1)) if antialias else np.float32(1)
    # Where XLA's loops are short LLVM computes what it can beforehand, operation by operation.
    lanczos = kernel.startswith("lanczos")
    small = n_in in _WHOLE_LOOPS and n_out <= _WHOLE_ROW and not lanczos
    if pads:
        small = (n_in + 2 * pads) * n_out < _SMALL_MATRIX
    fused = compiled and not small
    at = _positions(n_out, inverse, shift, fused and (pads > 0 or n_out >= _UNROLLED))
    inside = (at >= -0.5) & (at <= np.float32(n_in - 0.5))
    near = np.clip(at, np.float32(-4 - pads), np.float32(n_in + 4 + pads))
    first = np.floor(near - radius * float(stretch)).astype(np.int64)
    width = min(taps(kernel, inverse, antialias), n_in + 2 * pads)
    first = np.clip(first, -pads, n_in + pads - width)
    source = first[:, None] + np.arange(width)

    def weights_at(at: Float32, fused: bool) -> Float32:
        distance = np.abs(at[:, None] - source.astype(np.float32))
        with np.errstate(over="ignore", invalid="ignore"):  # far outside, where rows are zeros
            if compiled:
                return function(distance, np.float32(1) / stretch, fused)
            return function(distance / stretch, np.float32(1), fused)

    weights = summed = weights_at(at, fused)
    lanes = n_in >= _SHORT
    if pads or lanczos:  # the loop that sums the weights reads them
        lanes = n_in > _IN_TURN and n_out > 1
    elif compiled:  # it makes them anew
        short = n_out < _LANES and n_in < _SHORT
        again = _positions(n_out, inverse, shift, not short)
        summed = weights_at(again, not short or n_out <= 2)
    if pads:
        first, weights = _folded(source, weights, n_in)
        source, summed = first[:, None] + np.arange(weights.shape[1]), weights
    total = _total(source, summed, n_in if compiled and lanes else 0)
    return _finished(first, weights, total, None if pads else inside, n_in, compiled)


def _folded(
    source: NDArray[np.int64], weights: Float32, n_in: int
) -> tuple[NDArray[np.int64], Float32]:
    """Return where rows begin and their weights, those beyond an edge added to the edge's own."""
    width = min(source.shape[1], n_in)
    first = np.clip(source[:, 0], 0, n_in - width)
    folded = np.zeros((len(source), width), np.float32)
    rows = np.arange(len(source))
    for tap in range(source.shape[1]):
        folded[rows, np.clip(source[:, tap], 0, n_in - 1) - first] += weights[:, tap]
    return first, folded


def area(
    n_in: int, n_out: int, inverse: np.float32, shift: np.float32, compiled: bool
) -> AxisOperator:
    """Return the operator of "area": the length of each input sample that is covered.

    `compiled`: XLA has made one function of it all, which multiplies by the reciprocals of the sums
    instead of dividing, in float32 (measured). A single sample's weight need not be 1 then.
    """
    at = _positions(n_out, inverse, shift, compiled and n_out >= _UNROLLED)
    inside = (at >= -0.5) & (at <= np.float32(n_in - 0.5))
    left = np.arange(n_out).astype(np.float32) * inverse - shift
    right = left + inverse
    width = min(taps("area", inverse, True), n_in)
    first = np.floor(np.clip(left, np.float32(0), np.float32(n_in))).astype(np.int64)
    first = np.clip(first, 0, n_in - width)
    low = (first[:, None] + np.arange(width)).astype(np.float32)
    covered = np.minimum(right[:, None], low + 1) - np.maximum(left[:, None], low)
    weights: Float32 = np.maximum(covered, np.float32(0))
    total = _total(first[:, None] + np.arange(width), weights, n_in if compiled else 0)
    return _finished(first, weights, total, inside, n_in, compiled)
