"""How arrays lie in memory, and new ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.engine import _ext

__all__ = ["empty", "memory_order"]


def memory_order(x: NDArray[Any]) -> tuple[int, ...] | None:
    """Return the axes from the longest stride to the shortest; None if that is their own order.

    Axes of length 1 stay where they are. An array that repeats memory has its own order.
    """
    long = [axis for axis, n in enumerate(x.shape) if n > 1]
    if any(x.strides[axis] == 0 for axis in long):
        return None
    ordered = sorted(long, key=lambda axis: -abs(x.strides[axis]))
    if ordered == long:
        return None
    order = list(range(x.ndim))
    for place, axis in zip(long, ordered, strict=True):
        order[place] = axis
    return tuple(order)


def empty(
    shape: tuple[int, ...], dtype: np.dtype[Any], order: tuple[int, ...] | None
) -> tuple[NDArray[Any], bool]:
    """Return a new array whose axes lie in memory in that order, and whether its pages are there.

    They are where they were part of a large array that has been given back.
    """
    if order is not None:
        shape = tuple(shape[axis] for axis in order)
    size = math.prod(shape) * dtype.itemsize
    touched = False
    if size < _ext.large_output or dtype.hasobject:
        out = np.empty(shape, dtype)
    else:
        memory, touched = _ext.memory(size)
        out = memory.view(dtype).reshape(shape)
    if order is not None:
        out = out.transpose(sorted(range(len(order)), key=order.__getitem__))
    return out, touched
