"""OpenCV's INTER_AREA where no axis grows: cells of the input, cut at their edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndresize.axis import AxisOperator
from ndresize.dialects._opencv_axis import Axis

__all__ = ["cells", "reciprocal", "times", "whole_cells", "whole_factor"]

_EPSILON = 2.0**-52


def whole_factor(axis: Axis) -> int | None:
    """Return how many whole samples make a cell, or None where cells cut samples."""
    factor = round(axis.scale)
    return factor if abs(axis.scale - factor) < _EPSILON else None


def whole_cells(axis: Axis, factor: int) -> AxisOperator:
    """Return the operator that adds the samples of each cell; the last may have fewer."""
    starts = np.arange(axis.n_out) * factor
    inside = starts[:, None] + np.arange(factor) < axis.n_in
    return AxisOperator(starts, inside.astype(np.float64), axis.n_in)


def reciprocal(cell: int) -> float:
    """Return the float32 that sums of a cell are multiplied by."""
    return float(np.float32(1) / np.float32(cell))


def times(operator: AxisOperator, factors: NDArray[np.float64] | float) -> AxisOperator:
    """Return an operator whose rows are multiplied by factors."""
    column = np.broadcast_to(np.asarray(factors), (operator.n_out,))[:, None]
    return AxisOperator(operator.starts, operator.weights * column, operator.n_in)


def cells(axis: Axis) -> AxisOperator:
    """Return float32 weights of cells that cut samples, parts below 1/1000 left out."""
    index = np.arange(axis.n_out)
    begin = index * axis.scale
    end = begin + axis.scale
    width = np.minimum(axis.scale, axis.n_in - begin)
    last = np.minimum(np.floor(end).astype(np.int64), axis.n_in - 1)
    first = np.minimum(np.ceil(begin).astype(np.int64), last)
    left, right = first - begin, end - last
    whole = last - first
    column = np.arange(int(whole.max(initial=0)) + 2)  # 0: the part on the left
    weights = np.where(
        (column >= 1) & (column <= whole[:, None]), (1.0 / width).astype(np.float32)[:, None], 0
    ).astype(np.float64)
    weights[:, 0] = np.where(left > 1e-3, (left / width).astype(np.float32), 0)
    part = np.minimum(np.minimum(right, 1.0), width) / width
    weights[index, whole + 1] = np.where(right > 1e-3, part.astype(np.float32), 0)
    return AxisOperator(first - 1, weights, axis.n_in)
