"""PyTorch's filters and picked samples, in its own types: from lengths and scale to an operator.

Every function computes in `kind`, float32 or float64, in PyTorch's order of operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _arguments as arguments
from ndresize.dialects._c_library import sine
from ndresize.dialects._torch_arithmetic import coordinates, fused, step
from ndresize.edges import apply_edges

__all__ = [
    "antialiased",
    "area",
    "convolve_inner",
    "convolve_outer",
    "cubic",
    "first_row_alone",
    "linear",
    "nearest",
    "nearest_exact",
    "reach",
    "split",
    "widened",
]

Filter = Callable[[Any], Any]


def nearest(
    n_in: int, n_out: int, scale: float | None, kind: type[Any], small: bool
) -> AxisOperator:
    """Return what "nearest" picks: the floor of i times the step, in floats.

    `small`: of a 2-D output with at most 128 rows and columns together. It is made by another
    kernel, which has float32 alone and special cases for equal and doubled lengths, whatever the
    scale is.
    """
    if small and n_out == n_in:
        return AxisOperator.identity(n_in)
    if small and n_out == 2 * n_in:
        return AxisOperator.select(np.arange(n_out) >> 1, n_in)
    ratio = step(n_in, n_out, scale, False, np.float32 if small else kind)
    at = (ratio * np.arange(n_out).astype(ratio.dtype)).astype(np.float32)
    return _picked(at, n_in)


def nearest_exact(
    n_in: int, n_out: int, scale: float | None, kind: type[Any], small: bool
) -> AxisOperator:
    """Return what "nearest-exact" picks: the sample in which the output sample's centre lies."""
    if small:
        ratio = step(n_in, n_out, scale, False, np.float32)
        at = (np.arange(n_out) + 0.5) * np.float64(ratio)  # a double, rounded to float
    else:
        ratio = step(n_in, n_out, scale, False, kind)
        at = np.maximum(coordinates(n_out, ratio, False), kind(0)).astype(np.float64) + 0.5
    return _picked(at.astype(np.float32), n_in)


def _picked(at: NDArray[np.float32], n_in: int) -> AxisOperator:
    return AxisOperator.select(np.minimum(np.floor(at).astype(np.int64), n_in - 1), n_in)


def split(at: Any, n_in: int) -> tuple[NDArray[np.int64], Any]:
    """Return the sample before each coordinate and the distance from it, within 0..1.

    The floor is taken of a float32, also of a double: one just below an integer is rounded up.
    """
    index = np.minimum(np.floor(at.astype(np.float32)).astype(np.int64), n_in - 1)
    return index, np.clip(at - index.astype(at.dtype), at.dtype.type(0), at.dtype.type(1))


def linear(
    n_in: int,
    n_out: int,
    scale: float | None,
    align: bool,
    kind: type[Any],
    stored: np.dtype[Any] | None,
) -> AxisOperator:
    """Return two weights per output sample, kept in the type `stored` if one is given."""
    if n_in == n_out:
        return AxisOperator.identity(n_in)  # whatever the scale is
    at = np.maximum(coordinates(n_out, step(n_in, n_out, scale, align, kind), align), kind(0))
    index, after = split(at, n_in)
    if stored is not None:
        after = after.astype(stored).astype(kind)
    before = kind(1) - after
    if stored is not None:
        before = before.astype(stored).astype(kind)
    weights = np.stack([before, after], axis=1).astype(np.float64)
    return apply_edges(index, weights, n_in, "replicate")


def convolve_inner(x: Any, a: float, contracted: bool) -> Any:
    """Return Keys's cubic within one sample: ``((a + 2) x - (a + 3)) x x + 1``."""
    kind = x.dtype.type
    y = fused(x, kind(a + 2), kind(-(a + 3))) * x
    return fused(y, x, kind(1)) if contracted else y * x + kind(1)


def convolve_outer(x: Any, a: float, contracted: bool) -> Any:
    """Return Keys's cubic between one and two samples: ``((a x - 5 a) x + 8 a) x - 4 a``."""
    kind = x.dtype.type
    y = fused(fused(x, kind(a), kind(-5 * a)), x, kind(8 * a))
    return fused(y, x, kind(-4 * a)) if contracted else y * x - kind(4 * a)


def cubic(
    n_in: int,
    n_out: int,
    scale: float | None,
    align: bool,
    kind: type[Any],
    stored: np.dtype[Any] | None,
) -> AxisOperator:
    """Return four weights per output sample, Keys's with a = -0.75; edge samples repeat."""
    at = coordinates(n_out, step(n_in, n_out, scale, align, kind), align)
    index, after = split(at, n_in)
    before = kind(1) - after
    # The compiler contracts all but the last sum of each of these four.
    columns = [
        convolve_outer(after + kind(1), -0.75, False),
        convolve_inner(after, -0.75, False),
        convolve_inner(before, -0.75, False),
        convolve_outer(before + kind(1), -0.75, False),
    ]
    weights = np.stack(columns, axis=1)
    if stored is not None:
        weights = weights.astype(stored)
    return apply_edges(index - 1, weights.astype(np.float64), n_in, "replicate")


def _triangle(x: Any) -> Any:
    return np.where(x < 1, x.dtype.type(1) - x, x.dtype.type(0))


def _keys(x: Any) -> Any:
    zero = x.dtype.type(0)
    outer = np.where(x < 2, convolve_outer(x, -0.5, True), zero)
    return np.where(x < 1, convolve_inner(x, -0.5, True), outer)


def _lanczos(x: Any) -> Any:
    # A C++ template makes the second factor a double, as x / 3.0 is one.
    product = _sinc(x).astype(np.float64) * _sinc(x.astype(np.float64) / 3.0)
    return np.where(x < 3, product.astype(x.dtype), x.dtype.type(0))


def _sinc(x: Any) -> Any:
    zero, one = x.dtype.type(0), x.dtype.type(1)
    angle = x.dtype.type(np.pi) * x
    return np.where(angle == zero, one, sine(angle) / np.where(angle == zero, one, angle))


_WIDENED: dict[str, tuple[float, Filter]] = {
    "bilinear": (1.0, _triangle),
    "bicubic": (2.0, _keys),
    "lanczos": (3.0, _lanczos),
}


def reach(mode: str, n_in: int, n_out: int, scale: float | None, align: bool) -> float:
    """Return how far from its centre the widened filter of a mode reaches."""
    ratio = float(step(n_in, n_out, scale, align, np.float64))
    return _WIDENED[mode][0] * max(ratio, 1.0)


def antialiased(
    axis: int,
    mode: str,
    n_in: int,
    n_out: int,
    scale: float | None,
    align: bool,
    kind: type[Any],
) -> AxisOperator:
    """Return a filter widened by the step where an axis shrinks; samples outside have no weight."""
    if n_in == n_out:
        return AxisOperator.identity(n_in)
    first, weights = widened(axis, mode, n_in, n_out, scale, align, kind)
    return AxisOperator(first, weights.astype(np.float64), n_in)


def widened(
    axis: int,
    mode: str,
    n_in: int,
    n_out: int,
    scale: float | None,
    align: bool,
    kind: type[Any],
) -> tuple[NDArray[np.int64], Any]:
    """Return first samples and normalised weights of a widened filter, in `kind`."""
    half_width, kernel = _WIDENED[mode]
    ratio = step(n_in, n_out, scale, align, kind)
    wide = bool(ratio >= 1)
    support = kind(half_width * float(ratio)) if wide else kind(half_width)
    shrink = kind(1.0 / float(ratio)) if wide else kind(1)
    most = 2 * int(np.ceil(support)) + 1
    arguments.refuse_huge_axis(axis, n_out, min(most, n_in))
    # Constants of C++ are doubles: these sums are doubles between two roundings.
    centre = (np.float64(ratio) * (np.arange(n_out) + 0.5)).astype(kind)
    first = np.maximum(_cut((centre - support).astype(np.float64) + 0.5), 0)
    last = np.minimum(_cut((centre + support).astype(np.float64) + 0.5), n_in)
    count = np.clip(last - first, 0, most)
    taps = np.arange(min(most, n_in))
    place = (first[:, None] + taps).astype(kind) - centre[:, None]
    distance = ((place.astype(np.float64) + 0.5) * np.float64(shrink)).astype(kind)
    weights = np.where(taps < count[:, None], kernel(np.abs(distance)), kind(0))
    total = np.zeros(n_out, kind)
    for column in weights.T:  # one after another, as PyTorch adds them up
        total += column
    weights = np.divide(weights, total[:, None], out=weights, where=total[:, None] != 0)
    return first, weights


def first_row_alone(operator: AxisOperator) -> AxisOperator:
    """Return the operator whose rows are all its first one.

    The separable kernel looks up the row's samples and weights once per loop over the last axis;
    where that axis has one sample, the loop runs over the rows instead, all with the first one's.
    """
    if operator.is_identity:  # PyTorch makes no pass of it
        return operator
    starts = np.repeat(operator.starts[:1], operator.n_out)
    return AxisOperator(starts, np.repeat(operator.weights[:1], operator.n_out, 0), operator.n_in)


def _cut(values: Any) -> NDArray[np.int64]:
    whole: NDArray[np.int64] = np.trunc(values).astype(np.int64)
    return whole


def area(axis: int, n_in: int, n_out: int) -> AxisOperator:
    """Return the means of adaptive pooling: every sample that a cell touches weighs the same."""
    index = np.arange(n_out)
    first = index * n_in // max(n_out, 1)
    last = -(-(index + 1) * n_in // max(n_out, 1))
    count = last - first
    most = int(count.max(initial=1))
    arguments.refuse_huge_axis(axis, n_out, most)
    taps = np.arange(most)
    weights = np.where(taps < count[:, None], 1.0 / np.maximum(count, 1)[:, None], 0.0)
    return AxisOperator(first, weights, n_in)
