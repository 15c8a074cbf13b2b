"""How arrays lie in memory, new ones, and which the caller may give for the result."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndresize.engine import _ext
from ndresize.errors import ResizeError

__all__ = ["check_output", "empty", "memory_order"]

_LINE = 64  # bytes of a line of the cache, which the widest vectors fill
_ALIGNED = 1 << 16  # bytes from which on an array begins with a line: it is written a tenth faster


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
    if size < _ALIGNED or dtype.hasobject:
        out = np.empty(shape, dtype)
    elif size < _ext.large_output:
        memory = np.empty(size + _LINE, np.uint8)
        out = np.ndarray(shape, dtype, memory, _ext.before_line(memory, _LINE))
    else:
        memory, touched = _ext.memory(size)
        out = memory.view(dtype).reshape(shape)
    if order is not None:
        out = out.transpose(sorted(range(len(order)), key=order.__getitem__))
    return out, touched


def check_output(x: NDArray[Any], out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Refuse an array that a result of that shape and type, made from `x`, cannot be written to."""
    if not isinstance(out, np.ndarray):
        raise ResizeError(f"out must be a NumPy array, got {type(out).__name__}")
    if out.shape != shape or out.dtype != dtype:
        raise ResizeError(
            f"out must have shape {shape} and type {dtype}, got {out.shape} and {out.dtype}"
        )
    if not out.flags.writeable:
        raise ResizeError("out must be writeable, got a read-only array")
    if (
        0 in out.strides
        and out.size > 1
        and any(s == 0 and n > 1 for s, n in zip(out.strides, out.shape, strict=True))
    ):
        raise ResizeError("out must not repeat memory, got a broadcast array; copy it first")
    if np.may_share_memory(x, out) and _overlap(x, out):
        raise ResizeError("out must not overlap the input; give another array or none")


def _overlap(a: NDArray[Any], b: NDArray[Any]) -> bool:
    try:
        return np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type] # any int works
    except np.exceptions.TooHardError:
        return True  # not worth more work: the caller can give an array of its own
