"""NumPy: what one writes without a library, where the ratio is a whole number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from benchmarks.contestant import Contestant
from benchmarks.task import Task

__all__ = ["copy", "halve", "repeat"]


def repeat(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls that take every n-th sample of some axes and repeat those of others."""
    del threads
    picks: list[slice] = [slice(None)] * x.ndim
    times = []
    for axis, ratio in zip(task.axes, task.ratios, strict=True):
        if ratio < 1:
            picks[axis] = slice(None, None, round(1 / ratio))
        elif ratio > 1:
            times.append((round(ratio), axis))
    where = tuple(picks)

    def call() -> NDArray[Any]:
        y = x[where]
        for count, axis in times:
            y = y.repeat(count, axis)
        return y

    return Contestant(call)


def halve(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls that take the mean of every two samples of one axis."""
    del threads
    (axis,) = task.axes
    rest = (slice(None),) * axis
    even, odd = (*rest, slice(None, None, 2)), (*rest, slice(1, None, 2))

    def call() -> NDArray[Any]:
        y = x[even] + x[odd]
        y *= 0.5
        return y

    return Contestant(call)


def copy(shape: tuple[int, ...], dtype: DTypeLike) -> Callable[[], None]:
    """Return a call that copies an array of this shape into memory that is there already.

    No contestant: how fast memory is. It runs in one thread.
    """
    source = np.ones(shape, dtype)
    target = np.ones_like(source)
    return lambda: np.copyto(target, source)
