"""PyTorch: `torch.nn.functional.interpolate`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestant import Contestant
from benchmarks.peers._layout import batch_and_channels_first
from benchmarks.task import Task

__all__ = ["antialiased_volume", "interpolate", "mode", "per_row"]

_MODES = {
    ("linear", 1): "linear",
    ("linear", 2): "bilinear",
    ("linear", 3): "trilinear",
    ("cubic", 2): "bicubic",
    ("lanczos3", 2): "lanczos",
    ("area", 2): "area",
}


def interpolate(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls on a view of the input with axes N, C, D, H, W: it may be channels last."""
    torch = _torch(threads)
    order = batch_and_channels_first(task)
    view = torch.from_numpy(x).permute(order)
    for axis, letter in enumerate("NC"):
        if letter not in task.layout:
            view = view.unsqueeze(axis)
    words: dict[str, Any] = {"size": task.sizes, "mode": mode(task)}
    if task.align_corners:
        words["align_corners"] = True
    if task.antialias:
        words["antialias"] = True
    resize = torch.nn.functional.interpolate

    def read(y: Any) -> NDArray[Any]:
        # What is left of the squeezed view is the spatial axes and those of N and C in the layout.
        kept = y.numpy().reshape([task.output_shape[axis] for axis in order])
        return kept.transpose(np.argsort(order))

    return Contestant(lambda: resize(view, **words), read)


def per_row(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls that resize one axis of two: torch's linear mode takes rows."""
    torch = _torch(threads)
    rows = torch.from_numpy(x)[None]
    (axis,) = task.axes
    resize = torch.nn.functional.interpolate
    (size,) = task.sizes
    if axis == 1:
        return Contestant(lambda: resize(rows, size=size, mode="linear"), lambda y: y[0].numpy())
    image = rows[None]
    width = task.shape[1]
    return Contestant(
        lambda: resize(image, size=(size, width), mode="bilinear"), lambda y: y[0, 0].numpy()
    )


def antialiased_volume(task: Task, x: NDArray[Any], threads: int) -> Contestant:
    """Return calls that antialias a volume of integers: two calls on float32 images and a round."""
    torch = _torch(threads)
    volume = torch.from_numpy(x)
    depth, height, width = task.sizes
    resize = torch.nn.functional.interpolate

    def call() -> Any:
        planes = volume.to(torch.float32)[None]
        planes = resize(planes, size=(height, width), mode="bilinear", antialias=True)
        column = planes.reshape(1, 1, -1, height * width)
        column = resize(column, size=(depth, height * width), mode="bilinear", antialias=True)
        return column.round_().to(volume.dtype)

    return Contestant(call, lambda y: y.numpy().reshape(task.output_shape))


def mode(task: Task) -> str:
    """Return torch's word for a filter."""
    if task.mode == "nearest":
        return "nearest" if task.floor else "nearest-exact"
    return _MODES[task.mode, len(task.axes)]


def _torch(threads: int) -> Any:
    import torch

    torch.set_num_threads(threads)
    return torch
