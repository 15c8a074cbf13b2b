"""SciPy: `scipy.ndimage.zoom` on its grid of cells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.task import Task

__all__ = ["zoom"]


def zoom(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of zoom, order 0 or 1, channel by channel. It has no threads of its own.

    A channel axis that is zoomed by 1 would double the taps.
    """
    del threads
    from scipy import ndimage

    order = {"nearest": 0, "linear": 1}[task.mode]
    words: dict[str, Any] = {"order": order, "mode": "nearest", "grid_mode": not task.align_corners}
    front = task.axes[0] if task.layout[0] in "NC" and len(task.axes) > 1 else 0
    shape, output_shape = task.shape[front:], task.output_shape[front:]
    factors = [new / old for new, old in zip(output_shape, shape, strict=True)]
    if front == 0:
        return Contestant(lambda: ndimage.zoom(x, factors, **words))
    count = math.prod(task.shape[:front])
    zoom_one = ndimage.zoom

    def call() -> NDArray[Any]:
        out = np.empty((count, *output_shape), x.dtype)
        for source, target in zip(x.reshape(count, *shape), out, strict=True):
            zoom_one(source, factors, target, **words)
        return out

    return Contestant(call, lambda y: y.reshape(task.output_shape))
