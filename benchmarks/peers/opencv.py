"""OpenCV: `cv2.resize`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.task import Task

__all__ = ["image", "planes"]


def image(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls on an image, its channels last or absent; it copies other memory layouts."""
    resize, flag = _resize(task, threads)
    size = _size(task)
    if x.flags.c_contiguous:
        return Contestant(lambda: resize(x, size, interpolation=flag))
    return Contestant(lambda: resize(np.ascontiguousarray(x), size, interpolation=flag))


def planes(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls plane by plane, each written to its place in one new array."""
    resize, flag = _resize(task, threads)
    size = _size(task)
    count = math.prod(task.shape[:-2])

    def call() -> NDArray[Any]:
        images = np.ascontiguousarray(x).reshape(count, *task.lengths)  # the same where it is so
        out = np.empty((count, *task.sizes), x.dtype)
        for source, target in zip(images, out, strict=True):
            resize(source, size, target, interpolation=flag)
        return out

    return Contestant(call, lambda y: y.reshape(task.output_shape))


def _resize(task: Task, threads: int) -> tuple[Any, int]:
    import cv2

    cv2.setNumThreads(threads)
    flags = {
        "nearest": cv2.INTER_NEAREST,
        "linear": cv2.INTER_LINEAR,
        "cubic": cv2.INTER_CUBIC,
        "area": cv2.INTER_AREA,
    }
    return cv2.resize, flags[task.mode]


def _size(task: Task) -> tuple[int, int]:
    sizes = task.output_shape[:2] if task.layout[0] in "HW" else task.output_shape[-2:]
    return sizes[1], sizes[0]
