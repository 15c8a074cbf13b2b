"""pyvips: libvips, from an image in memory to an image in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.task import Task

__all__ = ["image"]

_KERNELS = {"nearest": "nearest", "linear": "linear", "cubic": "cubic", "lanczos3": "lanczos3"}


def image(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of its `resize`, without the coarse shrink that it puts before the filter."""
    import pyvips

    pyvips.cache_set_max(0)  # it would remember the result of the same call
    source = pyvips.Image.new_from_array(x).copy()
    source.set_type(pyvips.GValue.gint_type, "concurrency", threads)
    down, across = task.ratios
    kernel = _KERNELS[task.mode]

    def call() -> Any:
        return source.resize(across, vscale=down, kernel=kernel, gap=0).write_to_memory()

    def read(y: Any) -> NDArray[Any]:
        return np.frombuffer(y, x.dtype).reshape(task.output_shape)

    return Contestant(call, read)
