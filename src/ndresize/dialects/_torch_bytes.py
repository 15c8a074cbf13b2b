"""PyTorch's resize of uint8 images: weights of 16 bits, and bytes between the two passes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._torch_arithmetic import coordinates, step
from ndresize.dialects._torch_filters import convolve_inner, convolve_outer, split, widened

__all__ = ["operator"]

_MOST_BITS = 22
_HALF_WIDTH = {"bilinear": 1, "bicubic": 2}


def operator(
    axis: int,
    mode: str,
    n_in: int,
    n_out: int,
    scale: float | None,
    align: bool,
    antialias: bool,
) -> tuple[AxisOperator, int]:
    """Return the operator of one axis and the fractional bits of its weights."""
    if n_in == n_out:
        return AxisOperator.identity(n_in), 0
    if antialias:
        first, weights = widened(axis, mode, n_in, n_out, scale, align, np.float64)
        largest = float(weights.max(initial=0.0))
    else:
        first, weights, largest = _plain(mode, n_in, n_out, scale, align)
    bits = _bits(largest)
    units = np.ldexp(weights, bits)
    whole = np.trunc(units + np.copysign(0.5, units))
    return AxisOperator(first, np.ldexp(whole, -bits), n_in), bits


def _bits(largest: float) -> int:
    """Return the most bits with which the largest weight stays below 2**15, at most 22."""
    for bits in range(_MOST_BITS):
        if int(0.5 + largest * 2 ** (bits + 1)) >= 2**15:
            return bits
    return _MOST_BITS


def _plain(
    mode: str, n_in: int, n_out: int, scale: float | None, align: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """Return first samples, weights and the largest weight without antialias.

    Weights outside are added to the edge sample's one after another, and the largest is the
    largest of these partial sums.
    """
    half = _HALF_WIDTH[mode]
    at = coordinates(n_out, step(n_in, n_out, scale, align, np.float64), align)
    if mode == "bilinear":
        at = np.maximum(at, 0.0)
    index, after = split(at, n_in)
    unbound = index - half + 1
    first = np.maximum(unbound, 0)
    weights = np.zeros((n_out, 2 * half))
    rows = np.arange(n_out)
    largest = 0.0
    for tap in range(2 * half):
        column = np.clip(unbound + tap, 0, n_in - 1) - first
        weights[rows, column] += _weight(mode, np.abs(tap + 1 - half - after))
        largest = max(largest, float(weights[rows, column].max()))
    return first, weights, largest


def _weight(mode: str, x: Any) -> Any:
    if mode == "bilinear":
        return np.where(x < 1, 1.0 - x, 0.0)
    outer = np.where(x < 2, convolve_outer(x, -0.75, True), 0.0)
    return np.where(x < 1, convolve_inner(x, -0.75, True), outer)
