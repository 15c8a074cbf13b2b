"""Pillow's resampling filters, and the operator of one axis in the arithmetic of its C code.

The rules are those of ``src/libImaging/Resample.c``: everything in double, but for the corners of
the box, which are C floats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator

__all__ = ["FILTERS", "PRECISION_BITS", "PillowFilter", "nearest", "resampling"]

Floats = NDArray[np.float64]

PRECISION_BITS = 32 - 8 - 2
"""Fractional bits of the weights of 8-bit channels: two bits of 32 are left for overshoot."""


@dataclass(frozen=True)
class PillowFilter:
    """A filter: its number in Pillow, its support and its function of the signed distance."""

    number: int
    support: float
    function: Callable[[Floats], Floats]
    since: int = 1

    @property
    def overshoots(self) -> bool:
        """Whether some weights are negative."""
        return self.support > 1


def _box(x: Floats) -> Floats:
    return ((x > -0.5) & (x <= 0.5)).astype(np.float64)


def _bilinear(x: Floats) -> Floats:
    return np.maximum(1.0 - np.abs(x), 0.0)


def _sine_over(x: Floats) -> Floats:
    """Return sin(pi x) / (pi x), multiplied and divided in Pillow's order."""
    turned = x * np.pi
    with np.errstate(invalid="ignore"):
        return np.where(x == 0, 1.0, np.sin(turned) / turned)


def _hamming(x: Floats) -> Floats:
    x = np.abs(x)
    # 0.54 and 0.46 are C floats there.
    window = float(np.float32(0.54)) + float(np.float32(0.46)) * np.cos(x * np.pi)
    return np.where(x == 0, 1.0, np.where(x >= 1, 0.0, _sine_over(x) * window))


def _bicubic(x: Floats) -> Floats:
    x, a = np.abs(x), -0.5
    inner = ((a + 2.0) * x - (a + 3.0)) * x * x + 1
    outer = (((x - 5) * x + 8) * x - 4) * a
    return np.where(x < 1, inner, np.where(x < 2, outer, 0.0))


def _lanczos(x: Floats) -> Floats:
    return np.where((x >= -3) & (x < 3), _sine_over(x) * _sine_over(x / 3), 0.0)


# Costella, "The Magic Kernel": the quadratic B-spline, sharpened (2013, 2021). How the factors are
# grouped decides ties of integers; this grouping is the one that agrees with Pillow.
def _mks2013(x: Floats) -> Floats:
    x = np.abs(x)
    return np.select(
        [x < 0.5, x < 1.5, x < 2.5],
        [17 / 16 - 7 / 4 * (x * x), (x - 1) * (x - 7 / 4), -((x - 5 / 2) ** 2) / 8],
        0.0,
    )


def _mks2021(x: Floats) -> Floats:
    x = np.abs(x)
    return np.select(
        [x < 0.5, x < 1.5, x < 2.5, x < 3.5, x < 4.5],
        [
            577 / 576 - 239 / 144 * x * x,
            35 / 36 * (x - 1) * (x - 239 / 140),
            1 / 6 * (x - 2) * (65 / 24 - x),
            1 / 36 * (x - 3) * (x - 15 / 4),
            -1 / 288 * (x - 9 / 2) ** 2,
        ],
        0.0,
    )


FILTERS = {
    "LANCZOS": PillowFilter(1, 3.0, _lanczos),
    "BILINEAR": PillowFilter(2, 1.0, _bilinear),
    "BICUBIC": PillowFilter(3, 2.0, _bicubic),
    "BOX": PillowFilter(4, 0.5, _box),
    "HAMMING": PillowFilter(5, 1.0, _hamming),
    "MKS2013": PillowFilter(6, 2.5, _mks2013, since=13),
    "MKS2021": PillowFilter(7, 4.5, _mks2021, since=13),
}
"""By name, without NEAREST, which is number 0 and weighs nothing."""


def resampling(
    kernel: PillowFilter, n_in: int, n_out: int, start: float, end: float, bits: int | None
) -> AxisOperator:
    """Return the operator of a filter on one axis.

    Parameters
    ----------
    kernel : PillowFilter
        The filter; it widens by the step where the axis shrinks, always.
    n_in, n_out : int
        Lengths of the axis, at least 1.
    start, end : float
        The box on this axis, as the exact values of two C floats.
    bits : int or None
        Fractional bits that the weights are rounded to, half away from zero; None: doubles.
    """
    scale = float(np.float32(end) - np.float32(start)) / n_out
    stretch = max(scale, 1.0)
    support = kernel.support * stretch
    centre = start + (np.arange(n_out) + 0.5) * scale
    first = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    last = np.minimum((centre + support + 0.5).astype(np.int64), n_in)
    count = last - first
    tap = np.arange(max(int(count.max(initial=0)), 1))
    inside = tap < count[:, None]
    distance = (tap + first[:, None] - centre[:, None] + 0.5) * (1.0 / stretch)
    weights = np.where(inside, kernel.function(distance), 0.0)
    total = np.add.accumulate(weights, axis=1)[:, -1:]  # in the order of the taps
    weights = np.divide(weights, total, out=weights, where=total != 0)
    if bits is not None:
        whole = np.trunc(weights * (1 << bits) + np.where(weights < 0, -0.5, 0.5))
        weights = np.ldexp(whole, -bits)
    return AxisOperator(first, weights, n_in)


def nearest(
    n_in: int, n_out: int, start: float, end: float, *, running: bool
) -> tuple[AxisOperator, NDArray[np.bool_] | None]:
    """Return the operator that picks samples, and which output samples fall off (None: none).

    Parameters
    ----------
    n_in, n_out, start, end
        As in `resampling`.
    running : bool
        Whether the coordinate is a sum that grows by one step per sample, with all its rounding
        errors (``ImagingScaleAffine``), or is computed for each sample (``affine_transform``, for
        16-bit images).
    """
    step = float(np.float32(end) - np.float32(start)) / n_out
    if running:
        at = np.full(n_out, step)
        at[:1] = start + step * 0.5
        at = np.add.accumulate(at)
    else:
        at = step * (np.arange(n_out) + 0.5) + start
    index = at.astype(np.int64)
    outside = index >= n_in
    operator = AxisOperator.select(np.minimum(index, n_in - 1), n_in)
    return operator, outside if outside.any() else None
