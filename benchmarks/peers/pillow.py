"""Pillow: `Image.resize`, from image to image: arrays are not converted in the timed part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.task import Task

__all__ = ["image", "planes"]


def image(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls on one image. It has no threads of its own."""
    del threads
    from PIL import Image

    source = _image(x)
    filters = {
        "nearest": Image.Resampling.NEAREST,
        "linear": Image.Resampling.BILINEAR,
        "cubic": Image.Resampling.BICUBIC,
        "lanczos3": Image.Resampling.LANCZOS,
        "area": Image.Resampling.BOX,  # the mean of the pixels, where the ratio is whole
    }
    resample = filters[task.mode]
    size = task.sizes[::-1]
    return Contestant(lambda: source.resize(size, resample))


def planes(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls plane by plane."""
    one = Task("HW", task.shape[1:], task.sizes, task.dtype, task.mode, task.antialias)
    calls = [image(one, plane, threads).call for plane in np.ascontiguousarray(x)]
    return Contestant(
        lambda: [call() for call in calls], lambda y: np.stack([np.asarray(plane) for plane in y])
    )


def _image(x: NDArray[Any]) -> Any:
    from PIL import Image

    if x.ndim == 3 and x.shape[2] == 4:
        # RGBX, not RGBA, whose colours it would first multiply by alpha.
        return Image.frombytes("RGBX", (x.shape[1], x.shape[0]), x.tobytes())
    return Image.fromarray(x)
