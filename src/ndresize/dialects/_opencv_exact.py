"""OpenCV's picking of samples and its INTER_LINEAR_EXACT, whose bits no processor changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects import _opencv_passes as steps
from ndresize.dialects._opencv_axis import Axis
from ndresize.plan import Arithmetic, Pass
from ndresize.rounding import RoundingRule

__all__ = ["floored", "linear", "nearest"]


def floored(axis: Axis) -> NDArray[np.int64]:
    """Return what INTER_NEAREST picks: the scaled index, cut off."""
    at = np.floor(np.arange(axis.n_out) * axis.scale)
    picked: NDArray[np.int64] = np.minimum(at, axis.n_in - 1).astype(np.int64)
    return picked


def nearest(axis: Axis) -> NDArray[np.int64]:
    """Return what INTER_NEAREST_EXACT picks: a running sum from half a step, cut off."""
    step = axis.n_in / axis.n_out
    at = np.full(axis.n_out, step)
    at[0] = step * 0.5
    picked: NDArray[np.int64] = np.minimum(np.cumsum(at), axis.n_in - 1).astype(np.int64)
    return picked


def linear(axes: tuple[Axis, Axis], dtype: np.dtype[Any]) -> tuple[list[Pass], RoundingRule]:
    """Return the passes of INTER_LINEAR_EXACT.

    Weights have 8 fractional bits for uint8, 16 for other types up to 16 bits and 32 for int32.
    float64 keeps all bits of their sums but those of int32, which not even 64 bits would hold.
    """
    rows, columns = axes
    bits = {"uint8": 8, "int32": 32}.get(dtype.name, 16)
    sums = Arithmetic("fixed", bits=8) if bits == 8 else steps.FLOAT64
    return [Pass(1, _pair(columns, bits), sums), Pass(0, _pair(rows, bits), sums)], "half_up"


def _pair(axis: Axis, bits: int) -> AxisOperator:
    """Return two taps; beyond the middles of the outer samples there is one."""
    at = axis.scale * (np.arange(axis.n_out) + 0.5) - 0.5
    below = np.floor(at).astype(np.int64)
    inside = (below >= 0) & (below < axis.n_in - 1)
    part = np.where(inside, np.ldexp(np.rint(np.ldexp(at - below, bits)), -bits), 0.0)
    weights = np.stack([1 - part, part], axis=1)
    return AxisOperator(np.clip(below, 0, axis.n_in - 1), weights, axis.n_in)
