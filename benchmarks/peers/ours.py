"""ndresize: a plan, a call by words, memory that is given, and plans in other systems' words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.peers._layout import batch_and_channels_first, leading_ones
from benchmarks.peers.torch import mode as torch_mode
from benchmarks.task import Task

__all__ = [
    "as_opencv",
    "as_opencv_planes",
    "as_pillow",
    "as_pillow_planes",
    "as_torch",
    "call",
    "out_given",
    "plan",
]


def plan(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of a plan that is built already; it allocates its output."""
    import ndresize

    built = ndresize.resize.plan(x.shape, x.dtype, **_words(task))
    return Contestant(lambda: built(x, threads=threads))


def call(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls by words, as a user writes them who never heard of plans."""
    from ndresize.dialects import onnx

    words = _words(task)
    return Contestant(lambda: onnx.resize(x, threads=threads, **words))


def out_given(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of a built plan into memory that is there already."""
    import ndresize

    built = ndresize.resize.plan(x.shape, x.dtype, **_words(task))
    out = np.empty(task.output_shape, x.dtype)
    return Contestant(lambda: built(x, out=out, threads=threads))


def as_torch(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of the plan that stands for what `benchmarks.peers.torch` calls."""
    from ndresize.dialects import torch

    order = batch_and_channels_first(task)
    ones = leading_ones(task)
    view = x.transpose(order).reshape(ones + tuple(x.shape[axis] for axis in order))
    mode = torch_mode(task)
    words: dict[str, Any] = {"size": task.sizes, "mode": mode, "antialias": task.antialias}
    if task.align_corners:
        words["align_corners"] = True
    built = torch.interpolate.plan(view.shape, view.dtype, **words)

    def read(y: NDArray[Any]) -> NDArray[Any]:
        kept = y.reshape([task.output_shape[axis] for axis in order])
        return kept.transpose(np.argsort(order))

    return Contestant(lambda: built(view, threads=threads), read)


def as_opencv(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of the plan of ``cv2.resize``, on an image whose channels are last or absent."""
    built = _opencv(task, x)
    return Contestant(lambda: built(x, threads=threads))


def as_opencv_planes(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of the plan of ``cv2.resize`` plane by plane."""
    return _by_plane(task, x, threads, _opencv)


def as_pillow(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of the plan of `Image.resize`; four channels are RGBX, as for Pillow."""
    built = _pillow(task, x)
    return Contestant(lambda: built(x, threads=threads))


def as_pillow_planes(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls of the plan of `Image.resize` plane by plane."""
    return _by_plane(task, x, threads, _pillow)


def _opencv(task: Task, x: NDArray[Any]) -> Any:
    from ndresize.dialects import opencv

    word = f"INTER_{task.mode.upper()}"
    return opencv.resize.plan(x.shape, x.dtype, task.sizes[::-1], interpolation=word)


def _pillow(task: Task, x: NDArray[Any]) -> Any:
    from ndresize.dialects import pillow

    filters = {
        "nearest": "NEAREST",
        "linear": "BILINEAR",
        "cubic": "BICUBIC",
        "lanczos3": "LANCZOS",
        "area": "BOX",
    }
    mode = "RGBX" if x.shape[2:] == (4,) else None
    return pillow.resize.plan(x.shape, x.dtype, task.sizes[::-1], filters[task.mode], mode=mode)


def _by_plane(
    task: Task, x: NDArray[Any], threads: int, planner: Callable[[Task, NDArray[Any]], Any]
) -> Contestant:
    """Return calls of one plan on each plane, each written to its place in one new array."""
    built = planner(task, x[0])

    def call() -> NDArray[Any]:
        out = np.empty(task.output_shape, x.dtype)
        for source, target in zip(x, out, strict=True):
            built(source, out=target, threads=threads)
        return out

    return Contestant(call)


def _words(task: Task) -> dict[str, Any]:
    words: dict[str, Any] = {"sizes": task.sizes, "axes": task.axes, "mode": task.mode}
    if task.antialias:
        words |= {"antialias": True, "exclude_outside": True}
    if task.mode == "cubic":
        words["cubic_coeff_a"] = task.cubic_coeff_a
    if task.align_corners:
        words["coordinate_transformation_mode"] = "align_corners"
    if task.floor:
        words |= {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return words
