"""cykooz-resizer: the Rust crate fast_image_resize, from its image to a new one of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.task import Task

__all__ = ["image", "planes"]


def image(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls on one image; alpha is a channel like the others."""
    import cykooz_resizer as cykooz

    height, width = task.sizes
    channels = x.shape[2] if x.ndim == 3 else 1
    kind = {"uint8": "U8", "uint16": "U16", "float32": "F32"}[task.dtype]
    pixel = cykooz.PixelType[kind if channels == 1 else f"{kind}x{channels}"]
    source = cykooz.ImageData(x.shape[1], x.shape[0], pixel, x.tobytes())
    options = cykooz.ResizeOptions(
        _algorithm(task), use_alpha=False, thread_pool=cykooz.ResizerThreadPool(threads)
    )
    resizer = cykooz.Resizer()

    def call() -> Any:
        out = cykooz.ImageData(width, height, pixel)
        resizer.resize(source, out, options)
        return out

    def read(y: Any) -> NDArray[Any]:
        return np.frombuffer(y.get_buffer(), x.dtype).reshape(task.output_shape)

    return Contestant(call, read)


def planes(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls plane by plane."""
    one = Task("HW", task.shape[1:], task.sizes, task.dtype, task.mode, task.antialias)
    each = [image(one, plane, threads) for plane in np.ascontiguousarray(x)]
    return Contestant(
        lambda: [plane.call() for plane in each],
        lambda y: np.stack([plane.read(done) for plane, done in zip(each, y, strict=True)]),
    )


def _algorithm(task: Task) -> Any:
    import cykooz_resizer as cykooz

    if task.mode == "nearest":
        return cykooz.ResizeAlg.nearest()
    filters = {
        "linear": cykooz.FilterType.bilinear,
        "cubic": cykooz.FilterType.catmull_rom,
        "lanczos3": cykooz.FilterType.lanczos3,
        "area": cykooz.FilterType.box,
    }
    # "interpolation" is its word for the filter that is not widened when shrinking.
    algorithm = cykooz.ResizeAlg.convolution(filters[task.mode])
    if not task.antialias and task.mode != "area" and min(task.ratios) < 1:
        algorithm._algorithm = cykooz.Algorithm.interpolation
    return algorithm
